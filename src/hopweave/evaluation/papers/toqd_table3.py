"""ToQD table 3: how well rewritten queries retrieve, by the retriever that rewrites them.

Every cell that retrieves with the question as it came counts (`direct_retrieval`, or `oner` without reader); the row is the
retriever of its run, so give a run for each. Native are plain engines. Hits@10, MAP@10 and MRR@10 as MultiHop-RAG computes
them (the metric `retrieval`), or by the standard definition of MAP. A cell that retrieves fewer than 10 passages is marked.

ToQD's released code calls a fusion of several queries what its text describes as several steps: both stand beside its row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from hopweave.core.catalog import asks_the_model
from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import published, variant
from hopweave.evaluation.papers._quality import answered, problems, with_counts
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

_HEADS = (
    FigureColumn("hits", "Hits@10", 3),
    FigureColumn("hits_early", "Hits@4", 3),
    FigureColumn("map", "MAP@10", 3),
    FigureColumn("mrr", "MRR@10", 3),
)
_NEEDED = ("bm25", "hyde", "sub_question", "multi_query", "multi_step", "toqd")
_DEPTHS = {"direct_retrieval": "num_passages", "oner": "num_hits"}


@dataclass(frozen=True, slots=True)
class ToQDTable3:
    """Hits, MAP and MRR of what rewritten queries retrieve."""

    definition: Annotated[Literal["multihop_rag", "standard"], "whose MAP"] = "multihop_rag"

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        draft = Draft()
        one = replace(variant("direct_retrieval"), options={"num_passages": 10})
        for dataset in filter(_has_relevance, runs.datasets):
            found = list(_cells(dataset))
            for cell in found:
                draft.rows.append(self._row(runs, dataset, cell))
                draft.notes += problems(runs.scores(cell, "retrieval", "hits", definition=self.definition))
            there = {cell.setting("retriever") for cell in found}
            for retriever in _NEEDED:
                is_native = retriever == "bm25" and any(row_of(cell) == "native" for cell in found)
                if retriever not in there and not is_native:
                    printed = published(
                        "toqd_table3", "native" if retriever == "bm25" else retriever, dataset.plan.name, setup=None
                    )
                    draft.rows.append(MeasuredRow((dataset.label, retriever, "-"), published=printed))
                    draft.missing.append(how_to_evaluate(dataset, one, suffix=retriever, settings={"retriever": retriever}))
        if not draft.rows:
            draft.missing.append("no dataset of the runs says which passages are relevant; evaluate multihop_rag, which does")
        title = "ToQD table 3: what rewritten queries retrieve"
        labels = ("dataset", "retriever", "method")
        draft.notes.insert(0, f"MAP by the definition {self.definition}")
        return draft.made(title, labels, _HEADS, "queries")

    def _row(self, runs: LoadedRuns, dataset: DatasetCells, cell: AnsweredCell) -> MeasuredRow:
        by_column = {
            head.key: runs.scores(cell, "retrieval", head.key, definition=self.definition, without_search="zero")
            for head in _HEADS
        }
        hits = by_column["hits"]
        depth = int(cell.options[_DEPTHS[cell.name]])
        name = str(cell.setting("retriever") or "?")
        key = row_of(cell)
        shown = f"{name} {key.removeprefix('toqd_').replace('_', ' ')}" if key.startswith("toqd_") else name
        shown += f" (only {depth} passages)" if depth < 10 else ""
        why = [f"{depth} passages, there 10"] if depth != 10 else []
        why += [] if self.definition == "multihop_rag" else ["another definition of MAP"]
        printed = published(
            "toqd_table3", key, dataset.plan.name, setup=cell.setup, num=len(hits.values) + len(hits.no_data), more=why
        )
        values = {column: scores.mean for column, scores in by_column.items()}
        row = MeasuredRow((dataset.label, shown, cell.method), values, published=printed, answered=answered(by_column, 1.0))
        return with_counts(row, hits)


def _cells(dataset: DatasetCells) -> Iterator[AnsweredCell]:
    for cell in dataset.cells:
        if cell.setup is None or cell.name not in _DEPTHS:
            continue
        if cell.name == "oner" or not cell.options.get("probe"):
            yield cell


def row_of(cell: AnsweredCell) -> str:
    """The row of the table that a cell's retriever is."""
    name = str(cell.setting("retriever") or "")
    if name == "toqd":
        for option in ("use_critique", "use_rewrite"):
            if cell.setting("retrievers", "toqd", option) is False:
                return f"toqd_no_{option.removeprefix('use_')}"
        return name
    return name if asks_the_model(name) else "native"


def _has_relevance(dataset: DatasetCells) -> bool:
    return any(e.gold.facts or e.gold.passage_ids for cell in dataset.cells[:1] for e in cell.examples.values())
