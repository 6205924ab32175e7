"""Defaults of programs: whether one is asked for, and which number of a sentence it is."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.content_words import keys_of
from hopweave.text.key_terms import FUNCTION_WORDS

_ASKS_FOR_DEFAULT = lazy_pattern(
    r"\bdefaults?\b|\bout of the box\b|\bunless (?:(?:\w+ ){1,3}otherwise|(?:I|you|we) \w+)\b|\b(?:un|not )configured\b"
    r"|\bl(?:eave|eaving|eft) (?:\w+ ){0,3}(?:alone|out|as (?:it is|they are))\b"
    r"|(?:n['’]t|\bnot|\bwithout) (?:choos|set|g[ia]v|specif|say|pass|nam|chang)\w*"
    r"|\b(?:with no|without(?: an?| any| the)?) (?:\w+ )?(?:argument|option|parameter|setting)s?\b",
    re.IGNORECASE,
)
_DEFAULT = lazy_pattern(
    r"(?<![\w.,-])(-?\d[\w.,]*)(?:\s++\w+)?\s++(?:is|being)\s++the\s++default\b"
    r"|\bdefaults?(?:\s++values?)?(?:\s++(?:is|are|of|to|being)|:|=)\s*+(-?\d[\w.,]*)",
    re.IGNORECASE,
)


_DEFAULTS_TO = lazy_pattern(
    rf"\b(?:defaults\s++to|default(?:\s++value)?\s++is)\s++[\"'`“‘]?(?P<value>(?!(?:{'|'.join(sorted(FUNCTION_WORDS))})\b)[\w./:-]*\w)"
    r"(?=[\"'`”’]?(?:[.,;)]|\Z))",
    re.IGNORECASE,
)
"""`one of warn and info, and defaults to info`."""
_MARKED = lazy_pattern(
    r"(?P<before>(?:[,:;/|(\[]|\bor\b)\s*+)?[\"'`“‘]?(?<![^\s,;:()/|\[\]\"'`“‘])(?P<value>[^\s,;:()/|\[\]\"'`“”‘’]++)[\"'`”’]?"
    r"\s?[(\[](?:the |by )?default[)\]](?P<after>\s?[,;/|]|\s(?:or|and)\b)?",
    re.IGNORECASE,
)
"""One of several values, with a note that it is the default: `html (default), txt`."""


@remembered
def asks_for_default(asking: str) -> bool:
    """Whether a question or a statement is about a default.

    >>> asks_for_default("Which level is used if I don't choose one?"), asks_for_default("Which level is used?")
    (True, False)
    """
    return _ASKS_FOR_DEFAULT.search(asking) is not None


def states_default(text: str) -> bool:
    """Whether a text states a default.

    >>> states_default("defaults to 6"), states_default("It has nine levels.")
    (True, False)
    """
    return "default" in text.lower()


def is_no_default(asking: str, sentence: str, focus: Span) -> bool:
    """Whether a default is asked for, and a sentence says that another value than the one at a position is it.

    Args:
        asking: the question, or a statement; one that has the default may have other values as well.
        sentence: the sentence.
        focus: the position of the value in it.

    >>> told = "Valid values are from 1 to 9 with 6 being the default."
    >>> [is_no_default("What is the default level?", told, Span(start, start + 1)) for start in (22, 34)]
    [True, False]
    >>> is_no_default("What is the default format?", "Formats: html (default), txt.", Span(25, 28))
    True
    """
    if not asks_for_default(asking):
        return False
    stated = [match.span("value") for match in _MARKED.finditer(sentence) if match["before"] or match["after"]]
    if sentence[focus.start : focus.end].lstrip("-")[:1].isdigit():
        stated += [match.span(1) if match[1] else match.span(2) for match in _DEFAULT.finditer(sentence)]
    else:
        stated += [match.span("value") for match in _DEFAULTS_TO.finditer(sentence)]
    asked = keys_of(asking)
    return bool(stated) and all(
        (focus.end <= start or end <= focus.start) and not keys_of(sentence[start:end]) <= asked for start, end in stated
    )
