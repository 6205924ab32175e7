"""ODT, ODS and ODP (OpenDocument, ISO/IEC 26300): the text of documents, sheets and slides as they show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.comments import Comment
from hopweave.ingest.document import Blocks, Document, Part
from hopweave.ingest.entries import with_entries
from hopweave.ingest.odf_charts import chart_texts
from hopweave.ingest.odf_lists import OdfHeadings, OdfLists
from hopweave.ingest.office_tables import MAX_COLUMNS, Line, SheetRow, Table, sheet_lines
from hopweave.ingest.slides import Slide
from hopweave.ingest.superscripts import raised
from hopweave.ingest.table_heads import LONGEST_NAME, TableRow
from hopweave.ingest.xlsx import part_of_sheet
from hopweave.ingest.zipped import Archive

_CONTENT, _STYLES, _META, _MANIFEST = "content.xml", "styles.xml", "meta.xml", "META-INF/manifest.xml"
_OASIS = "urn:oasis:names:tc:opendocument:xmlns:"
_META_TITLE = "http://purl.org/dc/elements/1.1/ title"
_LEFT_OUT = frozenset(
    {
        "text:tracked-changes", "text:note-citation", "office:forms", "presentation:footer-decl",
        "text:table-of-content", "text:alphabetical-index", "text:ruby-text", "presentation:date-time-decl",
        "svg-compatible:desc", "svg-compatible:title",
    }
)  # fmt: skip
"""What is not shown in place, or repeats what is."""
_COMMENT, _CREATOR = "office:annotation", "http://purl.org/dc/elements/1.1/ creator"
_SIGNS = {"text:tab": " ", "text:line-break": "\n"}
_REFERENCE = "http://www.w3.org/1999/xlink href"
_FRAMES_LEFT_OUT = frozenset({"date-time", "footer", "header", "page-number", "page"})
_MAX_REPEATED = 1_000
"""Equal rows and cells next to each other that are written once; empty ones go on to the end of a sheet."""
_MAX_SPACES = 100
_RAISED = lazy_pattern(r"super|[1-9][0-9]*%")
"""How styles of superscripts place their text."""
_WITH_LISTS = frozenset({"office:text", "office:presentation"})


def read_odf(archive: Archive) -> Document:
    """A part for the text, for each sheet, or for each slide. A row of a table is a paragraph, see `tables`.
    Items of numbered lists of texts and slides begin with their numbers, and so do headings.

    The title is that in the properties, or of the first slide, or the first main heading.

    Raises:
        DataError: if it is damaged, encrypted, or beyond the limits.
    """
    if _MANIFEST in archive:
        archive.parse(_MANIFEST, lambda name, _: _refuse_encrypted(archive, name))
    body = _Body(archive)
    if _STYLES in archive:
        archive.parse(_STYLES, body.start_style)
    archive.parse(_CONTENT, body.start, body.end, body.add)
    parts = tuple(body.parts) or (body.blocks.part(),)
    return Document(_title(archive) or body.title, parts)


def _refuse_encrypted(archive: Archive, name: str) -> None:
    if name.endswith(" encryption-data"):
        raise DataError(f"{archive.source} is encrypted; save it without a password, or leave it out")


def _title(archive: Archive) -> str:
    within: list[str] = []
    pieces: list[str] = []
    if _META in archive:
        archive.parse(
            _META,
            lambda name, _: within.append(name),
            lambda _: within.clear(),
            lambda text: pieces.append(text) if within[-1:] == [_META_TITLE] else None,
        )
    return " ".join("".join(pieces).split())


def _short(name: str) -> str:
    """The name of an element or attribute after the last part of its namespace, such as `text:p`; a foreign one as it is."""
    namespace, _, local = name.partition(" ")
    return f"{namespace[len(_OASIS) :].partition(':')[0]}:{local}" if namespace.startswith(_OASIS) else name


def _number(attributes: Mapping[str, str], name: str, most: int) -> int:
    """A number of repetitions, at least 1."""
    written = attributes.get(name, "1")
    return max(1, min(int(written), most)) if written.isdecimal() and len(written) < 10 else 1


class _Body:
    """The text read so far.

    Attributes:
        parts: the sheets or slides.
        blocks: the text that is in neither.
        title: the first heading, or the title of the first slide.
    """

    def __init__(self, archive: Archive) -> None:
        self.parts: list[Part] = []
        self.blocks = Blocks()
        self.title = ""
        self._archive = archive
        self._kind = ""
        self._num_left_out = self._num_notes = 0
        self._slide = Slide()
        self._frames: list[str] = []
        self._paragraphs: list[tuple[list[str], int]] = []
        self._after: list[str] = []
        self._comment: _Comment | None = None
        self._on_sheet: list[str] = []
        self._rows = _Rows(archive.count)
        self._lists = OdfLists()
        self._headings = OdfHeadings()
        self._number = ""
        self._style = ""
        self._raising: set[str] = set()  # the names of styles of superscripts
        self._spans: list[bool] = []  # of the open ones, whether they are superscripts
        self._ends: Mapping[str, Callable[[], None]] = {
            "text:p": self._end_paragraph,
            "text:h": self._end_paragraph,
            "drawing:page": self._end_page,
            "table:table": self._end_table,
            "table:table-row": self._rows.end_row,
            "table:table-cell": self._rows.end_cell,
            "table:covered-table-cell": self._rows.end_cell,
        }

    def start_style(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins in the part with the styles that have names."""
        self._start_style(_short(name), {_short(key): value for key, value in attributes.items()})

    def _start_style(self, element: str, given: Mapping[str, str]) -> None:
        if element == "style:style":
            self._style = given.get("style:name", "")
        elif element == "style:text-properties" and _RAISED.match(given.get("style:text-position", "")):
            self._raising.add(self._style)
        self._lists.start_style(element, given)
        self._headings.start_style(element, given)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        element = _short(name)
        self._num_left_out += element in _LEFT_OUT
        if element == _COMMENT:
            self._comment = _Comment()
        if self._comment is not None:
            self._comment.within = element
        else:
            self._start(element, {_short(key): value for key, value in attributes.items()})

    def _start(self, element: str, given: Mapping[str, str]) -> None:
        if not self._kind:
            self._start_style(element, given)
        elif self._is_in_lists:
            if element in {"text:p", "text:h"}:
                self._lists.start_paragraph()
            if element == "text:h":
                self._number = self._headings.begin(_number(given, "text:outline-level", 10), given)
            self._lists.start(element, given)
        self._num_notes += element == "presentation:notes"
        match element:
            case "office:text" | "office:spreadsheet" | "office:presentation":
                self._kind = element
            case "text:p" | "text:h":
                level = _number(given, "text:outline-level", 10) if element == "text:h" else 0
                self._paragraphs.append(([], level))
            case "text:span":
                self._spans.append(given.get("text:style-name", "") in self._raising)
            case "text:s":
                self.add(" " * _number(given, "text:c", _MAX_SPACES))
            case "text:tab" | "text:line-break":
                self.add(_SIGNS[element])
            case "drawing:frame" | "drawing:custom-shape":
                self._frames.append(given.get("presentation:class", ""))
            case "drawing:object" if self._kind in _WITH_LISTS and not self._num_left_out:
                self._add_chart(given.get(_REFERENCE, ""))
            case _:
                self._rows.start(element, given)

    def end(self, name: str) -> None:
        element = _short(name)
        if self._comment is not None:
            if element == _COMMENT:
                self._end_comment(self._comment)
            else:
                self._comment.end(element)
            self._num_left_out -= element in _LEFT_OUT
            return
        if element == "text:span":
            self._spans.pop()
        if self._is_in_lists:
            self._lists.end(element)
        if ends := self._ends.get(element):
            ends()
        elif element in {"drawing:frame", "drawing:custom-shape"}:
            self._frames.pop()
        elif element == "table:table-header-rows":
            self._rows.is_header = False
        self._num_left_out -= element in _LEFT_OUT
        self._num_notes -= element == "presentation:notes"

    @property
    def _is_in_lists(self) -> bool:
        """Whether lists count here: not in sheets, in what is left out, and in notes and frames within a paragraph."""
        return self._kind in _WITH_LISTS and not self._paragraphs and not self._num_left_out

    def _add_chart(self, reference: str) -> None:
        told = chart_texts(self._archive, reference)
        (self._slide.texts if self._kind == "office:presentation" else self._after).extend(told)

    def _end_comment(self, comment: _Comment) -> None:
        self._comment = None
        told = Comment("".join(comment.who), "".join(comment.pieces))
        if self._num_left_out:
            return
        if self._kind == "office:spreadsheet":
            self._on_sheet.append(told.shown(self._rows.first_of_row))
        elif self._kind == "office:presentation":
            self._slide.notes.append(told.shown())
        else:
            self._after.append(told.shown())

    def add(self, text: str) -> None:
        if self._comment is not None:
            self._comment.add(text)
        elif self._paragraphs and not self._num_left_out:
            pieces = self._paragraphs[-1][0]
            pieces.append(raised(text, pieces) if any(self._spans[-1:]) else text)

    def _end_paragraph(self) -> None:
        pieces, level = self._paragraphs.pop()
        text = "\n".join(filter(None, (" ".join(line.split()) for line in "".join(pieces).split("\n"))))
        numbered = self._lists.numbers.numbered(text) if self._is_in_lists else text
        if level and text and numbered == text and self._is_in_lists:
            numbered = self._number + text
        if self._rows.depth:
            self._rows.add(numbered)
        elif self._paragraphs:  # of a note or a frame within a paragraph
            self._after.append(text)
        elif self._kind == "office:presentation":
            for one in (numbered, *self._after):
                self._add_to_slide(one)
            self._after.clear()
        else:
            self.title = self.title or (" ".join(text.split()) if level == 1 else "")
            self._add_paragraph(numbered, level)

    def _add_paragraph(self, text: str, level: int) -> None:
        if level:
            self.blocks.add_heading(text, level)
        else:
            self.blocks.add(with_entries(text))
        for note in self._after:
            self.blocks.add(note)
        self._after.clear()

    def _add_to_slide(self, text: str) -> None:
        frame = next(filter(None, reversed(self._frames)), "")
        if not text or frame in _FRAMES_LEFT_OUT:
            return
        if self._num_notes:
            self._slide.notes.append(text)
        else:
            (self._slide.titles if frame == "title" else self._slide.texts).append(text)

    def _end_page(self) -> None:
        self.title = self.title or self._slide.title
        self.parts.append(self._slide.part(len(self.parts) + 1))
        self._slide = Slide()

    def _end_table(self) -> None:
        rows = self._rows.end_table()
        if rows is None:
            return
        if self._kind == "office:spreadsheet":
            lines = sheet_lines(SheetRow(number, row) for number, row, _ in rows)
            comments, self._on_sheet = self._on_sheet, []
            told = chain(lines, map(Line, filter(None, comments)))
            self.parts.append(part_of_sheet(self._rows.name, told, self._archive.count))
            return
        table = Table()
        for _, row, is_header in rows:
            table.add(row.cells, widths=row.widths, is_header=is_header)
        for text in self._archive.counted(table.texts()):
            if self._kind == "office:presentation":
                self._slide.texts.append(text)
            else:
                self.blocks.add(text)
        if self._kind == "office:text":
            for note in self._after:
                self.blocks.add(note)
            self._after.clear()


class _Comment:
    """A comment that is being read.

    Attributes:
        within: the element that text is in.
        who: wrote it, in pieces.
        pieces: of its text.
    """

    def __init__(self) -> None:
        self.within = ""
        self.who: list[str] = []
        self.pieces: list[str] = []

    def add(self, text: str) -> None:
        if self.within == _CREATOR:
            self.who.append(text)
        elif self.within.startswith("text:"):
            self.pieces.append(text)

    def end(self, element: str) -> None:
        if element in {"text:p", "text:h"}:
            self.pieces.append(" ")
        self.within = "text:p" if element == "text:span" else ""


class _Rows:
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
            self._row_repeats = _number(attributes, "table:number-rows-repeated", 1 << 24)
        elif element in {"table:table-cell", "table:covered-table-cell"}:
            self._is_covered = element == "table:covered-table-cell"
            self._cell_repeats = _number(attributes, "table:number-columns-repeated", MAX_COLUMNS)
            self._height = _number(attributes, "table:number-rows-spanned", 1 << 24)
            self._width = _number(attributes, "table:number-columns-spanned", MAX_COLUMNS)

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
