"""Text of shapes in PPT ([MS-PPT], 2.9): its paragraphs, with their numbers, which are counted as in PPTX, and superscripts."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hopweave.ingest.pptx_numbers import PptxNumbers
from hopweave.ingest.superscripts import raised
from hopweave.ingest.utf_16 import from_units

TITLES = frozenset({0, 6})
"""Kinds of texts that are titles."""

_SHOWN_AS = {**dict.fromkeys(range(0x20)), 0x09: " ", 0x0A: "\v", 0x0B: "\v"}

_OF_PARAGRAPHS = (
    (0xF, 2), (0x80, 2), (0x10, 2), (0x40, 2), (0x20, 4), (0x800, 2), (0x1000, 2), (0x2000, 2), (0x4000, 2), (0x100, 2),
    (0x400, 2), (0x8000, 2),
)  # fmt: skip
"""The bits that say which properties of paragraphs are given, in the order in which they are, and how long each is."""
_TABS = 0x100000
_AFTER_TABS = ((0x10000, 2), (0xE0000, 2), (0x200000, 2))
_HAS_FONT_STYLE, _POSITION = 0xFFFF, 0x80000
_BETWEEN = ((0x10000, 2), (0x200000, 2), (0x400000, 2), (0x800000, 2), (0x20000, 2), (0x40000, 4))
"""The same for properties of characters between the style of the font and the position above the line."""
_HAS_PICTURE, _HAS_SCHEME, _HAS_NUMBER = 0x800000, 0x1000000, 0x2000000
_HAS_MORE = 0x100000
_OF_LANGUAGE = ((1, 2), (2, 2), (4, 2), (0x40, 2), (0x20, 4))
_GROUPS = 16
_SCHEMES = {
    **dict.fromkeys((0, 8, 9), "alphaLc"), **dict.fromkeys((1, 10, 11), "alphaUc"), **dict.fromkeys((4, 5, 6), "romanLc"),
    **dict.fromkeys((7, 14, 15), "romanUc"),
}  # fmt: skip
"""All others are in digits."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """How some paragraphs are numbered.

    Attributes:
        scheme: as PPTX names it.
        first: the first number.
    """

    scheme: str
    first: int


@dataclass(slots=True)
class Text:
    """A text of a shape.

    Attributes:
        kind: whether it is a title.
        units: its characters, each of 16 bits, so that those beyond are two.
        styles: what is said of runs of them.
        left_out: the numbers of those that stand for something else.
    """

    kind: int
    units: str = ""
    styles: bytes = b""
    left_out: set[int] = field(default_factory=set)

    def paragraphs(self, numberings: Sequence[Numbering | None] = ()) -> Iterator[str]:
        """Its paragraphs with text.

        Args:
            numberings: that its runs name by their numbers.
        """
        levels, runs = _runs(self.styles, len(self.units) + 1)
        units = _with_superscripts(self.units, runs)
        if self.left_out:
            units = "".join("\0" if at in self.left_out else unit for at, unit in enumerate(units))
        numbers = PptxNumbers()
        at = 0
        for paragraph in units.split("\r"):
            text = from_units(paragraph).translate(_SHOWN_AS)
            if lines := [shown for line in text.split("\v") if (shown := " ".join(line.split()))]:
                numbering = _at(numberings, _value(runs.ends, runs.groups, at))
                numbers.start("a:p", {})
                numbers.start("a:pPr", {"lvl": str(_value(levels.ends, levels.groups, at))})
                if numbering is not None:
                    numbers.start("a:buAutoNum", {"type": numbering.scheme, "startAt": str(numbering.first)})
                yield numbers.numbered("\n".join(lines))
            at += len(paragraph) + 1


@dataclass(slots=True)
class _Runs:
    """Runs of characters, in order.

    Attributes:
        ends: of each.
        groups: the level of each, if it is of paragraphs, or else the number of its numbering.
        are_raised: whether each is a superscript.
    """

    ends: list[int] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    are_raised: list[bool] = field(default_factory=list)


def _runs(styles: bytes, length: int) -> tuple[_Runs, _Runs]:
    """The runs of paragraphs and of characters, as far as they are not damaged."""
    levels, runs = _Runs(), _Runs()
    at = end = 0
    try:
        while end < length:
            count, level, given = struct.unpack_from("<LHL", styles, at)
            at = _after(at + 10, given, _OF_PARAGRAPHS)
            if given & _TABS:
                at += 2 + 4 * int(struct.unpack_from("<H", styles, at)[0])
            at = _after(at, given, _AFTER_TABS)
            end += count
            levels.ends.append(end)
            levels.groups.append(level)
        end = last = number = 0
        while end < length:
            count, given = struct.unpack_from("<LL", styles, at)
            at += 8
            if given & _HAS_FONT_STYLE:
                group = struct.unpack_from("<H", styles, at)[0] >> 10 & (_GROUPS - 1)
                number, last = number + (group - last) % _GROUPS, group  # they are counted up to 15, and from 0 again
                at += 2
            at = _after(at, given, _BETWEEN)
            position = struct.unpack_from("<h", styles, at)[0] if given & _POSITION else 0
            at += 2 if given & _POSITION else 0
            end += count
            runs.ends.append(end)
            runs.groups.append(number)
            runs.are_raised.append(position > 0)
    except struct.error:
        pass  # those that were read are of use
    return levels, runs


def _after(at: int, given: int, sizes: Sequence[tuple[int, int]]) -> int:
    """The place after the properties that are given."""
    return at + sum(size for bits, size in sizes if given & bits)


def _with_superscripts(units: str, runs: _Runs) -> str:
    """A text with its superscripts as raised digits; as long as before."""
    if not any(runs.are_raised):
        return units
    pieces: list[str] = []
    at = 0
    for end, is_raised in zip(runs.ends, runs.are_raised, strict=True):
        piece = units[at:end]
        pieces.append(raised(piece, pieces) if is_raised else piece)
        at = end
    return "".join([*pieces, units[at:]])


def _value(ends: Sequence[int], values: Sequence[int], at: int) -> int:
    """The value of the run that a character is in."""
    number = bisect_right(ends, at)
    return values[number] if number < len(values) else 0


def _at(numberings: Sequence[Numbering | None], number: int) -> Numbering | None:
    return numberings[number] if number < len(numberings) else None


def numberings_of(written: bytes) -> list[Numbering | None]:
    """How paragraphs are numbered whose runs name this by their numbers, as far as it is not damaged."""
    found: list[Numbering | None] = []
    at = 0
    try:
        while at < len(written):
            (given,) = struct.unpack_from("<L", written, at)
            at += 4 + (2 if given & _HAS_PICTURE else 0)
            has_number = bool(given & _HAS_NUMBER) and struct.unpack_from("<h", written, at)[0] != 0
            at += 2 if given & _HAS_NUMBER else 0
            scheme, first = struct.unpack_from("<HH", written, at) if given & _HAS_SCHEME else (3, 1)
            at += 4 if given & _HAS_SCHEME else 0
            (given,) = struct.unpack_from("<L", written, at)
            at += 4 + (4 if given & _HAS_MORE else 0)
            (given,) = struct.unpack_from("<L", written, at)
            at = _after(at + 4, given, _OF_LANGUAGE)
            found.append(Numbering(_SCHEMES.get(scheme, "arabic"), first) if has_number else None)
    except struct.error:
        pass
    return found
