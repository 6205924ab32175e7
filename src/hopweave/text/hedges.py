"""Whether a sentence leaves open what it says: `was possibly born in`, `is rumoured to be`, `is planned for`.

Only English is understood. The `may`, `can` and `should` of manuals state plain facts of what a program allows, so they are no
hedges here.
"""

from __future__ import annotations

import re

from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.clauses import clause_around
from hopweave.text.content_words import stem, stems_of, words_of

_ADVERBS = "possibly|probably|perhaps|maybe|presumably|apparently|allegedly|reportedly|supposedly|purportedly|likely"
_OPEN = re.compile(
    rf"\b(?:{_ADVERBS}|alleged|rumou?r(?:ed|s)?|purported|unconfirmed|apocryphal|hypothetical|nominated|planned|unsuccessfully"
    r"|(?:is|was|were|been|being|an?|the) proposed|(?:said|believed|thought|reported|claimed) to|scheduled (?:to|for)"
    r"|(?:was|were) (?:intended|supposed|expected) to|(?:attempted|tried|sought) to|(?:may|might|could|would) have been)\b",
    re.IGNORECASE,
)


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
    clause = clause_around(sentence, focus)
    hedge = _OPEN.search(sentence, clause.start, focus.start)
    if hedge is None or _has_hedge(asking):
        return False
    return stems_of(asking).isdisjoint(map(stem, words_of(hedge[0])))


@remembered
def _has_hedge(text: str) -> bool:
    return _OPEN.search(text) is not None
