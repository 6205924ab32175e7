"""ToQD table 1: accuracy of ToQD with and without retrieval.

Accuracy is cover-EM in percent, for ELI5 ROUGE-L. The other rows of the table are SearChain's: see `searchain_table1`.
"""

from __future__ import annotations

from hopweave.evaluation.papers._table import AccuracyTable


class ToQDTable1(AccuracyTable):
    """Accuracy of ToQD, with and without retrieval."""

    title = "ToQD table 1: accuracy of ToQD with and without retrieval"
    tables = ("toqd_table1",)
    needed = ("toqd_no_retrieval", "toqd")
    notes = ("the published baselines equal SearChain's table 1 digit for digit: they were copied, not run",)
