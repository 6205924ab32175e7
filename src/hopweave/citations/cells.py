"""Whether the cell of a table that has an answer is the one that a query asks for, among all cells of the document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hopweave.citations.about import says_nothing
from hopweave.citations.places import words_above
from hopweave.core.types import Passage, Span
from hopweave.text.table_cells import has_period, is_of_another_period, row_words, words_asked, words_of_cells
from hopweave.text.table_rows import Cell
from hopweave.text.tables_in_text import Row, row_at, rows_of

_MOST_ROWS = 400
"""Rows of the passages that were found which are looked at."""


def is_other_cell(query: str, said: str, passage: Passage, focus: Span, found: Sequence[Passage]) -> bool:
    """Whether some words of a table stand in another cell than a query asks for; `False` if they are in none.

    They do if another cell of the document, with a value of the same make, has all the words of the query that theirs has, and
    more: in the name of its column, in its row, or above the table. They also do if the row of another cell of their column is
    named by the query as a whole, and theirs only in part; and if their column, else their row, is of another year or quarter.

    Args:
        query: the query.
        said: the answer.
        passage: that it stands in.
        focus: the position of its words in the text of the passage.
        found: all passages that were found.
    """
    row = row_at(passage.text, focus)
    own = row and row.cell_at(focus)
    if row is None or own is None:
        return False
    asked = frozenset(word for word in words_of_cells(query) if not says_nothing(word)) - words_of_cells(said)
    if _is_of_another_period(asked, passage, row, own):
        return True
    here = words_asked(asked, _told(passage, row, own))
    is_number = _has_digit(own.value)
    is_named = _is_named(row, asked)
    for other_passage, other in _rows_of_document(passage, found):
        for cell in other.cells:
            if (cell is own and other is row) or _has_digit(cell.value) != is_number:
                continue
            there = words_asked(asked, _told(other_passage, other, cell))
            if here < there and not words_of_cells(cell.value) <= words_of_cells(query):
                return True
            if here == there and not is_named and cell.name == own.name and _is_named(other, asked):
                return True
    return False


def _is_of_another_period(asked: frozenset[str], passage: Passage, row: Row, own: Cell) -> bool:
    for told in (own.name, row_words(row.cells, own), row.above, "\n".join(passage.sections), words_above(passage)):
        if is_of_another_period(asked, told):
            return True
        if has_period(told):
            return False
    return False


def _is_named(row: Row, asked: frozenset[str]) -> bool:
    """Whether a query has all words of the first cell of a row."""
    words = words_of_cells(row.cells[0].value)
    return bool(words) and words <= asked


def _told(passage: Passage, row: Row, cell: Cell) -> str:
    """All that says what a cell is."""
    return "\n".join([cell.name, row_words(row.cells, cell), row.above, words_above(passage)])


def _rows_of_document(passage: Passage, found: Sequence[Passage]) -> Iterator[tuple[Passage, Row]]:
    num_rows = 0
    for one in {one.id: one for one in (passage, *found)}.values():
        if one.source.partition("#")[0] != passage.source.partition("#")[0]:
            continue
        for row in rows_of(one.text):
            num_rows += 1
            if num_rows > _MOST_ROWS:
                return
            yield one, row


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
