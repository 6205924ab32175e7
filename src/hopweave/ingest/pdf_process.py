"""Reads the PDF on standard input and reports each page in a line of JSON: a separate program, see `pages`.

With the number of a page it draws that page instead, see `drawn_page`: a line of JSON, then the image, as PNG. With `text`, it
does not say where words are drawn, for which it needs a library of compiled code.

A PDF is a program for drawing pages, and a malicious one can run forever or request any amount of memory. So it is read in a
process that can be killed. It imports nothing of hopweave, so it starts quickly.
"""

from __future__ import annotations

import ctypes
import json
import logging
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from io import BytesIO
from typing import Any

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.pdf_fields import Pieces, filled_in, notes_on, with_values

_MAX_MEMORY_BYTES = 4 << 30
_MAX_MEMORY_BYTES_DRAWING = 1 << 30
_MAX_REASON = 200
_MAX_BOOKMARKS = 10_000
_MAX_TITLE = 200
# What programs put before a title, and what they give for want of one.
_PROGRAM = lazy_pattern(r"^\s*Microsoft (?:Office )?(?:Word|Excel|PowerPoint)\s+-\s+")
_NO_TITLES = frozenset({"untitled", "untitled document", "unknown", "anonymous", "no title", "powerpoint presentation", "none"})

_WIDTH, _MAX_HEIGHT, _MAX_PIXELS = 1240, 3000, 4_000_000
"""Maximum size of an image: the width is that of A4 at 150 dots per inch."""
_MAX_CHARACTERS = 50_000
"""Maximum number of characters of a page; a page of a newspaper has 30,000."""
_UNITS = 10_000
"""Boxes are given in ten-thousandths of the page's width and height."""
_WRONG_PASSWORD = 4
_SPACE, _DIVIDED = 0x20, 0x02
"""Codes of characters; the second one is that of a hyphen at the end of a line."""
_MAX_PIECES = 20_000
"""Maximum number of pieces of the lines of a page."""
_MAX_DRAWN = 20_000
"""Maximum number of words, and of straight lines, of a page that are told."""
_THIN = 30
"""Tenths of a point: a line is at most as thick as this, and longer."""

_PLEASE_WAIT = "Please wait"
"""What the only page of such a form says to programs that cannot show it."""
_TEX = lazy_pattern(r"TeX|dvips|dvipdf")  # not iText
_BOLD = lazy_pattern(r"bold|black|heavy|semib|demi|cmbx|sfbx", re.IGNORECASE)
"""Of the name of a font; `CMBX` is that of TeX."""
_WIDEST_SPACE = 333
"""Thousandths of an em: a space of most typefaces has fewer."""

_Place = tuple[int, int, int, int]
"""The left, top, right and bottom of a character."""


