"""Rows of tables, which are read as a sentence with the names of their columns: `city: Ulm; river: Danube.`"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.content_words import keys_of, stem, stems_of, words_of
from hopweave.text.matching import normalize_answer

_CELL = lazy_pattern(r"(?:^|; )(?P<name>[^\W_][^:;\n]{0,99}): (?=\S)")
_UNNAMED = lazy_pattern(r"(?P<value>[^\W_][^:;.!?\n]{0,99})(?=; )")
"""The first cell of a row whose column has no name: `Sales; 2023: 5; 2024: 6.`"""
_LABEL = lazy_pattern(r"(?:^|(?<=[.;!?\n])[ \t]*)(?P<name>[^\W\d_][^:;.!?\n]{2,39}): (?=\S)", re.MULTILINE)
_LINE = lazy_pattern(r"^[ \t]*(?:[-*•] )?(?P<name>[A-Z][^:.;\n]{1,39}): +(?P<value>\S[^\n]{0,99})$", re.MULTILINE)
_ENDS = lazy_pattern(r"[.!?]\s|\n")
_OF_A_COLUMN = lazy_pattern(r"\b(?:range|reference|normal|limits?|unit|how many|number|interval|n)\b", re.IGNORECASE)
_FEWEST_CELLS = 2
_FEWEST_LETTERS = 3
"""Of the name of a column, to abbreviate a word: `VER.` for a version."""
_NAMES_NOTHING = frozenset(["what", "how", "do", "does", "did", "to", "of", "the", "is", "are", "it"])
"""Words of the name of a column that say nothing of what is in it: `What to do`."""


class Cell(NamedTuple):
    """A cell of a row: the name of its column, its value, and where that stands in the sentence."""

    name: str
    value: str
    span: Span


def cell_at(cells: Iterable[Cell], position: int) -> Cell | None:
    """The cell that stands at a position of its row; `None` if none does."""
    return next((cell for cell in cells if cell.span.start <= position < cell.span.end), None)


@remembered
def is_row(sentence: str) -> bool:
    """Whether a sentence is a row of a table with the names of its columns.

    >>> is_row("city: Ulm; river: Danube."), is_row("Sales; 2023: 5; 2024: 6."), is_row("Ulm: a city; it is old.")
    (True, True, False)
    """
    return bool(cells_of(sentence))


def is_other_column(query: str, row: str, focus: Span) -> bool:
    """Whether some words of a row stand in another column than a query asks for; `False` if the sentence is no row.

    >>> row = "city: Ulm; river: Danube; country: Germany."
    >>> [is_other_column("On which river is Ulm?", row, Span(start, start + 6)) for start in (18, 35)]
    [False, True]
    """
    cells = cells_of(row)
    if cell_at(cells, focus.start) is None:
        return _is_of_a_name(query, row, cells, focus)
    return _is_in_other_cell(query, cells, focus)


def _is_in_other_cell(query: str, cells: Iterable[Cell], focus: Span) -> bool:
    """Whether some words stand in another of some cells than a query asks for.

    They do if the query has more of the words in the name of another one, all those that it has of theirs among them. A cell
    whose value is in the query tells which row is meant, and does not count.
    """
    own = cell_at(cells, focus.start)
    if own is None:
        return False
    wanted, known = stems_of(query), keys_of(query)
    named = _named(own.name, wanted)
    return any(named < _named(cell.name, wanted) and not keys_of(cell.value) <= known for cell in cells)


def _is_of_a_name(query: str, row: str, cells: Sequence[Cell], focus: Span) -> bool:
    """Whether a number stands in the brackets of the name of a column, and the query does not ask for what these tell."""
    begun = max((cell.span.end for cell in cells if cell.span.end <= focus.start), default=0)
    opened, closed = row.rfind("(", begun, focus.start + 1), row.find(")", focus.start)
    is_within = bool(cells) and opened >= 0 and closed >= 0 and any(map(str.isdigit, row[focus.start : focus.end]))
    return is_within and not _OF_A_COLUMN.search(query)


def is_other_row(query: str, row: str, focus: Span, others: Iterable[str]) -> bool:
    """Whether some words of a row are of another thing than a query asks for, which has a row of its own.

    What a row is about stands in its first column. It is another thing if the query does not name it, and names that of another
    row of the same table.

    Args:
        query: the query.
        row: a sentence; if it is no row, this is `False`.
        focus: the position of the words in it.
        others: other sentences, rows among them.

    >>> rows = ["city: Ulm; river: Danube.", "city: Bonn; river: Rhine."]
    >>> [is_other_row("On which river is Bonn?", row, Span(18, 23), rows) for row in rows]
    [True, False]
    """
    cells = cells_of(row)
    if not cells or focus.start < cells[0].span.end:
        return False
    known, own = keys_of(query), keys_of(cells[0].value)
    if own & known:
        return False
    for other in others:
        first = next(iter(cells_of(other)), None)
        is_alike = first is not None and first.name == cells[0].name and any(map(str.isalpha, first.value))
        if first is not None and is_alike and first.value != cells[0].value and keys_of(first.value) <= known:
            return True
    return False


def is_under_other_label(query: str, text: str, focus: Span) -> bool:
    """Whether some words of a text stand behind another label than a query asks for: `Technical lead: Ada. Project lead: Ida.`

    They do if the query has another label of the text as it is, and neither theirs nor what is behind it has that. Labels of
    one word are in too many queries.

    >>> told = "Technical lead: Ada. Project lead: Ida."
    >>> [is_under_other_label("Who is the project lead?", told, Span(start, start + 3)) for start in (16, 35)]
    [True, False]
    """
    labels = list(_LABEL.finditer(text))
    own = next((label for label in reversed(labels) if label.end() <= focus.start), None)
    if own is None or _ENDS.search(text, own.end(), focus.start):
        return False
    asked, line = f" {normalize_answer(query)} ", f" {normalize_answer(text[own.end() : _end_of_line(text, focus.end)])} "
    names = {name for label in labels if len(words_of(label["name"])) > 1 and (name := normalize_answer(label["name"]))}
    return f" {normalize_answer(own['name'])} " not in asked and any(
        f" {name} " in asked and f" {name} " not in line for name in names
    )


def _end_of_line(text: str, at: int) -> int:
    end = _ENDS.search(text, at)
    return end.start() if end is not None else len(text)


def is_on_another_line(query: str, text: str, focus: Span) -> bool:
    r"""Whether some words of a block of lines with labels stand behind another label than a query asks for.

    Lines are compared as cells of a row are, and only those that both have a digit, or both none.

    >>> told = "Lender: Orlau Bank\nGuarantor: Ida Renn\nSum: £5"
    >>> [is_on_another_line("Who guarantees the loan?", told, Span(start, start + 5)) for start in (8, 30)]
    [True, False]
    """
    lines = [Cell(line["name"], line["value"], Span(*line.span("value"))) for line in _LINE.finditer(text)]
    own = next((line for line in lines if line.span.start <= focus.start < line.span.end), None)
    if own is None:
        return False
    block = _block_of(lines.index(own), lines, text)
    return _is_in_other_cell(query, [line for line in block if _has_digit(line.value) == _has_digit(own.value)], focus)


def _block_of(at: int, lines: Sequence[Cell], text: str) -> Sequence[Cell]:
    """Of some lines with labels, that of a number and those around it, as far as no paragraph of other text is between them."""
    first = last = at
    while first > 0 and _are_next(lines[first - 1], lines[first], text):
        first -= 1
    while last + 1 < len(lines) and _are_next(lines[last], lines[last + 1], text):
        last += 1
    return lines[first : last + 1]


def _are_next(one: Cell, other: Cell, text: str) -> bool:
    between = text[one.span.end : other.span.start]
    return "\n\n" not in between or between.strip() == f"{other.name}:"


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


@remembered
def cells_of(sentence: str) -> tuple[Cell, ...]:
    """The cells of a row of a table with the names of its columns; none if a sentence is no such row."""
    matches = [match for match in _CELL.finditer(sentence) if match["name"].count("(") == match["name"].count(")")]
    unnamed = _UNNAMED.match(sentence)
    begin = unnamed.end() if unnamed is not None else 0
    if len(matches) < _FEWEST_CELLS or matches[0].start() != begin:
        return ()
    first = [Cell("", unnamed["value"], Span(*unnamed.span()))] if unnamed is not None else []
    ends = [*(match.start() for match in matches[1:]), len(sentence)]
    values = [Span(match.end(), end) for match, end in zip(matches, ends, strict=True)]
    named = (Cell(match["name"], sentence[one.start : one.end], one) for match, one in zip(matches, values, strict=True))
    return (*first, *named)


def _named(name: str, wanted: Set[str]) -> set[str]:
    """The words of the name of a column that are wanted; a name such as "What to do" has none."""
    return {stem(key) for key in keys_of(name) if key not in _NAMES_NOTHING and _is_wanted(stem(key), wanted)}


def _is_wanted(word: str, wanted: Set[str]) -> bool:
    return word in wanted or (len(word) >= _FEWEST_LETTERS and any(one.startswith(word) for one in wanted))
