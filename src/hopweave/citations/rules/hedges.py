"""Whether a sentence leaves open what it says: `was possibly born in`, `is rumoured to be`, `is planned for`.

Other languages have words of their own for it (`citations.rules.denials`). The `may`, `can` and `should` of manuals state
what a program allows, so they are no hedges here.
"""

from __future__ import annotations

import re

from hopweave.citations.rules.clauses import clause_around
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.content_words import stem, stems_of, words_of
from hopweave.text.languages import is_foreign_beside

_ADVERBS = "possibly|probably|perhaps|maybe|presumably|apparently|allegedly|reportedly|supposedly|purportedly|likely"
_OPEN = lazy_pattern(
    rf"\b(?:{_ADVERBS}|alleged|rumou?r(?:ed|s)?|purported|unconfirmed|apocryphal|hypothetical|nominated|planned|unsuccessfully"
    r"|(?:is|was|were|been|being|an?|the) proposed|(?:said|believed|thought|reported|claimed) to|scheduled (?:to|for)"
    r"|(?:was|were) (?:intended|supposed|expected) to|(?:attempted|tried|sought) to|(?:may|might|could|would) have been)\b",
    re.IGNORECASE,
)

_FARTHEST = 60
"""Characters after a hedge among which the first word is looked for."""


def is_left_open(asking: str, sentence: str, focus: Span) -> bool:
    """Whether some words of a sentence follow a hedge in their clause, and what asks for them has none.

    Args:
        asking: the question and the answer.
        sentence: the sentence.
        focus: the position of the words in it.

    >>> told = "She was born in Sula, possibly in Brno."
    >>> [is_left_open("Where was she born?", told, Span(start, start + 4)) for start in (16, 34)]
    [False, True]
    """
    if is_foreign_beside(sentence, asking):
        from hopweave.citations.rules.denials import is_left_open_elsewhere  # which few texts need

        return is_left_open_elsewhere(asking, sentence, focus)
    if not _OPEN.search(sentence, 0, focus.start):  # most have none
        return False
    clause = clause_around(sentence, focus)
    return bool(_unasked(asking, sentence, Span(clause.start, focus.start)))


def leaves_open(sentence: str, statement: str) -> bool:
    """Whether a sentence says with a hedge what a statement says without one: the first word after the hedge.

    >>> leaves_open("She was born in Sula and is said to have died in Brno.", "Ida Renn died in Brno.")
    True
    >>> leaves_open("She was born in Sula and is said to have died in Brno.", "Ida Renn was born in Sula.")
    False
    """
    asked = stems_of(statement)
    ends = [hedge.end() for hedge in _unasked(statement, sentence, Span(0, len(sentence)))]
    firsts = [words_of(sentence[end : end + _FARTHEST])[:1] for end in ends]
    return any(stem(word) in asked for first in firsts for word in first)


def _unasked(asking: str, sentence: str, where: Span) -> list[re.Match[str]]:
    """The hedges in a part of a sentence; none if what asks for its words has one, or a word of theirs."""
    hedges = list(_OPEN.finditer(sentence, where.start, where.end))
    asked = stems_of(asking) if hedges else frozenset[str]()
    is_asked = any(not asked.isdisjoint(map(stem, words_of(hedge[0]))) for hedge in hedges)
    return [] if is_asked or (hedges and _OPEN.search(asking)) else hedges
