"""The blocks of an HTML page: its paragraphs, headings and tables, and which of them are its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, takewhile
from typing import NamedTuple

from hopweave.ingest.document import Blocks, Part, heading_at_start
from hopweave.ingest.html_navigation import TITLES, Mark, text_of
from hopweave.ingest.html_tags import Tag
from hopweave.ingest.tables import Cell, rows_as_text

PLAIN, TERM, BOLD = 0, -1, -2
"""Styles of blocks; those of headings are their levels."""


class _Begun(NamedTuple):
    """A cell: its first block, and its start tag."""

    start: int
    is_header: bool
    tag: Tag


@dataclass(slots=True)
class _Row:
    """A row of a table: its first block, whether it is in the head of the table, and its cells."""

    start: int
    is_head: bool
    cells: list[_Begun] = field(default_factory=list)


@dataclass(slots=True)
class _Table:
    """A table that may have columns with names: its rows, and what of it is not text if it is only there for the layout."""

    rows: list[_Row] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)


@dataclass(slots=True)
class PageBlocks:
    """Blocks in order. A cell of a table is blocks of its own until the table ends, and its rows become blocks.

    Attributes:
        table: the innermost open table, as long as nothing in it shows that it is only there for the layout.
    """

    table: _Table | None = None
    _texts: list[str] = field(default_factory=list)
    _styles: list[int] = field(default_factory=list)
    _marks: list[Mark] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, text: str, style: int) -> None:
        """Adds a block that is not empty."""
        if style > PLAIN:
            self.end_table(is_layout=True)
        self._texts.append(text)
        self._styles.append(style)

    def end_terms(self) -> None:
        """What comes next does not explain the last term."""
        if self._styles and self._styles[-1] == TERM:
            self._styles[-1] = PLAIN

    def mark(self, start: int, grade: int) -> None:
        """Says how sure it is that the blocks from `start` on are not text, with the heading that announces them."""
        if start and self._texts[start - 1].casefold().rstrip(":") in TITLES:
            start -= 1
        marks = self._marks if self.table is None else self.table.marks
        marks.append(Mark(start, len(self), grade))

    def begin_table(self, *, is_layout: bool) -> None:
        """A table begins; one that it is in is there for the layout."""
        self.end_table(is_layout=True)
        self.table = None if is_layout else _Table()

    def begin_row(self, *, is_head: bool) -> None:
        """A row of the table begins."""
        if self.table is not None:
            self.table.rows.append(_Row(len(self), is_head))

    def begin_cell(self, tag: Tag, *, is_header: bool) -> None:
        """A cell of the row begins."""
        if self.table is not None:
            if not self.table.rows:
                self.begin_row(is_head=False)
            self.table.rows[-1].cells.append(_Begun(len(self), is_header, tag))

    def end_table(self, *, is_layout: bool = False) -> None:
        """The table ends: each of its rows becomes a block, with the names of the columns if they have any."""
        table, self.table = self.table, None
        if table is None:
            return
        rows = [row for row in table.rows if row.cells]
        spans = [*pairwise([*(row.start for row in rows), len(self)])]
        written = None if is_layout else self._rows_as_text(rows, [end for _, end in spans])
        if written is None:
            self._join_cells(rows, spans)
            self._marks += (mark for mark in table.marks if self._texts[mark.start] and self._texts[mark.end - 1])
            return
        for (start, end), text in zip(spans, written, strict=True):
            self._write(start, end, text)

    def part(self, title: str = "") -> tuple[str, Part]:
        """The title, or else the first main heading or what the text begins with as one, and the text."""
        self.end_table()
        is_text = text_of([len(text) for text in self._texts], self._marks)
        blocks = Blocks()
        for text, style, is_kept in zip(self._texts, self._styles, is_text, strict=True):
            if not is_kept:
                continue
            if style > PLAIN:
                title = title or ("" if style > 1 else " ".join(text.split()))
                blocks.add_heading(text, style)
            elif style == TERM:
                blocks.add_term(text)
            else:
                blocks.add(text, is_bold=style == BOLD)
        part = blocks.part()
        return title or heading_at_start(part), part

    def _rows_as_text(self, rows: Sequence[_Row], ends: Sequence[int]) -> list[str] | None:
        cells = [
            [
                Cell(" ".join(self._texts[cell.start : after]), cell.is_header, cell.tag.colspan, cell.tag.rowspan)
                for cell, after in zip(row.cells, [*(cell.start for cell in row.cells[1:]), end], strict=True)
            ]
            for row, end in zip(rows, ends, strict=True)
        ]
        return rows_as_text(cells, sum(1 for _ in takewhile(lambda row: row.is_head, rows)))

    def _join_cells(self, rows: Sequence[_Row], spans: Sequence[tuple[int, int]]) -> None:
        """Puts cells of a row that are one paragraph each on one line."""
        for row, (start, end) in zip(rows, spans, strict=True):
            starts = [cell.start for cell in row.cells]
            if end - start > 1 and all(after - before <= 1 for before, after in pairwise(chain(starts, [end]))):
                self._write(start, end, " ".join(self._texts[start:end]))

    def _write(self, start: int, end: int, text: str) -> None:
        """Replaces some blocks by one. Their number stays the same, since marks count them."""
        self._texts[start:end] = [text, *[""] * (end - start - 1)][: end - start]
        self._styles[start:end] = [PLAIN] * (end - start)
