"""The differences between what a run says and what its records give: files line by line, documents value by value.

One cause is one line: of the differences of a file the first is reported and the rest are counted, and differences
that follow from an earlier one (scores of an altered record) are only counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hopweave.core.files import read_json, read_lines

_SHOWN_CHARACTERS = 120
_SHOWN_BEFORE = 40
"""The number of characters shown before the first one that differs."""
_ABSENT = object()

Problem = tuple[int | None, str]
"""The line of a file (from 1; `None` where it is of the whole file) and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference, and `num_more` further places of the file that differ."""

    file: str
    line: int | None
    what: str
    num_more: int = 0

    def __str__(self) -> str:
        place = f"{self.file}{f', line {self.line}' if self.line is not None else ''}"
        return f"{place}: {self.what}{f' (and {self.num_more:,} more in this file)' if self.num_more else ''}"


@dataclass(slots=True)
class Verification:
    """The outcome.

    Attributes:
        differences: in the order of the files, one for each cause.
        follows: how many lines or values of a file differ only because of what `differences` reports.
        unchecked: what could not be checked, a sentence each; it may be right or wrong.
        counts: what was checked, and how much of it.
        notes: what is not a difference but should be known, a sentence each.
        altered: altered inputs of scores and report: cells (`DATASET/METHOD`), or the plan.
    """

    differences: list[Difference] = field(default_factory=list)
    follows: Counter[str] = field(default_factory=Counter)
    unchecked: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    altered: set[str] = field(default_factory=set)

    def differs(self, file: str, line: int | None, what: str, num_more: int = 0) -> None:
        """Notes a difference."""
        self.differences.append(Difference(file, line, what, num_more))

    def hold(self, file: str, problems: Sequence[Problem]) -> None:
        """Notes the problems of a file: the first is reported, the rest are counted."""
        if problems:
            self.differs(file, *problems[0], len(problems) - 1)

    def hold_after(self, file: str, problems: Sequence[Problem]) -> None:
        """Notes the problems of a file derived from others: if those were altered, its differences follow from theirs."""
        if not self.altered:
            self.hold(file, problems)
        elif problems:
            self.follows[file] += len(problems)

    def count(self, what: str, num: int = 1) -> None:
        """Counts something that was checked."""
        self.counts[what] = self.counts.get(what, 0) + num


def lines_of(place: Path) -> list[str]:
    """The lines of a text file, without their ends.

    Raises:
        OSError, UnicodeDecodeError: if it cannot be read.
    """
    return b"".join(read_lines(place)).decode().removesuffix("\n").split("\n")


def differing_lines(lines: Sequence[str], expected: Sequence[str]) -> list[Problem]:
    """The lines of a text that are not as expected."""
    expected = expected[:-1] if expected and not expected[-1] else expected
    found: list[Problem] = [
        (number, line_difference(line, other))
        for number, (line, other) in enumerate(zip(lines, expected, strict=False), start=1)
        if line != other
    ]
    if len(lines) != len(expected):
        found.append((None, f"it has {len(lines)} lines, and the records give {len(expected)}"))
    return found


def line_difference(line: str, expected: str) -> str:
    """Where a line differs; for a line of JSON, in which values."""
    try:
        now, right = _leaves(read_json(line)), _leaves(read_json(expected))
        if "" in now or "" in right:
            raise ValueError("it is not an object")
    except ValueError:
        same = next((place for place, pair in enumerate(zip(line, expected, strict=False)) if pair[0] != pair[1]), 0)
        start = max(0, same - _SHOWN_BEFORE)
        return f"it is {_shown(line, start)}, and the records give {_shown(expected, start)}"
    which = " ".join(str(json.loads(expected).get(key)) for key in ("dataset", "method", "question", "metric"))
    changed = [
        _difference(key, now.get(key, _ABSENT), right.get(key, _ABSENT))
        for key in {**right, **now}
        if now.get(key) != right.get(key)
    ]
    return f"{which}: {'; '.join(changed) or 'it is written otherwise'}"


def differing_values(there: Any, expected: Any, but: Sequence[str] = ()) -> list[Problem]:
    """The leaves of a JSON document that differ from the expected ones; lines are those that `json.dumps(indent=1)` writes.

    Args:
        there: the document.
        expected: the expected one.
        but: top-level keys that are left out.
    """
    lines = {path: line for path, _, line in _walk(there)}
    now, right = _leaves(there), _leaves(expected)
    found: list[Problem] = []
    for path in {**right, **now}:
        is_now, must_be = now.get(path, _ABSENT), right.get(path, _ABSENT)
        if path.partition("/")[0] not in but and (type(is_now) is not type(must_be) or is_now != must_be):
            found.append((lines.get(path), _difference(path, is_now, must_be)))
    return found


def num_numbers(value: Any) -> int:
    """How many numbers a JSON document holds."""
    return sum(isinstance(leaf, int | float) for leaf in _leaves(value).values())


def _leaves(value: Any) -> dict[str, Any]:
    return {path: leaf for path, leaf, _ in _walk(value)}


def _walk(value: Any, path: str = "", line: int = 1) -> Generator[tuple[str, Any, int], None, int]:
    """Yields each leaf with its path and its line, and returns the line after the last."""
    if not isinstance(value, Mapping | list) or not value:
        yield path, value, line
        return line + 1
    line += 1
    for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
        line = yield from _walk(item, f"{path}/{key}".lstrip("/"), line)
    return line + 1


def _difference(path: str, is_now: Any, must_be: Any) -> str:
    shown = ["absent" if value is _ABSENT else _shown(value) for value in (is_now, must_be)]
    return f"{path} is {shown[0]}, and the records give {shown[1]}"


def _shown(value: Any, start: int = 0) -> str:
    """A value shortened to a few characters: all of it if it is short, else from `start` on."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= _SHOWN_CHARACTERS:
        return text
    end = start + _SHOWN_CHARACTERS
    return f"{'...' if start else ''}{text[start:end]}{'...' if end < len(text) else ''}"
