"""Answers questions in another process than that of the command, such as a worker of a cluster.

The functions of this module run there. The parts of a run are opened once per process, however many questions arrive; the
questions run concurrently on one event loop, which belongs to the session.
"""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread
from typing import Any, TypeVar

from hopweave.core.errors import DataError, HopweaveError, SettingsError
from hopweave.core.part_files import allow, hashes
from hopweave.core.types import Question
from hopweave.evaluation.integrity.manifest import hash_code
from hopweave.evaluation.runs.folder import Plan
from hopweave.evaluation.runs.prepare import Prepared
from hopweave.evaluation.runs.progress import Cell
from hopweave.evaluation.runs.shared import SharedComponents
from hopweave.record import Record
from hopweave.run.settings import Settings
from hopweave.run.store.stores import open_store

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Order:
    """What a session is opened for.

    Attributes:
        name: unique among runs and sessions.
        plan: of the run, and `settings` what its cells share.
        cells: of the run.
        folder: the working directory of the command, from which paths are taken where there is such a folder.
        num_calls: the most concurrent calls of the model in one process.
        facts: what the parts must match so that records are those that the command itself would make; see `facts_of`.
    """

    name: str
    plan: Plan
    settings: Settings
    cells: tuple[Cell, ...]
    folder: str
    num_calls: int
    facts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answered:
    """A record as JSON, or the reason why there is none, which the user has to fix."""

    record: str = ""
    error: str = ""

    @classmethod
    def of(cls, made: Future[str]) -> Answered:
        """What became of a question, once that is known."""
        try:
            return cls(record=made.result())
        except HopweaveError as error:  # as text, since not every error survives being sent
            return cls(error=str(error))

    def as_record(self) -> Record:
        """The record.

        Raises:
            DataError: if there is none.
        """
        if self.error:
            raise DataError(self.error)
        return Record.from_json(self.record)


def facts_of(shared: SharedComponents) -> dict[str, str]:
    """What decides whether two processes make the same records: code, model, reader, retrievers, options of methods.

    Raises:
        SettingsError: if a file of the plan cannot be read.
    """
    facts = {"the code of hopweave": hash_code()[:12], "the model": shared.llm.identity}
    for name in shared.prepared.plan.files:
        facts |= {f"the file {path}": sha256[:12] for path, sha256 in hashes(name).items()}
    for cell, weaver in shared.weavers.items():
        setup = weaver.setup(weaver.budget)
        facts[f"the retriever for {cell.dataset}"] = setup.retriever
        facts["the reader"] = setup.reader
        facts["the word vectors"] = setup.word_vectors
        facts[f"the options of {cell.method}"] = repr(sorted(setup.options.items()))
    return facts


def answer(order: Order, cell: Cell, question: Question) -> Answered:
    """Answers a question in this process; why a question failed is in its record."""
    try:
        session = _session_for(order)
    except HopweaveError as error:
        return Answered(error=str(error))
    return Answered.of(session.begin(cell, question))


def leave(name: str) -> None:
    """Closes the session that a worker holds for a run."""
    with _opening:
        session = _sessions.pop(name, None)
    if session is not None:
        session.close()


class WorkerSession:
    """The opened parts of a run, and the loop on which they work.

    Raises:
        HopweaveError: if they cannot be opened, or do not match the facts of the order.
    """

    def __init__(self, order: Order) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="hopweave-worker", daemon=True)
        self._thread.start()
        try:
            self._shared = self._done(self._opened(order))
        except BaseException:
            self._stop()
            raise

    def begin(self, cell: Cell, question: Question) -> Future[str]:
        """Begins to answer a question; the result is its record, as JSON."""
        return asyncio.run_coroutine_threadsafe(self._answer(cell, question), self._loop)

    @property
    def call_limit(self) -> int:
        """How many calls of the model may run at the moment."""
        return self._shared.llm.turns.limit

    @property
    def num_unreadable(self) -> int:
        """How many replies of the store could not be read."""
        return self._shared.num_unreadable

    def close(self) -> None:
        """Cancels the questions that are still running, and closes the parts."""
        self._done(self._close())
        self._stop()

    async def _answer(self, cell: Cell, question: Question) -> str:
        return (await self._shared.weavers[cell].answer(question)).to_json()

    async def _close(self) -> None:
        running = asyncio.all_tasks() - {asyncio.current_task()}
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._shared.close()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _done(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _opened(self, order: Order) -> SharedComponents:
        settings = order.settings
        if settings.search_workers == "auto":  # the cluster has as many processes as it should
            settings = settings.model_copy(update={"search_workers": 0})
        for name in order.plan.files:  # which the user named to the command
            allow(name)
        shared = SharedComponents(Prepared(order.plan, settings, {}, {}, order.cells))
        try:
            shared.open()
            _compare(order.facts, facts_of(shared))
            named = order.settings.store
            shared.use_store(open_store(named.path, named.mode))
            shared.llm.turns.start(order.num_calls)
            await shared.open_model()
        except BaseException:
            await shared.close()
            raise
        return shared


def _compare(wanted: Mapping[str, str], found: Mapping[str, str]) -> None:
    for what, value in wanted.items():
        if found.get(what) != value:
            where = f"process {os.getpid()} on {platform.node()}"
            raise SettingsError(
                f"in a worker ({where}) {what} is {found.get(what)}, not {value}; give all workers the same version of "
                "hopweave, the same data, and the environment of this command"
            )


_sessions: dict[str, WorkerSession] = {}
_opening = Lock()


def _session_for(order: Order) -> WorkerSession:
    with _opening:
        session = _sessions.get(order.name)
        if session is None:
            here = Path.cwd()
            try:
                if Path(order.folder).is_dir():
                    os.chdir(order.folder)
                session = _sessions[order.name] = WorkerSession(order)
            finally:
                os.chdir(here)
        return session
