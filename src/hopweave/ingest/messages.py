"""Records that say who: messages of a chat, comments, tickets. What stands beside their text says whose words it is and when.

A message becomes `[2024-10-02 09:14] ida: It hangs again.` Messages that follow in a file without ids and titles, or in a list
of an object around them, become one text, as many as fit, since few are understood alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from typing import Any

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.visibility import ACCESS, METADATA
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import PARAGRAPH
from hopweave.ingest.row import COLUMN, Row, text_in
from hopweave.ingest.whole_texts import plain_text

WHO = (
    "author", "user", "username", "user_name", "from", "sender", "speaker", "nick", "created_by", "creator", "memberCreator",
    "sender_name",
)  # fmt: skip
"""The fields that say whose the words of a record are."""
_ROLES = ("user", "assistant", "system", "tool", "human")
"""Who speaks in a conversation with a model."""
_WHEN = (
    "ts", "timestamp", "date", "datetime", "created_at", "createdAt", "created", "created_date", "create_time", "createTime",
    "sent_at", "sent", "time", "at", "timestamp_ms", "createdDateTime", "origin_server_ts",
)  # fmt: skip
_WHERE = ("channel", "channel_name", "room", "room_name", "conversation")
_NAMES = (
    "real_name", "display_name", "displayName", "fullName", "nickname", "name", "login", "username", "literal", "email",
    "emailAddress", "role",
)  # fmt: skip
_AT = lazy_pattern(r"(?<=\d)T(?=\d)")
_PARTS_OF_NAME = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
_PROFILE = "user_profile"
_EPOCH = lazy_pattern(r"1\d{9}(?:\d{3}){0,2}(?:\.\d+)?")
_MILLISECONDS, _MICROSECONDS = 10_000_000_000, 10_000_000_000_000
_LONGEST_MOMENT = len("Wednesday, September 30, 2024 at 10:14:12 AM UTC")
_LONGEST_VALUE = 300
_SLACK = lazy_pattern(r"<(?P<kind>[@#!]?)(?P<to>[^<>|\s]{1,2000})(?:\|(?P<shown>[^<>|]{0,500}))?>")
"""What Slack writes for a person, a channel, a group and a link."""


def conversations(
    rows: Iterable[Row], max_words: int, name: str, check: Check, people: Mapping[str, str] | None = None
) -> Iterator[Row]:
    """The rows of a file, with messages that follow each other as one row.

    Args:
        rows: as read.
        max_words: of one row; with 0, each message is one.
        name: the title of messages that say nowhere where they were said.
        check: called while a message in HTML is read.
        people: names by the ids that stand for them in the messages.

    Raises:
        DataError: as in `plain_text`.
    """
    held: list[Row] = []
    num_words = 0
    known = dict(people or {})
    try:
        for row in rows:
            text = said(row.values, check)
            is_one_of_many = row.is_in_list or not _has(row.values, ("id", "_id", "title", "name"))
            can_join = bool(text) and not row.is_table and is_one_of_many
            num_more = len(text.split())
            is_full = num_words + num_more > max_words
            if held and (not can_join or is_full or _beside(held[0]) != _beside(row)):
                yield _joined(held, name, known, check)
                held, num_words = [], 0
            if can_join:
                known |= _introduced(row.values)
                held.append(row)
                num_words += num_more
            else:
                yield row
    except DataError:
        if held:  # what is before a damaged line is kept
            yield _joined(held, name, known, check)
        raise
    if held:
        yield _joined(held, name, known, check)


def _introduced(values: Mapping[str, Any]) -> dict[str, str]:
    """The name of who wrote a message, by the id that stands for them in others."""
    user, name = values.get("user"), person(values.get(_PROFILE))
    return {user: name} if isinstance(user, str) and name else {}


def _joined(rows: Sequence[Row], name: str, people: Mapping[str, str], check: Check) -> Row:
    values = rows[0].values
    kept = {field: values[field] for field in values if field in {METADATA, ACCESS} or field.startswith(COLUMN)}
    text = PARAGRAPH.join(said(row.values, check, people=people) for row in rows)
    where = where_said(values) or " ".join(rows[0].titles) or name
    return replace(rows[0], values={**kept, "title": where, "text": text}, titles=(), num_records=len(rows))


def where_said(values: Mapping[str, Any]) -> str:
    """The name of the channel, the room or the like that a record names; empty without one."""
    return next((shown for name in _WHERE if (shown := person(values.get(name)))), "")


def _beside(row: Row) -> list[object]:
    """What has to be the same in messages of one text: where they were said, and who may see them."""
    values = row.values
    names = [name for name in values if name in {METADATA, ACCESS, *_WHERE} or name.startswith(COLUMN)]
    return [row.titles, *((name, values[name]) for name in sorted(names))]


def said(values: Mapping[str, Any], check: Check, text: str | None = None, people: Mapping[str, str] | None = None) -> str:
    """A message with who wrote it and when; empty if a record is none.

    Args:
        values: the fields of the record.
        check: called while a text in HTML is read.
        text: its text, if that is known.
        people: names by the ids that stand for them.

    Raises:
        DataError: as in `plain_text`.
    """
    words = plain_text(text_in(values), check) if text is None else text
    who = person(values.get(_PROFILE)) or next((shown for name in WHO if (shown := person(values.get(name)))), "")
    who = who or next((role for role in _ROLES if values.get("role") == role), "")
    if not who or not words.strip():
        return ""
    if "timestamp_ms" in values:
        words, who = _repaired(words), _repaired(who)
    if values.get("type") == "message" and isinstance(values.get("ts"), str):
        words, who = _of_slack(words, people or {}), (people or {}).get(who, who)
    when = next((shown for name in _WHEN if (shown := moment(values.get(name)))), "")
    return f"[{when}] {who}: {words.strip()}" if when else f"{who}: {words.strip()}"


def _repaired(text: str) -> str:
    """A text of Facebook's exports, which have each byte of UTF-8 as a letter."""
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text


