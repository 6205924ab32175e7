"""The segments of a sentence between commas and conjunctions: which of them says what a question asks for.

For other languages than English, in which no more of a clause is understood than where it ends: German, the Scandinavian and
the Slavic languages have a comma before each.
"""

from __future__ import annotations

import re
from functools import cache

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.content_words import stem
from hopweave.text.languages import NOTHING, language_beside, words_for
from hopweave.text.scripts import COMMAS
from hopweave.text.sizes import may_say_how_much
from hopweave.text.values_alike import Value, are_alike, values_in
from hopweave.text.wanted import content_stems

_IN_BRACKETS = lazy_pattern(r"\([^()]*\)?")
_FEWEST_WORDS = 4
"""Of a segment that is a clause, and no name beside another one, if its answer is not followed by what is said of it."""
_FEWEST_WANTED = 2
_WORD = lazy_pattern(r"[^\W\d_]+")


def is_in_another_segment(query: str, sentence: str, focus: Span) -> bool:
    """Whether the segment with some words of a sentence has nothing that is wanted, and another one has it.

    The other one has a value of their kind or, if they are no value, all that is wanted.

    Args:
        query: the question, in another language than English.
        sentence: the sentence.
        focus: the position of the words in it.

    >>> told = "Frau Ilg beantragt den Zuschuss, Herr Anders schreibt die Mitglieder an."
    >>> [is_in_another_segment("Wer beantragt den Zuschuss?", told, Span(*at)) for at in ((0, 8), (33, 44))]
    [False, True]
    """
    code = language_beside(sentence, query)
    wanted = content_stems(query) - _small(code)
    segments = _segments(sentence, code)
    own = next((one for one in segments if one.start <= focus.start < one.end), None)
    if own is None or len(segments) < 2 or wanted & content_stems(sentence[own.start : own.end]):
        return False
    values = values_in(sentence, code)
    answer = [value for value in values if value.span.start < focus.end and focus.start < value.span.end]
    others = [one for one in segments if one != own]
    if answer:
        return any(
            wanted & content_stems(sentence[one.start : one.end])
            and any(_are_alike(value, answer[-1]) for value in values if one.start <= value.span.start < one.end)
            for one in others
        )
    is_clause = len(_IN_BRACKETS.sub("", sentence[own.start : own.end]).split()) >= _FEWEST_WORDS or _says_something(
        sentence[focus.end : own.end], code
    )
    known = wanted & content_stems(sentence)
    return (
        is_clause
        and len(known) >= _FEWEST_WANTED
        and any(known <= content_stems(sentence[one.start : one.end]) for one in others)
    )


def _says_something(text: str, code: str) -> bool:
    """Whether a text has a word in small letters that says something, and not only that this is so of others as well.

    >>> [_says_something(text, "fr") for text in (" trésorière.", " également.", " (Lyon)")]
    [True, False, False]
    """
    words = " ".join(word for word in _WORD.findall(_IN_BRACKETS.sub("", text)) if word.islower())
    also = set(map(stem, words_for(code, "also").split()))
    return bool(content_stems(words) - _small(code) - also)


@cache
def _small(code: str) -> frozenset[str]:
    return frozenset(map(stem, words_for(code, "small").split()))


def _segments(sentence: str, code: str) -> list[Span]:
    cuts = list(_cut(code).finditer(sentence))
    starts, ends = [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(sentence)]
    return [Span(start, end) for start, end in zip(starts, ends, strict=True) if start < end]


@cache
def _cut(code: str) -> re.Pattern[str]:
    joins = "|".join(words_for(code, "joins").split()) or NOTHING
    return re.compile(rf"[,;:]\s|[{COMMAS}]|\s(?:{joins})\s", re.IGNORECASE)


def _are_alike(one: Value, other: Value) -> bool:
    return may_say_how_much(one.kind, other.kind) or are_alike(one.kind, other.kind, whatever_is_counted=True)
