"""Bands, for which the rows or columns of a table hold: `under 5 years`, `5 to 14 years`, `15 years and over`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.currencies import SIGNS
from hopweave.text.table_rows import Cell, cell_at, cells_of
from hopweave.text.values import normalize_values

_SIGNS_OF_BOUNDS = {"<": " under ", ">": " over ", "≤": " up to ", "≥": " at least "}
_SIGN = lazy_pattern(f"[{''.join(_SIGNS_OF_BOUNDS)}]")
_FIRST = lazy_pattern(rf"\bfirst\s(?=[{SIGNS}]?\d)", re.IGNORECASE)
_DASH = lazy_pattern(rf"(?<=\d)\s?[-\u2010-\u2015]\s?(?=[{SIGNS}]?\d)")
_PLUS = lazy_pattern(r"(?<=\d)\s?\+(?!\s?\d)")
_NUMBER = rf"(?P<{{}}>[{SIGNS}]?\d+(?:\.\d+)?)"
_UNIT = r"(?:\s(?!to\b|and\b|or\b)[^\W\d_]\w*)?"
_BETWEEN = lazy_pattern(
    rf"(?:\bbetween\s{_NUMBER.format('first')}{_UNIT}\sand|(?:\bfrom\s)?(?<![\w.]){_NUMBER.format('begin')}{_UNIT}\s(?:up\s)?to)"
    rf"\s(?P<is_open>under\s|below\s|less\sthan\s)?{_NUMBER.format('end')}"
)
_BELOW = lazy_pattern(
    r"\b(?:(?P<is_open>under|below|less\sthan|fewer\sthan|shorter\sthan|younger\sthan)|up\sto|not\smore\sthan|no\smore\sthan|at\smost"
    rf"|max(?:imum)?|within)\s{_NUMBER.format('end')}|(?<![\w.]){_NUMBER.format('last')}{_UNIT}\s(?:and|or)\s(?:under|less|fewer|below)\b"
)
_ABOVE = lazy_pattern(
    r"\b(?:(?P<is_open>over|above|more\sthan|longer\sthan|older\sthan|exceeding)|from|after|at\sleast|min(?:imum)?)"
    rf"\s{_NUMBER.format('begin')}|(?<![\w.]){_NUMBER.format('first')}{_UNIT}\s(?:(?:and|or)\s(?:over|more|above|older|longer)\b|upwards\b|plus\b)"
)
_ALONE = lazy_pattern(rf"(?<![\w.]){_NUMBER.format('begin')}(?![\w.])")
_AFTER = lazy_pattern(rf"\b(?:from|after|within)\s(?=[{SIGNS}]?\d)")
"""In a query it names a point, not all that is beyond it."""
_SMALL_WORDS = """
under below less fewer shorter younger than up to not no more at most max maximum within and or over above longer older
exceeding from after least min minimum upwards plus between until of in for per the with on by
"""
_NO_UNITS = frozenset(_SMALL_WORDS.split())
_WORD = lazy_pattern(r"[^\W\d_]+")
_PART = lazy_pattern(r"[,;:.]\s")
"""What stands between the parts of a sentence."""
_WORDS = lazy_pattern(r"(?:\s[^\W\d_]\w*){1,2}")
"""Behind a number: `business miles`."""
_SHORTEST_PLURAL = 3


class _Range(NamedTuple):
    """The numbers from one to another, and what they count: the words behind them, or a currency."""

    low: float
    high: float
    is_open_below: bool
    is_open_above: bool
    units: frozenset[str]

    def is_apart_from(self, other: _Range) -> bool:
        """Whether no number is in both."""
        for lower, upper in ((self, other), (other, self)):
            if lower.high < upper.low or (lower.high == upper.low and (lower.is_open_above or upper.is_open_below)):
                return True
        return False


def is_in_other_band(query: str, row: str, focus: Span) -> bool:
    """Whether a row, or the column of some words in it, holds for other amounts than a query names.

    >>> row = "Service: 5 to 14 years; Days: 28."
    >>> [is_in_other_band(f"How many days off has Ida after {num} years?", row, Span(30, 32)) for num in ("six", "two", "20")]
    [False, True, True]
    >>> rates = "Vehicle: car; First 10,000 miles: 45p; Each further mile: 25p."
    >>> asked = "What do I get for a mile after more than 10,000 miles by car?"
    >>> [is_in_other_band(asked, rates, Span(at, at + 3)) for at in (34, 58)]
    [True, False]
    """
    own = cell_at(cells_of(row), focus.start)
    return own is not None and (holds_for_others(query, row, own) or _is_apart(query, _bands(own.name)))


def holds_for_others(query: str, row: str, own: Cell | None = None) -> bool:
    """Whether a row, by its cells but for one, holds for other amounts than a query names."""
    return any(_is_apart(query, _bands_of(one)) for one in cells_of(row) if one != own)


def is_in_band(query: str, row: str) -> bool:
    """Whether a cell of a row names a band that has an amount of a query.

    >>> is_in_band("How many days off are there after six years?", "Service: 5 to 14 years; Days: 28.")
    True
    """
    return _has_asked(query, (band for cell in cells_of(row) for band in _bands_of(cell)))


def is_in_band_around(query: str, sentence: str, focus: Span) -> bool:
    """Whether the part of a sentence with some words names a band that has an amount of a query.

    >>> told = "From 41 to 15 days before they pay 50% of the price, and after that 90%."
    >>> [is_in_band_around("What do they pay 20 days before?", told, Span(start, start + 3)) for start in (34, 68)]
    [True, False]
    """
    begin = max((found.end() for found in _PART.finditer(sentence, 0, focus.start)), default=0)
    behind = _PART.search(sentence, focus.end)
    return _has_asked(query, _bands(sentence[begin : behind.start() if behind is not None else len(sentence)]))


def _has_asked(query: str, told: Iterable[_Range]) -> bool:
    """Whether one of some bands has an amount that a query names of what it is a band of."""
    return any(one.units & band.units and not one.is_apart_from(band) for band in told for one in _asked(query))


def _is_apart(query: str, told: Iterable[_Range]) -> bool:
    """Whether one of some bands has none of the amounts that a query names of what it is a band of."""
    for band in told:
        compared = [one for one in _asked(query) if one.units & band.units]
        if compared and all(one.is_apart_from(band) for one in compared):
            return True
    return False


def _bands_of(cell: Cell) -> Iterator[_Range]:
    """The bands in a cell, whose unit may stand in the name of its column."""
    for band in _bands(cell.value):
        yield band._replace(units=band.units | _units(cell.name))


@remembered
def _bands(text: str) -> tuple[_Range, ...]:
    """The bands that a text names."""
    return tuple(_bands_and_rest(_plain(text))[0])


@remembered
def _asked(query: str) -> tuple[_Range, ...]:
    """The amounts that a query names: bands, and single ones."""
    bands, rest = _bands_and_rest(_AFTER.sub("", _plain(query)))
    return (*bands, *(_range(found, rest) for found in _ALONE.finditer(rest)))


def _bands_and_rest(plain: str) -> tuple[list[_Range], str]:
    bands: list[_Range] = []
    for pattern in (_BETWEEN, _BELOW, _ABOVE):
        bands += (_range(found, plain) for found in pattern.finditer(plain))
        plain = pattern.sub(" ", plain)
    return bands, plain


def _range(found: re.Match[str], plain: str) -> _Range:
    """What a match of one of the patterns says."""
    named = found.groupdict()
    low, high = named.get("begin") or named.get("first"), named.get("end") or named.get("last")
    high = low if found.re.pattern == _ALONE.pattern else high
    behind = _WORDS.match(plain, found.end())
    units = _units(f"{found[0]} {behind[0] if behind is not None else ''}")
    currencies = {one[0] for one in (low, high) if one and not one[0].isdigit()}
    is_open = bool(named.get("is_open"))
    begin, end = _number(low, -math.inf), _number(high, math.inf)
    return _Range(min(begin, end), max(begin, end), is_open and not high, is_open and bool(high), units | currencies)


def _number(written: str | None, otherwise: float) -> float:
    return float(written.lstrip(SIGNS)) if written else otherwise


def _units(text: str) -> frozenset[str]:
    """The words of a text that may be what a number counts, in the singular."""
    words = (word for word in _WORD.findall(text.casefold()) if word not in _NO_UNITS)
    return frozenset(word.removesuffix("s") if len(word) > _SHORTEST_PLURAL else word for word in words)


def _plain(text: str) -> str:
    """A text with numbers in digits, and signs in words."""
    signed = _SIGN.sub(lambda sign: _SIGNS_OF_BOUNDS[sign[0]], _PLUS.sub(" or more", _DASH.sub(" to ", text)))
    return " ".join(normalize_values(_FIRST.sub("up to ", signed)).split())
