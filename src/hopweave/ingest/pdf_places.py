"""Where words and straight lines are drawn on the pages of a PDF; part of the separate program `pdf_process`."""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from hopweave.core.lazy_pattern import lazy_pattern

MAX_CHARACTERS = 50_000
"""Maximum number of characters of a page; a page of a newspaper has 30,000."""

UNITS = 10_000
"""Places on a page, as the library is asked for them, are in ten-thousandths of its width and height."""

BOLD = lazy_pattern(r"bold|black|heavy|semib|demi|cmbx|sfbx", re.IGNORECASE)
"""Of the name of a font; `CMBX` is that of TeX."""

_MAX_NAME = 200
_SPACE, _DIVIDED = 0x20, 0x02
"""Codes of characters; the second one is that of a hyphen at the end of a line."""
_MAX_PIECES = 20_000
"""Maximum number of pieces of the lines of a page."""
_MAX_DRAWN = 20_000
"""Maximum number of words, and of straight lines, of a page that are told."""
_THIN = 30
"""Tenths of a point: a line is at most as thick as this, and longer."""


class Drawn:
    """What is drawn on the pages of a PDF, where: by the library that also draws them.

    Args:
        stream: the PDF; without the library, or if that cannot read it, nothing is told.
    """

    def __init__(self, stream: Any) -> None:
        try:
            self._document = import_module("pypdfium2").PdfDocument(stream)
        except Exception:  # noqa: BLE001 - what it does not read, in any way, the other library does
            self._document = None

    def on_page(self, number: int) -> tuple[list[tuple[str, int, int, int, int, int]], list[tuple[int, int, int, int]]]:
        """The words of a page in the order of its text, and straight lines; see `_words` and `_rules`."""
        try:
            page = self._document[number - 1]
            shown = _Shown(page)
            words, rules = list(_words(page, shown)), list(_rules(page, shown))
            return (words, rules) if max(len(words), len(rules)) <= _MAX_DRAWN else ([], [])
        except Exception:  # noqa: BLE001 - see above
            return [], []


class _Shown:
    """Places on a page as it is shown, whatever its rotation: tenths of a point from its left and its top."""

    def __init__(self, page: Any) -> None:
        from pypdfium2 import raw

        x, y = ctypes.c_int(), ctypes.c_int()
        places = []
        for across, up in ((0, 0), (UNITS, 0), (0, UNITS)):
            raw.FPDF_PageToDevice(page, 0, 0, UNITS, UNITS, 0, across, up, x, y)
            places.append((x.value, y.value))
        (self._x, self._y), right, above = places
        width, height = page.get_size()
        self._wide, self._high = width * 10 / UNITS, height * 10 / UNITS
        self._across = (right[0] - self._x) / UNITS, (right[1] - self._y) / UNITS
        self._up = (above[0] - self._x) / UNITS, (above[1] - self._y) / UNITS

    def box(self, left: float, bottom: float, right: float, top: float) -> tuple[int, int, int, int]:
        """The left, top, right and bottom of a box."""
        (one_x, one_y), (other_x, other_y) = self._place(left, bottom), self._place(right, top)
        return min(one_x, other_x), min(one_y, other_y), max(one_x, other_x), max(one_y, other_y)

    def _place(self, x: float, y: float) -> tuple[int, int]:
        across = self._x + x * self._across[0] + y * self._up[0]
        down = self._y + x * self._across[1] + y * self._up[1]
        return round(across * self._wide), round(down * self._high)


def _words(page: Any, shown: _Shown) -> Iterator[tuple[str, int, int, int, int, int]]:
    """Each word with its box, and how it is written: 1 for bold, 2 for letters of one width, 4 for the first of those that are
    written together, or the sum of these.

    A word that stands on its side has an empty box.
    """
    from pypdfium2 import raw

    text = page.get_textpage()
    word, first, high = "", 0, 0
    before = None
    num = min(text.count_chars(), MAX_CHARACTERS)
    for at in range(num + 1):
        code = raw.FPDFText_GetUnicode(text, at) if at < num else _SPACE
        character, high = character_of(code, high), code if 0xD800 <= code < 0xDC00 else 0
        if code == _DIVIDED:
            character = "-"
        if not high and (character.isspace() or character < " "):
            if word:
                written = ctypes.addressof(raw.FPDFText_GetTextObject(text, first).contents)
                yield word, *_box_of(text, first, at - 1, shown), _style(text, first) + 4 * (written != before)
                before = written
            word = ""
            continue
        first = first if word else at
        word += "" if high else character
        if code == _DIVIDED:
            yield word, *_box_of(text, first, at, shown), _style(text, first)
            word = ""


