"""What kinds of values a question asks for, and whether a text has one: "how long" asks for a time, "how many kg" for a mass.

A passage that has such a value is likelier to answer, as where answers are predicted when texts are indexed (Prager, Brown and
Coden, 2000). English questions are understood best; of others, those that begin with a word for a time, or have one for a price
or a unit of time (`languages.toml`).
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.text.amounts import CURRENCY, NAMES_OF_CURRENCIES
from hopweave.text.answer_kinds import is_money_or_share, kind_asked
from hopweave.text.languages import is_foreign, language_of, names_of_months, pattern_for, words_for
from hopweave.text.sizes import measure_of, units_of
from hopweave.text.values import MONTHS, NUMBER_WORDS
from hopweave.text.values_alike import BEFORE_A_UNIT, COUNTED, Value, values_in

_TIME, _DATE, _CLOCK, _MONEY, _SHARE = "time", "date", "clock", "money", "%"
_TEMPERATURE, _VERSION, _LENGTH = "temperature", "version", "length"

_COUNTED = lazy_pattern(
    r"\bhow (?:many|much) (?:(?:working|business|calendar|full|whole|more|extra) )?(?P<unit>[^\W\d_]+)", re.IGNORECASE
)
_PRICED = lazy_pattern(
    r"\bhow much\b.{1,80}?\b(?:costs?|pay|paid|charged?|owe)\b|\bhow much money\b"
    r"|\bwhat (?:do|does|did|will|must) .{1,60}?\b(?:pay|owe)\b",
    re.IGNORECASE,
)
_OF_MONEY_OR_SHARE = (
    "budget|costs?|deposit|discount|fees?|fines?|grants?|interest|loan|pay|penalty|prices?|rates?|rent|salary|share|tax(?:es)?"
)
_ASKED = tuple(
    (frozenset(kinds), lazy_pattern(rf"\b(?:{words})\b", re.IGNORECASE))
    for kinds, words in (
        ((_VERSION,), r"(?:what|which) (?:[\w.]+ ){0,3}(?:version|release)s?"),
        (
            (_VERSION, _DATE),
            r"older|newer|(?:out|there) (?:first|earlier)|first (?:appear|arriv|came|come|releas|ship|support)\w*"
            r"|(?:appear|arriv|came|come|releas|ship|support|us)\w* (?:[\w.]+ ){0,3}(?:first|earlier)|been in \w+ for longer",
        ),
        ((_TIME, _LENGTH), r"how long"),
        (
            (_TIME,),
            r"how (?:often|frequently|soon|quickly|early|late|old)|how much (?:[a-z]+ )?(?:time|notice)"
            r"|(?:what|which) interval",
        ),
        (
            (_TIME, _DATE, _CLOCK),
            r"(?:until|till|by|since|from|up to) when|when (?:are|is|was|were|do|does|did|have|has|must|can|will|should)",
        ),
        ((_CLOCK,), r"(?:what|which) (?:time|hour)|(?:opening|closing) (?:time|hour)s?"),
        (
            (_TIME, _DATE),
            r"(?:what|which) (?:exact )?(?:date|day|month|year)|(?:first|last|latest|earliest) (?:[a-z]+ )?day|deadline",
        ),
        ((_MONEY, _SHARE), rf"how (?:big|high|large)\b(?=.{{0,200}}\b(?:{_OF_MONEY_OR_SHARE})\b)"),
        ((_LENGTH,), r"how (?:deep|far|high|tall|thick|wide)|how much (?:[a-z]+ )?(?:clearance|room|space)"),
        (
            ("mass",),
            r"how heavy|how much\b.{1,80}?\bweighs?|(?:what|which) weight|weight of"
            r"|(?:what|which) (?:is |was )?(?:the )?(?:[a-z]+ )?mass\b",
        ),
        ((_TEMPERATURE,), r"how (?:cold|hot|warm)"),
        ((_SHARE,), r"(?:what|which) (?:percentage|proportion|share)"),
        (("pressure",), r"(?:what|which) (?:[a-z]+ )?pressure"),
        (("voltage",), r"(?:what|which) (?:[a-z]+ )?voltage"),
    )
)
"""The first that a question has says what it asks for."""
_NAMED = tuple(
    (frozenset({kind}), lazy_pattern(rf"\b(?:{words})\b", re.IGNORECASE))
    for kind, words in (
        (_TEMPERATURE, r"temperatures?"),
        (_TIME, r"time limit|notice period"),
        (_MONEY, r"costs?|deposit|fees?|price|rent|salary"),
        (_LENGTH, r"clearance|distance|free space|gap"),
    )
)
"""The same for questions without a question word but `what`: "price of a drain pump"."""
_ASKS_OTHERWISE = lazy_pattern(r"\b(?:how|where|which|whose|who|why)\b", re.IGNORECASE)
_ASKS_HOW = lazy_pattern(r"\bhow (?:fast|loud)\b", re.IGNORECASE)
"""What else asks for a measure, of no unit that is known here."""
_ASKS_FOR_SIZE = lazy_pattern(
    r"\b(?:how (?:big|large)|(?:what|which)(?: (?:is|are|was|were))?(?: (?:the|its|their))?(?: [a-z]+)? sizes?)\b"
    r"(?!.{0,200}\b(?:delays?|gaps?|intervals?|lags?|periods?|timeouts?)\b)",
    re.IGNORECASE,
)
_PHYSICAL = frozenset({_LENGTH, _TEMPERATURE, "mass", "memory", "power", "pressure", "voltage", "volume"})
_DISTANCES = frozenset({_LENGTH, _TIME})
_NO_SIZES = frozenset({_TIME, _CLOCK, _TEMPERATURE})
_ASKS_FOR_OTHERS = frozenset({"yes_no", "person", "place", "licence"})
_OF_MONEY = lazy_pattern(r"money|pounds?|dollars?|euros?|crowns?|pence|pennies|cents?|francs?|yen", re.IGNORECASE)

_LONG = 4
"""Letters of a unit that is a word."""
_YEAR = r"(?:1\d|20)\d\d(?<![\w.,]\d{4})(?![\w]|[.,]\d)"
_CLOCK_TIME = r"\d[:.][0-5]\d(?![\w:]|\.\d)|\d\s?[ap]\.?m\b|\d\s?(?:h|Uhr|uur)\b"
_OFTEN = r"(?i:\b(?:hourly|daily|weekly|monthly|yearly|annual(?:ly)?|(?:every|each|per|an?) (?:hour|day|week|month|year))\b)"
_BETWEEN = rf"(?:(?:{BEFORE_A_UNIT}|operating)\s)?"
_TIMES_OF_DAY = ("noon", "midnight")
_PRICES = ("amount", "cost", "deposit", "fee", "price", "rate", "rent", "salary", "total")
"""How columns of sums of money are called."""


@remembered
def kinds_of_values_asked(question: str) -> frozenset[str]:
    """The kinds of values of which one would answer a question; none if that is not plain.

    >>> asked = ("After how many hours is it replaced?", "How many litres?", "Was kostet die Fahrt?", "Who pays the fee?")
    >>> [sorted(kinds_of_values_asked(question)) for question in asked]
    [['time'], ['volume'], ['money'], []]
    """
    asked = " ".join(question.split())
    kind = kind_asked(asked)
    if kind in _ASKS_FOR_OTHERS or asked.endswith("."):  # a sentence of a chain of thought may be searched for as well
        return frozenset()
    if is_foreign(asked):
        return _elsewhere(asked, language_of(asked), kind)
    counted = _COUNTED.search(asked)
    if counted is not None and (measure := measure_of(counted["unit"])):
        return frozenset({measure})
    if (counted is not None and _OF_MONEY.fullmatch(counted["unit"])) or _PRICED.search(asked):
        return frozenset({_MONEY})
    ways = _ASKED if _ASKS_OTHERWISE.search(asked) else _ASKED + _NAMED
    found = next((kinds for kinds, words in ways if words.search(asked)), None)
    return found if found is not None else frozenset({_DATE, _TIME, _CLOCK} if kind in {"date", "year"} else ())


def has_value_of(text: str, kinds: Set[str], language: str = "") -> bool:
    """Whether a text has a value of one of some kinds.

    Args:
        text: any text.
        kinds: from `kinds_of_values_asked`.
        language: the code of the language whose units and months are looked for beside the English ones.

    >>> told = "The seal is replaced after six months, at 82 °C."
    >>> [has_value_of(told, {kind}) for kind in ("time", "temperature", "money", "volume")]
    [True, True, False, False]
    """
    return any(_has(kind, text, language) for kind in kinds)


def is_other_measure(query: str, answer: str) -> bool:
    """Whether a question asks how long, heavy, large and the like something is, and an answer has values of other kinds alone.

    >>> [is_other_measure("How long does it take?", answer) for answer in ("50%", "50 kg", "50 s")]
    [True, True, False]
    >>> [is_other_measure("What is the largest size?", answer) for answer in ("60 seconds", "60 MB")]
    [True, False]
    >>> is_other_measure("Wie lange darf ich parken, ohne zu bezahlen?", "15 Euro")
    True
    """
    kinds = kinds_of_values_asked(query)
    asks_for_a_measure = bool(kinds) and kinds.isdisjoint({_MONEY, _SHARE})
    if (asks_for_a_measure or _ASKS_HOW.search(query) is not None) and is_money_or_share(answer):
        return True
    if is_foreign(query):
        return False
    told = set(map(_measure_in, values_in(answer)))
    if kinds and kinds <= _PHYSICAL | {_TIME}:
        others = _PHYSICAL - kinds if _TIME in kinds else (_PHYSICAL | {_CLOCK, _TIME}) - kinds  # how long: until 18:00
        if kinds & _DISTANCES:  # it is done every 500 km, or is two hours away
            others -= _DISTANCES
    else:
        others = _NO_SIZES if not kinds and _ASKS_FOR_SIZE.search(query) else frozenset()
    return bool(told) and told <= others


def counts_what_is_measured(query: str, sentence: str, value: Value) -> bool:
    """Whether a question asks for a measure, and a value of a sentence only counts things, beside a measure of that kind.

    >>> told = "Up to six pictures may be shown, none wider than 120 cm."
    >>> [counts_what_is_measured(asked, told, values_in(told)[0]) for asked in ("How wide is it?", "How many may be shown?")]
    [True, False]
    """
    kinds = kinds_of_values_asked(query)
    is_measure = bool(kinds) and (kinds <= _PHYSICAL | {_TIME} or kinds == {_SHARE})
    if not value.kind.startswith(COUNTED) or not is_measure or is_foreign(query):
        return False
    return has_value_of(f"{sentence[: value.span.start]} {sentence[value.span.end :]}", kinds)


def _measure_in(value: Value) -> str:
    """What the value of a text measures, such as `time`; else its kind."""
    if value.kind.startswith("°"):
        return _TEMPERATURE
    return measure_of(value.kind) or measure_of(f"k{value.kind}") or value.kind


def _elsewhere(asked: str, code: str, kind: str) -> frozenset[str]:
    if kind == "time":
        return frozenset({_TIME, _DATE, _CLOCK})
    if kind == "year":
        return frozenset({_DATE})
    if kind in {"count", "any"} and words_for(code, "times") and _counts_times(code).search(asked):
        return frozenset({_TIME})
    return frozenset({_MONEY} if kind == "any" and pattern_for(code, "price").search(asked) else ())


@cache
def _counts_times(code: str) -> re.Pattern[str]:
    """How a question of a language begins that asks for so many units of time."""
    return re.compile(rf"(?:{words_for(code, 'how_many') or '(?!)'})\s*(?:{words_for(code, 'times')})(?!\w)", re.IGNORECASE)


def _has(kind: str, text: str, language: str) -> bool:
    # Patterns that begin with a digit are fast; those that begin with words are tried if such a word is there.
    if _with_digits(kind, language).search(text) is not None:
        return True
    small, words = text.lower(), _words_of(kind, language)
    return (not words or any(word in small for word in words)) and _with_words(kind, language).search(text) is not None


@cache
def _with_digits(kind: str, language: str) -> re.Pattern[str]:
    """Finds values of a kind that begin with a digit."""
    match kind:
        case "date":
            numbered = r"\d{4}-\d\d|\d[./]\d{1,2}[./]\d"
            return re.compile(rf"{_YEAR}|{numbered}|\d(?:st|nd|rd|th|\.|er|º)?\s(?:de\s)?(?:{_any_month(language)})(?!\w)")
        case "clock":
            return re.compile(_CLOCK_TIME)
        case "money":
            return re.compile(rf"\d\s?(?i:{CURRENCY})")
        case "version":
            return re.compile(r"\d(?<=\bv\d)")
        case _:
            return re.compile(rf"\d[\s\u00a0-]?{_BETWEEN}(?:{_units_of(kind, language)})(?!\w)")


@cache
def _with_words(kind: str, language: str) -> re.Pattern[str]:
    """Finds values of a kind that begin with something else, such as a number in words."""
    match kind:
        case "date":
            return re.compile(rf"(?<!\w)(?:{_any_month(language)})\s\d")
        case "clock":
            return re.compile(rf"\b(?:{'|'.join(_TIMES_OF_DAY)})\b", re.IGNORECASE)
        case "money":
            columns = "|".join(filter(None, [*(f"{name}s?" for name in _PRICES), words_for(language, "price")]))
            return re.compile(rf"{CURRENCY}\s?\d|\b(?:{columns})(?:_\w+)?(?: \([^()]{{1,20}}\))?: ?\d", re.IGNORECASE)
        case "version":
            return re.compile(
                r"\b(?:release|version)s?\W{0,2}\d"
                r"|\b(?:added|appear\w*|as of|available|changed|introduced|new|since)\b[^.\n]{0,40}?\d\.\d",
                re.IGNORECASE,
            )
        case _:
            numbers = "|".join([*NUMBER_WORDS, *words_for(language, "numbers").split()])
            counted = rf"\b(?:(?i:{numbers})|[Hh]alf an?)[\s-]{_BETWEEN}(?:{_units_of(kind, language)})(?!\w)"
            return re.compile(f"{counted}|{_OFTEN}" if kind == _TIME else counted)


@cache
def _words_of(kind: str, language: str) -> tuple[str, ...]:
    """Words of which a text with a match of `_with_words` has one, in small letters; none if they are not known."""
    if words_for(language, {_TIME: "times", _MONEY: "price"}.get(kind, "")):
        return ()
    words = {
        _DATE: [*MONTHS, *names_of_months(language)],
        _CLOCK: _TIMES_OF_DAY,
        _SHARE: ["cent", "%"],
        _TEMPERATURE: ["degree", "kelvin"],
        _VERSION: [],
        _MONEY: [*NAMES_OF_CURRENCIES, *_PRICES],
    }
    often = ["daily", "annual"] if kind == _TIME else []
    return tuple(words.get(kind, [*(unit for unit in units_of(kind) if len(unit) >= _LONG and unit.islower()), *often]))


@cache
def _units_of(kind: str, language: str) -> str:
    """The units of a kind: an expression in which capitals count in signs, and not in words."""
    if kind == _SHARE:
        return r"%|(?i:per\s?cent|percentage points?)"
    if kind == _TEMPERATURE:
        return r"°\s?[CFK]?|K|(?i:kelvin|degrees?)"
    units = "|".join(re.escape(unit) if len(unit) < _LONG else f"(?i:{unit})" for unit in units_of(kind))
    times = words_for(language, "times") if kind == _TIME else ""
    return f"{units}|(?i:{times})" if times else units


def _any_month(language: str) -> str:
    """The names of the months in English, and in another language in small letters and with a capital: an expression."""
    own = names_of_months(language)
    names = {*(name.capitalize() for name in (*MONTHS, *own)), *own}
    return "|".join(map(re.escape, sorted(names, key=lambda name: (-len(name), name))))
