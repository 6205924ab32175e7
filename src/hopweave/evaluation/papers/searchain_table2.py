"""SearChain table 2: where the knowledge in the nodes of the tree comes from.

Each distinct query of a question's tree counts once, at its last verdict: corrected by retrieval, completed by retrieval, or
the model's own (what retrieval confirmed included). The shares are over all nodes of all questions, in percent, and add up to
100; an unsolved query that nothing was found for holds no knowledge and is counted apart.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product

from hopweave.evaluation.papers._accuracy import name_of
from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._nodes import SOURCES, sources
from hopweave.evaluation.papers._published import Variant, answered_cells, published, variant, with_ours
from hopweave.evaluation.papers._quality import share
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns


@dataclass(frozen=True, slots=True)
class SearChainTable2:
    """Shares of nodes whose answer is the model's own, corrected, or completed."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        draft = Draft()
        for dataset, one in product(runs.datasets, with_ours(variant("searchain"))):
            cells = answered_cells(one, dataset)
            draft.rows += [_row(dataset, one, cell) for cell in cells]
            if not cells and not one.is_ours:
                printed = published("searchain_table2", one.key, dataset.plan.name, setup=None)
                draft.rows.append(MeasuredRow((dataset.label, one.title), published=printed))
                draft.missing.append(how_to_evaluate(dataset, one))
        heads = (
            FigureColumn("model", "model %"),
            FigureColumn("corrected", "corrected %"),
            FigureColumn("completed", "completed %"),
        )
        title = "SearChain table 2: where the knowledge in the nodes comes from"
        draft.notes += ["'failed' and 'no data' count questions; a question without a node of any source has no data"]
        if any(row.values.get("open") for row in draft.rows):
            draft.notes.append("open nodes are unsolved queries that nothing was found for; they are in no share")
        labels = ("dataset", "method")
        return draft.made(title, labels, (*heads, FigureColumn("open", "open nodes", 0)), "nodes")


def _row(dataset: DatasetCells, one: Variant, cell: AnsweredCell) -> MeasuredRow:
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
    return MeasuredRow(
        (dataset.label, name_of(one, cell)),
        {**values, "open": float(counts["open"]) if num_questions else None},
        num_nodes,
        num_failed,
        num_empty,
        published=published("searchain_table2", one.key, dataset.plan.name, setup=cell.setup, num=num_questions),
    )
