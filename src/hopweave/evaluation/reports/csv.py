"""The tables of a report as CSV files: one value per field, in full precision; an empty field means no data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from hopweave.evaluation.reports.costs import group_prefix, membership
from hopweave.evaluation.reports.numbers import MeanNumbers, Style, count, key_of
from hopweave.evaluation.reports.results_section import comparison_prefix, counts_of, mean_numbers, odd_counts
from hopweave.evaluation.reports.ticks_section import (
    PERCENTS,
    counts_of_ticks,
    curve_of,
    interval_of_ticks,
    reasons_of,
    shares_at,
    shares_of_ticks,
)
from hopweave.evaluation.scoring.results import Cell, Interval, ReportData, Ticks
from hopweave.show.table import Number, Table, Words, columns, numbers_in, rows

Fields = list[str | Number]

_MEAN = ("mean", "low", "high", "answered_only", "if_failed_worst", "if_failed_best")
_COUNTS = ("scored", "failed", "unscored", "no_data", "unparsed", "abstained")
_COMPARED = ("difference", "low", "high", "p_holm", "p", "minimum_detectable")
_COMPARED_IF = ("answered_only", "if_failed_least", "if_failed_most")
_COMPARISON = ("dataset", "column", "method", "baseline", *_COMPARED, *_COMPARED_IF, "pairs", "failed", "left_out")

_FRONTIER = ("dataset", "quality", "cost", "method", "quality_mean", "low", "high", "cost_mean", "support", "on_the_frontier")

_TICKS = (
    *("dataset", "trait", "value", "method", "questions", "right", "ticks", "ticks_right", "coverage", "share_right"),
    *("low", "high", *(f"at_{percent}" for percent in PERCENTS)),
)


def csv_tables(data: ReportData) -> dict[str, Table]:
    """The table of each file that has rows, by its name."""
    results = ([cell.dataset, cell.method, *fields] for cell in data.cells for fields in _means(data, cell, ""))
    groups = (
        [group.cell.dataset, group.trait, str(group.value), group.cell.method, *fields]
        for group in data.groups
        for fields in _means(data, group.cell, group_prefix(group.trait, group.value))
    )
    measured = ("column", "unit", "questions", *_MEAN, *_COUNTS)
    made = {
        "results.csv": Table(columns(("dataset", "method", *measured)), rows(results)),
        "groups.csv": Table(columns(("dataset", "trait", "value", "method", *measured)), rows(groups)),
        "comparison.csv": Table(columns((*_COMPARISON, "test", "says")), rows(_comparisons(data))),
        "frontier.csv": Table(columns(_FRONTIER), rows(_frontiers(data))),
        "ticks.csv": Table(columns(_TICKS), rows(map(_ticks, data.ticks))),
        "risk_coverage.csv": Table(columns(("dataset", "method", "answers", "coverage", "risk")), rows(_curves(data))),
        "no_tick.csv": Table(columns(("dataset", "method", "why", "answers", "right", "wrong")), rows(_without(data))),
        "failures.csv": Table(
            columns(("dataset", "method", "where", "kind", "question", "first_message")), rows(_failures(data))
        ),
    }
    return {name: table for name, table in made.items() if table.rows}


def numbers_of(table: Table) -> Iterator[Number]:
    """Yields the numbers of a table, as they are printed in CSV."""
    return (replace(one, text="" if one.value is None else repr(one.value)) for one in table.numbers())


def _means(data: ReportData, cell: Cell, prefix: str) -> Iterator[Fields]:
    for name, column in data.columns.items():
        if name in cell.means:
            start = "/".join(filter(None, [prefix, key_of(cell.dataset, cell.method)]))
            questions = count(f"{start}/questions", cell.num_questions)
            numbers = mean_numbers(cell, name, Style(), prefix)
            yield [name, column.column.unit, questions, *_fields(numbers), *odd_counts(cell, prefix)]


def _fields(numbers: MeanNumbers) -> Fields:
    return [numbers.value, *_ends(numbers.interval), numbers.answered, *_ends(numbers.bounds), *counts_of(numbers)]


def _ends(words: Words) -> Fields:
    return [*numbers_in(words)] or ["", ""]


def _low_high(interval: Interval | None) -> tuple[float | None, float | None]:
    return (interval.low, interval.high) if interval else (None, None)


def _numbers(start: str, values: Mapping[str, float | None]) -> Fields:
    """A field for each value; a missing one has no number."""
    return [Style().number(f"{start}/{name}", value) if value is not None else "" for name, value in values.items()]


def _comparisons(data: ReportData) -> Iterator[Fields]:
    for table, one in ((of, one) for of in data.comparisons for one in of.rows):
        start = comparison_prefix(table, one)
        low, high = _low_high(one.interval)
        values = {"difference": one.difference, "low": low, "high": high, "p_holm": one.p_holm, "p": one.p}
        values |= {"minimum_detectable": one.minimum_detectable, "answered": one.difference_answered}
        values["worst"], values["best"] = _low_high(one.bounds)
        counts = [
            count(f"{start}/pairs", one.num_pairs),
            count(f"{start}/failed", one.num_failed),
            count(f"{start}/left_out", one.num_left_out),
        ]
        yield [table.dataset, table.name, one.method, table.baseline, *_numbers(start, values), *counts, one.test, one.says]


def _frontiers(data: ReportData) -> Iterator[Fields]:
    for frontier in data.frontiers:
        for point in frontier.points:
            start = f"frontier/{key_of(frontier.dataset, frontier.quality, frontier.cost, point.method)}"
            low, high = _low_high(point.interval)
            values = {"mean": point.quality, "low": low, "high": high, "cost": point.cost, "support": point.support}
            fields = _numbers(start, values)
            yield [frontier.dataset, frontier.quality, frontier.cost, point.method, *fields, membership(point)]


def _failures(data: ReportData) -> Iterator[Fields]:
    for failure in data.failures:
        for name in failure.question_ids:
            yield [failure.dataset, failure.method, failure.where, failure.kind, name, failure.message]


def _ticks(one: Ticks) -> Fields:
    numbers = (*counts_of_ticks(one), *shares_of_ticks(one))
    return [one.dataset, one.trait, str(one.value), one.method, *numbers, *_ends(interval_of_ticks(one)), *shares_at(one)]


def _curves(data: ReportData) -> Iterator[Fields]:
    for one in data.ticks:
        for numbers in curve_of(one) if not one.trait else ():
            yield [one.dataset, one.method, *numbers]


def _without(data: ReportData) -> Iterator[Fields]:
    for one in data.ticks:
        for why, numbers in reasons_of(one) if not one.trait else ():
            yield [one.dataset, one.method, why, *numbers]
