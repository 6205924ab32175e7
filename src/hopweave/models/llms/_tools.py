"""Tools in the protocol of OpenAI-compatible endpoints: how they are offered, how calls of them are read, and sent back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopweave.core.files import read_json
from hopweave.core.types import Message, Tool, ToolCall
from hopweave.models.llms._json import Malformed

_ID_LENGTH = 9  # Mistral takes no ids but those of nine letters and digits


def tools_json(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """Tools as a request offers them."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def message_json(message: Message, *, with_thoughts: bool) -> dict[str, Any]:
    """A message as a request has it.

    Args:
        message: the message.
        with_thoughts: whether the endpoint wants the thoughts of turns that call tools.
    """
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.result_of, "content": message.text}
    if not message.tool_calls:
        return {"role": message.role, "content": message.text}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _object_of(call.arguments)}}
        for call in message.tool_calls
    ]
    thoughts = {"reasoning_content": message.thoughts} if with_thoughts else {}
    return {"role": message.role, "content": message.text or None, **thoughts, "tool_calls": calls}


def _object_of(arguments: str) -> str:
    """Arguments as the text of a JSON object, which is all that chat templates take."""
    try:
        value = read_json(arguments)
    except ValueError:
        value = arguments
    return arguments if isinstance(value, dict) else json.dumps({"arguments": value}, ensure_ascii=False)


@dataclass(slots=True)
class _Parts:
    """A call whose parts are still arriving."""

    id: str = ""
    name: str = ""
    arguments: str = ""


class ToolCalls:
    """Collects the calls of a reply: from a whole message, or from the pieces of a stream.

    Servers differ in both: some send arguments as an object, some no ids, some no numbers, and some the same number for all
    calls, each with an id of its own.
    """

    def __init__(self) -> None:
        self._calls: list[_Parts] = []
        self._by_number: dict[int, _Parts] = {}

    def add(self, pieces: Any) -> int:
        """Takes the `tool_calls` of a message or a delta; returns how many pieces of calls it has.

        Raises:
            Malformed: if they are something else.
        """
        if pieces is None:
            return 0
        if not isinstance(pieces, list) or not all(isinstance(piece, dict) for piece in pieces):
            raise Malformed("tool_calls is not a list of calls")
        for piece in pieces:
            function = piece.get("function") or {}
            if not isinstance(function, dict):
                raise Malformed("the function of a tool call is not an object")
            call = self._call_of(piece, function)
            call.id = call.id or _text(piece.get("id"), "the id")
            call.name = call.name or _text(function.get("name"), "the name")
            call.arguments += _arguments(function.get("arguments"))
        return len(pieces)

    def __bool__(self) -> bool:
        return bool(self._calls)

    def all(self, salt: str) -> tuple[ToolCall, ...]:
        """The calls, in order. Missing ids are made up: the same for the same call after the same conversation (`salt`)."""
        return tuple(
            ToolCall(call.id or _made_up(salt, place, call), call.name, call.arguments if call.arguments.strip() else "{}")
            for place, call in enumerate(self._calls)
        )

    def _call_of(self, piece: Mapping[str, Any], function: Mapping[str, Any]) -> _Parts:
        number, id_ = piece.get("index"), piece.get("id")
        known = self._by_number.get(number) if isinstance(number, int) else self._calls[-1] if self._calls else None
        is_other = known is not None and isinstance(id_, str) and id_ != "" and known.id not in ("", id_)
        begins = number is None and function.get("name") and (known is None or known.name)
        if known is None or is_other or begins:
            known = _Parts()
            self._calls.append(known)
            if isinstance(number, int):
                self._by_number[number] = known
        return known


def _text(value: Any, what: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Malformed(f"{what} of a tool call is not text")
    return value


def _arguments(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _made_up(salt: str, place: int, call: _Parts) -> str:
    return hashlib.sha256(f"{salt}\0{place}\0{call.name}\0{call.arguments}".encode("utf-8", "replace")).hexdigest()[:_ID_LENGTH]
