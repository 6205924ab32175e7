"""What stands above a table, for passages that begin within it: its caption or unit, and the group of rows.

Rows are paragraphs, so a long table is cut between them. Titles of sheets are headings and need none of this.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise

from hopweave.ingest.document import PARAGRAPH
from hopweave.text.table_rows import cells_of
from hopweave.text.tables_in_text import is_heading

_BREAK = re.compile(PARAGRAPH)
_LONGEST = 150
"""Characters of a caption."""
_STATES_UNITS = re.compile(r"\b(?:in|figures|amounts|values|prices)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"[^\W\d_]+\.?\s\d")
"""How the caption of another table begins: `Table 5`."""
_LONGEST_ROW = 4_000
"""Characters."""


class Captions:
    """The captions of the tables of a text whose passages are looked at in order.

    Args:
        headings: the starts of its sections.
    """

    def __init__(self, headings: Collection[int]) -> None:
        self._headings = headings
        self._caption = self._group = ""
        self._was_row = False

    def above(self, text: str, start: int, end: int) -> tuple[str, ...]:
        """What stands above the rows that a passage begins with, from the outermost; nothing if it begins with something else.

        Args:
            text: the whole text.
            start: where the passage begins.
            end: where it ends.
        """
        found: tuple[str, ...] = ()
        breaks = [match.end() for match in _BREAK.finditer(text, start, end)]
        for number, (begin, after) in enumerate(pairwise([start, *breaks, end])):
            paragraph = text[begin:after].strip()
            is_row = _is_row(paragraph)
            if not number and is_row:
                found = tuple(filter(None, (self._caption, self._group)))
            if not is_row:
                self._take(paragraph, is_section=begin in self._headings)
            self._was_row = is_row
        return found

    def _take(self, paragraph: str, *, is_section: bool) -> None:
        """Takes a paragraph that may be above rows."""
        is_title = len(paragraph) <= _LONGEST and "\n" not in paragraph and is_heading(paragraph)
        if self._was_row and is_title and not is_section and not _NUMBERED.match(paragraph):
            self._group = paragraph
            return
        states_units = len(paragraph) <= _LONGEST and _STATES_UNITS.search(paragraph) is not None
        self._caption, self._group = paragraph if (is_title or states_units) and not is_section else "", ""


def _is_row(paragraph: str) -> bool:
    return "; " in paragraph and len(paragraph) <= _LONGEST_ROW and bool(cells_of(paragraph))
