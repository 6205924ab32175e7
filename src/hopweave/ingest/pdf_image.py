"""A page of a PDF as an image, with the place of each character; part of the separate program `pdf_process`."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

from hopweave.ingest.pdf_places import MAX_CHARACTERS, UNITS, character_of

_WIDTH, _MAX_HEIGHT, _MAX_PIXELS = 1240, 3000, 4_000_000
"""Maximum size of an image: the width is that of A4 at 150 dots per inch."""
_WRONG_PASSWORD = 4

_Place = tuple[int, int, int, int]
"""The left, top, right and bottom of a character."""


def drawn_page(stream: Any, number: int) -> tuple[dict[str, Any], bytes]:
    """The number of pages, the size of a page's image in pixels, its characters and their boxes; and the image, as PNG.

    If there is none, it is empty, and what is told is the `error`.
    """
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(stream)
    except pypdfium2.PdfiumError as error:
        if error.err_code == _WRONG_PASSWORD:
            return {"error": "is encrypted; save it without a password, or leave it out"}, b""
        raise
    if not 1 <= number <= len(document):
        return {"error": f"has no page {number}; check the file"}, b""
    page, is_filled_in = _with_what_is_filled_in(document, number)
    bitmap = page.render(scale=_scale(*page.get_size()))
    image = BytesIO()
    bitmap.to_pil().save(image, "PNG")
    characters = list(_characters(page))
    if is_filled_in:
        characters = _in_lines(characters)
    told = {
        "num_pages": len(document),
        "width": bitmap.width,
        "height": bitmap.height,
        "num_bytes": image.tell(),
        "text": "".join(character for character, _ in characters),
        "boxes": [box for _, box in characters],
    }
    return told, image.getvalue()


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
    for at in range(min(text.count_chars(), MAX_CHARACTERS)):
        code = raw.FPDFText_GetUnicode(text, at)
        character, high = character_of(code, high), code if 0xD800 <= code < 0xDC00 else 0
        left, bottom, right, top = text.get_charbox(at, loose=True)
        corners = []
        for across, up in ((left, top), (right, bottom)):
            raw.FPDF_PageToDevice(page, 0, 0, UNITS, UNITS, 0, across, up, x, y)
            corners.append((min(max(x.value, 0), UNITS), min(max(y.value, 0), UNITS)))
        (one_x, other_x), (one_y, other_y) = zip(*corners, strict=True)
        yield character, (min(one_x, other_x), min(one_y, other_y), max(one_x, other_x), max(one_y, other_y))
