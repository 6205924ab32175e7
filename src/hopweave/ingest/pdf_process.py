"""Reads the PDF on standard input and reports each page in a line of JSON: a separate program, see `pages`.

With the number of a page it draws that page instead (`pdf_image`): a line of JSON, then the image, as PNG. With `text`, it does
not say where words are drawn (`pdf_places`), for which it needs a library of compiled code.

A PDF is a program for drawing pages, and a malicious one can run forever or request any amount of memory. So it is read in a
process that can be killed. It imports little of hopweave, so it starts quickly.
"""

from __future__ import annotations

import json
import logging
import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.memory_limit import limit_memory
from hopweave.ingest.pdf_fields import Pieces, filled_in, notes_on, with_values
from hopweave.ingest.pdf_image import drawn_page
from hopweave.ingest.pdf_places import BOLD, MAX_CHARACTERS, Drawn

_MAX_MEMORY_BYTES = 4 << 30
_MAX_MEMORY_BYTES_DRAWING = 1 << 30
_MAX_REASON = 200
_MAX_BOOKMARKS = 10_000
_MAX_TITLE = 200
# What programs put before a title, and what they give for want of one.
_PROGRAM = lazy_pattern(r"^\s*Microsoft (?:Office )?(?:Word|Excel|PowerPoint)\s+-\s+")
_NO_TITLES = frozenset({"untitled", "untitled document", "unknown", "anonymous", "no title", "powerpoint presentation", "none"})

_PLEASE_WAIT = "Please wait"
"""What the only page of such a form says to programs that cannot show it."""
_TEX = lazy_pattern(r"TeX|dvips|dvipdf")  # not iText
_WIDEST_SPACE = 333
"""Thousandths of an em: a space of most typefaces has fewer."""


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
    drawn = Drawn(stream) if with_places else None
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
        if drawn is not None and not boxes and text.strip() and len(text) <= MAX_CHARACTERS:
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
            is_bold = BOLD.search(str((font or {}).get("/BaseFont", ""))) is not None
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


if __name__ == "__main__":
    asked = sys.argv[1:]
    draws = bool(asked) and asked != ["text"]
    limit_memory(_MAX_MEMORY_BYTES_DRAWING if draws else _MAX_MEMORY_BYTES)
    try:
        if draws:
            told, image = drawn_page(sys.stdin.buffer, int(asked[0]))
            tell(**told)
            sys.stdout.buffer.write(image)
            sys.stdout.flush()
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
