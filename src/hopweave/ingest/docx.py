"""DOCX (Office Open XML, ISO/IEC 29500): the visible text of body and notes, with changes accepted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.comments import Comment
from hopweave.ingest.document import PARAGRAPH, Blocks, Document, heading_at_start
from hopweave.ingest.docx_numbers import Numbering, level_in
from hopweave.ingest.entries import with_entries
from hopweave.ingest.office_tables import MAX_COLUMNS, Table
from hopweave.ingest.ooxml import main_part, relations, short, title_of, value_of
from hopweave.ingest.ooxml_drawings import drawn_texts
from hopweave.ingest.paragraph_styles import HEADING, MAX_STYLES_ABOVE, level_of_outline
from hopweave.ingest.superscripts import raised
from hopweave.ingest.zipped import Archive

_LEFT_OUT = frozenset({"w:del", "w:moveFrom", "mc:Fallback"})
_EARLIER = frozenset({"w:pPrChange", "w:rPrChange", "w:tblPrChange", "w:trPrChange", "w:tcPrChange", "w:sectPrChange"})
"""Properties as they were before a tracked change."""
_NOTES = ("footnotes", "endnotes", "comments")
_NOTE = {"w:footnote": "footnote", "w:endnote": "endnote", "w:comment": "comment"}
_NOTE_MARK = {"w:footnoteReference": "footnote", "w:endnoteReference": "endnote", "w:commentReference": "comment"}
_DRAWN, _DRAWINGS = "drawn", ("/chart chart", "/diagram relIds")
"""How a chart and a diagram are marked as notes are, and the elements that refer to them."""
_BOX = "w:txbxContent"
_CONTENTS = lazy_pattern(r"toc ?(?:[1-9]|heading)", re.IGNORECASE)
_OF_RUNS = frozenset({"w:b", "w:vanish", "w:vertAlign"})
_SIGNS = {"w:tab": " ", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-"}
_OFF = frozenset({"0", "false", "off"})


def read_docx(archive: Archive) -> Document:
    """A document of one part, a blank line between paragraphs; a row of a table is one, see `tables`.

    The title is the paragraph with the style Title, or that in the properties, or the first main heading. Headings are told by
    their style or outline level, or by bold type if nothing has one; an automatic table of contents is left out. Numbered
    paragraphs begin with their numbers, and notes, comments and what charts show follow the paragraph or table that refers to
    them; so do text boxes, but for those in a cell, whose text they end. Pages exist only after layout, so the format has none.

    Raises:
        DataError: if it is damaged, or beyond the limits.
    """
    main = main_part(archive, "word/document.xml")
    known = relations(archive, main)
    parts = {one.kind: one.target for one in known.values()}
    styles = _Styles()
    name = parts.get("styles", "word/styles.xml")
    if name in archive:
        archive.parse(name, styles.start, styles.end)
    numbering = Numbering()
    name = parts.get("numbering", "word/numbering.xml")
    if name in archive:
        archive.parse(name, numbering.start)
    notes: dict[str, str] = {}
    for kind in _NOTES:
        if (name := parts.get(kind, f"word/{kind}.xml")) in archive:
            note = _Notes(styles, numbering, archive, notes)
            archive.parse(name, note.start, note.end, note.add)
    for identity, one in known.items():
        if drawn := PARAGRAPH.join(drawn_texts(archive, one)):
            notes[_DRAWN + identity] = drawn
    body = _Body(styles, numbering, archive, notes)
    archive.parse(main, body.start, body.end, body.add)
    body.add_rest()
    part = body.blocks.part()
    return Document(body.title or title_of(archive) or body.heading or heading_at_start(part), (part,))


@dataclass(slots=True)
class _Style:
    """A style: its name, which is English whatever the language of the program, and what it says of headings.

    Attributes:
        name: such as `heading 1`.
        based_on: the id of another style.
        level: of headings, from 1; 0 for other text, and `None` if it says nothing.
        list: the id of the list that its paragraphs are in; empty if it says nothing.
        is_bold: `None` if it says nothing.
    """

    name: str = ""
    based_on: str = ""
    level: int | None = None
    list: str = ""
    is_bold: bool | None = None


class _Styles:
    """The styles of a document, by their ids."""

    def __init__(self) -> None:
        self._styles: dict[str, _Style] = {}
        self._now = _Style()
        self._num_earlier = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        element = short(name)
        self._num_earlier += element in _EARLIER
        if self._num_earlier:
            return
        if element == "w:style":
            self._now = self._styles[value_of(attributes, "styleId")] = _Style()
        elif element == "w:name":
            self._now.name = value_of(attributes)
        elif element == "w:basedOn":
            self._now.based_on = value_of(attributes)
        elif element == "w:outlineLvl":
            self._now.level = _level(value_of(attributes))
        elif element == "w:numId":
            self._now.list = value_of(attributes)
        elif element == "w:b":
            self._now.is_bold = value_of(attributes) not in _OFF

    def end(self, name: str) -> None:
        self._num_earlier -= short(name) in _EARLIER

    def level(self, style: str) -> int:
        """The level of headings in a style, its own or that of the ones it is based on; 0 if it is none for headings."""
        for _ in range(MAX_STYLES_ABOVE):
            known = self._styles.get(style) or _Style()
            if known.level is not None:
                return known.level
            if named := HEADING.fullmatch(known.name or style):
                return int(named[1])
            style = known.based_on
        return 0

    def list(self, style: str) -> tuple[str, str]:
        """The id of the list of a style, its own or that of the ones it is based on, and the style that names it."""
        for _ in range(MAX_STYLES_ABOVE):
            known = self._styles.get(style) or _Style()
            if known.list:
                return known.list, style
            style = known.based_on
        return "", ""

    def is_bold(self, style: str) -> bool:
        """Whether text in a style is bold, by itself or by the ones it is based on."""
        for _ in range(MAX_STYLES_ABOVE):
            known = self._styles.get(style) or _Style()
            if known.is_bold is not None:
                return known.is_bold
            style = known.based_on
        return False

    def is_title(self, style: str) -> bool:
        return self._name(style).casefold() == "title"

    def is_contents(self, style: str) -> bool:
        """Whether it is a style of tables of contents."""
        return _CONTENTS.fullmatch(self._name(style)) is not None

    def _name(self, style: str) -> str:
        known = self._styles.get(style)
        return known.name if known and known.name else style


def _level(written: str) -> int | None:
    """An outline level, which counts from 0, as that of a heading; the last one is for other text."""
    if not written.isdecimal() or len(written) > 1:
        return None
    return level_of_outline(int(written))


class _Paragraph(NamedTuple):
    """A paragraph that has been read.

    Attributes:
        text: with its number, if it has one.
        level: of headings, from 1; 0 for other text.
        heading: its text as a heading, on one line and without its number.
        is_bold: whether all of it is.
    """

    text: str
    level: int = 0
    heading: str = ""
    is_bold: bool = False


class _Body:
    """The text read so far.

    Args:
        styles: of the document.
        numbering: of its lists.
        archive: that it is in.
        notes: the texts of its footnotes, endnotes, comments, charts and diagrams; those that have been added are removed.
    """

    def __init__(self, styles: _Styles, numbering: Numbering, archive: Archive, notes: dict[str, str]) -> None:
        self.blocks = Blocks()
        self._notes = notes
        self._marked: list[str] = []  # notes that the paragraph or table refers to
        self.title = self.heading = ""
        self._styles = styles
        self._numbering = numbering
        self._archive = archive
        self._pieces: list[str] = []
        self._at_paragraph = 0  # the number of pieces before it, in a cell
        self._style = ""
        self._level: int | None = None
        self._list = ""
        self._list_level: int | None = None
        self._is_bold: bool | None = None  # of the run, if it says so
        self._is_raised = self._is_hidden = False
        self._boldness: set[bool | None] = set()  # of the runs of the paragraph
        self._num_runs = self._num_left_out = self._num_earlier = 0
        self._is_text = False
        self._rows = _Rows()
        self._num_boxes = 0
        self._box: _Box | None = None
        self._boxed: list[_Paragraph] = []  # in the text boxes of the paragraph

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        element = short(name)
        self._num_boxes += element == _BOX
        if self._box is not None:
            self._box._start(name, element, attributes)
        elif self._num_boxes:
            self._box = _Box(self._styles, self._numbering, self._archive, self._notes, num_left_out=self._num_left_out)
        else:
            self._start(name, element, attributes)

    def _start(self, name: str, element: str, attributes: Mapping[str, str]) -> None:
        self._num_left_out += element in _LEFT_OUT
        self._num_earlier += element in _EARLIER
        if self._num_earlier:
            return
        if element == "w:pStyle":
            self._style = value_of(attributes)
        elif element == "w:outlineLvl":
            self._level = _level(value_of(attributes))
        elif element == "w:numId":
            self._list = value_of(attributes)
        elif element == "w:ilvl":
            self._list_level = level_in(value_of(attributes))
        elif element == "w:r":
            self._num_runs += 1
            self._is_bold, self._is_raised, self._is_hidden = None, False, False
        elif self._num_runs and element in _OF_RUNS:
            self._read_run(element, value_of(attributes))
        elif name.endswith(_DRAWINGS) and (drawn := value_of(attributes, "id") or value_of(attributes, "dm")):
            self._mark(_DRAWN + drawn)
        elif element in _NOTE_MARK:
            self._mark(_NOTE_MARK[element] + value_of(attributes, "id"))
        elif element in {"w:t", "m:t"}:
            self._is_text = True
        elif self._num_runs and element in _SIGNS:  # a tab outside of a run is where one would stop
            self._pieces.append(_SIGNS[element])
        else:
            self._rows.start(element, attributes)

    def _read_run(self, element: str, value: str) -> None:
        """Reads a property of a run."""
        if element == "w:b":
            self._is_bold = value not in _OFF
        elif element == "w:vanish":
            self._is_hidden = value not in _OFF
        else:
            self._is_raised = value == "superscript"

    def end(self, name: str) -> None:
        element = short(name)
        self._num_boxes -= element == _BOX
        if self._box is None:
            self._end(element)
        elif self._num_boxes:
            self._box._end(element)
        else:
            self._boxed += self._box.paragraphs
            self.title = self.title or self._box.title
            self._box = None

    def _end(self, element: str) -> None:
        self._num_left_out -= element in _LEFT_OUT
        self._num_earlier -= element in _EARLIER
        if element == "w:r":
            self._num_runs -= 1
        elif element in {"w:t", "m:t"}:
            self._is_text = False
        elif element == "w:p":
            self._end_paragraph()
        elif element == "w:tc" and self._rows.end_cell("".join(self._pieces)):
            self._pieces.clear()
            self._at_paragraph = 0
        elif element == "w:tr":
            self._rows.end_row()
        elif element == "w:tbl" and (table := self._rows.end_table()):
            for text in self._archive.counted(table.texts()):
                self._add_paragraph(_Paragraph(text))
            self._add_marked()

    def add_rest(self) -> None:
        """Adds what nothing refers to."""
        self._marked += self._notes
        self._add_marked()

    def add(self, text: str) -> None:
        (self._box or self)._add(text)

    def _add(self, text: str) -> None:
        if self._is_text and not self._num_left_out and not self._is_hidden:
            self._pieces.append(raised(text, self._pieces) if self._is_raised else text)
            if text.strip():
                self._boldness.add(self._is_bold)

    def _end_paragraph(self) -> None:
        style, level, number = self._style, self._level, "" if self._num_left_out else self._number()
        is_bold = self._boldness == {True} or (self._boldness <= {True, None} and self._styles.is_bold(style))
        self._boldness.clear()
        self._style, self._level, self._list, self._list_level = "", None, "", None
        if self._rows.depth:
            if number and "".join(self._pieces[self._at_paragraph :]).strip():
                self._pieces.insert(self._at_paragraph, f"{number} ")
            self._pieces += (f"{text} " for text in ("", *(boxed.text for boxed in self._boxed)))
            self._boxed.clear()
            self._at_paragraph = len(self._pieces)
            return
        lines = (" ".join(line.split()) for line in "".join(self._pieces).split("\n"))
        self._pieces.clear()
        paragraph = "\n".join(filter(None, lines))
        if self._styles.is_contents(style):
            return
        level = self._styles.level(style) if level is None else level
        if self._styles.is_title(style):
            self.title = self.title or " ".join(paragraph.split())
        numbered = f"{number} {paragraph}" if number and paragraph else paragraph
        if level:
            self._add_paragraph(_Paragraph(numbered, level, " ".join(paragraph.split())))
        else:
            self._add_paragraph(_Paragraph(with_entries(numbered), is_bold=is_bold))
        self._add_marked()

    def _add_paragraph(self, paragraph: _Paragraph) -> None:
        if not paragraph.level:
            self.blocks.add(paragraph.text, is_bold=paragraph.is_bold)
            return
        if paragraph.level == 1:
            self.heading = self.heading or paragraph.heading
        self.blocks.add_heading(paragraph.text, paragraph.level)

    def _mark(self, label: str) -> None:
        """Notes that a note is referred to; with the reference, the note is deleted."""
        if self._num_left_out:
            self._notes.pop(label, None)
        else:
            self._marked.append(label)

    def _add_marked(self) -> None:
        """Adds what follows a paragraph or a table: text boxes in it, and the notes that it refers to, each once."""
        for paragraph in (*self._boxed, *(_Paragraph(self._notes.pop(label, "")) for label in self._marked)):
            self._add_paragraph(paragraph)
        self._boxed.clear()
        self._marked.clear()

    def _number(self) -> str:
        """The number of the paragraph that ends; a list of its own counts over that of its style, even if it is none."""
        if self._list:
            return self._numbering.next(self._list, self._list_level, self._style)
        named, style = self._styles.list(self._style)
        return self._numbering.next(named, self._list_level, style) if named else ""


class _Box(_Body):
    """A text box. What is in a box within it is read as a part of it, for no program makes one.

    Args:
        num_left_out: of the elements around it, those that are left out.

    Attributes:
        paragraphs: in it, with the rows of tables, and the notes that these refer to.
    """

    def __init__(
        self, styles: _Styles, numbering: Numbering, archive: Archive, notes: dict[str, str], *, num_left_out: int
    ) -> None:
        super().__init__(styles, numbering, archive, notes)
        self._num_left_out = num_left_out
        self.paragraphs: list[_Paragraph] = []

    def _add_paragraph(self, paragraph: _Paragraph) -> None:
        self.paragraphs.append(paragraph)


class _Notes(_Body):
    """The footnotes, endnotes or comments of a document, which are added to the notes that it is given."""

    _label = ""
    _who = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if kind := _NOTE.get(short(name)):
            self._label, self._who, self.blocks = kind + value_of(attributes, "id"), value_of(attributes, "author"), Blocks()
        super().start(name, attributes)

    def end(self, name: str) -> None:
        super().end(name)
        element = short(name)
        if element in _NOTE and (text := self.blocks.part().text):
            self._notes[self._label] = Comment(self._who, text).shown() if element == "w:comment" else text


class _Rows:
    """The table that is being read; those within its cells are text of these.

    Attributes:
        depth: how many tables are open.
    """

    def __init__(self) -> None:
        self.depth = 0
        self._table = Table()
        self._cells: dict[int, str] = {}
        self._widths: dict[int, int] = {}
        self._column = 0
        self._width = 1
        self._is_header = self._is_continued = False

    def start(self, element: str, attributes: Mapping[str, str]) -> None:
        self.depth += element == "w:tbl"
        if self.depth != 1:
            return
        if element == "w:tc":
            self._width, self._is_continued = 1, False
        elif element == "w:gridSpan":
            width = value_of(attributes)
            self._width = min(int(width), MAX_COLUMNS) if width.isdecimal() and len(width) < 6 else 1
        elif element == "w:vMerge":
            self._is_continued = value_of(attributes) != "restart"
        elif element == "w:tblHeader":
            self._is_header = value_of(attributes) not in _OFF

    def end_cell(self, text: str) -> bool:
        """Ends a cell of the outermost table; returns whether it is one."""
        if self.depth != 1:
            return False
        self._cells[self._column] = self._table.above(self._column) if self._is_continued else text
        self._widths[self._column] = self._width
        self._column += self._width
        return True

    def end_row(self) -> None:
        if self.depth == 1:
            self._table.add(self._cells, widths=self._widths, is_header=self._is_header)
            self._cells, self._widths, self._column, self._is_header = {}, {}, 0, False

    def end_table(self) -> Table | None:
        """Ends a table; returns it if it is the outermost one."""
        self.depth -= 1
        if self.depth:
            return None
        table, self._table = self._table, Table()
        return table
