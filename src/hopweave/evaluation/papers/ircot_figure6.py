"""IRCoT figure 6: F1 of the answers by the size of the language model, IRCoT and OneR.

F1 in percent, by the rule of DROP as the authors' code computes it, on the questions that both were scored on, with the same
reader; a row for each model of the runs. The paper drew Flan-T5 base (0.3B) to XXL (11B) and GPT-3 (175B); the figures
of the two largest are in its tables 1 and 3. `--as svg` draws it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from hopweave.evaluation.papers._models import SizeFigure
from hopweave.evaluation.papers._published import published, variants
from hopweave.evaluation.reports.analysis_results import PublishedRow
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns


@dataclass(frozen=True, slots=True)
class IRCoTFigure6(SizeFigure):
    """F1 of the answers by the size of the language model, IRCoT and OneR."""

    title = "IRCoT figure 6: F1 of the answers, by the size of the model"
    name = "F1"
    is_same_reader = True
    printed_in = "ircot_table1"
    last_notes = ("F1 by the rule of {variant}",)

    variant: Annotated[Literal["drop", "squad", "hotpotqa"], "whose F1; drop is that of the authors' code"] = "drop"

    def measure(self, runs: LoadedRuns, cell: AnsweredCell) -> Counted:
        return runs.scores(cell, "f1", "f1", variant=self.variant)

    def printed(self, dataset: DatasetCells, num: int | None, *cells: AnsweredCell) -> tuple[PublishedRow, ...]:
        cell, _ = cells
        why = [] if self.variant == "drop" else [f"F1 by the rule of {self.variant}, there of DROP"]
        return tuple(
            replace(row, values={"ircot": row.values["f1"]})
            for table in self.tables_of(cell)
            for one in variants(table)
            if one.is_of(cell)
            for row in published(table, one.key, dataset.plan.name, [cell.setup], num=num, more=why)
        )
