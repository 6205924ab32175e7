"""Two queries are the same if they have the same words, ignoring case, punctuation and articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.text.matching import normalize_answer


@dataclass(frozen=True, slots=True)
class Normalized:
    """The light detector: exact and without a model. Paraphrases pass as new queries, at the cost of a search."""

    def duplicate_of(self, query: str, seen: Sequence[str]) -> int | None:
        wanted = normalize_answer(query)
        return next((index for index, other in enumerate(seen) if normalize_answer(other) == wanted), None)
