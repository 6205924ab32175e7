"""What the header of a GGUF file says about its model: size, context, memory, and whether it thinks.

    magic "GGUF", version, number of tensors, number of pairs
    pairs: name, type, value            strings and arrays are preceded by their length
    tensors: name, dimensions, type, offset

The file comes from elsewhere, so nothing in it is trusted: only its beginning is read, no count leads further than that, and a
header that makes no sense says nothing. The format: ggml's docs/gguf.md.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopweave.core.files import open_regular
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.models.weights.known import KNOWN_MODELS, Thinking, model_path

_SIZES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_READ_BYTES = (16 << 20, 64 << 20)  # nearly every header is shorter than the first
_MAX_TEXT = 1 << 20
_MAX_KEPT = 4096
_MAX_DIMENSIONS = 8
_F16_BYTES = 2
_LABEL = lazy_pattern(r"(?:(\d+)x)?(\d+(?:\.\d+)?)\s*([KMBT])(?![a-z])", re.IGNORECASE)
_UNITS = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}


@dataclass(frozen=True, slots=True)
class Header:
    """What a GGUF file says about its model.

    Attributes:
        num_parameters: the number of parameters; `None` if unknown.
        context_tokens: the length that it was trained for, in tokens; `None` if unknown.
        cache_bytes_per_token: memory for each token of the context, in bytes; 0 if unknown.
        thinking: whether it thinks before it replies, by its chat template.
        takes_tools: whether its chat template has a place for tools.
    """

    num_parameters: float | None = None
    context_tokens: int | None = None
    cache_bytes_per_token: int = 0
    thinking: Thinking = "no"
    takes_tools: bool = False


def header_of(name: str) -> Header:
    """What is known of a model: of a known one without its file, of any other from its file.

    Raises:
        SettingsError: for an unknown name.
    """
    known = KNOWN_MODELS.get(name)
    if known is None:
        return read_header(model_path(name))
    return Header(known.billions * 1e9 or None, None, known.cache_bytes_per_token, known.thinking, known.takes_tools)


class _OutOfData(Exception):
    """The header goes on where the bytes end."""


class _Malformed(Exception):
    """The header makes no sense."""


def read_header(path: Path) -> Header:
    """What the header of a file says; one that cannot be read says nothing."""
    for num_bytes in _READ_BYTES:
        try:
            with open_regular(path) as file:
                data = file.read(num_bytes)
            return _header(_Reader(data))
        except _OutOfData:
            if len(data) < num_bytes:
                break
        except (OSError, _Malformed):
            break
    return Header()


def thinking_of(template: str) -> Thinking:
    """Whether a model thinks, by the chat template that prepares its prompts."""
    if "reasoning_effort" in template:
        return "effort"
    if "enable_thinking" in template:
        return "switch"
    return "always" if any(mark in template for mark in ("<think>", "</think>", "[THINK]", "<|channel|>")) else "no"


def _header(reader: _Reader) -> Header:
    if reader.take(4) != b"GGUF" or reader.number("I") not in (2, 3):
        raise _Malformed
    num_tensors, num_pairs = reader.number("Q"), reader.number("Q")
    values: dict[str, Any] = {}
    for _ in range(num_pairs):
        key = reader.text()
        values[key] = reader.value(reader.number("I"))
    of_model = _OfModel(values)
    return Header(
        of_model.num_parameters() or _total(reader, num_tensors, values),
        of_model.whole("context_length") or None,
        of_model.cache_bytes_per_token(),
        thinking_of(of_model.template),
        re.search(r"\btools\b", of_model.template) is not None,
    )


def _total(reader: _Reader, num_tensors: int, values: Mapping[str, Any]) -> float | None:
    """The number of parameters in the tensors; `None` for a part of a file."""
    if values.get("split.count", 0):
        return None
    total = 0
    for _ in range(num_tensors):
        reader.text()
        num_dimensions = reader.number("I")
        if num_dimensions > _MAX_DIMENSIONS:
            raise _Malformed
        total += math.prod(reader.number("Q") for _ in range(num_dimensions))
        reader.skip(12)
    return float(total) if 0 < total < 1e15 else None


class _OfModel:
    """The values that describe the model; any of them may be missing, or of another type."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._architecture = str(values.get("general.architecture", ""))
        template = values.get("tokenizer.chat_template")
        self.template = template if isinstance(template, str) else ""

    def num_parameters(self) -> float | None:
        count = self._values.get("general.parameter_count")
        if isinstance(count, int) and count > 0:
            return float(count)
        return _counted(_LABEL.search(str(self._values.get("general.size_label", ""))))

    def whole(self, key: str) -> int:
        value = self._value(key)
        return value if isinstance(value, int) and 0 < value < 1 << 40 else 0

    def cache_bytes_per_token(self) -> int:
        """A key and a value of 16 bits for each layer."""
        num_layers, num_heads = self.whole("block_count"), self.whole("attention.head_count")
        of_head = self.whole("embedding_length") // num_heads if num_heads else 0
        width = sum(self.whole(f"attention.{kind}_length") or of_head for kind in ("key", "value"))
        # Where some layers see only a window, most models let every other one do so; the window itself is small.
        share = 2 if self.whole("attention.sliding_window") else 1
        return self._num_cached_heads(num_layers, num_heads) * width * _F16_BYTES // share

    def _num_cached_heads(self, num_layers: int, num_heads: int) -> int:
        given = self._value("attention.head_count_kv")
        if isinstance(given, tuple):  # one number for each layer
            return sum(one for one in given if isinstance(one, int) and 0 <= one < 1 << 20)
        return num_layers * (self.whole("attention.head_count_kv") or num_heads)

    def _value(self, key: str) -> Any:
        return self._values.get(f"{self._architecture}.{key}")


