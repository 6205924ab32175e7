"""From the lines of a PDF's pages to text, in paragraphs, under the headings of its bookmarks.

Running headers and footers and tables of contents are left out; see `running_lines` and `contents_by_page`.

A PDF holds places of letters, not text: what a reader takes for a paragraph or a header has to be concluded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.contents_by_page import without_contents_by_page
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Blocks, Part
from hopweave.ingest.entries import with_entries
from hopweave.ingest.page_breaks import FULL_LINE, longest_line, with_whole_sentences
from hopweave.ingest.running_lines import MOST_SOUGHT, Bookmark, without_running_lines

_WORD = lazy_pattern(r"\w+(?:-\w+)*")
_BROKEN_WORD = lazy_pattern(r"(?<!\w)(\w{2,40})(-|\xad)[ \t]*\n[ \t]*(\w{1,40})")
_RANGE = lazy_pattern(r"\d[–—]$")
"""Of a range that goes on in the next line: `1900–`."""

_SOUGHT_IN = 50_000
"""Characters of a page in which they are looked for."""
_NUMBER = r"(?:(?:chapter|section|part|appendix)\s+)?(?:\d+|[ivxlc]+|[a-z])(?:[.-]\d+)*[.:)]?"
_NUMBERED = lazy_pattern(rf"\A{_NUMBER}\s+(?=\S)", re.IGNORECASE)


def parts_of_pages(
    pages: Sequence[str],
    bookmarks: Iterable[Bookmark] = (),
    notes: Mapping[int, Sequence[str]] | None = None,
    *,
    check: Check,
) -> Iterator[Part]:
    """The text of pages, each a part with its number as the place.

    Args:
        pages: their lines, as they stand on them.
        bookmarks: the outline, in any order; a heading is where its words are a line of the page, else where the page begins.
        notes: what readers have noted on a page, by its number, from 1; it stands below its text.
        check: called for every page.
    """
    bookmarks = list(bookmarks)
    on_page: dict[int, list[Bookmark]] = {}
    for bookmark in bookmarks:
        on_page.setdefault(bookmark.page, []).append(bookmark)
    texts = without_contents_by_page(without_running_lines(pages, bookmarks, check=check), check)
    texts = with_whole_sentences(texts, lambda number: _begins_with(texts[number - 1], on_page.get(number, ())), check=check)
    written: Counter[str] = Counter()
    for text in texts:
        check()
        written.update(match[0].casefold() for match in _WORD.finditer(_BROKEN_WORD.sub(" ", text)))
    last = Part("")
    for number, text in enumerate(texts, start=1):
        check()
        there = [one._replace(title=_without_hyphens(one.title, written)) for one in on_page.get(number, ())]
        noted = (notes or {}).get(number, ())
        part = _under_headings("\n\n".join([_without_hyphens(text, written), *noted]), there)
        last = replace(part, place=f"page={number}").after(last)
        yield last


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
    return with_entries("\n\n".join("".join(_joined(lines, longest)) for lines in blocks))


def _joined(lines: Sequence[str], longest: int) -> Iterator[str]:
    for line, following in pairwise(lines):
        goes_on = line[-1] not in ".:;!?" and len(line) >= FULL_LINE * longest and following[0].isalnum()
        is_range = goes_on and _RANGE.search(line) is not None and following[0].isdigit()
        yield line + ("" if is_range else " " if goes_on or following[0].islower() else "\n")
    yield lines[-1]


def _under_headings(text: str, bookmarks: Sequence[Bookmark]) -> Part:
    """A page with the headings that bookmarks lead to."""
    lines = list(map(str.strip, text.split("\n")))
    text, longest = "\n".join(lines), longest_line(text)
    blocks = Blocks()
    position = 0
    for number, bookmark in enumerate(bookmarks):
        found = _find(bookmark.title, text, position) if number < MOST_SOUGHT else None
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


def _begins_with(text: str, bookmarks: Sequence[Bookmark]) -> bool:
    """Whether a page begins with one of its headings."""
    found = (_find(one.title, text, 0) for one in bookmarks[:MOST_SOUGHT])
    return any(one is not None and not text[: one.start()].strip() for one in found)


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
