"""A document as every reader of a format hands it over: a title, and parts with their text and headings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.values import MONTHS

PARAGRAPH = "\n\n"
_WORD = lazy_pattern(r"\w+")
_NUMBER = lazy_pattern(r"\d+(?:\.\d+)*")
_MONTH = lazy_pattern(rf"\b(?:{'|'.join(month[:3] for month in MONTHS)})[a-z]*\.?(?=\s+\d)", re.IGNORECASE)

_LONGEST_HEADING = 200
"""Characters."""
_MOST_TERMS = 10
"""Names of one thing."""
_LONGEST_BOLD = 100
_FEWEST_LETTERS = 3
_FEWEST_BOLD = 2


class Heading(NamedTuple):
    """A heading within the text of a part.

    Attributes:
        start: where it begins in the text. The text contains it unless it is of an earlier part, whose section goes on, or only
            listed in an outline.
        level: 1 for the outermost; the section ends at the next heading of this level or a lower number.
        text: on one line.
    """

    start: int
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document that a citation can name; a document without such parts is one part.

    Attributes:
        text: of it, a blank line between paragraphs.
        headings: in it, in order.
        place: follows the `#` of its source, such as `page=3`; empty if the part is the whole document.
        within: the headings above the whole part, from the outermost, such as those of the page before.
    """

    text: str
    headings: tuple[Heading, ...] = ()
    place: str = ""
    within: tuple[str, ...] = ()

    def after(self, earlier: Part) -> Part:
        """The same part, as it goes on in the sections that are open at the end of an earlier one."""
        carried = (heading._replace(start=0) for heading in open_headings(earlier.headings))
        return replace(self, headings=(*carried, *self.headings), within=self.within or earlier.within)


class Attachment(NamedTuple):
    """A file that is within a document, such as one that is attached to a message.

    Attributes:
        name: as the document has it.
        content: its bytes; empty if they are not read.
        within: what it is attached to, a heading above all of its text.
    """

    name: str
    content: bytes
    within: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document.

    Attributes:
        title: empty if it has none.
        parts: those with text, in order.
        unread: which part could not be read, and why; empty if everything was.
        attached: the files within it.
    """

    title: str
    parts: tuple[Part, ...]
    unread: str = ""
    attached: tuple[Attachment, ...] = ()


def open_headings(headings: Iterable[Heading]) -> list[Heading]:
    """Those of some headings whose sections go on after the last of them, from the outermost."""
    above: list[Heading] = []
    for heading in headings:
        above = [*(one for one in above if one.level < heading.level), heading]
    return above


@dataclass(slots=True)
class Blocks:
    """Paragraphs and headings that become a part, in order."""

    _pieces: list[str] = field(default_factory=list)
    _headings: list[Heading] = field(default_factory=list)
    _length: int = 0
    _terms: list[str] = field(default_factory=list)
    _bold: list[Heading] = field(default_factory=list)

    def add(self, text: str, *, is_bold: bool = False) -> None:
        """Adds a paragraph; white space around it is dropped, and an empty one is left out.

        Bold lines are headings if there are no others, as where people make headings without a style for them; bold questions
        also are below others.
        """
        if text := text.strip():
            if is_bold and not self._terms and _may_be_heading(text):
                self._bold.append(Heading(self._length, 1, text))
            text = "\n".join([*self._terms, text])
            self._terms.clear()
            self._pieces.append(text)
            self._length += len(text) + len(PARAGRAPH)

    def add_term(self, text: str) -> None:
        """Adds what the next paragraph explains, such as an option; they become one, so cutting keeps them together."""
        if len(self._terms) >= _MOST_TERMS:
            self._end_terms()
        if text := text.strip():
            self._terms.append(text)

    def add_heading(self, text: str, level: int, *, is_shown: bool = True) -> None:
        """Adds a heading; one that is too long for that is a paragraph, and one that is not shown is not part of the text."""
        self._end_terms()
        shown = " ".join(text.split())
        if shown and len(shown) <= _LONGEST_HEADING:
            self._headings.append(Heading(self._length, level, shown))
        if is_shown:
            self.add(shown)

    def add_part(self, part: Part) -> None:
        """Adds the paragraphs and headings of a part."""
        self._end_terms()
        self._headings += (heading._replace(start=heading.start + self._length) for heading in part.headings)
        self.add(part.text)

    def part(self, place: str = "") -> Part:
        """All of it."""
        self._end_terms()
        headings = sorted([*self._headings, *self._bold_headings()], key=attrgetter("start"))
        return Part(PARAGRAPH.join(self._pieces), tuple(headings), place)

    def _bold_headings(self) -> list[Heading]:
        """The bold lines, if nothing but a title is a heading and these are several, but not most of the paragraphs.

        Among other headings, those of them that are questions.
        """
        is_marked = len(self._headings) > 1 or any(heading.start for heading in self._headings)
        with_text = [line for line in self._bold if line.start + len(line.text) + len(PARAGRAPH) < self._length]
        if is_marked:
            with_text = [line for line in with_text if line.text.endswith("?")]
        if not _FEWEST_BOLD <= len(with_text) <= (len(self._pieces) + 1) // 2:
            return []
        level = 1 + max((heading.level for heading in self._headings), default=0)
        return [line._replace(level=level) for line in with_text]

    def _end_terms(self) -> None:
        if self._terms:
            self.add(self._terms.pop())


def _may_be_heading(text: str) -> bool:
    is_short = len(text) <= _LONGEST_BOLD and "\n" not in text and text[-1] not in ".,;!"
    return is_short and not text[0].islower() and sum(map(str.isalpha, text)) >= _FEWEST_LETTERS


def heading_at_start(part: Part) -> str:
    """The heading that a part begins with; empty if it begins with text."""
    first = next(iter(part.headings), None)
    return first.text if first is not None and not first.start else ""


def repeats(heading: str, title: str) -> bool:
    """Whether a heading says little more than the title of its document: half of its words are there.

    It does not if each has a number that the other lacks, such as that of another release.
    """
    words, known = (set(_WORD.findall(text.casefold())) for text in (heading, title))
    numbers, others = (set(_NUMBER.findall(text)) for text in (heading, title))
    if numbers - others and others - numbers:
        return False
    num_known = len(words & known)
    return heading.casefold() in title.casefold() or (num_known > 1 and num_known * 2 >= len(words))


def is_one_of_several(title: str, parts: Iterable[Part]) -> bool:
    """Whether a title is only the first of several alike headings, such as those of the releases in a list of changes.

    They are alike up to their first number, and are at least half of the headings of their level, the outermost. One that goes
    on from page to page is one.
    """
    headings = dict.fromkeys(heading._replace(start=0) for part in parts for heading in part.headings)
    outermost = min((heading.level for heading in headings), default=0)
    main = [_before_its_number(heading.text) for heading in headings if heading.level == outermost]
    alike = main.count(_before_its_number(title)) if _NUMBER.search(title) else 0
    return alike > 1 and alike * 2 >= len(main)


def _before_its_number(heading: str) -> str:
    """What a heading has before its first number, a month aside: `Release ` of `Release 1.2 of 3 May`."""
    found = _NUMBER.search(heading := _MONTH.sub("", heading).casefold())
    return heading if found is None else f"{heading[: found.start()].strip()} #"