class _Reader:
    """Reads the beginning of a file, from front to back."""

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    def take(self, num_bytes: int) -> bytes:
        start = self._place
        self.skip(num_bytes)
        return self._data[start : self._place]

    def skip(self, num_bytes: int) -> None:
        if num_bytes > len(self._data) - self._place:
            raise _OutOfData
        self._place += num_bytes

    def number(self, kind: str) -> int:
        return int(struct.unpack(f"<{kind}", self.take(struct.calcsize(f"<{kind}")))[0])

    def text(self) -> str:
        return self.take(self.number("Q")).decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        """A value; `None` for one that is not kept, because it is too long."""
        if kind == _STRING:
            length = self.number("Q")
            if length <= _MAX_TEXT:
                return self.take(length).decode("utf-8", "replace")
            return self.skip(length)
        if kind == _ARRAY:
            return self._array(self.number("I"), self.number("Q"))
        return self._plain(kind, 1)[0]

    def _plain(self, kind: int, count: int) -> tuple[Any, ...]:
        if kind not in _SIZES:
            raise _Malformed
        letter = _SIZES[kind]
        content = self.take(count * struct.calcsize(f"<{letter}"))
        return struct.unpack(f"<{count}{letter}", content) if count <= _MAX_KEPT else ()

    def _array(self, kind: int, count: int) -> tuple[Any, ...] | None:
        if kind != _STRING:
            return self._plain(kind, count)
        # A vocabulary: some hundred thousand words, of which only the lengths matter here.
        data, place, unpack = self._data, self._place, struct.Struct("<Q").unpack_from
        try:
            for _ in range(count):
                place += 8 + unpack(data, place)[0]
        except struct.error:
            raise _OutOfData from None
        self._place = place
        if place > len(data):
            raise _OutOfData
        return None


def _counted(found: re.Match[str] | None) -> float | None:
    if found is None:
        return None
    return int(found[1] or 1) * float(found[2]) * _UNITS[found[3].upper()]
