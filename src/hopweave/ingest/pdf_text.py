"""From the lines of a PDF's pages to text: without running headers and footers, in paragraphs, under the bookmarks' headings.

A PDF holds places of letters, not text: what a reader takes for a paragraph or a header has to be concluded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check, no_check
from hopweave.ingest.document import Blocks, Part
from hopweave.ingest.entries import with_entries

_FEWEST_PAGES = 4
"""Lines repeat by chance on fewer."""
MOST_LINES = 3
"""Of a header or footer."""
_LONGEST_RUNNING_LINE = 150
_DIGITS = lazy_pattern(r"\d{1,6}")
_MOST_NUMBERS = 3
"""Numbers in a line that may be that of the page."""

_WORD = lazy_pattern(r"\w+(?:-\w+)*")
_BROKEN_WORD = lazy_pattern(r"(?<!\w)(\w{2,40})(-|\xad)[ \t]*\n[ \t]*(\w{1,40})")
FULL_LINE = 0.7
"""Share of the longest line of a page from which on a line goes on in the next, unless it ends a sentence."""
_RANGE = lazy_pattern(r"\d[–—]$")
"""Of a range that goes on in the next line: `1900–`."""
_SHORTEST_LINE = 40
"""Characters of the longest line of a page that has paragraphs."""

_MOST_SOUGHT = 100
"""Bookmarks of a page that are looked for in its text."""
_SOUGHT_IN = 50_000
"""Characters of a page in which they are looked for."""
_NUMBER = r"(?:(?:chapter|section|part|appendix)\s+)?(?:\d+|[ivxlc]+|[a-z])(?:[.-]\d+)*[.:)]?"
_NUMBERED = lazy_pattern(rf"\A{_NUMBER}\s+(?=\S)", re.IGNORECASE)


class Bookmark(NamedTuple):
    """An entry of the outline of a PDF.

    Attributes:
        level: 1 for the outermost.
        title: its words.
        page: number of the page that it leads to, from 1.
        is_read: whether it was read off the page, line by line, so that it stands nowhere else.
    """

    level: int
    title: str
    page: int
    is_read: bool = False


def parts_of_pages(pages: Sequence[str], bookmarks: Iterable[Bookmark] = (), check: Check = no_check) -> Iterator[Part]:
    """The text of pages, each a part with its number as the place.

    Args:
        pages: their lines, as they stand on them.
        bookmarks: the outline, in any order; a heading is where its words are a line of the page, else where the page begins.
        check: called for every page.
    """
    on_page: dict[int, list[Bookmark]] = {}
    for bookmark in bookmarks:
        on_page.setdefault(bookmark.page, []).append(bookmark)
    texts = without_running_lines(pages, check)
    written: Counter[str] = Counter()
    for text in texts:
        check()
        written.update(match[0].casefold() for match in _WORD.finditer(_BROKEN_WORD.sub(" ", text)))
    last = Part("")
    for number, text in enumerate(texts, start=1):
        check()
        there = [one._replace(title=_without_hyphens(one.title, written)) for one in on_page.get(number, ())]
        part = _under_headings(_without_hyphens(text, written), there)
        last = replace(part, place=f"page={number}").after(last)
        yield last


def without_running_lines(pages: Sequence[str], check: Check = no_check) -> list[str]:
    """Pages without the lines that most of them have at the same end, the page's number aside: headers and footers.

    Left and right pages are also compared among themselves. The first occurrence of words is kept, and so is a page that has
    no other lines.
    """
    lines = [page.split("\n") for page in pages]
    for is_top in (True, False):
        kept: set[str] = set()
        for _ in range(MOST_LINES):
            check()
            ends = [_end(page, is_top=is_top) for page in lines]
            running = _running([() if at is None else _keys(page[at], number) for number, (page, at) in _pairs(lines, ends)])
            if not any(running):
                break
            for page, at, key in zip(lines, ends, running, strict=True):
                if key is None or at is None or sum(map(bool, map(str.strip, page))) < 2:
                    continue
                is_first = key not in kept and any(map(str.isalpha, key))
                kept.add(key)
                if not is_first:
                    page[at] = ""
    return ["\n".join(page) for page in lines]


def _pairs(lines: list[list[str]], ends: list[int | None]) -> Iterator[tuple[int, tuple[list[str], int | None]]]:
    return enumerate(zip(lines, ends, strict=True), start=1)


def _end(lines: Sequence[str], *, is_top: bool) -> int | None:
    """The first or last line with text."""
    order = range(len(lines)) if is_top else reversed(range(len(lines)))
    return next((at for at in order if lines[at].strip()), None)


def _keys(line: str, number: int) -> tuple[str, ...]:
    """What a line has in common with those of other pages: all of it, or all but a number that counts the pages."""
    shown = " ".join(line.split()).casefold()
    if len(shown) > _LONGEST_RUNNING_LINE:
        return ()
    numbers = list(_DIGITS.finditer(shown))[:_MOST_NUMBERS]
    return shown, *(f"{shown[: one.start()]}\0{int(one[0]) - number}\0{shown[one.end() :]}" for one in numbers)


def _running(keys: Sequence[tuple[str, ...]]) -> list[str | None]:
    """The key of each page's line that enough pages share; `None` if it has none."""
    found: list[str | None] = [None] * len(keys)
    for pages in (range(len(keys)), range(0, len(keys), 2), range(1, len(keys), 2)):
        if len(pages) < _FEWEST_PAGES:
            continue
        counted = Counter(key for page in pages for key in set(keys[page]))
        for page in pages:
            common = (key for key in keys[page] if 2 * counted[key] >= len(pages))
            found[page] = found[page] or next(common, None)
    return found


