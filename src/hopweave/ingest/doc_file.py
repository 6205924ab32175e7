"""The characters of a document of Word 97 to 2003 ([MS-DOC]), and what is said of them.

A document is one row of characters: its body, then its footnotes, headers, comments, endnotes and text boxes. Pieces of it
stand anywhere in the main stream, and what they are (a cell, a heading, hidden) is said of places in that stream.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.compound_file import damaged, encrypted
from hopweave.ingest.deadline import Check
from hopweave.ingest.doc_lists import numbering_of
from hopweave.ingest.doc_properties import (
    Change,
    Characters,
    Elsewhere,
    Paragraph,
    Runs,
    characters_of,
    paragraph_of,
    short_list,
    styles_of,
)
from hopweave.ingest.superscripts import raised
from hopweave.ingest.utf_16 import utf_16_units

_WORD_97, _WORD_97_BETA = 0xA5EC, 0xC0
_EARLIER_WORDS = frozenset({0xA59B, 0xA59C, 0xA5DB, 0xA5DC, 0xA697, 0xA699})
_IS_ENCRYPTED, _IS_IN_1TABLE = 0x0100, 0x0200

# Where the parts of the table stream are, by their numbers in the list of them.
_STYLES, _FOOTNOTE_MARKS, _FOOTNOTES, _OF_CHARACTERS, _OF_PARAGRAPHS, _PIECES = 1, 2, 3, 12, 13, 33
_SHAPES, _ENDNOTE_MARKS, _ENDNOTES, _BOXES, _LISTS, _LIST_USES = 40, 46, 47, 56, 73, 74

_PIECE_BYTES, _MARK_BYTES, _SHAPE_BYTES, _BOX_BYTES = 8, 2, 26, 22
_IN_ONE_BYTE = 1 << 30
_CHANGES = 1
_SHORT_CHANGES = {
    0x18: Change.IN_TABLE, 0x19: Change.ROW_END, 0x41: Change.DELETED, 0x55: Change.BOLD, 0x5C: Change.HIDDEN
}  # fmt: skip
"""What a piece may say of its text in two bytes, by the numbers that such changes have there."""

PARAGRAPH_END = lazy_pattern("[\r\x07\x0c]")
_FIELD = lazy_pattern("[\x13\x14\x15]")
_BEGIN, _SEPARATOR = "\x13", "\x14"
_NO_MARK = lazy_pattern("[^\r\x07\x0c]")
_HIDDEN = "\0"
SHOWN_AS = {**dict.fromkeys(range(0x20)), 0x09: " ", **dict.fromkeys((0x0A, 0x0B, 0x0C, 0x0E), "\n"), 0x1E: "-"}
"""Characters for programs: what stands for pictures, notes, optional hyphens and the like is left out."""
_CP1252 = {at: ord(shown) for at in range(0x80, 0xA0) if (shown := bytes([at]).decode("cp1252", "ignore"))}
_SHOWN = lazy_pattern(r"[^\0-\x20\xa0]")
_BOLD, _AS_IN_STYLE, _NOT_AS_IN_STYLE = 1, 2, 3
_PRIVATE = range(0xE000, 0xF900)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some characters of the document.

    Attributes:
        begin: the number of the first one.
        end: the number after the last one.
        place: of the first one in the main stream.
        width: bytes of each.
        changes: what is said of all of them besides.
    """

    begin: int
    end: int
    place: int
    width: int
    changes: bytes


@dataclass(frozen=True, slots=True)
class Attached:
    """A note or a text box.

    Attributes:
        mark: the character of the body that stands for it.
        begin: its first character.
        end: the one after its last.
    """

    mark: int
    begin: int
    end: int