def tell(**what: Any) -> None:
    """Writes a line of JSON."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def read(stream: Any, *, with_places: bool = True) -> None:
    """Reports the title, each page in order, and at the end the outline.

    Without an outline of several entries, each page is followed by its lines, with the size of their type and whether they are
    bold; so is the first one if there is no title. With places, each page with text is followed by its words and straight
    lines, where they are drawn. A page that could not be read has the reason as `unread`: it is a `picture`, too `large`, or
    `damaged`. An error of a file that is not damaged has the name of its `reasons.Reason` as `kind`.
    """
    import pypdf

    warnings = _Warnings()
    logging.getLogger("pypdf").addHandler(warnings)
    _limit_spaces()
    reader = pypdf.PdfReader(stream)
    if reader.is_encrypted and not reader.decrypt(""):
        tell(error="is encrypted; save it without a password, or leave it out", kind="ENCRYPTED")
        return
    if _is_dynamic_form(reader):
        tell(error="is a form that only some programs show (XFA); print it to a new PDF, or leave it out")
        return
    outline = _outline(reader)
    title = _title(reader)
    tell(title=title, is_tex=_is_tex(reader))
    drawn = _Drawn(stream) if with_places else None
    for number, page in enumerate(reader.pages, start=1):
        warnings.is_too_large = False
        letters = _Letters() if len(outline) < 2 or (number == 1 and not title) else None
        boxes, pieces = filled_in(page), Pieces()
        try:
            text = page.extract_text(visitor_text=_both(letters, pieces if boxes else None))
            is_empty = not text.strip()
            text = (with_values(text, pieces.found, boxes) if boxes else text).encode("utf-8", "replace").decode()
            unread = "large" if warnings.is_too_large else "picture" if is_empty and _has_image(page) else ""
        except Exception as error:  # noqa: BLE001 - a page that is damaged, in any way, leaves the others readable
            text, unread = "", "large" if is_too_large(error) else "damaged"
        notes = [[part.encode("utf-8", "replace").decode() for part in note] for note in notes_on(page, text)]
        tell(page=number, text=text, unread=unread, notes=notes)
        if letters is not None:
            tell(lines=letters.lines())
        if drawn is not None and not boxes and text.strip() and len(text) <= _MAX_CHARACTERS:
            words, rules = drawn.on_page(number)
            tell(drawn=words, rules=rules)
    tell(end=True, outline=outline)


def _both(letters: _Letters | None, pieces: Pieces | None) -> Any:
    """What pypdf calls for every piece of text."""
    wanted = [one for one in (letters, pieces) if one is not None]

    def take(*piece: Any) -> None:
        for one in wanted:
            one(*piece)

    return take if wanted else None


class _Drawn:
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
        for across, up in ((0, 0), (_UNITS, 0), (0, _UNITS)):
            raw.FPDF_PageToDevice(page, 0, 0, _UNITS, _UNITS, 0, across, up, x, y)
            places.append((x.value, y.value))
        (self._x, self._y), right, above = places
        width, height = page.get_size()
        self._wide, self._high = width * 10 / _UNITS, height * 10 / _UNITS
        self._across = (right[0] - self._x) / _UNITS, (right[1] - self._y) / _UNITS
        self._up = (above[0] - self._x) / _UNITS, (above[1] - self._y) / _UNITS

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
    num = min(text.count_chars(), _MAX_CHARACTERS)
    for at in range(num + 1):
        code = raw.FPDFText_GetUnicode(text, at) if at < num else _SPACE
        character, high = _character(code, high), code if 0xD800 <= code < 0xDC00 else 0
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

    name, flags = ctypes.create_string_buffer(_MAX_TITLE), ctypes.c_int()
    raw.FPDFText_GetFontInfo(text, at, name, len(name), flags)
    is_bold = _BOLD.search(name.value.decode("utf-8", "replace")) is not None
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


class _Letters:
    """The letters of a page with their type, in order: what pypdf calls for every piece of text."""

    def __init__(self) -> None:
        self._lines: list[list[tuple[str, float, bool]]] = [[]]

    def __call__(self, text: str, drawn: Any, written: Any, font: Any, size: Any) -> None:
        """Takes in a piece of text.

        Args:
            text: with the ends of lines.
            drawn: the matrix of the page.
            written: the matrix of the text.
            font: its entries; `None` if it is not known.
            size: of the font, before the matrices.
        """
        try:
            scale = abs(written[3] * drawn[3]) or abs(written[1] * drawn[2]) or 1.0
            points = round(abs(float(size)) * scale, 1)
            is_bold = _BOLD.search(str((font or {}).get("/BaseFont", ""))) is not None
        except (TypeError, ValueError, IndexError):  # of a damaged font
            points, is_bold = 0.0, False
        for number, piece in enumerate(text.split("\n")):
            if number:
                self._lines.append([])
            if piece.strip():
                self._lines[-1].append((piece, points if math.isfinite(points) else 0.0, is_bold))

    def lines(self) -> list[tuple[float, bool, str]]:
        """The size of most letters, whether all are bold, and the words, of each line with text."""
        return [_line(pieces) for pieces in self._lines if pieces]


def _line(pieces: Sequence[tuple[str, float, bool]]) -> tuple[float, bool, str]:
    written: Counter[float] = Counter()
    for text, size, _ in pieces:
        written[size] += len(text)
    words = " ".join("".join(text for text, _, _ in pieces).split())
    return written.most_common(1)[0][0], all(is_bold for _, _, is_bold in pieces), words.encode("utf-8", "replace").decode()


def _limit_spaces() -> None:
    """Lets no font have a space wider than a third of an em.

    The library takes a gap for a space if it is half as wide as one, and has the width of a space from the glyph of number 32.
    In fonts as XeTeX embeds them, that is some other glyph, and all words of a line ran together. There is no option for it.
    """
    try:
        font = import_module("pypdf.generic._font").Font
        width_of = font._add_space_width
    except (ImportError, AttributeError):
        return  # another version of the library may have it elsewhere, and most fonts do without
    font._add_space_width = staticmethod(lambda *given: min(width_of(*given), _WIDEST_SPACE))


def _outline(reader: Any) -> list[tuple[int, str, int]]:
    """The level, title and page of each bookmark, from 1; none if they are damaged or too many, and those without a page."""
    found: list[tuple[int, str, int]] = []

    def walk(entries: Any, level: int) -> None:
        for entry in entries:
            if isinstance(entry, list):
                walk(entry, level + 1)
            elif (page := reader.get_destination_page_number(entry)) is not None and page >= 0 and len(found) < _MAX_BOOKMARKS:
                title = " ".join(str(entry.title).split())[:_MAX_TITLE]
                found.append((level, title.encode("utf-8", "replace").decode(), page + 1))

    try:
        walk(reader.outline, 1)
    except Exception:  # noqa: BLE001 - an outline that is damaged, in any way, leaves the pages readable
        return []
    return found


class _Warnings(logging.Handler):
    """Notes whether pypdf left something out of a page because it is too large, for which it only warns."""

    is_too_large = False

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        values = record.args.values() if isinstance(record.args, Mapping) else record.args or ()
        self.is_too_large |= any(isinstance(value, Exception) and is_too_large(value) for value in values)


def is_too_large(error: Exception) -> bool:
    """Whether something is beyond the limits of pypdf, such as 75 MB for a stream once decompressed, or beyond the memory."""
    return type(error).__name__ in {"LimitReachedError", "MemoryError"}


def _title(reader: Any) -> str:
    """The title that the file gives; empty if it is one that a program gave for want of another."""
    try:
        given = str((reader.metadata.title if reader.metadata else "") or "").encode("utf-8", "replace").decode()
    except Exception:  # noqa: BLE001 - a title that is damaged is none
        return ""
    title = _PROGRAM.sub("", given)
    return "" if title.strip().casefold() in _NO_TITLES else title


def _is_tex(reader: Any) -> bool:
    """Whether TeX made the PDF, by what this says of the programs behind it."""
    try:
        said = f"{reader.metadata.creator} {reader.metadata.producer}" if reader.metadata else ""
    except Exception:  # noqa: BLE001 - as of a title
        return False
    return _TEX.search(said) is not None


def _is_dynamic_form(reader: Any) -> bool:
    """Whether the only page says that another program is needed, since the form itself is not drawn but described (XFA)."""
    try:
        form = reader.trailer["/Root"].get("/AcroForm")
        return (
            form is not None
            and "/XFA" in form.get_object()
            and len(reader.pages) == 1
            and _PLEASE_WAIT in reader.pages[0].extract_text()
        )
    except Exception:  # noqa: BLE001 - of a damaged form, the pages are read as they are
        return False


def _has_image(page: Any) -> bool:
    try:
        drawn = page["/Resources"]["/XObject"].values()
        return any(one.get_object().get("/Subtype") in {"/Image", "/Form"} for one in drawn)
    except Exception:  # noqa: BLE001 - no resources, no image
        return False


def draw(stream: Any, number: int) -> None:
    """Reports the number of pages, and of a page the image size in pixels, the characters and their boxes; then the image."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(stream)
    except pypdfium2.PdfiumError as error:
        if error.err_code == _WRONG_PASSWORD:
            tell(error="is encrypted; save it without a password, or leave it out")
            return
        raise
    if not 1 <= number <= len(document):
        tell(error=f"has no page {number}; check the file")
        return
    page, is_filled_in = _with_what_is_filled_in(document, number)
    bitmap = page.render(scale=_scale(*page.get_size()))
    image = BytesIO()
    bitmap.to_pil().save(image, "PNG")
    characters = list(_characters(page))
    if is_filled_in:
        characters = _in_lines(characters)
    tell(
        num_pages=len(document),
        width=bitmap.width,
        height=bitmap.height,
        num_bytes=image.tell(),
        text="".join(character for character, _ in characters),
        boxes=[box for _, box in characters],
    )
    sys.stdout.buffer.write(image.getvalue())
    sys.stdout.flush()


