"""Whether the cell of a table that has an answer is the one that a query asks for, among all cells of the document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hopweave.citations.about import telling
from hopweave.citations.citing import locate
from hopweave.citations.places import place_of
from hopweave.citations.rules.bounds import is_bound_asked
from hopweave.citations.rules.table_cells import (
    has_period,
    is_before_what,
    is_of_another_period,
    row_words,
    scenarios_in,
    words_asked,
    words_of_cells,
)
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Claim, Passage, Span
from hopweave.text.amounts import CURRENCY
from hopweave.text.content_words import keys_of, numbers_of
from hopweave.text.document_names import are_of_one_document, words_above
from hopweave.text.table_rows import Cell, cells_of, is_row
from hopweave.text.tables_in_text import Row, row_at, rows_of
from hopweave.text.values_alike import NUMBER, values_in

_HOW_MANY = lazy_pattern(r"\s*(?:in\s[\w\s,]{1,30},\s)?how\s(?:(?P<many>many)|much(?!\sof\b))\s", re.IGNORECASE)
_MONEY = lazy_pattern(rf"{CURRENCY}|\([A-Z]{{3}}\)|(?i:\b(?:value|price|cost|amount)\b)")
_DENIES = lazy_pattern(r"\b(?:not|never|no|without|non|\w+n['’]t)\b", re.IGNORECASE)
_BEFORE_A_DIGIT = lazy_pattern(r"\D*(?=\d)")
_MOST_WORDS_BEFORE = 3
_CODE = lazy_pattern(r"(?=\D*\d)[^\W\d_][\w./-]*")
"""A name of letters and digits: `B2`, `P-100`."""
_NUMBER_OF_A_SECTION = lazy_pattern(r"(?:^|(?<=> ))\d{1,2}(?:\.\d{1,2}){0,3}\.?\s(?=[^\W\d_])", re.MULTILINE)
_FEWEST_BESIDE = 4
"""Words of a cell of prose besides those of an answer."""
_MOST_CELLS = 60
"""Cells of another row that are looked at: each is told from the others by all of its row."""
_MOST_ROWS = 400
"""Rows of the passages that were found which are looked at."""


def is_other_cell(query: str, said: str, passage: Passage, focus: Span, found: Sequence[Passage]) -> bool:
    """Whether some words stand in another cell of a table than a query asks for, or in a sentence, while a cell is meant.

    They do if another cell of the document, with a value of the same make, has all the words of the query that theirs has, and
    more: in the name of its column, in its row, or above the table; a number in a sentence is compared with cells likewise.
    They also do if the row of another cell of their column is named by the query as a whole, and theirs only in part; and if
    their column, else their row, is of another year or quarter, or has a plan where another one has what is.

    Args:
        query: the query.
        said: the answer.
        passage: that it stands in.
        focus: the position of its words in the text of the passage.
        found: all passages that were found.
    """
    row = row_at(passage.text, focus)
    if row is None:
        return _is_rather_in_a_table(_Asking(query, said), passage, focus, found)
    asking, cells = _Asking(query, said), _cells_with(said, row, focus)
    return bool(cells) and all(_is_other(asking, passage, row, own, found) for own in cells)


def is_of_another_row(
    query: str, said: str, one: tuple[Passage, Span], other: tuple[Passage, Span], settled: Sequence[Claim] = ()
) -> bool:
    """Whether a sentence lacks words of a query that the row of a table has, or what stands above it: it is of another thing.

    So it is if it lacks what an earlier claim found, and the row has: `B2`, of a query for "the berth of Ada". Such a claim has
    no rival, so that the sentence says nothing else of the same thing.

    Args:
        query: the query.
        said: the answer.
        one: the passage and the position of the row; if it is none, this is `False`.
        other: those of the sentence.
        settled: earlier claims that a passage supports.
    """
    row, rival = (row_at(passage.text, span) for passage, span in (one, other))
    if row is None:
        return False
    asked = _Asking(query, said).words
    own = one[0].text[row.span.start : row.span.end]
    here = words_asked(asked, f"{row.above}\n{own}")
    there = f"{other[0].text[other[1].start : other[1].end]}\n{rival.above if rival is not None else ''}\n{_above(other[0])}"
    if not here <= words_asked(asked, there):
        return True
    found = filter(None, (keys_of(claim.text) for claim in settled))
    return any(keys.isdisjoint(keys_of(said)) and keys <= keys_of(own) and keys.isdisjoint(keys_of(there)) for keys in found)


def are_of_two_tables(one: tuple[Passage, Span], other: tuple[Passage, Span]) -> bool:
    """Whether two positions are in rows of two tables of a document, below different headings: neither denies the other."""
    row, another = (row_at(passage.text, span) for passage, span in (one, other))
    if row is None or another is None or not are_of_one_document(one[0], other[0]):
        return False
    return bool(row.above and another.above) and row.above != another.above


def is_another_case(row: str, other: str, said: str) -> bool:
    """Whether two rows are of two things, by the words of their first column, or are cases of one thing, by those of a further
    column: two causes of a fault. A number in the first column is a value that two rows may have of one thing.

    >>> row = "Fault: noise; Cause: dust; Remedy: wash it."
    >>> is_another_case(row, "Fault: noise; Cause: rust; Remedy: oil it.", "wash it")
    True
    >>> is_another_case(row, "Fault: noise; Cause: dust; Remedy: oil it.", "wash it")
    False
    >>> is_another_case("Service: under two years; Days: 25.", "Service: five years; Days: 28.", "25")
    True
    >>> [is_another_case(f"Berth: {one}; Price: 90.", f"Berth: {two}; Price: 80.", "90") for one, two in (("B2", "B1"), (2, 1))]
    [True, False]
    """
    cells, others = cells_of(row), cells_of(other)
    if not cells or [cell.name for cell in cells] != [cell.name for cell in others]:
        return False
    if cells[0].value != others[0].value:
        is_asked_for = locate(said, cells[0].value) is not None
        return not any(
            _is_number(one.value) and (is_asked_for or not _CODE.fullmatch(one.value)) for one in (cells[0], others[0])
        )
    return any(
        one.value != another.value and not _is_number(one.value) and locate(said, one.value) is None
        for one, another in zip(cells[1:], others[1:], strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Asking:
    """A query, and an answer, and the words by which cells are told apart: those of the query that say something."""

    query: str
    said: str
    words: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        words = telling(words_of_cells(self.query), self.query)
        object.__setattr__(self, "words", words - words_of_cells(self.said))


def _cells_with(said: str, row: Row, focus: Span) -> list[Cell]:
    """The cells that may have an answer: the one at its place; if that lacks a number of it, all that have this."""
    own = row.cell_at(focus)
    numbers = numbers_of(keys_of(said))
    if own is None or numbers <= keys_of(own.value):
        return [own] if own is not None else []
    return [cell for cell in row.cells if numbers <= keys_of(cell.value)] or [own]


def _is_other(asking: _Asking, passage: Passage, row: Row, own: Cell, found: Sequence[Passage]) -> bool:
    asked = asking.words
    if _is_of_another_period(asked, passage, row, own) or is_before_what(asking.query, own.name):
        return True
    here = words_asked(asked, _told(passage, row, own)) | _asked_in_prose(asking, own)
    is_number = _is_number(own.value)
    is_named = _is_named(row, asked)
    if any(_is_meant_before(asking, cell, own) for cell in row.cells if _is_number(cell.value) == is_number):
        return True
    if any(
        _is_denied_otherwise(asking.query, cell.name, own.name) for cell in row.cells if _is_number(cell.value) == is_number
    ):
        return True
    if _is_unchosen(asking, row, own) or _is_any_row(asking, passage, row, own, found):
        return True
    known = words_of_cells(asking.query)
    for other_passage, other in _rows_of_document(passage, found):
        for cell in other.cells[:_MOST_CELLS]:
            if (cell is own and other is row) or _is_number(cell.value) != is_number:
                continue
            if cell is other.cells[0] and cell.name != own.name:  # it says what the row is of
                continue
            there = words_asked(asked, _told(other_passage, other, cell))
            if here < there and not words_of_cells(cell.value) <= known:
                return True
            if len(here) <= len(there) and not is_named and cell.name == own.name and _is_named(other, asked):
                return True
    return False


def _asked_in_prose(asking: _Asking, cell: Cell) -> set[str]:
    """The words of a query in a cell that says more than an answer, as remarks do: they tell what the answer is."""
    is_prose = len(cell.value.split()) >= len(asking.said.split()) + _FEWEST_BESIDE
    return words_asked(asking.words, cell.value) if is_prose else set()


def _is_denied_otherwise(query: str, name: str, own: str) -> bool:
    """Whether one of two columns denies a word that the other has (`not registered`), and the other one is asked for."""
    denied = words_of_cells(name) & words_of_cells(own) & words_of_cells(query)
    are_opposite = bool(denied) and (_DENIES.search(name) is None) != (_DENIES.search(own) is None)
    return are_opposite and (_DENIES.search(query) is None) == (_DENIES.search(name) is None)


def _is_unchosen(asking: _Asking, row: Row, own: Cell) -> bool:
    """Whether a row has several values of a kind, and the query nothing of the names of their columns."""
    alike = [cell for cell in row.cells[1:] if _kinds(cell) & _kinds(own)]
    is_told = own not in alike or len(alike) == 1 or is_bound_asked(asking.query) or bool(_asked_in_prose(asking, own))
    asked = words_of_cells(asking.query)  # with `may`, which is a month as well
    return not is_told and not any(words_asked(asked, cell.name) for cell in alike)


def _kinds(cell: Cell) -> set[str]:
    return {value.kind for value in values_in(cell.value)} - {NUMBER}


def _is_any_row(asking: _Asking, passage: Passage, row: Row, own: Cell, found: Sequence[Passage]) -> bool:
    """Whether the words of an answer are a name that other rows have others of, and nothing in its row is asked for."""
    names = [cell.name for cell in row.cells]
    if numbers_of(keys_of(asking.said)) or words_asked(asking.words, "\n".join(name for name in names if name != own.name)):
        return False
    if words_asked(asking.words, "\n".join(cell.value for cell in row.cells if cell is not own)):
        return False
    others = (other for _, other in _rows_of_document(passage, found) if other is not row)
    return len(names) > 1 and any([cell.name for cell in other.cells] == names for other in others)


def _is_rather_in_a_table(asking: _Asking, passage: Passage, focus: Span, found: Sequence[Passage]) -> bool:
    """Whether a number in a sentence has fewer words of a query around it than a cell of the document with a number has."""
    if not numbers_of(keys_of(asking.said)):
        return False
    sentences = [line for line in place_of(passage, focus).text.split("\n") if not is_row(line)]
    here = words_asked(asking.words, "\n".join([*sentences, _above(passage)]))
    known = words_of_cells(asking.query)
    return any(
        here < words_asked(asking.words, _told(other, row, cell)) and not words_of_cells(cell.value) <= known
        for other, row in _rows_of_document(passage, found)
        for cell in row.cells[:_MOST_CELLS]
        if _is_number(cell.value)
    )


def _is_meant_before(asking: _Asking, cell: Cell, own: Cell) -> bool:
    """Whether a cell of a row is meant before another one that has no fewer words of the query in the name of its column.

    What is, is meant before a plan and an earlier time; and a number before money and percentages, of a query for how many, or
    an amount before percentages, of one for how much.
    """
    if not words_asked(asking.words, own.name) <= words_asked(asking.words, cell.name):
        return False
    wanted = scenarios_in(asking.query)
    if scenarios_in(own.name) - wanted and not scenarios_in(cell.name) - wanted and words_asked(asking.words, cell.name):
        return True
    if not (counted := _HOW_MANY.match(asking.query)):
        return False
    is_many = counted["many"] is not None
    return _is_of_a_share(own) > _is_of_a_share(cell) or (is_many and _is_of_money(own) > _is_of_money(cell))


def _is_of_a_share(cell: Cell) -> bool:
    return "%" in cell.value or "%" in cell.name


def _is_of_money(cell: Cell) -> bool:
    return _MONEY.search(f"{cell.name} {cell.value}") is not None


def _is_of_another_period(asked: frozenset[str], passage: Passage, row: Row, own: Cell) -> bool:
    for told in (own.name, row_words(row.cells, own), row.above, "\n".join(passage.sections), _above(passage)):
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
    return "\n".join([cell.name, row_words(row.cells, cell), row.above, _above(passage)])


def _above(passage: Passage) -> str:
    """What is above a passage, without the numbers of its sections: that of `4 Results` is not a 4 of the query."""
    return _NUMBER_OF_A_SECTION.sub("", words_above(passage))


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


def _is_number(value: str) -> bool:
    """Whether a cell has a number, and it is no sentence that happens to have one."""
    before = _BEFORE_A_DIGIT.match(value)
    return before is not None and len(before[0].split()) <= _MOST_WORDS_BEFORE
