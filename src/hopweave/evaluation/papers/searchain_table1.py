"""SearChain table 1: accuracy of every method on every dataset, with SearChain's ablations.

Accuracy is cover-EM in percent, for ELI5 ROUGE-L. The ablations are SearChain without retrieval, without verification and
without completion. A row takes the cells of its method with the options that define the row; where their other options differ
from the paper's profile, the published row is marked with a letter.
"""

from __future__ import annotations

from hopweave.evaluation.papers._table import AccuracyTable


class SearChainTable1(AccuracyTable):
    """Accuracy of every method, and of SearChain without each of its parts."""

    title = "SearChain table 1: accuracy of every method, with the ablations"
    tables = ("searchain_table1",)
    needed = ("searchain_no_retrieval", "searchain", "searchain_no_verification", "searchain_no_completion")
