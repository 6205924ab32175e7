"""Shares searches out among worker processes, so that the event loop goes on and every core is used.

No process is started before it pays: the first when searches have waited for one another for `PATIENCE_SECONDS` in all, each
further one when they have waited as long again. Until then, and whenever no worker is there, the caller's own process searches.

Queries wait in one queue, first come, first served; of one search, at most `AT_ONCE` are in it. When a worker dies, another
takes its place. The query that it was searching for, and those that it had not come to, are asked again, before all others. A
query during which `MAX_DEATHS` workers have died fails. After the first, it waits for another worker, and this process searches
for it only if none can be started.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from hopweave.core.child_process import Died
from hopweave.core.errors import SearchError
from hopweave.core.indexing import Elsewhere, OpensElsewhere
from hopweave.core.types import Hit
from hopweave.retrieval.workers.worker import Worker

PATIENCE_SECONDS = 1.0
"""How long searches wait, all of them together, before a worker is started: about what starting one costs."""
AT_ONCE = 32
"""The most queries of one search that wait at a time, so that a long list leaves room for others."""
MAX_DEATHS = 2
"""A query during which so many workers died fails; an engine that so many died while opening stays in this process."""
_MAX_BATCH = 8
_MAX_FAILED_STARTS = 3
_SHOWN = 80
_LOG = logging.getLogger(__name__)

SearchHere = Callable[[Sequence[tuple[str, int]]], Awaitable[list[list[Hit]]]]
"""Searches in this process, for pairs of a query and a number of hits."""


@dataclass(slots=True, eq=False)
class _Query:
    """A query that waits: its result is its hits, or `None` if this process should search."""

    engine: SharedEngine
    text: str
    max_hits: int
    result: asyncio.Future[list[Hit] | None]
    asked_at: float = field(default_factory=time.monotonic)
    num_deaths: int = 0

    def settle(self, outcome: list[Hit] | Exception | None) -> None:
        if self.result.done():  # the caller was cancelled
            return
        if isinstance(outcome, Exception):
            self.result.set_exception(outcome)
        else:
            self.result.set_result(outcome)


class SharedEngine:
    """An engine whose searches are shared out; see `SearchWorkers.shared`.

    Attributes:
        number: names it in messages.
        elsewhere: how workers open it, pickled.
        folder: the working directory in which it was opened.
        stays_here: whether only this process searches, because workers cannot open it.
        num_deaths: how many workers died while they opened it.
    """

    def __init__(self, workers: SearchWorkers, number: int, elsewhere: bytes, here: SearchHere) -> None:
        self._workers = workers
        self._here = here
        self._num_here = 0
        self.number = number
        self.elsewhere = elsewhere
        self.folder = str(Path.cwd())
        self.stays_here = False
        self.num_deaths = 0

    async def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """Hits for each query. Cancelling it leaves the workers as they are.

        Raises:
            SearchError: if a search fails, or workers died of it.
        """
        if self.stays_here or not self._workers.are_there:
            return await self._search_here(queries, max_hits)
        found: list[list[Hit] | None] = []
        for first in range(0, len(queries), AT_ONCE):
            found += await asyncio.gather(*self._workers.ask(self, queries[first : first + AT_ONCE], max_hits))
        left = [(query, max_hits) for query, hits in zip(queries, found, strict=True) if hits is None]
        again = iter(await self._here(left) if left else ())
        return [next(again) if hits is None else hits for hits in found]

    async def _search_here(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        has_to_wait, began = self._num_here > 0, time.monotonic()
        self._num_here += 1
        try:
            found = await self._here([(query, max_hits) for query in queries])
        finally:
            self._num_here -= 1
        if has_to_wait:
            self._workers.note_waiting(self, time.monotonic() - began)
        return found

    def keep_here(self, why: str) -> None:
        """Has only this process search from now on."""
        self.stays_here = True
        _LOG.info("search workers cannot open an index, so it is searched without them: %s", why)

    def close(self) -> None:
        """Closes the engine in all workers."""
        self.stays_here = True
        self._workers.forget(self)


class SearchWorkers:
    """Worker processes, shared by all engines of a process.

    Args:
        max_workers: how many there may be.
    """

    def __init__(self, max_workers: int) -> None:
        self.max_workers = max_workers
        self._numbers = count()
        self._begin(None)

    def _begin(self, loop: asyncio.AbstractEventLoop | None) -> None:
        self._loop = loop
        self._workers: set[Worker] = set()
        self._idle: list[Worker] = []
        self._waiting: deque[_Query] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_starting = False
        self._num_failed_starts = 0
        self._seconds_waited = 0.0

    def shared(self, engine: object, here: SearchHere) -> SharedEngine | None:
        """An engine whose searches are shared out; `None` if other processes cannot open it.

        Args:
            engine: the engine, opened in this process.
            here: searches with it in this process.
        """
        elsewhere: Elsewhere | None = engine.elsewhere if isinstance(engine, OpensElsewhere) else None
        if elsewhere is None:
            return None
        try:
            return SharedEngine(self, next(self._numbers), pickle.dumps(elsewhere), here)
        except (pickle.PicklingError, AttributeError, TypeError, OSError):  # what it is made of exists in this process only
            return None

    @property
    def are_there(self) -> bool:
        """Whether any worker can search. Those of an event loop that has ended are ended, too."""
        if self._workers and self._loop is not asyncio.get_running_loop():
            for worker in self._workers:
                worker.kill()
            self._begin(None)
        return bool(self._workers)

    def ask(self, engine: SharedEngine, queries: Iterable[str], max_hits: int) -> list[asyncio.Future[list[Hit] | None]]:
        """Queues queries; the result of each is its hits, or `None` if no worker can be asked."""
        loop = asyncio.get_running_loop()
        asked = [_Query(engine, query, max_hits, loop.create_future()) for query in queries]
        self._waiting.extend(asked)
        self._share_out()
        return [query.result for query in asked]

    def note_waiting(self, engine: SharedEngine, seconds: float) -> None:
        """Counts how long a search waited, and starts a worker once that is worth it; it opens this engine first."""
        self._seconds_waited += seconds
        is_worth_it = self._seconds_waited >= PATIENCE_SECONDS and len(self._workers) < self.max_workers
        if is_worth_it and not engine.stays_here and self._num_failed_starts < _MAX_FAILED_STARTS:
            self._start(engine)

    def forget(self, engine: SharedEngine) -> None:
        """Closes an engine in all workers."""
        for worker in self._workers:
            worker.close(engine.number)

    async def close(self) -> None:
        """Ends all workers. What waits for them is cancelled."""
        workers, tasks, waiting = self._workers, self._tasks, self._waiting
        is_over = self._loop is not None and self._loop is not asyncio.get_running_loop()
        self._begin(None)
        self.max_workers = 0
        for query in waiting:
            query.result.cancel()
        if is_over:
            for worker in workers:
                worker.kill()
            return
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in workers))

    def _start(self, engine: SharedEngine) -> None:
        """Starts a worker, one at a time."""
        if self._is_starting or self.max_workers < 1:
            return
        self._is_starting = True
        self._seconds_waited = 0.0
        self._loop = asyncio.get_running_loop()
        self._spawn(self._start_with(engine))

    async def _start_with(self, engine: SharedEngine) -> None:
        worker = None
        try:
            worker = await Worker.started()
            await self._open(worker, engine)
        except (Died, OSError, NotImplementedError) as error:
            self._num_failed_starts += 1
            if self._num_failed_starts == _MAX_FAILED_STARTS:
                _LOG.warning("no search worker can be started, so this process searches itself: %r", error)
            if worker is not None:
                await worker.end()
        except BaseException:
            if worker is not None:
                await worker.end()
            raise
        else:
            self._num_failed_starts = 0
            self._workers.add(worker)
            self._idle.append(worker)
        finally:
            self._is_starting = False
        self._share_out()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _share_out(self) -> None:
        """Gives idle workers what waits."""
        while self._waiting and self._idle:
            worker = self._idle.pop()
            if worker.has_ended:
                self._replace(worker, self._waiting[0].engine)
            elif batch := self._next_batch():
                self._spawn(self._ask(worker, batch))
            else:
                self._idle.append(worker)
        if self._waiting and not self._workers:
            self._do_without()

    def _next_batch(self) -> list[_Query]:
        """The first queries of the queue that one worker can answer together: few, if there are workers for the others."""
        size = min(_MAX_BATCH, max(1, len(self._waiting) // len(self._workers)))
        batch: list[_Query] = []
        while self._waiting and len(batch) < size:
            query = self._waiting[0]
            if batch and (query.engine, query.max_hits) != (batch[0].engine, batch[0].max_hits):
                break
            self._waiting.popleft()
            if not query.result.done():
                batch.append(query)
        now = time.monotonic()
        for query in batch:
            self.note_waiting(query.engine, now - query.asked_at)
        return batch

    async def _ask(self, worker: Worker, batch: Sequence[_Query]) -> None:
        left, engine = deque(batch), batch[0].engine
        try:
            if engine.number not in worker.engines and not engine.stays_here:
                await self._open(worker, engine)
            if engine.number in worker.engines:
                worker.ask(engine.number, [query.text for query in left], left[0].max_hits)
                while left:
                    left[0].settle(await worker.found())
                    left.popleft()
            for query in left:
                query.settle(None)
        except Died:
            if engine.number in worker.engines:
                self._blame(left[0])
            self._waiting.extendleft(reversed(left))
            self._replace(worker, engine)
        except BaseException:
            for query in left:
                query.result.cancel()
            raise
        else:
            self._idle.append(worker)
        self._share_out()

    async def _open(self, worker: Worker, engine: SharedEngine) -> None:
        try:
            failure = await worker.open(engine.number, engine.elsewhere, engine.folder)
        except Died:
            engine.num_deaths += 1
            if engine.num_deaths >= MAX_DEATHS:
                engine.keep_here(f"{engine.num_deaths} processes died while they opened it")
            raise
        if failure:
            engine.keep_here(failure)

    def _blame(self, query: _Query) -> None:
        """Counts the death of a worker that was searching for a query."""
        query.num_deaths += 1
        if query.num_deaths >= MAX_DEATHS:
            shown = " ".join(query.text.split())[:_SHOWN]
            query.settle(
                SearchError(
                    f"{query.num_deaths} search processes ended while searching for {shown!r}; if they are killed for lack of "
                    "memory, set search_workers lower"
                )
            )

    def _replace(self, worker: Worker, engine: SharedEngine) -> None:
        self._workers.discard(worker)
        self._spawn(worker.end())
        self._start(engine)

    def _do_without(self) -> None:
        """Without workers, this process searches for what waits; what a worker may have died of waits for the next, if any."""
        waiting, self._waiting = self._waiting, deque()
        for query in waiting:
            if query.num_deaths and self._num_failed_starts < _MAX_FAILED_STARTS and self.max_workers:
                self._waiting.append(query)
                self._start(query.engine)
            else:
                query.settle(None)
