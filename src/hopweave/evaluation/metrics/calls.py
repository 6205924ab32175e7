"""Calls: how often the model, the retriever and the reader were called.

Definition. Counts over a record. `llm_calls` are requests to the model, `completions` the replies that they asked for (one
request may ask for several samples), `llm_failures` the requests that failed for good, `searches` batches sent to the
retriever, `queries` the queries in them, `reads` passages read. Replies from the store count like any other.
`offline_llm_calls` are the requests of work that a run does once for all questions, such as writing demonstrations: they are
in no other column, a sum over questions would count them repeatedly, and without such a stage there is no data. Range 0 up,
lower is better. Failed questions count: their costs were spent. Source: `trace.Totals`; the papers' tables count rounds and
words instead.

>>> from support.worked import worked
>>> spent = Calls().score(*worked("Ulm", calls=[("Which town?", "Ulm")], searches=[["Ulm", "Ulm town"]]))
>>> {name: value for name, value in spent.items() if value}
{'llm_calls': 1.0, 'completions': 1.0, 'searches': 1.0, 'queries': 2.0}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hopweave.core.types import Example
from hopweave.evaluation.metrics._usage import Spending, spent
from hopweave.record import Record


@dataclass(frozen=True, slots=True)
class Calls(Spending):
    """How often the model, the retriever and the reader were called."""

    columns: ClassVar = {
        "llm_calls": spent("requests to the model"),
        "completions": spent("replies that were asked for"),
        "llm_failures": spent("requests to the model that failed for good"),
        "searches": spent("batches of queries sent to the retriever"),
        "queries": spent("queries sent to the retriever"),
        "reads": spent("passages read"),
        "offline_llm_calls": spent("requests to the model that all questions of a run share, in no other column"),
    }

    def score(self, record: Record, example: Example) -> dict[str, float]:
        totals = record.totals()
        own = {name: float(getattr(totals, name)) for name in self.columns if name != "offline_llm_calls"}
        offline = record.totals(offline=True).llm_calls
        return {**own, "offline_llm_calls": float(offline)} if offline else own
