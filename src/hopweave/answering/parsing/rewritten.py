"""Parses a rewritten question, with any text before and around it."""

from __future__ import annotations

import re

from hopweave.answering.parsing.announcing import lines_said
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.content_words import keys_of
from hopweave.text.matching import normalize_answer
from hopweave.text.quotation import OPENING, unquoted
from hopweave.text.refusal import is_refusal

_LONGEST = 400
_OF_QUESTION = r"(?:[\s-]++(?:sub[\s-]?+)?+question)?+(?:\s++(?:is|was))?+[\s*_]*+:[\s*_]*+"
_REWRITTEN = lazy_pattern(
    rf"^[\W_]*+(?:the\s++)?+(?:final|new|resolved|revised|reworded|rewritten|self-contained|standalone|updated){_OF_QUESTION}",
    re.IGNORECASE,
)
_ORIGINAL = lazy_pattern(rf"^[\W_]*+(?:the\s++)?+(?:given|initial|main|old|original|previous){_OF_QUESTION}", re.IGNORECASE)
_BEFORE_QUESTION = lazy_pattern(
    r"^[\W_]*+(?:(?:the\s+)?(?:new|rewritten|revised|sub)?[\s-]*+(?:sub[\s-]?)?question(?:\s+is)?[\s*_]*+:)[\s*_]*+|^[>\s*_#-]+|^\d{1,2}[.)]\s+",
    re.IGNORECASE,
)
_ASKS = lazy_pattern(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
_VERB = lazy_pattern(r"\b(?:is|are|was|were|has|have|had|does|did|do|can|could|will|would|should|may|might)\b", re.IGNORECASE)
_BEGINS_WITH_VERB = lazy_pattern(rf"[\W_]*+{_VERB.pattern}", re.IGNORECASE)


def parse_rewritten(text: str, question: str) -> str:
    r"""The new form of a question in a reply; empty if there is none.

    It is the line that is labelled as such ("Rewritten question:"), else the first line that says something, unless that only
    repeats the question or answers it; then it is the first later one that asks for something of the question. Lines that
    announce others are passed over, and so is one labelled as the original question.

    Anything after the question mark is ignored. A refusal is invalid, as are more than 400 characters, and a line that
    answers instead of asking: one without a question mark where the question had one, a statement, or a yes-or-no question
    (which contains a guess) where the question asks who, what, when and the like. A question without a mark ("Find the mayor
    of that town") may be rewritten with one, or without one if the line adds no statement.

    Args:
        text: the reply; any text is accepted.
        question: the question as it was; empty if any will do.

    >>> parse_rewritten("**New question:** Where was Ida Renn born?", "Where was she born?")
    'Where was Ida Renn born?'
    >>> parse_rewritten("Original: Where was she born?\nRewritten: Where was Ida Renn born?", "Where was she born?")
    'Where was Ida Renn born?'
    """
    if is_refusal(text):
        return ""
    lines = [line for line in lines_said(text) if not _ORIGINAL.match(line)]
    asked = [_asked(line, question) for line in lines]
    labelled = [one for line, one in zip(lines, asked, strict=True) if one and _REWRITTEN.match(line)]
    if labelled:
        return labelled[0]
    first, *later = asked or [""]
    if first and normalize_answer(first) != normalize_answer(question):
        return first
    return next((one for one in later if _is_alike(one, question)), first)


def _asked(line: str, question: str) -> str:
    """The question in a line, without what stands before and behind it; empty if it is not valid."""
    bare = unquoted(_BEFORE_QUESTION.sub("", _REWRITTEN.sub("", line), count=1).strip("*_` "))
    asked = unquoted(bare[: bare.rindex("?") + 1].strip("*_` ")) if "?" in bare else bare
    return "" if len(asked) > _LONGEST or (question and _answers(asked, question)) else asked


def _is_alike(asked: str, question: str) -> bool:
    """Whether a line asks for something that a question names, and is not that question."""
    return "?" in asked and normalize_answer(asked) != normalize_answer(question) and bool(keys_of(asked) & keys_of(question))


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
