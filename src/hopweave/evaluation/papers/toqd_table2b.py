"""ToQD table 2b: what each method costs in words, rounds and seconds, and its mean performance.

The rows of #n, #m, #r and t except ToQD's own equal SearChain's table 6 digit for digit; only Perf was measured again, over
four datasets. ToQD's released code counts every call of the retriever as a round (`rounds = "per_call"`), and leaves out of #n
and #m what is written while the graph is walked.
"""

from __future__ import annotations

from hopweave.evaluation.papers._efficiency import EfficiencyTable


class ToQDTable2b(EfficiencyTable):
    """What each method costs, and its mean performance over the datasets of the runs."""

    title = "ToQD table 2b: words in (#n) and out (#m), rounds (#r), seconds (t), and mean performance"
    tables = ("toqd_table2b",)
    accuracy = "toqd_table1"
    needed = ("toqd",)
