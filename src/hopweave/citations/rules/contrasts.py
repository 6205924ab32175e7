"""Words that tell things of one kind apart: what is said of the lower tank is not said of the upper one.

In English alone, and only where the same noun, or none, follows both: `the left panel`, `the right one`.
"""

from __future__ import annotations

from collections.abc import Set

from hopweave.citations.rules.clauses import clause_around
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.content_words import stem

_SETS = (
    "upper lower middle",
    "top bottom",
    "left right",
    "left-hand right-hand",
    "front rear back",
    "inner outer",
    "inside outside",
    "indoor outdoor",
    "internal external",
    "north south east west",
    "northern southern eastern western",
    "hot cold warm",
    "high low",
    "fast slow slowly quickly",
    "early late",
    "odd even",
    "large small medium",
    "long short",
    "thick thin",
    "heavy light",
    "old new",
    "full-time part-time",
    "single double twin",
    "gross net",
    "public private",
    "domestic foreign",
    "primary secondary",
    "junior senior",
    "male female",
    "wet dry",
    "summer winter spring autumn",
    "morning afternoon evening",
    "weekday weekend",
    "monthly annual yearly weekly daily quarterly",
    "red blue green yellow black white grey brown orange purple pink",
)
COLOURS = _SETS[-1].split()
_SET_OF = {word: number for number, words in enumerate(_SETS) for word in words.split()}
_WORD = lazy_pattern(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ONE = frozenset({"one", "ones"})
_NOUNS = 2
"""Words behind such a word among which its noun is: `upper spray arm`."""


def is_of_another_of_a_kind(query: str, sentence: str, focus: Span) -> bool:
    """Whether a sentence has some words of another thing than a query, told apart by a word such as `upper`.

    What counts is the clause, and the sentence if the clause has no such word.

    Args:
        query: the query.
        sentence: the sentence.
        focus: the position of the words in it.

    >>> told = "The upper tank holds 4 litres, the lower one 9 litres."
    >>> [is_of_another_of_a_kind("What does the lower tank hold?", told, Span(at, at + 8)) for at in (21, 45)]
    [True, False]
    """
    asked = _contrasts(query)
    if not asked:
        return False
    clause = clause_around(sentence, focus)
    for within in (sentence[clause.start : clause.end], sentence):
        told = _contrasts(within)
        alike = {word for word, nouns in told.items() if any(_are_rivals(word, nouns, *one) for one in asked.items())}
        if alike or not asked.keys().isdisjoint(told):
            return bool(alike) and asked.keys().isdisjoint(told)
    return False


def _are_rivals(word: str, nouns: Set[str], asked: str, nouns_asked: Set[str]) -> bool:
    is_of_the_set = word != asked and _SET_OF[word] == _SET_OF[asked]
    return is_of_the_set and (not nouns.isdisjoint(nouns_asked) or not nouns.isdisjoint(_ONE))


@remembered
def _contrasts(text: str) -> dict[str, frozenset[str]]:
    """The words of a text that tell things apart, with what follows each."""
    words = [word.casefold() for word in _WORD.findall(text)]
    found: dict[str, set[str]] = {}
    for at, word in enumerate(words):
        if word in _SET_OF:
            behind = words[at + 1 : at + 1 + _NOUNS]
            found.setdefault(word, set()).update(behind, map(stem, behind))
        elif word.removesuffix("s") in _SET_OF:  # `at weekends from`
            found.setdefault(word.removesuffix("s"), set()).update(words[at + 1 : at + 1 + _NOUNS], _ONE)
    return {word: frozenset(nouns) for word, nouns in found.items()}
