"""GGUF files of a few hundred bytes: a header that says what a test wants, and tensors without data."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

UNSIGNED, TEXT, ARRAY = 4, 8, 9


def text(value: str) -> bytes:
    """A text with its length before it."""
    content = value.encode()
    return struct.pack("<Q", len(content)) + content


def value(one: Any) -> bytes:
    """A value with its type before it."""
    if isinstance(one, str):
        return struct.pack("<I", TEXT) + text(one)
    if isinstance(one, bool):
        return struct.pack("<I?", 7, one)
    if isinstance(one, int):
        return struct.pack("<IQ", 10, one)
    if isinstance(one, float):
        return struct.pack("<If", 6, one)
    if one and isinstance(one[0], str):
        return struct.pack("<IIQ", ARRAY, TEXT, len(one)) + b"".join(map(text, one))
    return struct.pack("<IIQ", ARRAY, UNSIGNED, len(one)) + struct.pack(f"<{len(one)}I", *one)


def gguf(values: Mapping[str, Any] = {}, tensors: Mapping[str, Sequence[int]] = {}, *, version: int = 3) -> bytes:
    """A file with these values and tensors; a vocabulary of some words stands before the last value, as in real files."""
    named = {"general.architecture": "tiny", **values}
    last = "tokenizer.chat_template"
    ordered = {**{key: one for key, one in named.items() if key != last}, "tokenizer.ggml.tokens": ["a", "bc", ""] * 100}
    ordered |= {last: named[last]} if last in named else {}
    pairs = b"".join(text(key) + value(one) for key, one in ordered.items())
    infos = b"".join(
        text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, 0) for name, shape in tensors.items()
    )
    return b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(ordered)) + pairs + infos
