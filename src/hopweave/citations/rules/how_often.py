"""How often and for how long: a text that says both answers each question with one of them. Only English is understood."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span

_ASKS_HOW_OFTEN = lazy_pattern(r"\bhow (?:often|frequently|regularly)\b", re.IGNORECASE)
_ASKS_HOW_LONG = lazy_pattern(r"\bhow long\b", re.IGNORECASE)
_SAYS_HOW_OFTEN = lazy_pattern(
    r"\b(?:every|each|once|twice|times|an?|per)\b|\b(?:hour|dai|week|month|year|quarter)ly\b|\bannual", re.IGNORECASE
)
_OFTEN = lazy_pattern(r"\b(?:every|once|twice|(?:three|four) times|(?:hour|dai|week|month|year|quarter)ly)\b", re.IGNORECASE)
_FOR = lazy_pattern(
    r"\b(?:for|within|after|lasts?|takes?|until)\s(?:(?:about|around|at least|at most|no more than|only|up to)\s)?\Z",
    re.IGNORECASE,
)
_EVERY = lazy_pattern(r"\b(?:every|each)\s(?:other\s)?\Z", re.IGNORECASE)
_FARTHEST = 30


def is_other_use_of_a_time(asking: str, sentence: str, focus: Span) -> bool:
    """Whether a question asks how often, and some words of a sentence say for how long, or the reverse.

    >>> told = "They are written every 30 minutes and kept for seven days."
    >>> [is_other_use_of_a_time(f"How {asked}?", told, Span(47, 57)) for asked in ("often is it", "long is it")]
    [True, False]
    """
    before = sentence[max(0, focus.start - _FARTHEST) : focus.start]
    said = sentence[focus.start : focus.end]
    if _ASKS_HOW_OFTEN.search(asking):
        is_often = _SAYS_HOW_OFTEN.search(said) is not None or _EVERY.search(before) is not None
        return not is_often and (_FOR.search(before) is not None or _OFTEN.search(sentence) is not None)
    return _ASKS_HOW_LONG.search(asking) is not None and _EVERY.search(before) is not None
