"""When something is in a calendar, and how it repeats, in words; what is not understood is shown as it is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, time, timedelta
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.content_lines import Line, in_words, pieces_of
from hopweave.ingest.number_format import WEEKDAYS
from hopweave.text.values import MONTHS

_MOMENT = lazy_pattern(
    r"(?P<year>\d{4})-?(?P<month>\d\d)-?(?P<day>\d\d)"
    r"(?:[T ]?(?P<hour>\d\d):?(?P<minute>\d\d)(?::?(?P<second>\d\d))?(?:[.,]\d{1,9})?(?P<zone>Z|[+-]\d\d:?(?:\d\d)?)?)?",
    re.ASCII,
)
_DURATION = lazy_pattern(
    r"\+?P(?:(?P<week>\d{1,9})W)?(?:(?P<day>\d{1,9})D)?"
    r"(?:T(?:(?P<hour>\d{1,9})H)?(?:(?P<minute>\d{1,9})M)?(?:(?P<second>\d{1,9})S)?)?",
    re.ASCII,
)


class Moment(NamedTuple):
    """A day, with a time and its zone as they are shown; the time is empty for the whole day."""

    day: date
    time: str = ""
    zone: str = ""

    def __str__(self) -> str:
        return ", ".join(filter(None, [f"{WEEKDAYS[self.day.weekday()]} {day_in_words(self.day)}", self.time])) + self.zone


def moment_of(value: str, zone: str = "") -> Moment | None:
    """The moment that a value names; `None` if it names none."""
    if (match := _MOMENT.fullmatch(value.strip())) is None:
        return None
    try:
        day = date(int(match["year"]), int(match["month"]), int(match["day"]))
        if match["hour"] is None:
            return Moment(day)
        at = time(int(match["hour"]), int(match["minute"]), int(match["second"] or 0))
    except ValueError:
        return None
    zone = {"Z": " UTC", None: f" {zone}" if zone else ""}.get(match["zone"], f" {match['zone']}")
    return Moment(day, at.isoformat("seconds" if at.second else "minutes"), zone)


def day_in_words(day: date) -> str:
    """A day such as `14 March 2025`."""
    return f"{day.day} {MONTHS[day.month - 1].capitalize()} {day.year}"


def moment_in_words(value: str, zone: str = "") -> str:
    """The moment that a value names, or the value itself."""
    moment = moment_of(value, zone)
    shown = " ".join(filter(None, [value.strip(), zone])) if moment is None else str(moment)
    return shown if value else ""


def moments(lines: Sequence[Line]) -> str:
    """The moments and periods of lines that may have several each."""
    told = ((*value.partition("/")[::2], line.parameter("TZID")) for line in lines for value in pieces_of(line.value, ","))
    return "; ".join(
        when((start, zone), lasting=end) if end.startswith(("P", "+")) else when((start, zone), (end, zone))
        for start, end, zone in told
        if start
    )


def when(begins: tuple[str, str], ends: tuple[str, str] = ("", ""), lasting: str = "") -> str:
    """From when to when; the end of whole days is the day after the last one, which is not shown.

    Args:
        begins: the value and its time zone.
        ends: the same.
        lasting: how long, if that is said.
    """
    first, last = moment_of(*begins), moment_of(*ends)
    start, end = moment_in_words(*begins), moment_in_words(*ends)
    if first is not None and last is not None:
        if not last.time and last.day > first.day:
            last = last._replace(day=last.day - timedelta(days=1))
            end = str(last)
        if first == last:
            end = ""
        elif first.time and last.time and first.zone == last.zone:
            start = str(first._replace(zone=""))
            end = last.time + last.zone if last.day == first.day else end
    duration = duration_in_words(lasting, has_time=first is None or bool(first.time)) if lasting else ""
    return ", ".join(filter(None, [" to ".join(filter(None, [start, end])), duration]))


def duration_in_words(value: str, *, has_time: bool) -> str:
    """How long something takes, in words; nothing if that is the one day that is shown."""
    match = _DURATION.fullmatch(value.strip().upper())
    counts = {unit: int(count) for unit, count in match.groupdict("0").items() if int(count)} if match is not None else {}
    if not has_time and counts == {"day": 1}:
        return ""
    if not counts:
        return value.strip() if match is None else ""
    return "for " + in_words([f"{count} {unit}{'s' * (count != 1)}" for unit, count in counts.items()])


_BLANK = lazy_pattern(r"\s++")
_UNITS = {"HOURLY": "hour", "DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_DAY_NAMES = {day[:2].upper(): day for day in WEEKDAYS}
_ORDINALS = {"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "-1": "last"}
_NUMBER = lazy_pattern(r"[1-9]\d{0,5}", re.ASCII)


def rule(line: Line) -> str:
    """How something repeats, in words for simple rules; others are shown as they are written."""
    written = line.value.strip()
    given = dict(piece.partition("=")[::2] for piece in _BLANK.sub("", written).strip(";").upper().split(";"))
    unit = _UNITS.get(given.pop("FREQ", ""), "")
    interval = given.pop("INTERVAL", "1")
    given.pop("WKST", "")
    if "BYSETPOS" in given and given.get("BYDAY", "") in _DAY_NAMES:  # Apple's way to say which of a month
        given["BYDAY"] = given.pop("BYSETPOS") + given["BYDAY"]
    is_of_any_week = unit in {"month", "year"} and re.search(r"(?:^|,)[A-Z]", given.get("BYDAY", "")) is not None
    is_of_any_month = unit == "year" and "BYMONTHDAY" in given and "BYMONTH" not in given
    if not unit or not _NUMBER.fullmatch(interval) or is_of_any_week or is_of_any_month:
        return written
    said = [f"every {unit}" if interval == "1" else f"every {interval} {unit}s"]
    for name, said_of in _RULE_PARTS.items():
        if name in given:
            said.append(said_of(given.pop(name)))
    return written if given or not all(said) else "".join(said)


def _on_days(value: str) -> str:
    names = []
    for piece in value.split(","):
        number, day = piece[:-2].removeprefix("+"), _DAY_NAMES.get(piece[-2:], "")
        if not day or (number and number not in _ORDINALS):
            return ""
        names.append(f"the {_ORDINALS[number]} {day}" if number else day)
    return f" on {in_words(names)}"


def _on_numbers(value: str) -> str:
    numbers = value.split(",")
    if numbers == ["-1"]:
        return " on the last day"
    if not all(map(_NUMBER.fullmatch, numbers)):
        return ""
    return f" on day{'s' * (len(numbers) > 1)} {in_words(numbers)}"


def _in_months(value: str) -> str:
    numbers = value.split(",")
    if not all(_NUMBER.fullmatch(number) and int(number) <= len(MONTHS) for number in numbers):
        return ""
    return f" in {in_words([MONTHS[int(number) - 1].capitalize() for number in numbers])}"


def _so_often(value: str) -> str:
    if not _NUMBER.fullmatch(value):
        return ""
    return ", once" if value == "1" else f", {value} times"


_RULE_PARTS: Mapping[str, Callable[[str], str]] = {
    "BYDAY": _on_days,
    "BYMONTHDAY": _on_numbers,
    "BYMONTH": _in_months,
    "COUNT": _so_often,
    "UNTIL": lambda value: f", until {moment_in_words(value)}",
}
"""How parts of a rule are said; each gives nothing for a value that is not simple."""
