"""Numbers that say how sure a value is, how widely it varies, or how many it comes from: they are not the value itself.

`(95% CI 0.52 to 0.83; P = 0.004; n = 206)`, `2.1 ± 0.6`. Only English is understood.
"""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.values_alike import DIGITS

_NUMBER = rf"{DIGITS}\s?%?"
_AROUND = tuple(
    (lazy_pattern(found), lazy_pattern(rf"\b(?:{asked})\b|±", re.IGNORECASE))
    for found, asked in (
        (
            rf"(?:(?<![\w.,]){_NUMBER}\s)?\b"
            r"(?:(?i:confidence|credible|prediction) interval|C[rI]?I|IQR|(?i:interquartile range))\b[\s:,=([]*"
            rf"(?:{_NUMBER}(?:(?:\s?(?:to|and|-|–|,|;)\s?){_NUMBER})?)?",
            "confidence|credible|interval|CI|CrI|IQR|interquartile|bounds?|limits?|range|between",
        ),
        (
            rf"±\s?{_NUMBER}",
            "deviation|SD|SEM?|errors?|uncertainty|tolerance|accuracy|precision|margin|plus|vary|varied|variation|spread|range",
        ),
        (rf"\b[pP](?:[ -][vV]alue)?\s?[=<>≤≥]\s?{_NUMBER}", r"p|significan\w+|probability|chance"),
        (r"\b[nN]\s?=\s?\d+(?:,\d{3})*", "how many|number|n|size|sample"),
    )
)


def is_of_an_estimate(query: str, sentence: str, focus: Span) -> bool:
    """Whether a number only goes with a value, as the end of an interval, a deviation, a P or an n, and was not asked for.

    >>> told = "It fell by 3.1 (95% CI 2.0 to 4.2)."
    >>> [is_of_an_estimate("How much did it fall?", told, Span(start, start + 3)) for start in (11, 23)]
    [False, True]
    """
    for found, asked in _AROUND:
        if any(match.start() <= focus.start < match.end() for match in found.finditer(sentence)):
            return asked.search(query) is None
    return False
