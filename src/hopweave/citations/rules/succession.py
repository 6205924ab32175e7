"""Who came after whom: `Ada Finch retires; her successor is Ida Renn`. Only English is understood."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.languages import is_foreign_beside

_ASKS_FOR_NEXT = lazy_pattern(
    r"\b(?:the new [a-z]+|succe(?:eds?|eded|ssors?)|(?:takes?|took|taking|taken) over|replac(?:es?|ed|ing)"
    r"|comes? after|came after)\b",
    re.IGNORECASE,
)
_ASKS_FOR_LAST = lazy_pattern(
    r"\b(?:predecessors?|preced(?:es?|ed)"
    r"|before (?:him|her|them|it|that|the (?:present|current|new)\b"
    r"|[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*){0,3}(?: (?:took|takes|became|was|came)\b|\?)))",
)
_NEXT = lazy_pattern(
    r"\b(?:(?:his|her|their|the|whose) successor\b|(?:succeeded|replaced)(?: as [a-z ]{3,40})? by\b|followed by\b"
    r"|handed? over to\b|hands over to\b"
    r"|taken over by\b|(?:is|are|will be) (?:taking|to take) over\b)",
    re.IGNORECASE,
)
_LAST = lazy_pattern(
    r"\b(?:(?:his|her|their|the|whose) predecessor\b|before (?:him|her|that|them|then)\b|succeeded (?!by)|took over from\b"
    r"|takes over from\b|replaced (?!by)|replaces\b|following\b)",
    re.IGNORECASE,
)
_ASKS_OTHERWISE = lazy_pattern(r"\W*(?:when|where|how|why)\b", re.IGNORECASE)
_NAME = lazy_pattern(r"(?:[\s,:]+[a-z]+){0,5}[\s,:]+[A-Z]")
"""A name, behind a few words: `is the former player Ida`."""


def is_on_other_side(asking: str, sentence: str, following: str, focus: Span) -> bool:
    """Whether a question asks who came after or before somebody, and some words of a sentence name the other one.

    Args:
        asking: the question.
        sentence: the sentence.
        following: the sentence after it.
        focus: the position of the words in the sentence.

    >>> told = "Ada Finch retires in May; her successor is Ida Renn."
    >>> [is_on_other_side("Who takes over from the head?", told, "", Span(start, start + 3)) for start in (0, 43)]
    [True, False]
    >>> told = "The head is Ada Finch (before her Ida Renn)."
    >>> [is_on_other_side("Who was head before her?", told, "", Span(start, start + 3)) for start in (12, 34)]
    [True, False]
    """
    if is_foreign_beside(sentence, asking) or _ASKS_OTHERWISE.match(asking):
        return False
    text = f"{sentence} {following}"
    for asks, said in ((_ASKS_FOR_NEXT, _NEXT), (_ASKS_FOR_LAST, _LAST)):
        if asks.search(asking):
            told = list(said.finditer(text))
            return bool(told) and all(one.start() >= focus.end for one in told) and _is_named_behind(text, told[0].end())
    return False


def _is_named_behind(text: str, at: int) -> bool:
    """Whether a name follows a position, within a few words."""
    return _NAME.match(text, at) is not None
