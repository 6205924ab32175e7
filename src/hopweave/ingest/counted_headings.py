"""Headings that count up, as people type them in contracts, rules and minutes: `4. Payment`, `IV. Term`, `25/04 Budget`."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.core.lazy_pattern import lazy_pattern

WAYS = ("digits", "roman", "letter", "minute")
"""The ways to count: `4.`, `IV.`, `D.`, and `25/04` as the minutes of a year."""

FEWEST = 3
"""So many count up: fewer may be items of a list, amounts, or captions."""

_COUNTED = lazy_pattern(
    r"(?:(?P<digits>\d{1,2})[.)]|(?P<roman>[IVX]{1,5})[.)]|(?P<letter>[A-Z])[.)]|(?P<minute>\d{1,4}/\d{1,3})[.)]?)"
    r"[ \t\xa0]{1,4}(?P<said>[^\W\d_][^\n]{1,60})"
)
"""Longer ones are items of a list."""
_END_OF_NUMBER = lazy_pattern(r"[.)\s]")
_MOST_WORDS = 10
_WIDEST_GAP = 2
"""How much the next heading's number is higher at most: one may not look like a heading."""
_ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9, "X": 10, "XI": 11, "XII": 12}


def ways_to_count(line: str) -> list[str]:
    """The ways in which a line may count, if it may be a heading; a letter may be a Roman number.

    >>> ways_to_count("4. Payment"), ways_to_count("I. Term"), ways_to_count("4. Pay at once.")
    (['digits'], ['roman', 'letter'], [])
    """
    match = _COUNTED.fullmatch(line.rstrip())
    if match is None or not reads_like_a_heading(match["said"], may_ask=True):
        return []
    is_letter = len(match["roman"] or "") == 1
    return [way for way in WAYS if match[way] or (way == "letter" and is_letter)]


def reads_like_a_heading(said: str, *, may_ask: bool = False) -> bool:
    """Whether what follows a number does not read like an item of a list, which is a sentence or begins in lower case."""
    ends_like_one = said[-1] not in ".,;:!?" or (may_ask and said[-1] == "?")
    return not said[0].islower() and ends_like_one and len(said.split()) <= _MOST_WORDS


def counting_up(lines: Sequence[str], way: str) -> list[int]:
    """The positions of those lines that count up, which begin at 1, or the minutes anywhere; none if they are too few.

    Args:
        lines: each of which counts in that way.
        way: one of `WAYS`.
    """
    counted: list[int] = []
    last = 0
    for at, line in enumerate(lines):
        number = _number(line, way)
        last = number - 1 if way == "minute" and not counted else last
        if last < number <= last + _WIDEST_GAP or (number == 1 and last >= FEWEST):
            counted.append(at)
            last = number
    return counted if len(counted) >= FEWEST else []


def _number(line: str, way: str) -> int:
    written = _END_OF_NUMBER.split(line, maxsplit=1)[0]
    if way in ("digits", "minute"):
        return int(written.rpartition("/")[2])
    return _ROMAN.get(written, 0) if way == "roman" else ord(written) - ord("A") + 1
