"""Parses JSON from an endpoint, whatever it contains."""

from __future__ import annotations

import re
from typing import Any

from hopweave.core.files import read_json
from hopweave.core.lazy_pattern import lazy_pattern

MAX_NESTING = 64
"""Maximum nesting of brackets; a complete completion has 6."""

_STRING_OR_BRACKET = lazy_pattern(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)|[\[{]|[\]}]', re.DOTALL)


class Malformed(ValueError):
    """An endpoint sent something that is not a completion; the message says which part is invalid, if known."""


MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
"""The errors that JSON of the wrong shape can raise."""


def parsed(content: bytes) -> Any:
    """The JSON that an endpoint sent.

    Raises:
        ValueError: if it is invalid or nested too deeply.
    """
    if _is_too_deep(content):
        raise Malformed(f"brackets are nested more than {MAX_NESTING} deep")
    return read_json(content)


def _is_too_deep(content: bytes) -> bool:
    if content.count(b"[") + content.count(b"{") <= MAX_NESTING:
        return False
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(content):
        match content[found.start()]:
            case 0x5B | 0x7B:
                depth += 1
                if depth > MAX_NESTING:
                    return True
            case 0x5D | 0x7D:
                depth -= 1
    return False
