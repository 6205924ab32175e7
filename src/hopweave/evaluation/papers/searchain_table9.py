"""SearChain table 9: SearChain beside DSP on another language model.

The paper ran both on Vicuna-13B, as a check that the gain is not one model's. Accuracy is cover-EM in percent, for ELI5
ROUGE-L; a run with an open model of your own stands in the place of Vicuna.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from hopweave.evaluation.papers._accuracy import accuracy_result
from hopweave.evaluation.reports.analysis_results import AnalysisResult
from hopweave.evaluation.scoring.loaded_runs import LoadedRuns


@dataclass(frozen=True, slots=True)
class SearChainTable9:
    """SearChain beside DSP, on another model than the main table's."""

    scope: Annotated[Literal["answer", "full"], "look for the right answer in the bare answer, or in the whole text"] = "answer"

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        title = "SearChain table 9: SearChain and DSP on an open model"
        return accuracy_result(runs, "searchain_table9", title, needed=("dsp", "searchain"), scope=self.scope)
