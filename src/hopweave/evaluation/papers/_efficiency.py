"""Tables of what a method costs: words in and out, rounds of retrieval, seconds, and the mean performance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from hopweave.evaluation.papers._published import ALL, Variant, datasets_of
from hopweave.evaluation.papers._scores import mean, percent, quality, with_counts
from hopweave.evaluation.papers._table import Draft, MethodTable, name_of
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.runs.parallelism import caveat_of_seconds
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell
from hopweave.record import Rounds


@dataclass(frozen=True, slots=True)
class EfficiencyTable(MethodTable):
    """A table of what each method costs over all datasets of the runs.

    Attributes:
        accuracy: the key of the published table whose datasets the published performance is averaged over.
    """

    labels = ("method",)
    heads = (
        FigureColumn("words_in", "#n", 1),
        FigureColumn("words_out", "#m", 1),
        FigureColumn("rounds", "#r"),
        FigureColumn("seconds", "t (s)"),
        FigureColumn("path", "path (s)"),
        FigureColumn("performance", "Perf (avg)"),
        FigureColumn("datasets", "datasets", 0),
    )
    notes = (
        "#n is words_{words} of the metric words; the papers do not say what they count; rounds are counted by {rounds}",
        "#n, #m, #r and t are means over questions, failed ones included, then over datasets",
        "t has no data where replies came from the store",
        "path: the longest chain of calls, the part of t that remains when calls run concurrently",
    )
    accuracy: ClassVar[str]

    words: Annotated[
        Literal["billed", "unique", "static"],
        "billed: all words sent; unique: distinct ones, once; static: instructions and demonstrations",
    ] = "unique"
    rounds: Annotated[Rounds, "block: a stretch of searches between two calls; per_call: every query"] = "block"

    def fill(self, draft: Draft) -> None:
        """See `Table`: a row for each label of a method, over the datasets."""
        draft.notes += filter(None, map(caveat_of_seconds, draft.runs.runs))
        for one in self.variants():
            by_label: dict[str, dict[str, AnsweredCell]] = {}
            for dataset in draft.runs.datasets:
                for cell in self.cells(one, dataset):
                    by_label.setdefault(cell.method, {}).setdefault(dataset.plan.name, cell)
            draft.rows += [self._row_over(draft, one, cells) for cells in by_label.values()]
            if not by_label and not one.is_ours and one.key in self.needed:
                draft.rows.append(MeasuredRow((one.title,), published=self.published(one.key, ALL)))
                for dataset in draft.runs.datasets:
                    draft.lacks(dataset, one)

    def _row_over(self, draft: Draft, one: Variant, by_dataset: dict[str, AnsweredCell]) -> MeasuredRow:
        runs, cells = draft.runs, list(by_dataset.values())
        costs = {
            "words_out": [runs.scores(cell, "words", "words_out") for cell in cells],
            "seconds": [runs.scores(cell, "seconds", "seconds") for cell in cells],
            "path": [runs.scores(cell, "critical_path_seconds", "critical_path_seconds") for cell in cells],
            "words_in": [runs.scores(cell, "words", f"words_{self.words}") for cell in cells],
            "rounds": [runs.scores(cell, "rounds", "rounds", mode=self.rounds) for cell in cells],
        }
        qualities = [quality(runs, cell) for cell in cells]
        draft.scored(*qualities)
        there = datasets_of(self.accuracy)
        why = f"over {', '.join(sorted(by_dataset))}; performance there is over {', '.join(there)}"
        row = MeasuredRow(
            (name_of(one, cells[0]),),
            {
                **{key: _mean_of_means(scores) for key, scores in costs.items()},
                "performance": percent(_mean_of_means(qualities)),
                "datasets": float(len(cells)),
            },
            published=self.published(one.key, ALL, *cells, why=[why] if set(by_dataset) != set(there) else []),
        )
        row = with_counts(row, *qualities)
        alone = {"performance": percent(_mean_of([one.mean_answered for one in qualities]))} if row.num_failed else {}
        return replace(row, num=sum(len(scores.values) for scores in costs["words_in"]), answered=alone)


def _mean_of_means(all_scores: Sequence[Counted]) -> float | None:
    """The unweighted mean over datasets; no data if one of them has none."""
    return _mean_of([scores.mean for scores in all_scores])


def _mean_of(means: Sequence[float | None]) -> float | None:
    known = [value for value in means if value is not None]
    return mean(known) if len(known) == len(means) else None
