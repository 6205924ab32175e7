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

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from hopweave.core.types import Example
from hopweave.evaluation.metrics._usage import Spending, spent
from hopweave.record import Record


@dataclass(frozen=True, slots=True)
class Rounds(Spending):
    """How often the reasoning used the retriever."""

    columns: ClassVar = {"rounds": spent("rounds of retrieval")}

    mode: Annotated[Literal["block", "per_call"], "block: stretches of searches; per_call: every query"] = "block"

    def score(self, record: Record, example: Example) -> dict[str, float]:
        return {"rounds": float(record.num_rounds(self.mode))}
