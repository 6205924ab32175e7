"""Questions for the most or the last of several, of which a sentence that only lists them does not say which it is."""

from __future__ import annotations

import re
from collections import Counter

from hopweave.citations.rules.bounds import bound_stated
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.content_words import stem, words_of
from hopweave.text.languages import is_foreign_beside
from hopweave.text.values_alike import are_alike, value_at, values_in

_SUPERLATIVE = lazy_pattern(
    r"\b(?:(?:most|least)\s(?!of\b|likely\b|recent)[a-z]{3,}"
    r"|(?!(?:guest|request|interest|forest|honest|harvest|protest|contest|invest|arrest|modest|digest|manifest|suggest|latest|nearest"
    r"|earnest|conquest|tempest|test|rest|west|best|chest|nest|quest|guest|pest|vest|crest|quest|attest|infest|priest|midwest)\b)"
    r"[a-z]{2,}est)\b",
    re.IGNORECASE,
)
_LAST = lazy_pattern(r"\blast\s(?!year|week|month|quarter|time\b|name\b)[a-z]+", re.IGNORECASE)
_OF_BOUNDS = {
    "upper": frozenset(["most", "highest", "largest", "greatest", "biggest", "longest", "heaviest", "tallest", "latest"]),
    "lower": frozenset(["least", "lowest", "smallest", "fewest", "shortest", "lightest", "cheapest", "earliest"]),
}
"""The superlatives that a bound answers: `up to 60%` is the highest share."""
_FEWEST = 2


def is_one_of_a_list(query: str, sentence: str, above: str, focus: Span) -> bool:
    """Whether a query asks for the most of something, and a sentence lists several values without saying which that is.

    Args:
        query: the query.
        sentence: the sentence.
        above: what stands above it.
        focus: the position of the answer in it.

    >>> told = "Ulm had 3.1 kg a plant, Brno 2.7 kg."
    >>> is_one_of_a_list("Which had the heaviest crop?", told, "", Span(0, 3))
    True
    >>> is_one_of_a_list("Which had the heaviest crop?", "The heaviest crop was that of Ulm, with 3.1 kg.", "", Span(30, 33))
    False
    >>> is_one_of_a_list("What is the highest share?", "Members receive 12%, up to 60%.", "", Span(27, 30))
    False
    """
    if is_foreign_beside(sentence, query):
        return False
    values = values_in(sentence)
    own = value_at(focus, values)
    asked = [match[0] for match in _SUPERLATIVE.finditer(query)]
    if own is not None and own.kind in {"clock", "date"}:
        asked += [match[0].split()[0] for match in _LAST.finditer(query)]
    said = {stem(word) for word in words_of(f"{above}\n{sentence}")}
    if not asked or any(
        {stem(word) for word in words_of(one)} & said or one.casefold() in sentence.casefold() for one in asked
    ):
        return False
    if own is not None:
        if _OF_BOUNDS.get(bound_stated(sentence, own.span), frozenset()) & {word for one in asked for word in words_of(one)}:
            return False
        return sum(are_alike(one.kind, own.kind) for one in values) >= _FEWEST
    kinds = Counter(one.kind for one in values if one.kind != "date")
    return any(number >= _FEWEST for number in kinds.values())
