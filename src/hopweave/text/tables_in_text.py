"""The rows of the tables in a text, each with what stands above it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.sentences import sentence_spans
from hopweave.text.table_rows import Cell, cell_at, cells_of

_LONGEST_HEADING = 100
_CAPTION = lazy_pattern(
    r"(?:tab(?:le|elle|leau|la|ella|el|ela|ulka|ell)\b|tab\.|таблица\b|表)\s*\d{1,3}(?:[.-]\d{1,3}){0,2}\s*[.:|–—-]",
    re.IGNORECASE,
)


class Row(NamedTuple):
    """A row of a table.

    Attributes:
        span: where it is in the text.
        cells: of it.
        above: the headings that it stands under, each on a line, up to the next heading further down; a caption with a number
            is one of them, also below the table.
        before: the sentences between the last heading, or the last table, and the rows.
    """

    span: Span
    cells: tuple[Cell, ...]
    above: str
    before: str

    def cell_at(self, focus: Span) -> Cell | None:
        """The cell that some words of the text stand in."""
        return cell_at(self.cells, focus.start - self.span.start)


@remembered
def rows_of(text: str) -> tuple[Row, ...]:
    r"""The rows of a text, in order. Headings that follow each other are above them together.

    >>> for row in rows_of("Sales\n\nin EUR\n\ntown: Ulm; sum: 5.\n\ntown: Brno; sum: 6.\n\nCosts\n\nat: Ulm; sum: 7."):
    ...     print([cell.value for cell in row.cells], row.above.split("\n"))
    ['Ulm', '5.'] ['Sales', 'in EUR']
    ['Brno', '6.'] ['Sales', 'in EUR']
    ['Ulm', '7.'] ['Costs']
    """
    rows: list[Row] = []
    above: list[str] = []
    before: list[str] = []
    last = "row"
    first, is_apart = 0, True  # the first row of a table, and whether the next row is one
    for span in sentence_spans(text):
        sentence = text[span.start : span.end]
        cells = cells_of(sentence)
        if cells:
            if is_apart or not _have_names_in_common(rows[-1].cells, cells):
                first = len(rows)
            rows.append(Row(span, cells, "\n".join(above), "\n".join(before)))
            is_apart = False
        elif is_caption(sentence) and last == "row" and len(rows) > first and not any(map(is_caption, above)):
            rows[first:] = [row._replace(above="\n".join(filter(None, [row.above, sentence]))) for row in rows[first:]]
            above, before, is_apart = [], [], True
        elif is_heading(sentence) or is_caption(sentence):
            above = [*above, sentence] if last == "heading" else [sentence]
            before = []
            is_apart = is_apart or is_caption(sentence)
        else:
            before = [*before, sentence] if last != "row" else [sentence]
            is_apart = True
        last = "row" if cells else "heading" if not before else "sentence"
    return tuple(rows)


def _have_names_in_common(cells: Sequence[Cell], others: Sequence[Cell]) -> bool:
    names = {cell.name for cell in cells if cell.name}
    return any(cell.name in names for cell in others)


def row_at(text: str, focus: Span) -> Row | None:
    """The row of a text that some words stand in; `None` if they are in none."""
    return next((row for row in rows_of(text) if row.span.start <= focus.start < row.span.end), None)


def is_caption(text: str) -> bool:
    """Whether a sentence is the caption of a table with its number.

    >>> is_caption("Table 4: How often it was seen."), is_caption("Table 4 shows how often.")
    (True, False)
    """
    return _CAPTION.match(text) is not None


def is_heading(text: str) -> bool:
    """Whether a sentence looks like a heading: it is short, on one line, and does not end like a sentence."""
    return len(text) <= _LONGEST_HEADING and "\n" not in text.strip() and not text.rstrip().endswith((".", "!", "?", ",", ";"))
