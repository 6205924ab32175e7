"""Parses a numbered list (ToQD's sub-questions) in any layout, and the numbers that a critique names.

Items begin with `1.`, `1)`, `(1)`, `[1]`, `Q1:`, `Sub-question 1:`, a letter or a bullet, with Markdown around them; or the
list is JSON. If no line is marked as an item, each line that ends in a question mark is one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hopweave.answering.parsing.lines import with_line_feeds
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.matching import normalize_answer
from hopweave.text.quotation import CLOSING, unquoted

_LABEL = r"(?:(?:sub[\s-]?)?(?:question|query)|step|q)"
_NUMBERED = lazy_pattern(
    rf"^(?P<indent>[ \t>]*+)[*_#`•·+|-]*+[ \t]*+[*_`\[(]*+(?:{_LABEL}[ \t#_-]*+)?(?P<number>\d{{1,3}})(?!\d)"
    r"(?:[*_`]*+[.):\]][*_`:.)]*+|[*_`]*+[ \t]++[-–—][ \t])[ \t]*+(?P<text>.*)$",
    re.IGNORECASE,
)
_BULLET = lazy_pattern(r"^(?P<indent>[ \t>]*+)(?:[-*•·+–—][ \t]++|[*_]*+\(?[a-i][.)][*_]*+[ \t]++)(?P<text>\S.*)$")
_INLINE = lazy_pattern(r"(?<=[?.!;:,])[ \t]++(?=[*_(\[]*+\d{1,2}[.)][ \t]*+[^\W\d])")
_TALK_BEHIND = lazy_pattern(rf"(?<=\?)[{CLOSING}*_]*+[ \t]++(?=[(\[–—A-Z-])")
_FENCE = lazy_pattern(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)
_MOST_DIRECTIVES = 20

_DROP = lazy_pattern(r"\bdrop(?:ped|ping)?\b(?:[^\n:\d]{0,40}+:|(?=[ \t]++(?:sub-?questions?[ \t]++)?\d))", re.IGNORECASE)
_KEEP = lazy_pattern(r"\b(?:keep|kept|remaining|retain(?:ed)?)\b[^\n:\d]{0,40}+:", re.IGNORECASE)
_DROPPING = lazy_pattern(
    r"\b(?:drop|remov|filter|discard|irrelevant|off-topic|redundan|exclud|eliminat|delet)\w*", re.IGNORECASE
)
_NOT = lazy_pattern(r"\b(?:not|no|none|nothing|never|neither|keep|kept)\b|n['’]t\b", re.IGNORECASE)
_NONE = lazy_pattern(
    r"\bnone\b|\bnothing\b|\bno\s+(?:sub[\s-]?)?questions?\b|\ball\b[^.\n]{0,40}\b(?:relevant|helpful|useful|kept|keep)\b",
    re.IGNORECASE,
)
_LIST_OF_NONE = lazy_pattern(r"\W*+(?:none|nothing|no|n/a)\b", re.IGNORECASE)
_LIST_OF_ALL = lazy_pattern(r"\W*+(?:all|everything)\b(?P<but>[^\n\d]*\b(?:but|except)\b)?", re.IGNORECASE)
_BETWEEN = lazy_pattern(
    r"(?:[\s*_`\[\](){}\"'#.,;:&/+-]|\b(?:and|or|as\s+well\s+as|(?:sub[\s-]?)?questions?|numbers?|nos?)\b|\bq(?=\d))*+",
    re.IGNORECASE,
)
_MEMBER = lazy_pattern(r"(?<!\d)(\d{1,3})(?:[ \t]*[-–][ \t]*(\d{1,3}))?(?!\w|\.\d)(?:[ \t]*+\([^()\n]*\))?")
_ITEM_LINE = lazy_pattern(rf"[ \t]*+(?:[-*•·+–][ \t]*+)?[*_`\[(]*+(?:{_LABEL}[ \t#_-]*+)?\d{{1,3}}(?!\w|\.\d)", re.IGNORECASE)
NUMBER = lazy_pattern(r"(?<![\w.])\d{1,3}(?!\w|\.\d)")
"""A number of up to three digits that is no part of a longer one."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """A list as read: its items in the order written, and one line for each thing that could not be read."""

    items: tuple[str, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """The numbers that a critique names, ascending, and one line for each thing that could not be read."""

    numbers: tuple[int, ...]
    problems: tuple[str, ...]


def parse_numbered(text: str) -> Numbered:
    """Reads a list. Any text is accepted; one without an item gives no items, and a problem.

    - JSON is read if the reply contains it: a list of texts, or of objects with one, or an object that contains such a list.
    - Bullets are items only if no line has a number; below a numbered item they explain it.
    - An item continues in the next line until it has its question mark. Anything after the question mark is ignored.
    """
    text = with_line_feeds(text)
    items = _from_json(text) or _from_lines(_FENCE.sub("", text))
    kept = tuple(item for item in map(_plain, items) if any(char.isalnum() for char in item))
    if kept:
        return Numbered(kept, ())
    return Numbered((), ("no item of a list was found" if text.strip() else "the reply is empty",))


def parse_dropped(text: str, items: Sequence[str]) -> Dropped:
    """The numbers of the items that a critique wants to drop.

    - In a reply with "Drop:", only the list after it is read, on the same line or on separate lines; an explanation before or
      after the list is ignored. If there are several such lists, the last one is used.
    - After "Keep:" come the items to keep, if the reply does not mention dropping. Items that the reply repeats in words,
      without a word such as "drop", are kept as well: models asked to filter a list write down the rest of it.
    - A reply of numbers alone drops them, and so does one that calls the only item it names irrelevant.
    - "None" drops nothing. A number that no item has is a problem; so is a reply that does neither.
    """
    every = set(range(1, len(items) + 1))
    repeated = _repeated(text, items)
    if repeated and not _DROPPING.search(text):
        return Dropped(tuple(sorted(every - repeated)), ())
    for directive, is_keeping in ((_DROP, False), (_KEEP, True)):
        for match in reversed(list(directive.finditer(text))[-_MOST_DIRECTIVES:]):
            listed = _listed(text[match.end() :], every)
            if listed is not None:
                return _without_unknown(listed, every, is_keeping=is_keeping)
    return _without_directive(text, every)


def _without_directive(text: str, every: set[int]) -> Dropped:
    """The numbers of a reply that is a bare list, or that names one item to call it irrelevant."""
    numbers = {int(match[0]) for match in NUMBER.finditer(text)}
    is_bare = numbers and not re.search(r"[^\W\d_]", _BETWEEN.sub(" ", text))
    if is_bare or (len(numbers) == 1 and _DROPPING.search(text) and not _NOT.search(text)):
        return _without_unknown(numbers, every, is_keeping=False)
    return Dropped((), () if _NONE.search(text) else ("neither a number nor none was named",))


def _without_unknown(listed: set[int], every: set[int], *, is_keeping: bool) -> Dropped:
    problems = tuple(f"there is no item {number}" for number in sorted(listed - every))
    known = listed & every
    return Dropped(tuple(sorted((every - known if known else set()) if is_keeping else known)), problems)


def _listed(text: str, every: set[int]) -> set[int] | None:
    """The numbers of the list at the beginning of a text, on one line or one per line; `None` if there is no list."""
    lines = text.split("\n")
    first = next((line for line in lines if line.strip(" \t*_`[(\"'")), "")
    if _LIST_OF_NONE.match(first):
        return set()
    everything = _LIST_OF_ALL.match(first)
    if everything is not None:
        return every - _members(first[everything.end() :]) if everything["but"] else every
    if _members(lines[0]):
        return _members(lines[0])
    found: set[int] = set()
    for line in lines[1:]:
        if line.strip() and not _ITEM_LINE.match(line):
            break
        found |= _members(line)
    return found or None


def _members(line: str) -> set[int]:
    """The numbers with which a line begins, up to the first word that is not a number."""
    found: set[int] = set()
    position = 0
    while match := _MEMBER.match(line, _BETWEEN.match(line, position).end()):  # type: ignore[union-attr]
        first, last = int(match[1]), int(match[2] or match[1])
        found |= set(range(first, last + 1)) or {first, last}
        position = match.end()
    return found


def _from_json(text: str) -> list[str]:
    for value in json_values(text):
        if items := list(_texts(value)):
            return items
    return []


def json_values(text: str) -> Iterator[Any]:
    """Yields every outermost JSON object or list in a text, in order."""
    decoder = json.JSONDecoder()
    position, attempts = 0, 0
    while attempts < 50 and (match := re.search(r"[\[{]", text[position:])):
        start = position + match.start()
        attempts += 1
        try:
            value, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            position = start + 1
        else:
            yield value


def _texts(value: Any) -> Iterator[str]:
    """The texts of a JSON list, or of the first list within an object; an object of texts by number is a list, too."""
    match value:
        case list():
            for item in value:
                if isinstance(item, str):
                    yield item
                elif isinstance(item, dict):
                    texts = [text for text in item.values() if isinstance(text, str)]
                    yield from sorted(texts, key=lambda text: "?" not in text)[:1]
        case dict():
            inner = next((item for item in value.values() if isinstance(item, list)), None)
            if inner is not None:
                yield from _texts(inner)
            else:
                yield from (item for item in value.values() if isinstance(item, str))
        case _:
            pass


def _from_lines(text: str) -> list[str]:
    lines = [line for whole in text.split("\n") for line in _INLINE.split(whole)]
    for pattern in (_NUMBERED, _BULLET):
        items = _marked(lines, pattern)
        if items:
            return items
    return [line for line in lines if line.rstrip(f" *_`{CLOSING}").endswith("?")]


def _marked(lines: Sequence[str], pattern: re.Pattern[str]) -> list[str]:
    items: list[list[str]] = []
    is_open = False
    for line in lines:
        match = pattern.match(line)
        if match is not None:
            items.append([match["text"].strip()])
            is_open = "?" not in match["text"]
        elif is_open and line.strip() and not _BULLET.match(line):
            items[-1].append(line.strip())
            is_open = "?" not in line
        else:
            is_open = is_open and not any(part.strip("*_` ") for part in items[-1])
    return [" ".join(item).strip() for item in items]


def _plain(item: str) -> str:
    """An item on one line, without emphasis, quotation marks and the talk after its question mark."""
    line = " ".join(item.replace("**", "").replace("__", "").split()).strip("*_` ")
    line = unquoted(_TALK_BEHIND.split(line, maxsplit=1)[0] if "?" in line else line)
    match = _NUMBERED.match(line)  # "- 1. Who?", or a JSON text with its number
    return unquoted(match["text"].strip("*_` ")) if match else line


def _repeated(text: str, items: Sequence[str]) -> set[int]:
    said = f" {normalize_answer(text)} "
    return {number for number, item in enumerate(items, start=1) if f" {normalize_answer(item)} " in said}
