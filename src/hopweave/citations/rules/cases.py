"""Values of a case that a sentence names beside them: `four hours (K-series: six hours)`, `£5, for children £3`.

A value stands for the case that is named with it, and another one further on for a case that is named there. What is said
before a value is said of those behind it as well, so only words that come after it tell that it is not meant. Only values of
one kind are compared (`text.values_alike`). English is understood, and in part the languages whose words `languages.toml` has.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from hopweave.citations.rules.asides import is_told_beside
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.languages import NOTHING, language_beside, words_for
from hopweave.text.scripts import COMMAS
from hopweave.text.table_rows import is_row
from hopweave.text.values_alike import NUMBER, Value, are_alike, may_be_alike, value_at, values_in
from hopweave.text.wanted import Wanted, content_stems

_OF_ONE_STORY = frozenset({"date", NUMBER})
"""Kinds of which a sentence tells several that belong together: the years of a life."""
_ENDS = lazy_pattern(r"[.;()]")
_ONE_WORD = lazy_pattern(r"\s?[^\W\d_]+\s?[.!]?\s?")
_NEAR = 25
"""Characters between a value and brackets with another one: `£55 per paper (£45 until 2024)`."""
_MOST_LATER = 20
"""Values behind one that are looked at."""


def is_of_another_case(wanted: Wanted, read: str, sentence: str, focus: Span, following: str = "") -> bool:
    """Whether a value stands before another one of its kind that is named for a case that is asked for, and it is not.

    So it is if the other one has words before it that are asked for and that nothing up to the value has; or behind it, if
    nothing that is asked for stands behind the value itself. So are words in brackets that are of another time, or of somebody
    else, than is asked for: `(deputy: Ida Renn)`.

    Args:
        wanted: what is asked for.
        read: what the sentence is read with, itself not included.
        sentence: the sentence.
        focus: the position of the value in it.
        following: the sentence after it, which counts if it begins with a case: `For children it is 5.`

    >>> told = "Charge it for four hours (K-series: six hours)."
    >>> def asked(query): return Wanted(query, content_stems(query))
    >>> [is_of_another_case(asked("How long for the K-series?"), "", told, Span(start, start + 5)) for start in (14, 36)]
    [True, False]
    """
    if is_row(sentence):
        return False
    code = language_beside(sentence, wanted.query) or "en"
    if code == "en" and is_told_beside(wanted, sentence, focus):
        return True
    values = values_in(sentence, code)
    own = value_at(focus, values)
    if own is None:
        return False
    if _is_aside(wanted, sentence, own, values):
        return True
    parts = _parts_of(sentence, code)
    before = f"{read}\n{sentence[: parts.around(own).end]}"
    later = [one for one in values if one.span.start >= own.span.end and may_be_alike(one, own)]
    if any(_is_asked_there(wanted, before, parts, own, other) for other in later[:_MOST_LATER]):
        return True
    if own.kind in _OF_ONE_STORY or not (opened := parts.words.case.match(following)):
        return False
    label = next((following[: one.span.start] for one in values_in(following, code) if are_alike(one.kind, own.kind)), "")
    return len(label) > opened.end() and bool(_new(wanted, label, f"{read}\n{sentence}"))


class _Words(NamedTuple):
    """The words of a language, as patterns: what parts a sentence, how a part begins that names a case, verbs."""

    cut: re.Pattern[str]
    case: re.Pattern[str]
    verb: re.Pattern[str]


@cache
def _words(code: str) -> _Words:
    joins = "|".join(filter(None, [*words_for(code, "joins").split(), words_for(code, "opens")])) or NOTHING
    cases, verbs = (words_for(code, what) or NOTHING for what in ("cases", "verbs"))
    return _Words(
        re.compile(
            rf"[,;:](?!\d)\s*|[{COMMAS}]|\s?[()\[\]]\s?|\s[–—]\s|\.\s+(?!\d)|\n(?![ \t]*[a-z(])|\s(?:{joins})\s", re.IGNORECASE
        ),
        re.compile(rf"(?:{cases})\s+\S", re.IGNORECASE),
        re.compile(rf"\b(?:{verbs})\b", re.IGNORECASE),
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    """A sentence, the words of its language, and where its parts begin and end."""

    sentence: str
    words: _Words
    starts: Sequence[int]
    ends: Sequence[int]

    def around(self, value: Value) -> Span:
        """The part with a value, or those that it covers."""
        first = bisect_right(self.starts, value.span.start) - 1
        last = bisect_left(self.ends, value.span.end)
        return Span(self.starts[first], self.ends[min(last, len(self.ends) - 1)])


@remembered
def _parts_of(sentence: str, code: str) -> _Parts:
    """The parts of a sentence in a language, between commas, brackets and conjunctions.

    A colon in brackets or behind a comma parts the label of a value from what is before it, not from the value.
    """
    words = _words(code)
    cuts: list[re.Match[str]] = []
    has_comma, depth = False, 0
    for cut in words.cut.finditer(sentence):
        depth += cut[0].count("(") - cut[0].count(")")
        has_comma = has_comma or cut[0].startswith(",")
        if not (cut[0].startswith(":") and (depth > 0 or has_comma)):
            cuts.append(cut)
    return _Parts(sentence, words, [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(sentence)])


def _is_asked_there(wanted: Wanted, before: str, parts: _Parts, own: Value, other: Value) -> bool:
    """Whether a value behind another one is named for what is asked for, and nothing before it has these words."""
    sentence, there = parts.sentence, parts.around(other)
    if there.start < own.span.end:
        return False
    opened = sentence.rfind("(", own.span.end, other.span.start)
    is_inside = opened >= 0 and ")" not in sentence[opened : other.span.start]
    start = max(opened, sentence.rfind(",", opened, other.span.start)) + 1 if is_inside else there.start
    label, tail = sentence[start : other.span.start], sentence[other.span.end : there.end]
    is_clause = parts.words.verb.search(label) is not None and not parts.words.case.match(label)
    if not is_clause and _new(wanted, label, before):
        return True
    own_tail = sentence[own.span.end : parts.around(own).end]
    if not own_tail.strip() and _ONE_WORD.fullmatch(tail):  # that of all numbers: `by 8.0 in Ulm and by 8.4 points in Bonn`
        return False
    return (
        not wanted.among(own_tail)
        and (not parts.words.verb.search(tail) or parts.words.case.match(tail.lstrip()) is not None)
        and own.kind != "date"
        and bool(_new(wanted, tail, before))
    )


def _new(wanted: Wanted, label: str, before: str) -> set[str]:
    """What of the words that are wanted a label has, and nothing before it."""
    return wanted.among(label) - content_stems(before)


def _is_aside(wanted: Wanted, sentence: str, own: Value, values: Sequence[Value]) -> bool:
    """Whether a value stands in brackets behind one of its kind, for a case that is not asked for: `£5 (£3 for pupils)`."""
    opened, closed = sentence.rfind("(", 0, own.span.start), sentence.find(")", own.span.end)
    if own.kind.startswith(NUMBER) or opened < 0 or closed < 0 or ")" in sentence[opened : own.span.start]:
        return False
    is_behind = any(
        one.kind == own.kind and not _ENDS.search(sentence, one.span.end, opened)
        for one in values
        if one.span.end <= opened <= one.span.end + _NEAR
    )
    beside = content_stems(f"{sentence[opened : own.span.start]} {sentence[own.span.end : closed]}")
    return is_behind and bool(beside) and not wanted.among(sentence[opened:closed])
