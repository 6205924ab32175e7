"""Parses a rewritten question, with any text before and around it."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.quotation import OPENING, unquoted
from hopweave.text.refusal import is_refusal

_LONGEST = 400
_BEFORE_QUESTION = lazy_pattern(
    r"^[\W_]*+(?:(?:the\s+)?(?:new|rewritten|revised|sub)?[\s-]*+(?:sub[\s-]?)?question(?:\s+is)?[\s*_]*+:)[\s*_]*+|^[>\s*_#-]+|^\d{1,2}[.)]\s+",
    re.IGNORECASE,
)
_ASKS = lazy_pattern(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
_VERB = lazy_pattern(r"\b(?:is|are|was|were|has|have|had|does|did|do|can|could|will|would|should|may|might)\b", re.IGNORECASE)
_BEGINS_WITH_VERB = lazy_pattern(rf"[\W_]*+{_VERB.pattern}", re.IGNORECASE)


def parse_rewritten(text: str, question: str) -> str:
    """The first line of a reply that has words, as the new form of a question; empty if it is not valid.

    Anything after the question mark is ignored. A refusal is invalid, as are more than 400 characters, and a line that
    answers instead of asking: one without a question mark where the question had one, a statement, or a yes-or-no question
    (which contains a guess) where the question asks who, what, when and the like. A question without a mark ("Find the mayor
    of that town") may be rewritten with one, or without one if the line adds no statement.

    >>> parse_rewritten("**New question:** Where was Ida Renn born?", "Where was she born?")
    'Where was Ida Renn born?'
    """
    lines = (unquoted(_BEFORE_QUESTION.sub("", line, count=1).strip("*_` ")) for line in text.splitlines())
    line = next(filter(None, lines), "")
    asked = unquoted(line[: line.rindex("?") + 1].strip("*_` ")) if "?" in line else line
    return "" if is_refusal(text) or len(asked) > _LONGEST or (question and _answers(asked, question)) else asked


def _answers(asked: str, question: str) -> bool:
    """Whether a line answers a question instead of asking it."""
    if "?" not in asked:
        return (
            "?" in question or (_VERB.search(asked) is not None and _VERB.search(question) is None) or _is_bare(asked, question)
        )
    if _ASKS.search(asked) or not _ASKS.search(question) or _BEGINS_WITH_VERB.match(question):
        return False
    return _VERB.search(asked) is not None


def _is_bare(asked: str, question: str) -> bool:
    """Whether a line has neither the first word nor a question word of the request that it should reword."""
    first = question.split(maxsplit=1)[0].strip(f"{OPENING}(").lower() if question.split() else ""
    return first not in asked.lower().split() and not _ASKS.match(asked)
