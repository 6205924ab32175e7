"""What a record spent: its columns, and its tokens where the endpoint counts them."""

from __future__ import annotations

import math

from hopweave.trace import ModelCall, Record
from hopweave.types import Column, Usage


def spent(meaning: str, unit: str = "") -> Column:
    """A column of which less is better, without an upper bound."""
    return Column(meaning, better="lower", high=math.inf, unit=unit)


def usage_of(record: Record) -> Usage | None:
    """Tokens over all calls of the question; `None` if some reply came without a count, for then the sum is not known.

    Records that hopweave writes now have an estimate in place of a count that is missing, for a call that failed as well.
    """
    calls = [step for step in record.own_steps if isinstance(step, ModelCall)]
    if any(step.text is not None and not step.is_shared and step.usage.prompt_tokens == 0 for step in calls):
        return None
    return Usage(
        sum(step.usage.prompt_tokens for step in calls),
        sum(step.usage.completion_tokens for step in calls),
        sum(step.usage.cached_tokens for step in calls),
    )