def _with_what_is_filled_in(document: Any, number: int) -> tuple[Any, bool]:
    """A page with what lies on it drawn into it, such as what is filled in a form; and whether there is any."""
    from pypdfium2 import raw

    document.init_forms()
    page = document[number - 1]
    if raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) != raw.FLATTEN_SUCCESS:
        return page, False
    page.close()
    return document[number - 1], True


def _in_lines(characters: Sequence[tuple[str, _Place]]) -> list[tuple[str, _Place]]:
    """Characters in the order of the lines that they stand in: what is filled in comes last in a page, wherever it stands."""
    words: list[list[tuple[str, _Place]]] = [[]]
    for character, box in characters:
        if character.isspace():
            words.append([])
        else:
            words[-1].append((character, box))
    lines: list[list[list[tuple[str, _Place]]]] = []
    for word in sorted(filter(None, words), key=lambda word: word[0][1][1] + word[0][1][3]):
        (_, top, _, bottom), (_, upper, _, lower) = word[0][1], lines[-1][0][0][1] if lines else (0, 0, 0, 0)
        if min(bottom, lower) - max(top, upper) > (bottom - top) / 2:
            lines[-1].append(word)
        else:
            lines.append([word])
    ordered = [word for line in lines for word in sorted(line, key=lambda word: word[0][1][0])]
    return [one for word in ordered for one in (*word, (" ", (0, 0, 0, 0)))]


