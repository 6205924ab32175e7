"""Critical path: the seconds that no amount of parallelism could have saved.

Definition. The longest chain of calls in which each depends on the previous one: calls under one step run in sequence, branches
of a graph run in parallel, except that each waits for those it names. `serial_seconds` is the sum of the same calls run in
sequence. In both, the samples of one draw count once, with the duration of the longest: whether an endpoint draws them in
one request or in concurrent requests is independent of the method. An offline stage is left out. Both hold however the run was
actually executed, and whether or not replies came from the store.

    critical path = max over paths through the graph of the sum of the seconds of the calls on it

Source: ToQD (section 3.1) answers the sub-questions of a level in parallel; the paper's t does not say which it counts. Range 0
up, lower is better. Failed questions count.

>>> from support.worked import worked
>>> CriticalPathSeconds().score(*worked("Ulm", calls=[("Which town?", "Ulm"), ("Sure?", "Yes")]))
{'critical_path_seconds': 1.0, 'serial_seconds': 1.0}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hopweave.core.types import Example
from hopweave.evaluation.metrics._usage import Spending, spent
from hopweave.record import Record
from hopweave.record.critical_path import critical_path


@dataclass(frozen=True, slots=True)
class CriticalPathSeconds(Spending):
    """The seconds that no amount of parallelism could have saved."""

    columns: ClassVar = {
        "critical_path_seconds": spent("longest chain of calls", "seconds"),
        "serial_seconds": spent("all calls, one after the other", "seconds"),
    }

    def score(self, record: Record, example: Example) -> dict[str, float]:
        way = critical_path(record)
        return {"critical_path_seconds": way.seconds, "serial_seconds": way.total_seconds}
