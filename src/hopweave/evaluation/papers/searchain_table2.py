"""SearChain table 2: where the knowledge in the nodes of the tree comes from.

Each distinct query of a question's tree counts once, at its last verdict: corrected by retrieval, completed by retrieval, or
the model's own (what retrieval confirmed included). The shares are over all nodes of all questions, in percent, and add up to
100; an unsolved query without a result holds no knowledge and is counted separately.
"""

from __future__ import annotations

from collections import Counter

from hopweave.evaluation.papers._nodes import SOURCES, sources
from hopweave.evaluation.papers._published import Variant
from hopweave.evaluation.papers._scores import share
from hopweave.evaluation.papers._table import Draft, MethodTable, name_of
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells


class SearChainTable2(MethodTable):
    """Shares of nodes whose answer is the model's own, corrected, or completed."""

    title = "SearChain table 2: where the knowledge in the nodes comes from"
    tables = ("searchain_table2",)
    needed = ("searchain",)
    heads = (*(FigureColumn(source, f"{source} %") for source in SOURCES), FigureColumn("open", "open nodes", 0))
    counted = "nodes"

    def fill(self, draft: Draft) -> None:
        MethodTable.fill(self, draft)
        draft.notes.append("'failed' and 'no data' count questions; a question without a node of any source has no data")
        if any(row.values.get("open") for row in draft.rows):
            draft.notes.append("open nodes are unsolved queries that nothing was found for; they are in no share")

    def row(self, draft: Draft, dataset: DatasetCells, one: Variant, cell: AnsweredCell) -> MeasuredRow:
        records = [record for record, _ in cell.pairs()]
        found = [sources(record) for record in records if record.error is None]
        counts = sum(found, Counter[str]())
        num_nodes = sum(counts[source] for source in SOURCES)
        return MeasuredRow(
            (dataset.label, name_of(one, cell)),
            {
                **{source: share(counts[source], num_nodes) for source in SOURCES},
                "open": float(counts["open"]) if found else None,
            },
            num_nodes,
            len(records) - len(found),
            sum(not any(each[source] for source in SOURCES) for each in found),
            published=self.published(one.key, dataset.plan.name, cell, num=len(found)),
        )
