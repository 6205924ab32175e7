"""ToQD table 5: ToQD beside chain of thought with retrieval, over several language models.

A row for each model of the runs: give a run for each with `--with`. Accuracy is cover-EM in percent on the questions that
both were scored on. What the paper's CoT with retrieval is was not published: `baseline` names the method that stands for it,
by default `oner`, whose reader writes a chain of thought over passages that the question found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from hopweave.evaluation.papers._robustness import by_model_result
from hopweave.evaluation.reports.analysis_results import AnalysisResult
from hopweave.evaluation.scoring.loaded_runs import LoadedRuns


@dataclass(frozen=True, slots=True)
class ToQDTable5:
    """ToQD beside chain of thought with retrieval, by language model."""

    baseline: Annotated[str, "the method, or the label of it, that stands for chain of thought with retrieval"] = "oner"

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        title = "ToQD table 5: ToQD beside chain of thought with retrieval, by language model"
        return by_model_result(runs, title, self.baseline)
