"""SearChain table 6: what each method costs in words, rounds and seconds, and its mean performance.

What #n counts was not published: ReAct's number is exactly that of its demonstrations, SearChain's fits prompt, question and
feedback. So `words` says which of the three counts is printed. Perf is the unweighted mean of accuracy (percent) over
datasets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from hopweave.evaluation.papers._efficiency import Words, efficiency_result
from hopweave.evaluation.reports.analysis_results import AnalysisResult
from hopweave.evaluation.scoring.loaded_runs import LoadedRuns
from hopweave.trace import Rounds

__all__ = ["SearChainTable6"]


@dataclass(frozen=True, slots=True)
class SearChainTable6:
    """What each method costs, and its mean performance over the datasets of the runs."""

    words: Annotated[Words, "billed: all words sent; unique: distinct ones, once; static: instructions and demonstrations"] = (
        "unique"
    )
    rounds: Annotated[Rounds, "block: a stretch of searches between two calls; per_call: every query"] = "block"

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `evaluation.analysis.Analysis`."""
        title = "SearChain table 6: words in (#n) and out (#m), rounds (#r), seconds (t), and mean performance"
        return efficiency_result(
            runs,
            "searchain_table6",
            title,
            words=self.words,
            rounds=self.rounds,
            datasets_in="searchain_table1",
            needed=("searchain",),
        )
