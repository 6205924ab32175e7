"""JSON schemas of what the model is asked to write."""

from __future__ import annotations

from typing import Any


def object_of(**properties: Any) -> dict[str, Any]:
    """The JSON schema of an object that has exactly these properties.

    >>> object_of(answer={"type": "string"})["required"]
    ['answer']
    """
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
