"""Reads JSON and TOML that somebody else wrote: whatever is wrong with it is a `ValueError`, never another error.

The readers of the standard library end in `RecursionError` where brackets are nested too deeply.
"""

from __future__ import annotations

import json
import tomllib
from typing import Any

_TOO_DEEP = "its brackets are nested too deeply"


def read_json(text: str | bytes) -> Any:
    """The value that a JSON text holds.

    Raises:
        ValueError: for what is no JSON in UTF-8, nested too deeply, or a number too long to read.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def read_toml(content: str | bytes) -> dict[str, Any]:
    """The table that a TOML text holds; a byte-order mark at the beginning of bytes is left out.

    Raises:
        ValueError: for what is no TOML in UTF-8, nested too deeply, or a number too long to read.
    """
    text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
