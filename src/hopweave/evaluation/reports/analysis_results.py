"""The result of an analysis: measured rows with the published ones next to them, and its tables and drawing.

A figure that cannot be computed is `None` and is written as "no data", never as 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from hopweave.core.errors import SettingsError
from hopweave.evaluation.reports.plots import CurvePlot, draw_curves
from hopweave.show.csv_text import table_csv
from hopweave.show.table import NO_DATA, Column, Number, Row, Table, columns, row
from hopweave.show.table_markdown import table_markdown
from hopweave.show.table_text import table_lines

Form = Literal["text", "markdown", "csv", "svg"]


@dataclass(frozen=True, slots=True)
class FigureColumn:
    """A column of figures: the key in rows, the heading, and the number of decimals."""

    key: str
    name: str
    digits: int = 2


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """The published counterpart of a measured row.

    Attributes:
        source: paper and table.
        values: by the key of the column.
        why_not: the reasons why the two cannot be compared; empty if none is known.
    """

    source: str
    values: Mapping[str, float]
    why_not: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """A measured row.

    Attributes:
        labels: one for each of the result's label columns.
        values: by the key of the column; one that is missing or `None` has no data.
        num: the number of items the figures are computed from (questions, unless the result says otherwise).
        num_failed: questions that failed; if correctness is measured they are part of `num`, as wrong.
        num_no_data: records left out since the figure does not apply to them.
        bounds: a figure if every failed or unscored record were wrong, and if every one were right.
        published: the corresponding rows of papers.
        num_unscored: records left out since scoring them failed.
        answered: a figure over the answered questions alone, where some failed.
    """

    labels: tuple[str, ...]
    values: Mapping[str, float | None] = field(default_factory=dict)
    num: int = 0
    num_failed: int = 0
    num_no_data: int = 0
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    published: tuple[PublishedRow, ...] = ()
    num_unscored: int = 0
    answered: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """The result of an analysis.

    Attributes:
        title: what it shows, and which table or figure it reproduces.
        label_heads: names of the columns of labels.
        heads: columns of figures.
        rows: in order.
        counted: what `MeasuredRow.num` counts.
        notes: how it was computed, and what to know before believing it.
        missing: what to evaluate to fill rows without data, a command each.
        plot: the figure; `None` if it is a table, or nothing was measured.
    """

    title: str
    label_heads: tuple[str, ...]
    heads: tuple[FigureColumn, ...]
    rows: tuple[MeasuredRow, ...]
    counted: str = "questions"
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    plot: CurvePlot | None = None

    @property
    def has_data(self) -> bool:
        """Whether any figure was measured."""
        return any(value is not None for row in self.rows for value in row.values.values())

    @property
    def columns(self) -> list[tuple[FigureColumn, bool]]:
        """Each column of figures, and whether it is over the answered questions only: such columns exist if some failed."""
        both = [(head, is_answered) for head in self.heads for is_answered in (False, True)]
        return [one for one in both if not one[1] or any(one[0].key in row.answered for row in self.rows)]

    @property
    def count_heads(self) -> tuple[str, ...]:
        """The names of the counts; the one for unscored records only if there are any."""
        unscored = ("unscored",) if any(row.num_unscored for row in self.rows) else ()
        return (self.counted, "failed", "no data", *unscored)


def written(result: AnalysisResult, form: Form) -> str:
    """The result as text for a terminal, as Markdown, as CSV (figures only, a line a row), or as its drawing.

    Raises:
        SettingsError: for the drawing of a result without one.
        MissingExtra: for a drawing, if the library that draws is not installed.
    """
    match form:
        case "text":
            return "".join(f"{line}\n" for line in table_lines(result_table(result), rule="head", max_width=None))
        case "markdown":
            return "".join(f"{line}\n" for line in table_markdown(result_table(result)))
        case "csv":
            return table_csv(figures_table(result))
    drawing = draw_curves(result.title, result.plot) if result.plot is not None else ""
    if not drawing:
        raise SettingsError(f"there is no drawing of {result.title}; write it as text, markdown or csv")
    return drawing


def result_table(result: AnalysisResult) -> Table:
    """The result for reading: measured and published lines, with a letter for each reason why the two cannot be compared."""
    reasons: dict[tuple[str, ...], str] = {}
    lines = tuple(_lines(result, reasons))
    names = [f"{head.name}, answered only" if is_answered else head.name for head, is_answered in result.columns]
    marks = [f"({mark}) not comparable: {'; '.join(why)}" for why, mark in reasons.items()]
    notes = (*marks, *result.notes, *(f"no data: {line}" for line in result.missing))
    return Table(columns((*result.label_heads, "source"), (*names, *result.count_heads)), lines, result.title, notes=notes)


def figures_table(result: AnalysisResult) -> Table:
    """The result for computing: labels in every line, figures with all their digits under their keys."""
    names = [f"{head.key}_answered" if is_answered else head.key for head, is_answered in result.columns]
    counts = [name.replace(" ", "_") if name != result.counted else name for name in result.count_heads]
    lines = []
    for one in result.rows:
        values = [(one.answered if is_answered else one.values).get(head.key) for head, is_answered in result.columns]
        lines.append(row(*one.labels, "measured", "", *map(_in_full, values), *map(_in_full, _counts(result, one))))
        for paper in one.published:
            figures = [None if is_answered else paper.values.get(head.key) for head, is_answered in result.columns]
            is_comparable = "no" if paper.why_not else "yes"
            lines.append(row(*one.labels, paper.source, is_comparable, *map(_in_full, figures), *("" for _ in counts)))
    heads = (*result.label_heads, "source", "comparable", *names, *counts)
    return Table(tuple(map(Column, heads)), tuple(lines))


def _counts(result: AnalysisResult, one: MeasuredRow) -> list[int]:
    return [one.num, one.num_failed, one.num_no_data, one.num_unscored][: len(result.count_heads)]


def _in_full(value: float | None) -> Number:
    return Number("", value, "" if value is None else repr(value))


def _lines(result: AnalysisResult, reasons: dict[tuple[str, ...], str]) -> Iterator[Row]:
    for one in result.rows:
        cells = [_measured(one, head, is_answered=is_answered) for head, is_answered in result.columns]
        counts = [f"{count:,}" for count in _counts(result, one)]
        yield row(*one.labels, "measured", *cells, *counts)
        for paper in one.published:
            mark = f" ({reasons.setdefault(paper.why_not, _letters(len(reasons)))})" if paper.why_not else ""
            figures = [
                "" if is_answered or head.key not in paper.values else _figure(paper.values[head.key], head)
                for head, is_answered in result.columns
            ]
            yield row(*("" for _ in one.labels), f"{paper.source}{mark}", *figures, *("" for _ in counts))


def _measured(one: MeasuredRow, head: FigureColumn, *, is_answered: bool) -> str:
    if is_answered:
        return _figure(one.answered[head.key], head) if head.key in one.answered else ""
    return _figure(one.values.get(head.key), head, one.bounds.get(head.key))


def _letters(number: int) -> str:
    """A to z, then aa, ab ..."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def _figure(value: float | None, head: FigureColumn, bounds: tuple[float, float] | None = None) -> str:
    if value is None:
        return NO_DATA
    shown = f"{value:,.{head.digits}f}"
    return shown if bounds is None else f"{shown} [{bounds[0]:,.{head.digits}f}, {bounds[1]:,.{head.digits}f}]"
