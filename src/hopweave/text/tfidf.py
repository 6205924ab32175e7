"""TF-IDF: texts as vectors of their words, and the similarity of texts to a query."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from hopweave.core.lazy_pattern import lazy_pattern

Vector = Mapping[str, float]
"""The components that are not zero."""

_WORD = lazy_pattern(r"\w+")


def every_word(text: str) -> list[str]:
    """Runs of letters and digits, in lower case."""
    return _WORD.findall(text.casefold())


def word_vectors(texts: Sequence[str]) -> list[Vector]:
    """A vector of length 1 for each text.

    The weight of a word is its count times ln((1 + n) / (1 + df)) + 1, where df of the n texts contain it. This smoothing acts
    like an additional text that contains every word.
    """
    tallies = [Counter(every_word(text)) for text in texts]
    idf = _idf(tallies)
    return [_weighted(tally, idf) for tally in tallies]


def cosines_with(query: str, texts: Sequence[str], words_of: Callable[[str], Sequence[str]] = every_word) -> list[float]:
    """The cosine of each text with a query, from 0 to 1, for the vectors above; query words that no text has are ignored.

    >>> [round(value, 3) for value in cosines_with("a port", ["a port", "port port", "wall"])]
    [1.0, 0.605, 0.0]
    """
    tallies = [Counter(words_of(text)) for text in texts]
    idf = _idf(tallies)
    wanted = _weighted(Counter(word for word in words_of(query) if word in idf), idf)
    return [sum(wanted.get(word, 0.0) * weight for word, weight in _weighted(tally, idf).items()) for tally in tallies]


def _idf(tallies: Sequence[Mapping[str, int]]) -> dict[str, float]:
    num_with = Counter(word for tally in tallies for word in tally)
    return {word: math.log((1 + len(tallies)) / (1 + num)) + 1 for word, num in num_with.items()}


def _weighted(tally: Mapping[str, int], idf: Mapping[str, float]) -> dict[str, float]:
    weights = {word: num * idf[word] for word, num in tally.items()}
    length = math.hypot(*weights.values())
    return {word: weight / length for word, weight in weights.items()}
