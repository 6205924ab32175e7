"""Limits that a question names, such as `more than 500` or `before 1900`, and whether a value is beyond them."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.comparing import order_of_values
from hopweave.text.languages import is_foreign

_ABOVE = "more|greater|larger|longer|higher|bigger|heavier|later|over|above|exceeds?|at least|no less|after"
_BELOW = "less|fewer|smaller|shorter|lower|lighter|earlier|under|below|at most|no more|before"
_LIMIT = lazy_pattern(
    rf"\b(?:(?P<above>{_ABOVE})|(?:{_BELOW}))\s+(?:than\s+)?(?=(?P<value>(?:[a-z]+\s){{0,2}}[$€£¥]?\d[^?;:()]*))", re.IGNORECASE
)


def limit_in(question: str) -> str:
    """The value that a question names as a limit; empty if it names none, or several.

    >>> limit_in("Was the light built before 12 May 1900?"), limit_in("Was the light built in 1900?")
    ('12 May 1900', '')
    """
    found = _found(question)
    return _value(found) if found is not None else ""


def is_beyond_limit(question: str, value: str) -> bool | None:
    """Whether a value is beyond the limit that a question names; `None` if that is not plain, as for a value on the limit.

    >>> asked = "Does it wait for less than 5 minutes?"
    >>> is_beyond_limit(asked, "90 seconds"), is_beyond_limit(asked, "1 hour"), is_beyond_limit(asked, "90 packets")
    (True, False, None)
    """
    found = _found(question)
    order = order_of_values(value, _value(found)) if found is not None else 0
    return (order > 0) == (found["above"] is not None) if found is not None and order else None


def _found(question: str) -> re.Match[str] | None:
    found = [] if is_foreign(question) else list(_LIMIT.finditer(question))
    return found[0] if len(found) == 1 else None


def _value(found: re.Match[str]) -> str:
    return found["value"].strip(" .")
