"""Tokens: how much the model read and wrote, as counted by its endpoint; estimated where it gives no count.

Definition. Sums over the calls of a record: `prompt_tokens` in, `cached_tokens` those of them in the endpoint's cache,
`completion_tokens` out, `thinking_tokens` those of them with which the model thought before it replied (0 if it does not, or
its endpoint does not count them), `total_tokens` in and out. Replies from the store count as in the original call. An endpoint
counts neither a reply whose stream was cut nor a call that failed for good: their tokens are estimated when the record is
written, at one token per 4 bytes, and `estimated_tokens` says how many of `total_tokens` they are. `offline_tokens` are in and
out of work that a run does once for all questions, if there is such a stage; they are in no other column. Range 0 up,
lower is better, except for cached ones. Failed questions count. If a record has a reply with neither a count nor an estimate,
the sum is unknown and there is no data.

>>> from support.worked import worked
>>> values = Tokens().score(*worked("Ulm", calls=[("Which town is it?", "Ulm")]))
>>> {name: value for name, value in values.items() if value}
{'prompt_tokens': 4.0, 'completion_tokens': 1.0, 'total_tokens': 5.0}
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from hopweave.core.types import Column, Example
from hopweave.evaluation.metrics._usage import Spending, spent, usage_of
from hopweave.record import Record


@dataclass(frozen=True, slots=True)
class Tokens(Spending):
    """How much the model read and wrote, as counted by its endpoint."""

    columns: ClassVar = {
        "prompt_tokens": spent("read by the model", "tokens"),
        "completion_tokens": spent("written by the model", "tokens"),
        "cached_tokens": Column("read before, and not computed again", better="higher", high=math.inf, unit="tokens"),
        "thinking_tokens": spent("of completion_tokens, thought before replies, as far as endpoints count it", "tokens"),
        "total_tokens": spent("read and written", "tokens"),
        "estimated_tokens": spent("of total_tokens, estimated and not counted", "tokens"),
        "offline_tokens": spent("read and written for all questions of a run, in no other column", "tokens"),
    }

    def score(self, record: Record, example: Example) -> dict[str, float]:
        usage = usage_of(record)
        if usage is None:
            return {}
        offline = record.totals(offline=True)
        shared = {"offline_tokens": float(offline.prompt_tokens + offline.completion_tokens)} if offline.llm_calls else {}
        return shared | {
            "prompt_tokens": float(usage.prompt_tokens),
            "completion_tokens": float(usage.completion_tokens),
            "cached_tokens": float(usage.cached_tokens),
            "thinking_tokens": float(usage.thinking_tokens),
            "total_tokens": float(usage.prompt_tokens + usage.completion_tokens),
            "estimated_tokens": float(record.totals().estimated_tokens),
        }
