"""What a plain text says, without what only shows the way in it: headers, footers, tables of contents, indexes.

Text that is set page by page, as RFCs are and as `pdftotext` writes a PDF, has form feeds between its pages. A form feed alone
means little, as some texts have one between their chapters; so the pages need headers or footers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.contents_by_heading import without_contents_by_heading
from hopweave.ingest.contents_by_page import without_contents_by_page
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import PARAGRAPH
from hopweave.ingest.page_breaks import ends_a_sentence, goes_on
from hopweave.ingest.running_lines import without_running_lines

_FORM_FEED = "\f"
_SHARE_WITH_RUNNING_LINES = 0.5
"""Of the pages, at least."""
_MOST_APART = 2
"""Columns between the indents of two lines of a paragraph."""
_MOST_PAGES = 20_000
"""More form feeds are no ends of pages."""
_PAGES_LOOKED_AT = 3
"""The first page may have none, and left and right pages have different ones."""
_WORD = lazy_pattern(r"[^\W\d_]{5,}")
_EMPTY_LINES = lazy_pattern(r"(?:[ \t]*\n)+")


def main_text(text: str, check: Check) -> tuple[str, str]:
    """A text without headers, footers, tables of contents and indexes, and without the gaps between its pages.

    A paragraph that goes on over the end of a page is whole. Text without form feeds, or with pages that mostly lack headers
    and footers, only loses its tables of contents.

    Args:
        text: of the whole document.
        check: called for every line.

    Returns:
        The text, and of the headers and footers the first that have words which the first page lacks, one on each line.
    """
    pages = text.split(_FORM_FEED)
    are_pages = 1 < len(pages) <= _MOST_PAGES
    bare = without_running_lines(pages, check=check, keep_first=False) if are_pages else pages
    removed = [_removed(*both) for both in zip(pages, bare, strict=True)]
    if sum(map(bool, removed)) < _SHARE_WITH_RUNNING_LINES * len(pages):
        return _text(without_contents_by_heading(text.split("\n"), check)), ""
    bare[0] = _with_top(pages[0], bare[0])
    lines = [page.split("\n") for page in bare]
    left = iter(without_contents_by_heading([line for page in lines for line in page], check))
    unlisted = [_text(islice(left, len(page))) for page in lines]
    return "".join(_joined(without_contents_by_page(unlisted, check))), "\n".join(_new(removed, _words(bare[0])))


def _with_top(page: str, bare: str) -> str:
    """The first page with its header, which is the title where all pages have that."""
    lines = bare.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    return "\n".join([*page.split("\n")[:first], *lines[first:]])


def _text(lines: Iterable[str | None]) -> str:
    return "\n".join(line for line in lines if line is not None)


def _removed(page: str, bare: str) -> list[str]:
    return [line for line, left in zip(page.split("\n"), bare.split("\n"), strict=True) if line != left]


def _new(removed: Sequence[Sequence[str]], known: set[str]) -> Iterator[str]:
    """Lines with a word that was not there before, of the first pages that have any."""
    for lines in [lines for lines in removed if lines][:_PAGES_LOOKED_AT]:
        for line in lines:
            if new := _words(line) - known:
                known |= new
                yield " ".join(line.split())


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _joined(pages: Sequence[str]) -> Iterator[str]:
    """The pages with text, and what is between them."""
    before = ""
    for page in pages:
        text = page[found.end() :].rstrip() if (found := _EMPTY_LINES.match(page)) else page.rstrip()
        if text:
            if before:
                yield "\n" if _is_one_paragraph(before, text) else PARAGRAPH
            yield text
            before = text


def _is_one_paragraph(before: str, after: str) -> bool:
    """Whether the last paragraph of a page goes on in the next one."""
    last, first = before[before.rfind("\n") + 1 :], after.partition("\n")[0]
    said = first.lstrip()
    if ends_a_sentence(last) or abs(len(first) - len(said) - len(last) + len(last.lstrip())) > _MOST_APART:
        return False
    widest = max(len(line.rstrip()) for line in before.split("\n"))
    is_full = said[0].isalnum() and len(f"{last} {said.split()[0]}") > widest
    return is_full or goes_on(before, after.lstrip())
