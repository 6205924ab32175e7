"""ToQD table 2a: ToQD without each of its actions, what it costs and how well it does.

The ablations leave out critique, construct, self-verify or rewrite. The text says that leaving out critique makes ToQD
cheaper, the table says the opposite: the figures here are measured.
"""

from __future__ import annotations

from hopweave.evaluation.papers._efficiency import EfficiencyTable


class ToQDTable2a(EfficiencyTable):
    """What ToQD costs without each of its actions, and its mean performance over the datasets of the runs."""

    title = "ToQD table 2a: without each of its actions: words in (#n) and out (#m), rounds (#r), seconds (t), performance"
    tables = ("toqd_table2a",)
    accuracy = "toqd_table1"
    needed = ("toqd", "toqd_no_critique", "toqd_no_construct", "toqd_no_self_verify", "toqd_no_rewrite")
