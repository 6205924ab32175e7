"""The one definition of a citation mark, used by all code that reads or draws marks, and functions to find marks in a text.

A mark is `[1]`; a list or a range in one pair of brackets is several marks: `[1, 2]`, `[1-3]`. A number has at most three
digits, since four in brackets are a year. Once the marks of an answer are settled, it contains only single marks.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered

_NUMBER = r"\d{1,3}"
_BRACKETS = rf"\[{_NUMBER}(?:\s*+[,;–-]\s*+{_NUMBER})*+\]"
# The lookbehinds for the start of the blanks keep long runs of them linear.
_MARKS = lazy_pattern(rf"(?P<before>(?<![ \t])[ \t]*+)(?P<marks>{_BRACKETS}(?:[ \t]*+{_BRACKETS})*+)(?P<after>[ \t]*+)")
_BLANKS_AND_BRACKETS = lazy_pattern(rf"(?<!\s)\s*+{_BRACKETS}")
_SINGLE = lazy_pattern(rf"\[({_NUMBER})\]")
_LEADING = lazy_pattern(rf"{_SINGLE.pattern} ")
_MEMBERS = lazy_pattern(r"(\d+)(?:\s*+[–-]\s*+(\d+))?")


@dataclass(frozen=True, slots=True)
class Mark:
    """A single mark `[k]` of a text.

    Attributes:
        number: the k.
        start: the position of its opening bracket in the text, in code points.
        end: one past its closing bracket.
    """

    number: int
    start: int
    end: int


def marks_in(text: str) -> list[tuple[int, int]]:
    """The number of each mark in a text, and the position of the brackets that it is in or that precede it."""
    if "[" not in text:  # as in most sentences, and searching each position for blanks takes long
        return []
    return [(number, match.start("marks")) for match in _MARKS.finditer(text) for number in _numbers(match["marks"])]


def single_marks(text: str, known: Container[int]) -> Iterator[Mark]:
    """The marks of a text whose marks are settled; a number in brackets that is not known is just text."""
    for match in _SINGLE.finditer(text):
        if (number := int(match[1])) in known:
            yield Mark(number, match.start(), match.end())


def leading_mark(text: str) -> int | None:
    """The number of the mark that begins a step's line."""
    return int(match[1]) if (match := _LEADING.match(text)) else None


def without_leading_mark(text: str) -> str:
    """A step's line such as `[1] Who wrote it? -> Ida Renn` without the mark that begins it."""
    return text[match.end() :] if (match := _LEADING.match(text)) else text


def settle_marks(text: str, allowed: Iterable[int]) -> tuple[str, int]:
    """Removes every mark that resolves to no citation, and expands lists: `[1, 2]` and `[1-2]` become `[1] [2]`.

    Returns:
        The text with the valid marks, and the number of removed ones.
    """
    known = set(allowed)
    kept, removed = keep_marks(text, lambda number, _: number in known)
    return kept, len(removed)


def keep_marks(text: str, holds: Callable[[int, int], bool]) -> tuple[str, list[int]]:
    """Removes every invalid mark, and expands lists as `settle_marks` does.

    Args:
        text: an answer.
        holds: whether a mark is valid, given its number and its position in the text.

    Returns:
        The text with the valid marks, and the numbers of the removed ones.
    """
    removed: list[int] = []
    if "[" not in text:
        return text, removed

    def keep(match: re.Match[str]) -> str:
        numbers = _numbers(match["marks"])
        held = [number for number in numbers if holds(number, match.start("marks"))]
        removed.extend(number for number in numbers if number not in held)
        if held:
            return match["before"] + " ".join(f"[{number}]" for number in held) + match["after"]
        is_first = match.start() == 0 or text[match.start() - 1] == "\n"
        return match["before"] if is_first else match["after"]

    return _MARKS.sub(keep, text), removed


def drop_marks(text: str) -> str:
    """The text without marks and without the blanks before them."""
    return _BLANKS_AND_BRACKETS.sub("", text) if "[" in text else text


def drop_marks_between_words(text: str) -> str:
    """Like `drop_marks`, but leaves a space where a mark is all that separates two words (`Brno[1]and`)."""
    return _BLANKS_AND_BRACKETS.sub(_between, text) if "[" in text else text


@remembered
def without_marks(text: str) -> tuple[str, Sequence[int]]:
    """The text without marks, which would otherwise split sentences or words, and the original position of each character."""
    if "[" not in text:
        return text, range(len(text))
    kept: list[str] = []
    places = array("L")
    position = 0
    for match in _MARKS.finditer(text):
        kept.append(text[position : match.start()])
        places.extend(range(position, match.start()))
        position = match.end("marks")
    if not kept:
        return text, range(len(text))
    places.extend(range(position, len(text)))
    return "".join([*kept, text[position:]]), places


def _between(mark: re.Match[str]) -> str:
    before, after = mark.string[: mark.start()][-1:], mark.string[mark.end() :][:1]
    return " " if before.isalnum() and after.isalnum() else ""


def _numbers(marks: str) -> list[int]:
    """The numbers of marks, with ranges expanded."""
    numbers: list[int] = []
    for match in _MEMBERS.finditer(marks):
        first, last = int(match[1]), int(match[2] or match[1])
        numbers += range(first, last + 1) if first <= last else (first, last)
    return numbers
