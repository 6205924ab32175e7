"""IRCoT tables 1 and 3: F1 of each retriever with each reader, and of IRCoT without a reader of its own.

None, one or interleaved retrieval (NoR, OneR, IRCoT), each read directly or with a chain of thought; and IRCoT's own
reasoning read for its answer (table 1). F1 in percent is that of DROP, which the authors' code computes, or SQuAD's with
`variant`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from hopweave.evaluation.papers._accuracy import name_of, searches
from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import Variant, answered_cells, published, variants
from hopweave.evaluation.papers._quality import mean_row, problems
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow, PublishedRow
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

__all__ = ["IRCoTTables1And3"]

_TABLES = ("ircot_table1_gpt3", "ircot_table1_flan")
_NEEDED = ("ircot_cot", "ircot_direct", "ircot_no_reader")


@dataclass(frozen=True, slots=True)
class IRCoTTables1And3:
    """F1 of each retriever with each reader, and of IRCoT without a reader."""

    variant: Annotated[Literal["drop", "squad", "hotpotqa"], "whose F1; drop is that of the authors' code"] = "drop"

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `evaluation.analysis.Analysis`."""
        draft = Draft()
        seen: list[Counted] = []
        for dataset in runs.datasets:
            for one in variants(*_TABLES):
                cells = answered_cells(one, dataset)
                for cell in cells:
                    scores = runs.scores(cell, "f1", "f1", variant=self.variant)
                    seen.append(scores)
                    beside = self._beside(dataset, one, cell, len(scores.values))
                    draft.rows.append(mean_row((dataset.label, name_of(one, cell)), "f1", scores, published=beside))
                if not cells and one.key in _NEEDED:
                    draft.rows.append(MeasuredRow((dataset.label, one.title), published=self._beside(dataset, one, None, None)))
                    draft.missing.append(how_to_evaluate(dataset, one))
        title = "IRCoT tables 1 and 3: F1 by retriever and reader"
        draft.notes += [f"F1 by the rule of {self.variant}", *problems(*seen)]
        return draft.made(title, ("dataset", "method"), (FigureColumn("f1", "F1 %", 1),))

    def _beside(
        self, dataset: DatasetCells, one: Variant, cell: AnsweredCell | None, num: int | None
    ) -> tuple[PublishedRow, ...]:
        setup = None if cell is None else cell.setup
        why = [] if self.variant == "drop" else [f"F1 by the rule of {self.variant}, there of DROP"]
        return tuple(
            row
            for table in _TABLES
            for row in published(table, one.key, dataset.plan.name, setup=setup, num=num, searches=searches(one), more=why)
        )
