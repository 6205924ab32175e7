"""The headings of a PDF without bookmarks, or with a single one.

They are its short lines in larger type than most of its text, or numbered and bold. The rule was chosen on manuals that have
bookmarks, as if they had none: docs/design/measured.md, "A folder of many formats".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from statistics import median
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.html_navigation import TITLES
from hopweave.ingest.running_lines import Bookmark

_LARGER = 1.08
"""The size of a heading, relative to that in which most of the text is set, at least."""
_PLAINLY_LARGER = 1.2
"""The size of a title, relative to that of half of the other lines of its page, at least."""
_SAME = 0.97
"""Sizes of which one is at least this share of the other are of one level."""
_LONGEST_LINE = 120
_LONGEST = 200
"""Characters of a heading of several lines."""
_FEWEST_LETTERS = 3
_MOST_ALIKE = 2
"""A line that more pages have, its numbers aside, is a running header or footer."""
_MOST_LEVEL_OF_TITLE = 2
_MOST_SHARE = 0.25
"""Where more of the lines look like headings, as on a poster, size says nothing."""
_NUMBERED = lazy_pattern(r"\d{1,2}(?:\.\d{1,2}){0,3}\.?\s+\w")
_LEADER = lazy_pattern(r"(?:\.\s?){4,}")
"""What leads to the number of a page in a table of contents."""
_ENDS_WITH_PAGE = lazy_pattern(r"\s\d{1,4}$")
_NUMBERS = lazy_pattern(r"\d+")
_OF_A_NOTE = lazy_pattern(r"\s*(?:/x2A|[*∗†‡])+$")
"""What leads from a title to a note; `/x2A` is an asterisk of a font without names for its letters."""


class Line(NamedTuple):
    """A line of a page: the size of most of its letters in points, whether all of it is bold, and its words."""

    size: float
    is_bold: bool
    text: str


def headings_by_size(pages: Sequence[Sequence[Line]]) -> list[Bookmark]:
    """The headings as bookmarks, in order; the lines of one title are joined by line ends. None if most lines look like some.

    Args:
        pages: the lines of each page, in order.
    """
    written: Counter[float] = Counter()
    shown: Counter[str] = Counter()
    for page in pages:
        for line in page:
            written[round(2 * line.size) / 2] += len(line.text)
        shown.update({_key(line) for line in page})
    if not written:
        return []
    usual = written.most_common(1)[0][0]
    found = [
        (line.size, Bookmark(1, text, number, is_read=True))
        for number, page in enumerate(pages, start=1)
        for line, text in _on_page(page, usual, shown)
    ]
    if len(found) > _MOST_SHARE * sum(map(len, pages)):
        return []
    sizes = _levels(size for size, _ in found)
    return [one._replace(level=_level(size, sizes)) for size, one in found]


def title_of(headings: Sequence[Bookmark]) -> str:
    """The largest heading of the first page, if at most a table of contents or a chapter is larger; else empty."""
    first = min((one for one in headings if one.page == 1), key=lambda one: one.level, default=None)
    return " ".join(first.title.split()) if first is not None and first.level <= _MOST_LEVEL_OF_TITLE else ""


def title_in_large_type(pages: Sequence[Sequence[Line]], bookmarks: Sequence[Bookmark]) -> str:
    """What the first page has in its largest type, if that is plainly larger and no heading of the outline; else empty."""
    lines = [line for line in next(iter(pages), ()) if sum(map(str.isalpha, line.text)) >= _FEWEST_LETTERS]
    largest = max((line.size for line in lines), default=0.0)
    first = next((at for at, line in enumerate(lines) if line.size >= _SAME * largest), 0)
    title = " ".join(line.text for line in takewhile(lambda line: line.size >= _SAME * largest, lines[first:]))
    others = [line.size for line in lines if line.size < _SAME * largest]
    is_plain = bool(others) and largest >= _PLAINLY_LARGER * median(others) and len(title) <= _LONGEST
    named = {" ".join(bookmark.title.casefold().split()) for bookmark in bookmarks} | TITLES
    return _OF_A_NOTE.sub("", " ".join(title.split())) if is_plain and title.casefold() not in named else ""


def _on_page(page: Sequence[Line], usual: float, shown: Counter[str]) -> Iterator[tuple[Line, str]]:
    """The headings of a page, each with its first line; lines below that look the same belong to it."""
    at = 0
    while at < len(page):
        line = page[at]
        at += 1
        is_at_an_edge = at in (1, len(page))
        if not _may_be_heading(line, usual, shown) or (line.size < _LARGER * usual and is_at_an_edge):
            continue
        lines = [line.text]
        while (
            at < len(page)
            and (page[at].size, page[at].is_bold) == (line.size, line.is_bold)
            and not _NUMBERED.match(page[at].text)
            and sum(map(len, lines)) + len(page[at].text) <= _LONGEST
        ):
            lines.append(page[at].text)
            at += 1
        if lines[-1][-1] not in ".,;":
            yield line, "\n".join(lines)


def _may_be_heading(line: Line, usual: float, shown: Counter[str]) -> bool:
    is_larger = line.size >= _LARGER * usual
    is_numbered = (
        line.is_bold
        and line.size >= _SAME * usual
        and _NUMBERED.match(line.text) is not None
        and _ENDS_WITH_PAGE.search(line.text) is None
    )
    return (
        (is_larger or is_numbered)
        and len(line.text) <= _LONGEST_LINE
        and sum(map(str.isalpha, line.text)) >= _FEWEST_LETTERS
        and shown[_key(line)] <= _MOST_ALIKE
        and _LEADER.search(line.text) is None
    )


def _key(line: Line) -> str:
    return _NUMBERS.sub("#", line.text.casefold())


def _levels(sizes: Iterator[float]) -> list[float]:
    """The largest size of each level, from the outermost."""
    levels: list[float] = []
    for size in sorted(set(sizes), reverse=True):
        if not levels or size < _SAME * levels[-1]:
            levels.append(size)
    return levels


def _level(size: float, levels: Sequence[float]) -> int:
    return next(number for number, largest in enumerate(levels, start=1) if size >= _SAME * largest)
