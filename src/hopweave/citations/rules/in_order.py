"""Lists whose values are given in the order of other lists: `1, 7 and 3 cases in groups A, B and C, respectively`.

Only English is understood.
"""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.values_alike import DIGITS, UNIT
from hopweave.text.wanted import Wanted

_IN_ORDER = lazy_pattern(r"\brespectively\b", re.IGNORECASE)
_IN_A_LIST = lazy_pattern(DIGITS)
_JOINS_NUMBERS = lazy_pattern(rf"(?:\s?{UNIT})?(?:,?\s(?:and|or)\s|,\s)", re.IGNORECASE)
_LIST_OF_NAMES = lazy_pattern(
    r"(?<![^\s,;()])(?P<first>[^\s,;()]+)(?P<middle>(?:,\s(?!and\s|or\s)[^,;()]{1,40}?){0,8}),?\s(?:and|or)\s(?:the\s)?(?P<last>[^\s,;().]+)"
)
_COMMA = lazy_pattern(r",\s*")


def is_in_order(sentence: str) -> bool:
    """Whether a sentence says that its values are given in order."""
    return _IN_ORDER.search(sentence) is not None


def is_of_another_in_order(wanted: Wanted, sentence: str, focus: Span) -> bool:
    """Whether the query has another of the things of a list than the one whose place in it is that of a value in its list.

    A sentence with values alone ("in the four groups by 1, 7, 3 and 9 cases, respectively") does not say whose any of them is.

    >>> told = "It was seen in 1, 7 and 3 cases in groups A, B and C, respectively."
    >>> wanted = Wanted("How many were seen in group B?", {"B"})
    >>> [is_of_another_in_order(wanted, told, Span(at, at + 1)) for at in (15, 18, 24)]
    [True, False, True]
    >>> is_of_another_in_order(wanted, "In the groups, 1, 7 and 3 cases were seen, respectively.", Span(18, 19))
    True
    """
    numbers = list(_IN_A_LIST.finditer(sentence))
    at = next((index for index, number in enumerate(numbers) if number.start() <= focus.start < number.end()), None)
    if at is None:
        return False
    first = last = at
    while first and _JOINS_NUMBERS.fullmatch(sentence, numbers[first - 1].end(), numbers[first].start()):
        first -= 1
    while last + 1 < len(numbers) and _JOINS_NUMBERS.fullmatch(sentence, numbers[last].end(), numbers[last + 1].start()):
        last += 1
    are_alone = last > first
    for names in _LIST_OF_NAMES.finditer(sentence):
        if names.start() <= numbers[at].start() < names.end():
            continue
        are_alone = False
        items = [names["first"], *filter(None, _COMMA.split(names["middle"])), names["last"]]
        if len(items) == last - first + 1 and not any(item[0].isdigit() for item in items):
            named = [index for index, item in enumerate(items) if wanted.among(f"a {item}")]
            if len(named) == 1:
                return named[0] != at - first
    return are_alone
