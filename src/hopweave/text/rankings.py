"""Places in a ranking: which one a question asks for, and which one a row of a table is of."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.table_rows import cells_of
from hopweave.text.values import ORDINALS

_PLACE_ASKED = lazy_pattern(
    rf"\b(?:(?P<word>{'|'.join(ORDINALS)})|(?P<number>\d{{1,3}})(?:st|nd|rd|th))"
    r"(?:[ -]places?\b|(?=\s*[?,.]|\s*$|\s+(?:overall|in|at|of|on|among|with)\b))",
    re.IGNORECASE,
)
"""`finished second`, `came 3rd in the cup`, `second place`; not `the second race`."""
_PART = lazy_pattern(r"\b(?:race|heat|round|lap|leg|stage|match|game|half)s?\b", re.IGNORECASE)
"""In which another place may have been reached than in the whole."""
_COLUMN = lazy_pattern(r"\s*(?:place|position|pos|rank|ranking|standing)\.?\s*", re.IGNORECASE)
_NUMBER = lazy_pattern(r"\W*(\d{1,3})(?!\d)")


def is_of_other_place(query: str, row: str) -> bool:
    """Whether a row of a table is of another place in a ranking than a question in English asks for.

    >>> row = "Place: 3; Boat: Bramble Jack."
    >>> is_of_other_place("Which boat finished second?", row), is_of_other_place("Which boat came 3rd?", row)
    (True, False)
    """
    asked = _PLACE_ASKED.search(query)
    if asked is None or _PART.search(query):
        return False
    place = int(asked["number"]) if asked["number"] else ORDINALS.index(asked["word"].lower()) + 1
    told = (_NUMBER.match(cell.value) for cell in cells_of(row) if _COLUMN.fullmatch(cell.name))
    return any(int(number[1]) != place for number in told if number is not None)
