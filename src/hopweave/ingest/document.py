"""A document as every reader of a format hands it over: a title, and parts with their text and headings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

PARAGRAPH = "\n\n"

_LONGEST_HEADING = 200
"""Characters."""


class Heading(NamedTuple):
    """A heading within the text of a part.

    Attributes:
        start: where it begins in the text, which contains it.
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


@dataclass(frozen=True, slots=True)
class Document:
    """A document.

    Attributes:
        title: empty if it has none.
        parts: those with text, in order.
        unread: which part could not be read, and why; empty if everything was.
    """

    title: str
    parts: tuple[Part, ...]
    unread: str = ""


@dataclass(slots=True)
class Blocks:
    """Paragraphs and headings that become a part, in order."""

    _pieces: list[str] = field(default_factory=list)
    _headings: list[Heading] = field(default_factory=list)
    _length: int = 0

    def add(self, text: str) -> None:
        """Adds a paragraph; white space around it is dropped, and an empty one is left out."""
        if text := text.strip():
            self._pieces.append(text)
            self._length += len(text) + len(PARAGRAPH)

    def add_heading(self, text: str, level: int) -> None:
        """Adds a heading; one that is too long for that is a paragraph."""
        shown = " ".join(text.split())
        if shown and len(shown) <= _LONGEST_HEADING:
            self._headings.append(Heading(self._length, level, shown))
        self.add(shown)

    def add_part(self, part: Part) -> None:
        """Adds all of a part, with its headings."""
        if part.text:
            self._headings += [heading._replace(start=self._length + heading.start) for heading in part.headings]
            self._pieces.append(part.text)
            self._length += len(part.text) + len(PARAGRAPH)

    def part(self, place: str = "") -> Part:
        """All of it."""
        return Part(PARAGRAPH.join(self._pieces), tuple(self._headings), place)
