"""JSON from untrusted files: lists and objects of any length, one row at a time, each limited in depth and length.

Each row is parsed by the `json` module, which is fast, and safe for a row within the limits. The end of a row that has not been
read completely is found by its brackets and quotation marks alone. So memory does not grow with the file, whatever it contains.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.formats import Limits

MAX_DEPTH = 100
"""Maximum nesting of lists and objects in one row."""

_PIECE_LENGTH = 1 << 16
_BLANKS = lazy_pattern(r"[ \t\r\n]*+")
_STRING = lazy_pattern(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SCALAR = lazy_pattern(r'[^\s,:"\[\]{}]*+')
_UP_TO_BRACKET = lazy_pattern(r'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_BRACKETS = lazy_pattern(r'"(?:[^"\\]++|\\.)*+"?|(?P<open>[\[{])|(?P<close>[\]}])', re.DOTALL)
_DECODER = json.JSONDecoder()
_MAX_SHOWN_NAMES = 20
_MAX_SHOWN_NAME = 60


@dataclass(frozen=True, slots=True)
class Item:
    """A row of a list, or a member of an object.

    Attributes:
        number: from 1.
        line: the line of the file on which it starts, from 1.
        text: its source text.
        value: the parsed value.
        key: the key of a member; none for a row of a list.
    """

    number: int
    line: int
    text: str
    value: Any
    key: str | None = None


def load_json(text: str, place: str) -> Any:
    """The value of a JSON text.

    Args:
        text: JSON.
        place: its name in messages.

    Raises:
        DataError: for invalid JSON, nesting deeper than `MAX_DEPTH`, or an integer with more digits than Python accepts.
    """
    try:
        return _decoded(text, place)
    except json.JSONDecodeError as error:
        what = f"{error.msg} (column {error.colno})"
        raise DataError(f"{place} is not JSON: {what}; correct the row or remove it") from None


def _decoded(text: str, place: str) -> Any:
    if _is_deep(text):
        raise _too_deep(place)
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:
        raise DataError(f"{place} contains an integer with thousands of digits; write it as a string or remove it") from None


def _is_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for match in _BRACKETS.finditer(text):
        depth += (match.lastgroup == "open") - (match.lastgroup == "close")
        if depth > MAX_DEPTH:
            return True
    return False


def _too_deep(place: str) -> DataError:
    return DataError(f"{place} is nested too deeply, more than {MAX_DEPTH} levels; flatten the row or remove it")


class JsonStream:
    """A JSON file that is read as a stream.

    Every method raises `DataError` if the file is not JSON or a row is beyond the limits.

    Args:
        stream: its text.
        source: the file's name in messages.
        limits: on the length of a row.
    """

    def __init__(self, stream: TextIO, source: str, limits: Limits) -> None:
        self._stream = stream
        self._source = source
        self._limits = limits
        self._held = ""
        self._at = 0  # the first unconsumed character of the buffer
        self._line = 1
        self._number = 1

    def first(self) -> str:
        """The next character that is not white space, without consuming it; empty at the end of the file."""
        while True:
            found = self._character(self._at)
            if found and found not in " \t\r\n":
                return found
            self._consume(_end(_BLANKS, self._held, self._at))
            if self._at == len(self._held) and not self._read_more():
                return ""

    def rows(self) -> Iterator[Item]:
        """The rows of the next list."""
        self._take("[")
        is_behind_row = False
        while self._goes_on("]", is_behind_row=is_behind_row):
            yield self._item()
            is_behind_row = True

    def members(self) -> Iterator[Item]:
        """The members of the next object."""
        for key in self._keys():
            yield self._item(key)

    def rows_under(self, keys: Collection[str]) -> Iterator[Item]:
        """The rows of the lists under the given keys of the next object."""
        for key in self._keys():
            if key in keys and self.first() == "[":
                yield from self.rows()
            else:
                self._value()

    def has_list_under(self, keys: Collection[str]) -> bool:
        """Whether the next object has a list under one of the given keys."""
        for key in self._keys():
            if key in keys and self.first() == "[":
                return True
            self._value()
        return False

    def end(self) -> None:
        """Checks that the file is at its end."""
        if self.first():
            remedy = "correct the file, or if each line is an object, name the file .jsonl"
            raise self._error("there is more after the end", remedy=remedy)

    def _keys(self) -> Iterator[str]:
        """The keys of the next object; the value of each must be consumed before the next is requested."""
        self._take("{")
        is_behind_member = False
        while self._goes_on("}", is_behind_row=is_behind_member):
            if self.first() != '"':
                raise self._error("a key is missing")
            key: str = load_json(self._value(), self._place(self._line))
            self._take(":")
            yield key
            is_behind_member = True

    def _goes_on(self, closing: str, *, is_behind_row: bool) -> bool:
        """Whether another row follows before the closing bracket, which is consumed if not."""
        if self.first() == closing:
            self._consume(self._at + 1)
            return False
        if is_behind_row:
            self._take(",")
        return True

    def _take(self, wanted: str) -> None:
        found = self.first()
        if found != wanted:
            raise self._error(f"{wanted!r} is missing" if found else "it is truncated")
        self._consume(self._at + 1)

    def _item(self, key: str | None = None) -> Item:
        is_list_or_object = self.first() in {"[", "{"}
        number, line = self._number, self._line
        text, value = (self._at_hand() if is_list_or_object else None) or self._read_and_decoded(line)
        self._number += 1
        return Item(number, line, text, value, key)

    def _at_hand(self) -> tuple[str, Any] | None:
        """The next list or object, if the buffer contains all of it and it is within the limits."""
        try:
            value, end = _DECODER.raw_decode(self._held, self._at)
        except (ValueError, RecursionError):
            return None
        text = self._held[self._at : end]
        if _is_deep(text):
            return None
        self._consume(end)
        return text, value

    def _read_and_decoded(self, line: int) -> tuple[str, Any]:
        text = self._value()
        try:
            return text, _decoded(text, self._place(line))
        except json.JSONDecodeError as error:
            raise self._error(error.msg, line=line + error.lineno - 1) from None  # it may be lines below the start of the row

    def _value(self) -> str:
        """The source text of the next value."""
        first = self.first()
        end = self._end_of_rows() if first in {"[", "{"} else self._end_of_string() if first == '"' else self._end_of_scalar()
        text = self._held[self._at : end]
        self._consume(end)
        return text

    def _end_of_rows(self) -> int:
        """The end of the next list or object."""
        depth, behind = 0, 0
        while True:
            behind = _end(_UP_TO_BRACKET, self._held, self._at + behind) - self._at
            bracket = self._character(self._at + behind)
            if bracket in {"", '"'}:  # a string that continues beyond the buffer
                self._need_more()
                continue
            depth += 1 if bracket in "[{" else -1
            if depth > MAX_DEPTH:
                raise _too_deep(self._place(self._line))
            behind += 1
            if not depth:
                return self._at + behind

    def _end_of_string(self) -> int:
        while (end := _end(_STRING, self._held, self._at)) == self._at:
            self._need_more()
        return end

    def _end_of_scalar(self) -> int:
        while _end(_SCALAR, self._held, self._at) == len(self._held) and self._read_more():
            pass
        end = _end(_SCALAR, self._held, self._at)
        if end == self._at:
            raise self._error("a value is missing" if self._character(end) else "it is truncated")
        return end

    def _character(self, at: int) -> str:
        return self._held[at : at + 1]

    def _consume(self, end: int) -> None:
        self._line += self._held.count("\n", self._at, end)
        self._at = end

    def _need_more(self) -> None:
        if not self._read_more():
            raise self._error("it is truncated")

    def _read_more(self) -> bool:
        """Doubles the buffer, so that a long row is scanned a few times and not once per chunk."""
        rest = self._held[self._at :]
        if len(rest) > self._limits.max_row_mib << 20:
            raise self._limits.too_long(self._place(self._line), "max_row_mib")
        piece = self._stream.read(max(_PIECE_LENGTH, len(rest)))
        self._held, self._at = rest + piece, 0
        return bool(piece)

    def _place(self, line: int) -> str:
        return f"{self._source}, line {line} (record {self._number})"

    def _error(self, what: str, *, line: int | None = None, remedy: str = "fetch it again, or correct the file") -> DataError:
        return DataError(f"{self._place(line or self._line)} is not JSON: {what}; {remedy}")


def _end(pattern: re.Pattern[str], held: str, at: int) -> int:
    match = pattern.match(held, at)
    return match.end() if match else at


def fields_of(values: Iterable[object]) -> str:
    """The field names of a row for a one-line message; only the first if there are many."""
    names = [" ".join(str(name).split())[:_MAX_SHOWN_NAME] for name in values]
    more = f" and {len(names) - _MAX_SHOWN_NAMES:,} more" if len(names) > _MAX_SHOWN_NAMES else ""
    return f"its fields: {', '.join(names[:_MAX_SHOWN_NAMES]) or 'none'}{more}"
