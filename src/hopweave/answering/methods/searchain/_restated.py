"""Parses a sentence that restates its question, for the bare answer."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.final import short_form
from hopweave.text.key_terms import Word, words_in
from hopweave.text.sentences import first_sentence

_VERB = lazy_pattern(r"(?<!\w)(?:is|are|was|were|will\s+be|has\s+been|have\s+been|had\s+been)(?!\w)")
_CLAUSE = lazy_pattern(r",\s+(?:who|whose|which|where|when)\b")
_LEADS_IN = {"located", "situated", "found", "called", "named", "known", "said"}
_LONGEST_NAME = 8
_MOST_CHARACTERS = 1_000  # longer sentences are not examined


def unstated(answer: str, query: str) -> str:
    """The part of an answer's first sentence that adds to its query; a name or a few words are returned unchanged.

    In a sentence with `is` or `was`, this is the side that repeats less of the query; in any other, the longest run of words
    that are not in the query. Function words at the ends are removed. If nothing is left, the sentence itself is returned.

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
    """The share of a side's content words that are not in the query; 0 for a side without content words."""
    telling = [word for word in words if word.says_something]
    return sum(word.stem not in asked for word in telling) / len(telling) if telling else 0.0


def _trimmed(side: str, asked: frozenset[str]) -> str:
    """A side without function words and short words of the query at its ends; a name keeps its first words."""
    telling = [word for word in words_in(side) if not _is_filler(word, asked)]
    return side[telling[0].start : telling[-1].end] if telling else ""


def _is_filler(word: Word, asked: frozenset[str]) -> bool:
    is_small = not word.says_something or word.key in _LEADS_IN
    return is_small or (not word.is_named and word.stem in asked)


def _longest_beyond(said: str, words: Sequence[Word], asked: frozenset[str]) -> str:
    """The run with the most content words that are not in the query; the first among equals."""
    best: list[Word] = []
    telling: list[Word] = []
    for word in words:
        if word.stem in asked and word.says_something:
            telling = []
        elif not _is_filler(word, asked):
            telling = [*telling, word]
        best = max(best, telling, key=len)
    return said[best[0].start : best[-1].end] if best else ""