def _box_of(text: Any, first: int, last: int, shown: _Shown) -> tuple[int, int, int, int]:
    one, other = (shown.box(*text.get_charbox(at, loose=True)) for at in (first, last))
    box = min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])
    is_on_its_side = abs(other[1] - one[1]) > abs(other[0] - one[0])
    return (0, 0, 0, 0) if is_on_its_side else box


def _style(text: Any, at: int) -> int:
    from pypdfium2 import raw

    name, flags = ctypes.create_string_buffer(_MAX_NAME), ctypes.c_int()
    raw.FPDFText_GetFontInfo(text, at, name, len(name), flags)
    is_bold = BOLD.search(name.value.decode("utf-8", "replace")) is not None
    return is_bold + 2 * (flags.value & 1)


def _rules(page: Any, shown: _Shown) -> Iterator[tuple[int, int, int, int]]:
    """The box of each straight line along a page or down it, those around shaded areas included."""
    from pypdfium2 import raw

    num_pieces = 0
    fill, is_drawn = ctypes.c_int(), ctypes.c_int()
    matrix = raw.FS_MATRIX()
    x, y = ctypes.c_float(), ctypes.c_float()
    for number in range(raw.FPDFPage_CountObjects(page)):
        drawn = raw.FPDFPage_GetObject(page, number)
        if raw.FPDFPageObj_GetType(drawn) != raw.FPDF_PAGEOBJ_PATH:
            continue
        num = raw.FPDFPath_CountSegments(drawn)
        num_pieces += num
        if num_pieces > _MAX_PIECES:
            return
        raw.FPDFPath_GetDrawMode(drawn, fill, is_drawn)
        if not fill.value and not is_drawn.value:
            continue
        raw.FPDFPageObj_GetMatrix(drawn, matrix)
        pieces: list[tuple[int, int, int, int]] = []
        last = begun = None
        for at in range(num):
            piece = raw.FPDFPath_GetPathSegment(drawn, at)
            raw.FPDFPathSegment_GetPoint(piece, x, y)
            place = (
                matrix.a * x.value + matrix.c * y.value + matrix.e,
                matrix.b * x.value + matrix.d * y.value + matrix.f,
            )
            kind = raw.FPDFPathSegment_GetType(piece)
            if kind == raw.FPDF_SEGMENT_MOVETO:
                begun = place
            elif last is not None and kind == raw.FPDF_SEGMENT_LINETO:
                pieces.append(shown.box(*last, *place))
            if raw.FPDFPathSegment_GetClose(piece) and begun is not None:
                pieces.append(shown.box(*place, *begun))
            last = place
        yield from _straight(pieces, is_shade=not is_drawn.value)


def _straight(boxes: Sequence[tuple[int, int, int, int]], *, is_shade: bool) -> Iterator[tuple[int, int, int, int]]:
    """Those pieces of an outline that run along a page or down it; of a shaded area that is not thin, only along it."""
    high = max((box[3] for box in boxes), default=0) - min((box[1] for box in boxes), default=0)
    wide = max((box[2] for box in boxes), default=0) - min((box[0] for box in boxes), default=0)
    is_area = is_shade and min(high, wide) > _THIN
    for left, top, right, bottom in boxes:
        is_along, is_down = bottom - top <= _THIN < right - left, right - left <= _THIN < bottom - top
        if is_along or (is_down and not is_area):
            yield left, top, right, bottom


def character_of(code: int, high: int) -> str:
    """The character of a code. A surrogate pair has it at its second half, so that each box has one character."""
    if high and 0xDC00 <= code < 0xE000:
        return chr(0x10000 + ((high - 0xD800) << 10) + code - 0xDC00)
    return chr(code) if 0 < code <= sys.maxunicode and not 0xD800 <= code < 0xE000 else " "
