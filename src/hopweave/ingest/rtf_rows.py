"""Tables of RTF as they are read: the words that define a row, and its cells, whose text may be several paragraphs."""

from __future__ import annotations

from collections.abc import Iterable

from hopweave.ingest.deadline import Check
from hopweave.ingest.rtf_tables import Cell, Row, RowFormat, row_texts


class RtfRows:
    """The table that is being read. Those within its cells are text of these.

    Attributes:
        is_open: whether text is in a cell.
    """

    def __init__(self) -> None:
        self.is_open = False
        self._format = RowFormat()
        self._is_merged_left = self._is_merged_above = False
        self._paragraphs: list[str] = []  # of the cell
        self._cells: list[str] = []
        self._rows: list[Row] = []
        self._notes: list[str] = []

    @property
    def is_within_row(self) -> bool:
        """Whether a row has begun and not ended."""
        return bool(self._cells) or any(self._paragraphs)

    def define(self, name: str, number: int | None) -> None:
        """A word that says how a row looks, or that text is in a cell."""
        if name == "trowd":
            self._format = RowFormat()
            self.is_open = True
        elif name == "intbl" or (name == "itap" and number):
            self.is_open = True
        elif name == "trhdr":
            self._format.is_header = number != 0
        elif name == "clmrg":
            self._is_merged_left = True
        elif name == "clvmrg":
            self._is_merged_above = True
        elif name == "cellx":
            self._format.cells.append(Cell(number or 0, self._is_merged_left, self._is_merged_above))
            self._is_merged_left = self._is_merged_above = False

    def add(self, text: str) -> None:
        """Adds a paragraph of a cell."""
        self._paragraphs.append(text)

    def end_cell(self) -> None:
        self._cells.append(" ".join(filter(None, self._paragraphs)))
        self._paragraphs.clear()

    def end_row(self, notes: Iterable[str]) -> None:
        """Ends a row; rows without text are left out.

        Args:
            notes: that it refers to, which follow the table.
        """
        if any(self._paragraphs):
            self.end_cell()
        self._paragraphs.clear()
        if any(self._cells):
            self._rows.append(Row(tuple(self._cells), self._format))
        self._cells.clear()
        self.is_open = False
        self._notes += notes

    def end_table(self, check: Check) -> list[str]:
        """Ends the table, if there is one; returns the text of its rows, and the notes in it."""
        texts = [*(row_texts(self._rows, check) if self._rows else []), *self._notes]
        self._rows.clear()
        self._notes.clear()
        return texts
