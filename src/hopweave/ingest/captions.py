"""What stands above a table, for passages that begin within it: its caption or unit, and the group of rows.

Rows are paragraphs, so a long table is cut between them. A caption with a number may as well stand below it, for passages that
end within it. Titles of sheets are headings and need none of this.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.document import PARAGRAPH
from hopweave.text.sentences import sentence_spans
from hopweave.text.table_rows import cells_of
from hopweave.text.tables_in_text import is_caption, is_heading

_BREAK = lazy_pattern(PARAGRAPH)
_LONGEST = 150
"""Characters of a caption."""
_STATES_UNITS = lazy_pattern(r"\b(?:in|figures|amounts|values|prices)\b", re.IGNORECASE)
_NUMBERED = lazy_pattern(r"[^\W\d_]+\.?\s\d")
"""How the caption of another table begins: `Table 5`."""
_NOTE = lazy_pattern(r"[¹²³⁰⁴-⁹]")
"""How a note begins, which may stand at the foot of the page, above a table on the next one."""
_LONGEST_ROW = 4_000
"""Characters."""
_LONGEST_CAPTION = 300
"""Characters in which its first sentence is looked for."""


class _Below(NamedTuple):
    """The caption below a table: where the rows end, and its text."""

    end: int
    caption: str


class Captions:
    """The captions of the tables of a text whose passages are looked at in order.

    Args:
        headings: the starts of its sections.
    """

    def __init__(self, headings: Collection[int]) -> None:
        self._headings = headings
        self._caption = self._group = ""
        self._was_row = self._was_caption = False
        self._below = _Below(0, "")

    def above(self, text: str, start: int, end: int) -> tuple[str, ...]:
        """What stands above the rows that a passage begins with, from the outermost; nothing if it begins with something else.

        If it has rows alone, that may be a caption below the table.

        Args:
            text: the whole text.
            start: where the passage begins.
            end: where it ends.
        """
        found: tuple[str, ...] = ()
        has_rows_alone = True
        breaks = [match.end() for match in _BREAK.finditer(text, start, end)]
        for number, (begin, after) in enumerate(pairwise([start, *breaks, end])):
            paragraph = text[begin:after].strip()
            is_row = _is_row(paragraph)
            if not number and is_row:
                found = tuple(filter(None, (self._caption, self._group)))
            if not is_row:
                self._take(paragraph, is_section=begin in self._headings)
            self._was_row = is_row
            has_rows_alone = has_rows_alone and is_row
        if has_rows_alone and not is_caption(self._caption):
            return tuple(filter(None, (self._caption_below(text, end), *found)))
        return found

    def _caption_below(self, text: str, start: int) -> str:
        """The first sentence of the caption below the rows that go on at some position; empty without one."""
        if start >= self._below.end:
            end = start
            for match in _BREAK.finditer(text, start):
                if _is_row(text[end : match.start()].strip()) or match.start() == start:
                    end = match.end()
                    continue
                break
            said = _first_sentence(text, end)
            self._below = _Below(end, said if is_caption(said) else "")
        return self._below.caption

    def _take(self, paragraph: str, *, is_section: bool) -> None:
        """Takes a paragraph that may be above rows.

        What stands alone above the first rows may be the first of several groups, such as `Assets` before `Liabilities`.
        """
        may_be_title = not is_section and not _NOTE.match(paragraph)
        is_title = len(paragraph) <= _LONGEST and "\n" not in paragraph and is_heading(paragraph) and may_be_title
        is_numbered = _NUMBERED.match(paragraph) is not None
        states_units = _states_units(paragraph) and may_be_title
        if is_title and not is_numbered and self._was_row:
            is_of_all = self._group or _NUMBERED.match(self._caption) or _states_units(self._caption)
            self._caption, self._group = self._caption if is_of_all else "", paragraph
        elif is_title and not is_numbered and not states_units and self._caption and self._was_caption:
            self._group = paragraph
        elif is_title or states_units:
            self._caption, self._group = paragraph, ""
        else:
            said = _first_sentence(paragraph)
            self._caption, self._group = said if is_caption(said) and not is_section else "", ""
        self._was_caption = bool(self._caption)


def _states_units(paragraph: str) -> bool:
    return len(paragraph) <= _LONGEST and _STATES_UNITS.search(paragraph) is not None


def _first_sentence(text: str, start: int = 0) -> str:
    said = text[start : start + _LONGEST_CAPTION]
    first = next(iter(sentence_spans(said)), None)
    return said[first.start : first.end] if first is not None else ""


def _is_row(paragraph: str) -> bool:
    return "; " in paragraph and len(paragraph) <= _LONGEST_ROW and bool(cells_of(paragraph))
