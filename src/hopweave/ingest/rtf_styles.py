"""Styles of paragraphs in RTF, and the levels of headings that they stand for."""

from __future__ import annotations

from typing import NamedTuple

from hopweave.ingest.paragraph_styles import HEADING, MAX_STYLES_ABOVE, level_of_outline


class Style(NamedTuple):
    """A style of paragraphs: its name, the number of the one that it is based on, and its outline level, from 0."""

    name: str
    based_on: int | None
    level: int | None


class RtfStyles:
    """The styles of a document, by their numbers.

    >>> styles = RtfStyles()
    >>> styles.add(1, Style("heading 2", None, None))
    >>> styles.add(7, Style("Chapter", 1, None))
    >>> styles.level(7), styles.level(8), styles.name(7)
    (2, 0, 'Chapter')
    """

    def __init__(self) -> None:
        self._styles: dict[int, Style] = {}

    def add(self, number: int, style: Style) -> None:
        """Adds a style, unless there is one of that number."""
        self._styles.setdefault(number, style)

    def name(self, number: int) -> str:
        """The name of a style; empty if it is not known."""
        style = self._styles.get(number)
        return style.name if style is not None else ""

    def level(self, number: int | None) -> int:
        """The level of headings of a style, from 1, its own or that of the ones it is based on; 0 for other text."""
        for _ in range(MAX_STYLES_ABOVE):
            style = None if number is None else self._styles.get(number)
            if style is None:
                break
            if style.level is not None:
                return level_of_outline(style.level)
            if named := HEADING.fullmatch(style.name):
                return int(named[1])
            number = style.based_on
        return 0
