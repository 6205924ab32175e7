"""SearChain table 8: conflict of model and retrieval, where the model alone is right and where it is wrong.

S_t are the questions that the model alone answers rightly, S_f those that it does not. For each: the share whose first
passage holds a right answer (in normalised whole words), and the accuracy of the model when that passage is in the prompt, in
percent. On S_t the difference to 100 is harm; on S_f any accuracy is help.
"""

from __future__ import annotations

from hopweave.core.types import Example
from hopweave.evaluation.papers._published import answered_cells, in_run_of, partner_of, variant
from hopweave.evaluation.papers._scores import Paired, paired, share
from hopweave.evaluation.papers._table import Draft, Table, name_of
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import DatasetCells
from hopweave.record import Record, Search
from hopweave.text.matching import is_contained


class SearChainTable8(Table):
    """What the first passage does to questions that the model alone gets right and wrong."""

    title = "SearChain table 8: the first passage, where the model alone is right (S_t) and where it is wrong (S_f)"
    tables = ("searchain_table8",)
    labels = ("dataset", "method")
    heads = (
        FigureColumn("top1_t", "top-1 on S_t %"),
        FigureColumn("with_t", "w/ IR on S_t %"),
        FigureColumn("top1_f", "top-1 on S_f %"),
        FigureColumn("with_f", "w/ IR on S_f %"),
        FigureColumn("right", "|S_t|", 0),
    )

    def fill(self, draft: Draft) -> None:
        ones = variant("direct"), variant("direct_retrieval_top1")
        for dataset in draft.short_answer_datasets():
            alone, with_passage = (answered_cells(one, dataset) for one in ones)
            for cell in with_passage if alone else ():
                without = partner_of(cell, alone)
                if without is None:
                    self.unmeasured(draft, in_run_of(cell, dataset), ones[1], ones[0], name=name_of(ones[1], cell))
                    continue
                both = paired(draft.runs, cell, without)
                draft.rows.append(self._row(dataset, both, name_of(ones[1], cell)))
                draft.scored(both.with_scores, both.without_scores)
            if not (alone and with_passage):
                lacking = [one for one, cells in zip(ones, (alone, with_passage), strict=True) if not cells]
                self.unmeasured(draft, dataset, ones[1], *lacking)

    def _row(self, dataset: DatasetCells, both: Paired, name: str) -> MeasuredRow:
        with_it, without = both.with_scores.values, both.without_scores.values
        right = {name for name, value in without.items() if value >= 1}
        found = {record.question.id: _holds(record, example) for record, example in both.cells[0].pairs()}
        held = {name: holds for name, holds in found.items() if holds is not None}
        values: dict[str, float | None] = {"right": float(len(right)) if without else None}
        for key, ids in (("t", right), ("f", without.keys() - right)):
            values[f"top1_{key}"] = share(sum(held[name] for name in ids & held.keys()), len(ids & held.keys()))
            values[f"with_{key}"] = share(sum(with_it[name] for name in ids), len(ids))
        printed = self.published("direct_retrieval_top1", dataset.plan.name, *both.cells, num=both.num)
        return MeasuredRow((dataset.label, name), values, *both.counts, published=printed)


def _holds(record: Record, example: Example) -> bool | None:
    """Whether the first passage that was found holds a right answer; `None` without a search."""
    search = next((step for step in record.steps if isinstance(step, Search) and step.error is None), None)
    if search is None or not example.gold.answers:
        return None
    if not search.hits or not search.hits[0]:
        return False
    text = record.passage(search.hits[0][0].passage_id).text
    return any(is_contained(answer, text) for answer in example.gold.answers)
