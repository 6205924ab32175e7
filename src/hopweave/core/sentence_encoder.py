"""Sentence embeddings by models of the extra `hf`. A model is loaded once and shared by all components."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

from hopweave.core.catalog import require

_ENCODERS: dict[tuple[str, str | None], Any] = {}
_LOCK = Lock()


def embeddings(texts: Sequence[str], model: str, device: str | None = None, *, normalized: bool = False) -> Any:
    """A vector for each text, the rows of an array.

    This is CPU-bound or GPU-bound work: call it in a thread, not on the event loop.

    Args:
        texts: the texts to encode.
        model: a sentence-transformers model, by its name on the hub or its folder.
        device: such as cpu or cuda; chosen automatically if absent.
        normalized: scale every vector to length 1.

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
