"""Parses a JSON object that a model was asked for: bare, fenced, with words around it, or cut off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from hopweave.answering.parsing.numbered import json_values


@dataclass(frozen=True, slots=True)
class JsonObject:
    """The fields that were read, and one line for each problem."""

    values: Mapping[str, Any]
    problems: tuple[str, ...]


def parse_json_object(text: str, fields: Mapping[str, type]) -> JsonObject:
    """The first JSON object in a reply that has one of some fields. Any text is accepted.

    If an object was cut off, the part before that is used, including an unfinished text. A number is accepted where a text is
    expected, and a number in quotes where a number is; any other value of a wrong type is left out.

    Args:
        text: the reply.
        fields: the names that it must have, with `str`, `int`, `list` or `dict`.

    >>> dict(parse_json_object('Sure! {"answer": "Brno", "fact": 2}', {"answer": str, "fact": int}).values)
    {'answer': 'Brno', 'fact': 2}
    >>> dict(parse_json_object('{"fact": "2", "answer": "Brn', {"answer": str, "fact": int}).values)
    {'answer': 'Brn', 'fact': 2}
    """
    if not text.strip():
        return JsonObject({}, ("the reply is empty",))
    for values in _objects(text):
        if any(name in values for name in fields):
            read = {name: _as(kind, values.get(name)) for name, kind in fields.items()}
            problems = tuple(_problem(name, kind, values) for name, kind in fields.items() if read[name] is None)
            return JsonObject({name: value for name, value in read.items() if value is not None}, problems)
    return JsonObject({}, ("no JSON object is in the reply",))


def _as(kind: type, value: Any) -> Any:
    """The value converted to a type; `None` if that is impossible."""
    if isinstance(value, bool):
        return ("yes" if value else "no") if kind is str else None
    if kind is str and isinstance(value, int | float):
        return str(value)
    if kind is int and isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    return value if isinstance(value, kind) else None


def _problem(name: str, kind: type, values: Mapping[str, Any]) -> str:
    called = {str: "text", int: "number", list: "list", dict: "object"}[kind]
    return f"the field {name!r} is not a {called}" if name in values else f"the field {name!r} is missing"


def _objects(text: str) -> Iterator[dict[str, Any]]:
    yield from (value for value in json_values(text) if isinstance(value, dict))
    try:
        value = from_json(text[max(0, text.find("{")) :].encode("utf-8", "replace"), allow_partial="trailing-strings")
    except ValueError:
        return
    if isinstance(value, dict):
        yield value
