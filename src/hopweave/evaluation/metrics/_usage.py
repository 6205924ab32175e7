"""Shared by the metrics of usage: their class, their columns, and the tokens of a record."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from hopweave.core.types import Column, Usage
from hopweave.record import ModelCall, Record


@dataclass(frozen=True, slots=True)
class Spending:
    """A metric of resources used. It scores failed records as well, since their costs were spent."""

    columns: ClassVar[Mapping[str, Column]]
    counts_failures: ClassVar[bool] = True


def spent(meaning: str, unit: str = "") -> Column:
    """A column where less is better, without an upper bound."""
    return Column(meaning, better="lower", high=math.inf, unit=unit)


def usage_of(record: Record) -> Usage | None:
    """Tokens over all calls of the question; `None` if a reply came without a count, because then the sum is unknown.

    Records written by current versions contain an estimate for every missing count, including failed calls.
    """
    calls = [step for step in record.own_steps if isinstance(step, ModelCall)]
    if any(step.text is not None and not step.is_shared and step.usage.prompt_tokens == 0 for step in calls):
        return None
    return Usage(
        sum(step.usage.prompt_tokens for step in calls),
        sum(step.usage.completion_tokens for step in calls),
        sum(step.usage.cached_tokens for step in calls),
        thinking_tokens=sum(step.usage.thinking_tokens for step in calls),
    )
