"""Tokens: how much the model read and wrote, as its endpoint counts.

Definition. Sums over the calls of a record: `prompt_tokens` in, `cached_tokens` those of them that the endpoint had computed
before, `completion_tokens` out, `total_tokens` in and out. Replies from the store count as when they were made. Range 0 up,
lower is better, save for cached ones. Failed questions count; a call that failed for good has no count and adds nothing. If
some reply came without a count, the sum is not known and there is no data.

>>> from hopweave.metrics._worked import worked
>>> Tokens().score(*worked("Ulm", calls=[("Which town is it?", "Ulm")]))
{'prompt_tokens': 4.0, 'completion_tokens': 1.0, 'cached_tokens': 0.0, 'total_tokens': 5.0}
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from hopweave.metrics._usage import usage_of
from hopweave.trace import Record
from hopweave.types import Column, Example

__all__ = ["Tokens"]


@dataclass(frozen=True, slots=True)
class Tokens:
    """How much the model read and wrote, as its endpoint counts."""

    columns: ClassVar[Mapping[str, Column]] = {
        "prompt_tokens": Column("read by the model", better="lower", high=math.inf, unit="tokens"),
        "completion_tokens": Column("written by the model", better="lower", high=math.inf, unit="tokens"),
        "cached_tokens": Column("read before, and not computed again", better="higher", high=math.inf, unit="tokens"),
        "total_tokens": Column("read and written", better="lower", high=math.inf, unit="tokens"),
    }
    counts_failures: ClassVar[bool] = True

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        """See `protocols.Metric`."""
        usage = usage_of(record)
        if usage is None:
            return {}
        return {
            "prompt_tokens": float(usage.prompt_tokens),
            "completion_tokens": float(usage.completion_tokens),
            "cached_tokens": float(usage.cached_tokens),
            "total_tokens": float(usage.prompt_tokens + usage.completion_tokens),
        }
