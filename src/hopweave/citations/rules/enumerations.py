"""Names in a row, `Orlau, Brno and Kerrow`: a sentence that lists them does not say which of them is the one that is asked for.

Only English is understood.
"""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.languages import is_foreign

_ITEM = r"(?:the )?[A-Z][\w'’.-]*(?: (?:of |de |the )?[A-Z][\w'’.-]*){0,4}(?: \([^()]{0,60}\))?"
_LIST = lazy_pattern(rf"(?<![\w'’.-]){_ITEM}(?:, {_ITEM}){{1,8}},? (?:and|or) {_ITEM}")
_ASKS_FOR_ONE = lazy_pattern(r"^\W*(?:where|who|in which|which|what|to whom|at which|on which)\b", re.IGNORECASE)
_ASKS_FOR_SOME = lazy_pattern(
    r"\b(?:are|were|have|do|did you|any|one of|some|example|names?|members?|includ\w+|among|between|of the following)\b",
    re.IGNORECASE,
)


def is_one_of_a_row(query: str, sentence: str, focus: Span) -> bool:
    """Whether some words are one name in a row of three or more, while one thing is asked for.

    Args:
        query: the query.
        sentence: the sentence.
        focus: the position of the words in it.

    >>> told = "Three towns were looked at: Orlau, Brno and Kerrow."
    >>> is_one_of_a_row("Where will the hall be?", told, Span(28, 33))
    True
    >>> is_one_of_a_row("Which towns are they?", told, Span(28, 50))
    False
    """
    if is_foreign(sentence) or not _ASKS_FOR_ONE.search(query) or _ASKS_FOR_SOME.search(query):
        return False
    return any(
        row.start() <= focus.start and focus.end <= row.end() and focus.end - focus.start < len(row[0]) // 2
        for row in _LIST.finditer(sentence)
    )
