"""Parses the turn of a model that acts by tags (Search-R1): its thoughts, and the search or the answer after them.

The requested form is

    <think> its thoughts </think>
    <search> a query </search>

or `<answer> the answer </answer>` in place of the search. Generation stops at the closing tag, so it is usually missing; so are
the thoughts where an endpoint reports them apart. With a word joiner after its bracket, as in passages in prompts
(`prompt.escape`), it is not a tag.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from hopweave.core.lazy_pattern import lazy_pattern

Kind = Literal["search", "answer", ""]

_FLAGS = re.IGNORECASE | re.ASCII
_ACTION = lazy_pattern(r"<\s*+(?P<kind>search|answer)\s*+>", _FLAGS)
_TAG = lazy_pattern(r"<\s*+/?\s*+(?:search|answer|think|information)\s*+>", _FLAGS)
_THINKS = lazy_pattern(r"<\s*+think\s*+>", _FLAGS)
_HAS_THOUGHT = lazy_pattern(r"<\s*+/\s*+think\s*+>", _FLAGS)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of the model.

    Attributes:
        kind: what it does; empty if it neither searches nor answers.
        argument: the query, on one line, or the answer.
        said: what it says outside of its thoughts before it acts.
        written: the whole turn, with the closing tag of its action; whatever comes after that is left out.
    """

    kind: Kind
    argument: str
    said: str
    written: str


def read_turn(text: str) -> Turn:
    r"""Reads a turn: its first action outside of the thoughts, else its first action.

    An action without a letter or digit in it is none.

    >>> read_turn("<think> Who built it? </think>\n<search> builder of the light").argument
    'builder of the light'
    """
    outside = _end_of_thoughts(text)
    match = _ACTION.search(text, outside) or _ACTION.search(text)
    if match is None:
        return Turn("", "", _said(text), text.strip())
    end = _end_of_argument(text, match.end())
    inside = text[match.end() : end].strip()
    said, written = _said(text[: match.start()]), f"{text[:end].rstrip()} </{match['kind'].lower()}>"
    if not any(map(str.isalnum, inside)):
        return Turn("", "", said, written)
    if match["kind"].lower() == "answer":
        return Turn("answer", inside, said, written)
    return Turn("search", " ".join(inside.split()), said, written)


def read_answer(text: str) -> str:
    """The answer of a reply that continues an opened answer tag, or opens it again.

    >>> read_answer(" Perth </answer> Done."), read_answer("<answer>Perth")
    ('Perth', 'Perth')
    """
    rest = text[_end_of_thoughts(text) :]
    match = _ACTION.search(rest)
    start = match.end() if match is not None and match["kind"].lower() == "answer" else 0
    return rest[start : _end_of_argument(rest, start)].strip()


def ends_in_action(text: str) -> bool:
    """Whether a text ends in an action that is not closed: where generation stopped at its closing tag."""
    opened = [match.end() for match in _ACTION.finditer(text)]
    return bool(opened) and _TAG.search(text, opened[-1]) is None


def _end_of_thoughts(text: str) -> int:
    return max((match.end() for match in _HAS_THOUGHT.finditer(text)), default=0)


def _end_of_argument(text: str, start: int) -> int:
    match = _TAG.search(text, start)
    return match.start() if match else len(text)


def _said(text: str) -> str:
    """The words outside of the thoughts."""
    rest = text[_end_of_thoughts(text) :]
    opened = _THINKS.search(rest)
    return (rest[: opened.start()] if opened else rest).strip()
