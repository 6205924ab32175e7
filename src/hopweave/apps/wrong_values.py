"""What is wrong with a value that a client gave, in words; the same for every protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def in_words(error: Mapping[str, Any], whole: str) -> str:
    """One error of pydantic in words, without its codes and addresses.

    Args:
        error: as a `ValidationError` of pydantic lists it.
        whole: what to call all of it, if no part of it is named.
    """
    named = ".".join(str(part) for part in error["loc"] if part != "body") or whole
    if error["type"] == "missing":
        return f"{named} is missing"
    said = str(error["msg"]).partition(", unable to")[0]
    return f"{named} {said.removeprefix('Input ')}" if said.startswith("Input ") else f"{named}: {said}"
