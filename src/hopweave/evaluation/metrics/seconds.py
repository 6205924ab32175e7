"""Seconds: how long a question took, and how much of that was spent on the model and the retriever.

Definition. `seconds` is the time from starting the question to its record, including anything that ran concurrently;
`llm_seconds` and `search_seconds` are the sums over its calls, including waiting and retries, as if run in sequence. A reply
from the store counts in `llm_seconds` with its original duration, but the question itself was then answered faster than
possible: `seconds` has no data if any reply came from the store, or from an identical concurrent call of another question. An
offline stage is left out of all three. Source: t of SearChain (table 6) and ToQD (table 2b): measure it one question at a time
(`--parallel 1`), or waiting for other questions is included. Range 0 up, lower is better. Failed questions count.

>>> from support.worked import worked
>>> Seconds().score(*worked("Ulm", calls=[("Which town?", "Ulm")], searches=[["Ulm"]], seconds=2.0))
{'llm_seconds': 0.5, 'search_seconds': 0.25, 'seconds': 2.0}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hopweave.core.types import Example
from hopweave.evaluation.metrics._usage import Spending, spent
from hopweave.record import ModelCall, Record


@dataclass(frozen=True, slots=True)
class Seconds(Spending):
    """How long a question took, and how much of that was spent on the model and the retriever."""

    columns: ClassVar = {
        "seconds": spent("from the question to its record", "seconds"),
        "llm_seconds": spent("calls of the model, one after the other", "seconds"),
        "search_seconds": spent("searches, one after the other", "seconds"),
    }

    def score(self, record: Record, example: Example) -> dict[str, float]:
        totals = record.totals()
        values = {"llm_seconds": totals.llm_seconds, "search_seconds": totals.search_seconds}
        calls = [step for step in record.own_steps if isinstance(step, ModelCall)]
        if not any(step.timing.from_store or step.timing.is_merged for step in calls):
            values["seconds"] = record.seconds
        return values
