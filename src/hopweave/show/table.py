"""A table, independent of its format; `table_text`, `table_markdown`, `table_html` and `csv_text` write it.

A number in a cell is a `Number`: the printed text, with its value and the key under which it can be recomputed. So all formats
print the same text, and CSV gives the value with all its digits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

NO_DATA = "no data"
MAX_NAME = 36
"""The maximum length, in characters, of a name in a narrow table."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is printed, its value (`None` is no data), and its key; a number with an empty key is not recomputed."""

    key: str
    value: float | None
    text: str


Words = tuple[str | Number, ...]
"""A text with numbers in it."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of a table: a text, smaller lines below it, and whether it is code."""

    words: Words = ()
    below: tuple[Words, ...] = ()
    is_code: bool = False

    @property
    def text(self) -> str:
        """All of it on one line."""
        return " ".join(filter(None, map(plain_text, (self.words, *self.below))))


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its head, and the alignment of its cells."""

    head: str = ""
    align: Literal["left", "right"] = "left"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; one with a `heading` has no cells and precedes the rows that belong to it."""

    cells: tuple[TableCell, ...] = ()
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        columns: the first one names the row; if no column has a head, no header is printed.
        rows: each with as many cells as there are columns.
        title: printed above the table.
        caption: what it shows, and how to read it.
        notes: printed below the table, a line each.
        is_folded: whether a page may show only the title until the reader expands it.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    title: str = ""
    caption: Words = ()
    notes: tuple[str, ...] = ()
    is_folded: bool = False

    @property
    def num_labels(self) -> int:
        """The number of leading columns that are left-aligned: they name the row."""
        sides = [column.align for column in self.columns]
        return sides.index("right") if "right" in sides else len(sides)

    def without_empty(self, optional: Collection[str]) -> Table:
        """The table without those of the optional columns that are empty, or 0, in every row."""
        kept = [
            place
            for place, column in enumerate(self.columns)
            if column.head not in optional or any(row.cells and row.cells[place].text not in ("", "0") for row in self.rows)
        ]
        rows = (replace(row, cells=tuple(row.cells[place] for place in kept)) if row.cells else row for row in self.rows)
        return replace(self, columns=tuple(self.columns[place] for place in kept), rows=tuple(rows))

    def numbers(self) -> Iterator[Number]:
        """Yields all numbers that are printed in it."""
        yield from numbers_in(self.caption)
        for cell in (cell for row in self.rows for cell in row.cells):
            yield from numbers_in(part for words in (cell.words, *cell.below) for part in words)


def columns(left: Iterable[str], right: Iterable[str] = (), more: Iterable[str] = ()) -> tuple[Column, ...]:
    """Columns by their heads: left-aligned ones, then right-aligned ones, then more left-aligned ones."""
    return (*map(Column, left), *(Column(head, "right") for head in right), *map(Column, more))


def row(*cells: str | Number | TableCell) -> Row:
    """A row of texts, numbers and cells."""
    return Row(tuple(cell if isinstance(cell, TableCell) else TableCell((cell,)) for cell in cells))


def rows(cells: Iterable[Sequence[str | Number | TableCell]]) -> tuple[Row, ...]:
    """Rows of texts, numbers and cells."""
    return tuple(row(*one) for one in cells)


def numbers_in(words: Iterable[str | Number]) -> Iterator[Number]:
    """Yields the numbers in a text."""
    return (part for part in words if isinstance(part, Number))


def plain_text(words: Iterable[str | Number]) -> str:
    """A text with its numbers as plain text."""
    return "".join(part if isinstance(part, str) else part.text for part in words)


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Names as they appear in a narrow table: a long one without its middle, unless another would look the same."""
    cut = {name: name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 14]}...{name[-11:]}" for name in names}
    return {name: short if list(cut.values()).count(short) == 1 else name for name, short in cut.items()}


def decimal(value: float | None) -> str:
    """A number to four significant digits or three decimals, whichever is more precise; `no data` if there is none."""
    if value is None:
        return NO_DATA
    return f"{value:.3f}" if abs(value) < 100 else f"{value:,.1f}"


def between(low: float, high: float) -> str:
    """An interval."""
    return f"{decimal(low)} to {decimal(high)}"


def probability(value: float | None) -> str:
    """A p."""
    if value is None:
        return "-"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
