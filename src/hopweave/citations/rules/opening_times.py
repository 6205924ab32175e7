"""Which end of a period is an opening and which a closing: what is open from nine to five opens at nine and closes at five.

Only English is understood.
"""

from __future__ import annotations

import re
from typing import Literal

from hopweave.citations.rules.ends import end_of_period
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span

_CLOSED = lazy_pattern(r"\b(?:closed|shut|closing\s(?:days|times))\b")
_ASKS_FOR_A_MOVE = lazy_pattern(
    r"\b(?:can|do|does|did|will)\b[^?]{0,200}\b(?:(?P<opens>(?:re)?open)|close|shut)\b|\b(?:(?P<opening>opening)|closing)\stime\b",
    re.IGNORECASE,
)


def move_asked(asking: str) -> Literal["opening", "shutting", ""]:
    """Whether a question asks when something opens, or when it closes; empty for any other, such as until when it is open.

    >>> move_asked("When does it open?"), move_asked("When will it close?"), move_asked("Until when is it open?")
    ('opening', 'shutting', '')
    """
    found = _ASKS_FOR_A_MOVE.search(asking)
    if found is None:
        return ""
    return "opening" if found["opens"] or found["opening"] else "shutting"


def opening_or_closing(sentence: str, focus: Span) -> Literal["opening", "shutting", ""]:
    """Whether some words of a sentence are when something opens or closes, as an end of a period; empty if they are none.

    A period is one for which it is open, unless the sentence says before the words that it is closed.

    >>> told = "The pool is open from 7:00 to 21:00, in winter until 18:00, and closed until 10:00 on holidays."
    >>> [opening_or_closing(told, Span(start, start + 5)) for start in (22, 30, 53, 77)]
    ['opening', 'shutting', 'shutting', 'opening']
    """
    end = end_of_period(sentence, focus)
    if not end:
        return ""
    states = [match.start() for match in _CLOSED.finditer(sentence, 0, focus.start)]
    is_closed = bool(states) and states[-1] > max(sentence.rfind("open", 0, focus.start), sentence.rfind(", ", 0, focus.start))
    return "opening" if (end == "beginning") != is_closed else "shutting"
