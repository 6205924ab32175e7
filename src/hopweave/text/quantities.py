"""Quantities of time and memory in whatever unit: `5s` for `five seconds`, `every hour` for `hourly`, `2048 MB` for `2 GiB`.

Only English is understood. `MB` and the like may be powers of 1000 or of 1024, so they equal either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.sentences import sentence_spans
from hopweave.text.values import NUMBER_WORDS, normalize_values

_MICRO, _MILLI = Decimal("0.000001"), Decimal("0.001")
_TIMES: dict[str, Decimal] = {
    "us usec usecs µs microsecond microseconds": _MICRO,
    "ms msec msecs millisecond milliseconds": _MILLI,
    "s sec secs second seconds": Decimal(1),
    "min mins minute minutes": Decimal(60),
    "h hr hrs hour hours": Decimal(3600),
    "day days": Decimal(86_400),
    "week weeks": Decimal(604_800),
}
_MEMORIES = {
    "byte bytes": (0,),
    "KB kB kilobyte kilobytes": (1, 0),
    "MB megabyte megabytes": (2, 0),
    "GB gigabyte gigabytes": (3, 0),
    "TB terabyte terabytes": (4, 0),
    "KiB kibibyte kibibytes": (1,),
    "MiB mebibyte mebibytes": (2,),
    "GiB gibibyte gibibytes": (3,),
    "TiB tebibyte tebibytes": (4,),
}
UNITS: dict[str, tuple[str, tuple[Decimal, ...]]] = {
    **{name: ("time", (size,)) for names, size in _TIMES.items() for name in names.split()},
    **{
        name: ("memory", (Decimal(1024) ** powers[0], *(Decimal(1000) ** powers[0] for _ in powers[1:])))
        for names, powers in _MEMORIES.items()
        for name in names.split()
    },
}
"""The units of time and memory by name: what they measure, and their sizes in seconds or bytes; `MB` has two."""
_EVERY = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year"}

_UNIT = "|".join(sorted(UNITS, key=len, reverse=True))
_NUMBER = rf"\d+(?:,\d{{3}})*(?:\.\d+)?|{'|'.join(NUMBER_WORDS)}"
_QUANTITY = lazy_pattern(rf"(?<![\w.,-])(?P<number>(?i:{_NUMBER}))[\s-]?(?P<unit>{_UNIT})(?!\w)")
_FREQUENCY = lazy_pattern(
    rf"\b(?:(?P<adverb>{'|'.join(_EVERY)})|(?:(?:once )?(?:every|each|per)|once an?)\s(?P<noun>hour|day|week|month|year))\b",
    re.IGNORECASE,
)
_LONE_UNIT = lazy_pattern(rf"(?:(?:in|of|many)\s|[<(])(?P<unit>{_UNIT})(?!\w)")
_LONE_NUMBER = lazy_pattern(rf"(?<![\w.,-])(?:\d+(?:,\d{{3}})*(?:\.\d+)?)(?![\w%]|[.,]\d|[\s-](?:{_UNIT})\b)")


class _Quantity(NamedTuple):
    """So much of something.

    Attributes:
        of: of what: time, memory, or how often.
        sizes: how much, in seconds or bytes; several where the unit has two meanings.
    """

    of: str
    sizes: frozenset[Decimal | str]

    def equals(self, other: _Quantity) -> bool:
        """Whether it may be as much of the same."""
        return self.of == other.of and not self.sizes.isdisjoint(other.sizes)


def places_of_quantity(said: str, text: str) -> Iterator[Span]:
    """Yields where a text gives the same time, amount of memory or frequency as an answer, in another unit or spelling.

    A number may have its unit elsewhere in its sentence, if that only names the unit: `Seconds to wait (default: 900)`.

    >>> told = "It waits five seconds, runs hourly and needs 2 GiB. The age is given in days, by default 14."
    >>> for said in ("5s", "every hour", "2048 MB", "two weeks"):
    ...     print(*(told[place.start : place.end] for place in places_of_quantity(said, told)))
    five seconds
    hourly
    2 GiB
    14
    """
    wanted = _quantity(said.strip())
    if wanted is None:
        return
    for match in (_FREQUENCY if wanted.of == "frequency" else _QUANTITY).finditer(text):
        if _of(match).equals(wanted):
            yield Span(*match.span())
    if wanted.of == "frequency" or not _LONE_UNIT.search(text):
        return
    for span in sentence_spans(text):
        sentence = text[span.start : span.end]
        units = {match["unit"] for match in _LONE_UNIT.finditer(sentence)}
        for match in _LONE_NUMBER.finditer(sentence) if len(units) == 1 else ():
            if _made(match[0], *units).equals(wanted):
                yield Span(span.start + match.start(), span.start + match.end())


def is_quantity(said: str) -> bool:
    """Whether a text is a quantity and nothing else.

    >>> is_quantity("5s"), is_quantity("It takes 5s.")
    (True, False)
    """
    return _quantity(said.strip()) is not None


def are_equal(left: str, right: str) -> bool:
    """Whether two texts are quantities, and may be as much of the same.

    >>> are_equal("5s", "five seconds"), are_equal("5s", "5 minutes"), are_equal("5", "5")
    (True, False, False)
    """
    one, other = _quantity(left.strip()), _quantity(right.strip())
    return one is not None and other is not None and one.equals(other)


@remembered
def _quantity(said: str) -> _Quantity | None:
    said = said.rstrip(".")
    match = _QUANTITY.fullmatch(said) or _FREQUENCY.fullmatch(said)
    return _of(match) if match is not None else None


def _of(match: re.Match[str]) -> _Quantity:
    found = match.groupdict()
    if "unit" in found:
        return _made(match["number"], match["unit"])
    noun = found["noun"] or _EVERY[match["adverb"].casefold()]
    return _Quantity("frequency", frozenset({noun.casefold()}))


def _made(number: str, unit: str) -> _Quantity:
    of, sizes = UNITS[unit]
    return _Quantity(of, frozenset(Decimal(normalize_values(number)) * size for size in sizes))
