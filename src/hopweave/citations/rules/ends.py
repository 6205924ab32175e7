"""The two ends of a period or range, `from 1 May to 4 June`: one answers "Until when?", the other "From when?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Literal, NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.languages import NOTHING, language_beside, pattern_for, words_for
from hopweave.text.values import DAY_NAMES, MONTH_NAMES
from hopweave.text.values_alike import CLOCK, Value, are_alike, value_at, values_in

_RANGE = lazy_pattern(r"(?P<first>\d[\d.,:]*)(?P<between>[^\d]{1,12})(?P<last>\d[\d.,:]*)")
"""Two ends in one value: `8:30-17:00`."""
_BETWEEN = lazy_pattern(r"\bbetween\s(?:(?:about|some|roughly)\s)?$", re.IGNORECASE)
_ASKS_FOR_AN_END = lazy_pattern(
    r"\b(?:min\w*|max\w*|least|most|lowest|highest|smallest|largest|shortest|longest|lower|upper|from|between|up to|range\w*"
    r"|cheapest|dearest|start\w*|begin\w*|end\w*|limit\w*)\b",
    re.IGNORECASE,
)
_NO_NUMBER = rf"(?:noon|midnight|dawn|dusk|sunrise|sunset|{MONTH_NAMES}|{DAY_NAMES})"
_MOMENT = (
    rf"(?:the\s)?(?:\d|{_NO_NUMBER}\b|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b|eleven\b|twelve\b)"
)
_BEGINS = lazy_pattern(rf"[^\S\n]?(?:to|until|till|through|and|–|—|-)[^\S\n]?{_MOMENT}")
"""Behind the beginning of a period."""
_ENDS = lazy_pattern(
    rf"(?:\b(?:until|till)\s(?:the\s)?|(?:\d|\b[ap]\.?m\.?|\b{_NO_NUMBER})[^\S\n]?(?:to|through|–|—|-)[^\S\n]?"
    r"|\bbetween\s[^.;]{1,20}\sand\s)\Z"
)
"""Before the end of one."""
_ASKS_FOR_A_MOMENT = lazy_pattern(
    r"\b(?:when|what time|which day|what date)\s(?:do|does|did|will)\b[^?]{0,200}"
    r"\b(?:(?P<begins>begin|start|commence)|end|finish|stop|expire)\b",
    re.IGNORECASE,
)
"""`When does it begin?`, `At what time did the course end?`"""
_FARTHEST = 20
"""Characters between the ends of a period."""


_FARTHEST_BEFORE = 40


class _Words(NamedTuple):
    """How a language asks for the end and the beginning of a period, and what stands between them, as patterns."""

    until: re.Pattern[str]
    since: re.Pattern[str]
    to: re.Pattern[str]


def is_other_end(asking: str, sentence: str, focus: Span) -> bool:
    """Whether some words are the beginning of a period where its end is asked for, or the end where its beginning is.

    Languages that have no words for this in `languages.toml` tell nothing.

    Args:
        asking: the question.
        sentence: the sentence.
        focus: the position of the words in it.

    >>> told = "The heating is on from 1 November to 15 April."
    >>> [is_other_end("Until when is it on?", told, Span(start, end)) for start, end in ((23, 33), (37, 45))]
    [True, False]
    """
    code = language_beside(sentence, asking) or "en"
    words = _words(code)
    is_end_asked, is_beginning_asked = (pattern.search(asking) is not None for pattern in (words.until, words.since))
    if not is_end_asked and not is_beginning_asked and (moment := _ASKS_FOR_A_MOMENT.search(asking)):
        is_beginning_asked, is_end_asked = moment["begins"] is not None, moment["begins"] is None
    values = values_in(sentence, code)
    own = value_at(focus, values)
    if own is None:  # `from noon until 14:30`
        end = "" if code != "en" or is_end_asked == is_beginning_asked else end_of_period(sentence, focus)
        return bool(end) and (end == "beginning") == is_end_asked
    if is_end_asked == is_beginning_asked:
        return code == "en" and _is_end_of_amounts(asking, sentence, own, values)
    inner = _RANGE.search(sentence, own.span.start, own.span.end)
    if inner is not None and words.to.fullmatch(inner["between"]) is not None:
        begins, ends = focus.start <= inner.start("first"), focus.end >= inner.end("last")
        if begins != ends:
            return begins == is_end_asked
    alike = [one for one in values if are_alike(own.kind, one.kind)]
    is_beginning = any(_joins(words, sentence, own.span.end, one.span.start) for one in alike)
    is_end = any(_joins(words, sentence, one.span.end, own.span.start) for one in alike)
    return (is_beginning and is_end_asked) or (is_end and is_beginning_asked and not is_beginning)


def end_of_period(sentence: str, focus: Span) -> Literal["beginning", "end", ""]:
    """Which end of a period some words of an English sentence are; empty if they are none, or both.

    >>> [end_of_period("It is open from noon until 5 pm.", Span(*at)) for at in ((16, 20), (27, 31), (11, 31))]
    ['beginning', 'end', '']
    """
    begins = _BEGINS.match(sentence, focus.end) is not None
    ends = _ENDS.search(sentence, max(0, focus.start - _FARTHEST_BEFORE), focus.start) is not None
    return "" if begins == ends else "beginning" if begins else "end"


def _is_end_of_amounts(asking: str, sentence: str, own: Value, values: Sequence[Value]) -> bool:
    """Whether an amount is one end of a range, and no end is asked for: `between 190 and 205`."""
    if own.kind in {"date", CLOCK} or _ASKS_FOR_AN_END.search(asking):
        return False
    return any(
        _BETWEEN.search(sentence, max(0, first.span.start - _FARTHEST_BEFORE), first.span.start) is not None
        and sentence[first.span.end : last.span.start].strip() == "and"
        and own in (first, last)
        for first, last in pairwise(values)
    )


def _joins(words: _Words, sentence: str, start: int, end: int) -> bool:
    return start < end <= start + _FARTHEST and words.to.fullmatch(sentence, start, end) is not None


@cache
def _words(code: str) -> _Words:
    to = rf"\s*(?:–|-|{words_for(code, 'to') or NOTHING})\s*(?:the|dem|den|le|el|il|o|het)?\s*"
    return _Words(pattern_for(code, "until"), pattern_for(code, "since"), re.compile(to, re.IGNORECASE))
