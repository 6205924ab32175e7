"""Reading JSON that an endpoint sent, whatever that is."""

from __future__ import annotations

import re
from typing import Any

from hopweave.files import read_json

MAX_NESTING = 64
"""Brackets inside brackets; a completion with everything in it has 6."""

_STRING_OR_BRACKET = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)|[\[{]|[\]}]', re.DOTALL)


class Malformed(ValueError):
    """What an endpoint sent is no completion; the message says what of it cannot be, if that can be told."""


MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
"""What reading JSON of the wrong shape can raise."""


def parsed(content: bytes) -> Any:
    """The JSON that an endpoint sent.

    Raises:
        ValueError: if it is none, or is nested too deeply.
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