def _of_slack(text: str, people: Mapping[str, str]) -> str:
    """A message of Slack as it is shown: with names of people and channels, and links by their words."""

    def shown(found: re.Match[str]) -> str:
        kind, to, words = found["kind"], found["to"], found["shown"]
        if kind == "!":
            return f"@{words or to.partition('^')[0]}"
        return f"{kind}{words or people.get(to, to)}" if kind else words or to

    return unescape(_SLACK.sub(shown, text))


def person(value: object) -> str:
    """The name of a person as text: a text itself, or the name in a record of a person; empty without one."""
    if isinstance(value, Mapping):
        if isinstance(value.get("family"), str):
            return " ".join(part.strip() for name in _PARTS_OF_NAME if isinstance(part := value.get(name), str))
        if isinstance(value.get("user"), Mapping):
            return person(value["user"])
        names = (value[name] for name in _NAMES if isinstance(value.get(name), str))
        return next((name.strip() for name in names if name.strip()), "")
    return " ".join(value.split())[:_LONGEST_VALUE] if isinstance(value, str) else ""


def moment(value: object) -> str:
    """A date and time as text; seconds, or fractions of these, since 1970 are shown in UTC. Empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    written = " ".join(str(value).split())
    if not _EPOCH.fullmatch(written):
        return _AT.sub(" ", written) if isinstance(value, str) and len(written) <= _LONGEST_MOMENT else ""
    seconds = float(written)
    per_second = 1 if seconds < _MILLISECONDS else 1_000 if seconds < _MICROSECONDS else 1_000_000
    return datetime.fromtimestamp(seconds / per_second, UTC).strftime("%Y-%m-%d %H:%M")


def _has(values: Mapping[str, Any], names: Sequence[str]) -> bool:
    return any(values.get(name) not in (None, "") for name in names)
