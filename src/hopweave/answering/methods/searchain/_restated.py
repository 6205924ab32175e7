"""Reads the bare answer out of a sentence that restates its question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hopweave.text.final import short_form
from hopweave.text.key_terms import Word, words_in
from hopweave.text.sentences import first_sentence

_VERB = re.compile(r"(?<!\w)(?:is|are|was|were|will\s+be|has\s+been|have\s+been|had\s+been)(?!\w)")
_CLAUSE = re.compile(r",\s+(?:who|whose|which|where|when)\b")
_LEADS_IN = {"located", "situated", "found", "called", "named", "known", "said"}
_LONGEST_NAME = 8
_MOST_CHARACTERS = 1_000  # a sentence that is longer restates nothing


def unstated(answer: str, query: str) -> str:
    """What the first sentence of an answer says beyond its query; an answer that is a name or a few words stays as it is.

    Of a sentence with `is` or `was`, the side is taken that repeats less of the query; of any other, the longest run of words
    beyond it. Function words at the ends are left out. Where nothing is left, the sentence itself is the answer.

    >>> unstated("The performer of Paper Lanterns is Mira Solberg.", "Who is the performer of Paper Lanterns?")
    'Mira Solberg'
    """
    said = short_form(first_sentence(answer[:_MOST_CHARACTERS])) or answer
    asked = frozenset(word.stem for word in words_in(query) if word.says_something)
    words = words_in(said)
    verb = _VERB.search(said)
    if verb is not None:
        sides = said[: verb.start()], _CLAUSE.split(said[verb.end() :])[0]
        return _trimmed(max(sides, key=lambda side: _share_beyond(words_in(side), asked)), asked) or said
    is_name = all(word.is_named or not word.says_something for word in words)
    if is_name or not (any(word.stem in asked for word in words) or len(words) > _LONGEST_NAME):
        return said
    return _longest_beyond(said, words, asked) or said


def _share_beyond(words: Sequence[Word], asked: frozenset[str]) -> float:
    """The share of a side that says something beyond the query; 0 for a side that says nothing."""
    telling = [word for word in words if word.says_something]
    return sum(word.stem not in asked for word in telling) / len(telling) if telling else 0.0


def _trimmed(side: str, asked: frozenset[str]) -> str:
    """A side without function words and small words of the query at its ends; a name keeps its first words."""
    telling = [word for word in words_in(side) if not _is_filler(word, asked)]
    return side[telling[0].start : telling[-1].end] if telling else ""


def _is_filler(word: Word, asked: frozenset[str]) -> bool:
    is_small = not word.says_something or word.key in _LEADS_IN
    return is_small or (not word.is_named and word.stem in asked)


def _longest_beyond(said: str, words: Sequence[Word], asked: frozenset[str]) -> str:
    """The longest run of words that are not the query's, by those that say something; of equal ones the first."""
    best: list[Word] = []
    telling: list[Word] = []
    for word in words:
        if word.stem in asked and word.says_something:
            telling = []
        elif not _is_filler(word, asked):
            telling = [*telling, word]
        best = max(best, telling, key=len)
    return said[best[0].start : best[-1].end] if best else ""