def _without_hyphens(text: str, written: Counter[str]) -> str:
    """A text whose words are whole again that were divided at the ends of lines.

    A hyphen stays if the word is written with it elsewhere, if both of its parts are words of the document and the whole is
    not, or if a capital or digit follows.
    """

    def whole(match: re.Match[str]) -> str:
        before, hyphen, after = match.groups()
        joined, compound = f"{before}{after}".casefold(), f"{before}-{after}".casefold()
        if hyphen == "\xad":
            return before + after
        if not after[0].islower() and not written[joined]:
            return f"{before}-{after}"
        are_words = written[before.casefold()] and written[after.casefold()]
        keeps = written[compound] or (are_words and not written[joined])
        return f"{before}-{after}" if keeps else before + after

    return _BROKEN_WORD.sub(whole, text)


def _in_paragraphs(text: str, longest: int) -> str:
    """Lines, joined where a sentence goes on; a blank line where the page has a gap, and between the entries of a list."""
    blocks = [list(lines) for has_text, lines in groupby(text.split("\n"), bool) if has_text]
    return with_entries("\n\n".join("".join(_joined(lines, max(longest, _SHORTEST_LINE))) for lines in blocks))


def _joined(lines: Sequence[str], longest: int) -> Iterator[str]:
    for line, following in pairwise(lines):
        goes_on = line[-1] not in ".:;!?" and len(line) >= FULL_LINE * longest and following[0].isalnum()
        is_range = goes_on and _RANGE.search(line) is not None and following[0].isdigit()
        yield line + ("" if is_range else " " if goes_on or following[0].islower() else "\n")
    yield lines[-1]


def _under_headings(text: str, bookmarks: Sequence[Bookmark]) -> Part:
    """A page with the headings that bookmarks lead to."""
    lines = list(map(str.strip, text.split("\n")))
    text, longest = "\n".join(lines), max(map(len, lines))
    blocks = Blocks()
    position = 0
    for number, bookmark in enumerate(bookmarks):
        found = _find(bookmark.title, text, position) if number < _MOST_SOUGHT else None
        if found is None and bookmark.is_read:
            continue
        if found is None:
            blocks.add_heading(bookmark.title, bookmark.level, is_shown=False)
            continue
        blocks.add(_in_paragraphs(text[position : found.start()], longest))
        blocks.add_heading(found[0], bookmark.level)
        position = found.end()
    blocks.add(_in_paragraphs(text[position:], longest))
    return blocks.part()


def _find(title: str, text: str, position: int) -> re.Match[str] | None:
    """The line of a page that is a heading, whether or not it and the bookmark have its number."""
    without = _NUMBERED.sub("", title, count=1)
    for words in dict.fromkeys((title, without)):
        sought = r"\s+".join(map(re.escape, words.split()))
        # Above a heading that has its number, another one is that of the page.
        numbered = "" if words != without else rf"(?:{_NUMBER}\s+)?"
        heading = re.compile(rf"^{numbered}{sought}$", re.IGNORECASE | re.MULTILINE)
        if sought and (found := heading.search(text, position, position + _SOUGHT_IN)):
            return found
    return None
