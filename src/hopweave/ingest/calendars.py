"""Calendars (iCalendar, RFC 5545): every entry becomes a section, with its summary as the heading.

Below that stands what it says in words, such as `when: Friday 14 March 2025, 09:00 to 10:30 UTC`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.calendar_times import moments, rule, when
from hopweave.ingest.content_lines import (
    SCHEME,
    Line,
    add_section,
    as_lines,
    as_list,
    by_name,
    lines_of,
    on_one_line,
    plain,
    text_of,
    title_of,
)
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Blocks, Document
from hopweave.ingest.html_page import read_html

_KINDS = {"VEVENT": "Event", "VTODO": "To-do", "VJOURNAL": "Journal entry", "AVAILABLE": "Availability"}
_TAKES_PART = {
    "DECLINED": "declined",
    "TENTATIVE": "tentative",
    "DELEGATED": "delegated",
    "OPT-PARTICIPANT": "optional",
    "NON-PARTICIPANT": "for information",
    "CHAIR": "chair",
    "ROOM": "room",
    "RESOURCE": "resource",
}
"""What is said of who is invited, beyond the usual."""
_USUAL = frozenset({"CONFIRMED", "FINAL"})
_TAG = lazy_pattern(
    r"</?(?:p|br|div|span|b|i|u|strong|em|a|ul|ol|li|h[1-6]|table|html|html-blob)\b[^<>]{0,2000}>", re.IGNORECASE
)
_BREAKS = lazy_pattern(r"<(?:p|br|div|li|html)\b", re.IGNORECASE)
_MOST_TAGS = 10_000


def read_ics(content: str, check: Check) -> Document:
    """A calendar: each event, to-do and entry of a journal under its summary, in order. Alarms and time zones are left out.

    The title is the name of the calendar, or the summary of its only entry.

    Args:
        content: the file.
        check: called for every line.

    Raises:
        DataError: as in `read_html`, for a description that is a page.
    """
    blocks = Blocks()
    title = method = kind = ""
    num_entries = num_within = 0
    entry: list[Line] = []

    def end_entry() -> None:
        if kind:
            _add_entry(blocks, kind, entry, is_cancelled=method == "CANCEL", check=check)
            entry.clear()

    for line in lines_of(content, check):
        component = line.value.strip().upper()
        if line.name in {"BEGIN", "END"} and component in _KINDS:
            end_entry()
            kind = component if line.name == "BEGIN" else ""
            num_entries += line.name == "BEGIN"
            num_within = 0
        elif line.name == "BEGIN":
            num_within += 1
        elif line.name == "END":
            num_within = max(0, num_within - 1)
        elif kind and not num_within:
            entry.append(line)
        elif not kind and line.name in {"X-WR-CALNAME", "NAME"}:
            title = title or " ".join(text_of(line.value).split())
        elif not kind and line.name == "METHOD":
            method = component
        elif not kind and line.name in {"X-WR-CALDESC", "DESCRIPTION"}:
            blocks.add(text_of(line.value))
    end_entry()
    part = blocks.part()
    return Document(title or title_of(part, num_entries, _KINDS.values()), (part,))


def _person(line: Line) -> str:
    """Who organises or takes part: the name, or else the address."""
    name = on_one_line(line.parameter("CN")) or SCHEME.sub("", line.value.strip(), count=1) or line.parameter("EMAIL")
    notes = (_TAKES_PART.get(line.parameter(key).upper(), "") for key in ("CUTYPE", "ROLE", "PARTSTAT"))
    shown = ", ".join(filter(None, notes))
    return f"{name} ({shown})" if name and shown else name


def _status(line: Line) -> str:
    status = line.value.strip()
    return "" if status.upper() in _USUAL else status.replace("-", " ").lower()


def _attached(line: Line) -> str:
    name = line.parameter("FILENAME") or line.parameter("X-FILENAME")
    is_within = line.value.lower().startswith(("data:", "cid:"))
    return name or ("" if is_within else line.value.strip())


def _priority(line: Line) -> str:
    """The urgency, of which 1 is the highest and 5 the usual one."""
    number = line.value.strip()
    return "high" if number in {"1", "2", "3", "4"} else "low" if number in {"6", "7", "8", "9"} else ""


def _of_each(shown: Callable[[Line], str], between: str = "; ") -> Callable[[Sequence[Line]], str]:
    return lambda lines: between.join(filter(None, map(shown, lines)))


_FACTS: Mapping[str, tuple[str, Callable[[Sequence[Line]], str]]] = {
    "DUE": ("due", moments),
    "COMPLETED": ("completed", moments),
    "RECURRENCE-ID": ("instead of", moments),
    "RRULE": ("repeats", _of_each(rule)),
    "RDATE": ("also", moments),
    "EXDATE": ("except", moments),
    "EXRULE": ("except", _of_each(rule)),
    "LOCATION": ("where", _of_each(plain)),
    "ORGANIZER": ("organiser", _of_each(_person)),
    "ATTENDEE": ("participants", _of_each(_person)),
    "STATUS": ("status", _of_each(_status)),
    "PRIORITY": ("priority", _of_each(_priority)),
    "PERCENT-COMPLETE": ("done", _of_each(lambda line: f"{line.value.strip()} %")),
    "CATEGORIES": ("categories", _of_each(as_list, ", ")),
    "RESOURCES": ("resources", _of_each(as_list, ", ")),
    "CONTACT": ("contact", _of_each(plain)),
    "URL": ("web", _of_each(plain)),
    "CONFERENCE": ("conference", _of_each(plain)),
    "X-GOOGLE-CONFERENCE": ("conference", _of_each(plain)),
    "ATTACH": ("attachments", _of_each(_attached, ", ")),
}
"""What is shown of an entry, in order, beyond when it is and what is said of it."""
_TIMES = ("DTSTART", "DTEND", "DURATION")
_SAID = ("DESCRIPTION", "COMMENT")
_WITHOUT_TEXT = frozenset(
    re.findall(
        r"\S+",
        "SUMMARY STYLED-DESCRIPTION UID DTSTAMP CREATED LAST-MODIFIED SEQUENCE TRANSP CLASS GEO "
        "RELATED-TO REQUEST-STATUS COLOR IMAGE STRUCTURED-DATA AALARM DALARM MALARM PALARM DCREATED RNUM ACKNOWLEDGED",
    )
)
"""What is shown elsewhere, or says nothing to people."""


def _add_entry(blocks: Blocks, kind: str, lines: Sequence[Line], *, is_cancelled: bool, check: Check) -> None:
    named = by_name(lines)
    summary = " ".join(text_of(line.value) for line in named.get("SUMMARY", ()))
    facts = [("kind", _KINDS[kind].lower() if kind != "VEVENT" and summary else "")]
    facts.append(("when", when(_dated(named, "DTSTART"), _dated(named, "DTEND"), _dated(named, "DURATION")[0])))
    facts += [(label, shown(named[name])) for name, (label, shown) in _FACTS.items() if name in named]
    if is_cancelled and "STATUS" not in named:
        facts.append(("status", "cancelled"))
    known = {*_FACTS, *_TIMES, *_SAID, *_WITHOUT_TEXT}
    others = (line for line in lines if line.name not in known and not line.name.startswith("X-"))
    facts += [(line.name.lower(), plain(line)) for line in others]
    said = [line for name in _SAID for line in named.get(name, ())] or named.get("X-ALT-DESC", [])
    add_section(blocks, summary, _KINDS[kind], [as_lines(facts), *(_said(text_of(line.value), check) for line in said)])


def _dated(named: Mapping[str, Sequence[Line]], name: str) -> tuple[str, str]:
    """The value and the time zone of the first line of a name."""
    return (named[name][0].value, named[name][0].parameter("TZID")) if name in named else ("", "")


def _said(text: str, check: Check) -> str:
    """A description, which some programs write as a page."""
    if not _TAG.search(text) or text.count("<") > _MOST_TAGS:
        return text
    page = text if _BREAKS.search(text) else text.replace("\n", "<br>")
    return read_html(page, "the description", check).parts[0].text or text
