"""Makes a question's calls of the model: from the store, by joining an identical call in progress, or with retries."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

from hopweave.core import errors
from hopweave.core.errors import BudgetReached, ModelError, ReplayMiss, RunError
from hopweave.core.protocols import ManyReplies, TokenCounter
from hopweave.core.retries import boundary, outcome_of
from hopweave.core.types import Message, Reply, Sampling, Usage
from hopweave.record import Failure, Timing
from hopweave.run.again import Given
from hopweave.run.budget import Account
from hopweave.run.components import Components
from hopweave.run.estimated_usage import with_usage
from hopweave.run.in_flight import Call, OnText
from hopweave.run.one_by_one import one_by_one
from hopweave.run.store.store import Store, Stored, key_of
from hopweave.run.validation import checked_reply

T = TypeVar("T")

_CLAIM_SECONDS = (0.02, 0.25)
"""The first and the longest interval, in seconds, between checks whether another process has finished a call."""


@dataclass(frozen=True, slots=True)
class Made(Generic[T]):
    """The outcome of a call, its duration and number of attempts; `is_merged` if it was made for another question."""

    outcome: T | RunError
    seconds: float
    attempts: int
    is_merged: bool = False


@dataclass(frozen=True, slots=True)
class ModelCalls:
    """The calls of one question.

    Attributes:
        components: the model and the store.
        account: the account of the question.
        is_offline: whether the calls are made for all questions.
    """

    components: Components
    account: Account
    is_offline: bool = False

    def key(self, messages: Sequence[Message], sampling: Sampling, sample: int) -> str:
        """The key under which the store, or the memory of offline stages, keeps a call; empty if neither does."""
        store = self.components.store
        is_kept = self.is_offline or (store is not None and store.mode != "off")
        return key_of(self.components.llm.identity, messages, sampling, sample) if is_kept else ""

    async def afford_time(self, key: str = "") -> None:
        """Checks that there is time left. If not, the store notes that under `key`, so that a replay stops here too.

        Raises:
            BudgetReached: if the time is up.
        """
        store = self.components.store
        if self.components.is_replay:
            stored = await self._of_store(partial(store.get, key)) if store is not None and key else None
            if stored is not None and stored.reply is None and not stored.attempts:
                raise self.account.out_of_time()
        elif self.account.is_out_of_time:
            reached = self.account.out_of_time()
            if store is not None and key:
                await self._of_store(partial(store.put, key, Stored(None, Failure.of(reached), 0.0, 0)))
            raise reached

    async def asked(self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None) -> Reply:
        """A reply of the model, validated.

        Raises:
            ModelError: as in `LanguageModel.reply`.
            TypeError: as in `checked_reply`.
        """
        reply = checked_reply(await self.components.llm.reply(messages, sampling, on_text))
        return with_usage(messages, [reply])[0]

    async def outcome(
        self,
        key: str,
        ask: Callable[[OnText | None], Awaitable[Reply]],
        started: float,
        on_text: OnText | None,
        given: Given | None = None,
    ) -> tuple[Reply | RunError, Timing]:
        """The outcome of a call and its timing; `given` takes precedence over the store."""
        stored = given.stored if given is not None else await self._of_store(partial(self._stored, key))
        if stored is not None:
            begun = self.account.stored_seconds
            await asyncio.sleep(0)  # lets concurrent calls start before the time of this one is counted
            self.account.count_stored(begun, stored.seconds)
            return self._from_store(stored), self._timing_of(stored, started, is_given=given is not None)
        if self.components.is_replay:
            return ReplayMiss("the store does not hold this call; run once with the store on"), Timing(started, 0.0)
        made = await self._made(key, ask, partial(self._keep, key), partial(self._kept, key), on_text)
        return made.outcome, Timing(started, made.seconds, attempts=made.attempts, is_merged=made.is_merged)

    async def drawn(
        self,
        llm: ManyReplies,
        messages: Sequence[Message],
        sampling: Sampling,
        keys: Sequence[str],
        started: float,
        given: Sequence[Given | None],
    ) -> list[tuple[Reply | RunError, Timing]]:
        """Samples, one for each key: those that are neither given nor in the store are drawn by one request.

        Raises:
            DataError: if the store fails. A failed request is an outcome of each of its samples, also one that returns fewer
                than asked for.
        """
        begun = self.account.stored_seconds
        found = await self._of_store(
            lambda: [self._stored(key) if one is None else one.stored for key, one in zip(keys, given, strict=True)]
        )
        self.account.count_stored(begun, max((stored.seconds for stored in found if stored is not None), default=0.0))
        missing = [key for key, stored in zip(keys, found, strict=True) if stored is None]
        waiting: Iterator[tuple[Reply | RunError, Timing]] = iter(())
        if missing and self.components.is_replay:
            miss = ReplayMiss("the store does not hold all samples of this call; run once with the store on")
            waiting = iter([(miss, Timing(started, 0.0, attempts=0))] * len(missing))
        elif missing:

            async def draw(_: OnText | None) -> list[Reply]:
                replies = [checked_reply(reply) for reply in await llm.replies(messages, sampling, len(missing))]
                if len(replies) != len(missing):
                    raise ModelError(f"the model sent {len(replies)} replies where {len(missing)} were asked for")
                return with_usage(messages, replies)

            joined = "\n".join(missing) if all(missing) else ""
            made = await self._made(joined, draw, partial(self._keep_all, missing), partial(self._all_kept, missing))
            timing = Timing(started, made.seconds, attempts=made.attempts, is_merged=made.is_merged)
            drawn = made.outcome if isinstance(made.outcome, list) else [made.outcome] * len(missing)
            waiting = iter([(one, timing) for one in drawn])
        return [
            next(waiting)
            if stored is None
            else (self._from_store(stored), self._timing_of(stored, started, is_given=one is not None))
            for stored, one in zip(found, given, strict=True)
        ]

    async def counted(self, key: str, llm: TokenCounter, text: str) -> Reply | RunError:
        """The number of tokens of a text, as the usage of an empty reply, so that the store can keep it."""

        async def count(_: OnText | None) -> Reply:
            return Reply("", usage=Usage(prompt_tokens=int(await llm.count_tokens(text))))

        stored = await self._of_store(partial(self._stored, key))
        if stored is not None:
            return self._from_store(stored)
        if self.components.is_replay:
            return ReplayMiss("the store does not hold how many tokens a text has; run once with the store on")
        return (await self._made(key, count, partial(self._keep, key), partial(self._kept, key))).outcome

    async def _of_store(self, ask: Callable[[], T]) -> T:
        """A result of the store. A store on a server is called in a thread, so that nothing else waits if it hangs."""
        store = self.components.store
        return await asyncio.to_thread(ask) if store is not None and store.shares_claims else ask()

    def _stored(self, key: str) -> Stored | None:
        store = self.components.store
        stored = store.get(key) if store is not None and key else None
        return stored or (self.components.offline_replies.get(key) if self.is_offline else None)

    def _timing_of(self, stored: Stored, started: float, *, is_given: bool) -> Timing:
        is_from_store = is_given or (self.components.store is not None and self.components.store.mode != "off")
        return Timing(started, stored.seconds, from_store=is_from_store, attempts=stored.attempts, is_merged=not is_from_store)

    def _from_store(self, stored: Stored) -> Reply | RunError:
        if stored.reply is not None:
            return stored.reply
        failure = stored.failure or Failure("ModelError", "the stored call has no outcome")
        if failure.kind == BudgetReached.__name__:
            return self.account.out_of_time()
        kind = getattr(errors, failure.kind, None)
        if not (isinstance(kind, type) and issubclass(kind, RunError)):
            kind = ModelError
        return kind(failure.message, retryable=failure.retryable)

    def _keep(self, key: str, made: Made[Reply]) -> Made[Reply]:
        """Keeps the outcome of a call in the right place; returns the outcome that is kept there now."""
        store, outcome = self.components.store, made.outcome
        reply, failure = (None, Failure.of(outcome)) if isinstance(outcome, RunError) else (outcome, None)
        stored = Stored(reply, failure, made.seconds, made.attempts)
        if store is not None and store.mode != "off":
            standing = store.put(key, stored).reply or outcome
            return made if standing is outcome else replace(made, outcome=standing)
        if self.is_offline and reply is not None:
            self.components.offline_replies.setdefault(key, stored)
        return made

    def _keep_all(self, keys: Sequence[str], made: Made[list[Reply]]) -> Made[list[Reply]]:
        """Keeps each reply of one request, or the failure for each."""
        outcome = made.outcome
        each: Sequence[Reply | RunError] = outcome if isinstance(outcome, list) else [outcome] * len(keys)
        kept = [self._keep(key, Made(one, made.seconds, made.attempts)).outcome for key, one in zip(keys, each, strict=True)]
        replies = [one for one in kept if isinstance(one, Reply)]
        return replace(made, outcome=replies) if len(replies) == len(keys) else made

    def _kept(self, key: str) -> Made[Reply] | None:
        """The reply to a call that another process made."""
        stored = self._stored(key)
        if stored is None or stored.reply is None:
            return None
        return Made(stored.reply, stored.seconds, stored.attempts, is_merged=True)

    def _all_kept(self, keys: Sequence[str]) -> Made[list[Reply]] | None:
        """Samples that another process drew, if it drew all of them."""
        each = [self._kept(key) for key in keys]
        replies = [made.outcome for made in each if made is not None and isinstance(made.outcome, Reply)]
        if len(replies) < len(keys):
            return None
        return Made(replies, max(made.seconds for made in each if made is not None), 1, is_merged=True)

    @asynccontextmanager
    async def _claimed(self, key: str) -> AsyncIterator[bool]:
        """Keeps other processes that share the store from making a call; yields whether one of them may have made it."""
        store = self.components.store
        if store is None or not key or store.mode != "on" or not store.shares_claims:
            yield False
            return
        pause = _CLAIM_SECONDS[0]
        while not await _claim(store, key):
            await asyncio.sleep(pause)
            pause = min(2 * pause, _CLAIM_SECONDS[1])
        try:
            yield True
        finally:
            await asyncio.shield(asyncio.to_thread(store.release, key))

    async def _made(
        self,
        key: str,
        ask: Callable[[OnText | None], Awaitable[T]],
        keep: Callable[[Made[T]], Made[T]],
        kept: Callable[[], Made[T] | None],
        on_text: OnText | None = None,
    ) -> Made[T]:
        """Makes a call, or waits for an identical one in progress, within the question's time.

        Args:
            key: the key of the call; without one it is always made.
            ask: makes the call.
            keep: called once with the outcome; returns the outcome to use.
            kept: looks the call up again, if another process may have made it meanwhile.
            on_text: called with each piece of a reply.
        """

        async def make(call: Call[Made[T]]) -> Made[T]:
            async def once() -> T:
                call.attempts += 1
                with boundary(ModelError, self.components.llm):
                    return await ask(call.tell if on_text is not None else None)

            async with self._claimed(key) as may_be_kept:
                standing = await asyncio.to_thread(kept) if may_be_kept else None
                if standing is not None:
                    return standing
                began = time.perf_counter()
                outcome = await outcome_of(once, self.components.retries)
                made = Made(outcome, time.perf_counter() - began, call.attempts)
                # A server takes some time to commit, which must not delay other calls.
                return await asyncio.to_thread(keep, made) if may_be_kept else keep(made)

        began, stood_at = time.perf_counter(), self.account.stored_seconds
        call: Call[Any]
        call, is_own = self.components.in_flight.join(key, make)
        try:
            async with self.account.deadline():
                made: Made[T] = await call.result(on_text)
        except BudgetReached as reached:
            late: Made[T] = Made(reached, time.perf_counter() - began, max(1, call.attempts))
            return await self._of_store(partial(keep, late))
        await one_by_one()
        if is_own and not made.is_merged:
            return made
        self.account.count_stored(stood_at, made.seconds - (time.perf_counter() - began))
        return replace(made, is_merged=True)


async def _claim(store: Store, key: str) -> bool:
    """Whether a call was free and is now claimed. If the task is cancelled meanwhile, the claim is released."""
    taking = asyncio.create_task(asyncio.to_thread(store.claim, key))
    try:
        return await asyncio.shield(taking)
    except asyncio.CancelledError:
        taking.add_done_callback(partial(_give_back, store, key))
        raise


def _give_back(store: Store, key: str, taking: asyncio.Task[bool]) -> None:
    if not taking.cancelled() and taking.exception() is None and taking.result():
        asyncio.get_running_loop().run_in_executor(None, store.release, key)
