"""ToQD table 3: how well rewritten queries retrieve, by the retriever that rewrites them.

It takes every cell that retrieves with the unchanged question (`direct_retrieval`, or `oner` without reader); the row is the
retriever of its run, so give a run for each. Native are plain engines. Hits@10, MAP@10 and MRR@10 as MultiHop-RAG computes
them (the metric `retrieval`), or by the standard definition of MAP. A cell that retrieves fewer than 10 passages is marked.

ToQD's released code calls a fusion of several queries what its text describes as several steps: both are printed in
its row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from hopweave.core.catalog import asks_the_model
from hopweave.evaluation.papers._published import variant
from hopweave.evaluation.papers._scores import answered, with_counts
from hopweave.evaluation.papers._table import Draft, Table
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells

_NEEDED = ("bm25", "hyde", "sub_question", "multi_query", "multi_step", "toqd")
_DEPTHS = {"direct_retrieval": "num_passages", "oner": "num_hits"}


@dataclass(frozen=True, slots=True)
class ToQDTable3(Table):
    """Hits, MAP and MRR of what rewritten queries retrieve."""

    title = "ToQD table 3: what rewritten queries retrieve"
    tables = ("toqd_table3",)
    labels = ("dataset", "retriever", "method")
    heads = (
        FigureColumn("hits", "Hits@10", 3),
        FigureColumn("hits_early", "Hits@4", 3),
        FigureColumn("map", "MAP@10", 3),
        FigureColumn("mrr", "MRR@10", 3),
    )
    notes = ("MAP by the definition {definition}",)
    to_evaluate = "no dataset of the runs says which passages are relevant; evaluate multihop_rag, which does"
    counted = "queries"

    definition: Annotated[Literal["multihop_rag", "standard"], "whose MAP"] = "multihop_rag"

    def fill(self, draft: Draft) -> None:
        one = replace(variant("direct_retrieval"), options={"num_passages": 10})
        for dataset in filter(_has_relevance, draft.runs.datasets):
            found = list(_cells(dataset))
            draft.rows += [self._row(draft, dataset, cell) for cell in found]
            there = {cell.setting("retriever") for cell in found}
            if any(row_of(cell) == "native" for cell in found):
                there.add("bm25")
            for retriever in (name for name in _NEEDED if name not in there):
                printed = self.published("native" if retriever == "bm25" else retriever, dataset.plan.name)
                draft.rows.append(MeasuredRow((dataset.label, retriever, "-"), published=printed))
                draft.lacks(dataset, one, suffix=retriever, settings={"retriever": retriever})

    def _row(self, draft: Draft, dataset: DatasetCells, cell: AnsweredCell) -> MeasuredRow:
        draft.scored(draft.runs.scores(cell, "retrieval", "hits", definition=self.definition))
        options = {"definition": self.definition, "without_search": "zero"}
        by_column = {head.key: draft.runs.scores(cell, "retrieval", head.key, **options) for head in self.heads}
        hits = by_column["hits"]
        depth = int(cell.options[_DEPTHS[cell.name]])
        name = str(cell.setting("retriever") or "?")
        key = row_of(cell)
        shown = f"{name} {key.removeprefix('toqd_').replace('_', ' ')}" if key.startswith("toqd_") else name
        shown += f" (only {depth} passages)" if depth < 10 else ""
        why = [f"{depth} passages, there 10"] if depth != 10 else []
        why += [] if self.definition == "multihop_rag" else ["another definition of MAP"]
        num = len(hits.values) + len(hits.no_data)
        row = MeasuredRow(
            (dataset.label, shown, cell.method),
            {column: scores.mean for column, scores in by_column.items()},
            published=self.published(key, dataset.plan.name, cell, num=num, why=why),
            answered=answered(by_column, 1.0),
        )
        return with_counts(row, hits)


def _cells(dataset: DatasetCells) -> Iterator[AnsweredCell]:
    for cell in dataset.cells:
        is_asked = cell.setup is not None and cell.name in _DEPTHS
        if is_asked and (cell.name == "oner" or not cell.options.get("probe")):
            yield cell


def row_of(cell: AnsweredCell) -> str:
    """The row of the table for a cell's retriever."""
    name = str(cell.setting("retriever") or "")
    if name == "toqd":
        for option in ("use_critique", "use_rewrite"):
            if cell.setting("retrievers", "toqd", option) is False:
                return f"toqd_no_{option.removeprefix('use_')}"
        return name
    return name if asks_the_model(name) else "native"


def _has_relevance(dataset: DatasetCells) -> bool:
    return any(e.gold.facts or e.gold.passage_ids for cell in dataset.cells[:1] for e in cell.examples.values())
