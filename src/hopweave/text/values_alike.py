"""Values by their kind: of two of the same kind, such as two dates, one could stand in the other's place.

Units are understood by their signs; those of time, numbers in words and months in English and the languages whose words
`languages.toml` has, and money by the names of `text.currencies`. In Chinese, Japanese and Korean a value has no blanks around
it, and a number may have signs among its digits: `12万5千円`.
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
from hopweave.text.currencies import NAMES_ELSEWHERE, NAMES_IN_SIGNS, SIGNS_ELSEWHERE
from hopweave.text.key_terms import FUNCTION_WORDS
from hopweave.text.languages import NOTHING, language_of, months, names_of_months, words_for
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
_CLOCK_ELSEWHERE = (
    r"\d{1,2}[:.]\d{2}(?!\d)\s?(?:Uhr|h|uur)\b|\d{1,2}\sUhr\b|\d{1,2}\s?h\s?\d{2}\b|\d{1,2}:\d{2}(?!\d)"
    r"|(?:klo|kl|saat|ore)\.?\s\d{1,2}(?:[.:]\d{2})?(?!\w|[.,]\d)"
)
_DIGITS_ELSEWHERE = r"[-−–]?(?:\d{1,3}(?:[ \u00a0\u2009\u202f'’]\d{3}){1,8}(?!\w)(?:[.,]\d+)?|\d+(?:[.,٬٫]\d+)*)"
_MONEY_ELSEWHERE = rf"(?:{_MONEY}|{SIGNS_ELSEWHERE})"
_MILLIONS = r"(?:mio|mln|mrd|tsd|tys|tis|тыс|млн|млрд|mil(?:lion\w{0,3}|iard\w{0,3})?)\.?"
_NAMED_ELSEWHERE = rf"(?:{_MILLIONS}\s)?(?:{_MONEY_ELSEWHERE}|(?:de\s|d['’])?{NAMES_ELSEWHERE})"
"""What money is called behind its number in other languages: `900 de lei`, `2 millions d'euros`."""
_PERCENT_ELSEWHERE = (
    r"(?:prozent|pour\scent|por\s?ciento|por\scento|per\scento|procent(?:a|en|u|ów)?|prosent(?:t[ia]|tia)?|százalék|la\ssută"
    r"|процент\w{0,3}|відсот\w{2,4}|τοις\sεκατό|في\sالم[ئا]\w{1,3}|بالم[ئا]\w{1,3}|אחוז(?:ים)?)"
)
_UNIT_ELSEWHERE = r"(?:[кмс]?м[²³]|[мк]?г|т|м?л|[кмс]?м|[кМ]?Вт|[кМГ]?Гц|[קס][\"״][גמ])(?:/\w+)*"
_CYRILLIC = {"г": "g", "т": "t", "л": "l", "м": "m", "вт": "W", "гц": "Hz"}
_CYRILLIC_PREFIX = lazy_pattern(r"^[кмсг](?=(?:г|л|м|вт|гц)$)")


class _Forms(NamedTuple):
    """How a language writes values, as regular expressions.

    Attributes:
        words: its numbers in words.
        date: its dates.
        clock: its times of day.
        time: its units of time.
        noun: a word for what is counted.
        digits: a number in digits.
        before: what stands before an amount of money.
        behind: what stands behind one.
        unit: its units but those of time.
        share: percentages without the sign behind them.
    """

    words: str
    date: str
    clock: str
    time: str
    noun: str
    digits: str = DIGITS
    before: str = _MONEY
    behind: str = _MONEY
    unit: str = _UNIT
    share: str = NOTHING


def _values(of: _Forms) -> re.Pattern[str]:
    """The values of a language."""
    digits = of.digits
    number = rf"(?:{digits}|{of.words}|\bhalf an?\b)(?:\s?±\s?{digits})?(?:\s?(?:to|-|–)\s?(?:{digits}|{of.words}))?"
    return lazy_pattern(
        rf"(?<![\w.,])(?:(?P<often>{_OFTEN}(?!\w))|(?P<date>{of.date})"
        rf"|(?P<clock>(?:{of.clock})(?:\s?(?:to|until|-|–|—)\s?(?:{of.clock}))?(?!:\d))"
        rf"|(?P<sum>{of.before}\s?{number}|{number}\s?{of.behind})"
        rf"|(?P<share>{of.share})"
        rf"|{number}[\s-]?(?:(?P<time>{of.time})|(?P<unit>{of.unit}))(?!\w)"
        rf"|{number}(?=\s(?P<noun>{of.noun})\b)|{digits}(?:\s?±\s?{digits})?(?:\s?(?:to|-|–)\s?{digits})?(?!\w))",
        re.IGNORECASE,
    )


_VALUE = _values(_Forms(_WORDS, _DATE, _CLOCK, _TIME, "[a-z]{3,}"))


@cache
def _values_of(code: str) -> re.Pattern[str]:
    """Those of another language than English; units of time are known in some."""
    times = words_for(code, "times")
    if code in _SIGNS_OF_CLOCK:
        return _values_in_signs(code, times)
    words = rf"\b(?:{'|'.join([*NUMBER_WORDS, *words_for(code, 'numbers').split()])})\b"
    own = set(names_of_months(code))
    known = (re.escape(name) for name in months() if len(name) > 3 or name in own)  # short ones are words elsewhere
    named = "|".join(sorted(known, key=len, reverse=True))
    of = r"(?:de\s+|del\s+)?"
    date = rf"\b\d{{1,2}}(?:\.|er|º|°)?\s+{of}(?:{named})(?:\s+{of}{_YEAR})?(?!\w)|\b(?:{named})\s+{of}{_YEAR}(?!\w)"
    dotted = rf"\b\d{{1,2}}\.\s?\d{{1,2}}\.(?:\s?{_YEAR})?(?!\d)"
    hungarian = rf"{_YEAR}\.\s(?:{named})(?:\s\d{{1,2}}\.?)?(?!\w)"
    return _values(
        _Forms(
            words,
            f"{date}|{dotted}|{hungarian}|{_DATE}",
            _CLOCK_ELSEWHERE,
            rf"(?:{times}|{_TIME})" if times else _TIME,
            r"[^\W\d_]{3,}",
            _DIGITS_ELSEWHERE,
            _MONEY_ELSEWHERE,
            _NAMED_ELSEWHERE,
            f"(?:{_UNIT}|{_UNIT_ELSEWHERE})",
            rf"(?:{_DIGITS_ELSEWHERE}|{words})\s?{_PERCENT_ELSEWHERE}(?!\w)|%\s?{_DIGITS_ELSEWHERE}(?!\w)",
        )
    )


_SIGNS_OF_CLOCK = {"ja": "時(?!間)", "zh": "[点點时時]", "ko": "시(?!간)"}
_UNITS_IN_SIGNS = {
    "g": "公斤 千克 毫克 克 キログラム キロ グラム ミリグラム 킬로그램 킬로 그램",
    "t": "吨 噸 トン 톤",
    "m": "公里 千米 厘米 毫米 公分 米 キロメートル センチメートル ミリメートル メートル センチ ミリ"
    " 킬로미터 센티미터 밀리미터 미터",
    "l": "毫升 升 ミリリットル リットル 밀리리터 리터",
    "m²": "平方米 平方メートル 平米 平方公里 제곱미터 坪 평",
    "°C": "摄氏度 攝氏度 ℃ 度 도",
    "%": "パーセント 퍼센트 프로 ％",
}
_UNIT_BY_SIGNS = {name: kind for kind, names in _UNITS_IN_SIGNS.items() for name in names.split()}
_THOUSANDS = "万億兆千百萬亿만억조천백"
_DIGITS_IN_SIGNS = "一二三四五六七八九十"
_ENOUGH = "(?<=十)分(?!間|钟|鐘)"
"""Behind a ten no minutes, but `enough`, or `very`."""
_COUNTERS = "个個人名本枚台件回次条條张張册冊页頁箱袋개명번대권장회건"


def _values_in_signs(code: str, times: str) -> re.Pattern[str]:
    """Values in Chinese, Japanese or Korean, where words stand at both sides without a blank."""
    digits = rf"[-−–]?\d+(?:[.,]\d+)*(?:\s?[{_THOUSANDS}]{{1,2}}(?:\s?\d+(?:[.,]\d+)*)?){{0,4}}"
    written = "|".join(sorted(words_for(code, "numbers").split(), key=len, reverse=True))
    words = rf"(?<![{_THOUSANDS}{_DIGITS_IN_SIGNS}第가-힣])(?:{written})(?!{_ENOUGH})"
    number = rf"(?:{digits}|{words})(?:\s?[-–~～〜至]\s?{digits})?"
    hours = rf"\d{{1,2}}\s?{_SIGNS_OF_CLOCK[code]}(?:\s?(?:\d{{1,2}}\s?[分분]|半|반))?|\d{{1,2}}[:：]\d\d(?!\d)"
    day = r"\d{1,2}\s?[月월](?:\s?\d{1,2}\s?[日号號일])?"
    units = "|".join(sorted(_UNIT_BY_SIGNS, key=len, reverse=True))
    return lazy_pattern(
        rf"(?<![A-Za-z0-9_.,])(?:(?P<often>{NOTHING})"
        rf"|(?P<date>[12]\d{{3}}\s?[年년](?:\s?{day})?|{day}|{_YEAR}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?!\d)|(?:1\d|20)\d\d(?![\w.,]))"
        rf"|(?P<clock>(?:{hours})(?:\s?[-–~～〜至]\s?(?:{hours}))?)"
        rf"|(?P<sum>(?:{_MONEY}|{SIGNS_ELSEWHERE})\s?{digits}|{number}\s?(?:{NAMES_IN_SIGNS}|{_MONEY}))"
        rf"|(?P<share>{NOTHING})|{number}\s?(?:(?P<time>{times})|(?P<unit>{units}|{_UNIT}(?![A-Za-z0-9_])))"
        rf"|{digits}\s?(?P<noun>[{_COUNTERS}])|{digits}(?![A-Za-z0-9_]))",
        re.IGNORECASE,
    )


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


def values_in(text: str, language: str = "") -> tuple[Value, ...]:
    """The dates and numbers of a text, in order.

    Args:
        text: any text.
        language: the code of its language, if that is known better than by the text alone.

    >>> [value.kind for value in values_in("From 1 May 2023, pay £5 within ten working days, or 4% of 20 crates.")]
    ['date', 'money', 'time', '%', 'number of crate']
    >>> [value.kind for value in values_in("2.1 ± 0.6 mU/L in 1987, twice daily, with 3")]
    ['U/L', 'date', 'time', 'number']
    >>> [value.kind for value in values_in("half a litre, 5 ml, 200 kHz and 2.2 MHz from 17:30 to 18:30")]
    ['l', 'l', 'Hz', 'Hz', 'clock']
    >>> [[value.kind for value in values_in("Takuuvuokra: 5 000 euroa", language)] for language in ("", "fi")]
    [['number', 'number of euroa'], ['money']]
    """
    return _values_in(text, language or language_of(text))


@remembered
def _values_in(text: str, code: str) -> tuple[Value, ...]:
    pattern = _VALUE if code in {"", "en"} else _values_of(code)
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
    if match["share"]:
        return "%"
    if match["unit"]:
        if known := _UNIT_BY_SIGNS.get(match["unit"]) or _CYRILLIC.get(_CYRILLIC_PREFIX.sub("", match["unit"].casefold())):
            return known
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
