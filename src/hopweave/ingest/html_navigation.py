"""What of an HTML page is no text of it: navigation, the site's header and footer, notices, tables of contents.

The elements, roles and names of a part tell, and how much of it is links. What a page would lose most of its text by is text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import accumulate
from operator import attrgetter, sub
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.html_tags import Tag

CERTAIN, NAMED, LIKELY = 3, 2, 1
"""How sure it is that a part is not text; 0 for text."""

_SMALLEST_SHARE = 3
"""At least the text of a page, without what is certain, divided by this, is left of it."""

_LISTS = frozenset({"ul", "ol", "dl", "menu", "table"})
_CERTAIN_ROLES = frozenset({"navigation", "search"})
_SITE_ROLES = frozenset({"banner", "contentinfo"})
_SITE = frozenset({"header", "footer", "aside"})
_NAMEABLE = frozenset({"div", "p", "section", "form", "aside", "header", "footer", *_LISTS})
_WORDS = lazy_pattern(r"\w+")
_STEP_NAMES = frozenset(
    _WORDS.findall("navheader navfooter docnav navbar breadcrumb breadcrumbs sphinxsidebar pagination pager")
)
_LINK_NAMES = frozenset(_WORDS.findall("nav navigation menu toc contents tableofcontents sidebar header toctree"))
_FOOTER_NAMES = frozenset(_WORDS.findall("footer pagefooter sitefooter globalfooter"))
_NOTICE = lazy_pattern(r"(?:cookies?|consent|gdpr)(?:banner|notice|bar|consent|popup|dialog|message|modal|warning|overlay)")
_NOTE_ROLES = frozenset({"doc-footnote", "doc-endnote", "doc-endnotes"})
_NOTE_NAMES = frozenset(_WORDS.findall("footnote footnotes endnote endnotes rearnote rearnotes"))
_NAMES = _STEP_NAMES | _LINK_NAMES | _FOOTER_NAMES

_STEPS = frozenset({"prev", "previous", "next"})
_STEP_WORDS = _STEPS | {"up", "home", "top", "contents", "index"}
LONGEST_BAR = 400
"""Characters of a row of links, such as to the pages before and after."""
_LONGEST_STEP = 20
_TO_BEFORE, _TO_AFTER = frozenset("‹«←◀"), frozenset("›»→▶")
_FEWEST_LINKS = 3
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_BETWEEN = lazy_pattern(r"[|>»›]")

TITLES = frozenset({"contents", "table of contents", "on this page", "in this article", "in this section"})
"""Headings of tables of contents."""


@dataclass(slots=True)
class Counts:
    """What a page has so far.

    Attributes:
        num_characters: of text.
        num_linked: those of them that are links.
        num_inside: those of them that are links into the page.
        num_links: links with text.
        num_pictures: pictures in links, such as an arrow to the next page.
        num_steps: links to the page before or after.
        num_headings: headings.
        num_mains: main headings, articles and the like, which only the text of a page has.
    """

    num_characters: int = 0
    num_linked: int = 0
    num_inside: int = 0
    num_links: int = 0
    num_pictures: int = 0
    num_steps: int = 0
    num_headings: int = 0
    num_mains: int = 0

    def so_far(self) -> tuple[int, ...]:
        """All of them."""
        return _ALL(self)

    def since(self, before: tuple[int, ...]) -> Counts:
        """What came after that."""
        return Counts(*map(sub, _ALL(self), before))


_ALL = attrgetter(*(field.name for field in fields(Counts)))


class Mark(NamedTuple):
    """Blocks of a page that are not text, from `start` to before `end`, with how sure that is."""

    start: int
    end: int
    grade: int


def may_be_navigation(name: str, tag: Tag) -> bool:
    """Whether an element has to be looked at."""
    return name in _LISTS or name in _SITE or name == "nav" or bool(tag.role or tag.is_hidden) or _is_named(name, tag)


def grade_of(name: str, tag: Tag, counts: Counts, *, is_in_text: bool) -> int:
    """How sure it is that an element is not text.

    Args:
        name: of the element.
        tag: its start.
        counts: what it has.
        is_in_text: whether it is in an article, a section or the main part of the page.
    """
    if name == "nav" or tag.role in _CERTAIN_ROLES or tag.is_hidden:
        return CERTAIN
    is_of_notes = tag.role in _NOTE_ROLES or not _NOTE_NAMES.isdisjoint(tag.names)
    if counts.num_mains or is_of_notes:
        return 0
    is_of_site = (name in _SITE and not is_in_text) or tag.role in _SITE_ROLES
    if is_of_site and not counts.num_headings:
        return NAMED
    if name == "aside" and _lists_links(counts):
        return NAMED
    if _is_named(name, tag) and _says_no_text(tag.names, counts, is_in_text=is_in_text):
        return NAMED
    return LIKELY if name in _LISTS and _leads_away(counts) else 0


def _is_named(name: str, tag: Tag) -> bool:
    return name in _NAMEABLE and (not _NAMES.isdisjoint(tag.names) or any(map(_NOTICE.match, tag.names)))


def _says_no_text(names: frozenset[str], counts: Counts, *, is_in_text: bool) -> bool:
    is_footer = not _FOOTER_NAMES.isdisjoint(names) and not is_in_text and not counts.num_headings
    if is_footer or any(map(_NOTICE.match, names)):
        return True
    if not counts.num_links and not counts.num_pictures:
        return False
    return not _STEP_NAMES.isdisjoint(names) or (
        not _LINK_NAMES.isdisjoint(names) and counts.num_linked * 2 >= counts.num_characters
    )


def _lists_links(counts: Counts) -> bool:
    """Whether a part is a list of links under a single heading, such as `Related articles`."""
    return counts.num_headings == 1 < counts.num_links and counts.num_linked * 2 >= counts.num_characters


def _leads_away(counts: Counts) -> bool:
    """Whether a list is a table of contents of the page, or of steps to the pages around it."""
    if counts.num_steps and counts.num_links > 1 and counts.num_characters <= LONGEST_BAR:
        return counts.num_linked * 3 >= counts.num_characters
    is_inside = counts.num_links >= _FEWEST_LINKS and counts.num_inside == counts.num_linked
    return is_inside and counts.num_linked * 5 >= counts.num_characters * 4


def is_step(linked: str) -> bool:
    """Whether a link leads to the page before or after, by its text: `Next page`, or `The oil` behind an arrow."""
    if linked[:1] in _TO_BEFORE or linked[-1:] in _TO_AFTER:
        return True
    words = _LETTERS.findall(linked.lower()) if len(linked) <= _LONGEST_STEP else []
    return len(words) in {1, 2} and words[0] in _STEPS and words[-1] in {*_STEPS, "page", "chapter", "topic", "section"}


def is_bar(bare: str, num_links: int, num_steps: int) -> bool:
    """Whether a paragraph is a row of links such as `Home > Manual > Options` or `Next: Options, Up: Manual`.

    Args:
        bare: its text without the links.
        num_links: in it.
        num_steps: those of them to the page before or after.
    """
    words = _LETTERS.findall(bare.lower())
    if not _STEP_WORDS.issuperset(words):
        return False
    if num_steps or not _STEPS.isdisjoint(words):
        return True
    return num_links >= _FEWEST_LINKS and len(_BETWEEN.findall(bare)) >= num_links - 1 and "," not in bare


def text_of(sizes: Sequence[int], marks: Iterable[Mark]) -> list[bool]:
    """Which blocks of a page are its text.

    Args:
        sizes: of the blocks, in characters.
        marks: of what is not text; they may overlap.
    """
    marks = list(marks)
    grades = [0] * len(sizes)
    for grade in (LIKELY, NAMED, CERTAIN):
        changes = [0] * (len(sizes) + 1)
        for mark in marks:
            if mark.grade == grade:
                changes[mark.start] += 1
                changes[mark.end] -= 1
        grades = [grade if depth else before for before, depth in zip(grades, accumulate(changes), strict=False)]
    lengths = [0, 0, 0, 0]
    for grade, size in zip(grades, sizes, strict=True):
        lengths[grade] += size
    left = list(accumulate(lengths))
    enough = (grade for grade in range(CERTAIN) if left[grade] and left[grade] * _SMALLEST_SHARE >= left[CERTAIN - 1])
    most = next(enough, CERTAIN)
    return [grade <= most for grade in grades]
