"""The headers and footers of pages: what most pages have, or what names the chapter and counts the pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from statistics import median
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check

_FEWEST_PAGES = 4
"""Lines repeat by chance on fewer."""
MOST_LINES = 3
"""Of a header or footer."""
_LONGEST = 150
"""Characters of a line of it."""
_DIGITS = lazy_pattern(r"\d{1,6}")
_MOST_NUMBERS = 3
"""Numbers in a line that may be that of the page, from its beginning or its end."""
_ENDS_WITH_NUMBER = lazy_pattern(r"(?:(?P<before>.*?)[\s|·•–—-]*)(?<![\d.,:/])(?P<number>\d{1,4})$")
_BEGINS_WITH_NUMBER = lazy_pattern(r"(?P<number>\d{1,4})(?![\d.,:/])[\s|·•–—-]*(?P<after>.*)")
_LABELLED = lazy_pattern(
    r"(?<!\bpage )(?<!\bseite )(?<!\bpágina )(?<!\bpagina )(?<!\bpage)(?<!\bseite)(?:[:#=№]|\b(?:no|nr)\.?|nº)\s*$"
)
"""What stands before the number of an invoice and the like, which counts up from page to page, too."""
_ONLY_COUNTS = lazy_pattern(
    r"\W{0,3}(?:page|pages|p\.|seite|s\.|página|pagina|pág\.|blz\.|side|sida|sivu|strona|str\.|страница|стр\.)?\s?"
    r"\d{1,4}(?:\s?(?:of|von|de|di|van|av|af|z|из|sur|/)\s?\d{1,4})?\W{0,3}"
)
"""A line that only counts the pages, in small letters."""
_ROMAN = lazy_pattern(r"[ivxl]{1,7}")
_WORDS = lazy_pattern(r"[^\W\d_]+")
_FEWEST_LETTERS = 4
"""Letters of a heading that a header is known by."""
MOST_SOUGHT, _SOUGHT_IN = 100, 300
"""Headings of a page that are looked for in its lines, and those lines."""
_FULL_PAGE = 1000
"""Characters of a page in the middle by length, if the pages are no slides: of these, several in a row may have one title."""


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


def without_running_lines(
    pages: Sequence[str], bookmarks: Sequence[Bookmark] = (), *, check: Check, keep_first: bool = True
) -> list[str]:
    """Pages without their headers and footers, which are up to three lines at either end.

    They are what most pages have there, the page's number aside; and, where that is so on most pages, what has the number of
    the page, what names the chapter or section, and what is the same as on a page around it. Left and right pages are also
    looked at by themselves. The first occurrence of words is kept unless they are headings, and so is a page of one line
    that others have.

    Args:
        pages: their lines, as they stand on them.
        bookmarks: the outline.
        check: called for every round.
        keep_first: whether the first occurrence of words is kept.
    """
    lines = [page.split("\n") for page in pages]
    headings = list(_headings(bookmarks, lines))
    nums_lines = [sum(map(bool, map(str.strip, page))) for page in lines]
    are_full = bool(pages) and median(map(len, pages)) >= _FULL_PAGE
    for is_top in (True, False):
        kept: set[str] = set()
        kept_at: list[set[int]] = [set() for _ in lines]  # which the next rounds look past
        for line_number in range(MOST_LINES):
            check()
            ends = [_end(page, past, is_top=is_top) for page, past in zip(lines, kept_at, strict=True)]
            shown = [_shown(page[at]) if at is not None else "" for page, at in zip(lines, ends, strict=True)]
            naming = headings if line_number == 0 else []  # below it, headings stand
            running = _running(shown, naming, are_full=are_full)
            if not running:
                break
            for number, key in sorted(running.items()):
                page, at, here = lines[number], ends[number], headings[number]
                if at is None or (key == shown[number] and nums_lines[number] < 2):
                    continue
                says_more = any(map(str.isalpha, key)) and not _ONLY_COUNTS.fullmatch(shown[number])
                is_first = key not in kept and says_more and not _are_named(here.known, _name(page[at]))
                kept.add(key)
                if here.is_in(at, page):
                    continue
                if is_first and keep_first:
                    kept_at[number].add(at)
                else:
                    page[at] = ""
    return ["\n".join(page) for page in lines]


class _Headings(NamedTuple):
    """The names of the headings of a page.

    Attributes:
        begun: those that begin on it.
        known: those, and those that it is under.
        in_text: those of them that stand where they begin between other lines: the title of a slide does not, and is no header.
    """

    begun: frozenset[str]
    known: frozenset[str]
    in_text: frozenset[str]

    def is_in(self, at: int, lines: Sequence[str]) -> bool:
        """Whether a line of the page is a heading that begins on it, and no other line is."""
        own = _name(lines[at])
        here = [heading for heading in self.begun if _are_one(own, heading)]
        others = [_name(line) for line in (*lines[:at], *lines[at + 1 :])[:_SOUGHT_IN]] if here else []
        return any(not any(_are_one(name, heading) for name in others) for heading in here)


def _headings(bookmarks: Sequence[Bookmark], pages: Sequence[Sequence[str]]) -> Iterator[_Headings]:
    on_page: dict[int, list[Bookmark]] = {}
    for bookmark in bookmarks:
        on_page.setdefault(bookmark.page, []).append(bookmark)
    open_ones: dict[int, tuple[str, bool]] = {}
    for number, page in enumerate(pages, start=1):
        there = set(open_ones.values())
        here = on_page.get(number, [])[:MOST_SOUGHT]
        begun = {name for one in here if len(name := _name(one.title)) >= _FEWEST_LETTERS}
        between = [_name(line) for line in page if line.strip()][1:-1][:_SOUGHT_IN] if begun else []
        for bookmark in here:
            open_ones = {level: one for level, one in open_ones.items() if level < bookmark.level}
            if (name := _name(bookmark.title)) in begun:
                open_ones[bookmark.level] = name, any(_ends_with(line, name) for line in between)
                there.add(open_ones[bookmark.level])
        known, in_text = (frozenset(name for name, is_in_text in there if is_in_text >= least) for least in (False, True))
        yield _Headings(frozenset(begun), known, in_text)


def _are_named(headings: Collection[str], name: str) -> bool:
    """Whether a line has one of some headings among its words."""
    return any(f" {heading} " in f" {name} " for heading in headings)


def _ends_with(name: str, heading: str) -> bool:
    """Whether a line ends with a heading, as `Chapter 5. Basics` does."""
    return f" {name}".endswith(f" {heading}")


def _are_one(name: str, heading: str) -> bool:
    """Whether a line is a heading, or one of them has more before it: `Title page: Lamps`."""
    return _ends_with(name, heading) or (len(name) >= _FEWEST_LETTERS and _ends_with(heading, name))


def _name(line: str) -> str:
    """The words of a line without numbers, in small letters."""
    return " ".join(_WORDS.findall(line.casefold()))


def _end(lines: Sequence[str], past: Collection[int], *, is_top: bool) -> int | None:
    """The first or last line with text that is not among those to look past."""
    order = range(len(lines)) if is_top else reversed(range(len(lines)))
    return next((at for at in order if lines[at].strip() and at not in past), None)


def _shown(line: str) -> str:
    """A line as it is compared; empty if it is too long for a header."""
    shown = " ".join(line.split()).casefold()
    return shown if len(shown) <= _LONGEST else ""


def _running(shown: Sequence[str], headings: Sequence[_Headings], *, are_full: bool) -> dict[int, str]:
    """What the lines of headers are known by, by page."""
    keys = [_keys(line, page) if line else () for page, line in enumerate(shown)]
    found: dict[int, str] = {}
    for pages in (range(len(keys)), range(0, len(keys), 2), range(1, len(keys), 2)):
        if len(pages) < _FEWEST_PAGES:
            continue
        counted = Counter(key for page in pages for key in set(keys[page]))
        common = {page: key for page in pages for key in reversed(keys[page]) if 2 * counted[key] >= len(pages)}
        rules = [_counting(shown, pages), _naming(shown, pages, headings), _recurring(keys, pages) if are_full else {}]
        for known in (common, *(known for known in rules if len(known) >= max(_FEWEST_PAGES, len(pages) / 2))):
            found = known | found
    return found


def _keys(line: str, page: int) -> tuple[str, ...]:
    """What a line has in common with those of other pages: all of it, or all but a number that counts the pages."""
    numbers = [one for one in _DIGITS.finditer(line) if not _LABELLED.search(line, 0, one.start())]
    counting = dict.fromkeys((*numbers[:_MOST_NUMBERS], *numbers[-_MOST_NUMBERS:]))
    return line, *(f"{line[: one.start()]}\0{int(one[0]) - page}\0{line[one.end() :]}" for one in counting)


def _counting(shown: Sequence[str], pages: Sequence[int]) -> dict[int, str]:
    """Lines that begin or end with the number of the page, or are one in Roman numerals, by page, without it."""
    told: dict[int, list[tuple[int, str]]] = {}
    for page in pages:
        ends, begins = _ENDS_WITH_NUMBER.fullmatch(shown[page]), _BEGINS_WITH_NUMBER.fullmatch(shown[page])
        ways = [(int(ends["number"]) - page, ends["before"])] if ends and not _LABELLED.search(ends["before"]) else []
        told[page] = [*ways, *([(int(begins["number"]) - page, begins["after"])] if begins else [])]
    counted = Counter(apart for ways in told.values() for apart in {apart for apart, _ in ways})
    usual = max(counted, key=counted.__getitem__, default=0)
    found = {page: rest for page, ways in told.items() for apart, rest in ways if apart == usual}
    return found | {page: "" for page in pages if found and _ROMAN.fullmatch(shown[page])}


def _naming(shown: Sequence[str], pages: Sequence[int], headings: Sequence[_Headings]) -> dict[int, str]:
    """Lines with the name of the chapter or section, by page; none without headings."""
    return {page: shown[page] for page in pages if headings and _are_named(headings[page].in_text, _name(shown[page]))}


def _recurring(keys: Sequence[tuple[str, ...]], pages: Sequence[int]) -> dict[int, str]:
    """What lines share with a page around: the one before or after, or, of left and right pages, the next but one."""
    found: dict[int, str] = {}
    for page in pages:
        near = (one for one in range(max(0, page - 2), min(len(keys), page + 3)) if one != page)
        around = {key for one in near for key in keys[one]}
        shared = next((key for key in keys[page] if key in around), None)
        found |= {page: shared} if shared is not None else {}
    return found
