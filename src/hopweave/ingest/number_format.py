"""Numbers and dates of a sheet as it shows them (Office Open XML, ISO/IEC 29500-1, 18.8.30 and 18.8.31)."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from itertools import takewhile

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.values import MONTHS

GENERAL = "General"
BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm",
    17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0",
    38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss",
}  # fmt: skip
"""Formats by their numbers. 14 and 22 depend on the language of the program; here they are as in ISO 8601."""

_TOKEN = lazy_pattern(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<elapsed>h+|m+|s+)\]|\[[^\]]*\]'
    r"|(?P<date>AM/PM|A/P|y+|m+|d+|h+|s+)|(?P<number>[0#?.,%]+)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_MAX_FORMAT = 255
_MAX_DECIMALS = 30
_MAX_DIGITS = 17
_EXACT = Context(prec=400)
"""Digits enough for every number of 64 bits."""
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_FIRST_DAY = {False: datetime(1899, 12, 30), True: datetime(1904, 1, 1)}
_LEAP_DAY = 60
"""29 February 1900, which did not exist but is counted."""


def shown(value: str, code: str, *, is_1904: bool = False) -> str:
    """A number as a sheet shows it; as it is stored if it is none, or the format is unknown.

    Args:
        value: as it is stored.
        code: the format; of its sections the first, which is for positive numbers.
        is_1904: whether dates count from 1904.
    """
    try:
        number = float(value)
        if not math.isfinite(number):
            return value
        if code.casefold() == GENERAL.casefold():
            return _plain(number)
        tokens = _tokens(code[:_MAX_FORMAT])
        if any(token["date"] or token["elapsed"] for token in tokens):
            return _date(number, tokens, is_1904=is_1904)
        return _number(number, tokens)
    except (ValueError, OverflowError):
        return value


@lru_cache
def _tokens(code: str) -> list[re.Match[str]]:
    """The tokens of the first section of a format."""
    return list(takewhile(lambda token: token["other"] != ";", _TOKEN.finditer(code)))


def _plain(number: float) -> str:
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else f"{number:.11g}"


def _number(number: float, tokens: list[re.Match[str]]) -> str:
    digits = "".join(token["number"] or "" for token in tokens)
    others = "".join(token["other"] or "" for token in tokens)
    if not re.search(r"[0#?]", digits) or not set(others) <= set(" -+()/:$£€¥") or "/" in others:
        return _plain(number)  # General, fractions, powers of ten
    pattern = digits.replace("%", "")
    whole, _, decimals = pattern.rstrip(",").partition(".")
    number *= 100.0 ** digits.count("%")
    number /= 1000.0 ** (len(pattern) - len(pattern.rstrip(",")))
    places = sum(decimals.count(place) for place in "0#?")
    text = f"{_rounded(abs(number), min(places, _MAX_DECIMALS)):{',' if ',' in whole else ''}f}"
    before, point, after = text.partition(".")
    kept = after[: decimals.count("0")] + after[decimals.count("0") :].rstrip("0")
    text = before.zfill(min(whole.count("0"), _MAX_DIGITS)) + (point + kept if kept else "")
    pieces: list[str] = []
    for token in tokens:
        if token["number"]:
            pieces.append(token["number"].strip("0#?.,") if text == "" else text + "%" * token["number"].count("%"))
            text = ""
        else:
            pieces.append(token["quoted"] or token["escaped"] or token["currency"] or (token["other"] or "").strip("()"))
    sign = "-" if number < 0 and any(character in "123456789" for character in "".join(pieces)) else ""
    return sign + "".join(pieces).strip()


def _rounded(number: float, places: int) -> Decimal:
    """A number as a sheet rounds it: up from a half of what 15 digits of it say, so that 2.675 becomes 2.68."""
    return Decimal(f"{number:.15g}").quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, _EXACT)


def _date(number: float, tokens: list[re.Match[str]], *, is_1904: bool) -> str:
    days = number + (not is_1904 and 0 < number < _LEAP_DAY)
    moment = _FIRST_DAY[is_1904] + timedelta(seconds=round(days * 86_400))
    seconds = round(number * 86_400)
    codes = [(token["date"] or token["elapsed"] or "").casefold() for token in tokens]
    has_noon = any("/" in code for code in codes)
    pieces = []
    for at, token in enumerate(tokens):
        if token["elapsed"]:
            pieces.append(f"{seconds // {'h': 3600, 'm': 60, 's': 1}[codes[at][0]]:0{len(codes[at])}d}")
        elif codes[at]:
            pieces.append(_of_moment(moment, codes[at], is_minute=_is_minute(codes, at), has_noon=has_noon))
        else:
            literal = token["quoted"] or token["escaped"] or token["other"] or token["number"] or ""
            pieces.append(literal if literal != "@" and not set(literal) & set("0#?%") else "")
    return "".join(pieces).strip()


def _is_minute(codes: list[str], at: int) -> bool:
    """Whether an `m` is for minutes: after hours, or before seconds."""
    before = next((code[0] for code in reversed(codes[:at]) if code), "")
    after = next((code[0] for code in codes[at + 1 :] if code), "")
    return codes[at][0] == "m" and (before == "h" or after == "s")


def _of_moment(moment: datetime, code: str, *, is_minute: bool, has_noon: bool) -> str:
    width = min(len(code), 2)
    match code[0]:
        case "a":
            return ("AM", "PM")[moment.hour >= 12][: 2 if code == "am/pm" else 1]
        case "y":
            return str(moment.year) if len(code) > 2 else f"{moment.year % 100:02d}"
        case "m" if is_minute:
            return f"{moment.minute:0{width}d}"
        case "m" if len(code) > 2:
            return MONTHS[moment.month - 1].capitalize()[: {3: 3, 5: 1}.get(len(code), 9)]
        case "m":
            return f"{moment.month:0{width}d}"
        case "d" if len(code) > 2:
            return WEEKDAYS[moment.weekday()][: 3 if len(code) == 3 else 9]
        case "d":
            return f"{moment.day:0{width}d}"
        case "h":
            return f"{(moment.hour - 1) % 12 + 1 if has_noon else moment.hour:0{width}d}"
        case _:
            return f"{moment.second:0{width}d}"
