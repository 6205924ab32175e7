"""Parses the turn of a model that acts (ReAct): its thought, and the action after it.

An action is one of the tools with its argument in brackets, `Search[...]`, `Lookup[...]` or `Finish[...]`. It follows
`Action 1:`, however decorated, or begins a line. Whatever the model invents after it is ignored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from hopweave.answering.parsing.lines import with_line_feeds
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import LINE_OPENING
from hopweave.text.quotation import unquoted
from hopweave.text.white_space import evenly_spaced

Tool = Literal["search", "lookup", "finish"]

_TOOLS: dict[str, Tool] = {"search": "search", "lookup": "lookup", "finish": "finish"}
_NUMBER = r"[ \t#_-]*+\d*+[ \t*_`]*+:"
_TOOL = r"\b(?:search|lookup|finish)[ \t]*+\["
# All of these are escaped in passages (`prompt.escape`), so that no passage can act by being repeated.
_ACTION = lazy_pattern(
    rf"^{LINE_OPENING}action{_NUMBER}|(?<![^\W_])action{_NUMBER}(?=[ \t*_`]*+{_TOOL})|^{LINE_OPENING}(?={_TOOL})",
    re.IGNORECASE | re.MULTILINE,
)
_THOUGHT = lazy_pattern(rf"\s*+{LINE_OPENING}thought{_NUMBER}[ \t*_`]*+", re.IGNORECASE)
_NEXT = lazy_pattern(rf"^{LINE_OPENING}(?:thought|action|observation|question|claim){_NUMBER}", re.IGNORECASE | re.MULTILINE)
_CALL = lazy_pattern(r"[\s>*_#`•·+|\"'-]*+\b(?P<tool>search|lookup|finish)[ \t]*+\[", re.IGNORECASE)
_BRACKETS = lazy_pattern(r"[\[\]]")


@dataclass(frozen=True, slots=True)
class Action:
    """A tool and its argument, which is on one line unless it is a long answer."""

    tool: Tool
    argument: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A thought, on one line, and the text of the action after it; `None` if there is no action."""

    thought: str
    action: str | None


def read_turn(text: str) -> Turn:
    r"""Splits a turn where its first action begins. Without an action, the first line is the thought.

    >>> read_turn("Who wrote it?\nAction 1: Search[The Trial]")
    Turn(thought='Who wrote it?', action='Search[The Trial]')
    """
    text = with_line_feeds(text)
    begun = _THOUGHT.match(text)
    text = text[begun.end() :] if begun else text
    match = _ACTION.search(text)
    if match is None:
        return Turn(evenly_spaced(text.strip().split("\n", 1)[0]), None)
    # A separate thought after an action belongs to the next turn; one before it belongs to this turn.
    following = _NEXT.search(text, match.end())
    end = following.start() if following else len(text)
    return Turn(evenly_spaced(text[: match.start()]), text[match.end() : end].strip(" \t\n*_`"))


def read_action(text: str) -> Action | None:
    """The tool and its argument; `None` if the text names no tool, or its argument is missing.

    Only `Finish[]` needs no argument. Brackets within the argument are balanced. An argument whose bracket is never closed ends
    with its line, or for an answer, with the text.

    >>> read_action("search[Dr. No [film]] to learn more")
    Action(tool='search', argument='Dr. No [film]')
    """
    text = with_line_feeds(text)
    match = _CALL.match(text)
    if match is None:
        return None
    tool = _TOOLS.get(match["tool"].lower())
    if tool is None:  # a letter that matches only because case is ignored
        return None
    said = text[match.end() :] if tool == "finish" else text[match.end() :].split("\n", 1)[0]
    argument = unquoted(said[: _end_of_argument(said)])
    argument = argument.strip() if tool == "finish" else evenly_spaced(argument)
    return Action(tool, argument) if argument or tool == "finish" else None


def _end_of_argument(said: str) -> int:
    depth = 1
    for bracket in _BRACKETS.finditer(said):
        depth += 1 if bracket[0] == "[" else -1
        if depth == 0:
            return bracket.start()
    return len(said)
