"""The cells of a run's scores: a mean for each column, with counts of everything left out of it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hopweave.core.types import Column, Example
from hopweave.evaluation.metric import Combining, Counting
from hopweave.evaluation.scoring.counted import Counted, counted
from hopweave.evaluation.scoring.results import Cell, FailureKind, Interval, Mean
from hopweave.evaluation.scoring.score import OpenMetric, Score
from hopweave.evaluation.scoring.statistics import bootstrap_means, figure_intervals, mean_interval
from hopweave.record import Failure

Rows = Sequence[Score]


@dataclass(frozen=True, slots=True)
class NamedColumn:
    """A column: its metric, its name within the metric, its meaning, and whether it is a figure of a whole cell."""

    opened: OpenMetric
    name: str
    column: Column
    is_combined: bool = False


def named_columns(metrics: Iterable[OpenMetric]) -> dict[str, NamedColumn]:
    """The columns of all metrics by their name in tables, including those of whole cells."""
    found: dict[str, NamedColumn] = {}
    for opened in metrics:
        combined: Mapping[str, Column] = opened.metric.combined if isinstance(opened.metric, Combining) else {}
        both = [NamedColumn(opened, name, column) for name, column in opened.columns.items()]
        both += [NamedColumn(opened, name, column, is_combined=True) for name, column in combined.items()]
        for one in both:
            found[one.name if one.name not in found else f"{opened.name}.{one.name}"] = one
    return found


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of a dataset's records.

    Attributes:
        dataset: its label.
        examples: those whose questions were drawn.
        rows: the scores of a metric, by the label of the method and the name of the metric.
        columns: the counted value of each question, by column as tables name it, and method.
    """

    dataset: str
    examples: Sequence[Example]
    rows: Mapping[str, Mapping[str, Rows]]
    columns: Mapping[str, Mapping[str, Counted]]

    @property
    def order(self) -> list[str]:
        """The ids of the questions."""
        return [example.question.id for example in self.examples]

    def among(self, examples: Sequence[Example]) -> Scored:
        """The same, restricted to some of the questions."""
        ids = {example.question.id for example in examples}
        rows = {method: {metric: _cut(mine, ids) for metric, mine in of.items()} for method, of in self.rows.items()}
        columns = {
            name: {method: one.among(ids) for method, one in of_method.items() if any(rows[method].values())}
            for name, of_method in self.columns.items()
        }
        return Scored(self.dataset, examples, rows, columns)

    def missing(self, methods: Iterable[str]) -> set[str]:
        """The ids of the questions of which none of these methods has a record."""
        recorded = {score.question for method in methods for rows in self.rows[method].values() for score in rows}
        return set(self.order) - recorded

    def values(self, column: str, method: str) -> Mapping[str, float]:
        """The values of a column by question; empty where it has none."""
        return self.columns.get(column, {}).get(method, Counted()).values

    def sample(self, column: str, method: str) -> list[float | None]:
        """The values of a column in the order of the questions."""
        values = self.values(column, method)
        return [values.get(asked) for asked in self.order]


def scored(dataset: str, examples: Sequence[Example], scores: Mapping[str, Rows], metrics: Iterable[OpenMetric]) -> Scored:
    """Gathers the scores of a dataset's records.

    Args:
        dataset: its label.
        examples: those whose questions were drawn.
        scores: of its records, by method.
        metrics: that made the scores.
    """
    rows: dict[str, dict[str, list[Score]]] = {method: {} for method in scores}
    for method, of_method in scores.items():
        for score in of_method:
            rows[method].setdefault(score.metric, []).append(score)
    columns = {
        shown: {
            method: counted(of[one.opened.name], one.name, one.column) for method, of in rows.items() if one.opened.name in of
        }
        for shown, one in named_columns(metrics).items()
        if not one.is_combined
    }
    return Scored(dataset, examples, rows, columns)


def means_of(found: Scored, metrics: Sequence[OpenMetric], seed: int) -> tuple[dict[str, dict[str, Mean]], list[FailureKind]]:
    """The means of a dataset by method and column, and what could not be combined.

    Args:
        found: the scores of its records.
        metrics: that scored them.
        seed: of the bootstrap.
    """
    means: dict[str, dict[str, Mean]] = {method: {} for method in found.rows}
    intervals = _intervals(found, seed)
    figures = {
        (opened.name, method): _figures(opened, of[opened.name], seed)
        for opened in metrics
        if isinstance(opened.metric, Combining)
        for method, of in found.rows.items()
        if of.get(opened.name)
    }
    for shown, one in named_columns(metrics).items():
        for method, of in found.rows.items():
            if not one.is_combined and method in found.columns[shown]:
                means[method][shown] = _mean(found.columns[shown][method], intervals[shown, method])
            elif one.is_combined and (mine := figures.get((one.opened.name, method))) is not None and mine.failure is None:
                means[method][shown] = _combined(one, mine, of[one.opened.name])
    broken = [
        FailureKind(found.dataset, method, f"metric {name}", mine.failure.kind, mine.failure.message, ())
        for (name, method), mine in figures.items()
        if mine.failure is not None
    ]
    return means, broken


