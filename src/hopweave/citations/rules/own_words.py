"""The words that a sentence has for each of several values alike: `£150, or £500 for subsidence`, `7 t with lime, 4 t without`.

Of two values, the one whose own words are all in a question fits it better than one with words of its own that it lacks; and
what is said in general is meant where no case is named. Only English is understood.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from hopweave.citations.rules.parts import verbs_in
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.values_alike import NUMBER, Value, may_be_alike, value_at
from hopweave.text.wanted import content_stems

_END = lazy_pattern(r"[,;:]\s|\s(?:and|or|but|while|whereas)\s|\)")
"""Where words behind a value no longer belong to it."""
_CASE = lazy_pattern(r"\s?(?:for|with|without|in|on|at|if|when|after|during|per|by)\s")
_CHANGES_TO = lazy_pattern(r"\b(?:by|into|now|to)\s[\"“'‘]?\Z")
"""What stands between a value and the one that it becomes."""
_POSSESSIVE = lazy_pattern(r"\A['’]s?\b")
"""`two months' notice`."""
_SAY_LITTLE = content_stems("after before during over than under with without")
_FEWEST, _MOST = 2, 8
"""Values alike; with more, a sentence is a list."""


class _Own(NamedTuple):
    """What is said of one value: the stems of its words, whether they name a case that it is for, and those of its verbs."""

    words: Set[str]
    is_case: bool
    verbs: Set[str]


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
    start, end = sentence.rfind("; ", 0, focus.start) + 1, sentence.find("; ", focus.end)
    end = end if end >= 0 else len(sentence)
    alike = [one for one in values if one == own or (start <= one.span.start < end and may_be_alike(one, own))]
    alike = [one for one in alike if one == own or _may_be_meant(one, sentence, wanted)]
    if not _FEWEST <= len(alike) <= _MOST:
        return False
    at = alike.index(own)
    if (behind := _said_behind(sentence, alike, end)) is not None:
        return _is_other_case(wanted, behind, at) or _fits_less(wanted, behind, at, frozenset())
    if _CHANGES_TO.search(sentence, start, own.span.start):
        return False
    counted = content_stems(next(iter(sentence[own.span.end :].split()), ""))  # `40 jobs waiting and 8 running`
    return _fits_less(wanted, _said_before(sentence, alike, start), at, counted)


def _is_other_case(wanted: Set[str], each: Sequence[_Own], at: int) -> bool:
    """Whether a value is for a case that is not asked for, behind what is said in general; or the reverse."""
    here, others = each[at], [*each[:at], *each[at + 1 :]]
    if not here.words:
        return any(one.is_case and one.words and one.words <= wanted for one in others)
    return here.is_case and not here.words & wanted and any(not one.words for one in each[:at])


def _fits_less(wanted: Set[str], each: Sequence[_Own], at: int, counted: Set[str]) -> bool:
    """Whether a value has words of its own that are not wanted, and another one none, and all that is wanted of those of both.

    What is counted, and a verb, may be left out with a later value: `Plots with lime yield 7 t, those without 4`.
    """
    here = each[at]
    if here.words <= wanted:
        return False
    alone = (here.words & wanted) - counted
    for number, one in enumerate(each):
        left_out = here.verbs if number > at and one.verbs <= wanted else frozenset[str]()
        if number != at and one.words and one.words <= wanted and alone - left_out <= one.words:
            return True
    return False


def _may_be_meant(value: Value, sentence: str, wanted: Set[str]) -> bool:
    """Whether a value may be an answer: not in the question, and no number of a clause; `one` is mostly a pronoun."""
    written = sentence[value.span.start : value.span.end]
    is_of_a_clause = value.kind == NUMBER and not sentence[: value.span.start].strip()
    return written.casefold() != "one" and not is_of_a_clause and not content_stems(written) <= wanted


def _said_behind(sentence: str, values: Sequence[Value], end: int) -> list[_Own] | None:
    """What is said behind each value, up to the end of what belongs to it; `None` if it is said before the values.

    It is said behind them if something follows the last one, or a case any other one, and nothing else precedes the next.
    """
    ends = [*(value.span.start for value in values[1:]), end]
    found = []
    has_more = False
    for value, last in zip(values, ends, strict=True):
        cut = _END.search(sentence, value.span.end, last)
        found.append(_own(sentence[value.span.end : cut.start() if cut is not None else last]))
        has_more = has_more or (cut is not None and last != end and bool(_own(sentence[cut.end() : last]).words))
    is_behind = bool(found[-1].words) or (not has_more and any(one.is_case and one.words for one in found))
    return found if is_behind else None


def _said_before(sentence: str, values: Sequence[Value], start: int) -> list[_Own]:
    """What is said between each value and the one before it."""
    starts = [start, *(value.span.end for value in values[:-1])]
    return [_own(sentence[first : value.span.start]) for first, value in zip(starts, values, strict=True)]


def _own(text: str) -> _Own:
    text = _POSSESSIVE.sub("", text)
    says_something = any(len(word) > 2 for word in text.split())
    words = content_stems(text) - _SAY_LITTLE if says_something else frozenset[str]()
    return _Own(words, _CASE.match(text) is not None, verbs_in(text) if says_something else frozenset())
