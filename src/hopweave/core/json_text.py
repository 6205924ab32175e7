"""Values as one line of JSON that can always be written in UTF-8."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from hopweave.core.characters import whole


def one_line_of_json(adapter: TypeAdapter[Any], value: Any) -> str:
    """A value as JSON, typed by the adapter.

    Raises:
        PydanticSerializationError: if something in it has another type.
    """
    try:
        return adapter.dump_json(value, warnings="error").decode()
    except PydanticSerializationError:
        # A passage or a path may contain an unpaired surrogate, which UTF-8 cannot encode. Replacing one character with
        # another preserves every offset.
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
    """An adapter for any JSON object."""
    return TypeAdapter(dict[str, Any])  # NaN and infinity become null
