"""Collects the requests of many coroutines to an engine into batches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_MAX_BATCH = 256


class Batcher(Generic[Item, Result]):
    """Collects the requests of waiting coroutines into batches and runs them, one at a time, off the event loop.

    While a batch runs, later requests are collected for the next one. If a batch fails, its items are tried individually, so
    that only the culprit's coroutine sees the error.
    """

    def __init__(self, run: Callable[[Sequence[Item]], Sequence[Result]], name: str) -> None:
        self._run = run
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._drain: asyncio.Task[None] | None = None

    async def ask(self, items: Sequence[Item]) -> list[Result]:
        """One result for each item, in order."""
        loop = asyncio.get_running_loop()
        futures = [loop.create_future() for _ in items]
        self._waiting.extend(zip(items, futures, strict=True))
        if self._drain is None or self._drain.done():
            self._drain = loop.create_task(self._drain_all())
        return list(await asyncio.gather(*futures))

    async def close(self) -> None:
        """Stops the thread after its current batch; pending requests are cancelled."""
        drain = self._drain
        if drain is not None and not drain.done():
            drain.cancel()
            await asyncio.gather(drain, return_exceptions=True)
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)

    async def _drain_all(self) -> None:
        try:
            await asyncio.sleep(0)  # coroutines that are ready get to ask first
            while self._waiting:
                batch, self._waiting = self._waiting[:_MAX_BATCH], self._waiting[_MAX_BATCH:]
                await self._run_batch(batch)
        finally:
            left, self._waiting = self._waiting, []
            for _, future in left:
                future.cancel()

    async def _run_batch(self, batch: Sequence[tuple[Item, asyncio.Future[Result]]]) -> None:
        batch = [(item, future) for item, future in batch if not future.done()]
        if not batch:
            return
        loop = asyncio.get_running_loop()
        try:
            outcome = await loop.run_in_executor(self._thread, self._results_or_error, [item for item, _ in batch])
        except RuntimeError as error:  # the thread was stopped
            outcome = error
        except BaseException:
            for _, future in batch:
                future.cancel()
            raise
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
