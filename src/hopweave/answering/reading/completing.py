"""Completes answers that are part of a date or a place from the fact that they were read from.

A small model that is asked for few words gives `10 May` when the fact has `10 May 1943`, and `Columbiana` when it has
`Columbiana, Alabama`.
"""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.values import MONTHS

_MONTH = rf"(?:{'|'.join(MONTHS)})"
_DATE = lazy_pattern(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH},?\s+\d{{4}}|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,\s+\d{{4}})\b", re.IGNORECASE
)
_IN_DATE = lazy_pattern(rf"\b{_MONTH}\b", re.IGNORECASE)
_ASKS_WHEN = lazy_pattern(r"\s*(?:when|on (?:what|which) (?:date|day))\b", re.IGNORECASE)
_ASKS_WHERE = lazy_pattern(r"\b(?:where|place|birthplace|city|town|hometown)\b", re.IGNORECASE)
_REGION = lazy_pattern(r",\s+(?:[A-Z][\w'\u2019.-]*)(?:\s+[A-Z][\w'\u2019-]+)*(?=\s*(?:[,.;:)\]]|$|and\b|in\b|on\b|to\b|as\b))")


def completed(question: str, answer: str, fact: str) -> str:
    """The answer, with the rest of its date or the region of its place, as in the fact.

    >>> completed("When was Ada born?", "10 May", "Ada (born 10 May 1943) is an engineer.")
    '10 May 1943'
    >>> completed("Where was Ada born?", "Columbiana", "Ada was born in Columbiana, Alabama, to a painter.")
    'Columbiana, Alabama'
    """
    start = fact.casefold().find(answer.casefold()) if answer else -1
    if start < 0 or len(fact.casefold()) != len(fact):
        return answer
    end = start + len(answer)
    if _IN_DATE.search(answer) or (answer.isdigit() and _ASKS_WHEN.match(question)):
        whole = next((date for date in _DATE.finditer(fact) if date.start() <= start and end <= date.end()), None)
        return whole[0] if whole else answer
    if _ASKS_WHERE.search(question) and answer[0].isupper() and "," not in answer and (region := _REGION.match(fact, end)):
        return fact[start : region.end()]
    return answer
