"""Rows and cells of tables and sheets of OpenDocument (ISO/IEC 26300, 9.1), which may be repeated and span others."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hopweave.ingest.office_tables import MAX_COLUMNS
from hopweave.ingest.table_heads import LONGEST_NAME, TableRow

_MAX_REPEATED = 1_000
"""Equal rows and cells next to each other that are written once; empty ones go on to the end of a sheet."""


def number_in(attributes: Mapping[str, str], name: str, most: int) -> int:
    """The number that an attribute gives, such as one of repetitions: from 1 to a maximum, and 1 if it gives none."""
    written = attributes.get(name, "1")
    return max(1, min(int(written), most)) if written.isdecimal() and len(written) < 10 else 1


class OdfRows:
    """The table that is being read; those within its cells are text of these.

    Attributes:
        depth: how many tables are open.
        name: of the outermost one.
        is_header: whether its next row names the columns.

    Args:
        count: called with the number of characters that are repeated.
    """

    def __init__(self, count: Callable[[int], None]) -> None:
        self.depth = 0
        self._count = count
        self.name = ""
        self.is_header = False
        self._rows: list[tuple[int, TableRow, bool]] = []
        self._spans: dict[int, tuple[int, str]] = {}
        self._number = self._column = 0
        self._row_repeats = self._cell_repeats = self._height = self._width = 1
        self._cells: dict[int, str] = {}
        self._widths: dict[int, int] = {}
        self._pieces: list[str] = []
        self._is_covered = False

    def start(self, element: str, attributes: Mapping[str, str]) -> None:
        if element == "table:table":
            self.depth += 1
            if self.depth == 1:
                self.name = " ".join(attributes.get("table:name", "").split())
                self._rows, self._spans, self._number, self.is_header = [], {}, 0, False
        if self.depth != 1:
            return
        if element == "table:table-header-rows":
            self.is_header = True
        elif element == "table:table-row":
            self._cells, self._widths, self._column = {}, {}, 0
            self._row_repeats = number_in(attributes, "table:number-rows-repeated", 1 << 24)
        elif element in {"table:table-cell", "table:covered-table-cell"}:
            self._is_covered = element == "table:covered-table-cell"
            self._cell_repeats = number_in(attributes, "table:number-columns-repeated", MAX_COLUMNS)
            self._height = number_in(attributes, "table:number-rows-spanned", 1 << 24)
            self._width = number_in(attributes, "table:number-columns-spanned", MAX_COLUMNS)

    @property
    def first_of_row(self) -> str:
        """The text of the first cell of the row that is being read, which as a rule names it."""
        return next(iter(self._cells.values()), "")

    def add(self, text: str) -> None:
        """Adds a paragraph of a cell."""
        self._pieces.append(text)

    def end_cell(self) -> None:
        if self.depth != 1:
            return
        text = " ".join(filter(None, self._pieces))
        self._pieces.clear()
        num_left, above = self._spans.pop(self._column, (0, ""))
        if self._is_covered and num_left > 0:
            self._spans[self._column] = num_left - 1, above
            text = text or above
        elif self._height > 1 and len(text) <= LONGEST_NAME:
            self._spans[self._column] = self._height - 1, text
        if text:
            repeats = min(self._cell_repeats, _MAX_REPEATED)
            self._count((repeats - 1) * len(text))
            self._cells.update(dict.fromkeys(range(self._column, self._column + repeats), text))
            if self._width > 1:
                self._widths[self._column] = self._width
        self._column += self._cell_repeats

    def end_row(self) -> None:
        if self.depth != 1:
            return
        if self._cells:
            repeats = min(self._row_repeats, _MAX_REPEATED)
            self._count((repeats - 1) * sum(map(len, self._cells.values())))
            row = TableRow(self._cells, self._widths)
            self._rows += ((self._number + at, row, self.is_header) for at in range(repeats))
        self._number += self._row_repeats

    def end_table(self) -> list[tuple[int, TableRow, bool]] | None:
        """Ends a table; returns the rows with text of the outermost one, with their numbers, and whether they are headers."""
        self.depth -= 1
        return None if self.depth else self._rows
