"""Parses the replies of a chain of retrieval (CoRAG): the next sub-question, and the answer to one from its documents."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.final import short_form
from hopweave.text.quotation import unquoted
from hopweave.text.refusal import does_not_know, is_refusal

_LABEL = lazy_pattern(
    r"[\s>*_#`•·+|-]*+(?:\d++[.)]\s*+)?+"
    r"(?:(?:next|new|simple|follow[ -]?up|intermediate|search|sub)[ -]*+){0,4}"
    r"(?:question|query)[ \t#]*+\d*+[*_` \t]*+:[*_`\s]*+",
    re.IGNORECASE | re.ASCII,
)
_NUMBER = lazy_pattern(r"^\d{1,2}[.)]\s++", re.ASCII)
_ANSWER_LABEL = lazy_pattern(
    r"[\s>*_#`•·+|-]*+(?:intermediate[ \t]++|sub-?)?+answer[ \t#]*+\d*+[*_` \t]*+:[*_`\s]*+", re.IGNORECASE | re.ASCII
)
_ENOUGH = lazy_pattern(r"[\W_]*+nothing\s++(?:more|else|further)\b|[\W_]*+enough\b", re.IGNORECASE | re.ASCII)
_NOTHING = lazy_pattern(r"[\W_]*+no\s++(?:relevant|useful|helpful)\s++information\b", re.IGNORECASE | re.ASCII)
_OPENING = "> *_#`•·+|-\t"
_LONGEST = 400


def read_sub_question(text: str) -> str:
    r"""The sub-question in a reply, on one line; empty if there is none.

    It is the first line that ends in a question mark, else the first line with words that does not announce another (with a
    colon at its end). A label or number before it, quotation marks and Markdown are removed. A line of more than 400
    characters is none.

    >>> read_sub_question('Sure, here it is:\n**Follow-up question 2:** "Who built it?"')
    'Who built it?'
    """
    lines = [_NUMBER.sub("", _bare(line, _LABEL), count=1) for line in text.splitlines()]
    lines = [line for line in lines if any(map(str.isalnum, line)) and len(line) <= _LONGEST]
    asking = [line for line in lines if line.endswith("?")]
    saying = [line for line in lines if not line.endswith(":")]
    return next(iter([*asking, *saying]), "")


def says_enough(text: str) -> bool:
    """Whether a reply says, in place of a sub-question, that nothing more is needed.

    >>> says_enough("Nothing more is needed."), says_enough("Enough"), says_enough("Who wrote Enough?")
    (True, True, False)
    """
    return _ENOUGH.match(text) is not None and not text.rstrip().endswith("?")


def read_sub_answer(text: str) -> str:
    """The answer to a sub-question, on one line; empty if the documents do not tell, or the reply is empty.

    >>> read_sub_answer("Answer: Ada Finch."), read_sub_answer("No relevant information found.")
    ('Ada Finch', '')
    """
    said = " ".join(_bare(text, _ANSWER_LABEL).split())
    return "" if _NOTHING.match(said) or is_refusal(said) or does_not_know(said) else short_form(said)


def _bare(line: str, label: re.Pattern[str]) -> str:
    match = label.match(line)
    rest = line[match.end() :] if match else line
    return unquoted(rest.strip().strip(_OPENING).strip())
