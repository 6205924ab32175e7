"""Parses the replies of a chain of retrieval (CoRAG): the next sub-question, and the answer to one from its documents."""

from __future__ import annotations

import re
from itertools import takewhile

from hopweave.answering.parsing.announcing import lines_said
from hopweave.answering.toolkit.final_answer import restated_answer
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
_SENTENCE = lazy_pattern(r"[\W_]*+[A-ZÀ-ÖØ-Þ]\w*+(?:[^\w\n]++\w++){3}[^\n]*[.!?][*_`\s]*$")
_OPENING = "> *_#`•·+|-\t"
_LONGEST = 400


def read_sub_question(text: str) -> str:
    r"""The sub-question in a reply, on one line; empty if there is none.

    It is the first line that ends in a question mark, else the first line that does not only announce another. A label or a
    number before it, quotation marks and Markdown are removed. A line of more than 400 characters is none.

    >>> read_sub_question('Sure, here it is:\n**Follow-up question 2:** "Who built it?"')
    'Who built it?'
    """
    lines = [_NUMBER.sub("", _bare(line, _LABEL), count=1) for line in lines_said(text)]
    lines = [line for line in lines if any(map(str.isalnum, line)) and len(line) <= _LONGEST]
    return next((line for line in lines if line.endswith("?")), lines[0] if lines else "")


def says_enough(text: str) -> bool:
    """Whether a reply says, in place of a sub-question, that nothing more is needed.

    >>> says_enough("Nothing more is needed."), says_enough("Enough"), says_enough("Who wrote Enough?")
    (True, True, False)
    """
    return _ENOUGH.match(text) is not None and not text.rstrip().endswith("?")


def read_sub_answer(text: str) -> str:
    r"""The answer to a sub-question, on one line; empty if the documents do not tell, or the reply is empty.

    Sentences on lines of their own below a bare answer explain it, and are left out. Other lines are part of the answer.

    >>> read_sub_answer("Answer: Ada Finch."), read_sub_answer("No relevant information found.")
    ('Ada Finch', '')
    >>> read_sub_answer("Ada Finch\n\nThe second passage says so."), read_sub_answer("Ada Finch\nMax Orr")
    ('Ada Finch', 'Ada Finch Max Orr')
    """
    said = " ".join(_without_explanation(_bare(text, _ANSWER_LABEL)).split())
    if _NOTHING.match(said) or is_refusal(said) or does_not_know(said):
        return ""
    return restated_answer(said) or short_form(said)


def _without_explanation(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or lines[0].rstrip("*_` ").endswith(":") or _SENTENCE.match(lines[0]):
        return text
    return "\n".join(takewhile(lambda line: not _SENTENCE.match(line), lines))


def _bare(line: str, label: re.Pattern[str]) -> str:
    match = label.match(line)
    rest = line[match.end() :] if match else line
    return unquoted(rest.strip().strip(_OPENING).strip())
