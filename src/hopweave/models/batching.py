"""Collects the requests of many coroutines to an engine into batches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from hopweave.core.errors import RunError

Item = TypeVar("Item")
Result = TypeVar("Result")

_MAX_BATCH = 256


@dataclass(slots=True, eq=False)
class _Queue(Generic[Item, Result]):
    """The requests of one event loop that wait, and the task that runs them; none while nothing waits."""

    waiting: list[tuple[Item, asyncio.Future[Result]]] = field(default_factory=list)
    drain: asyncio.Task[None] | None = None


class Batcher(Generic[Item, Result]):
    """Collects the requests of waiting coroutines into batches and runs them, one at a time, off the event loop.

    While a batch runs, later requests are collected for the next one. If a batch fails, its items are tried individually, so
    that only the culprit's coroutine sees the error. Event loops of several threads may ask at the same time; each has its own
    batches, and all share the thread that runs them.

    Args:
        run: gives a result for each item; it may be an error, which only the coroutine that asked for it sees.
        name: names the thread.
        failure: the error of requests that cannot be answered because the batcher is closed.
    """

    def __init__(
        self, run: Callable[[Sequence[Item]], Sequence[Result]], name: str, failure: type[RunError] = RunError
    ) -> None:
        self._run = run
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._failure = failure
        self._is_closed = False
        self._queues: dict[asyncio.AbstractEventLoop, _Queue[Item, Result]] = {}

    async def ask(self, items: Sequence[Item]) -> list[Result]:
        """One result for each item, in order.

        Raises:
            RunError: of the class `failure`, if the batcher is closed before the results are there.
        """
        if self._is_closed:
            raise self._closed()
        loop = asyncio.get_running_loop()
        queue = self._queues.get(loop)
        if queue is None or queue.drain is None or queue.drain.done():
            queue = self._queues[loop] = _Queue()
            queue.drain = loop.create_task(self._drain_all(queue))
            queue.drain.add_done_callback(lambda _: self._end(loop, queue))
        futures: list[asyncio.Future[Result]] = [loop.create_future() for _ in items]
        queue.waiting.extend(zip(items, futures, strict=True))
        return list(await asyncio.gather(*futures))

    async def close(self) -> None:
        """Fails the requests that still wait. A batch that is running ends in its thread, and nobody waits for that."""
        self._is_closed = True
        here = asyncio.get_running_loop()
        for loop, queue in tuple(self._queues.items()):
            if queue.drain is None or queue.drain.done():
                continue
            if loop is here:
                queue.drain.cancel()
                await asyncio.wait([queue.drain])
            else:
                with suppress(RuntimeError):  # that loop has ended
                    loop.call_soon_threadsafe(queue.drain.cancel)
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _closed(self) -> RunError:
        return self._failure("it was closed before the result was there")

    def _end(self, loop: asyncio.AbstractEventLoop, queue: _Queue[Item, Result]) -> None:
        """Forgets a queue, and lets go what still waits in it, which is so if its task was cancelled."""
        if self._queues.get(loop) is queue:
            del self._queues[loop]
        self._let_go(queue.waiting)

    def _let_go(self, batch: Sequence[tuple[Item, asyncio.Future[Result]]]) -> None:
        """Ends requests without a result: they fail if the batcher was closed, and are cancelled if their loop ends."""
        for _, future in batch:
            if self._is_closed:
                _settle(future, self._closed())
            else:
                future.cancel()  # does nothing if it is done

    async def _drain_all(self, queue: _Queue[Item, Result]) -> None:
        await asyncio.sleep(0)  # coroutines that are ready get to ask first
        while queue.waiting:
            batch, queue.waiting = queue.waiting[:_MAX_BATCH], queue.waiting[_MAX_BATCH:]
            try:
                await self._run_batch(batch)
            except BaseException:
                self._let_go(batch)
                raise

    async def _run_batch(self, batch: Sequence[tuple[Item, asyncio.Future[Result]]]) -> None:
        batch = [(item, future) for item, future in batch if not future.done()]
        if not batch:
            return
        loop = asyncio.get_running_loop()
        try:
            outcome = await loop.run_in_executor(self._thread, self._results_or_error, [item for item, _ in batch])
        except RuntimeError as error:  # the thread was stopped
            outcome = self._closed() if self._is_closed else error
        if not isinstance(outcome, Exception):
            for (_, future), result in zip(batch, outcome, strict=True):
                _settle(future, result)
        elif len(batch) == 1:
            _settle(batch[0][1], outcome)
        else:
            for one in batch:
                await self._run_batch([one])

    def _results_or_error(self, items: Sequence[Item]) -> list[Result] | Exception:
        try:
            results = list(self._run(items))
            if len(results) != len(items):
                raise ValueError(f"{len(results)} results came back for {len(items)} items")
        except asyncio.CancelledError as error:  # of a task of its own: nobody cancelled the batch
            return RuntimeError(f"CancelledError: {error}")
        except Exception as error:  # noqa: BLE001 - an engine may raise anything; it is passed to the caller
            return error
        return results


def _settle(future: asyncio.Future[Any], outcome: Any) -> None:
    if future.done():  # the caller was cancelled
        return
    if isinstance(outcome, StopIteration):  # which no future can hold
        outcome = RuntimeError(f"StopIteration: {outcome}")
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
