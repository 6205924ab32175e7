"""Failures: how many questions have no answer, or no finished one.

Definition. `failure_rate` is 1 for a question whose record has an error instead of an answer, else 0. For the others,
`empty_answer` is 1 if the bare answer is empty, and `stopped_early` is 1 if something other than the method's own end stopped
it (a limit of the budget, `max_rounds`); a failed question has no data there. Means are shares. Range 0 to 1, lower is better.

>>> from support.worked import worked
>>> Failures().score(*worked("Ulm"))
{'failure_rate': 0.0, 'empty_answer': 0.0, 'stopped_early': 0.0}
>>> Failures().score(*worked(error="the endpoint is gone"))
{'failure_rate': 1.0}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hopweave.core.types import Column, Example
from hopweave.evaluation.metrics._usage import Spending
from hopweave.record import Record


@dataclass(frozen=True, slots=True)
class Failures(Spending):
    """How many questions have no answer, or no finished one."""

    columns: ClassVar = {
        "failure_rate": Column("ended in an error", better="lower"),
        "empty_answer": Column("gave no bare answer", better="lower"),
        "stopped_early": Column("was stopped by a limit", better="lower"),
    }

    def score(self, record: Record, example: Example) -> dict[str, float]:
        if record.answer is None:
            return {"failure_rate": 1.0}
        return {
            "failure_rate": 0.0,
            "empty_answer": float(not record.answer.short.strip()),
            "stopped_early": float(record.answer.stopped_because != "finished"),
        }
