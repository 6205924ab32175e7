"""Values as one line of JSON that can always be written in UTF-8."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

_HALF_A_PAIR = re.compile("[\ud800-\udfff]")


def whole(text: str) -> str:
    """The text with each half of a surrogate pair (for which UTF-8 has no bytes) replaced by U+FFFD."""
    return text if text.isascii() else _HALF_A_PAIR.sub("\ufffd", text)


def one_line_of_json(adapter: TypeAdapter[Any], value: Any) -> str:
    """A value as JSON, of the types that the adapter says.

    Raises:
        PydanticSerializationError: if something in it is of another type.
    """
    try:
        return adapter.dump_json(value, warnings="error").decode()
    except PydanticSerializationError:
        # A passage or a path may hold half of a surrogate pair, for which UTF-8 has no bytes. One character for another keeps
        # every offset.
        return mapping_adapter().dump_json(_with_whole_texts(adapter.dump_python(value, warnings="error"))).decode()


def _with_whole_texts(value: Any) -> Any:
    match value:
        case str():
            return whole(value)
        case float() if not math.isfinite(value):
            return str(value)
        case dict():
            return {_with_whole_texts(key): _with_whole_texts(item) for key, item in value.items()}
        case list() | tuple():
            return [_with_whole_texts(item) for item in value]
        case _:
            return value


@cache
def mapping_adapter() -> TypeAdapter[dict[str, Any]]:
    """For what JSON calls an object, whatever is in it."""
    return TypeAdapter(dict[str, Any])  # what is no number becomes null
