"""Values of the same make in a text: times, sums of money, percentages, dates, other numbers by their unit.

Units are understood in English, and by their signs.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.content_words import stem
from hopweave.text.values import MONTHS, NUMBER_WORDS

_MONTHS = "|".join(month.capitalize() for month in MONTHS)
_NUMBER = rf"(?:\d+(?:[.,]\d+)*|\b(?:{'|'.join(NUMBER_WORDS)})(?:-(?:{'|'.join(NUMBER_WORDS[1:10])}))?\b)"
_MONEY = r"€|£|\$|¥|(?:EUR|USD|GBP|CHF|JPY|euros?|dollars?|pounds?|francs?|crowns?|yen)\b"
_TIME = r"(?:second|minute|hour|day|week|month|year)s?\b"
_OF_TIME = r"(?:(?:working|business|calendar|consecutive|full|further|more)\s+)?"
_VALUE = re.compile(
    rf"(?P<date>\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{_MONTHS})(?:,?\s+[12]\d{{3}})?|\b(?:{_MONTHS})\s+\d{{1,2}}(?:,?\s+[12]\d{{3}})?"
    rf"|\b[12]\d{{3}}-\d\d-\d\d)\b"
    rf"|(?:(?:{_MONEY})\s?)(?P<money>{_NUMBER})|(?P<sum>{_NUMBER})\s?(?:{_MONEY})"
    rf"|(?P<percent>{_NUMBER})\s?(?:%|per\s?cent\b)"
    rf"|(?P<time>{_NUMBER})[\s-]{_OF_TIME}{_TIME}"
    rf"|(?<![\w.])(?P<number>{_NUMBER})(?=\s+(?P<unit>[a-z]{{3,}})\b)",
    re.IGNORECASE,
)

_OF_A_CLAUSE = re.compile(r"(?:\d{1,3}\.){1,3}(?:\d{1,3})?[ \t]+(?=[A-Z\"“])")
_NUMBER_ALONE = re.compile(r"[\d.]+\s?(?:%|per\s?cent)?", re.IGNORECASE)


class Value(NamedTuple):
    """A value of a text: its make, such as `time` or `number of bytes`, and where it stands."""

    make: str
    span: Span


@remembered
def values_in(text: str) -> tuple[Value, ...]:
    """The dates and numbers with a unit of a text, in order.

    >>> [value.make for value in values_in("From 1 May 2023, pay £5 within ten working days, or 4% of 20 crates.")]
    ['date', 'money', 'time', 'percent', 'number of crate']
    """
    return tuple(Value(_make(match), Span(*match.span())) for match in _VALUE.finditer(text))


def _make(match: re.Match[str]) -> str:
    if match["unit"]:
        return f"number of {stem(match['unit'].casefold())}"
    return "money" if match["sum"] or match["money"] else str(match.lastgroup)


def is_number_of_a_clause(said: str, span: Span, text: str) -> bool:
    r"""Whether an answer is a number, or a percentage, and its place is the number with which a clause or heading begins.

    >>> told = "9. Notice\n9.1 The notice is 9 weeks."
    >>> [is_number_of_a_clause("9%", Span(start, start + 1), told) for start in (0, 28)]
    [True, False]
    """
    begun = text.rfind("\n", 0, span.start) + 1
    number = _OF_A_CLAUSE.match(text, begun)
    return _NUMBER_ALONE.fullmatch(said.strip()) is not None and number is not None and span.start < number.end()
