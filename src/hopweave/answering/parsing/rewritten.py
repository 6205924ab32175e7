"""Reads a rewritten question, whatever stands before and around it."""

from __future__ import annotations

import re

from hopweave.text.quotation import OPENING, unquoted
from hopweave.text.refusal import is_refusal

_LONGEST = 400
_BEFORE_QUESTION = re.compile(
    r"^[\W_]*+(?:(?:the\s+)?(?:new|rewritten|revised|sub)?[\s-]*+(?:sub[\s-]?)?question(?:\s+is)?[\s*_]*+:)[\s*_]*+|^[>\s*_#-]+|^\d{1,2}[.)]\s+",
    re.IGNORECASE,
)
_ASKS = re.compile(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|does|did|do|can|could|will|would|should|may|might)\b", re.IGNORECASE)
_BEGINS_WITH_VERB = re.compile(rf"[\W_]*+{_VERB.pattern}", re.IGNORECASE)


def parse_rewritten(text: str, question: str) -> str:
    """The first line of a reply that has words, as the new form of a question; empty if it is none.

    What is said behind the question mark is left out. A refusal is none, nor is more than 400 characters, nor what answers
    instead of asking: a line without a question mark where the question had one, a statement, or a yes-or-no question (which
    holds a guess) where the question asks who, what, when and the like. A question without a mark ("Find the mayor of that
    town") is rewritten by a line with one, or by one that states no more than it did.

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
    """Whether a line has nothing of the request that it should put in other words: no first word, and no question word."""
    first = question.split(maxsplit=1)[0].strip(f"{OPENING}(").lower() if question.split() else ""
    return first not in asked.lower().split() and not _ASKS.match(asked)
