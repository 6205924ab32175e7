"""Rounds: how often the reasoning used the retriever.

Definition. `mode = "block"`: runs of searches between two model calls, however many queries they sent, so that several queries
written at once are one round; searching before the first model call is one, too. `per_call`: every query, as in ToQD's released
code. Source: #r of SearChain (table 6) and ToQD (table 2b), which do not say how they count; by blocks,
Plan-and-Solve with retrieval has the 1 of their tables. Range 0 up, lower is better. Failed questions count.

>>> from support.worked import worked
>>> said = worked("Ulm", searches=[["Who was it?", "Where was it?"]])
>>> Rounds().score(*said), Rounds(mode="per_call").score(*said)
({'rounds': 1.0}, {'rounds': 2.0})
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from hopweave.core.types import Column, Example
from hopweave.evaluation.metrics._usage import spent
from hopweave.record import Record


@dataclass(frozen=True, slots=True)
class Rounds:
    """How often the reasoning used the retriever."""

    columns: ClassVar[Mapping[str, Column]] = {"rounds": spent("rounds of retrieval")}
    counts_failures: ClassVar[bool] = True

    mode: Annotated[Literal["block", "per_call"], "block: stretches of searches; per_call: every query"] = "block"

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        return {"rounds": float(record.num_rounds(self.mode))}
