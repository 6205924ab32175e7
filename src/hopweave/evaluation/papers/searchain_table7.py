"""SearChain table 7: accuracy on questions of which the model knows every part (S_all).

A question is in S_all if the model alone answers each of its sub-questions rightly (references to earlier answers are
replaced by the gold ones). Accuracy of the model alone on the whole question, in percent, shows how far knowing the parts
suffices. The parts are asked through the dataset `gold_steps`, made from the examples of a run; no gold reaches a method except
as the question itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from hopweave.evaluation.papers._parts import NO_HOPS, Known, closed_book, has_steps, known_parts, plan_of
from hopweave.evaluation.papers._published import answered_cells, in_run_of, variant
from hopweave.evaluation.papers._scores import PERCENT, mean, quality
from hopweave.evaluation.papers._table import Draft, Table, hop_columns, name_of
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells


class SearChainTable7(Table):
    """Accuracy on questions of which the model knows every part, by hops."""

    title = "SearChain table 7: accuracy on questions of which the model knows every part (S_all)"
    tables = ("searchain_table7",)
    to_evaluate = NO_HOPS
    counted = "questions in S_all"

    def fill(self, draft: Draft) -> None:
        one = variant("direct")
        for dataset in filter(has_steps, draft.runs.datasets):
            cells = answered_cells(one, dataset)
            printed = self.published(one.key, dataset.plan.name)
            for cell in cells:
                known = known_parts(draft.runs, cell)
                if known.keys().isdisjoint(cell.examples):
                    own = in_run_of(cell, dataset)
                    draft.lacks(own, one, plan=plan_of(own, "parts"), suffix="parts")
                    draft.rows.append(MeasuredRow((dataset.label, name_of(one, cell)), published=printed))
                else:
                    draft.rows.append(self._row(draft, dataset, cell, known))
            if not cells:
                draft.lacks(dataset, one)
                if not _are_parts_asked(draft, dataset):
                    draft.lacks(dataset, one, plan=plan_of(dataset, "parts"), suffix="parts")
                draft.rows.append(MeasuredRow((dataset.label, one.title), published=printed))

    def columns(self, draft: Draft) -> tuple[FigureColumn, ...]:
        return (*hop_columns(draft.rows, "hops %", 1), FigureColumn("all", "all %", 1))

    def _row(self, draft: Draft, dataset: DatasetCells, cell: AnsweredCell, known: Mapping[str, Known]) -> MeasuredRow:
        scores = quality(draft.runs, cell)
        draft.scored(scores)
        knows = {name: known[name].knows_last(known[name].num_parts) for name in cell.examples if name in known}
        inside = {name for name, is_known in knows.items() if is_known}
        by_hops: dict[str, list[float]] = {}
        for name in sorted(inside & scores.values.keys()):
            by_hops.setdefault(f"hops_{known[name].num_parts}", []).append(PERCENT * scores.values[name])
        every = [value for values in by_hops.values() for value in values]
        return MeasuredRow(
            (dataset.label, name_of(variant("direct"), cell)),
            {**{key: mean(found) for key, found in by_hops.items()}, "all": mean(every)},
            len(every),
            len(scores.failed & inside) + sum(is_known is None for is_known in knows.values()),
            published=self.published("direct", dataset.plan.name, cell, num=len(knows)),
        )


def _are_parts_asked(draft: Draft, dataset: DatasetCells) -> bool:
    """Whether the runs have the parts of questions of a dataset, whichever model was asked."""
    wholes = {str(example.traits["whole"]) for cell in closed_book(draft.runs, "parts") for example in cell.examples.values()}
    return not wholes.isdisjoint(key for cell in dataset.cells for key in cell.examples)
