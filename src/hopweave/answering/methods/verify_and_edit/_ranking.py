"""Ranks sentences by relevance to a query, by their words or by their embeddings."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.core import sentence_encoder
from hopweave.text import tfidf as _tfidf
from hopweave.text.content_words import words_of


def ranked_by_words(query: str, texts: Sequence[str]) -> list[int]:
    """Positions of the texts by the cosine of their TF-IDF vectors with the query's, best first; equals keep their order.

    Stop words are left out: between two short sentences, they would often decide.
    """
    return _ranked(_tfidf.cosines_with(query, texts, words_of))


def ranked_by_embedding(query: str, texts: Sequence[str], model: str, device: str | None) -> list[int]:
    """Positions of the texts by the cosine of their sentence embeddings with the query's, best first.

    This is compute-intensive, and so belongs in a thread.

    Raises:
        MissingExtra: without the library of the extra `hf`.
    """
    return _ranked(sentence_encoder.cosines_with(query, texts, model, device))


def _ranked(cosines: Sequence[float]) -> list[int]:
    return sorted(range(len(cosines)), key=lambda index: -cosines[index])
