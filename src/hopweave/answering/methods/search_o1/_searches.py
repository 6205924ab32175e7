"""Parses what a reasoning model writes in Search-o1: its searches, the findings of its reading, its boxed answer.

A search is `<|begin_search_query|> a query <|end_search_query|>`; generation stops at the second tag, so it is usually missing.
With a word joiner after its bracket, as in passages in prompts (`prompt.escape`), it is not a tag.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.quotation import unquoted

BEGIN_QUERY, END_QUERY = "<|begin_search_query|>", "<|end_search_query|>"
BEGIN_RESULT, END_RESULT = "<|begin_search_result|>", "<|end_search_result|>"

_FLAGS = re.IGNORECASE | re.ASCII
_TAG = lazy_pattern(r"<\s*+\|?+\s*+(?:begin|end)_search_(?:query|result)\s*+\|?+\s*+>?+", _FLAGS)
_OPENING = lazy_pattern(r"<\s*+\|?+\s*+begin_search_query\s*+\|?+\s*+>?+", _FLAGS)
_FINDING = lazy_pattern(r"\bfinal[ \t]++information(?!\u2060)(?:[*_`]*+[ \t]*+:[*_`]*+|[*_` \t]*+$)", _FLAGS | re.MULTILINE)
_NOTHING = lazy_pattern(
    r"\W*+no\s++(?:helpful|relevant|useful)\s++information(?:\s++(?:was|is|were))?+(?:\s++(?:found|given|available))?+\W*+",
    _FLAGS,
)
_ANSWER = lazy_pattern(r"\bfinal[ \t]++answer[*_`]*+[ \t]*+:[*_`]*+", _FLAGS)
_BOXED = lazy_pattern(r"\\boxed\s*+\{", re.ASCII)
_BRACES = lazy_pattern(r"[{}]")
_DRESSED = lazy_pattern(r"\\(?:text|textbf|textit|mathrm|mathbf)\s*+\{([^{}]*+)\}")
_ESCAPED = lazy_pattern(r"\\([&%$#_{} ,])")


@dataclass(frozen=True, slots=True)
class WrittenSearch:
    """A search: where it begins in the text, and its query on one line, empty if there is none."""

    start: int
    query: str


def first_search(text: str) -> WrittenSearch | None:
    """The first search in a text, closed or not; `None` if there is none.

    The query reaches to the next tag, else to the end of the line that it begins on.

    >>> first_search("Who was it? <|begin_search_query|>mayor of Orlau<|end_search_query|>")
    WrittenSearch(start=12, query='mayor of Orlau')
    """
    opening = _OPENING.search(text)
    if opening is None:
        return None
    closing = _TAG.search(text, opening.end())
    inside = text[opening.end() : closing.start()] if closing else _first_line(text[opening.end() :])
    query = unquoted(" ".join(inside.split()))
    return WrittenSearch(opening.start(), query if any(map(str.isalnum, query)) else "")


def ends_in_search(text: str) -> bool:
    """Whether a text ends in a search that is not closed: where generation stopped at its closing tag."""
    opened = [match.end() for match in _OPENING.finditer(text)]
    return bool(opened) and _TAG.search(text, opened[-1]) is None


def read_finding(text: str) -> str:
    """What helps, according to a reading of the documents: the words after the last marker that is followed by any, else all.

    Returns:
        It without tags; empty if the reading says that nothing helps.
    """
    parts = _FINDING.split(text)
    finding = next((part for part in reversed(parts) if any(map(str.isalnum, part))), "").strip(" \t\r\n*_`:")
    finding = _TAG.sub("", finding).strip()
    return "" if _NOTHING.fullmatch(finding) else finding


def read_boxed(text: str) -> str:
    r"""The words in the last `\boxed{...}` of a text, without LaTeX around them; empty if there is none.

    >>> read_boxed(r"It is \boxed{\text{Perth}}.")
    'Perth'
    """
    starts = [match.end() for match in _BOXED.finditer(text)]
    if not starts:
        return ""
    inside = text[starts[-1] : _end_of_braces(text, starts[-1])]
    return _ESCAPED.sub(r"\1", _DRESSED.sub(r"\1", inside)).strip()


def read_explanation(text: str) -> str:
    """The words after the last `Final answer:` of a text that is followed by any; empty if there is none."""
    return next((part.strip() for part in reversed(_ANSWER.split(text)[1:]) if part.strip()), "")


def _end_of_braces(text: str, start: int) -> int:
    depth = 1
    for brace in _BRACES.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return len(text)


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0]
