"""Upper and lower bounds among the values of a sentence: `0.5% a week, but not exceeding 10%`. Only English is understood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.values_alike import DIGITS, UNIT, Value

_NEAR = r"\W*(?:[\w-]+:?\s){0,4}\W*$"
_BOUNDS = tuple(
    (lazy_pattern(rf"\b(?:{asked})\b", re.IGNORECASE), lazy_pattern(rf"\b(?:{stated})\b{_NEAR}", re.IGNORECASE))
    for asked, stated in (
        (
            r"max(?:imum)?|at most|no more than|cap(?:ped)?|ceiling|upper limit",
            r"exceed(?:ing)?|up to|at most|(?:no|not) more than|max(?:imum)?(?: of)?|capped at|limited to|cap of",
        ),
        (
            r"min(?:imum)?|at least|no less than|floor|lower limit",
            r"at least|(?:no|not) (?:less|fewer) than|min(?:imum)?(?: of)?",
        ),
    )
)
"""How a query asks for an upper or a lower bound, and what stands before one."""
_RANGE = lazy_pattern(
    rf"(?<![\w.,])(?P<low>{DIGITS})(?:\s?{UNIT})?\s?(?:to|–|-)\s?(?P<high>{DIGITS})(?![\w.,]*\d)", re.IGNORECASE
)
_NUMBER = lazy_pattern(DIGITS)
_LONGEST = 100
"""Characters before a value among which such words are looked for."""


def is_bound_asked(query: str) -> bool:
    """Whether a query asks for a bound.

    >>> is_bound_asked("What is the maximum rate?"), is_bound_asked("What is the rate?")
    (True, False)
    """
    return any(asked.search(query) for asked, _ in _BOUNDS)


def bounds_asked(query: str, sentence: str, values: Iterable[Value]) -> Sequence[Value]:
    """Those of some values that are a bound as a query asks for; if it asks for none, those that are no bound.

    >>> from hopweave.text.values_alike import values_in
    >>> told = "It pays 1% a week, but not exceeding 9%."
    >>> [value.span.start for value in bounds_asked("What is the maximum?", told, values_in(told))]
    [37]
    """
    wanted = [stated for asked, stated in _BOUNDS if asked.search(query)]
    looked_for = wanted or [stated for _, stated in _BOUNDS]

    def is_bound(value: Value) -> bool:
        before = sentence[max(0, value.span.start - _LONGEST) : value.span.start]
        return any(stated.search(before) for stated in looked_for)

    return [value for value in values if is_bound(value) == bool(wanted)]


def bound_stated(sentence: str, value: Span) -> str:
    """Which bound the words before a value of a sentence say that it is, "upper" or "lower"; empty if none.

    >>> told = "It pays 1% a week, but not exceeding 9%."
    >>> [bound_stated(told, Span(start, start + 2)) for start in (8, 37)]
    ['', 'upper']
    """
    before = sentence[max(0, value.start - _LONGEST) : value.start]
    upper, lower = (stated.search(before) is not None for _, stated in _BOUNDS)
    return "upper" if upper else "lower" if lower else ""


def is_no_end(query: str, sentence: str, focus: Span) -> bool:
    """Whether a query asks for a bound, and a sentence gives it as an end of a range, while a number in it is something else.

    Args:
        query: the query.
        sentence: the sentence; one that names bounds as such is left alone.
        focus: the position of the number in it; a whole range has both bounds.

    >>> told = "It can be set from 1 to 9 minutes; the default is 3."
    >>> [is_no_end("What is its maximum?", told, Span(start, start + 1)) for start in (19, 24, 50)]
    [True, False, True]
    """
    upper, lower = (asked.search(query) is not None for asked, _ in _BOUNDS)
    ranges = list(_RANGE.finditer(sentence)) if upper != lower else []
    if not ranges or not any(map(str.isdigit, sentence[focus.start : focus.end])):
        return False
    if any(
        stated.search(sentence[max(0, one.start() - _LONGEST) : one.start()])
        for _, stated in _BOUNDS
        for one in _NUMBER.finditer(sentence)
    ):
        return False
    end = "high" if upper else "low"
    return not any(one.start(end) < focus.end and focus.start < one.end(end) for one in ranges)