def cell_of(found: Scored, method: str, means: Mapping[str, Mean]) -> Cell:
    """The cell of a method, with its means."""
    states = {score.question: score.record for rows in found.rows[method].values() for score in rows}
    count = list(states.values()).count
    odd = count("failed"), count("unparsed"), count("abstained")
    return Cell(found.dataset, method, len(found.examples), len(states), *odd, dict(means))


def _cut(rows: Rows, ids: Collection[str]) -> Rows:
    return [score for score in rows if score.question in ids]


def _intervals(found: Scored, seed: int) -> dict[tuple[str, str], Interval | None]:
    places = [(shown, method) for shown, of_method in found.columns.items() for method in of_method]
    samples = {place: found.sample(*place) for place in places}
    # Without a spread there is nothing to resample.
    drawn = [place for place in places if len(set(samples[place]) - {None}) > 1]
    means = dict(zip(drawn, bootstrap_means([samples[place] for place in drawn], seed=seed), strict=True))
    intervals: dict[tuple[str, str], Interval | None] = {}
    for place in places:
        column = found.columns[place[0]][place[1]].column
        intervals[place] = mean_interval(samples[place], means.get(place, ()), low=column.low, high=column.high)
    return intervals


def _mean(column: Counted, interval: Interval | None) -> Mean:
    return Mean(
        value=column.mean,
        num_scored=len(column.values),
        num_failed=len(column.failed),
        num_no_data=len(column.no_data),
        interval=interval,
        bounds=Interval(*column.bounds) if column.bounds is not None else None,
        num_unscored=len(column.unscored),
        answered=column.mean_answered,
    )


@dataclass(frozen=True, slots=True)
class _Figures:
    """The figures of a metric for a whole cell with their intervals, over the answered questions; or why there are none.

    `nums` are the numbers of records that they are of.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    nums: Mapping[str, int] = field(default_factory=dict)
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    failure: Failure | None = None


def _figures(opened: OpenMetric, rows: Rows, seed: int) -> _Figures:
    metric: Any = opened.metric

    def combine(values: Sequence[Mapping[str, float]]) -> dict[str, float]:
        figures = {name: float(value) for name, value in metric.combine(values).items()}
        for name, value in figures.items():
            if name not in metric.combined or not math.isfinite(value):
                raise ValueError(f"it gave {value} for {name!r}")
        return figures

    # A failed question is drawn like any other, and is in no figure.
    values = [score.values or {} for score in rows]
    try:
        return _Figures(combine(values), _nums(metric, values), figure_intervals(values, combine, seed=seed))
    except Exception as error:  # noqa: BLE001 - whatever a metric does, it is named, and the others go on
        return _Figures(failure=Failure.of(error))


def _nums(metric: Any, values: Sequence[Mapping[str, float]]) -> dict[str, int]:
    """How many records each figure of a metric is of: those that have values, unless the metric says otherwise."""
    told = metric.num_combined(values) if isinstance(metric, Counting) else {}
    num = sum(map(bool, values))
    for name, of_name in told.items():
        if name not in metric.combined or not 0 <= of_name <= num:
            raise ValueError(f"it gave {of_name} as the number of records of {name!r}, of {num}")
    return dict.fromkeys(metric.combined, num) | dict(told)


def _combined(one: NamedColumn, figures: _Figures, rows: Rows) -> Mean:
    """A figure of a whole cell, over the answered questions only."""
    values = [score.values for score in rows if score.values is not None]
    num_unscored = sum(score.error is not None for score in rows)
    num_failed = len(rows) - len(values) - num_unscored
    figure = figures.values.get(one.name)
    num = figures.nums[one.name] if figure is not None else 0
    return Mean(
        figure,
        num,
        num_failed,
        len(values) - num,
        _within(one.column, figures.intervals.get(one.name)),
        num_unscored=num_unscored,
        answered=figure,
    )


def _within(column: Column, interval: Interval | None) -> Interval | None:
    return Interval(max(column.low, interval.low), min(column.high, interval.high)) if interval is not None else None
