"""The words that a sentence has for each of several values alike: `£150, or £500 for subsidence`, `7 t with lime, 4 t without`.

Of two values, the one whose own words are all in a question fits it better than one with words of its own that it lacks; and
what is said in general is meant where no case is named. Only English is understood.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.values_alike import NUMBER, Value, are_alike, value_at
from hopweave.text.wanted import content_stems

_END = lazy_pattern(r"[,;:]\s|\s(?:and|or|but|while|whereas)\s|\)")
"""Where words behind a value no longer belong to it."""
_CASE = lazy_pattern(r"\s?(?:for|with|without|in|on|at|if|when|after|during|per|by)\s")
_CHANGES_TO = lazy_pattern(r"\b(?:by|into|now|to)\s[\"“'‘]?\Z")
"""What stands between a value and the one that it becomes."""
_POSSESSIVE = lazy_pattern(r"\A['’]s?\b")
"""`two months' notice`."""
_SAY_LITTLE = content_stems("after before during over than under with without")
_MOST = 8
"""With more values, a sentence is a list."""


class _Own(NamedTuple):
    """The stems of the words of one value, whether they name a case that it is for, and whether others precede the next one."""

    words: Set[str]
    is_case: bool
    has_more_behind: bool = False


def is_of_less_fitting_words(wanted: Set[str], sentence: str, focus: Span, values: Sequence[Value]) -> bool:
    """Whether the words of another value alike fit a question better than those of the value at a position.

    Args:
        wanted: the stems of the words of the question.
        sentence: the sentence.
        focus: the position of the value in it.
        values: all its values.

    >>> from hopweave.text.values_alike import values_in
    >>> told = "The excess is £150, or £500 for subsidence."
    >>> asked = {"norma", "exces"}, {"exces", "subsi"}
    >>> [is_of_less_fitting_words(words, told, Span(23, 27), values_in(told)) for words in asked]
    [True, False]
    """
    own = value_at(focus, values)
    if own is None:
        return False
    start = sentence.rfind("; ", 0, focus.start) + 1
    end = sentence.find("; ", focus.end)
    end = end if end >= 0 else len(sentence)
    alike = [
        one
        for one in values
        if start <= one.span.start < end and (one == own or (_are_alike(one, own) and _may_be_meant(one, sentence, wanted)))
    ]
    if not 2 <= len(alike) <= _MOST:
        return False
    each = _words_behind(sentence, alike, end)
    is_behind = bool(each[-1].words) or (
        any(one.is_case and one.words for one in each) and not any(one.has_more_behind for one in each)
    )
    if not is_behind and _CHANGES_TO.search(sentence, start, own.span.start):
        return False
    here, others = _split(each if is_behind else _words_before(sentence, alike, start), alike.index(own))
    is_general_before = any(not one.words for one in each[: alike.index(own)])
    if is_behind and here.is_case and here.words and not here.words & wanted and is_general_before:
        return True
    if is_behind and not here.words and any(one.is_case and one.words and one.words <= wanted for one in others):
        return True
    if here.words <= wanted:
        return False
    counted = content_stems(next(iter(sentence[own.span.end :].split()), ""))  # `40 jobs waiting and 8 running`
    alone = (here.words & wanted) - counted
    return any(one.words and one.words <= wanted and alone <= one.words for one in others)


def _are_alike(one: Value, own: Value) -> bool:
    """Whether one value may be meant where another stands; the later one may leave out its unit: `10 seconds, or 2`."""
    first, last = sorted((one, own), key=lambda value: value.span.start)
    return are_alike(one.kind, own.kind) or (last.kind == NUMBER and not first.kind.startswith(NUMBER))


def _may_be_meant(value: Value, sentence: str, wanted: Set[str]) -> bool:
    """Whether a value may be an answer: not in the question, and no number of a clause; `one` is mostly a pronoun."""
    written = sentence[value.span.start : value.span.end]
    is_of_a_clause = value.kind == NUMBER and not sentence[: value.span.start].strip()
    return written.casefold() != "one" and not is_of_a_clause and not content_stems(written) <= wanted


def _split(each: Sequence[_Own], at: int) -> tuple[_Own, list[_Own]]:
    return each[at], [*each[:at], *each[at + 1 :]]


def _words_behind(sentence: str, values: Sequence[Value], end: int) -> list[_Own]:
    """Those behind each value, up to the next one or the end of what belongs to it."""
    ends = [*(value.span.start for value in values[1:]), end]
    found = []
    for value, last in zip(values, ends, strict=True):
        cut = _END.search(sentence, value.span.end, last)
        behind = sentence[value.span.end : cut.start() if cut is not None else last]
        more = sentence[cut.end() : last] if cut is not None and last != end else ""
        found.append(_own(behind)._replace(has_more_behind=bool(_own(more).words)))
    return found


def _words_before(sentence: str, values: Sequence[Value], start: int) -> list[_Own]:
    """Those between each value and the one before it."""
    starts = [start, *(value.span.end for value in values[:-1])]
    return [_own(sentence[first : value.span.start]) for first, value in zip(starts, values, strict=True)]


def _own(text: str) -> _Own:
    text = _POSSESSIVE.sub("", text)
    says_something = any(len(word) > 2 for word in text.split())
    words = content_stems(text) - _SAY_LITTLE if says_something else frozenset[str]()
    return _Own(words, _CASE.match(text) is not None)
