"""Records that say who: messages of a chat, comments, tickets. What stands beside their text says whose words it is and when.

A message becomes `[2024-10-02 09:14] ida: It hangs again.` Messages that follow in a file without ids and titles become one
text, as many as fit, since few are understood alone. A record with more fields, such as a ticket, has these before its text as
a row of a table, and its comments below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.visibility import ACCESS, METADATA, plain_value
from hopweave.ingest.document import PARAGRAPH
from hopweave.ingest.records import TEXT_FIELDS, Row, is_list_of_objects
from hopweave.ingest.row_text import row_text

_WHO = ("author", "user", "username", "user_name", "from", "sender", "speaker", "nick", "created_by")
"""Whose the words of a record are."""
_OF_A_CASE = frozenset({"reporter", "assignee", "owner", "requester", "reported_by", "assigned_to"})
_WHEN = ("ts", "timestamp", "date", "datetime", "created_at", "created", "sent_at", "sent", "time", "at")
_WHERE = ("channel", "channel_name", "room", "conversation")
_NAMES = ("real_name", "display_name", "name", "login", "username", "email", "emailAddress")
_PROFILE = "user_profile"
_EPOCH = lazy_pattern(r"1\d{9}(?:\d{3})?(?:\.\d+)?")
_MILLISECONDS = 10_000_000_000
_LONGEST_VALUE, _MOST_ENTRIES = 300, 1_000
_COLUMN = f"{METADATA}."


def conversations(rows: Iterable[Row], max_words: int) -> Iterator[Row]:
    """The rows of a file, with messages that follow each other as one row.

    Args:
        rows: as read.
        max_words: of one row; with 0, each message is one.
    """
    held: list[Row] = []
    num_words = 0
    try:
        for row in rows:
            said = _said(row.values)
            can_join = bool(said) and not row.is_table and not _has(row.values, ("id", "_id", "title", "name"))
            num_more = len(said.split())
            is_full = num_words + num_more > max_words
            if held and (not can_join or is_full or _beside(held[0].values) != _beside(row.values)):
                yield _joined(held)
                held, num_words = [], 0
            if can_join:
                held.append(row)
                num_words += num_more
            else:
                yield row
    except DataError:
        if held:  # what is before a damaged line is kept
            yield _joined(held)
        raise
    if held:
        yield _joined(held)


def with_who(values: Mapping[str, Any], text: object, known: Sequence[str]) -> object:
    """The text of a record with what its other fields say; as it is if none of them says who.

    Args:
        values: the fields of the record.
        text: its text.
        known: the fields whose values are shown elsewhere, such as the title.
    """
    if not isinstance(text, str) or not (_has(values, _WHO) or _OF_A_CASE & values.keys()):
        return text
    left_out = {METADATA, ACCESS, *known, *(name for name in TEXT_FIELDS if values.get(name) == text)}
    shown = {name: value for name, value in values.items() if name not in left_out and not name.startswith(_COLUMN)}
    if not _OF_A_CASE & values.keys() and not any(map(is_list_of_objects, shown.values())):
        return _said(values, text) or text
    cells = {name: cell for name, value in shown.items() if 0 < len(cell := _cell(value)) <= _LONGEST_VALUE}
    entries = [entry for name, value in shown.items() if is_list_of_objects(value) for entry in _entries(name, value)]
    return PARAGRAPH.join(filter(None, [row_text(list(cells), list(cells.values())) if cells else "", text, *entries]))


def _joined(rows: Sequence[Row]) -> Row:
    values = rows[0].values
    if len(rows) == 1:
        return rows[0]
    where = next((str(values[name]) for name in _WHERE if isinstance(values.get(name), str)), "")
    kept = {name: values[name] for name in values if name in {METADATA, ACCESS} or name.startswith(_COLUMN)}
    text = PARAGRAPH.join(_said(row.values) for row in rows)
    return replace(rows[0], values={**kept, "title": where, "text": text}, num_records=len(rows))


def _beside(values: Mapping[str, Any]) -> list[object]:
    """What has to be the same in messages of one text: where they were said, and who may see them."""
    names = [name for name in values if name in {METADATA, ACCESS, *_WHERE} or name.startswith(_COLUMN)]
    return [(name, values[name]) for name in sorted(names)]


def _said(values: Mapping[str, Any], text: str | None = None) -> str:
    """A message with who wrote it and when; empty if a record is none."""
    said = text if text is not None else next((values[name] for name in TEXT_FIELDS if isinstance(values.get(name), str)), "")
    who = _who(values)
    if not who or not said.strip():
        return ""
    when = next((shown for name in _WHEN if (shown := _moment(values.get(name)))), "")
    return f"[{when}] {who}: {said.strip()}" if when else f"{who}: {said.strip()}"


def _who(values: Mapping[str, Any]) -> str:
    return next((shown for name in (_PROFILE, *_WHO) if (shown := _person(values.get(name)))), "")


def _person(value: object) -> str:
    if isinstance(value, Mapping):
        return next(
            (str(value[name]).strip() for name in _NAMES if isinstance(value.get(name), str) and value[name].strip()), ""
        )
    return " ".join(value.split())[:_LONGEST_VALUE] if isinstance(value, str) else ""


def _moment(value: object) -> str:
    """A date and time as text; seconds or milliseconds since 1970 are shown in UTC."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    written = " ".join(str(value).split())
    if not _EPOCH.fullmatch(written):
        return (
            written.replace("T", " ")
            if isinstance(value, str) and len(written) <= len("2024-10-02T09:14:00.000000+00:00")
            else ""
        )
    seconds = float(written)
    return datetime.fromtimestamp(seconds / 1000 if seconds >= _MILLISECONDS else seconds, UTC).strftime("%Y-%m-%d %H:%M")


def _entries(name: str, value: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The comments of a record, or its steps: each as a message if it is one, else as a row of a table."""
    for one in value[:_MOST_ENTRIES]:
        cells = {
            f"{name} {key}" if number == 0 else key: cell for number, (key, of) in enumerate(one.items()) if (cell := _cell(of))
        }
        if said := _said(one) or (row_text(list(cells), list(cells.values())) if cells else ""):
            yield said


def _cell(value: object) -> str:
    if isinstance(value, Mapping):
        return _person(value)
    return value.strip() if isinstance(value, str) else plain_value(value) or ""


def _has(values: Mapping[str, Any], names: Sequence[str]) -> bool:
    return any(values.get(name) not in (None, "") for name in names)
