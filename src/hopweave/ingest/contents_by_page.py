"""The tables of contents and indexes of text in pages, whose lines end with the numbers of these and say nothing of their own.

A list of prices looks the same. So the words of its lines have to be on the pages that their numbers lead to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check

_ENTRY = lazy_pattern(r"(?P<name>\S.*?)(?:\s*(?P<leader>(?:[.·…]\s?){3,})\s*|\s+)(?P<page>\d{1,4}|[ivxl]{1,7})")
_INDEXED = lazy_pattern(r"(?P<name>\S.*?)(?:\s*(?:[.·…]\s?){3,}\s*|,\s)(?P<page>\d{1,4})(?:(?:,\s|[-–])\d{1,4})*,?")
_HEADING = lazy_pattern(
    r"(?:\d{0,3}\.?\s*)?(?:table of )?contents?(?: page)?:?|inhalt(?:sverzeichnis)?|sommaire|table des mati[èe]res|[íi]ndice"
    r"|sommario|inhoud(?:sopgave)?|innehåll|indhold|innhold|spis treści|obsah|содержание|оглавление",
    re.IGNORECASE,
)
_WORDS = lazy_pattern(r"[^\W\d_]+")
_FEWEST_LETTERS = 3
_LONGEST, _MOST_FOLLOWED = 300, 500
"""Characters of an entry, and entries of a list whose pages are looked at: a malicious file may have any number."""
_FEWEST_ENTRIES, _FEWEST_INDEXED = 5, 15
_SHARE_INDEXED = 0.6
"""Of the lines of a page of an index that are entries."""
_FEWEST_PAGES = 3
"""Pages that the entries of one list lead to."""
_MOST_BETWEEN = 2
"""Lines without a number between two entries, such as the beginning of a long title."""
_LEAST_SHARE = 0.5
"""Of the entries of a list of which the words are on the page that they lead to."""
_MOST_APART = 60
"""Between the number that is printed on a page and its place in the file, as by the pages before the first chapter."""


class _Entry(NamedTuple):
    """A line that may be an entry.

    Attributes:
        at: its place on the page.
        words: of it.
        page: the number of the page that it leads to; 0 if in Roman numerals.
        is_led: whether dots lead to that.
    """

    at: int
    words: frozenset[str]
    page: int
    is_led: bool = False


def without_contents_by_page(pages: Sequence[str], check: Check) -> list[str]:
    """Pages without tables of contents, which lead to pages after them in order, and indexes, which lead to those before them.

    Args:
        pages: their lines, without headers and footers.
        check: called for every page.
    """
    on_pages: dict[str, set[int]] = {}
    for number, page in enumerate(pages, start=1):
        for word in _words(page):
            on_pages.setdefault(word, set()).add(number)
    left: list[str] = []
    for number, page in enumerate(pages, start=1):
        check()
        lines = page.split("\n")
        if _is_index(lines, range(1, number), on_pages):
            lines = []
        for run in map(_without_others, _runs(lines)):
            if _lead_to(run, range(number + 1, len(pages) + 1), on_pages):
                begin = first_of_contents(lines, run[0].at)
                lines[begin : run[-1].at + 1] = [""] * (run[-1].at + 1 - begin)
        left.append("\n".join(lines))
    return left


def first_of_contents(lines: Sequence[str], first: int) -> int:
    """The first line of a table of contents: its heading, if that is above the first entry or a few lines without a number."""
    above = (at for at in range(first - 1, -1, -1) if lines[at].strip())
    near = islice(above, _MOST_BETWEEN + 1)
    return next((at for at in near if _HEADING.fullmatch(lines[at].strip())), first)


def _runs(lines: Sequence[str]) -> Iterator[list[_Entry]]:
    """Entries in a row whose numbers do not decrease."""
    run: list[_Entry] = []
    for entry in _entries(lines):
        if run and (entry.at > run[-1].at + 1 + _MOST_BETWEEN or entry.page < run[-1].page):
            yield run
            run = []
        run.append(entry)
    yield run


def _without_others(run: list[_Entry]) -> list[_Entry]:
    """Entries without a line at either end that stands apart, such as `Chapter 2` above the heading of a chapter."""
    while len(run) > 1 and not run[0].is_led and run[1].at > run[0].at + 1:
        run = run[1:]
    while len(run) > 1 and not run[-1].is_led and run[-1].at > run[-2].at + 1:
        run = run[:-1]
    return run


def _entries(lines: Sequence[str]) -> Iterator[_Entry]:
    for at, line in enumerate(lines):
        found = _ENTRY.fullmatch(line.strip()) if len(line) <= _LONGEST else None
        if found is not None and (words := _words(found["name"])):
            yield _Entry(at, words, int(found["page"]) if found["page"].isdigit() else 0, found["leader"] is not None)


def _is_index(lines: Sequence[str], before: range, on_pages: Mapping[str, Collection[int]]) -> bool:
    told = [line.strip() for line in lines if line.strip() and len(line) <= _LONGEST]
    found = [(at, match) for at, line in enumerate(told) if (match := _INDEXED.fullmatch(line))]
    if len(found) < max(_FEWEST_INDEXED, _SHARE_INDEXED * len(told)):
        return False
    entries = [_Entry(at, words, int(match["page"])) for at, match in found if (words := _words(match["name"]))]
    return _lead_to(entries, before, on_pages)


def _lead_to(entries: Sequence[_Entry], pages: range, on_pages: Mapping[str, Collection[int]]) -> bool:
    """Whether the words of most entries are on the pages of their numbers, which may all be some pages further on or back."""
    numbered = [entry for entry in entries if entry.page][:_MOST_FOLLOWED]
    if len(numbered) < _FEWEST_ENTRIES or len({entry.page for entry in numbered}) < _FEWEST_PAGES:
        return False
    apart: Counter[int] = Counter()
    for entry in numbered:
        near = range(max(pages.start, entry.page - _MOST_APART), min(pages.stop, entry.page + _MOST_APART + 1))
        apart.update(page - entry.page for page in near if all(page in on_pages.get(word, ()) for word in entry.words))
    return max(apart.values(), default=0) >= _LEAST_SHARE * len(numbered)


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORDS.findall(text.casefold()) if len(word) >= _FEWEST_LETTERS)
