"""SearChain table 6: what each method costs in words, rounds and seconds, and its mean performance.

The paper does not say what #n counts: ReAct's number is exactly that of its demonstrations, SearChain's fits prompt, question
and feedback. So `words` says which of the three counts is printed. Perf is the unweighted mean of accuracy (percent) over
datasets.
"""

from __future__ import annotations

from hopweave.evaluation.papers._efficiency import EfficiencyTable


class SearChainTable6(EfficiencyTable):
    """What each method costs, and its mean performance over the datasets of the runs."""

    title = "SearChain table 6: words in (#n) and out (#m), rounds (#r), seconds (t), and mean performance"
    tables = ("searchain_table6",)
    accuracy = "searchain_table1"
    needed = ("searchain",)
