"""Tables of what a method costs: words in and out, rounds of retrieval, seconds, and the mean performance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from hopweave.evaluation.papers._accuracy import name_of
from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import ALL, Variant, datasets_of, published, variants
from hopweave.evaluation.papers._quality import mean, percent, problems, quality, with_counts
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow
from hopweave.evaluation.runs.parallelism import caveat_of_seconds
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, LoadedRuns
from hopweave.record import Rounds

Words = Literal["billed", "unique", "static"]
_COSTS = {"words_out": ("words", "words_out"), "seconds": ("seconds", "seconds"), "path": ("critical_path_seconds",) * 2}
_HEADS = (
    FigureColumn("words_in", "#n", 1),
    FigureColumn("words_out", "#m", 1),
    FigureColumn("rounds", "#r"),
    FigureColumn("seconds", "t (s)"),
    FigureColumn("path", "path (s)"),
    FigureColumn("performance", "Perf (avg)"),
    FigureColumn("datasets", "datasets", 0),
)
_ABOUT = (
    "#n, #m, #r and t are means over questions, failed ones included, then over datasets",
    "t has no data where replies came from the store",
    "path: the longest chain of calls, which is what running side by side leaves of t",
)


@dataclass(frozen=True, slots=True)
class _Measured:
    """What a cell costs and how good it is."""

    cell: AnsweredCell
    costs: Mapping[str, Counted]
    quality: Counted


@dataclass(frozen=True, slots=True)
class Efficiency:
    """The options of a table of what each method costs over all datasets of the runs."""

    words: Annotated[Words, "billed: all words sent; unique: distinct ones, once; static: instructions and demonstrations"] = (
        "unique"
    )
    rounds: Annotated[Rounds, "block: a stretch of searches between two calls; per_call: every query"] = "block"

    def measured(self, runs: LoadedRuns, table: str, title: str, *, datasets_in: str, needed: Sequence[str]) -> AnalysisResult:
        """A row for each method of a table.

        Args:
            runs: to look at.
            table: the key of the published one.
            title: of the table.
            datasets_in: the table of accuracy whose datasets the performance is the mean of.
            needed: keys of rows that are there even where nothing was measured.
        """
        words, rounds = self.words, self.rounds
        draft = Draft()
        draft.notes += [
            f"#n is words_{words} of the metric words; what the papers count is not said; rounds are counted by {rounds}",
            *_ABOUT,
            *filter(None, (caveat_of_seconds(run) for run in runs.runs)),
        ]
        for one in variants(table):
            by_label: dict[str, dict[str, AnsweredCell]] = {}
            for dataset in runs.datasets:
                for cell in dataset.cells:
                    if one.is_of(cell) and cell.setup is not None:
                        by_label.setdefault(cell.method, {}).setdefault(dataset.plan.name, cell)
            for cells in by_label.values():
                measured = {name: _measured(runs, cell, words, rounds) for name, cell in cells.items()}
                draft.notes += problems(*(each.quality for each in measured.values()))
                draft.rows.append(_row(one, measured, table, datasets_in))
            if not by_label and not one.is_ours and one.key in needed:
                draft.rows.append(MeasuredRow((one.title,), published=published(table, one.key, ALL, setup=None)))
                draft.missing += [how_to_evaluate(dataset, one) for dataset in runs.datasets]
        return draft.made(title, ("method",), _HEADS)


def _measured(runs: LoadedRuns, cell: AnsweredCell, words: Words, rounds: Rounds) -> _Measured:
    costs = {key: runs.scores(cell, metric, column) for key, (metric, column) in _COSTS.items()}
    costs["words_in"] = runs.scores(cell, "words", f"words_{words}")
    costs["rounds"] = runs.scores(cell, "rounds", "rounds", mode=rounds)
    return _Measured(cell, costs, quality(runs, cell))


def _row(one: Variant, measured: Mapping[str, _Measured], table: str, datasets_in: str) -> MeasuredRow:
    values: dict[str, float | None] = {}
    for key in (*_COSTS, "words_in", "rounds"):
        values[key] = _mean_of_means([each.costs[key] for each in measured.values()])
    values["performance"] = percent(_mean_of_means([each.quality for each in measured.values()]))
    values["datasets"] = float(len(measured))
    first, *others = (each.cell for each in measured.values())
    there = datasets_of(datasets_in)
    why = (
        []
        if set(measured) == set(there)
        else [f"over {', '.join(sorted(measured))}; performance there is over {', '.join(there)}"]
    )
    printed = published(table, one.key, ALL, setup=first.setup, others=[cell.setup for cell in others], more=why)
    num = sum(len(each.costs["words_in"].values) for each in measured.values())
    qualities = [each.quality for each in measured.values()]
    row = with_counts(MeasuredRow((name_of(one, first),), values, published=printed), *qualities)
    alone = {"performance": percent(_mean_of([each.mean_answered for each in qualities]))} if row.num_failed else {}
    return replace(row, num=num, answered=alone)


def _mean_of_means(all_scores: Sequence[Counted]) -> float | None:
    """The unweighted mean over datasets; no data if one of them has none."""
    return _mean_of([scores.mean for scores in all_scores])


def _mean_of(means: Sequence[float | None]) -> float | None:
    known = [value for value in means if value is not None]
    return mean(known) if len(known) == len(means) else None
