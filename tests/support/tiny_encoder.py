"""An encoder of the tests' own: counts of character trigrams, hashed into a few numbers, the same on every machine."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

import numpy as np


class TinyEncoder:
    """Counts trigrams.

    Args:
        dimension: of the vectors.
        before: is called before each batch; a test ends the encoding there.
    """

    def __init__(self, dimension: int = 64, before: Callable[[], None] | None = None) -> None:
        self.dimension = dimension
        self.identity = f"tiny({dimension})"
        self.encoded: list[str] = []
        self._before = before

    def encode(self, texts: Sequence[str], kind: str) -> np.ndarray:
        if self._before is not None:
            self._before()
        self.encoded += texts
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            known = text.lower().encode("utf-8", "replace")
            for at in range(len(known) - 2):
                row[zlib.crc32(known[at : at + 3]) % self.dimension] += 1
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


class TinyTokenEncoder:
    """A vector for each word, of length 1: counts of its trigrams.

    Args:
        dimension: of the vectors.
        before: is called before each batch; a test ends the encoding there.
    """

    def __init__(self, dimension: int = 32, before: Callable[[], None] | None = None) -> None:
        self.identity = f"tiny tokens({dimension})"
        self.encoded: list[str] = []
        self._of_words = TinyEncoder(dimension)
        self._before = before

    def encode(self, texts: Sequence[str], kind: str) -> list[np.ndarray]:
        if self._before is not None:
            self._before()
        self.encoded += texts
        return [self._of_words.encode([f" {word} " for word in text.split()] or ["empty"], kind) for text in texts]
