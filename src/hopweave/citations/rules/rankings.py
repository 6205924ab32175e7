"""Places in an order: which one a question asks for, and which one a sentence or a row of a table is of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.languages import is_foreign
from hopweave.text.table_rows import cells_of
from hopweave.text.values import MONTHS, ORDINAL_VALUES
from hopweave.text.wanted import content_stems

_ORDINAL = rf"(?:(?P<word>{'|'.join(ORDINAL_VALUES)})|(?P<number>\d{{1,3}})(?:st|nd|rd|th))"
_PLACE_ASKED = lazy_pattern(
    rf"\b{_ORDINAL}(?:[ -]places?\b|(?=\s*[?,.]|\s*$|\s+(?:overall|in|at|of|on|among|with)\b))", re.IGNORECASE
)
"""`finished second`, `came 3rd in the cup`, `second place`; not `the second race`."""
_PART = lazy_pattern(r"\b(?:race|heat|round|lap|leg|stage|match|game|half)s?\b", re.IGNORECASE)
"""In which another place may have been reached than in the whole."""
_COLUMN = lazy_pattern(r"\s*(?:place|position|pos|rank|ranking|standing)\.?\s*", re.IGNORECASE)
_NUMBER = lazy_pattern(r"\W*(\d{1,3})(?!\d)")
_ONE_OF_SEVERAL = lazy_pattern(
    rf"\b(?:the|its|his|her|their|our|my|your|[\w-]{{1,40}}['’]s)\s+{_ORDINAL}\s+(?P<thing>[\w-]+(?:\s+[\w-]+)?)", re.IGNORECASE
)
"""`the eleventh DebConf`, `its 3rd annual meeting`."""
_NOT_COUNTED = lazy_pattern(
    rf"(?:of|time|day|to|and|or|century|floor|party|quarter|half|person|{'|'.join(MONTHS)})\b", re.IGNORECASE
)
"""What may follow an ordinal that is a date, a time or a phrase."""


def is_of_other_place(query: str, row: str) -> bool:
    """Whether a row of a table is of another place in a ranking than a question in English asks for.

    >>> row = "Place: 3; Boat: Bramble Jack."
    >>> is_of_other_place("Which boat finished second?", row), is_of_other_place("Which boat came 3rd?", row)
    (True, False)
    """
    asked = _PLACE_ASKED.search(query)
    if asked is None or _PART.search(query):
        return False
    place = _number(asked)
    told = (_NUMBER.match(cell.value) for cell in cells_of(row) if _COLUMN.fullmatch(cell.name))
    return any(int(number[1]) != place for number in told if number is not None)


class _OneOfSeveral(NamedTuple):
    """A thing with its place in an order."""

    number: int
    thing: str
    start: int


def is_of_another_of_several(query: str, sentence: str, focus: Span) -> bool:
    """Whether a sentence is about another one of several things in order than a question in English asks for.

    Args:
        query: the question.
        sentence: the sentence.
        focus: the position of the words in it that answer the question.

    >>> told = "The eleventh DebConf was held in New York City from August 1st to 7th."
    >>> asked = "In which city was the {} Debian Conference held?"
    >>> [is_of_another_of_several(asked.format(one), told, Span(34, 47)) for one in ("first", "eleventh")]
    [True, False]
    """
    asked = next(_ones_of_several(query), None)
    if asked is None or is_foreign(query):
        return False
    stems = content_stems(query)
    told = [one for one in _ones_of_several(sentence) if one.thing[0].isupper() or stems & content_stems(one.thing)]
    if not told:
        return False
    if all(one.number != asked.number for one in told):
        return True
    before = [one for one in told if one.start < focus.start]
    same = content_stems(asked.thing)
    return bool(before) and before[-1].number != asked.number and bool(same & content_stems(before[-1].thing))


def _ones_of_several(text: str) -> Iterator[_OneOfSeveral]:
    for found in _ONE_OF_SEVERAL.finditer(text):
        if not _NOT_COUNTED.match(found["thing"]):
            yield _OneOfSeveral(_number(found), found["thing"], found.start())


def _number(ordinal: re.Match[str]) -> int:
    return int(ordinal["number"]) if ordinal["number"] else ORDINAL_VALUES[ordinal["word"].lower()]
