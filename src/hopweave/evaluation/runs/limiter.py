"""Limits concurrent calls of a language model to what its endpoint can take.

The limit starts at the endpoint's own. When the endpoint refuses a call because there are too many (429, 503, or any failure
with a time to wait), the limit is halved, or falls to the number of calls that it did not refuse if that is less, and no call
starts before the requested wait is over; with every round of accepted calls, the limit grows by one again. This is how TCP
shares a line (additive increase, multiplicative decrease: Chiu and Jain 1989).

Nothing is retried or hidden here: each refusal is passed on to the workbench, which counts it as an attempt and retries.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from hopweave.core.errors import ModelError
from hopweave.core.protocols import LanguageModel, ManyReplies, OnText, Opens, Probes, TextScorer, TokenCounter
from hopweave.core.types import Abilities, Message, Reply, Sampling

MAX_PAUSE_SECONDS = 300.0
"""The longest wait at a time, whatever the endpoint asks for."""


class CallLimit(Protocol):
    """How many calls may run at a time."""

    @property
    def ceiling(self) -> int:
        """The most there may ever be."""

    @property
    def limit(self) -> int:
        """The most there may be at the moment; at least 1."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A call that was let through; `era` is how often the limit had been halved before it started."""

    era: int


class Turns:
    """Lets calls through in order of arrival, up to a limit that adapts to what the endpoint can take.

    Args:
        ceiling: the most concurrent calls, and the limit at the start.
    """

    def __init__(self, ceiling: int) -> None:
        self.ceiling = ceiling
        self.num_open = 0
        self.num_refused = 0
        self._limit = float(ceiling)
        self._era = 0
        self._open_at_refusal = 0
        self._refused_in_era = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._resumes_at = 0.0
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def limit(self) -> int:
        """How many calls may run at the moment; at least 1."""
        return int(self._limit)

    def start(self, ceiling: int) -> None:
        """Starts again under another ceiling."""
        self.ceiling, self._limit = ceiling, float(ceiling)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Ticket]:
        """Waits for a turn and holds it."""
        if self._waiting or not self._is_free():
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            self._let_in()  # which sets the alarm if only the clock holds it up
            try:
                await place
            except asyncio.CancelledError:
                if place.done() and not place.cancelled():
                    self.num_open -= 1
                    self._let_in()
                raise
        else:
            self.num_open += 1
        try:
            yield Ticket(self._era)
        finally:
            self.num_open -= 1
            self._let_in()

    def borne(self) -> None:
        """The endpoint answered a call."""
        self._limit = min(float(self.ceiling), self._limit + 1.0 / self._limit)

    def refused(self, ticket: Ticket, wait_seconds: float | None) -> None:
        """The endpoint refused a call because there were too many, and asked for a pause."""
        self.num_refused += 1
        if ticket.era == self._era:
            self._era += 1
            self._open_at_refusal, self._refused_in_era = self.num_open, 0
            self._limit /= 2.0
        self._refused_in_era += 1
        self._limit = max(1.0, min(self._limit, float(self._open_at_refusal - self._refused_in_era)))
        if wait_seconds is not None:
            until = asyncio.get_running_loop().time() + min(wait_seconds, MAX_PAUSE_SECONDS)
            self._resumes_at = max(self._resumes_at, until)

    def pause_seconds(self) -> float:
        """For how long no call starts because the endpoint asked for a pause; 0 if it did not."""
        return max(0.0, self._resumes_at - asyncio.get_running_loop().time())

    def _is_free(self) -> bool:
        return self.num_open < self.limit and self.pause_seconds() == 0.0

    def _let_in(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        while self._waiting and self._is_free():
            place = self._waiting.popleft()
            if not place.done():
                self.num_open += 1
                place.set_result(None)
        pause = self.pause_seconds()
        if self._waiting and pause > 0.0:
            self._alarm = asyncio.get_running_loop().call_later(math.nextafter(pause, math.inf), self._let_in)


class Limited:
    """A language model whose calls take turns.

    Args:
        llm: the model.
        turns: shared by all that call it.
    """

    def __init__(self, llm: LanguageModel, turns: Turns) -> None:
        self._llm = llm
        self.turns = turns
        self.identity = llm.identity
        self._is_closed = False

    @property
    def abilities(self) -> Abilities:
        """Those of the model."""
        return self._llm.abilities

    async def open(self) -> None:
        """Gets the model ready, if it needs that; see `Opens.open`."""
        if isinstance(self._llm, Opens):
            await self._llm.open()

    async def reply(self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None) -> Reply:
        """Replies once; see `LanguageModel.reply`."""
        async with self._turn():
            return await self._llm.reply(messages, sampling, on_text)

    async def close(self) -> None:
        """Closes the model, once."""
        if not self._is_closed:
            self._is_closed = True
            await self._llm.close()

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        async with self.turns.turn() as ticket:
            try:
                yield
            except ModelError as error:
                if error.retryable and (error.is_refusal or error.retry_after_seconds is not None):
                    self.turns.refused(ticket, error.retry_after_seconds)
                raise
            self.turns.borne()


class _WithProbe(Limited):
    async def probe(self) -> None:
        """Finds out what the endpoint can do; see `Probes.probe`. It does not wait for a turn."""
        assert isinstance(self._llm, Probes)  # noqa: S101 - see `limited`
        await self._llm.probe()


class _WithSamples(Limited):
    async def replies(self, messages: Sequence[Message], sampling: Sampling, num: int) -> list[Reply]:
        """Draws several replies in one request; see `ManyReplies.replies`."""
        assert isinstance(self._llm, ManyReplies)  # noqa: S101 - see `limited`
        async with self._turn():
            return await self._llm.replies(messages, sampling, num)


class _WithCounts(Limited):
    async def count_tokens(self, text: str) -> int:
        """How many tokens a text has; see `TokenCounter.count_tokens`. It does not wait for a turn."""
        assert isinstance(self._llm, TokenCounter)  # noqa: S101 - see `limited`
        return await self._llm.count_tokens(text)


class _WithScores(Limited):
    async def score_text(self, prompt: str, text: str) -> Reply:
        """How likely given words are; see `TextScorer.score_text`."""
        assert isinstance(self._llm, TextScorer)  # noqa: S101 - see `limited`
        async with self._turn():
            return await self._llm.score_text(prompt, text)


_OPTIONAL: tuple[tuple[Any, type[Limited]], ...] = (
    (Probes, _WithProbe),
    (ManyReplies, _WithSamples),
    (TokenCounter, _WithCounts),
    (TextScorer, _WithScores),
)


def limited(llm: LanguageModel, turns: Turns) -> Limited:
    """The model, with calls that take turns; it supports exactly what the model supports."""
    kinds = tuple(kind for role, kind in _OPTIONAL if isinstance(llm, role))
    return _kind_of(kinds)(llm, turns)


@cache
def _kind_of(kinds: tuple[type[Limited], ...]) -> type[Limited]:
    return type("_Limited", kinds, {}) if kinds else Limited
