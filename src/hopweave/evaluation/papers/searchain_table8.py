"""SearChain table 8: conflict of model and retrieval, where the model alone is right and where it is wrong.

S_t are the questions that the model alone answers rightly, S_f those that it does not. For each: the share whose first
passage holds a right answer (in normalised whole words), and the accuracy of the model when that passage is in the prompt, in
percent. On S_t what is short of 100 is harm; on S_f what there is is help.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from hopweave.core.types import Example
from hopweave.evaluation.papers._missing import asks_for_long_answers, how_to_evaluate
from hopweave.evaluation.papers._published import answered_cells, published, variant
from hopweave.evaluation.papers._quality import PERCENT, is_long, mean, problems, share
from hopweave.evaluation.papers._without import Paired, paired
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import DatasetCells, LoadedRuns
from hopweave.record import Record, Search
from hopweave.text.matching import is_contained

_HEADS = (
    FigureColumn("top1_t", "top-1 on S_t %"),
    FigureColumn("with_t", "w/ IR on S_t %"),
    FigureColumn("top1_f", "top-1 on S_f %"),
    FigureColumn("with_f", "w/ IR on S_f %"),
    FigureColumn("right", "|S_t|", 0),
)


@dataclass(frozen=True, slots=True)
class SearChainTable8:
    """What the first passage does to questions that the model alone gets right and wrong."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        draft = Draft()
        alone, with_passage = variant("direct"), variant("direct_retrieval_top1")
        for dataset in runs.datasets:
            if any(map(is_long, dataset.cells)):
                draft.missing.append(asks_for_long_answers(dataset))
                continue
            found = {one.key: answered_cells(one, dataset) for one in (alone, with_passage)}
            lacking = [one for one in (alone, with_passage) if not found[one.key]]
            draft.missing += [how_to_evaluate(dataset, one) for one in lacking]
            if lacking:
                printed = published("searchain_table8", with_passage.key, dataset.plan.name, setup=None)
                draft.rows.append(MeasuredRow((dataset.label,), published=printed))
                continue
            both = paired(runs, found[with_passage.key][0], found[alone.key][0])
            draft.rows.append(_row(dataset, both))
            draft.notes += problems(both.with_scores, both.without_scores)
        title = "SearChain table 8: the first passage, where the model alone is right (S_t) and where it is wrong (S_f)"
        return draft.made(title, ("dataset",), _HEADS)


def _row(dataset: DatasetCells, both: Paired) -> MeasuredRow:
    right = {name for name, value in both.without_scores.values.items() if value >= 1}
    wrong = both.without_scores.values.keys() - right
    held = {
        record.question.id: holds
        for record, example in both.with_cell.pairs()
        if (holds := _holds(record, example)) is not None
    }
    values: dict[str, float | None] = {"right": float(len(right)) if both.without_scores.values else None}
    for key, ids in (("t", right), ("f", wrong)):
        values[f"top1_{key}"] = _share_of(held, ids)
        scores = [PERCENT * both.with_scores.values[name] for name in ids]
        values[f"with_{key}"] = mean(scores)
    num = len(both.with_scores.values)
    setup, others = both.with_cell.setup, [both.without_cell.setup]
    printed = published("searchain_table8", "direct_retrieval_top1", dataset.plan.name, setup=setup, others=others, num=num)
    return MeasuredRow((dataset.label,), values, num, both.num_failed, both.num_no_data, published=printed)


def _holds(record: Record, example: Example) -> bool | None:
    """Whether the first passage that was found holds a right answer; `None` if nothing was searched for."""
    search = next((step for step in record.steps if isinstance(step, Search) and step.error is None), None)
    if search is None or not example.gold.answers:
        return None
    if not search.hits or not search.hits[0]:
        return False
    text = record.passage(search.hits[0][0].passage_id).text
    return any(is_contained(answer, text) for answer in example.gold.answers)


def _share_of(held: dict[str, bool], ids: Collection[str]) -> float | None:
    known = [held[name] for name in ids if name in held]
    return share(sum(known), len(known))
