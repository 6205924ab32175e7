"""ToQD table 2b: what each method costs in words, rounds and seconds, and its mean performance.

The rows of #n, #m, #r and t but ToQD's own equal SearChain's table 6 digit for digit; only Perf was had anew, over four
datasets. ToQD's released code counts every call of the retriever as a round (`rounds = "per_call"`), and leaves out of #n and
#m what is written while the graph is walked.
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.evaluation.papers._efficiency import Efficiency
from hopweave.evaluation.reports.analysis_results import AnalysisResult
from hopweave.evaluation.scoring.loaded_runs import LoadedRuns


@dataclass(frozen=True, slots=True)
class ToQDTable2b(Efficiency):
    """What each method costs, and its mean performance over the datasets of the runs."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        title = "ToQD table 2b: words in (#n) and out (#m), rounds (#r), seconds (t), and mean performance"
        needed = ("toqd",)
        return self.measured(runs, "toqd_table2b", title, datasets_in="toqd_table1", needed=needed)
