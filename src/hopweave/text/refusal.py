"""Recognises replies that only say that there is no answer: the "NO!" that ToQD asks for, or ignorance in other words."""

from __future__ import annotations

import re
from functools import cache

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.preparation import prepared
from hopweave.core.types import Span
from hopweave.text.languages import all_words_for
from hopweave.text.quotation import CLOSING

# A phrase expresses ignorance if it ends there, or continues after punctuation or with a function word. If it continues with
# any other word, it is the beginning of a name: "Unknown Pleasures", "None of the Above", "I Don't Know How to Love Him".
_DOES_NOT_KNOW = lazy_pattern(
    r"[?.…–—_\s-]*+$|[\W_]*+"
    r"(?:(?:(?:sorry|no),?\s+)?(?:i|we)(?:\s+am|\s+are|['’]m|['’]re)?\s+(?:"
    r"(?:do\s+not|don['’]t)\s+(?:know|have\s+(?:(?:any|enough|the|that|sufficient|access|specific|to|this)\s+)*"
    r"(?:information|access|knowledge|data|details))"
    r"|have\s+no\s+(?:information|access|knowledge|data|details)"
    r"|(?:cannot|can\s+not|can['’]t)\s+(?:answer|find|tell|say|determine|confirm|verify|provide|access)"
    r"|not\s+(?:sure|certain|able\s+to\s+(?:answer|find|tell|say|determine|confirm|verify|provide|access))|unsure|unable)"
    r"|(?:(?:it|this|that|the\s+(?:question|answer)|answer)\s+)?(?:cannot|can\s+not|can['’]t|could\s+not|couldn['’]t)\s+be\s+"
    r"(?:answered|determined|known|inferred|established|verified)"
    r"|(?:(?:it|this|that|the\s+answer|answer)(?:['’]s|\s+is|\s+was)?\s+)?(?:currently\s+|still\s+)?"
    r"(?:unknown|unsolved(?:\s+query)?|unsure|unanswered|unclear|n/a|none|(?:insufficient|not\s+enough)\s+information"
    r"|no\s+(?:(?:helpful|relevant|useful|such|specific|sufficient|further)\s+)?+(?:answer|information)"
    r"|not\s+(?:yet\s+)?(?:known|sure|certain|clear|available|provided|specified|stated|mentioned|given|found|applicable)))"
    r"(?:\W*+$|\s*+[.,;:!?–—-]++(?=\s)|\s++(?-i:about|any|as|at|available|because|by|exactly|for|found|from|given|how|if|in|is"
    r"|it|on|provided|since|that|the|this|to|was|what|when|where|whether|which|who|why|with|yet)\b)",
    re.IGNORECASE,
)

_ITEM = r"[\W_]*+(?:\d{1,2}[.)]\s++[\W_]*+)?"
_NO = lazy_pattern(
    rf"{_ITEM}(?:(?:(?:final[ \t]++)?answer|reply|response|a)[ \t*_]*+:[\W_]*+)?no[*_]*+\s*+[!！]++(?P<rest>[^\n]*+)",
    re.IGNORECASE,
)
_BARE_NO = lazy_pattern(
    rf"{_ITEM}(?:(?i:(?:(?:final[ \t]++)?answer|reply|response|a)[ \t*_]*+:)[\W_]*+)?NO[^\w\n\u2060]*+(?:\n|$)"
)
# A name that happens to be "No!": the following words say what it is.
_GOES_ON = lazy_pattern(rf"[*_`{CLOSING}]*+\s*+(?:(?-i:is|was|are|were|by|has|had)\b|\(\d{{4}})")
_CANNOT_SAY = lazy_pattern(
    r"[\W_]*+(?:unfortunately,?\s+)?(?:based\s+on\s+[^,\n]{1,80},\s+)?"
    r"(?:(?:i\s+am|i['’]m|we\s+are)\s+(?:very\s+)?sorry\b[,.]?\s+(?:but\s+)?(?:i|we|the|there|it)\s+(?:\w+\s+){0,2}(?:not|can['’]t|cannot|don['’]t|no)\b"
    r"|there\s+is\s+(?:no|not\s+enough)\s+(?:information|mention)\b"
    r"|(?:the|these|this|none\s+of\s+the)\s+(?:[\w-]+\s+){0,2}(?:passages?|facts?|contexts?|documents?|texts?|information)\s+"
    r"(?:provided\s+|given\s+|above\s+)?(?:(?:do(?:es)?\s+not|don['’]t|doesn['’]t)\s+)?(?:directly\s+|explicitly\s+)?"
    r"(?:(?:say|mention|provide|state|contain|specif[iy]|give|include|answer|tell|reveal|indicate|help)(?:e?s)?)\b)",
    re.IGNORECASE,
)
_NONE = lazy_pattern(r"[\W_]*+none[\W_]*+", re.IGNORECASE)
_NONE_AS_VALUE = lazy_pattern(r"\bnone\b(?=[^\w\s.,;:]*+\s*+(?:[.,;:]|$))", re.IGNORECASE | re.MULTILINE)
_DENIES = lazy_pattern(r"\b(?:not|no|none|cannot|can['’]t|don['’]t|doesn['’]t)\b", re.IGNORECASE)
_YES = lazy_pattern(r"[\W_]*+yes[*_]*+\s*+[!！]++[\W_]*+", re.IGNORECASE)


def does_not_know(text: str) -> bool:
    """Whether a text says only that the answer is not known.

    >>> does_not_know("I do not know."), does_not_know("Unknown Pleasures"), does_not_know("Das ist nicht bekannt.")
    (True, False, True)
    """
    return _DOES_NOT_KNOW.match(text) is not None or _does_not_know_elsewhere().match(text) is not None


@prepared
@cache
def _does_not_know_elsewhere() -> re.Pattern[str]:
    """The same in other languages, where nothing may follow but what is set off."""
    return re.compile(rf"[\W_]*+(?:{all_words_for('unknown')})(?:\W*+$|\s*+[.,;:!?–—-]++\s|[。、，！])", re.IGNORECASE)


def values_of_none(text: str, passage: str) -> list[Span]:
    """Where a passage has "none" as a value, as a manual says of a default, if that is all that a text says.

    It ends a line or a clause there: in "none of them" it is no value.

    >>> values_of_none("None", "Default: None"), values_of_none("None", "None of them has one."), values_of_none("1", "None")
    ([Span(start=9, end=13)], [], [])
    """
    return [Span(*found.span()) for found in _NONE_AS_VALUE.finditer(passage)] if _NONE.fullmatch(text) else []


def is_refusal(reply: str) -> bool:
    """Whether a reply says at its start that it cannot answer: `NO!`, decorated or not, or ignorance in words.

    A bare `NO` in capitals is the marker without its exclamation mark. "No" is an answer to a yes-or-no question. A name such
    as "No!" that is the subject of a sentence is an answer, too.

    >>> is_refusal("**NO!**"), is_refusal("NO."), is_refusal("No."), is_refusal('"No!" is an album of 2002')
    (True, True, False, False)
    """
    if _BARE_NO.match(reply):
        return True
    match = _NO.match(reply)
    if match is not None:
        return _GOES_ON.match(match["rest"]) is None
    said = _CANNOT_SAY.match(reply)
    return (said is not None and _DENIES.search(said[0]) is not None) or does_not_know(reply)


def without_yes(reply: str) -> str:
    """The reply without a `YES!` before the answer. A bare yes is an answer, and is kept."""
    rest = _YES.sub("", reply, count=1) if _YES.match(reply) else reply
    return rest if rest.strip() else reply