class WordFile:
    """A document, whose characters are numbered.

    Attributes:
        text: with the characters that are hidden, and the instructions of fields, replaced.
        body: the first character of it, and the one after its last.
        attached: its notes and text boxes, in order.
        styles: of its paragraphs.
        numbering: of its lists.

    Raises:
        DataError: for a file of Word 95 or earlier, or one that is encrypted or damaged.
    """

    def __init__(self, streams: Mapping[str, bytes], source: str, check: Check) -> None:
        self._main = main = streams["WordDocument"]
        self._source = source
        self._check = check
        magic, version, flags = struct.unpack_from("<HH6xH", main)
        if magic in _EARLIER_WORDS or (magic == _WORD_97 and version < _WORD_97_BETA):
            raise DataError(f"{source} was saved by Word 95 or earlier; save it as DOCX, or leave it out")
        if magic != _WORD_97:
            raise damaged(source, "it does not begin as documents of Word do")
        if flags & _IS_ENCRYPTED:
            raise encrypted(source)
        tables = ("1Table", "0Table") if flags & _IS_IN_1TABLE else ("0Table", "1Table")
        self._table = next((streams[name] for name in tables if name in streams), b"")
        self.styles = styles_of(self._part(_STYLES), check)
        self.numbering = numbering_of(self._part(_LISTS, has_more=True), self._part(_LIST_USES), check)
        self._characters = Runs(main, self._part(_OF_CHARACTERS), 1)
        self._paragraphs = Runs(main, self._part(_OF_PARAGRAPHS), 13)
        self._elsewhere = Elsewhere(streams.get("Data", b""))
        self._known: dict[bytes, Paragraph] = {}
        self._pieces = self._all_pieces()
        self._begins = [piece.begin for piece in self._pieces]
        self._bold_from, self._boldness = array("L"), array("b")
        lengths = struct.unpack_from("<7L", main, 0x4C)
        ends = [0]
        for length in lengths:
            ends.append(min(ends[-1] + length, self._pieces[-1].end if self._pieces else 0))
        self.body, footnotes, _, _, _, endnotes, boxes = pairwise(ends)
        text = "".join(map(self._shown, self._pieces))
        self.text = "".join(_without_instructions(text[begin:end]) for begin, end in [*pairwise(ends), (ends[-1], len(text))])
        self.attached = sorted(
            [
                *self._attached(footnotes, self._marks(_FOOTNOTE_MARKS, _MARK_BYTES), self._part(_FOOTNOTES)),
                *self._attached(endnotes, self._marks(_ENDNOTE_MARKS, _MARK_BYTES), self._part(_ENDNOTES)),
                *self._boxes(boxes),
            ],
            key=lambda one: one.mark,
        )

    def paragraph(self, at: int) -> Paragraph:
        """What is said of the paragraph that a character ends."""
        piece = self._pieces[bisect_right(self._begins, at) - 1]
        listed = self._paragraphs.at(piece.place + (at - piece.begin) * piece.width)[1]
        listed = (listed or bytes(2)) + piece.changes
        if listed not in self._known:
            self._known[listed] = paragraph_of(listed, self._elsewhere)
        return self._known[listed]

    def is_bold(self, begin: int, end: int, *, of_style: bool) -> bool:
        """Whether all of some characters are bold.

        Args:
            begin: the first one.
            end: the one after the last.
            of_style: whether those are that do not say.
        """
        first = max(0, bisect_right(self._bold_from, begin) - 1)
        boldness = {_AS_IN_STYLE: of_style, _NOT_AS_IN_STYLE: not of_style, _BOLD: True}
        for at in range(first, bisect_left(self._bold_from, end)):
            until = self._bold_from[at + 1] if at + 1 < len(self._bold_from) else end
            if not boldness.get(self._boldness[at], False) and _SHOWN.search(
                self.text, max(begin, self._bold_from[at]), min(end, until)
            ):
                return False
        return True

    def _part(self, number: int, *, has_more: bool = False) -> bytes:
        """A part of the table stream; empty if there is none.

        Args:
            number: of it in the list of them.
            has_more: whether it goes on after its end, as levels of lists follow the lists.
        """
        place, length = struct.unpack_from("<LL", self._main, 0x9A + 8 * number)
        return self._table[place : None if has_more and length else place + length]

    def _all_pieces(self) -> list[_Piece]:
        listed: list[bytes] = []
        part = self._part(_PIECES)
        at = 0
        while part[at : at + 1] == bytes([_CHANGES]):
            self._check()
            (length,) = struct.unpack_from("<H", part, at + 1)
            listed.append(short_list(part[at + 3 : at + 3 + length]))
            at += 3 + length
        (length,) = struct.unpack_from("<L", part, at + 1)
        part = part[at + 5 : at + 5 + length]
        number = max(0, len(part) - 4) // (4 + _PIECE_BYTES)
        numbers = struct.unpack_from(f"<{number + 1}L", part)
        if list(numbers) != sorted(numbers) or numbers[-1] > len(self._main):
            raise damaged(self._source, "its pieces are longer than the file")
        found = []
        for at, (begin, end) in enumerate(pairwise(numbers)):
            self._check()
            place, more = struct.unpack_from("<LH", part, 4 * (number + 1) + _PIECE_BYTES * at + 2)
            width = 1 if place & _IN_ONE_BYTE else 2
            place = (place & (_IN_ONE_BYTE - 1)) // (3 - width)
            if place + (end - begin) * width > len(self._main):
                raise damaged(self._source, "its text ends early")
            found.append(_Piece(begin, end, place, width, _changes_of_piece(more, listed)))
        return found

    def _shown(self, piece: _Piece) -> str:
        """The characters of a piece, those that are hidden replaced."""
        end = piece.place + (piece.end - piece.begin) * piece.width
        written = _decoded(self._main[piece.place : end], piece.width)
        shown: list[str] = []
        at = piece.place
        while at < end:
            self._check()
            until, listed = self._characters.at(at)
            until = min(max(until - (until - at) % piece.width, at + piece.width), end)
            said = characters_of(listed + piece.changes, self.styles)
            first, last = ((place - piece.place) // piece.width for place in (at, until))
            self._bold_from.append(piece.begin + first)
            self._boldness.append(_boldness(said))
            text = written[first:last]
            if said.is_raised:
                text = raised(text, shown)
            if said.symbol and said.symbol not in _PRIVATE:
                text = _NO_MARK.sub(chr(said.symbol), text)
            shown.append(_NO_MARK.sub(_HIDDEN, text) if said.is_hidden or said.symbol in _PRIVATE else text)
            at = until
        return "".join(shown)

    def _marks(self, number: int, bytes_of_entry: int) -> list[int]:
        """The characters of the body that stand for notes or shapes."""
        part = self._part(number)
        count = max(0, len(part) - 4) // (4 + bytes_of_entry)
        return list(struct.unpack_from(f"<{count}L", part))

    def _attached(self, among: tuple[int, int], marks: Sequence[int], table: bytes) -> Iterator[Attached]:
        """The texts within a range of characters that a table tells apart, each with its mark; those without one come last."""
        first, last = among
        at = first
        numbers = struct.unpack_from(f"<{len(table) // 4}L", table)[1:]
        for number, end in enumerate([*numbers, last - first]):
            self._check()
            end = min(max(first + end, at), last)  # noqa: PLW2901 - damaged numbers would say that texts overlap
            if end > at:
                yield Attached(min(marks[number], self.body[1]) if number < len(marks) else self.body[1], at, end)
            at = end

    def _boxes(self, among: tuple[int, int]) -> Iterator[Attached]:
        """The text boxes, each with the mark of the shape that it belongs to."""
        marks = self._marks(_SHAPES, _SHAPE_BYTES)
        shapes = self._part(_SHAPES)[4 * (len(marks) + 1) :]
        mark_of = {shapes[_SHAPE_BYTES * at : _SHAPE_BYTES * at + 4]: mark for at, mark in enumerate(marks)}
        table = self._part(_BOXES)
        number = max(0, len(table) - 4) // (4 + _BOX_BYTES)
        boxes = table[4 * (number + 1) :]
        owners = (boxes[_BOX_BYTES * at + 14 : _BOX_BYTES * at + 18] for at in range(number))
        marks = [mark_of.get(owner, self.body[1]) for owner in owners]
        yield from self._attached(among, marks, table[: 4 * (number + 1)])


def _boldness(said: Characters) -> int:
    if said.is_not_as_in_style:
        return _NOT_AS_IN_STYLE
    return _AS_IN_STYLE if said.is_bold is None else int(said.is_bold)


def _changes_of_piece(more: int, listed: Sequence[bytes]) -> bytes:
    """What a piece says of its text."""
    if more & 1:
        return listed[more >> 1] if more >> 1 < len(listed) else b""
    change = _SHORT_CHANGES.get(more >> 1 & 0x7F)
    return b"" if change is None else struct.pack("<HB", change, more >> 8)


def _decoded(written: bytes, width: int) -> str:
    """Some characters, each of 16 bits as they are counted in the file, so that those beyond are two."""
    if width == 1:
        return written.decode("latin-1").translate(_CP1252)
    return utf_16_units(written)


def _without_instructions(text: str) -> str:
    """A text with the instructions of its fields replaced, so that their results remain; as long as before."""
    opened, separated = array("l"), array("l")
    instructions: list[tuple[int, int]] = []
    for found in _FIELD.finditer(text):
        at = found.start()
        if found[0] == _BEGIN:
            opened.append(at)
            separated.append(-1)
        elif opened and found[0] == _SEPARATOR:
            separated[-1] = at if separated[-1] < 0 else separated[-1]
        elif opened:
            begin, end = opened.pop(), separated.pop()
            instructions.append((begin, at if end < 0 else end))
    pieces: list[str] = []
    at = 0
    for begin, end in sorted(instructions):
        if end > at:  # else it is within another one
            pieces += [text[at:begin], _NO_MARK.sub(_HIDDEN, text[begin:end])]
            at = end
    return "".join([*pieces, text[at:]])
