"""Parses search queries, one per line, with any text before them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hopweave.answering.parsing.numbered import Numbered, parse_numbered
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.matching import normalize_answer
from hopweave.text.quotation import unquoted

_LABEL = lazy_pattern(r"^\W*(?:search\s+)?quer(?:y|ies)\W*?:\W*", re.IGNORECASE)
_LONGEST = 400


def parse_queries(text: str) -> Numbered:
    r"""Reads queries: the items of a list in any form, or else each line that is no announcement of them (it ends in a colon).

    A line of more than 400 characters is no query.

    >>> parse_queries("Here they are:\nheight of the tower\n- builder of the tower").items
    ('builder of the tower',)
    >>> parse_queries("Queries:\nheight of the tower\nbuilder of the tower").items
    ('height of the tower', 'builder of the tower')
    """
    lines = [unquoted(_LABEL.sub("", line.replace("**", ""), count=1).strip("`> ")) for line in text.splitlines()]
    lines = [line for line in lines if any(map(str.isalnum, line)) and not line.endswith(":")]
    listed = parse_numbered(text).items
    items = listed if not set(listed) <= set(lines) else lines  # if no line is marked as an item, each line is one
    kept = tuple(item for item in items if len(item) <= _LONGEST)
    return Numbered(kept, () if kept else ("no query was found" if text.strip() else "the reply is empty",))


def each_once(queries: Iterable[str], asked: Iterable[str] = ()) -> list[str]:
    """The queries in order, without those that repeat an earlier one or one that was asked.

    >>> each_once(["Who built it?", "who built it", "How high is it?"])
    ['Who built it?', 'How high is it?']
    """
    seen = {_key(query) for query in asked}
    fresh = []
    for query in queries:
        if _key(query) not in seen:
            fresh.append(query)
        seen.add(_key(query))
    return fresh


def fresh(items: Sequence[str], before: Sequence[str]) -> tuple[list[str], int]:
    """The new items, each once, and the number of repeated ones."""
    known = {"", *map(normalize_answer, before)}
    new: dict[str, str] = {}
    for item in items:
        if normalize_answer(item) not in known:
            new.setdefault(normalize_answer(item), item)
    return list(new.values()), sum(normalize_answer(item) in known for item in items)


def is_same_query(one: str, other: str) -> bool:
    """Whether two queries have the same words, however these are written; without words they have to be the same as written.

    >>> is_same_query("Who built the tower?", "who built tower"), is_same_query("??", "!")
    (True, False)
    """
    return (normalize_answer(one) or one.casefold()) == (normalize_answer(other) or other.casefold())


def _key(query: str) -> str:
    return normalize_answer(query) or query.strip()
