"""Tables of what a method costs: words in and out, rounds of retrieval, seconds, and the mean performance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Literal

from hopweave.evaluation.papers._published import ALL, Variant, datasets_of, setup_key
from hopweave.evaluation.papers._scores import mean, percent, quality, with_counts
from hopweave.evaluation.papers._table import Draft, MethodTable, name_of
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.runs.parallelism import caveat_of_seconds
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell
from hopweave.record import Rounds


@dataclass(slots=True)
class _Row:
    """The cells that are averaged into a row.

    Attributes:
        key: the label of the method, and what it was run with.
        first: the first of the cells.
        cells: by the label of the dataset.
        names: of the files of the datasets.
    """

    key: tuple[str, str]
    first: AnsweredCell
    cells: dict[str, AnsweredCell] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)


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
        """See `Table`: a row for each label of a method in each setup, over the datasets."""
        draft.notes += filter(None, map(caveat_of_seconds, draft.runs.runs))
        for one in self.variants():
            rows = self._rows(draft, one)
            draft.rows += [self._row_over(draft, one, row) for row in rows]
            if not rows and not one.is_ours and one.key in self.needed:
                draft.rows.append(MeasuredRow((one.title,), published=self.published(one.key, ALL)))
                for dataset in draft.runs.datasets:
                    draft.lacks(dataset, one)

    def _rows(self, draft: Draft, one: Variant) -> list[_Row]:
        """The cells of a variant in rows: those of a label of a run, and of other runs if all else is the same."""
        rows: list[_Row] = []
        for dataset in draft.runs.datasets:
            for cell in self.cells(one, dataset):
                key = cell.method, setup_key(cell)
                free = [row for row in rows if dataset.label not in row.cells]
                own = [row for row in free if (row.first.run.path, row.first.method) == (cell.run.path, cell.method)]
                same = [row for row in free if row.key == key]
                row = next(iter([*own, *same]), None)
                if row is None:
                    row = _Row(key, cell)
                    rows.append(row)
                row.cells[dataset.label] = cell
                row.names.append(dataset.plan.name)
        return rows

    def _row_over(self, draft: Draft, one: Variant, over: _Row) -> MeasuredRow:
        runs, cells = draft.runs, list(over.cells.values())
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
        why = f"over {', '.join(sorted(over.cells))}; performance there is over {', '.join(there)}"
        row = MeasuredRow(
            (name_of(one, cells[0]),),
            {
                **{key: _mean_of_means(scores) for key, scores in costs.items()},
                "performance": percent(_mean_of_means(qualities)),
                "datasets": float(len(cells)),
            },
            published=self.published(one.key, ALL, *cells, why=[why] if sorted(over.names) != sorted(there) else []),
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
