"""SearChain table 2: where the knowledge in the nodes of the tree comes from.

Each distinct query of a question's tree counts once, at its last verdict: corrected by retrieval, completed by retrieval, or
the model's own (what retrieval confirmed included). The shares are over all nodes of all questions, in percent, and add up to
100; an unsolved query that nothing was found for holds no knowledge and is counted apart.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hopweave.evaluation.papers._accuracy import name_of
from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._nodes import SOURCES, sources
from hopweave.evaluation.papers._published import cells_of, published, variant
from hopweave.evaluation.papers._quality import share
from hopweave.evaluation.reports.analysis_tables import Head, Sheet, SheetRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

__all__ = ["SearChainTable2"]


@dataclass(frozen=True, slots=True)
class SearChainTable2:
    """Shares of nodes whose answer is the model's own, corrected, or completed."""

    def sheets(self, runs: LoadedRuns) -> list[Sheet]:
        """See `evaluation.analysis.Analysis`."""
        rows: list[SheetRow] = []
        missing: list[str] = []
        one = variant("searchain")
        for dataset in runs.datasets:
            cells = [cell for cell in cells_of(one, dataset.cells) if cell.setup is not None]
            rows += [_row(dataset, cell) for cell in cells]
            if not cells:
                beside = published("searchain_table2", one.key, dataset.plan.name, setup=None)
                rows.append(SheetRow((dataset.label, one.title), published=beside))
                missing.append(how_to_evaluate(dataset, one))
        heads = (Head("model", "model %"), Head("corrected", "corrected %"), Head("completed", "completed %"))
        title = "SearChain table 2: where the knowledge in the nodes comes from"
        notes = ("'failed' and 'no data' count questions; a question without a node of any source has no data", *_open(rows))
        labels = ("dataset", "method")
        return [Sheet(title, labels, (*heads, Head("open", "open nodes", 0)), tuple(rows), "nodes", notes, tuple(missing))]


def _row(dataset: DatasetCells, cell: AnsweredCell) -> SheetRow:
    counts: Counter[str] = Counter()
    num_questions = num_failed = num_empty = 0
    for record, _ in cell.pairs():
        if record.error is not None:
            num_failed += 1
            continue
        found = sources(record)
        counts += found
        num_questions += 1
        num_empty += not any(found[source] for source in SOURCES)
    num_nodes = sum(counts[source] for source in SOURCES)
    values = {source: share(counts[source], num_nodes) for source in SOURCES}
    one = variant("searchain")
    return SheetRow(
        (dataset.label, name_of(one, cell)),
        {**values, "open": float(counts["open"]) if num_questions else None},
        num_nodes,
        num_failed,
        num_empty,
        published=published("searchain_table2", one.key, dataset.plan.name, setup=cell.setup, num=num_questions),
    )


def _open(rows: list[SheetRow]) -> tuple[str, ...]:
    if any(row.values.get("open") for row in rows):
        return ("open nodes are unsolved queries that nothing was found for; they are in no share",)
    return ()
