"""What differs between what a run says and what its records give: files line by line, documents value by value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hopweave.plain_data import read_json

_SHOWN_CHARACTERS = 120
_SHOWN_BEFORE = 40
"""So many characters are shown before the first one that differs."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is not as it must be. `line` counts from 1; `None` where it is of the whole file."""

    file: str
    line: int | None
    what: str

    def __str__(self) -> str:
        return f"{self.file}{f', line {self.line}' if self.line is not None else ''}: {self.what}"


@dataclass(slots=True)
class Verification:
    """What came of it.

    Attributes:
        differences: in the order of the files.
        counts: how much of what was looked at.
        notes: what could not be checked or is no difference, a sentence each.
    """

    differences: list[Difference] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def differs(self, file: str, line: int | None, what: str) -> None:
        """Notes a difference."""
        self.differences.append(Difference(file, line, what))

    def count(self, what: str, num: int = 1) -> None:
        """Notes that something was looked at."""
        self.counts[what] = self.counts.get(what, 0) + num


def hold_lines(place: Path, name: str, expected: Sequence[str], found: Verification) -> None:
    """Compares a text file line by line.

    Args:
        place: of the file.
        name: under which differences are noted.
        expected: its lines, without their ends.
        found: told of what differs.
    """
    try:
        lines = place.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        found.differs(name, None, f"it cannot be read: {error}")
        return
    found.count("lines", len(expected))
    expected = list(expected[:-1]) if expected and not expected[-1] else expected
    for number, (line, other) in enumerate(zip(lines, expected, strict=False), start=1):
        if line != other:
            found.differs(name, number, _line_difference(line, other))
    if len(lines) != len(expected):
        found.differs(name, None, f"it has {len(lines)} lines, and the records give {len(expected)}")


def _line_difference(line: str, expected: str) -> str:
    try:
        now, right = _leaves(read_json(line)), _leaves(read_json(expected))
        if "" in now or "" in right:
            raise ValueError("it is no object")
    except ValueError:
        same = next((place for place, pair in enumerate(zip(line, expected, strict=False)) if pair[0] != pair[1]), 0)
        start = max(0, same - _SHOWN_BEFORE)
        return f"it is {_shown(line, start)}, and the records give {_shown(expected, start)}"
    which = " ".join(str(json.loads(expected).get(key)) for key in ("dataset", "method", "question", "metric"))
    changed = [
        f"{key} is {_shown(now.get(key, 'absent'))}, and the records give {_shown(right.get(key, 'absent'))}"
        for key in {**right, **now}
        if now.get(key) != right.get(key)
    ]
    return f"{which}: {'; '.join(changed) or 'it is written otherwise'}"


def hold_values(name: str, there: Any, expected: Any, found: Verification) -> None:
    """Compares two JSON documents leaf by leaf; the lines are those of the file as `json.dumps(indent=1)` writes it."""
    lines = {path: number for number, path in _numbered(there)}
    now, right = _leaves(there), _leaves(expected)
    found.count("numbers", sum(isinstance(value, int | float) for value in right.values()))
    for path in {**right, **now}:
        missing = object()
        is_now, must_be = now.get(path, missing), right.get(path, missing)
        if type(is_now) is not type(must_be) or is_now != must_be:
            shown = ["absent" if value is missing else _shown(value) for value in (is_now, must_be)]
            found.differs(name, lines.get(path), f"{path} is {shown[0]}, and the records give {shown[1]}")


def _leaves(value: Any) -> dict[str, Any]:
    return dict(_walk(value, ""))


def _walk(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict | list) or not value:
        yield path, value
        return
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield from _walk(item, f"{path}/{key}".lstrip("/"))


def _numbered(value: Any, path: str = "", first: int = 1) -> Iterator[tuple[int, str]]:
    """The line on which each leaf stands, and the path of the leaf."""
    if not isinstance(value, dict | list) or not value:
        yield first, path
        return
    number = first + 1
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield from _numbered(item, f"{path}/{key}".lstrip("/"), number)
        number += _height(item)


def _height(value: Any) -> int:
    if not isinstance(value, dict | list) or not value:
        return 1
    return 2 + sum(_height(item) for item in (value.values() if isinstance(value, dict) else value))


def _shown(value: Any, start: int = 0) -> str:
    """A value in few characters: all of it if it is short, else from `start` on."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= _SHOWN_CHARACTERS:
        return text
    end = start + _SHOWN_CHARACTERS
    return f"{'...' if start else ''}{text[start:end]}{'...' if end < len(text) else ''}"
