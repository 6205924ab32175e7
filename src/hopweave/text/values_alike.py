"""Values by their kind: of two of the same kind, such as two dates, one could stand in the other's place.

Units are understood by their signs; those of time, numbers in words and months in English and the languages whose words
`languages.toml` has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.amounts import CURRENCY
from hopweave.text.content_words import stem
from hopweave.text.key_terms import FUNCTION_WORDS
from hopweave.text.languages import is_foreign, language_of, months, names_of_months, words_for
from hopweave.text.page_names import MANUAL_SECTION
from hopweave.text.values import MONTH_NAMES, NUMBER_WORDS

_MONTHS = rf"(?-i:{MONTH_NAMES})"
_YEAR = r"[12]\d{3}"
_DATE = (
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTHS}(?:,?\s+{_YEAR})?|{_MONTHS}\s+(?:{_YEAR}|\d{{1,2}}(?:,?\s+{_YEAR})?)"
    rf"|{_YEAR}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./]{_YEAR}|(?:1\d|20)\d\d(?![\w.,]\d))(?!\w)"
)
DIGITS = r"[-−–]?\d+(?:[.,]\d+)*"
_WORDS = rf"\b(?:{'|'.join(NUMBER_WORDS)})(?:-(?:{'|'.join(NUMBER_WORDS[1:10])}))?\b"
_MONEY = rf"(?:{CURRENCY}|\bcrowns?\b)"  # which are of several currencies
_OFTEN = r"(?:once|twice|(?:three|four) times)\s(?:an?\s\w+|(?:per|every|each)\s\w+|daily|weekly|monthly|yearly)"
BEFORE_A_UNIT = "working|business|calendar|consecutive|full|further|more"
"""What may stand between a number and a unit of time."""
_TIME = (
    rf"(?:(?:{BEFORE_A_UNIT})\s+)?"
    r"(?:ms|s|sec(?:ond)?s?|min(?:ute)?s?|h|hrs?|hours?|days?|weeks?|months?|years?)"
)
_UNIT = (
    r"(?:%|percent|per\scent|[kcmd]?m[²³]|m[23](?!\w)|µF|[kM]?bit/s|(?-i:[GMT]o)|°\s?[CFK]|[kmµun]?g|t|mcg|[mµd]?l|[kcmnµ]?m|[mµn]?mol"
    r"|[mkµ]?I?U|[kM]?W|[kKMG]?i?B|bytes?|[kMG]?Hz|[mk]?V|bar|k?Pa|mmHg|Nm)(?:/\w+)*"
)
UNIT = rf"(?:{_MONEY}|{_UNIT}|{_TIME})"
_PREFIX = lazy_pattern(r"^(?:[kcdmnµu]|[kmg]i?|mc)(?=(?:Hz|g|l|m|mol|I?U|W|B|V|Pa)(?:/|$))", re.IGNORECASE)
"""What makes a unit larger or smaller: 2 MHz could stand where 500 kHz do."""
_SIGNS = {"litre": "l", "liter": "l", "metre": "m", "meter": "m", "gram": "g"}
_PREFIXED_WORD = lazy_pattern(r"^(?:kilo|centi|milli|micro)(?=litre|liter|metre|meter|gram)")
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?!\d)(?:\s?[ap]\.?m\b)?|\d{1,2}(?:\.\d{2})?\s?[ap]\.?m\b"
_CLOCK_ELSEWHERE = r"\d{1,2}[:.]\d{2}(?!\d)\s?(?:Uhr|h|uur)\b|\d{1,2}\sUhr\b|\d{1,2}\s?h\s?\d{2}\b|\d{1,2}:\d{2}(?!\d)"


def _values(words: str, date: str, clock: str, time: str, noun: str) -> re.Pattern[str]:
    """Values of a language, by its numbers in words, its dates, times of day, units of time, and words for what is counted."""
    number = rf"(?:{DIGITS}|{words}|\bhalf an?\b)(?:\s?±\s?{DIGITS})?(?:\s?(?:to|-|–)\s?(?:{DIGITS}|{words}))?"
    return lazy_pattern(
        rf"(?<![\w.,])(?:(?P<often>{_OFTEN}(?!\w))|(?P<date>{date})"
        rf"|(?P<clock>(?:{clock})(?:\s?(?:to|until|-|–|—)\s?(?:{clock}))?(?!:\d))|(?P<sum>{_MONEY}\s?{number}|{number}\s?{_MONEY})"
        rf"|{number}[\s-]?(?:(?P<time>{time})|(?P<unit>{_UNIT}))(?!\w)"
        rf"|{number}(?=\s(?P<noun>{noun})\b)|{DIGITS}(?:\s?±\s?{DIGITS})?(?:\s?(?:to|-|–)\s?{DIGITS})?(?!\w))",
        re.IGNORECASE,
    )


_VALUE = _values(_WORDS, _DATE, _CLOCK, _TIME, "[a-z]{3,}")


@cache
def _values_of(code: str) -> re.Pattern[str]:
    """Those of another language than English; units of time are known in some."""
    numbers, times = words_for(code, "numbers").split(), words_for(code, "times")
    words = rf"\b(?:{'|'.join([*NUMBER_WORDS, *numbers])})\b"
    own = set(names_of_months(code))
    known = (re.escape(name) for name in months() if len(name) > 3 or name in own)  # short ones are words elsewhere
    named = "|".join(sorted(known, key=len, reverse=True))
    of = r"(?:de\s+|del\s+)?"
    date = rf"\b\d{{1,2}}(?:\.|er|º|°)?\s+{of}(?:{named})(?:\s+{of}{_YEAR})?(?!\w)|\b(?:{named})\s+{of}{_YEAR}(?!\w)"
    dotted = rf"\b\d{{1,2}}\.\s?\d{{1,2}}\.(?:\s?{_YEAR})?(?!\d)"
    time = rf"(?:{times}|{_TIME})" if times else _TIME
    return _values(words, f"{date}|{dotted}|{_DATE}", _CLOCK_ELSEWHERE, time, r"[^\W\d_]{3,}")


_NAMES_A_PAGE = lazy_pattern(rf"\w{MANUAL_SECTION}")
_OF_A_CLAUSE = lazy_pattern(r"(?:\d{1,3}\.){1,3}(?:\d{1,3})?[ \t]+(?=[A-Z\"“])")
_CLAUSE_ON_A_LINE = lazy_pattern(rf"^[ \t]*{_OF_A_CLAUSE.pattern}", re.MULTILINE)
_UNCOUNTED = lazy_pattern(
    r"\w{4,}(?<!e)ed|\w{3,}ing|came|fell|found|gave|got|held|kept|left|lost|made|met|paid|ran|rose|said|sent|sold|took|went|won|after|before|during|within|without|until|since|under|over|above|below|between"
)
"""What comes behind a number and is not what is counted: `48 received it at once, 21 after changes`."""
_NUMBER_ALONE = lazy_pattern(r"[\d.]+\s?(?:%|per\s?cent)?", re.IGNORECASE)
NUMBER, COUNTED, CLOCK = "number", "number of ", "clock"


class Value(NamedTuple):
    """A value of a text: its kind, such as `time`, `mmol/L`, `number of byte` or just `number`, and where it stands."""

    kind: str
    span: Span


@remembered
def values_in(text: str) -> tuple[Value, ...]:
    """The dates and numbers of a text, in order.

    >>> [value.kind for value in values_in("From 1 May 2023, pay £5 within ten working days, or 4% of 20 crates.")]
    ['date', 'money', 'time', '%', 'number of crate']
    >>> [value.kind for value in values_in("2.1 ± 0.6 mU/L in 1987, twice daily, with 3")]
    ['U/L', 'date', 'time', 'number']
    >>> [value.kind for value in values_in("half a litre, 5 ml, 200 kHz and 2.2 MHz from 17:30 to 18:30")]
    ['l', 'l', 'Hz', 'Hz', 'clock']
    """
    pattern = _values_of(language_of(text)) if is_foreign(text) else _VALUE
    return tuple(Value(_kind(match), Span(*match.span())) for match in pattern.finditer(text))


def value_at(focus: Span, values: Iterable[Value]) -> Value | None:
    """The first of some values that some words at a position are, or have, or are a piece of."""
    return next((value for value in values if value.span.start < focus.end and focus.start < value.span.end), None)


def _kind(match: re.Match[str]) -> str:
    if match["date"]:
        return "date"
    if match["sum"]:
        return "money"
    if match["often"] or match["time"]:
        return "time"
    if match["clock"]:
        return CLOCK
    if match["unit"]:
        unit = re.sub(r"per\s?cent", "%", "".join(match["unit"].split()), flags=re.IGNORECASE)
        return _PREFIX.sub("", unit)
    noun = (match["noun"] or "").casefold()
    if sign := _SIGNS.get(_PREFIXED_WORD.sub("", noun).removesuffix("s")):
        return sign
    return f"{COUNTED}{stem(noun)}" if noun and noun not in FUNCTION_WORDS and not _UNCOUNTED.fullmatch(noun) else NUMBER


def are_alike(one: str, other: str, *, whatever_is_counted: bool = False) -> bool:
    """Whether values of two kinds could stand in each other's place in a sentence, which may leave out what it counts.

    Args:
        one: the kind of one value.
        other: that of the other.
        whatever_is_counted: whether any two numbers could; what they seem to count may be a verb: `under six travel free`.

    >>> are_alike("number of crate", "number"), are_alike("number of crate", "number of barrel"), are_alike("date", "time")
    (True, False, False)
    """
    are_numbers = one.startswith(NUMBER) and other.startswith(NUMBER)
    return one == other or (are_numbers and (whatever_is_counted or NUMBER in (one, other)))


def may_be_alike(one: Value, own: Value) -> bool:
    """Whether one value may be meant where another stands; the later one may leave out its unit: `10 seconds, or 2`."""
    first, last = sorted((one, own), key=lambda value: value.span.start)
    return are_alike(one.kind, own.kind) or (last.kind == NUMBER and not first.kind.startswith(NUMBER))


@remembered
def without_numbers_of_clauses(text: str) -> str:
    r"""A text with blanks for the numbers with which its lines begin.

    >>> without_numbers_of_clauses("3. Lock\nHold 3 keys.")
    '   Lock\nHold 3 keys.'
    """
    return _CLAUSE_ON_A_LINE.sub(lambda number: " " * len(number[0]), text)


def is_number_of_a_clause(said: str, span: Span, text: str) -> bool:
    r"""Whether an answer is a number, or a percentage, and its place is the number with which a clause or heading begins.

    Or it is the section of a manual page: `git-log(1)`.

    >>> told = "9. Notice\n9.1 The notice is 9 weeks, by at(9)."
    >>> [is_number_of_a_clause("9%", Span(start, start + 1), told) for start in (0, 28, 43)]
    [True, False, True]
    """
    if _NUMBER_ALONE.fullmatch(said.strip()) is None:
        return False
    begun = text.rfind("\n", 0, span.start) + 1
    number = _OF_A_CLAUSE.match(text, begun)
    is_section = span.start > 1 and _NAMES_A_PAGE.match(text, span.start - 2) is not None
    return is_section or (number is not None and span.start < number.end())
