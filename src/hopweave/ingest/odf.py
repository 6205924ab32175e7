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
from hopweave.ingest.odf_comments import OdfComment
from hopweave.ingest.odf_lists import OdfHeadings, OdfLists
from hopweave.ingest.odf_rows import OdfRows, number_in
from hopweave.ingest.office_tables import Line, SheetRow, Table, sheet_lines
from hopweave.ingest.slides import Slide
from hopweave.ingest.superscripts import raised
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
_COMMENT = "office:annotation"
_SIGNS = {"text:tab": " ", "text:line-break": "\n"}
_REFERENCE = "http://www.w3.org/1999/xlink href"
_SHAPES = frozenset(
    {
        "drawing:frame", "drawing:custom-shape", "drawing:rect", "drawing:circle", "drawing:ellipse", "drawing:line",
        "drawing:polyline", "drawing:polygon", "drawing:regular-polygon", "drawing:path", "drawing:connector",
        "drawing:measure", "drawing:caption",
    }
)  # fmt: skip
"""What is drawn, and may have text."""
_FRAMES_LEFT_OUT = frozenset({"date-time", "footer", "header", "page-number", "page"})
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
        self._comment: OdfComment | None = None
        self._box: list[str] = []  # its paragraphs
        self._boxes: list[str] = []  # those drawn on the sheet
        self._on_sheet: list[str] = []
        self._footnotes: list[int] = []  # of the open ones, in how many tables they are
        self._rows = OdfRows(archive.count)
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
        given = {_short(key): value for key, value in attributes.items()}
        self._num_left_out += element in _LEFT_OUT
        if self._comment is not None:
            self._comment.start(element, is_raised=self._is_raising(given))
        elif element == _COMMENT:
            self._comment = OdfComment()
        else:
            self._start(element, given)

    def _start(self, element: str, given: Mapping[str, str]) -> None:
        if not self._kind:
            self._start_style(element, given)
        elif self._is_in_lists:
            self._start_in_lists(element, given)
        self._num_notes += element == "presentation:notes"
        match element:
            case "office:text" | "office:spreadsheet" | "office:presentation":
                self._kind = element
            case "text:p" | "text:h":
                level = number_in(given, "text:outline-level", 10) if element == "text:h" else 0
                self._paragraphs.append(([], level))
            case "text:span":
                self._spans.append(self._is_raising(given))
            case "text:s":
                self._add(" " * number_in(given, "text:c", _MAX_SPACES))
            case "text:tab" | "text:line-break":
                self._add(_SIGNS[element])
            case "text:note":
                self._footnotes.append(self._rows.depth)
            case _ if element in _SHAPES:
                self._frames.append(given.get("presentation:class", ""))
            case "drawing:object" if self._kind in _WITH_LISTS and not self._num_left_out:
                self._add_chart(given.get(_REFERENCE, ""))
            case _:
                self._rows.start(element, given)

    def _start_in_lists(self, element: str, given: Mapping[str, str]) -> None:
        if element in {"text:p", "text:h"}:
            self._lists.start_paragraph()
        if element == "text:h":
            self._number = self._headings.begin(number_in(given, "text:outline-level", 10), given)
        self._lists.start(element, given)

    def end(self, name: str) -> None:
        element = _short(name)
        if self._comment is not None:
            if self._comment.is_open:
                self._comment.end(element)
            else:
                self._end_comment(self._comment.told())
            self._num_left_out -= element in _LEFT_OUT
            return
        if element == "text:span":
            self._spans.pop()
        if self._is_in_lists:
            self._lists.end(element)
        if ends := self._ends.get(element):
            ends()
        elif element in _SHAPES:
            self._frames.pop()
            self._end_box()
        elif element == "text:note":
            self._footnotes.pop()
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

    def _is_raising(self, given: Mapping[str, str]) -> bool:
        """Whether the style of an element places its text higher."""
        return given.get("text:style-name", "") in self._raising

    def _end_comment(self, told: Comment) -> None:
        self._comment = None
        if self._num_left_out:
            return
        if self._kind == "office:spreadsheet":
            self._on_sheet.append(told.shown(self._rows.first_of_row))
        elif self._kind == "office:presentation":
            self._slide.notes.append(told.shown())
        else:
            self._after.append(told.shown())

    def add(self, text: str) -> None:
        """Text; a line of the file that ends in it is no line of a paragraph."""
        self._add(text.replace("\n", " "))

    def _add(self, text: str) -> None:
        if self._num_left_out:
            return
        if self._comment is not None:
            self._comment.add(text)
        elif self._paragraphs:
            pieces = self._paragraphs[-1][0]
            pieces.append(raised(text, pieces) if any(self._spans[-1:]) else text)

    def _end_paragraph(self) -> None:
        pieces, level = self._paragraphs.pop()
        text = "\n".join(filter(None, (" ".join(line.split()) for line in "".join(pieces).split("\n"))))
        numbered = self._lists.numbers.numbered(text) if self._is_in_lists else text
        if level and text and numbered == text and self._is_in_lists:
            numbered = self._number + text
        if self._kind == "office:spreadsheet" and self._frames:
            self._box.append(text)
        elif self._rows.depth and self._rows.depth not in self._footnotes[-1:]:
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

    def _end_box(self) -> None:
        if text := " ".join(" ".join(self._box).split()):
            self._boxes.append(text)
        self._box.clear()

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
            told = chain(lines, map(Line, filter(None, (*self._boxes, *self._on_sheet))))
            self.parts.append(part_of_sheet(self._rows.name, told, self._archive.count))
            self._boxes.clear()
            self._on_sheet.clear()
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
