"""Questions whose answer is computed from values: differences, times between dates, and totals. English only.

A model computes well, mostly; code computes it once more, from the values that passages state.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Literal, NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.amounts import number_and_unit
from hopweave.text.languages import is_foreign
from hopweave.text.values import DATE, normalize_values, parts_of_date

Calculation = Literal["difference", "total"]

_TIMES = r"(?:years?|months?|weeks?|days?)"
_COMPARATIVES = (
    "more", "less", "fewer", "older", "younger", "longer", "shorter", "taller", "higher", "lower", "cheaper",
    "dearer", "larger", "smaller", "bigger", "heavier", "lighter", "faster", "slower", "later", "earlier", "further",
    "farther", "deeper", "wider",
)  # fmt: skip
_MORE = rf"(?:{'|'.join(_COMPARATIVES)})"
WORDS = frozenset(
    {
        *_COMPARATIVES, "much", "many", "old", "long", "difference", "total", "altogether", "combined", "together",
        "sum", "years", "months", "weeks", "days", "rise", "rose", "risen", "increase", "increased", "fall", "fell",
        "fallen", "decrease", "decreased", "drop", "dropped", "grow", "grew", "grown", "change", "changed", "go",
        "goes", "went", "up", "down", "lie", "lies", "pass", "passed", "elapsed", "take", "took", "apart", "after",
        "before", "between", "from", "until", "since",
    }
)  # fmt: skip
"""Words that say what is to be computed, and not of what."""
_DIFFERENCE = lazy_pattern(
    rf"\bdifference\b|\bby\s+how\s+(?:much|many)\b|\bhow\s+(?:much|many)\s+(?:\w+\s+){{0,3}}?{_MORE}\b|\bhow\s+old\b"
    rf"|\bhow\s+(?:long|many\s+{_TIMES})\b.*\b(?:after|before|between|from|until|since|later|earlier|passed|elapsed|apart)\b",
    re.IGNORECASE,
)
_TOTAL = lazy_pattern(
    r"\b(?:(?:in|the|their)\s+total|altogether|in\s+all|combined|(?:all|put|taken)\s+together|sum\s+of)\b", re.IGNORECASE
)
_OF_AGE = lazy_pattern(r"\b(?:old|older|younger|age)\b", re.IGNORECASE)
_UNIT_ASKED = lazy_pattern(rf"\bhow\s+many\s+({_TIMES})\b|\b(?:in)\s+({_TIMES})\b", re.IGNORECASE)
_UNITS_OF_TIME = frozenset({"year", "month", "week", "day"})


class _Date(NamedTuple):
    """A date; what it does not say is 0."""

    year: int
    month: int
    day: int


def calculation_asked(question: str) -> Calculation | None:
    """What a question asks to be computed; `None` for nothing.

    >>> calculation_asked("How many years after the mill was the light built?")
    'difference'
    >>> calculation_asked("What do both cost in total?")
    'total'
    >>> calculation_asked("How long is the pier?")
    """
    if is_foreign(question):
        return None
    if _DIFFERENCE.search(question):
        return "difference"
    return "total" if _TOTAL.search(question) else None


def is_value(text: str) -> bool:
    """Whether a text is nothing but a date, or a number with or without a unit."""
    return _only_date(text) is not None or number_and_unit(text) is not None


def is_computed(question: str, wanted: Calculation, said: str, values: Sequence[str]) -> bool:
    """Whether an answer is what code computes from some values, in their unit.

    Between two dates it may be the time that has passed or, unless an age is asked for, the difference of their years.

    Args:
        question: the question.
        wanted: what it asks to be computed.
        said: the answer.
        values: two for a difference.

    >>> is_computed("How much more is it?", "difference", "£5", ["£20", "15 pounds"])
    True
    >>> [is_computed("How old was Ida?", "difference", age, ["3 May 1901", "2 May 1940"]) for age in ("38", "39 years")]
    [True, False]
    """
    answer = number_and_unit(said)
    if answer is None:
        return False
    number, unit = answer[0], _singular(answer[1])
    dates = [_only_date(value) for value in values]
    of_time = unit or _unit_asked(question)
    if wanted == "difference" and all(dates) and of_time in _UNITS_OF_TIME:  # else 1500 and 1200 are no years
        one, other = sorted(one for one in dates if one is not None)
        return number in _times_between(one, other, of_time, is_age=_OF_AGE.search(question) is not None)
    amounts = [number_and_unit(value) for value in values]
    units = {_singular(amount[1]) for amount in amounts if amount is not None}
    if None in amounts or len(units) != 1 or unit not in {"", *units}:
        return False
    numbers = [amount[0] for amount in amounts if amount is not None]
    return number == (sum(numbers) if wanted == "total" else abs(numbers[0] - numbers[1]))


def _times_between(one: _Date, other: _Date, unit: str, *, is_age: bool) -> set[Decimal]:
    """How much time is between two dates, the earlier first: what may be meant, as far as both say it."""
    first, last = _day_of(one), _day_of(other)
    found: set[int] = set()
    years, months = other.year - one.year, 12 * (other.year - one.year) + other.month - one.month
    if unit == "year":
        found |= {years - ((other.month, other.day) < (one.month, one.day))} if first and last else set()
        found |= set() if is_age else {years}
    elif unit == "month" and one.month and other.month:
        found |= {months, months - (other.day < one.day)} if first and last else {months}
    elif first and last:
        days = (last - first).days
        found |= {days} if unit == "day" else {days // 7} if unit == "week" and not days % 7 else set()
    return {Decimal(number) for number in found}


def _unit_asked(question: str) -> str:
    asked = _UNIT_ASKED.search(question)
    return _singular((asked[1] or asked[2]).lower()) if asked else "year" if _OF_AGE.search(question) else ""


def _only_date(text: str) -> _Date | None:
    found = DATE.fullmatch(normalize_values(text))
    return _Date(*parts_of_date(found)) if found is not None else None


def _day_of(found: _Date) -> date | None:
    try:
        return date(*found)
    except ValueError:  # it names no day, or one that there is not
        return None


def _singular(unit: str) -> str:
    return unit[:-1] if len(unit) > 2 and unit.endswith("s") else unit  # `ms` is no plural
