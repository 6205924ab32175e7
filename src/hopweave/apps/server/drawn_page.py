"""A page of a PDF as an image, with the positions of a passage's words.

The library that read the text of a passage is not the one that draws, and the two differ in spaces, in hyphens at the ends of
lines, in ligatures and accents. So words are matched only by their letters and digits.
"""

from __future__ import annotations

import json
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import BinaryIO

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.ingest.pages import pdf_process

MAX_SECONDS = 20.0
_MAX_LINE_BYTES = 8 << 20
_MAX_IMAGE_BYTES = 24 << 20
_LIBRARIES = ("pypdfium2", "PIL")

_MAX_PLACES = 200
_NEARBY = 200
"""Letters before and after words that distinguish their occurrences."""
_ENOUGH_NEARBY = 4
"""Fewer of them may match by accident."""
_ANCHOR = 12
"""A match of this many letters is no accident; of words not found completely, this many are needed at either end, or at the
beginning."""
_FEWEST_ALONE = 2
"""Letters of a word that is found by itself: one digit is on every page."""
_ENDS_IN_WORD = lazy_pattern(r"[^\W_]\Z|\d[.,:/-]\Z")
_BEGINS_IN_WORD = lazy_pattern(r"[^\W_]|[.,:/-]\d")
_LONGEST_FOOTER = 20
"""Letters below the last line of a page, if less than half of a sentence is to be on it."""
_WIDEST_GAP = 0.08
"""Gap between two words of a line, as a share of the page's width; a larger gap means another column."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, in shares (0 to 1) of its width and height, from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """A page of a PDF.

    Attributes:
        num_pages: of the document.
        width, height: of the image, in pixels.
        text: its characters, in the order of the file.
        boxes: of each character.
        image: PNG.
    """

    num_pages: int
    width: int
    height: int
    text: str
    boxes: tuple[Box, ...]
    image: bytes


def draw_page(raw: BinaryIO, number: int, source: str) -> DrawnPage:
    """Draws a page, in a separate process with limits on time and memory.

    Args:
        raw: the PDF, an open file at its beginning.
        number: of the page, from 1.
        source: the name of the file in errors.

    Raises:
        DataError: for a file that is damaged or encrypted or takes too long, and for a missing library.
    """
    if not all(map(find_spec, _LIBRARIES)):
        raise DataError("the libraries that draw pages are not installed; install them with: pip install 'hopweave[documents]'")
    with pdf_process(raw, MAX_SECONDS, str(number)) as (said, watch):
        line = said.readline(_MAX_LINE_BYTES + 1)
        image = said.read(_MAX_IMAGE_BYTES + 1)
        is_too_slow = watch.finished.is_set()
    try:
        told = json.loads(line)
        if "error" in told:
            raise DataError(f"{source} {told['error']}")
        if len(image) == told["num_bytes"]:
            boxes = tuple(Box(*(value / 10_000 for value in box)) for box in told["boxes"])
            return DrawnPage(told["num_pages"], told["width"], told["height"], told["text"], boxes, image)
    except ValueError:  # it ended before its line did
        pass
    reason = f"took longer than {MAX_SECONDS:g} seconds to draw" if is_too_slow else "cannot be drawn"
    raise DataError(f"page {number} of {source} {reason}; open the file itself")


def find_on_page(passage: str, spans: Sequence[Span], page: DrawnPage) -> list[tuple[Box, ...]]:
    """Positions of words of a passage: for each span, a box for each of its lines; none if it is not found on the page.

    Args:
        passage: its text.
        spans: of the words, in characters of it.
        page: that the passage is from.
    """
    words, places = _letters(passage), _letters(page.text)
    sought = "".join(letter for letter, _ in words)
    given = "".join(letter for letter, _ in places)
    found: list[tuple[Box, ...]] = []
    for span in spans:
        first = sum(at < span.start for _, at in words)
        end = sum(at < span.end for _, at in words)
        place = _find(sought, first, end, given) if first < end else None
        if place is None and first < end:
            place = _only_whole(sought[first:end], given, places, page.text)
        if place is None:
            found.append(())
            continue
        last = places[place.end - 1][1]
        after = passage[words[end - 1][1] + 1 : span.end].rstrip()  # such as the full stop
        if page.text.startswith(after, last + 1):
            last += len(after)
        found.append(tuple(_lines(page.boxes[places[place.start][1] : last + 1])))
    return found


def _letters(text: str) -> list[tuple[str, int]]:
    """The letters and digits of a text without accents and case, each with the position of its character."""
    found = []
    for at, character in enumerate(text):
        plain = character if character.isascii() else unicodedata.normalize("NFKD", character)
        found += [(letter, at) for letter in plain.casefold() if letter.isalnum()]
    return found


def _find(sought: str, first: int, end: int, given: str) -> Span | None:
    """Where a part of some letters occurs in others; unless it is long, the letters around it must match, too."""
    size = end - first
    places = list(_places(sought[first:end], given))
    if not places:
        return _between_its_ends(sought[first:end], given) or _beginning(sought[first:end], given)
    before, behind = sought[max(0, first - _NEARBY) : first][::-1], sought[end : end + _NEARBY]

    def nearby(at: int) -> int:
        return _num_common(before, given[max(0, at - _NEARBY) : at][::-1]) + _num_common(
            behind, given[at + size : at + size + _NEARBY]
        )

    best = max(places, key=nearby)
    enough = min(_ENOUGH_NEARBY, len(before) + len(behind))
    is_told = (size >= _ANCHOR or nearby(best) >= enough) if len(places) == 1 else nearby(best) >= max(1, enough)
    return Span(best, best + size) if is_told else None


def _only_whole(sought: str, given: str, places: Sequence[tuple[str, int]], text: str) -> Span | None:
    """Where letters occur as whole words, if they do so once: in a row of a table, other words are around them in the passage.

    Args:
        sought: the letters.
        given: those of the page.
        places: these, each with the position of its character.
        text: of the page.
    """
    if len(sought) < _FEWEST_ALONE:
        return None
    found = []
    for at in _places(sought, given):
        begin, last = places[at][1], places[at + len(sought) - 1][1]
        if not _ENDS_IN_WORD.search(text[max(0, begin - 2) : begin]) and not _BEGINS_IN_WORD.match(text, last + 1):
            found.append(Span(at, at + len(sought)))
    return found[0] if len(found) == 1 else None


def _between_its_ends(sought: str, given: str) -> Span | None:
    """Where letters occur of which only the beginning and the end are found, at about the expected distance."""
    if len(sought) < 2 * _ANCHOR:
        return None
    for first in _places(sought[:_ANCHOR], given):
        last = given.find(sought[-_ANCHOR:], first + _ANCHOR)
        if last >= 0 and abs(last + _ANCHOR - first - len(sought)) <= len(sought) / 5:
            return Span(first, last + _ANCHOR)
    return None


def _beginning(sought: str, given: str) -> Span | None:
    """Where letters begin that go on on the next page."""
    size = bisect_left(range(len(sought) + 1), x=True, key=lambda size: sought[:size] not in given) - 1
    at = given.find(sought[:size])
    is_last = 2 * size >= len(sought) or len(given) - at - size <= _LONGEST_FOOTER
    return Span(at, at + size) if size >= _ANCHOR and is_last else None


def _places(sought: str, given: str) -> Iterator[int]:
    at = given.find(sought)
    for _ in range(_MAX_PLACES):
        if at < 0:
            return
        yield at
        at = given.find(sought, at + 1)


def _num_common(one: str, other: str) -> int:
    """The number of letters that two texts have in common at the beginning."""
    for number, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return number
    return min(len(one), len(other))


def _lines(boxes: Iterable[Box]) -> Iterator[Box]:
    """Boxes of consecutive characters, merged into one for each line."""
    line = last = None
    for box in boxes:
        if box.left >= box.right or box.top >= box.bottom:
            continue
        if line is None or last is None or not _goes_on(last, box):
            if line is not None:
                yield line
            line = box
        else:
            edges = min(line.left, box.left), min(line.top, box.top), max(line.right, box.right), max(line.bottom, box.bottom)
            line = Box(*edges)
        last = box
    if line is not None:
        yield line


def _goes_on(last: Box, box: Box) -> bool:
    """Whether a character is on the line of the one before it: next to it or, if the text is rotated, above or below it."""
    shared_down = min(last.bottom, box.bottom) - max(last.top, box.top)
    shared_across = min(last.right, box.right) - max(last.left, box.left)
    height, width = min(last.bottom - last.top, box.bottom - box.top), min(last.right - last.left, box.right - box.left)
    if shared_down >= height / 2:
        return shared_across >= -_WIDEST_GAP
    return shared_across >= width / 2 and shared_down >= -height / 2
