"""What an analysis says, as plain data, and how it is written out: measured rows with the published ones beside them.

A figure that cannot be computed is `None` and is written as "no data", never as 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hopweave.errors import SettingsError
from hopweave.render.csv_text import csv_text

NO_DATA = "no data"
Form = Literal["text", "markdown", "csv", "svg"]


@dataclass(frozen=True, slots=True)
class Head:
    """A column of figures: the key under which rows hold them, the name over it, and the digits behind the point."""

    key: str
    name: str
    digits: int = 2


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """What a paper printed in the place of a measured row.

    Attributes:
        source: paper and table.
        values: by the key of the column.
        why_not: the reasons why the two cannot be compared; empty if none is known.
    """

    source: str
    values: Mapping[str, float]
    why_not: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A measured row.

    Attributes:
        labels: one for each of the sheet's label columns.
        values: by the key of the column; one that is left out or `None` is no data.
        num: what the figures are had from (questions, unless the sheet says otherwise).
        num_failed: questions that failed; where rightness is measured they are among `num`, as wrong.
        num_no_data: records left out since the figure does not apply to them.
        bounds: a figure if every record that failed or could not be scored were wrong, and if every one were right.
        published: rows of papers for the same place.
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
class Sheet:
    """A table.

    Attributes:
        title: what it shows, and after which table or figure.
        label_heads: names of the columns of labels.
        heads: columns of figures.
        rows: in order.
        counted: what `SheetRow.num` counts.
        notes: how it was computed, and what to know before believing it.
        missing: what to evaluate so that rows without data have some, a command each.
        drawing: the figure as SVG; empty if it is a table, or nothing was measured.
    """

    title: str
    label_heads: tuple[str, ...]
    heads: tuple[Head, ...]
    rows: tuple[SheetRow, ...]
    counted: str = "questions"
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    drawing: str = ""

    @property
    def has_data(self) -> bool:
        """Whether any figure was measured."""
        return any(value is not None for row in self.rows for value in row.values.values())


def written(sheet: Sheet, form: Form) -> str:
    """The sheet as text for a terminal, as Markdown, as CSV (figures only, a line a row), or as its drawing.

    Raises:
        SettingsError: for the drawing of a sheet that has none.
    """
    if form == "csv":
        return _as_csv(sheet)
    if form == "svg":
        if not sheet.drawing:
            raise SettingsError(f"there is no drawing of {sheet.title}; write it as text, markdown or csv")
        return sheet.drawing
    reasons: dict[tuple[str, ...], str] = {}
    lines = [*_lines(sheet, reasons)]
    head = [*sheet.label_heads, "source", *(name for name, _, _ in _columns(sheet)), sheet.counted, "failed", "no data"]
    head += ["unscored"] if has_unscored(sheet) else []
    table = _as_markdown(head, lines) if form == "markdown" else _as_text(head, lines, len(sheet.label_heads) + 1)
    marks = [f"({mark}) not comparable: {'; '.join(why)}" for why, mark in reasons.items()]
    below = [*marks, *sheet.notes, *(f"no data: {line}" for line in sheet.missing)]
    title = f"## {sheet.title}" if form == "markdown" else sheet.title
    bullet = "- " if form == "markdown" else "  "
    return "\n".join([title, "", *table, *([""] if below else []), *(f"{bullet}{line}" for line in below)]) + "\n"


def has_unscored(sheet: Sheet) -> bool:
    """Whether scoring failed somewhere."""
    return any(row.num_unscored for row in sheet.rows)


def _columns(sheet: Sheet) -> list[tuple[str, Head, bool]]:
    """The columns of figures: name, head, and whether it is over the answered questions alone; those only where some failed."""
    found = []
    for head in sheet.heads:
        found.append((head.name, head, False))
        if any(head.key in row.answered for row in sheet.rows):
            found.append((f"{head.name}, answered only", head, True))
    return found


def _lines(sheet: Sheet, reasons: dict[tuple[str, ...], str]) -> Iterable[list[str]]:
    columns, more = _columns(sheet), has_unscored(sheet)
    for row in sheet.rows:
        cells = [_measured(row, head, is_answered=is_answered) for _, head, is_answered in columns]
        counts = [row.num, row.num_failed, row.num_no_data, *([row.num_unscored] if more else [])]
        yield [*row.labels, "measured", *cells, *(f"{count:,}" for count in counts)]
        for paper in row.published:
            mark = ""
            if paper.why_not:
                mark = f" ({reasons.setdefault(paper.why_not, _letters(len(reasons)))})"
            cells = [
                "" if is_answered or head.key not in paper.values else _figure(paper.values[head.key], head)
                for _, head, is_answered in columns
            ]
            yield [*("" for _ in row.labels), f"{paper.source}{mark}", *cells, *("" for _ in counts)]


def _measured(row: SheetRow, head: Head, *, is_answered: bool) -> str:
    if is_answered:
        return _figure(row.answered[head.key], head) if head.key in row.answered else ""
    return _figure(row.values.get(head.key), head, row.bounds.get(head.key))


def _letters(number: int) -> str:
    """A to z, then aa, ab ..."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def _figure(value: float | None, head: Head, bounds: tuple[float, float] | None = None) -> str:
    if value is None:
        return NO_DATA
    shown = f"{value:,.{head.digits}f}"
    return shown if bounds is None else f"{shown} [{bounds[0]:,.{head.digits}f}, {bounds[1]:,.{head.digits}f}]"


def _as_text(head: Sequence[str], lines: Sequence[Sequence[str]], num_left: int) -> list[str]:
    widths = [max(len(line[place]) for line in (head, *lines)) for place in range(len(head))]
    return [
        "  ".join(
            cell.ljust(width) if place < num_left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in (head, ["-" * width for width in widths], *lines)
    ]


def _as_markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    rows = [head, ["---"] * len(head), *lines]
    return [f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |" for row in rows]


def _as_csv(sheet: Sheet) -> str:
    columns, more = _columns(sheet), has_unscored(sheet)
    heads = [f"{head.key}_answered" if is_answered else head.key for _, head, is_answered in columns]
    counted = [sheet.counted, "failed", "no_data", *(["unscored"] if more else [])]
    lines: list[list[object]] = [[*sheet.label_heads, "source", "comparable", *heads, *counted]]
    for row in sheet.rows:
        values = [(row.answered if is_answered else row.values).get(head.key) for _, head, is_answered in columns]
        counts = [row.num, row.num_failed, row.num_no_data, *([row.num_unscored] if more else [])]
        lines.append([*row.labels, "measured", "", *("" if value is None else value for value in values), *counts])
        for paper in row.published:
            figures = ["" if is_answered else paper.values.get(head.key, "") for _, head, is_answered in columns]
            lines.append([*row.labels, paper.source, "no" if paper.why_not else "yes", *figures, *("" for _ in counted)])
    return csv_text(lines)
