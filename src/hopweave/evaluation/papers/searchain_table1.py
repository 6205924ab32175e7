"""SearChain table 1: accuracy of every method on every dataset, with SearChain's ablations.

Accuracy is cover-EM in percent, for ELI5 ROUGE-L. The ablations are SearChain without retrieval, without verification and
without completion. A method counts for a row by its file and the options that make the row; where its other options are not
those of the paper's profile, the published row is marked with a letter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from hopweave.evaluation.papers._accuracy import accuracy_result
from hopweave.evaluation.reports.analysis_results import AnalysisResult
from hopweave.evaluation.scoring.loaded_runs import LoadedRuns

_ABLATIONS = ("searchain_no_retrieval", "searchain", "searchain_no_verification", "searchain_no_completion")


@dataclass(frozen=True, slots=True)
class SearChainTable1:
    """Accuracy of every method, and of SearChain without each of its parts."""

    scope: Annotated[Literal["answer", "full"], "look for the right answer in the bare answer, or in the whole text"] = "answer"

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        title = "SearChain table 1: accuracy of every method, with the ablations"
        return accuracy_result(runs, "searchain_table1", title, needed=_ABLATIONS, scope=self.scope)
