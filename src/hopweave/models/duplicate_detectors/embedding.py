"""Two queries are the same if their sentence embeddings are close"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from hopweave.core.errors import SettingsError
from hopweave.core.sentence_encoder import cosines_with

NEEDS_EXTRA = "hf"


@dataclass(frozen=True, slots=True)
class EmbeddingDuplicates:
    """Compares cosines of sentence embeddings; the closest earlier query above the threshold is the duplicate.

    Queries of one chain may differ only by a name, so the threshold must be high.

    Raises:
        SettingsError: for a threshold that is not from -1 to 1.
    """

    model: Annotated[str, "a sentence-transformers model on the hub, or a folder"] = "sentence-transformers/all-MiniLM-L6-v2"
    threshold: Annotated[float, "cosine above which two queries are the same, -1 to 1"] = 0.95
    device: Annotated[str | None, "device such as cpu or cuda; chosen automatically by default"] = None

    def __post_init__(self) -> None:
        if not -1 <= self.threshold <= 1:
            raise SettingsError(f"embedding threshold is a cosine from -1 to 1, not {self.threshold}")

    def duplicate_of(self, query: str, seen: Sequence[str]) -> int | None:
        if not seen:
            return None
        cosines = cosines_with(query, seen, self.model, self.device)
        best = max(range(len(seen)), key=cosines.__getitem__)
        return best if cosines[best] > self.threshold else None
