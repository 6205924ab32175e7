"""Hands the questions of a run to several processes on this machine, and takes their records back.

Each process opens the parts of the run for itself, and all keep replies in the same store. Records are written by this process
alone. When a process dies, the questions that it was answering are asked again, of its successor or of another process, and
find their replies in the store: at most the calls that were running are made again. A question of which processes died that
answered nothing else is recorded as failed.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

from hopweave.core.child_process import Child, Died
from hopweave.core.cores import num_usable_cores
from hopweave.core.errors import DataError, MethodError, SettingsError
from hopweave.core.types import Question
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.progress import Cell
from hopweave.evaluation.runs.shared import SharedComponents
from hopweave.evaluation.runs.worker_process import END_SECONDS, Ask, Begin, Begun, Done
from hopweave.evaluation.runs.worker_session import Order, facts_of
from hopweave.record import Record
from hopweave.run.settings import Settings

MAX_DEATHS_TOGETHER = 2
"""A question during which so many processes died is then asked of a process that answers nothing else, so that it does not fail
for what another question did."""
MAX_DEATHS_ALONE = 3
"""After so many deaths of such processes, it is recorded as failed."""
MAX_FAILED_STARTS = 5
"""After so many processes that died while they opened the parts of the run, with no answer between, the run ends."""
_LOG = logging.getLogger(__name__)


class Processes:
    """Several processes that answer questions.

    Args:
        shared: the opened parts of the run in this process; those in the others must match them.
        folder: of the run.
        num: how many processes; at most `num_calls`.
        num_calls: the most calls of the model at a time, of all processes together.
    """

    def __init__(self, shared: SharedComponents, folder: RunFolder, num: int, num_calls: int) -> None:
        prepared = shared.prepared
        order = Order(
            "", prepared.plan, _settings_of_each(shared, folder, num), prepared.cells, str(Path.cwd()), 1, facts_of(shared)
        )
        shares = [num_calls * (n + 1) // num - num_calls * n // num for n in range(num)]
        self.ceiling = num_calls
        self._starts = _Starts()
        self._places = [_Place(replace(order, num_calls=share), self._starts) for share in shares]
        self._last_resort = _Place(order, self._starts)  # whose one call may be one more than `num_calls`
        self._alone = asyncio.Lock()

    async def start(self) -> None:
        """Starts the processes.

        Raises:
            DataError: if the parts of the run cannot be opened there.
        """
        await asyncio.gather(*(place.worker() for place in self._places))

    @property
    def limit(self) -> int:
        """How many calls may run at the moment, of all processes together, as far as they have told."""
        return sum(place.call_limit for place in self._places)

    @property
    def num_unreadable(self) -> int:
        """How many replies of the store could not be read."""
        return sum(place.num_unreadable for place in (*self._places, self._last_resort))

    async def answer(self, cell: Cell, question: Question) -> Record:
        """The record of a question.

        Raises:
            MethodError: if processes died of it.
            DataError: for a problem that the user has to fix.
        """
        for _ in range(MAX_DEATHS_TOGETHER):
            with suppress(Died):
                return await min(self._places, key=lambda place: place.num_questions).answer(cell, question)
        async with self._alone:
            try:
                for _ in range(MAX_DEATHS_ALONE):
                    with suppress(Died):
                        return await self._last_resort.answer(cell, question)
            finally:
                await self._last_resort.close()
        raise MethodError(
            f"{MAX_DEATHS_TOGETHER + MAX_DEATHS_ALONE} processes ended while they answered this question, the last ones "
            "nothing else; if they were killed for lack of memory, use fewer --processes"
        )

    async def close(self) -> None:
        """Ends the processes, and what they are answering."""
        await asyncio.gather(*(place.close() for place in (*self._places, self._last_resort)))


class _Starts:
    """Counts starts that failed, of all processes, since one of them last began or answered."""

    num_failed = 0


class _Place:
    """A process and its successors, one after another; each is started when it is first needed.

    Attributes:
        num_questions: how many it has to answer.
        call_limit: how many calls of the model it may make at a time, as far as it has told.
    """

    def __init__(self, order: Order, starts: _Starts) -> None:
        self.num_questions = 0
        self.call_limit = order.num_calls
        self._order = order
        self._starts = starts
        self._starting: asyncio.Task[_Worker] | None = None
        self._num_unreadable_before = 0

    @property
    def num_unreadable(self) -> int:
        """How many replies of the store it could not read."""
        worker = self._worker
        return self._num_unreadable_before + (worker.num_unreadable if worker is not None else 0)

    async def answer(self, cell: Cell, question: Question) -> Record:
        """The record of a question.

        Raises:
            Died: if the process died before it had answered.
            DataError: for a problem that the user has to fix.
        """
        self.num_questions += 1
        try:
            worker = await self.worker()
            done = await worker.answer(cell, question)
        finally:
            self.num_questions -= 1
        self._starts.num_failed = 0
        self.call_limit = done.call_limit
        if done.bug:
            raise RuntimeError(f"in a process of the run:\n{done.bug}")
        return done.answered.as_record()

    async def worker(self) -> _Worker:
        """The process, ready to answer; those who wait for it share one start.

        Raises:
            DataError: if it cannot be started.
        """
        known = self._worker
        if known is not None and known.has_ended:
            _LOG.warning("a process that answered questions ended; another takes its place and answers what it had not")
            self._num_unreadable_before += known.num_unreadable
            self._starting = None
            await known.close()
        if self._starting is None:
            self._starting = asyncio.create_task(self._started())
        return await asyncio.shield(self._starting)

    async def close(self) -> None:
        """Ends the process."""
        worker = self._worker
        if worker is not None:
            self._num_unreadable_before += worker.num_unreadable
            self._starting = None
            await worker.close()
        elif self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)

    @property
    def _worker(self) -> _Worker | None:
        starting = self._starting
        has_started = starting is not None and starting.done() and not starting.cancelled() and not starting.exception()
        return starting.result() if starting is not None and has_started else None

    async def _started(self) -> _Worker:
        while True:
            try:
                worker = await _Worker.started(self._order)
            except Died:
                self._starts.num_failed += 1
                if self._starts.num_failed >= MAX_FAILED_STARTS:
                    raise DataError(
                        f"{MAX_FAILED_STARTS} processes in a row ended while they opened the index and the rest; if they are "
                        "killed for lack of memory, use fewer --processes"
                    ) from None
            except (OSError, NotImplementedError) as error:
                raise DataError(f"cannot start another process: {error}; leave out --processes") from None
            else:
                self._starts.num_failed = 0
                self.call_limit = self._order.num_calls
                return worker


class _Worker:
    """A process that has opened the parts of the run.

    Attributes:
        num_unreadable: how many replies of the store it could not read, as far as it has told.
    """

    def __init__(self, child: Child) -> None:
        self.num_unreadable = 0
        self._child = child
        self._numbers = count()
        self._asked: dict[int, asyncio.Future[Done]] = {}
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def started(cls, order: Order) -> _Worker:
        """A new process that has opened what an order says.

        Raises:
            Died: if it ended before that.
            DataError: for what the user has to fix.
            OSError, NotImplementedError: if no process can be started.
        """
        child = await Child.started("hopweave.evaluation.runs.worker_process")
        try:
            child.send(Begin(order, gc.get_threshold()[0]))
            begun: Begun = await child.receive()
            if begun.error:
                raise DataError(begun.error)
            if begun.bug:
                raise RuntimeError(f"in a process of the run:\n{begun.bug}")
        except BaseException:
            await child.end()
            raise
        return cls(child)

    @property
    def has_ended(self) -> bool:
        """Whether it can answer nothing more."""
        return self._listening.done()

    async def answer(self, cell: Cell, question: Question) -> Done:
        """What becomes of a question.

        Raises:
            Died: if the process ends before that is known.
        """
        number = next(self._numbers)
        done: asyncio.Future[Done] = asyncio.get_running_loop().create_future()
        self._asked[number] = done
        try:
            if self.has_ended:
                raise Died
            self._child.send(Ask(number, cell, question))
            return await done
        finally:
            del self._asked[number]

    async def close(self) -> None:
        """Ends the process, which cancels what it is answering."""
        self._child.send_end()
        ended, _ = await asyncio.wait([self._listening], timeout=2 * END_SECONDS)
        if not ended:
            self._child.kill()
            await self._listening
        await self._child.end()

    async def _listen(self) -> None:
        try:
            while True:
                told: Done = await self._child.receive()
                self.num_unreadable = told.num_unreadable
                done = self._asked.get(told.number)
                if done is not None and not done.done():
                    done.set_result(told)
        except Died:
            for done in self._asked.values():
                if not done.done():
                    done.set_exception(Died())


def check_model(shared: SharedComponents) -> None:
    """Checks that several processes do not load the same model.

    Raises:
        SettingsError: if they would.
    """
    settings = shared.prepared.settings
    if shared.llm.abilities.loads_weights and settings.store.mode != "replay":
        raise SettingsError(
            f"several processes would each load the model of {settings.llm!r}; leave out --processes, or let a server hold it "
            "once: docs/start/models.md"
        )


@asynccontextmanager
async def started(shared: SharedComponents, folder: RunFolder, num: int, num_calls: int) -> AsyncIterator[Processes]:
    """Starts processes, and ends them at the end of the block. Arguments and errors as in `Processes`."""
    processes = Processes(shared, folder, num, num_calls)
    try:
        await processes.start()
        yield processes
    finally:
        await processes.close()


def _settings_of_each(shared: SharedComponents, folder: RunFolder, num: int) -> Settings:
    """The settings of each of several processes: the store of the run, and its share of the search workers."""
    settings = shared.prepared.settings
    store = settings.store.model_copy(update={"path": shared.store_path(folder)})
    if settings.search_workers == "auto":
        share = num_usable_cores() // num
        workers = share if share > 1 else 0
    else:
        workers = settings.search_workers // num
    return settings.model_copy(update={"store": store, "search_workers": workers})
