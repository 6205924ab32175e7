"""Parses named fields that a model writes one after the other, as DSP's templates ask for: `Rationale: ...`, `Answer: ...`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from hopweave.answering.parsing.lines import with_line_feeds
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.quotation import unquoted

_RULE = lazy_pattern(r"^[ \t]*+-{3,}+[ \t]*+$", re.MULTILINE)
_EMPHASIS = "*_`# \t"


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields as read: a value for each name, empty if it was not written, and one line for each missing field."""

    values: tuple[str, ...]
    problems: tuple[str, ...]


def parse_fields(text: str, names: Sequence[str], *, lead: str = "", ends: Iterable[str] = (), is_long: bool = False) -> Fields:
    """Reads fields from a text that continues after the name of the first. Any text is accepted.

    - A name is recognised at the beginning of a line or after a sentence, with a colon, in any case, with Markdown around it.
    - The name of the first field, and its `lead`, may be repeated; so may the fields before it, which are ignored.
    - A line of three dashes, and after the first field a name of `ends`, begin another example: everything after it is ignored.
    - Each value is put on one line. Of the last field, only the first line is used, or all of it if it `is_long`.

    Args:
        text: a completion.
        names: the names of the fields, in order; the text begins inside the first.
        lead: words with which the first field begins, and which precede the text.
        ends: names of fields that come before these in an example.
        is_long: whether the last field may have several lines.

    >>> parse_fields("who wrote it. Search Query: author of Emma", ["Rationale", "Search Query"]).values
    ('who wrote it.', 'author of Emma')
    """
    rest = _without_next_example(_begun(with_line_feeds(text).strip(), names[0], tuple(ends)), tuple(ends))
    rest = _without_lead(rest, lead)
    values: list[str] = []
    for following in names[1:]:
        match = _marker(following).search(rest)
        values.append(_one_line(rest[: match.start()] if match is not None else rest))
        rest = rest[match.end() :] if match is not None else ""
    values.append(_last(rest, is_long=is_long))
    kept = tuple(value if any(char.isalnum() for char in value) else "" for value in values)
    if not text.strip():
        return Fields(kept, ("the reply is empty",))
    missing = [name for name, value in zip(names, kept, strict=True) if not value]
    return Fields(kept, tuple(f"the field {name} was not written" for name in missing))


@cache
def _marker(name: str, *, starts_line: bool = False) -> re.Pattern[str]:
    words = r"[ \t_-]++".join(map(re.escape, name.split()))
    place = "^" if starts_line else r"(?:^|(?<=[.?!])(?=[ \t]))"
    return re.compile(rf"{place}[ \t]*+[*_#`>]*+[ \t]*+{words}[ \t*_`]*+:[*_`]*+", re.IGNORECASE | re.MULTILINE)


def _begun(text: str, first: str, ends: Sequence[str]) -> str:
    """The text from within the first field on."""
    text = text.lstrip("-\n ") if _RULE.match(text) else text
    marker = _marker(first, starts_line=True)
    again = marker.match(text)
    if again is None and any(_marker(end, starts_line=True).match(text) for end in ends):
        again = marker.search(text)
    return text[again.end() :].strip() if again is not None else text


def _without_next_example(text: str, ends: Sequence[str]) -> str:
    found = [_RULE.search(text), *(_marker(end, starts_line=True).search(text) for end in ends)]
    return text[: min((match.start() for match in found if match is not None), default=len(text))]


def _without_lead(text: str, lead: str) -> str:
    words = r"\s++".join(map(re.escape, lead.rstrip(":").split()))
    match = re.match(rf"\W*+{words}:?+", text, re.IGNORECASE) if lead else None
    return text[match.end() :] if match is not None else text


def _last(text: str, *, is_long: bool) -> str:
    if is_long:
        return text.strip()
    return _one_line(next((line for line in text.split("\n") if any(char.isalnum() for char in line)), ""))


def _one_line(text: str) -> str:
    return unquoted(" ".join(text.split()).strip(_EMPHASIS))
