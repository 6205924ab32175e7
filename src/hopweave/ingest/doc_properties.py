"""Properties of text in DOC ([MS-DOC], 2.6 and 2.9): which paragraphs are rows of tables or headings, which text is hidden.

They are lists of changes (`sprm`), each a number and an operand, for runs of bytes of the main stream. Pages of 512 bytes hold
them, and a table says which page is for which bytes.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.paragraph_styles import MAX_STYLES_ABOVE, level_of_outline

_PAGE_BYTES = 512
_PLACE_BYTES = 4
_MAX_NUMBER = 0x3FFFFF
_SIZES = (1, 1, 2, 4, 2, 2, 0, 3)
"""Bytes of an operand by the last three bits of its number; 0 if they begin with their length."""
_LONG_TABS = 255


class Change(IntEnum):
    """The changes that matter here, by their numbers."""

    DELETED = 0x0800
    BOLD = 0x0835
    HIDDEN = 0x083C
    CHARACTER_STYLE = 0x4A30
    RAISED = 0x2A48
    SYMBOL = 0x6A09
    STYLE = 0x4600
    OUTLINE = 0x2640
    LIST = 0x460B
    LIST_LEVEL = 0x260A
    INITIAL = 0x442C
    IN_TABLE = 0x2416
    TABLE_DEPTH = 0x6649
    ROW_END = 0x2417
    IS_HEADER = 0x3404
    CELLS = 0xD608
    TABS = 0xC615


_ELSEWHERE = frozenset({0x6645, 0x6646, 0x646B})
"""Numbers of what stands in a stream of its own, since it is too long for a page."""

_SHORT = frozenset(Change) - {Change.CELLS, Change.TABS}

_BYTES_OF_CELL = 20
_CONTINUED, _RESTARTED, _MERGED = 0x20, 0x40, 0x03

_PARAGRAPH_STYLE = 1
_TITLE, _FIRST_CONTENTS, _LAST_CONTENTS = 62, 19, 27
_LAST_HEADING = 9
_CONTENTS_NAME = lazy_pattern(r"toc heading", re.IGNORECASE)
_AS_IN_STYLE, _NOT_AS_IN_STYLE = 0x80, 0x81
_INITIAL_KINDS = 0x7


def changes(listed: bytes) -> Iterator[tuple[int, bytes]]:
    """The number and the operand of each change of a list."""
    at = 0
    while at + 3 <= len(listed):
        number = listed[at] | listed[at + 1] << 8
        at += 2
        size = _SIZES[number >> 13]
        if number == Change.CELLS:
            size = 1 + int.from_bytes(listed[at : at + 2], "little")
        elif number == Change.TABS and listed[at] == _LONG_TABS:
            num_deleted = int.from_bytes(listed[at + 1 : at + 2], "little")
            num_added = int.from_bytes(listed[at + 2 + 4 * num_deleted : at + 3 + 4 * num_deleted], "little")
            size = 3 + 4 * num_deleted + 3 * num_added
        elif not size:
            size = 1 + listed[at]
        yield number, listed[at : at + size]
        at += size


def short_list(listed: bytes) -> bytes:
    """A list without the changes that do not matter here, and those that others follow; cells are left out too."""
    kept = {number: operand for number, operand in changes(listed) if number in _SHORT}
    return b"".join(struct.pack("<H", number) + operand for number, operand in kept.items())


class Runs:
    """The lists of changes by the bytes of the main stream that they are for.

    Args:
        stream: the main stream.
        table: which of its pages are for which bytes.
        bytes_of_entry: how many a page has for each run, of which the first says where the list is.
    """

    def __init__(self, stream: bytes, table: bytes, bytes_of_entry: int) -> None:
        number = max(0, len(table) - _PLACE_BYTES) // (2 * _PLACE_BYTES)
        numbers = struct.unpack_from(f"<{2 * number + 1}L", table.ljust(_PLACE_BYTES, b"\0"))
        self._stream = stream
        self._bytes_of_entry = bytes_of_entry
        self._starts = numbers[: number + 1]
        self._numbers = numbers[number + 1 :]
        self._pages: dict[int, tuple[tuple[int, ...], list[bytes]]] = {}

    def at(self, place: int) -> tuple[int, bytes]:
        """Where the run ends that a byte is in, and its list; one of 0 ends at once."""
        at = bisect_right(self._starts, place) - 1
        if not 0 <= at < len(self._numbers):
            return 0, b""
        number = self._numbers[at] & _MAX_NUMBER
        if number not in self._pages:
            self._pages[number] = self._page(number)
        starts, lists = self._pages[number]
        at = bisect_right(starts, place) - 1
        return (starts[at + 1], lists[at]) if 0 <= at < len(lists) else (0, b"")

    def _page(self, number: int) -> tuple[tuple[int, ...], list[bytes]]:
        page = self._stream[number * _PAGE_BYTES : (number + 1) * _PAGE_BYTES]
        num_runs = page[-1] if len(page) == _PAGE_BYTES else 0
        entries = _PLACE_BYTES * (num_runs + 1)
        if not num_runs or entries + num_runs * self._bytes_of_entry >= _PAGE_BYTES:
            return (), []
        places = (2 * page[entries + self._bytes_of_entry * at] for at in range(num_runs))
        of_place = self._of_paragraph if self._bytes_of_entry > 1 else self._of_characters
        return struct.unpack_from(f"<{num_runs + 1}L", page), [of_place(page, place) if place else b"" for place in places]

    @staticmethod
    def _of_characters(page: bytes, place: int) -> bytes:
        return page[place + 1 : place + 1 + page[place]]

    @staticmethod
    def _of_paragraph(page: bytes, place: int) -> bytes:
        """The style of a paragraph, as two bytes, and its list."""
        if page[place]:
            return page[place + 1 : place + 2 * page[place]]
        return page[place + 2 : place + 2 + 2 * page[place + 1]]


class Characters(NamedTuple):
    """What is said of a run of characters.

    Attributes:
        is_hidden: whether it is not shown, or was deleted.
        is_bold: `None` if it is as in the style of the paragraph.
        is_not_as_in_style: whether it is bold if that style is not.
        is_raised: whether it is a superscript.
        symbol: the character of another font that each of its characters stands for; 0 if they stand for themselves.
    """

    is_hidden: bool = False
    is_bold: bool | None = None
    is_not_as_in_style: bool = False
    is_raised: bool = False
    symbol: int = 0


class Cells(NamedTuple):
    """The cells of a row.

    Attributes:
        edges: between them, from left to right.
        flags: of each, as far as they are given.
    """

    edges: tuple[int, ...]
    flags: tuple[int, ...]

    def is_continued(self, at: int) -> bool:
        """Whether a cell goes on with the one above it."""
        flags = self.flags[at] if at < len(self.flags) else 0
        return bool(flags & _CONTINUED) and not flags & _RESTARTED

    def is_merged(self, at: int) -> bool:
        """Whether a cell is one of several next to each other that are merged."""
        return at < len(self.flags) and bool(self.flags[at] & _MERGED)


@dataclass(slots=True)
class Paragraph:
    """What is said of a paragraph.

    Attributes:
        style: its number.
        outline: its level, from 0, of which 9 is for other text; `None` if it says nothing.
        list: the number of its list, 0 for none; `None` if it says nothing.
        list_level: from 0; `None` if it says nothing.
        is_initial: whether it is a large letter that begins the next paragraph.
        is_in_table: whether it is in a cell, or ends a row.
        is_row_end: whether it ends a row.
        is_header: whether the row that it ends names the columns.
        cells: those of the row that it ends.
    """

    style: int = 0
    outline: int | None = None
    list: int | None = None
    list_level: int | None = None
    is_initial: bool = False
    is_in_table: bool = False
    is_row_end: bool = False
    is_header: bool = False
    cells: Cells | None = None


@dataclass(frozen=True, slots=True)
class _Style:
    """A style.

    Attributes:
        kind: the number of a built-in one, whatever its name is in the language of the program.
        name: as it is written.
        based_on: the number of another style.
        paragraph: what it says of paragraphs.
        is_bold: whether its text is bold; `None` if it says nothing.
        is_hidden: whether its text is hidden; `None` if it says nothing.
    """

    kind: int
    name: str
    based_on: int
    paragraph: Paragraph
    is_bold: bool | None
    is_hidden: bool | None


@dataclass(slots=True)
class Styles:
    """The styles of a document by their numbers."""

    _styles: Mapping[int, _Style] = field(default_factory=dict)

    def level(self, style: int) -> int:
        """The level of headings in a style, its own or that of the ones it is based on; 0 if it is none for headings."""
        for known in self._chain(style):
            if known.paragraph.outline is not None:
                return level_of_outline(known.paragraph.outline)
            if 1 <= known.kind <= _LAST_HEADING:
                return known.kind
        return 0

    def list(self, style: int) -> tuple[int, int | None]:
        """The number of the list of a style, its own or that of the ones it is based on, and the level; 0 for none."""
        chain = list(self._chain(style))
        number = next((known.paragraph.list for known in chain if known.paragraph.list is not None), 0)
        return number, next((known.paragraph.list_level for known in chain if known.paragraph.list_level is not None), None)

    def is_bold(self, style: int) -> bool:
        """Whether text in a style is bold, by itself or by the ones it is based on."""
        return next((known.is_bold for known in self._chain(style) if known.is_bold is not None), False)

    def is_hidden(self, style: int) -> bool:
        """Whether text in a style is hidden, by itself or by the ones it is based on."""
        return next((known.is_hidden for known in self._chain(style) if known.is_hidden is not None), False)

    def is_title(self, style: int) -> bool:
        """Whether it is the style of titles."""
        return style in self._styles and self._styles[style].kind == _TITLE

    def is_contents(self, style: int) -> bool:
        """Whether it is a style of tables of contents."""
        known = self._styles.get(style)
        return known is not None and (
            _FIRST_CONTENTS <= known.kind <= _LAST_CONTENTS or _CONTENTS_NAME.fullmatch(known.name) is not None
        )

    def _chain(self, style: int) -> Iterator[_Style]:
        for _ in range(MAX_STYLES_ABOVE):
            known = self._styles.get(style)
            if known is None:
                return
            yield known
            style = known.based_on


def styles_of(sheet: bytes, check: Check) -> Styles:
    """The styles in a style sheet, as far as it is not damaged."""
    found: dict[int, _Style] = {}
    try:
        length, count, base = struct.unpack_from("<HHH", sheet)
        at = 2 + length
        for number in range(count):
            check()
            (length,) = struct.unpack_from("<H", sheet, at)
            if length:
                found[number] = _style(sheet[at + 2 : at + 2 + length], base)
            at += 2 + length + length % 2
    except (struct.error, IndexError):
        pass  # those that were read are of use
    return Styles(found)


def _style(written: bytes, base: int) -> _Style:
    kind, based_on, counts = struct.unpack_from("<HHH", written)
    (length,) = struct.unpack_from("<H", written, base)
    name = written[base + 2 : base + 2 + 2 * length].decode("utf-16-le", "replace")
    at = base + 4 + 2 * length
    lists = []
    for _ in range(counts & 0xF):
        at += at % 2
        (length,) = struct.unpack_from("<H", written, at) if at + 2 <= len(written) else (0,)
        lists.append(written[at + 2 : at + 2 + length])
        at += 2 + length
    is_of_paragraphs = based_on & 0xF == _PARAGRAPH_STYLE
    paragraph = paragraph_of(lists[0]) if is_of_paragraphs and lists else Paragraph()
    flags = dict(changes(lists[1 if is_of_paragraphs else 0])) if len(lists) > is_of_paragraphs else {}
    is_bold, is_hidden = (_flag(flags[number]) if number in flags else None for number in (Change.BOLD, Change.HIDDEN))
    return _Style(kind & 0xFFF, name, based_on >> 4, paragraph, is_bold, is_hidden)


def _flag(operand: bytes, *, of_style: bool = False) -> bool | None:
    """A property that is on or off; `None` if it is as in the style.

    Args:
        operand: that says so.
        of_style: whether it is on in the style.
    """
    value = operand[0] if operand else 0
    if value == _NOT_AS_IN_STYLE:
        return not of_style
    return None if value == _AS_IN_STYLE else bool(value)


def characters_of(listed: bytes, styles: Styles) -> Characters:
    """What a list says of a run of characters."""
    said = dict(changes(listed))
    style = int.from_bytes(said.get(Change.CHARACTER_STYLE, b"\xff\xff"), "little")
    of_style = styles.is_hidden(style)
    is_hidden = _flag(said[Change.HIDDEN], of_style=of_style) if Change.HIDDEN in said else None
    bold = said.get(Change.BOLD)
    return Characters(
        is_hidden=bool(_flag(said.get(Change.DELETED, b""))) or (of_style if is_hidden is None else is_hidden),
        is_bold=None if bold is None else _flag(bold),
        is_not_as_in_style=bold == bytes([_NOT_AS_IN_STYLE]),
        is_raised=said.get(Change.RAISED) == b"\1",
        symbol=int.from_bytes(said.get(Change.SYMBOL, b"")[2:], "little"),
    )


class Elsewhere:
    """The stream with the lists that are too long for a page, such as those of rows with many cells.

    No more is read of it than twice its length: damaged files name the same bytes again and again.
    """

    def __init__(self, stream: bytes) -> None:
        self._stream = stream
        self._num_left = 2 * len(stream)

    def at(self, place: int) -> bytes:
        """The list at a place."""
        length = int.from_bytes(self._stream[place : place + 2], "little")
        self._num_left -= length
        return self._stream[place + 2 : place + 2 + length] if self._num_left >= 0 else b""


def paragraph_of(written: bytes, elsewhere: Elsewhere | None = None) -> Paragraph:
    """What a style, as two bytes, and a list say of a paragraph."""
    found = Paragraph(int.from_bytes(written[:2], "little"))
    for number, operand in changes(written[2:]):
        if number not in _ELSEWHERE:
            _note(found, number, operand)
        elif elsewhere is not None:
            for further, value in changes(elsewhere.at(int.from_bytes(operand, "little"))):
                _note(found, further, value)
    return found


def _note(found: Paragraph, number: int, operand: bytes) -> None:
    value = int.from_bytes(operand, "little")
    match number:
        case Change.STYLE:
            found.style = value
        case Change.OUTLINE:
            found.outline = min(value, _LAST_HEADING)
        case Change.LIST:
            found.list = value
        case Change.LIST_LEVEL:
            found.list_level = value
        case Change.INITIAL:
            found.is_initial = value & _INITIAL_KINDS > 0
        case Change.IN_TABLE:
            found.is_in_table = bool(value)
        case Change.TABLE_DEPTH:
            found.is_in_table = value > 0
        case Change.ROW_END:
            found.is_row_end = bool(value)
        case Change.IS_HEADER:
            found.is_header = bool(value)
        case Change.CELLS:
            found.cells = _cells(operand)


def _cells(operand: bytes) -> Cells | None:
    number = operand[2] if len(operand) > 2 else 0
    flags_at = 3 + 2 * (number + 1)
    if not number or flags_at > len(operand):
        return None
    edges = struct.unpack_from(f"<{number + 1}h", operand, 3)
    places = range(flags_at, min(len(operand) - 1, flags_at + _BYTES_OF_CELL * number), _BYTES_OF_CELL)
    return Cells(edges, tuple(int.from_bytes(operand[at : at + 2], "little") for at in places))
