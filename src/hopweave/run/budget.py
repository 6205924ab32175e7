"""Limits for a question, and how much of each it has used."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields

from hopweave.core.errors import BudgetReached, SettingsError


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits for one question; `None` and 0 mean no limit. Reaching one returns the best answer so far and raises no exception.

    An offline stage (`Workbench.offline`) has the same limits, counted separately.

    Attributes:
        max_llm_calls: calls of the model, including stored replies.
        max_tokens: tokens in and out, over all calls.
        max_searches: queries sent to the retriever; if the model rewrites queries, those sent to the underlying engine.
        max_seconds: seconds since the question was started; a call in progress is cancelled. Stored replies count with their
            original duration, and concurrent calls count once. In replay the clock is off: the same calls are cut off again.

    Raises:
        SettingsError: for a limit that is negative or not finite.
    """

    max_llm_calls: int | None = None
    max_tokens: int | None = None
    max_searches: int | None = None
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if value == 0:
                object.__setattr__(self, limit.name, None)
            elif value is not None and not 0 < value < math.inf:
                raise SettingsError(f"budget {limit.name} must be a number above 0, or 0 for no limit, not {value}")

    def limits(self) -> dict[str, float]:
        """The limits that are set."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) is not None}


class Account:
    """How much a question, or an offline stage of it, has used of its budget.

    Args:
        budget: the limits.
        clock: returns the seconds since the question was started.
        runs_clock: whether time is limited; in a replay it is not.

    Attributes:
        llm_calls: requests so far; `tokens` and `searches` likewise.
        stored_seconds: the original duration of stored replies, for which there was no wait this time.
        seconds_aside: the duration of offline stages, which have separate accounts.
    """

    def __init__(self, budget: Budget, clock: Callable[[], float], *, runs_clock: bool) -> None:
        self.budget = budget
        self.llm_calls = self.tokens = self.searches = 0
        self.stored_seconds = self.seconds_aside = 0.0
        self._clock = clock
        self._runs_clock = runs_clock
        self._opened_at = clock()

    def seconds_since_opened(self) -> float:
        """Seconds by the clock since this account was opened."""
        return self._clock() - self._opened_at

    def afford(self, limit: str, needed: float) -> None:
        """Checks that a limit allows the total amount needed.

        Raises:
            BudgetReached: if it does not.
        """
        allowed = getattr(self.budget, limit)
        if allowed is not None and needed > allowed:
            raise BudgetReached(limit, allowed)

    def afford_call(self) -> None:
        """Checks that one more call of the model is allowed.

        Raises:
            BudgetReached: if it is not.
        """
        self.afford("max_llm_calls", self.llm_calls + 1)
        self.afford("max_tokens", self.tokens + 1)

    def count_stored(self, begun: float, seconds: float) -> None:
        """Adds the duration of a call for which there was no wait; when the call started, `stored_seconds` was `begun`."""
        self.stored_seconds = max(self.stored_seconds, begun + seconds)

    @property
    def is_out_of_time(self) -> bool:
        """Whether the time is up."""
        return self.budget.max_seconds is not None and self._runs_clock and self._seconds_left() <= 0

    def out_of_time(self) -> BudgetReached:
        """The error for a question whose time is up."""
        return BudgetReached("max_seconds", self.budget.max_seconds or 0.0)

    @asynccontextmanager
    async def deadline(self) -> AsyncIterator[None]:
        """Cancels the block when the time is up.

        Raises:
            BudgetReached: if it was cancelled.
        """
        if self.budget.max_seconds is None or not self._runs_clock:
            yield
            return
        try:
            async with asyncio.timeout(self._seconds_left()) as clock:
                yield
        except TimeoutError:
            if clock.expired():
                raise self.out_of_time() from None
            raise

    def _seconds_left(self) -> float:
        return (self.budget.max_seconds or 0.0) - (self.seconds_since_opened() - self.seconds_aside + self.stored_seconds)
