"""PPT ([MS-PPT]): the text of slides of PowerPoint 97 to 2003 and of the notes to them.

A file is a list of records, some of which hold others. Whoever saves a presentation may append what changed: only what the
last list of places names is part of it.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from hopweave.ingest.compound_file import (
    SUMMARY,
    TextCount,
    damaged,
    encrypted,
    streams_of,
    summary_title,
)
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Document
from hopweave.ingest.formats import Limits
from hopweave.ingest.office_tables import Table
from hopweave.ingest.ppt_text import TITLES, Numbering, Text, numberings_of
from hopweave.ingest.slides import Slide
from hopweave.ingest.table_heads import LONGEST_NAME
from hopweave.ingest.utf_16 import utf_16_units


class _Kind(IntEnum):
    """Kinds of records."""

    DOCUMENT = 0x3E8
    LIST = 0xFF0
    OF_SLIDE = 0x3F3
    SLIDE = 0x3EE
    SLIDE_SAYS = 0x3EF
    NOTES = 0x3F0
    EDIT = 0xFF5
    PLACES = 0x1772
    KIND_OF_TEXT = 0xF9F
    TEXT = 0xFA0
    LATIN_TEXT = 0xFA8
    LISTED_TEXT = 0xF9E
    STYLES = 0xFA1
    TAGGED = 0x138B
    NUMBERINGS = 0xFAC
    PLACE = 0xBC3
    LATER_PLACE = 0x420
    GROUP = 0xF003
    SHAPE = 0xF004
    PROPERTIES = 0xF00B
    FURTHER_PROPERTIES = 0xF122
    POSITION = 0xF00F


_STANDS_FOR = frozenset({0xFD8, 0xFF7, 0xFF8, 0xFF9, 0xFFA, 0x1015})
"""Kinds of records of characters that stand for a number of a slide, a date, or what is the same on every slide."""
_HEAD_BYTES = 8
_HAS_OTHERS = 0xF
_MOST_TIMES_READ = 4
_IS_ENCRYPTED = 0xF3D1C4DF
_SLIDES, _ALL_NOTES = 0, 2
_OTHER = 4
"""The kind of texts that are neither titles nor lists."""
_LEFT_OUT = frozenset({0x05, 0x07, 0x08, 0x09, 0x0A, 0x0B})
"""Places for the picture of a slide, its number, a date, and what is the same on every slide."""
_IS_TABLE, _ART_TEXT = 0x39F, 0xC0
_PROPERTY_BYTES, _HAS_DATA, _IDENTITY = 6, 0x8000, 0x3FFF
_MAX_SPANNED = 10_000
"""Cells of a table, each counted for every row that it covers."""


def read_ppt(content: bytes, source: str, check: Check, limits: Limits | None = None) -> Document:
    """A part for each slide; its title is a heading, and a row of a table is a paragraph, see `tables`.

    The title is that of the first slide, or that in the properties. Paragraphs begin with their numbers, except those of texts
    that stand in the list of slides and not in a shape.

    Args:
        content: the file.
        source: its name in messages.
        check: called for each record.
        limits: of which that on a document counts for the text.

    Raises:
        DataError: if it is damaged, encrypted, of another format than its name says, or beyond the limits.
    """
    streams = streams_of(content, source, ("PowerPoint Document",), ("Current User", "EncryptedSummary", SUMMARY), check=check)
    user = streams.get("Current User", b"")
    if "EncryptedSummary" in streams or user[12:16] == struct.pack("<L", _IS_ENCRYPTED):
        raise encrypted(source)
    text = TextCount(source, limits or Limits(), check)
    try:
        file = _File(streams["PowerPoint Document"], user, source, check)
        slides = [file.slide(one, text) for one in file.slides]
    except struct.error:
        raise damaged(source, "it ends early") from None
    title = (slides[0].title if slides else "") or summary_title(streams.get(SUMMARY, b""))
    return Document(title, tuple(slide.part(number) for number, slide in enumerate(slides, start=1)))


class _Record(NamedTuple):
    """A record.

    Attributes:
        kind: of it.
        instance: which one of its kind it is.
        begin: of what it says.
        end: of it.
        has_others: whether it holds others, and says nothing itself.
        is_end: whether it is told once more, after those that it holds.
    """

    kind: int
    instance: int
    begin: int
    end: int
    has_others: bool = False
    is_end: bool = False


@dataclass(slots=True)
class _Listed:
    """A slide in the list of slides, or notes in theirs.

    Attributes:
        place: the number of its place.
        identity: its number, by which slides name their notes.
        texts: those that its shapes name by their numbers.
    """

    place: int
    identity: int
    texts: list[Text] = field(default_factory=list)


class _File:
    """A presentation.

    Attributes:
        slides: those that are shown, in order.
    """

    def __init__(self, stream: bytes, user: bytes, source: str, check: Check) -> None:
        self._stream = stream
        self._source = source
        self._check = check
        self._num_left = _MOST_TIMES_READ * len(stream) // _HEAD_BYTES
        self._places: dict[int, int] = {}
        lists: dict[int, list[_Listed]] = {}
        self._read_lists(self._read_places(user), lists)
        self.slides = lists.get(_SLIDES, [])
        self._notes = {notes.identity: notes for notes in lists.get(_ALL_NOTES, [])}

    def slide(self, listed: _Listed, text: TextCount) -> Slide:
        """A slide with its notes."""
        slide = Slide()
        notes = self._read_shapes(listed, _Kind.SLIDE, _Shapes(slide.titles, slide.texts, listed.texts, text))
        if noted := self._notes.get(notes):
            self._read_shapes(noted, _Kind.NOTES, _Shapes(slide.notes, slide.notes, noted.texts, text))
        return slide

    def _read_places(self, user: bytes) -> _Record:
        """Reads where everything is, as of the last change; returns the record of the document."""
        begin = struct.unpack_from("<L", user, 16)[0] if len(user) >= 20 else len(self._stream)
        edit = self._head(begin)
        if edit is None or edit.kind != _Kind.EDIT:
            edits = [one for one in self._records(0, len(self._stream), is_deep=False) if one.kind == _Kind.EDIT]
            edit = edits[-1] if edits else None
        document: int | None = None
        num_left = len(self._stream) // 4
        while edit is not None and edit.kind == _Kind.EDIT and num_left > 0:
            self._check()
            earlier, listed, of_document = struct.unpack_from("<3L", self._stream, edit.begin + 8)
            document = of_document if document is None else document
            places = self._head(listed)
            if places is not None and places.kind == _Kind.PLACES:
                num_left -= (places.end - places.begin) // 4
                self._note_places(struct.unpack_from(f"<{(places.end - places.begin) // 4}L", self._stream, places.begin))
            edit = self._head(earlier) if 0 < earlier < edit.begin - _HEAD_BYTES else None
        found = self._head(self._places.get(document or 0, len(self._stream)))
        if found is None or found.kind != _Kind.DOCUMENT:
            raise damaged(self._source, "it has no list of its slides")
        return found

    def _note_places(self, numbers: Sequence[int]) -> None:
        """Notes where things are, in runs of numbers that follow each other; later changes are noted first."""
        at = 0
        while at < len(numbers):
            first, count = numbers[at] & 0xFFFFF, numbers[at] >> 20
            for number, place in enumerate(numbers[at + 1 : at + 1 + count], start=first):
                self._places.setdefault(number, place)
            at += 1 + count

    def _read_lists(self, document: _Record, lists: dict[int, list[_Listed]]) -> None:
        """Reads the lists of slides and notes, by which of them they are."""
        inside: list[_Listed] | None = None
        for record in self._records(document.begin, document.end):
            if record.kind == _Kind.LIST:
                inside = None if record.is_end else lists.setdefault(record.instance, [])
            elif inside is not None and record.kind == _Kind.OF_SLIDE:
                place, identity = struct.unpack_from("<L8xL", self._stream, record.begin)
                inside.append(_Listed(place, identity))
            elif inside and not record.has_others:
                _note_text(inside[-1].texts, record, self._stream)

    def _read_shapes(self, listed: _Listed, kind: int, shapes: _Shapes) -> int:
        """Reads a slide, or notes; returns by which number it names its notes."""
        found = self._head(self._places.get(listed.place, len(self._stream)))
        notes = -1
        for record in self._records(found.begin, found.end) if found is not None and found.kind == kind else ():
            if record.kind == _Kind.SLIDE_SAYS:
                (notes,) = struct.unpack_from("<L", self._stream, record.begin + 16)
            else:
                shapes.add(record, self._stream)
        shapes.add_others()
        return int(notes)

    def _head(self, at: int) -> _Record | None:
        """The record at a place; `None` beyond the end."""
        if at + _HEAD_BYTES > len(self._stream):
            return None
        instance, kind, length = struct.unpack_from("<HHL", self._stream, at)
        return _Record(kind, instance >> 4, at + _HEAD_BYTES, min(at + _HEAD_BYTES + length, len(self._stream)))

    def _records(self, begin: int, end: int, *, is_deep: bool = True) -> Iterator[_Record]:
        """The records within some bytes, with those that they hold.

        Raises:
            DataError: if far more are read than there are, since some hold themselves.
        """
        opened: list[_Record] = []
        at = begin
        while opened or at + _HEAD_BYTES <= end:
            within = opened[-1].end if opened else end
            if at + _HEAD_BYTES > within:
                at = within
                yield opened.pop()._replace(is_end=True)
                continue
            self._check()
            self._num_left -= 1
            if self._num_left < 0:
                raise damaged(self._source, "its slides hold each other")
            instance, kind, length = struct.unpack_from("<HHL", self._stream, at)
            has_others = instance & _HAS_OTHERS == _HAS_OTHERS
            record = _Record(kind, instance >> 4, at + _HEAD_BYTES, min(at + _HEAD_BYTES + length, within), has_others)
            yield record
            if is_deep and has_others:
                opened.append(record)
                at = record.begin
            else:
                at = record.end


def _note_text(texts: list[Text], record: _Record, stream: bytes) -> None:
    """Notes a record of a text: of which kind it is, which comes first, what it says, or what is no part of it."""
    said = stream[record.begin : record.end]
    if record.kind == _Kind.KIND_OF_TEXT:
        texts.append(Text(int.from_bytes(said[:4], "little")))
    elif texts and record.kind == _Kind.TEXT:
        texts[-1].units = utf_16_units(said)
    elif texts and record.kind == _Kind.LATIN_TEXT:
        texts[-1].units = said.decode("latin-1")
    elif texts and record.kind == _Kind.STYLES:
        texts[-1].styles = said
    elif texts and record.kind in _STANDS_FOR:
        texts[-1].left_out.add(int.from_bytes(said[:4], "little"))


class _Cell(NamedTuple):
    """A cell of a table, which is a shape at a place."""

    left: int
    top: int
    right: int
    bottom: int
    text: str = ""


class _Shapes:
    """The text of the shapes of a slide, or of its notes.

    Args:
        titles: to which its title is added.
        texts: to which all others are.
        listed: texts that shapes name by their numbers.
        text: counts it.
    """

    def __init__(self, titles: list[str], texts: list[str], listed: Sequence[Text], text: TextCount) -> None:
        self._titles = titles
        self._texts = texts
        self._listed = dict(enumerate(listed))
        self._text = text
        self._groups: list[list[_Cell] | None] = []  # those that are open, with their cells if they are tables
        self._place = 0
        self._said: list[Text] = []
        self._position: _Cell | None = None
        self._numberings: list[Numbering | None] = []

    def add(self, record: _Record, stream: bytes) -> None:
        """Adds a record."""
        match record.kind:
            case _Kind.GROUP if not record.is_end:
                self._groups.append(None)
            case _Kind.GROUP:
                self._end_group()
            case _Kind.SHAPE if not record.is_end:
                self._place, self._said, self._position, self._numberings = 0, [], None, []
            case _Kind.SHAPE:
                self._end_shape()
            case _ if not record.has_others:
                self._add_said(record, stream)

    def _add_said(self, record: _Record, stream: bytes) -> None:
        match record.kind:
            case _Kind.PLACE | _Kind.LATER_PLACE:
                at = record.begin + (4 if record.kind == _Kind.PLACE else 0)
                self._place = self._place or (stream[at] if at < record.end else 0)
            case _Kind.POSITION if record.end - record.begin >= 16:
                self._position = _Cell(*struct.unpack_from("<4l", stream, record.begin))
            case _Kind.FURTHER_PROPERTIES if self._groups:
                if any(number == _IS_TABLE and value for number, value, _ in _properties(record, stream)):
                    self._groups[-1] = []
            case _Kind.PROPERTIES:
                arts = [data for number, _, data in _properties(record, stream) if number == _ART_TEXT]
                self._said += (Text(_OTHER, utf_16_units(data)) for data in arts)
            case _Kind.TAGGED:
                self._numberings += _numberings(stream[record.begin : record.end])
            case _Kind.LISTED_TEXT:
                number = int.from_bytes(stream[record.begin : record.end], "little")
                self._said += [self._listed.pop(number)] if number in self._listed else []
            case _:
                _note_text(self._said, record, stream)

    def add_others(self) -> None:
        """Adds the texts in the list that no shape names."""
        self._place, self._numberings = 0, []
        self._said = list(self._listed.values())
        self._end_shape()

    def _end_shape(self) -> None:
        if self._place in _LEFT_OUT:
            return
        for said in self._said:
            paragraphs = list(self._text.counted(said.paragraphs(self._numberings)))
            cells = self._groups[-1] if self._groups else None
            if cells is not None and self._position is not None:
                cells.append(self._position._replace(text=" ".join(paragraphs)))
            else:
                (self._titles if said.kind in TITLES else self._texts).extend(paragraphs)

    def _end_group(self) -> None:
        if cells := self._groups.pop():
            self._texts += self._text.counted(_table(cells).texts())


def _properties(record: _Record, stream: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The properties of a shape: the number, the value, and further data of each."""
    number = min(record.instance, (record.end - record.begin) // _PROPERTY_BYTES)
    at = record.begin + _PROPERTY_BYTES * number
    for entry in range(number):
        identity, value = struct.unpack_from("<HL", stream, record.begin + _PROPERTY_BYTES * entry)
        length = value if identity & _HAS_DATA else 0
        yield identity & _IDENTITY, value, stream[at : min(at + length, record.end)]
        at += length


def _numberings(tagged: bytes) -> list[Numbering | None]:
    """How paragraphs of a shape are numbered, which stands in what later programs added to it."""
    if len(tagged) < _HEAD_BYTES or int.from_bytes(tagged[2:4], "little") != _Kind.NUMBERINGS:
        return []
    return numberings_of(tagged[_HEAD_BYTES : _HEAD_BYTES + int.from_bytes(tagged[4:8], "little")])


def _table(cells: Sequence[_Cell]) -> Table:
    """A table of shapes: their edges say in which rows and columns they are."""
    lefts, tops = (sorted({cell[side] for cell in cells}) for side in (0, 1))
    rows: list[dict[int, str]] = [{} for _ in tops]
    widths: list[dict[int, int]] = [{} for _ in tops]
    num_spanned = 0
    for cell in cells:
        row, column = bisect_left(tops, cell.top), bisect_left(lefts, cell.left)
        rows[row][column] = " ".join(filter(None, [rows[row].get(column), cell.text]))
        widths[row][column] = max(1, bisect_left(lefts, cell.right) - column)
        end = bisect_left(tops, cell.bottom)
        num_spanned += max(0, end - row)
        if num_spanned <= _MAX_SPANNED and len(cell.text) <= LONGEST_NAME:
            for below in range(row + 1, end):
                rows[below].setdefault(column, cell.text)
    table = Table()
    for shown, covered in zip(rows, widths, strict=True):
        table.add(shown, widths=covered)
    return table
