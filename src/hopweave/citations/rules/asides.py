"""What a sentence tells beside what is asked for: of another time or person in brackets, in a reason, as a plan, in a case.

Only English is understood.
"""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.wanted import Wanted, content_stems

_BESIDES = lazy_pattern(
    r"\s*(?P<what>\b(?:deputy|vice|assistant|stand-?in|substitute|reserve|former(?:ly)?|previous(?:ly)?|until|before|last \w+"
    r"|acting|(?:19|20)\d\d))\b[^()]{0,40}$",
    re.IGNORECASE,
)
"""What says that brackets are of another time, or of somebody beside the one who is meant."""
_REASON = lazy_pattern(r"\bbecause\b", re.IGNORECASE)
_ASKS_FOR_REASON = lazy_pattern(r"\b(?:why|how come|because|reason\w*|caus\w+|led|due)\b", re.IGNORECASE)
_PLAN = lazy_pattern(
    r"\b(?P<what>target|goal|aim|budget|forecast|estimate|projection|guidance)\s(?:of|was|is)\s(?:about\s)?$", re.IGNORECASE
)
_IF = lazy_pattern(r"(?:If|Unless|In case|Should|When|Where)\s")
_BY_DEFAULT = lazy_pattern(r"\b(?:none|no|not|nothing|omitted|unset|absent|missing|empty|blank|otherwise)\b", re.IGNORECASE)
"""A case in which nothing is said otherwise is the usual one: `If none is given, it is 9418.`"""
_STANDS_FOR = lazy_pattern(r"\b(?:he|she|they|this|that|these|those)\b", re.IGNORECASE)
_OF_WHICH = lazy_pattern(r"\b(?:of (?:which|whom|these)|including)\s(?:about\s)?$", re.IGNORECASE)
_OF_THEM = lazy_pattern(r"\s(?:of (?:them|whom|which|these))\b", re.IGNORECASE)
_IN_ALL = lazy_pattern(r"\b(?:in all|altogether|in total|total|overall|all together)\b", re.IGNORECASE)


def is_told_beside(wanted: Wanted, sentence: str, focus: Span) -> bool:
    """Whether some words of a sentence are only told beside what is asked for.

    Args:
        wanted: what is asked for.
        sentence: the sentence.
        focus: the position of the words in it.
    """
    return any(
        rule(wanted, sentence, focus) for rule in (_is_beside, _is_in_reason, _is_of_a_plan, _is_conditional, _is_of_the_whole)
    )


def _is_beside(wanted: Wanted, sentence: str, focus: Span) -> bool:
    """Whether some words stand in brackets that are of another time, or of somebody else, than a query asks for.

    >>> _is_beside(Wanted("Who is the caretaker?", set()), "Caretaker: Ada Finch (deputy: Ida Renn)", Span(30, 38))
    True
    """
    opened = sentence.rfind("(", 0, focus.start)
    if opened < 0 or ")" in sentence[opened : focus.start]:
        return False
    started = max(opened, sentence.rfind(";", opened, focus.start)) + 1
    found = _BESIDES.match(sentence[started : focus.start].lstrip())
    return found is not None and not content_stems(found["what"]) & content_stems(wanted.query)


def _is_in_reason(wanted: Wanted, sentence: str, focus: Span) -> bool:
    """Whether some words stand in the reason for what is asked for: `It meets in the hall, because the library is painted.`"""
    reason = next(
        (one for one in _REASON.finditer(sentence, 0, focus.start) if "." not in sentence[one.end() : focus.start]), None
    )
    if reason is None or _ASKS_FOR_REASON.search(wanted.query):
        return False
    return not wanted.among(sentence[reason.end() :]) and bool(wanted.among(sentence[: reason.start()]))


def _is_of_a_plan(wanted: Wanted, sentence: str, focus: Span) -> bool:
    """Whether an amount is called a target or the like, and that is not asked for: `the target of 99.9 % was missed`."""
    plan = _PLAN.search(sentence[: focus.start])
    return plan is not None and not content_stems(plan["what"]) & content_stems(wanted.query)


def _is_conditional(wanted: Wanted, sentence: str, focus: Span) -> bool:
    """Whether a sentence says something for a case that is not asked for: `If it rains, it is in the hall.`"""
    opened = _IF.match(sentence)
    if opened is None or not opened.end() <= focus.start:
        return False
    said = f"{sentence[opened.end() : focus.start]} {sentence[focus.end :]}"
    return not wanted.among(said) and not _STANDS_FOR.search(said) and not _BY_DEFAULT.search(said)


def _is_of_the_whole(wanted: Wanted, sentence: str, focus: Span) -> bool:
    """Whether an amount is a part of another one, and nothing that is said of the part is asked for.

    >>> told = "It has £15 for 2025, of which £4 is for tea."
    >>> [_is_of_the_whole(Wanted("", {word}), told, Span(30, 32)) for word in ("tea", "money")]
    [False, True]
    """
    after = _OF_THEM.match(sentence, focus.end)
    if after is None and not _OF_WHICH.search(sentence[: focus.start]):
        return False
    if _IN_ALL.search(wanted.query):
        return True
    end = sentence.find(",", focus.end)
    return not wanted.among(sentence[focus.end : end if end >= 0 else len(sentence)])
