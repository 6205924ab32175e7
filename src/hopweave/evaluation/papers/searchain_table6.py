"""SearChain table 6: what each method costs in words, rounds and seconds, and its mean performance.

What #n counts was not published: ReAct's number is exactly that of its demonstrations, SearChain's fits prompt, question and
feedback. So `words` says which of the three counts is printed. Perf is the unweighted mean of accuracy (percent) over
datasets.
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.evaluation.papers._efficiency import Efficiency
from hopweave.evaluation.reports.analysis_results import AnalysisResult
from hopweave.evaluation.scoring.loaded_runs import LoadedRuns


@dataclass(frozen=True, slots=True)
class SearChainTable6(Efficiency):
    """What each method costs, and its mean performance over the datasets of the runs."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        title = "SearChain table 6: words in (#n) and out (#m), rounds (#r), seconds (t), and mean performance"
        needed = ("searchain",)
        return self.measured(runs, "searchain_table6", title, datasets_in="searchain_table1", needed=needed)
