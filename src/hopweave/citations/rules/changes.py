"""Sentences that compare a value with an earlier one, or tell by how much it changed: `rose by 8% to £46m, from £42m in 2022`.

Which of the values a query asks for follows from its years, and from whether it asks for a change. Only English is understood.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.languages import is_foreign_beside
from hopweave.text.table_rows import is_row
from hopweave.text.values import MONTH_NAMES
from hopweave.text.values_alike import Value, are_alike, value_at, values_in
from hopweave.text.wanted import content_stems

_VERB = (
    r"(?:up|down|r(?:ose|isen?|ises|ising)|gr(?:ew|own?|ows|owing)|f(?:ell|allen|alls?|alling)|(?:in|de)creas\w+|declin\w+|reduc\w+|improv\w+"
    r"|drop\w*|chang\w+|gain\w*|climb\w*|jump\w*|went (?:up|down))"
)
_NOUN = r"(?:increase|decrease|rise|decline|growth|drop|fall|reduction|gain|change)"
_ABOUT = r"(?:(?:about|nearly|almost|some|over|around)\s)?"
_CHANGES = lazy_pattern(rf"\b{_VERB}\b", re.IGNORECASE)
_BY = lazy_pattern(rf"\b{_VERB}(?:\s\w+){{0,3}}?\s(?:by\s)?{_ABOUT}$", re.IGNORECASE)
_NOT_BY = lazy_pattern(r"\b(?:to|from|at|in|of|was|were|is|are|stood|for)\s(?:\w+\s)?$", re.IGNORECASE)
_OF_A_CHANGE = lazy_pattern(rf"\b{_NOUN} of {_ABOUT}$", re.IGNORECASE)
_DOWN = lazy_pattern(r"(?:down|f[ae]ll|decreas|declin|reduc|drop)", re.IGNORECASE)
_DIRECTED = lazy_pattern(
    r"\b(?:up|down|r[io]se|risen|rising|gr[eo]w\w*|f[ae]ll(?:s|en|ing)?|(?:in|de)creas\w+|declin\w+|reduc\w+|drop\w*)\b",
    re.IGNORECASE,
)
_IS_LEVEL = lazy_pattern(rf"\b(?:to|from|at|was|were|is|are)\s{_ABOUT}$", re.IGNORECASE)
_IS_RESULT = lazy_pattern(rf"\b(?:to|at|was|were|is|are)\s{_ABOUT}$", re.IGNORECASE)
_ASKS_CHANGE = lazy_pattern(
    rf"\bby (?:how much|what|how many)\b|\bhow (?:much|far|strongly|fast|many)\b.*\b{_VERB}\b|\b(?:growth|change)\b",
    re.IGNORECASE,
)
_CUT = lazy_pattern(
    r"(?P<opens>,?\s(?:(?:up|down)\s(?:from|on)|from|compared (?:with|to)|against|versus|vs\.?|to|by))\s"
    r"|;\s|,\s(?:and\s)?|\s(?:and|while|whereas|but)\s|\s?\(|\)",
    re.IGNORECASE,
)
_OPENS_EARLIER = lazy_pattern(r"(?:up|down)\s(?:from|on)|from|compared (?:with|to)|against", re.IGNORECASE)
_NEEDS_TIME = lazy_pattern(r"compared (?:with|to)|against", re.IGNORECASE)
_TIME = lazy_pattern(
    r"\b(?:years?|quarter|half|months?|weeks?|period|time|ago|earlier|before|previous|prior|last|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_ASKS_EARLIER = lazy_pattern(
    r"\b(?:previous\w*|prior|earlier|last|before|preceding|ago|former\w*|original\w*|initial\w*|beginning|start\w*|from)\b",
    re.IGNORECASE,
)
_YEAR = lazy_pattern(r"(?<![\d.,£$€-])(?:19|20)\d\d(?![\d%]|[.,]\d)")
_YEAR_BEFORE = lazy_pattern(
    r"\b(?:a|one) year (?:ago|earlier|before)|\b(?:the|in the) (?:previous|prior|preceding) year\b", re.IGNORECASE
)
_BEGINS_WITH_YEAR = lazy_pattern(r"(?:19|20)\d\d:\s")
_TIME_BEFORE = lazy_pattern(
    r"\b(?:previous|prior|preceding|last)\s(?:financial\s|fiscal\s)?(?:year|quarter|month|period)\b"
    r"|\b(?:year|quarter|month) (?:ago|earlier|before)\b",
    re.IGNORECASE,
)
_MONTH_BEHIND = lazy_pattern(rf"\s(?:{MONTH_NAMES})\b")
"""Behind the days of a time: `from 19 to 21 June`."""
_FRAME = lazy_pattern(r"\W*(?:in|during|for|at|by|over)\b[^.,;()£$€%]{0,60}?\b(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE)
"""What a sentence begins with, and all its values are of that have no other year: `In the first half of 2024 sales were ...`"""


_COMPARATIVES = (
    "more|less|fewer|higher|lower|longer|shorter|earlier|later|older|younger|larger|smaller|heavier|lighter|faster|slower|cheaper"
    "|dearer|above|below"
)
_THAN = lazy_pattern(rf"\s(?:[a-z]+\s)?(?:{_COMPARATIVES})\s(?:[a-z]+\s){{0,2}}than\b")
_ASKS_TO_COMPARE = lazy_pattern(
    rf"\b(?:than|{_COMPARATIVES}|differ\w*|exceed\w*|by how|extra|addition\w*|over|increas\w*|rise|rose|grow|grew|gr[oe]wth)\b",
    re.IGNORECASE,
)
_HOW_FAR = 100
"""Characters before a value in which it says whether that is a change."""


class _Part(NamedTuple):
    """A part of a sentence: where it is, what opens it, whether it is in brackets, and the years that its values are of."""

    span: Span
    opens: str
    is_bracketed: bool
    years: frozenset[str]


def is_other_figure(query: str, sentence: str, focus: Span) -> bool:
    """Whether a value of a sentence is an earlier one, that of another year, or a change, and is not asked for.

    >>> told = "Sales rose by 8% to £46m in 2023, from £42m a year earlier."
    >>> places = [Span(14, 16), Span(20, 24), Span(39, 43)]
    >>> for asked in ("What were the sales?", "What were the sales in 2022?", "By how much did sales grow?"):
    ...     print([is_other_figure(asked, told, place) for place in places])
    [True, False, True]
    [True, True, False]
    [False, True, True]
    """
    if is_foreign_beside(sentence, query) or is_row(sentence):
        return False
    line = _line_around(sentence, focus)
    sentence, focus = sentence[line.start : line.end], Span(focus.start - line.start, focus.end - line.start)
    values = [one for one in values_in(sentence) if one.kind != "date" and not _MONTH_BEHIND.match(sentence, one.span.end)]
    own = value_at(focus, values)
    if own is None or len(values) < 2:
        return False
    if _is_other_change(query, sentence, own, values):
        return True
    parts = _parts_of(sentence)
    alike = [one for one in values if are_alike(one.kind, own.kind)]
    return len(alike) > 1 and (_is_of_other_year(query, own, alike, parts) or _is_earlier(query, sentence, own, alike, parts))


def is_difference(query: str, sentence: str, focus: Span) -> bool:
    """Whether some words are how much more or less something is than something else, and no such thing is asked for.

    >>> told = "It cost £27, £4 more than was planned."
    >>> [is_difference("What did it cost?", told, Span(*at)) for at in ((8, 11), (13, 15))]
    [False, True]
    """
    return _THAN.match(sentence, focus.end) is not None and _ASKS_TO_COMPARE.search(query) is None


def is_earlier_asked(query: str, sentence: str, focus: Span) -> bool:
    """Whether a query asks for a value of the year, quarter or month before, and some words stand in a part that says so.

    >>> told, asked = "There were 70 lamps, against 64 in the previous year.", "How many were there in the previous year?"
    >>> [is_earlier_asked(asked, told, place) for place in (Span(11, 13), Span(29, 31))]
    [False, True]
    """
    part = next((one for one in _parts_of(sentence) if one.span.start <= focus.start < one.span.end), None)
    if part is None or not _TIME_BEFORE.search(query):
        return False
    return _TIME_BEFORE.search(sentence, part.span.start, part.span.end) is not None


def _line_around(text: str, focus: Span) -> Span:
    """The line of some words: lines without a full stop are one sentence."""
    end = text.find("\n", focus.end)
    return Span(text.rfind("\n", 0, focus.start) + 1, end if end >= 0 else len(text))


def _is_other_change(query: str, sentence: str, own: Value, values: Sequence[Value]) -> bool:
    """Whether a value is a change although none is asked for, and another is the result, or a result although a change is."""
    changes = [one for one in values if _is_change(sentence, one)]
    if changes and _ASKS_CHANGE.search(query):
        if own in changes:
            return _is_opposite(query, sentence[: own.span.start])
        return _IS_LEVEL.search(_just_before(sentence, own)) is not None
    if own not in changes or _CHANGES.search(query):
        return False
    return any(one not in changes and _IS_RESULT.search(_just_before(sentence, one)) for one in values)


def _is_opposite(query: str, before: str) -> bool:
    """Whether a query asks for a rise, and the last verb before a value tells of a fall, or the other way round."""
    asked = {bool(_DOWN.match(match[0])) for match in _DIRECTED.finditer(query)}
    told = [bool(_DOWN.match(match[0])) for match in _DIRECTED.finditer(before)]
    return len(asked) == 1 and bool(told) and told[-1] not in asked


def _is_change(sentence: str, value: Value) -> bool:
    before = _just_before(sentence, value)
    is_by = _BY.search(before) is not None and _NOT_BY.search(before) is None
    return is_by or _OF_A_CHANGE.search(before) is not None


def _just_before(sentence: str, value: Value) -> str:
    return sentence[max(0, value.span.start - _HOW_FAR) : value.span.start]


def _is_of_other_year(query: str, own: Value, alike: Sequence[Value], parts: Sequence[_Part]) -> bool:
    """Whether a query names years, and a value is of others, or another one in brackets is of these."""
    asked = set(_YEAR.findall(query))
    here = _part_with(own, parts).years
    if asked and not here:  # `38% (2022: 36%)`
        return any(part.is_bracketed and part.years & asked for part in (_part_with(one, parts) for one in alike))
    return bool(asked) and not here & asked


def _is_earlier(query: str, sentence: str, own: Value, alike: Sequence[Value], parts: Sequence[_Part]) -> bool:
    """Whether a value is one from which another one changed, and the query has no word for that, nor one of that part alone; or
    is none, although the query asks for the value of the time before.
    """
    part = _part_with(own, parts)
    start, end = part.span.start, part.span.end
    if _TIME_BEFORE.search(query) and part.opens not in {"by", "to"}:
        is_there = [
            _TIME_BEFORE.search(sentence, one.span.start, one.span.end) for one in (_part_with(v, parts) for v in alike)
        ]
        return any(is_there) and not _TIME_BEFORE.search(sentence, start, end)
    if part.is_bracketed and _BEGINS_WITH_YEAR.match(sentence, start):
        return not _YEAR.search(query) and not _ASKS_EARLIER.search(query) and any(one.span.start < start for one in alike)
    if not _OPENS_EARLIER.fullmatch(part.opens) or _ASKS_EARLIER.search(query) or _YEAR.search(query):
        return False
    if part.opens.casefold() == "from" and not _CHANGES.search(sentence, 0, start):
        return False
    if _NEEDS_TIME.fullmatch(part.opens) and not _TIME.search(sentence, start, end):
        return False
    has_later = any(one.span.start < start for one in alike)
    return has_later and not (content_stems(query) & content_stems(sentence[start:end])) - content_stems(sentence[:start])


def _part_with(value: Value, parts: Sequence[_Part]) -> _Part:
    """The part that a value begins in; the last one if it begins where two are parted."""
    at = bisect_right(parts, value.span.start, key=lambda part: part.span.start) - 1
    return parts[at] if value.span.start < parts[at].span.end else parts[-1]


@remembered
def _parts_of(sentence: str) -> tuple[_Part, ...]:
    cuts = list(_CUT.finditer(sentence))
    starts = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(sentence)]
    opens = ["", *((cut["opens"] or "").strip(" ,") for cut in cuts)]
    found: list[_Part] = []
    opening = _FRAME.match(sentence)
    frame = frozenset({opening["year"]}) if opening is not None else frozenset[str]()
    depth, last = 0, frame
    for at, (start, end, opened) in enumerate(zip(starts, ends, opens, strict=True)):
        if at:
            depth += cuts[at - 1][0].count("(") - cuts[at - 1][0].count(")")
        text = sentence[start:end]
        years = frozenset(_YEAR.findall(text))
        if not years and _YEAR_BEFORE.search(text) and last:
            years = frozenset(str(int(year) - 1) for year in last)
        elif not depth and years:
            last = years
        elif not years and not _OPENS_EARLIER.fullmatch(opened):
            years = frame
        found.append(_Part(Span(start, end), opened, depth > 0, years))
    return tuple(found)
