"""The tables of a report as CSV files: one value a field, in full precision; an empty field is no data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hopweave.evaluation.csv_text import csv_text
from hopweave.evaluation.report_blocks import MeanNumbers, Number, Style, count, key_of
from hopweave.evaluation.report_costs import group_prefix
from hopweave.evaluation.report_results import comparison_prefix, mean_numbers, odd_counts
from hopweave.evaluation.tables import Cell, Tables

Field = str | Number | None

_MEAN = ("mean", "low", "high", "if_failed_worst", "if_failed_best", "scored", "failed", "no_data", "unparsed", "abstained")


def csv_tables(tables: Tables) -> dict[str, list[list[Field]]]:
    """The rows of each file, by its name; the first row of each holds the heads."""
    results = [[cell.dataset, cell.method, *fields] for cell in tables.cells for fields in _means(tables, cell, "")]
    groups = [
        [group.cell.dataset, group.trait, str(group.value), group.cell.method, *fields]
        for group in tables.groups
        for fields in _means(tables, group.cell, group_prefix(group.trait, group.value))
    ]
    return {
        "results.csv": [["dataset", "method", "column", "unit", "questions", *_MEAN], *results],
        "groups.csv": [["dataset", "trait", "value", "method", "column", "unit", "questions", *_MEAN], *groups],
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
    pairs: list[Field] = []
    for pair in (numbers.interval, numbers.bounds):
        pairs += [part for part in pair if isinstance(part, Number)] or [None, None]
    return [numbers.value, *pairs, numbers.scored, numbers.failed, numbers.no_data]


_COMPARISON: list[Field] = ["dataset", "column", "method", "baseline", "difference", "low", "high", "p_holm", "p"]
_COMPARISON += ["minimum_detectable", "pairs", "left_out", "test", "says"]


def _comparisons(tables: Tables) -> Iterator[list[Field]]:
    for table, one in ((of, one) for of in tables.comparisons for one in of.rows):
        start = comparison_prefix(table, one)
        low, high = (one.interval.low, one.interval.high) if one.interval else (None, None)
        values = {"difference": one.difference, "low": low, "high": high, "p_holm": one.p_holm, "p": one.p}
        values["minimum_detectable"] = one.minimum_detectable
        fields = [Style().number(f"{start}/{name}", value) if value is not None else None for name, value in values.items()]
        counts = [count(f"{start}/pairs", one.num_pairs), count(f"{start}/left_out", one.num_left_out)]
        yield [table.dataset, table.name, one.method, table.baseline, *fields, *counts, one.test, one.says]


_FRONTIER: list[Field] = ["dataset", "quality", "cost", "method", "quality_mean", "low", "high", "cost_mean", "is_best"]


def _frontiers(tables: Tables) -> Iterator[list[Field]]:
    for frontier in tables.frontiers:
        for point in frontier.points:
            start = f"frontier/{key_of(frontier.dataset, frontier.quality, frontier.cost, point.method)}"
            low, high = (point.interval.low, point.interval.high) if point.interval else (None, None)
            values = {"mean": point.quality, "low": low, "high": high, "cost": point.cost}
            fields = [Style().number(f"{start}/{name}", value) if value is not None else None for name, value in values.items()]
            is_best = "yes" if point.is_best else "no"
            yield [frontier.dataset, frontier.quality, frontier.cost, point.method, *fields, is_best]


_FAILURES: list[Field] = ["dataset", "method", "where", "kind", "question", "first_message"]


def _failures(tables: Tables) -> Iterator[list[Field]]:
    for failure in tables.failures:
        for name in failure.question_ids:
            yield [failure.dataset, failure.method, failure.where, failure.kind, name, failure.message]
