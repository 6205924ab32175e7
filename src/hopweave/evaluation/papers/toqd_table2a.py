"""ToQD table 2a: ToQD without each of its actions, what it costs and how well it does.

The ablations leave out critique, construct, self-verify or rewrite. The text says that leaving out critique makes ToQD
cheaper, the table says the opposite: what is printed here is what was measured.
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.evaluation.papers._efficiency import Efficiency
from hopweave.evaluation.reports.analysis_results import AnalysisResult
from hopweave.evaluation.scoring.loaded_runs import LoadedRuns


@dataclass(frozen=True, slots=True)
class ToQDTable2a(Efficiency):
    """What ToQD costs without each of its actions, and its mean performance over the datasets of the runs."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        title = "ToQD table 2a: without each of its actions: words in (#n) and out (#m), rounds (#r), seconds (t), performance"
        needed = ("toqd", "toqd_no_critique", "toqd_no_construct", "toqd_no_self_verify", "toqd_no_rewrite")
        return self.measured(runs, "toqd_table2a", title, datasets_in="toqd_table1", needed=needed)
