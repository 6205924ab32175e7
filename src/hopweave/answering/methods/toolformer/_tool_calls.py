"""Parses the tool calls that a model writes into its answer, `[WikiSearch("a query")`, closed or not.

Models write single, double, typographic or no quotation marks, `query=` before them, a colon in place of the parenthesis, and
forget how many brackets they opened. With a word joiner after the bracket, as in passages in prompts (`prompt.escape`), it is
not a call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.quotation import PAIRS, QUOTATION_MARKS

_CALL = lazy_pattern(
    r"\[[\s*_`]*+wikisearch(?![^\W\d_])[*_`]*+[ \t]*+(?P<open>[(:])?+[ \t]*+(?:(?:query|input|q)[ \t]*+=[ \t]*+)?+",
    re.IGNORECASE,
)
_END = lazy_pattern(r"[\r\n]|[-–—]>|→")
_CLOSING = PAIRS | {"`": "`'"}
_EDGES = f" \t{QUOTATION_MARKS}`*_"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call: where it begins in the text, and its query, empty if there is none to be read."""

    start: int
    query: str


def first_call(text: str) -> ToolCall | None:
    """The first call in a text, complete or not; `None` if there is none.

    The query ends at its closing quotation mark, else at its closing bracket, else at an arrow or the end of the line.

    >>> first_call('It was [WikiSearch("Who was it?")')
    ToolCall(start=7, query='Who was it?')
    """
    match = _CALL.search(text)
    if match is None:
        return None
    line = _END.split(text[match.end() :], maxsplit=1)[0]
    inside = _quoted(line) if line[:1] in _CLOSING else None
    query = " ".join((_bracketed(line) if inside is None else inside).split()).strip(_EDGES)
    return ToolCall(match.start(), query if any(char.isalnum() for char in query) else "")


def _quoted(line: str) -> str | None:
    """The text in the quotation marks at the beginning of a line; `None` if they are not closed.

    A mark before a bracket or at the end of the line closes them, else the first one that is not an apostrophe inside a word.
    """
    closing = f"[{re.escape(_CLOSING[line[0]])}]"
    match = re.compile(rf"{closing}(?=\s*+(?:[)\]]|$))").search(line, 1) or re.compile(rf"{closing}(?!\w)").search(line, 1)
    return line[1 : match.start()] if match else None


def _bracketed(line: str) -> str:
    """The text before the bracket that closes the call; the entire line if there is none."""
    depth = 0
    for position, char in enumerate(line):
        depth += (char == "(") - (char == ")")
        if depth < 0 or char == "]":
            return line[:position]
    return line
