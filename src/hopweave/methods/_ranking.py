"""Puts sentences in the order in which they fit a query, by their words or by their embeddings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from hopweave.catalog import require
from hopweave.methods._stated import words_of

_ENCODERS: dict[tuple[str, str | None], Any] = {}
_LOCK = Lock()


def ranked_by_words(query: str, texts: Sequence[str]) -> list[int]:
    """Positions of the texts by the cosine of their TF-IDF vectors with the query's, best first; equals keep their order.

    What is frequent is told by the texts themselves: idf = ln((1 + N) / (1 + df)) + 1 over the N texts.
    """
    counts = [Counter(words_of(text)) for text in texts]
    frequency = Counter(word for count in counts for word in count)
    idf = {word: math.log((1 + len(texts)) / (1 + num)) + 1 for word, num in frequency.items()}
    wanted = _weighted(Counter(words_of(query)), idf)
    cosines = [_dot(wanted, _weighted(count, idf)) for count in counts]
    return sorted(range(len(texts)), key=lambda index: -cosines[index])


def ranked_by_embedding(query: str, texts: Sequence[str], model: str, device: str | None) -> list[int]:
    """Positions of the texts by the cosine of their sentence embeddings with the query's, best first.

    It computes, and so belongs into a thread.

    Raises:
        MissingExtra: without the library of the extra `hf`.
    """
    if not texts:
        return []
    with _LOCK:
        if (model, device) not in _ENCODERS:
            _ENCODERS[model, device] = require("sentence_transformers", "hf").SentenceTransformer(model, device=device)
        vectors = _ENCODERS[model, device].encode([query, *texts], normalize_embeddings=True)
    cosines = [float(vectors[0] @ other) for other in vectors[1:]]
    return sorted(range(len(texts)), key=lambda index: -cosines[index])


def _weighted(counts: Mapping[str, int], idf: Mapping[str, float]) -> dict[str, float]:
    """A TF-IDF vector of length 1; words that no text has are left out."""
    weights = {word: num * idf[word] for word, num in counts.items() if word in idf}
    length = math.sqrt(sum(value * value for value in weights.values()))
    return {word: value / length for word, value in weights.items()} if length else {}


def _dot(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(value * other.get(word, 0.0) for word, value in one.items())
