"""Sentence embeddings by models of the extra `hf`. A model is loaded once, whichever parts use it."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

from hopweave.core.catalog import require

_ENCODERS: dict[tuple[str, str | None], Any] = {}
_LOCK = Lock()


def embeddings(texts: Sequence[str], model: str, device: str | None = None, *, normalized: bool = False) -> Any:
    """A vector for each text, the rows of an array.

    It computes, and so belongs into a thread.

    Args:
        texts: to be encoded.
        model: of sentence-transformers, a name of the hub or a folder.
        device: such as cpu or cuda; chosen by itself if absent.
        normalized: make every vector one of length 1.

    Raises:
        MissingExtra: without the library of the extra `hf`.
    """
    with _LOCK:
        if (model, device) not in _ENCODERS:
            library = require("sentence_transformers", "hf")
            _ENCODERS[model, device] = library.SentenceTransformer(model, device=device)
        return _ENCODERS[model, device].encode(list(texts), normalize_embeddings=normalized)


def cosines_with(query: str, texts: Sequence[str], model: str, device: str | None = None) -> list[float]:
    """The cosine of each text with a query.

    Raises:
        MissingExtra: without the library of the extra `hf`.
    """
    if not texts:
        return []
    vectors = embeddings([query, *texts], model, device, normalized=True)
    return [float(vectors[0] @ other) for other in vectors[1:]]
