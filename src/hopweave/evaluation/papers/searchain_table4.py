"""SearChain table 4: reasoning steps without retrieval, by the hops of the question.

The mean over questions of each number of hops (the trait `hops`; MuSiQue has it in its ids). A step is: for CoT a sentence of
the reasoning but the one that gives the answer, for Self-Ask a follow-up question, for Least-to-Most a sub-question, for
SearChain a query of the chain. The paper says nothing of how it counted. (Its arXiv version has this as table 5.)
"""

from __future__ import annotations

from hopweave.evaluation.papers._published import Variant, answered_cells, datasets_of, variant, variants
from hopweave.evaluation.papers._scores import mean
from hopweave.evaluation.papers._steps import num_steps
from hopweave.evaluation.papers._table import Draft, MethodTable, hop_columns, name_of
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells

_OWN = "toqd_no_retrieval"
"""A row that the paper does not have."""


class SearChainTable4(MethodTable):
    """Reasoning steps without retrieval, by the hops of the question."""

    title = "SearChain table 4: reasoning steps without retrieval, by the hops of the question"
    tables = ("searchain_table4",)
    to_evaluate = "no dataset of the runs has the trait 'hops'; evaluate musique, which has it"

    def columns(self, draft: Draft) -> tuple[FigureColumn, ...]:
        return hop_columns(draft.rows)

    def variants(self) -> list[Variant]:
        return [*variants(*self.tables), variant(_OWN)]

    def cells(self, one: Variant, dataset: DatasetCells) -> list[AnsweredCell]:
        has_hops = any("hops" in example.traits for cell in dataset.cells for example in cell.examples.values())
        return answered_cells(one, dataset) if has_hops else []

    def is_needed(self, one: Variant, dataset: DatasetCells) -> bool:
        return dataset.plan.name in datasets_of(*self.tables) and one.key != _OWN

    def row(self, draft: Draft, dataset: DatasetCells, one: Variant, cell: AnsweredCell) -> MeasuredRow:
        by_hops: dict[str, list[float]] = {}
        num_failed = num_no_data = 0
        for record, example in cell.pairs():
            steps = num_steps(record)
            if record.error is not None:
                num_failed += 1
            elif steps is None or "hops" not in example.traits:
                num_no_data += 1
            else:
                by_hops.setdefault(f"hops_{example.traits['hops']}", []).append(float(steps))
        num = sum(map(len, by_hops.values()))
        printed = self.published(one.key, dataset.plan.name, cell, num=num)
        values = {key: mean(steps) for key, steps in by_hops.items()}
        return MeasuredRow((dataset.label, name_of(one, cell)), values, num, num_failed, num_no_data, published=printed)