def _scale(width: float, height: float) -> float:
    """Pixels per point, so that an image stays within its bounds whatever the stated size of the page."""
    if not (math.isfinite(width) and math.isfinite(height) and width > 0 and height > 0):
        raise ValueError("a page without a size")
    return min(_WIDTH / width, _MAX_HEIGHT / height, math.sqrt(_MAX_PIXELS / width / height))


def _characters(page: Any) -> Iterator[tuple[str, _Place]]:
    """Each character of a page with the left, top, right and bottom of its box, whatever the rotation of the page."""
    from pypdfium2 import raw

    text = page.get_textpage()
    high = 0
    x, y = ctypes.c_int(), ctypes.c_int()
    for at in range(min(text.count_chars(), _MAX_CHARACTERS)):
        code = raw.FPDFText_GetUnicode(text, at)
        character, high = _character(code, high), code if 0xD800 <= code < 0xDC00 else 0
        left, bottom, right, top = text.get_charbox(at, loose=True)
        corners = []
        for across, up in ((left, top), (right, bottom)):
            raw.FPDF_PageToDevice(page, 0, 0, _UNITS, _UNITS, 0, across, up, x, y)
            corners.append((min(max(x.value, 0), _UNITS), min(max(y.value, 0), _UNITS)))
        (one_x, other_x), (one_y, other_y) = zip(*corners, strict=True)
        yield character, (min(one_x, other_x), min(one_y, other_y), max(one_x, other_x), max(one_y, other_y))


def _character(code: int, high: int) -> str:
    """The character of a code. A surrogate pair has it at its second half, so that each box has one character."""
    if high and 0xDC00 <= code < 0xE000:
        return chr(0x10000 + ((high - 0xD800) << 10) + code - 0xDC00)
    return chr(code) if 0 < code <= sys.maxunicode and not 0xD800 <= code < 0xE000 else " "


def limit_memory(max_bytes: int) -> None:
    """Limits the memory of this process, if the system supports it."""
    try:
        resource = import_module("resource")
        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))
    except (ImportError, OSError, ValueError):
        pass


if __name__ == "__main__":
    asked = sys.argv[1:]
    draws = bool(asked) and asked != ["text"]
    limit_memory(_MAX_MEMORY_BYTES_DRAWING if draws else _MAX_MEMORY_BYTES)
    try:
        if draws:
            draw(sys.stdin.buffer, int(asked[0]))
        else:
            read(sys.stdin.buffer, with_places=not asked)
    except Exception as error:  # noqa: BLE001 - whatever a damaged file leads to is told in one line
        said = " ".join(f"{type(error).__name__}: {error}".split()).encode("utf-8", "replace").decode()
        if type(error).__name__ == "DependencyError":
            tell(error="is encrypted; save it without encryption, or leave it out", kind="ENCRYPTED")
        elif is_too_large(error):
            problem = f"is too large to be read ({said[:_MAX_REASON]}); print it to a new PDF, or leave it out"
            tell(error=problem, kind="TOO_LARGE")
        else:
            tell(error=f"is damaged, or not a PDF ({said[:_MAX_REASON]}); save it again, or leave it out")
