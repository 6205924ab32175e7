"""SearChain table 3a: accuracy on all questions, and on those that retrieval helped with.

S are all questions that were scored with and without retrieval; S_IR those of them in whose tree retrieval corrected or
completed at least one node. If retrieval is called where the model needs it, accuracy without it is lower on S_IR than
on S, and it is higher with it. All in percent.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from hopweave.evaluation.papers._nodes import needs_retrieval
from hopweave.evaluation.papers._published import Variant, answered_cells, counterparts, in_run_of, variant, with_ours
from hopweave.evaluation.papers._scores import Paired, answered, paired, percent, share
from hopweave.evaluation.papers._table import Draft, Table, name_of
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import DatasetCells


class SearChainTable3a(Table):
    """Accuracy with and without retrieval, on all questions and on those that retrieval helped with."""

    title = "SearChain table 3a: accuracy on all questions (S), and where retrieval corrected or completed a node (S_IR)"
    tables = ("searchain_table3a",)
    heads = (
        FigureColumn("without_s", "w/o IR on S %"),
        FigureColumn("without_s_ir", "w/o IR on S_IR %"),
        FigureColumn("with_s_ir", "w/ IR on S_IR %"),
        FigureColumn("with_s", "w/ IR on S %"),
        FigureColumn("share", "S_IR of S %"),
    )
    counted = "questions in S"

    def fill(self, draft: Draft) -> None:
        for dataset, one in product(draft.runs.datasets, with_ours(variant("searchain"))):
            has_row = False
            for cell, without in counterparts(dataset, one):
                has_row = True
                if without is None:
                    self.unmeasured(draft, in_run_of(cell, dataset), one, variant(one.without), name=name_of(one, cell))
                    continue
                both = paired(draft.runs, cell, without)
                draft.rows.append(self._row(dataset, one, both))
                draft.scored(both.with_scores, both.without_scores)
            if not has_row and not one.is_ours:
                alone = variant(one.without)
                self.unmeasured(draft, dataset, one, one, *([] if answered_cells(alone, dataset) else [alone]))

    def _row(self, dataset: DatasetCells, one: Variant, both: Paired) -> MeasuredRow:
        cell, _ = both.cells
        helped = {record.question.id for record, _ in cell.pairs() if record.error is None and needs_retrieval(record)}
        helped &= both.with_scores.values.keys()
        return MeasuredRow(
            (dataset.label, name_of(one, cell)),
            {
                "without_s": percent(both.without_scores.mean),
                "without_s_ir": _mean(both.without_scores.values, helped),
                "with_s_ir": _mean(both.with_scores.values, helped),
                "with_s": percent(both.with_scores.mean),
                "share": share(len(helped), both.num),
            },
            *both.counts,
            published=self.published(one.key, dataset.plan.name, *both.cells, num=both.num),
            answered=answered({"without_s": both.without_scores, "with_s": both.with_scores}),
        )


def _mean(values: Mapping[str, float], ids: set[str]) -> float | None:
    scores = [value for key, value in values.items() if key in ids]
    return share(sum(scores), len(scores))
