"""The tables of a report as CSV files: one value a field, in full precision; an empty field is no data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hopweave.evaluation.reports.blocks import MeanNumbers, Number, Style, Words, count, key_of
from hopweave.evaluation.reports.costs import group_prefix, membership
from hopweave.evaluation.reports.results import comparison_prefix, counts_beside, mean_numbers, odd_counts
from hopweave.evaluation.scoring.tables import Cell, Tables
from hopweave.render.csv_text import csv_text

Field = str | Number | None

_MEAN = ("mean", "low", "high", "answered_only", "if_failed_worst", "if_failed_best")
_COUNTS = ("scored", "failed", "unscored", "no_data", "unparsed", "abstained")


def csv_tables(tables: Tables) -> dict[str, list[list[Field]]]:
    """The rows of each file, by its name; the first row of each holds the heads."""
    results = [[cell.dataset, cell.method, *fields] for cell in tables.cells for fields in _means(tables, cell, "")]
    groups = [
        [group.cell.dataset, group.trait, str(group.value), group.cell.method, *fields]
        for group in tables.groups
        for fields in _means(tables, group.cell, group_prefix(group.trait, group.value))
    ]
    return {
        "results.csv": [["dataset", "method", "column", "unit", "questions", *_MEAN, *_COUNTS], *results],
        "groups.csv": [["dataset", "trait", "value", "method", "column", "unit", "questions", *_MEAN, *_COUNTS], *groups],
        "comparison.csv": [_COMPARISON, *_comparisons(tables)],
        "frontier.csv": [_FRONTIER, *_frontiers(tables)],
        "failures.csv": [_FAILURES, *_failures(tables)],
    }


def write_csv(rows: Iterable[Sequence[Field]]) -> str:
    """The rows as a CSV file."""
    return csv_text([field.value if isinstance(field, Number) else field for field in row] for row in rows)


def numbers_of(rows: Iterable[Sequence[Field]]) -> Iterator[Number]:
    """Yields the numbers in rows, as they are printed there."""
    return (Number(field.key, field.value, _text(field)) for row in rows for field in row if isinstance(field, Number))


def _text(field: Field) -> str:
    if isinstance(field, Number):
        return "" if field.value is None else repr(field.value)
    return field or ""


def _means(tables: Tables, cell: Cell, prefix: str) -> Iterator[list[Field]]:
    for name, column in tables.columns.items():
        if name in cell.means:
            start = "/".join(filter(None, [prefix, key_of(cell.dataset, cell.method)]))
            questions = count(f"{start}/questions", cell.num_questions)
            numbers = mean_numbers(cell, name, Style(), prefix)
            yield [name, column.column.unit, questions, *_fields(numbers), *odd_counts(cell, prefix)]


def _fields(numbers: MeanNumbers) -> list[Field]:
    return [numbers.value, *_ends(numbers.interval), numbers.answered, *_ends(numbers.bounds), *counts_beside(numbers)]


def _ends(words: Words) -> list[Field]:
    ends: list[Field] = [part for part in words if isinstance(part, Number)]
    return ends or [None, None]


_COMPARISON: list[Field] = ["dataset", "column", "method", "baseline", "difference", "low", "high", "p_holm", "p"]
_COMPARISON += ["minimum_detectable", "answered_only", "if_failed_least", "if_failed_most", "pairs", "failed", "left_out"]
_COMPARISON += ["test", "says"]


def _comparisons(tables: Tables) -> Iterator[list[Field]]:
    for table, one in ((of, one) for of in tables.comparisons for one in of.rows):
        start = comparison_prefix(table, one)
        low, high = (one.interval.low, one.interval.high) if one.interval else (None, None)
        values = {"difference": one.difference, "low": low, "high": high, "p_holm": one.p_holm, "p": one.p}
        values |= {"minimum_detectable": one.minimum_detectable, "answered": one.difference_answered}
        least, most = (one.bounds.low, one.bounds.high) if one.bounds else (None, None)
        values |= {"worst": least, "best": most}
        fields = [Style().number(f"{start}/{name}", value) if value is not None else None for name, value in values.items()]
        counts = [
            count(f"{start}/pairs", one.num_pairs),
            count(f"{start}/failed", one.num_failed),
            count(f"{start}/left_out", one.num_left_out),
        ]
        yield [table.dataset, table.name, one.method, table.baseline, *fields, *counts, one.test, one.says]


_FRONTIER: list[Field] = ["dataset", "quality", "cost", "method", "quality_mean", "low", "high", "cost_mean"]
_FRONTIER += ["support", "on_the_frontier"]


def _frontiers(tables: Tables) -> Iterator[list[Field]]:
    for frontier in tables.frontiers:
        for point in frontier.points:
            start = f"frontier/{key_of(frontier.dataset, frontier.quality, frontier.cost, point.method)}"
            low, high = (point.interval.low, point.interval.high) if point.interval else (None, None)
            values = {"mean": point.quality, "low": low, "high": high, "cost": point.cost, "support": point.support}
            fields = [Style().number(f"{start}/{name}", value) if value is not None else None for name, value in values.items()]
            yield [frontier.dataset, frontier.quality, frontier.cost, point.method, *fields, membership(point)]


_FAILURES: list[Field] = ["dataset", "method", "where", "kind", "question", "first_message"]


def _failures(tables: Tables) -> Iterator[list[Field]]:
    for failure in tables.failures:
        for name in failure.question_ids:
            yield [failure.dataset, failure.method, failure.where, failure.kind, name, failure.message]
