"""Parse failures: how often model output could not be parsed.

Definition. `parse_failures` counts the places of a record where a parser of model output (chains, numbered lists, final
answers) found something unparseable; `parse_failure_rate` is 1 if there is any, so that its mean is the share of questions
affected. An answer may still be found in the rest. Range 0 up and 0 to 1, lower is better. Failed
questions count.

>>> from support.worked import worked
>>> ParseFailures().score(*worked("Ulm"))
{'parse_failures': 0.0, 'parse_failure_rate': 0.0}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hopweave.core.types import Column, Example
from hopweave.evaluation.metrics._usage import Spending, spent
from hopweave.record import Record


@dataclass(frozen=True, slots=True)
class ParseFailures(Spending):
    """How often model output could not be parsed."""

    columns: ClassVar = {
        "parse_failures": spent("places that could not be read"),
        "parse_failure_rate": Column("something could not be read", better="lower"),
    }

    def score(self, record: Record, example: Example) -> dict[str, float]:
        number = record.totals().parse_failures
        return {"parse_failures": float(number), "parse_failure_rate": float(number > 0)}
