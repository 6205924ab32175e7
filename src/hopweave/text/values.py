"""Normalises dates and numbers, so that texts that write them in another order or in words can be compared.

Words for numbers are understood in English only, names of months in other languages as well. A date becomes its year, month and
day, in that order, so that a less precise date is contained in a more precise one; `05/12/1940` is ambiguous and is kept.
A number becomes its digits: `1,450`, `two hundred`, `2.5 million`, `19th` and `nineteenth`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, lru_cache

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.preparation import prepared
from hopweave.core.types import Span
from hopweave.text.languages import is_foreign, language_of, months, names_of_months
from hopweave.text.quotation import QUOTATION_MARKS

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
MONTH_NAMES = "|".join(month.capitalize() for month in MONTHS)
DAY_NAMES = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
"""As parts of regular expressions."""
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[12]\d{3})"
_DATES = tuple(
    lazy_pattern(rf"(?<![\w.,/-]){form}(?![\w/-]|[.,]\d)", re.IGNORECASE)
    for form in (
        rf"(?:the\s+)?{_DAY}\.?\s+(?:of\s+)?{_MONTH}(?:,?\s+(?:of\s+)?{_YEAR})?",
        rf"{_MONTH}\s+(?:the\s+)?{_DAY}(?:,?\s+{_YEAR})?",
        rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}",
        rf"{_DAY}-{_MONTH}-{_YEAR}",
        r"(?P<year>[12]\d{3})-(?P<number>\d{1,2})(?:-(?P<day>\d{1,2}))?",
        r"(?P<day>\d{1,2})\.\s?(?P<number>\d{1,2})\.\s?(?P<year>[12]\d{3})",
        r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>[12]\d{3})",
    )
)
DATE_IN_SIGNS = lazy_pattern(
    r"(?<!\d)(?P<year>[12]\d{3})\s?[年년]\s?(?P<number>1[0-2]|0?[1-9])\s?[月월](?:\s?(?P<day>[0-3]?\d)\s?[日号號일])?"
)
"""A date in Chinese, Japanese or Korean: `2019年5月12日`."""
_POINT_BETWEEN_GROUPS = frozenset({"de", "es", "it", "pt", "nl", "da", "tr", "el", "ro"})
_COMMA_BEFORE_DECIMALS = _POINT_BETWEEN_GROUPS | {"fr", "ru", "uk", "pl", "cs", "sv", "fi", "hu"}
_DECIMALS = lazy_pattern(r"(?<![\w.,])\d+,\d+(?![\w]|[.,]\d)")
_GROUPS_OR_DECIMALS = lazy_pattern(r"(?<![\w.,])(?:\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+)(?![\w]|[.,]\d)")
_NARROW_BETWEEN_GROUPS = lazy_pattern(r"(?<![\w.,'’])\d{1,3}(?:[\u00a0\u2009\u202f'’]\d{3})+(?!\w)")
_BLANK_BETWEEN_GROUPS = lazy_pattern(r"(?<![\w.,'’])(?<!\d\s)\d{1,3}(?:[ \u00a0\u2009\u202f'’]\d{3})+(?!\w|\s\d)")
_BLANK_IN_KOREAN = lazy_pattern(r"(?:(?<=\d[만억천백])|(?<=\d[천백십][만억]))[ \u00a0](?=\d{1,4}[천백십만억원])")
"""Between the parts of a number as in `1억 5천만`."""
_HAS_DIGIT = lazy_pattern(r"\d")
_SWAPPED = str.maketrans({".": ",", ",": "."})
_BETWEEN_GROUPS = lazy_pattern(r"[\s'’]")
_PLAIN = {
    **{ord(first) + digit: str(digit) for first in "٠۰" for digit in range(10)},
    **str.maketrans({"٬": ",", "٫": "."}),
}
"""Arabic and Persian digits, and the signs between them."""
_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {word: value for value, word in enumerate(_ONES)} | {word: 10 * value for value, word in enumerate(_TENS, start=2)}
NUMBER_WORDS = tuple(_SMALL)
"""Numbers in one word, from zero to ninety."""

SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 1_000_000_000_000}
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
"""As a text writes them, in order."""

_ORDINALS = {
    "first": "one", "second": "two", "third": "three", "fifth": "five", "eighth": "eight", "ninth": "nine", "twelfth": "twelve",
    **{f"{word}th": word for word in _ONES if word not in {"one", "two", "three", "five", "eight", "nine", "twelve"}},
    **{f"{word[:-1]}ieth": word for word in _TENS},
    **{f"{word}th": word for word in SCALES},
}  # fmt: skip
ORDINAL_VALUES = {ordinal: _SMALL[word] for ordinal, word in _ORDINALS.items() if word in _SMALL}
"""Ordinals in one word, with their numbers."""
_DIGITS = lazy_pattern(r"(-?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?))(st|nd|rd|th)?$")
_TOKEN = lazy_pattern(
    r"(?:(?<![\w-])-(?=\d))?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+\.\d+(?!\w))|(?<![\w-])-(?=\d)\d+|[^\s/-]+"
)
_DASHES = str.maketrans("–—−‐‑", "-----")
_MOST_SCALES = 3
_ARTICLES = {"a", "an", "the"}
_WORD = lazy_pattern(r"\S+")
_AMBIGUOUS = frozenset({"1", "1th"})
"""`one` is a pronoun as well, and `first` an adverb."""
_DECIMAL = lazy_pattern(r"\d\.\d")
_IS_A_DAY = lazy_pattern(rf"\s(?:{'|'.join(MONTHS)})\b", re.IGNORECASE)
"""What follows a number that is the day of a date, as which `2.0` is never written."""
_MOST_VALUE_WORDS = 6
_MOST_MORE_WORDS = 3
"""A value in words may be longer: `two hundred and five`."""
_PUNCTUATION = string.punctuation + QUOTATION_MARKS + "–—…"
_AROUND = _PUNCTUATION.translate(str.maketrans("", "", "-−–—"))
"""What may surround a value; a minus is part of it."""


DATE = lazy_pattern(rf"\b([12]\d{{3}})(?: ({'|'.join(MONTHS)})(?: (\d{{1,2}}))?)?\b")
"""A date in a text that is normalised by `normalize_values`; see `parts_of_date`."""


def parts_of_date(found: re.Match[str]) -> tuple[int, int, int]:
    """Year, month and day of a match of `DATE`; 0 for what it does not name."""
    return int(found[1]), MONTHS.index(found[2]) + 1 if found[2] else 0, int(found[3] or 0)


@lru_cache(1024)
def normalize_values(text: str) -> str:
    """A text normalised for comparison: lower case, no articles or punctuation, dates and numbers in one form.

    >>> normalize_values("The 12th of May, 1940"), normalize_values("May 12, 1940"), normalize_values("two hundred and five")
    ('1940 may 12', '1940 may 12', '205')
    """
    text = text if text.isascii() else text.translate(_PLAIN)
    for pattern in (*_DATES, *_dates_elsewhere(), DATE_IN_SIGNS) if _HAS_DIGIT.search(text) else ():
        text = pattern.sub(_date, text)
    return " ".join(_with_numbers(_tokens(text)))


@prepared
@cache
def _dates_elsewhere() -> tuple[re.Pattern[str], ...]:
    """Dates with the months of other languages; in Hungarian the year comes first, and months have small letters."""
    month = rf"(?P<month>{_any_of(months())})"
    hungarian = rf"(?P<month>(?-i:{_any_of(names_of_months('hu'))}))"
    of, era = r"(?:de\s+|del\s+)?", r"(?:\s(?:года|году|р\.|г\.))?"
    forms = (
        rf"{_YEAR}\.\s+{hungarian}(?:\s+(?P<day>[0-3]?\d)(?:\.|-\w{{1,4}})?)?",
        rf"(?P<day>[0-3]?\d)(?:\.?º|\.|er|°)?\s+{of}{month}(?:,?\s+{of}{_YEAR})?{era}",
        rf"{month}\s+{of}{_YEAR}{era}",
    )
    return tuple(re.compile(rf"(?<![\w.,/-]){form}(?![\w/-]|[.,]\d)", re.IGNORECASE) for form in forms)


def _any_of(names: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))


def agree_by_value(left: str, right: str) -> bool:
    """Whether one of two texts contains the other, in complete words, after dates and numbers are normalised.

    >>> agree_by_value("Brno, Moravia", "Brno"), agree_by_value("12 May 1940", "May 1940"), agree_by_value("1940", "1960")
    (True, True, False)
    """
    one, other = f" {normalize_values(left)} ", f" {normalize_values(right)} "
    return bool(one.strip() and other.strip()) and (one in other or other in one)


def has_value(said: str) -> bool:
    """Whether an answer has a date or a number, and little else: what `places_of_value` looks for.

    >>> has_value("1,400 metres"), has_value("Mara Lind"), has_value("one")
    (True, False, False)
    """
    wanted = normalize_values(said)
    is_short = len(wanted.split()) <= _MOST_VALUE_WORDS
    return is_short and wanted not in _AMBIGUOUS and any(map(str.isdigit, wanted))


def places_of_value(said: str, text: str) -> Iterator[Span]:
    """Yields where a text gives the same date or number as an answer, in whatever form.

    A unit has to be the same word in both. A date that is less precise than that of the text is a part of it.

    >>> told = "Since 28 Sep 2013 the lamp has turned every 6,700 milliseconds."
    >>> for said in ("September 28, 2013", "September 2013", "6700 milliseconds", "6700"):
    ...     print(*(told[place.start : place.end] for place in places_of_value(said, told)))
    28 Sep 2013
    Sep 2013
    6,700 milliseconds
    6,700
    """
    if not has_value(said):
        return
    for date in DATE_IN_SIGNS.finditer(text):
        if f"{normalize_values(date[0])} ".startswith(f"{normalize_values(said)} "):
            yield Span(*date.span())
    if is_foreign(text):
        said = _swapped(said) if language_of(text) in _COMMA_BEFORE_DECIMALS else said
        text, said = _with_english_numbers(text), with_grouped_numbers(said, is_spaced=True)
    else:
        text, said = with_grouped_numbers(text), with_grouped_numbers(said)
    wanted = normalize_values(said)
    if f" {wanted} " not in f" {normalize_values(text)} ":  # most have it nowhere
        return
    words = list(_WORD.finditer(text))
    is_decimal = _DECIMAL.search(said) is not None
    most = len(wanted.split()) + _MOST_MORE_WORDS
    end = 0
    for at, first in enumerate(words):
        if first.start() < end:
            continue
        for last in words[at : at + most]:
            found = text[first.start() : last.end()]
            if normalize_values(found) == wanted and not (is_decimal and _IS_A_DAY.match(text, last.end())):
                inside = found.strip(_AROUND)
                start = first.start() + found.index(inside)
                end = start + len(inside)
                yield Span(start, end)
                break


def with_grouped_numbers(text: str, *, is_spaced: bool = False) -> str:
    """A text with commas between the groups of digits where it has narrow spaces or apostrophes, so that none is a number.

    Args:
        text: the text; the result is as long.
        is_spaced: whether ordinary spaces may stand there as well, and between the parts of a number in Korean.

    >>> with_grouped_numbers("1\u00a0234 1 234 1'234"), with_grouped_numbers("1 234, 3만 5천", is_spaced=True)
    ('1,234 1 234 1,234', '1,234, 3만,5천')
    """
    pattern = _BLANK_BETWEEN_GROUPS if is_spaced else _NARROW_BETWEEN_GROUPS
    grouped = pattern.sub(lambda number: _BETWEEN_GROUPS.sub(",", number[0]), text)
    return _BLANK_IN_KOREAN.sub(",", grouped) if is_spaced else grouped


def _with_english_numbers(text: str) -> str:
    """A text of another language with the points and commas of its numbers as in English; the result is as long.

    >>> _with_english_numbers("Das sind 1.048.576 Byte oder 1,5 km."), _with_english_numbers("C'est 1 234,5 pour les uns.")
    ('Das sind 1,048,576 Byte oder 1.5 km.', "C'est 1,234.5 pour les uns.")
    """
    code = language_of(text)
    text = _swapped(text, is_point_between=code in _POINT_BETWEEN_GROUPS) if code in _COMMA_BEFORE_DECIMALS else text
    return with_grouped_numbers(text, is_spaced=is_foreign(text))


def _swapped(text: str, *, is_point_between: bool = True) -> str:
    pattern = _GROUPS_OR_DECIMALS if is_point_between else _DECIMALS
    return pattern.sub(lambda number: number[0].translate(_SWAPPED), text)


def _date(match: re.Match[str]) -> str:
    found = match.groupdict()
    day, number = found.get("day"), found.get("number")
    if found.get("first"):
        first, second = int(match["first"]), int(match["second"])
        if (first > 12) == (second > 12) and first != second:
            return match[0]  # either may be the month
        day, number = str(max(first, second)), str(min(first, second))
    if (number is not None and not 1 <= int(number) <= 12) or (day is not None and not 1 <= int(day) <= 31):
        return match[0]
    month = MONTHS[int(number) - 1] if number is not None else _month(match["month"])
    return " " + " ".join(filter(None, (found.get("year"), month, str(int(day)) if day else ""))) + " "


def _month(written: str) -> str:
    name = _without_case(written)
    number = _numbers_of_months().get(name)
    if number is not None:
        return MONTHS[number - 1]
    return next(month for month in MONTHS if month.startswith(name[:3]))


@cache
def _numbers_of_months() -> Mapping[str, int]:
    return {_without_case(name): number for name, number in months().items()}


def _without_case(name: str) -> str:
    """A name as patterns that ignore case compare it: a Turkish `i` with or without its dot, capital or not, is one letter."""
    return name.casefold().replace("\u0307", "").replace("ı", "i")


def _tokens(text: str) -> list[str]:
    """The words in lower case, without surrounding punctuation, articles and possessives; hyphens separate words.

    A letter is no article: `Serie A`, `the Serie A of 2004`.
    """
    found: list[str] = []
    written = _TOKEN.findall(text.translate(_DASHES))
    for index, each in enumerate(map(str.casefold, written)):
        word = each if _DIGITS.match(each) else each.strip(_PUNCTUATION).replace("’", "'").removesuffix("'s")
        if word and (word not in _ARTICLES or (word == "a" and _is_letter(written, index))):
            found.append(word if _DIGITS.match(word) else "".join(char for char in word if char not in _PUNCTUATION))
    return [word for word in found if word]


def _is_letter(written: Sequence[str], index: int) -> bool:
    """Whether an `a` behind another word ends the text, or is a capital before a word without one."""
    behind = written[index + 1] if index + 1 < len(written) else ""
    return index > 0 and (not behind or (written[index].startswith("A") and behind[0].islower()))


def _with_numbers(tokens: Sequence[str]) -> list[str]:
    """The tokens with numbers in digits; `two hundred and five` is one number."""
    words: list[str] = []
    index = 0
    while index < len(tokens):
        length, value, ending = _number(tokens, index)
        words.append(f"{_plain(value)}{ending}" if length else tokens[index])
        index += max(1, length)
    return words


def _number(tokens: Sequence[str], start: int) -> tuple[int, Decimal, str]:
    """The number of tokens from a position on that form one number, its value, and `th` for an ordinal; 0 tokens if none do."""
    digits = _DIGITS.match(tokens[start])
    if digits is not None:
        value, end = Decimal(digits[1].replace(",", "")), start + 1
        while end < min(len(tokens), start + 1 + _MOST_SCALES) and tokens[end] in SCALES and not digits[2]:
            value, end = value * SCALES[tokens[end]], end + 1
        return end - start, value, "th" if digits[2] else ""
    total, part, end, last = 0, 0, start, 0
    while end < len(tokens):
        is_and = tokens[end] == "and" and end > start and last >= 100 and _is_number_word(tokens, end + 1)
        word = _ORDINALS.get(tokens[end], tokens[end])
        if word in _SMALL and (end == start or last >= 100 or (last >= 20 and _SMALL[word] < 10)):
            part, last = part + _SMALL[word], _SMALL[word]
        elif word in SCALES and end > start:
            last = SCALES[word]
            part, total = (part * last, total) if last == 100 else (0, total + part * last)
        elif not is_and:
            break
        end += 1
        if not is_and and word != tokens[end - 1]:
            return end - start, Decimal(total + part), "th"
    return end - start, Decimal(total + part), ""


def _is_number_word(tokens: Sequence[str], index: int) -> bool:
    return index < len(tokens) and _ORDINALS.get(tokens[index], tokens[index]) in _SMALL


def _plain(value: Decimal) -> str:
    """Digits without trailing zeros behind the point and without an exponent."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
