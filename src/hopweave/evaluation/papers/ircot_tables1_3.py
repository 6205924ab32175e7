"""IRCoT tables 1 and 3: F1 of each retriever with each reader, and of IRCoT without a separate reader.

None, one or interleaved retrieval (NoR, OneR, IRCoT), each read directly or with a chain of thought; and IRCoT's own
reasoning read for its answer (table 1). F1 in percent is that of DROP, which the authors' code computes, or SQuAD's with
`variant`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from hopweave.evaluation.papers._table import MeanTable
from hopweave.evaluation.reports.analysis_results import FigureColumn
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, LoadedRuns


@dataclass(frozen=True, slots=True)
class IRCoTTables1And3(MeanTable):
    """F1 of each retriever with each reader, and of IRCoT without a reader."""

    title = "IRCoT tables 1 and 3: F1 by retriever and reader"
    tables = ("ircot_table1_gpt3", "ircot_table1_flan")
    needed = ("ircot_cot", "ircot_direct", "ircot_no_reader")
    heads = (FigureColumn("f1", "F1 %", 1),)
    notes = ("F1 by the rule of {variant}",)

    variant: Annotated[Literal["drop", "squad", "hotpotqa"], "whose F1; drop is that of the authors' code"] = "drop"

    def measure(self, runs: LoadedRuns, cell: AnsweredCell) -> Counted:
        return runs.scores(cell, "f1", "f1", variant=self.variant)

    def why(self) -> tuple[str, ...]:
        return () if self.variant == "drop" else (f"F1 by the rule of {self.variant}, there of DROP",)
