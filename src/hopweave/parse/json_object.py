"""Reads a JSON object that a model was asked for, as it comes: bare, fenced, with words around it, or cut off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from hopweave.parse.numbered import json_values


@dataclass(frozen=True, slots=True)
class JsonObject:
    """The fields that were read, and one line for each problem."""

    values: Mapping[str, Any]
    problems: tuple[str, ...]


def parse_json_object(text: str, required: Sequence[str]) -> JsonObject:
    """The first JSON object in a reply that has one of the required fields. Any text is accepted.

    Of an object that was cut off, what was written counts, an unfinished text included.

    Args:
        text: the reply.
        required: the fields that it must have.

    >>> dict(parse_json_object('Sure! {"answer": "Brno", "fact": 2}', ["answer", "fact"]).values)
    {'answer': 'Brno', 'fact': 2}
    >>> dict(parse_json_object('{"fact": 2, "answer": "Brn', ["answer", "fact"]).values)
    {'fact': 2, 'answer': 'Brn'}
    """
    if not text.strip():
        return JsonObject({}, ("the reply is empty",))
    for values in _objects(text):
        if any(name in values for name in required):
            return JsonObject(values, tuple(f"the field {name!r} is missing" for name in required if name not in values))
    return JsonObject({}, ("no JSON object is in the reply",))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    yield from (value for value in json_values(text) if isinstance(value, dict))
    try:
        value = from_json(text[max(0, text.find("{")) :].encode("utf-8", "replace"), allow_partial="trailing-strings")
    except ValueError:
        return
    if isinstance(value, dict):
        yield value
