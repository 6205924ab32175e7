"""Reads a rewritten question, whatever stands before and around it."""

from __future__ import annotations

import re

from hopweave.parse.final import unquoted
from hopweave.parse.refusal import is_refusal

_LONGEST = 400
_BEFORE_QUESTION = re.compile(
    r"^[\W_]*+(?:(?:the\s+)?(?:new|rewritten|revised|sub)?[\s-]*+(?:sub[\s-]?)?question(?:\s+is)?[\s*_]*+:)[\s*_]*+|^[>\s*_#-]+|^\d{1,2}[.)]\s+",
    re.IGNORECASE,
)


def parse_rewritten(text: str, question: str) -> str:
    """The first line of a reply that has words, as the new form of a question; empty if it is none.

    A refusal is none, nor is more than 400 characters, nor a line without a question mark where the question had one: then the
    model answered instead.

    >>> parse_rewritten("**New question:** Where was Ida Renn born?", "Where was she born?")
    'Where was Ida Renn born?'
    """
    lines = (unquoted(_BEFORE_QUESTION.sub("", line, count=1).strip("*_` ")) for line in text.splitlines())
    asked = next(filter(None, lines), "")
    is_lost = "?" in question and "?" not in asked
    return "" if is_lost or is_refusal(text) or len(asked) > _LONGEST else asked
