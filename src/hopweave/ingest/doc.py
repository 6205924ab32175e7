"""DOC ([MS-DOC]): the text of a document of Word 97 to 2003, with its notes and text boxes, and with changes accepted."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from hopweave.ingest.compound_file import SUMMARY, TextCount, damaged, streams_of, summary_title
from hopweave.ingest.deadline import Check
from hopweave.ingest.doc_file import PARAGRAPH_END, SHOWN_AS, Attached, WordFile
from hopweave.ingest.doc_properties import Cells, Paragraph
from hopweave.ingest.document import Blocks, Document, heading_at_start
from hopweave.ingest.entries import with_entries
from hopweave.ingest.formats import Limits
from hopweave.ingest.office_tables import Table, edges_apart
from hopweave.ingest.paragraph_styles import level_of_outline
from hopweave.ingest.utf_16 import from_units

_CELL_END = "\x07"
_SAME_EDGE = 30
"""20ths of a point: edges of cells in different rows that are as close are one."""


def read_doc(content: bytes, source: str, check: Check, limits: Limits | None = None) -> Document:
    """A document of one part, a blank line between paragraphs; a row of a table is one, see `tables`.

    A note or a text box stands after the paragraph or the table that refers to it. Headings, the title and numbers of
    paragraphs are found as in DOCX. Headers, footers and comments are left out.

    Args:
        content: the file.
        source: its name in messages.
        check: called for each run of characters and each paragraph.
        limits: of which that on a document counts for the text.

    Raises:
        DataError: if it is damaged, encrypted, of another format than its name says, of an earlier Word, or beyond the limits.
    """
    streams = streams_of(content, source, ("WordDocument",), ("0Table", "1Table", "Data", SUMMARY), check=check)
    try:
        file = WordFile(streams, source, check)
    except struct.error:
        raise damaged(source, "it ends early") from None
    body = _Body(file, TextCount(source, limits or Limits(), check))
    body.add(*file.body, file.attached)
    part = body.blocks.part()
    return Document(body.title or summary_title(streams.get(SUMMARY, b"")) or body.heading or heading_at_start(part), (part,))


class _Body:
    """The text read so far.

    Attributes:
        blocks: of it.
        title: the first paragraph with the style of titles.
        heading: the first main heading.
    """

    def __init__(self, file: WordFile, text: TextCount) -> None:
        self.blocks = Blocks()
        self.title = self.heading = ""
        self._file = file
        self._text = text

    def add(self, begin: int, end: int, attached: Sequence[Attached] = ()) -> None:
        """Adds some characters, and what is attached to them."""
        waiting = 0
        for at in self._added(begin, end):
            while waiting < len(attached) and attached[waiting].mark < at:
                self.add(attached[waiting].begin, attached[waiting].end)
                waiting += 1
        for one in attached[waiting:]:
            self.add(one.begin, one.end)

    def _added(self, begin: int, end: int) -> Iterator[int]:
        """Adds paragraphs and tables; yields where each ended."""
        rows = _Rows()
        at = begin
        while begin < end:
            found = PARAGRAPH_END.search(self._file.text, at, end)
            mark, until = (found.start(), found.end()) if found else (end, end)
            said = self._file.paragraph(until - 1)
            at = until
            if said.is_initial and until < end:
                continue
            if said.is_in_table:
                rows.add(self._numbered(begin, mark, said))
                if said.is_row_end:
                    rows.end_row(said)
                elif found and found[0] == _CELL_END:
                    rows.end_cell()
            else:
                if rows:
                    self._add_table(rows)
                    rows = _Rows()
                    yield begin
                self._add_paragraph(begin, mark, said)
                yield until
            begin = until
        if rows:
            self._add_table(rows)
        yield end

    def _add_table(self, rows: _Rows) -> None:
        for text in self._text.counted(rows.table().texts()):
            self.blocks.add(text)

    def _add_paragraph(self, begin: int, end: int, said: Paragraph) -> None:
        styles = self._file.styles
        numbered = self._numbered(begin, end, said)
        self._text.count(len(numbered))
        if styles.is_contents(said.style):
            return
        if styles.is_title(said.style):
            self.title = self.title or " ".join(self._shown(begin, end).split())
        level = styles.level(said.style) if said.outline is None else level_of_outline(said.outline)
        if not level:
            of_style = styles.is_bold(said.style)
            self.blocks.add(with_entries(numbered), is_bold=self._file.is_bold(begin, end, of_style=of_style))
            return
        if level == 1:
            self.heading = self.heading or " ".join(self._shown(begin, end).split())
        self.blocks.add_heading(numbered, level)

    def _numbered(self, begin: int, end: int, said: Paragraph) -> str:
        """A paragraph with its number, which counts even if it is empty."""
        number = "" if said.is_row_end else self._number(said)
        shown = self._shown(begin, end)
        return f"{number} {shown}" if number and shown else shown

    def _number(self, said: Paragraph) -> str:
        """The number of a paragraph; a list of its own counts over that of its style, even if it is none."""
        of_style, level_of_style = self._file.styles.list(said.style)
        used = of_style if said.list is None else said.list
        level = level_of_style if said.list_level is None else said.list_level
        return self._file.numbering.next(str(used), level, str(said.style)) if used else ""

    def _shown(self, begin: int, end: int) -> str:
        text = from_units(self._file.text[begin:end].translate(SHOWN_AS))
        return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))


class _Rows:
    """The table that is being read; those within its cells are text of these."""

    def __init__(self) -> None:
        self._rows: list[tuple[list[str], Paragraph]] = []
        self._row: list[str] = []
        self._cell: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._rows or self._row or self._cell)

    def add(self, text: str) -> None:
        """Adds a paragraph of a cell."""
        self._cell.append(text)

    def end_cell(self) -> None:
        """Ends a cell."""
        self._row.append(" ".join(self._cell))
        self._cell = []

    def end_row(self, said: Paragraph) -> None:
        """Ends a row, of which the paragraph at its end says how its cells are."""
        if any(self._cell):
            self.end_cell()
        self._rows.append((self._row, said))
        self._row, self._cell = [], []

    def table(self) -> Table:
        """The table."""
        if self._row or self._cell:
            self.end_row(Paragraph())
        grid = edges_apart((edge for _, said in self._rows if said.cells for edge in said.cells.edges), _SAME_EDGE)
        table = Table()
        for cells, said in self._rows:
            shown, widths = _placed(cells, said.cells or Cells((), ()), grid, table)
            table.add(shown, widths=widths, is_header=said.is_header)
        return table


def _placed(cells: Sequence[str], known: Cells, grid: Sequence[int], table: Table) -> tuple[dict[int, str], dict[int, int]]:
    """The text of the cells of a row by the number of the column, and how many columns each covers."""
    shown: dict[int, str] = {}
    widths: dict[int, int] = {}
    column = first = 0
    for at, cell in enumerate(cells):
        end = column + 1
        if at + 1 < len(known.edges):
            column, end = (max(0, bisect_right(grid, edge) - 1) for edge in known.edges[at : at + 2])
        if at and known.is_merged(at) and known.is_merged(at - 1) and not cell:
            widths[first] = max(end, first + 1) - first
        else:
            first = max(column, first + widths.get(first, 0))
            shown[first] = table.above(first) if known.is_continued(at) and not cell else cell
            widths[first] = max(1, end - first)
        column = end
    return shown, widths
