"""ToQD table 1: accuracy of ToQD with and without retrieval.

Accuracy is cover-EM in percent, for ELI5 ROUGE-L. The other rows of the table are SearChain's: see `searchain_table1`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from hopweave.evaluation.papers._accuracy import accuracy_result
from hopweave.evaluation.reports.analysis_results import AnalysisResult
from hopweave.evaluation.scoring.loaded_runs import LoadedRuns


@dataclass(frozen=True, slots=True)
class ToQDTable1:
    """Accuracy of ToQD, with and without retrieval."""

    scope: Annotated[Literal["answer", "full"], "look for the right answer in the bare answer, or in the whole text"] = "answer"

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        return accuracy_result(
            runs,
            "toqd_table1",
            "ToQD table 1: accuracy of ToQD with and without retrieval",
            needed=("toqd_no_retrieval", "toqd"),
            scope=self.scope,
            notes=("the published baselines equal SearChain's table 1 digit for digit: they were carried over, not run",),
        )
