"""Which cell of a table a query asks for: the one that stands under, and in the row of, most of its words.

A cell is told by the name of its column, by the words of its row, and by what stands above the table. Dates are compared in one
form, `second quarter` as `Q2`, and what has a digit in full: `KT-100`, `2023`.
"""

from __future__ import annotations

import re
from collections.abc import Set

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.text.content_words import stem
from hopweave.text.key_terms import FUNCTION_WORDS
from hopweave.text.table_rows import Cell
from hopweave.text.values import ORDINALS, normalize_values
from hopweave.text.wanted import letters_in

_ORDINALS = ORDINALS[:4]
_PART_OF_A_YEAR = lazy_pattern(rf"\b(?P<which>{'|'.join(_ORDINALS)})\s+(?P<what>quarter|half)\b", re.IGNORECASE)
_YEAR = lazy_pattern(r"(?:19|20)\d\d")
_PART = lazy_pattern(r"[qh][1-4]")
_DIGIT = lazy_pattern(r"\d")
_LETTER = lazy_pattern(r"[^\W\d_]")
_DATE = lazy_pattern(r"\d{4}-\d\d|\d{1,2}[:./]\d\d")
_SCENARIO = lazy_pattern(
    r"\b(?:budget|plan|forecast|target|estimate|project|guidance|outlook|preventiv|presupuest|prévision|voranschlag)\w*|\b(?:prior|previous|preceding|last)\b",
    re.IGNORECASE,
)
_EARLIER = lazy_pattern(r"prior|previous|preceding|last")
_BEFORE = lazy_pattern(r"\b(?:before|prior to|without)\s(?:the\s|any\s)?(?P<what>[^\W\d_]{4,})", re.IGNORECASE)
_NON = lazy_pattern(r"\bnon[-\u2010\u2011\s](?=[a-z])", re.IGNORECASE)
_ABBREVIATION = lazy_pattern(r"\b[A-Z]{2}\b")
"""May be a function word in capitals: `IT`."""
_WORD = lazy_pattern(r"[^\W\d_]{4,}")
_FEWEST_LETTERS = 3
"""Of the name of a column, to abbreviate a word: `Typ` for typical."""
_SMALL = frozenset(map(stem, FUNCTION_WORDS)) - {"may"}


@remembered
def words_of_cells(text: str) -> frozenset[str]:
    """The words of a query or of a table by which cells are told apart.

    >>> sorted(words_of_cells("the EBIT in the second quarter, on 6 May 2024")), sorted(words_of_cells("Hall A: 2024-05-06"))
    (['2024', '6', 'ebit', 'may', 'q2'], ['2024', '6', 'A', 'hall', 'may'])
    """
    parts = _PART_OF_A_YEAR.sub(lambda found: f"{found['what'][0]}{_ORDINALS.index(found['which'].casefold()) + 1}", text)
    parts = _NON.sub("non", parts)
    told = {word for word in normalize_values(parts).replace(":", " ").split() if any(map(str.isalnum, word))}
    stems = {word if _DIGIT.search(word) else stem(word) for word in told}
    return frozenset(word for word in stems if word not in _SMALL) | letters_in(text) | set(_ABBREVIATION.findall(text))


def words_asked(asked: Set[str], text: str) -> set[str]:
    """Those words of a query that a text has, or abbreviates."""
    there = words_of_cells(text)
    short = tuple(word for word in there if len(word) >= _FEWEST_LETTERS and word.isalpha())
    return {word for word in asked if word in there or (short and word.startswith(short))}


def row_words(cells: tuple[Cell, ...], but: Cell) -> str:
    """What tells a row from others: its first cell, and all others with words or dates, without one of them."""
    told = (cell.value for cell in cells if cell is not but and (cell is cells[0] or _tells(cell.value)))
    return "\n".join(told)


def is_of_another_period(asked: Set[str], told: str) -> bool:
    """Whether a query names years, or quarters and halves of a year, and a text only others.

    >>> asked = words_of_cells("the sales of the second quarter of 2023")
    >>> [is_of_another_period(asked, name) for name in ("Q2 2023", "Q1 2023", "Q2 2022", "Actual")]
    [False, True, True, False]
    """
    there = words_of_cells(told)
    for pattern in (_YEAR, _PART):
        wanted, found = ({word for word in words if pattern.fullmatch(word)} for words in (asked, there))
        if wanted and found and not wanted & found:
            return True
    return False


def scenarios_in(text: str) -> set[str]:
    """What a text names that is no fact of the time it is about: a plan, or an earlier time.

    >>> [sorted(scenarios_in(text)) for text in ("Q2 2024 Budget", "was budgeted for the previous year", "Actual")]
    [['budge'], ['budge', 'prior'], []]
    """
    found = {match[0].casefold() for match in _SCENARIO.finditer(text)}
    return {"prior" if _EARLIER.fullmatch(word) else stem(word) for word in found}


def is_before_what(query: str, name: str) -> bool:
    """Whether a query asks for what was before something, and the name of a column says that it has been done.

    >>> asked = "What was the revenue before the restatement?"
    >>> is_before_what(asked, "2022 (restated)"), is_before_what(asked, "2022 as reported")
    (True, False)
    """
    done = {stem(match["what"]) for match in _BEFORE.finditer(query)}
    return not _BEFORE.search(name) and any(stem(word) in done for word in _WORD.findall(name))


def has_period(told: str) -> bool:
    """Whether a text names a year, or a quarter or half of one."""
    return any(_YEAR.fullmatch(word) or _PART.fullmatch(word) for word in words_of_cells(told))


def _tells(value: str) -> bool:
    return _LETTER.search(value) is not None or _DATE.search(value) is not None
