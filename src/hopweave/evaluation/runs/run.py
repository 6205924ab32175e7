"""Answers every question of a plan with each of its methods and writes the records; resumable at any moment.

Methods run one after another and questions in their order, so that the beginnings of prompts are still in the endpoint's
cache. Questions run concurrently as far as the endpoint allows; `limiter` adapts to it. This process answers them, or other
processes do (`processes`, `cluster`); it alone writes the records. Every reply is in the store before a method sees it, and
records are written as they arrive. So after a kill the same call of `evaluate` resumes at the question and call where it was:
a question whose record was not yet written is answered again from the store.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from hopweave.core.errors import DataError, MethodError, ModelError, SettingsError, error_that_counts
from hopweave.core.types import Question
from hopweave.evaluation.integrity import manifest as manifest_file
from hopweave.evaluation.runs import processes as local_processes
from hopweave.evaluation.runs.cluster import Cluster, check_settings, connected
from hopweave.evaluation.runs.folder import Plan, RunFolder
from hopweave.evaluation.runs.limiter import CallLimit
from hopweave.evaluation.runs.prepare import prepare
from hopweave.evaluation.runs.processes import Processes
from hopweave.evaluation.runs.progress import Cell, CellProgress, RunBudget, RunProgress
from hopweave.evaluation.runs.shared import DEFAULT_PARALLEL, SharedComponents
from hopweave.evaluation.runs.writing import alone
from hopweave.models.prices import Price, price_of
from hopweave.record import Failure, Record, Trace
from hopweave.run.settings import Settings
from hopweave.run.starts import Starts
from hopweave.run.weaver import check_question

FINISHED = "finished"
GATHER_SECONDS = 0.05
"""Records of this many seconds are written together. A kill loses none: they are made again from the store."""
MIN_UNWRITTEN = 64
"""The most records that may wait for the disk before questions wait."""
EXTRA = 4
"""One extra question per this many concurrent calls, so that the endpoint stays busy while other questions search or parse."""
MAX_FAILURES_IN_A_ROW = 50
"""After this many questions in a row that failed at the model's endpoint, the run ends: the endpoint is down."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run; none of this affects a record.

    Attributes:
        parallel: concurrent questions; `None` takes as many as the endpoint serves concurrent calls (or 8) plus a quarter,
            which keeps the endpoint busy while some questions search. Calls never exceed what the endpoint serves.
        budget: of the whole run.
        prices: a price table.
        retry_failed: whether questions whose last record failed are asked again.
        cluster: the address of a Dask scheduler whose workers answer the questions; empty for this machine.
        processes: how many processes of this machine answer the questions; for 1, this process does. `parallel` and the number
            of calls at a time are of all together, so there are no more processes than these. Several need a model that is
            not loaded by each of them.

    Raises:
        SettingsError: for `processes` or `parallel` below 1, several processes with a cluster, or `max_cost` without prices.
    """

    parallel: int | None = None
    budget: RunBudget = field(default_factory=RunBudget)
    prices: Path | None = None
    retry_failed: bool = False
    cluster: str = ""
    processes: int = 1

    def __post_init__(self) -> None:
        if self.processes < 1:
            raise SettingsError(f"processes must be at least 1, not {self.processes}")
        if self.processes > 1 and self.cluster:
            raise SettingsError("the workers of a cluster answer in processes of their own; leave out --processes or --cluster")
        if self.parallel is not None and self.parallel < 1:
            raise SettingsError(f"parallel must be at least 1, not {self.parallel}")
        if self.budget.max_cost is not None and self.prices is None:
            raise SettingsError("max_cost needs a price table; give one with --prices FILE")


@dataclass(frozen=True, slots=True)
class Work:
    """What a watcher may look at during the run.

    Attributes:
        progress: updated with each record.
        calls: how many calls of the model may run at the moment.
        parallel: concurrent questions.
        num_left: questions to be asked in this session.
        notes: what the user should know.
    """

    progress: RunProgress
    calls: CallLimit
    parallel: int
    num_left: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a session ended.

    Attributes:
        progress: how far the run has come.
        ended_because: `finished`, or a limit.
        seconds: how long it took.
        num_unreadable: replies of the store that could not be read, so their calls were made again.
    """

    progress: RunProgress
    ended_because: str
    seconds: float
    num_unreadable: int = 0


class Watcher:
    """Is notified of the progress of a run; this one ignores it."""

    def started(self, work: Work) -> None:
        """Called before the first question is asked."""

    def answered(self, cell: Cell, record: Record) -> None:
        """Called when a record is on disk."""


async def evaluate(
    path: Path, plan: Plan, settings: Settings, options: RunOptions | None = None, watcher: Watcher | None = None
) -> Outcome:
    """Runs a plan, or resumes it.

    Args:
        path: of the run's folder.
        plan: what to do; its settings are those below, in full (`run_plan.in_full`).
        settings: of all that the cells share.
        options: how to work.
        watcher: notified of the progress.

    Raises:
        SettingsError: for a name that does not exist, an invalid value, or a plan other than the one the run was made with.
        DataError: for data that cannot be read or has changed, a run that another process works on, or a full disk.
        MissingExtra: for a library that is not installed.
    """
    options = options or RunOptions()
    if options.cluster:
        check_settings(settings)
    RunFolder.check_is_free(path)  # a folder that is refused must not even get a lock
    with alone(path):
        folder = RunFolder.create(path, plan) if RunFolder.is_at(path) else None
        prepared = prepare(plan, settings, folder)
        async with AsyncExitStack() as stack:
            shared = SharedComponents(prepared)
            stack.push_async_callback(shared.close)
            if options.processes > 1:
                local_processes.check_model(shared)
            price = price_of(shared.llm.identity, options.prices) if options.prices is not None else None
            shared.open()
            folder = folder or RunFolder.create(path, plan)
            for label, drawn in prepared.examples.items():
                folder.keep_examples(label, drawn)
            shared.keep_replies_in(folder)
            cluster = None
            if options.cluster:
                num_calls = shared.max_parallel or options.parallel or DEFAULT_PARALLEL
                cluster = await stack.enter_async_context(connected(options.cluster, shared, num_calls))
            work = _RunWork(folder, shared, options, price, watcher or Watcher(), cluster)
            return await work.work()


@dataclass(frozen=True, slots=True)
class _Job:
    cell: Cell
    question: Question


class _RunWork:
    """One session of work on the run."""

    def __init__(
        self,
        folder: RunFolder,
        shared: SharedComponents,
        options: RunOptions,
        price: Price | None,
        watcher: Watcher,
        cluster: Cluster | None = None,
    ) -> None:
        self._folder = folder
        self._shared = shared
        self._options = options
        self._watcher = watcher
        self._elsewhere: Cluster | Processes | None = cluster
        self._began = time.monotonic()
        self._questions = {
            label: [example.question for example in folder.examples(label)] for label in shared.prepared.datasets
        }
        self._progress = RunProgress(
            {cell: CellProgress(len(self._questions[cell.dataset])) for cell in shared.prepared.cells}, price
        )
        self._running: Counter[Cell] = Counter()
        self._ended_because = ""
        self._num_bad_in_a_row = 0
        self._left: deque[_Job] = deque()
        self._unwritten: list[tuple[Cell, Record]] = []
        self._has_news = asyncio.Event()
        self._is_written = asyncio.Event()

    async def work(self) -> Outcome:
        """Asks all remaining questions, or as many as the budget allows."""
        for cell in self._progress.cells:
            self._folder.repair(*cell)
            for record in self._folder.history(*cell):
                self._progress.add(cell, record)
        self._check_records()
        self._left.extend(self._jobs())
        num_calls = self._shared.max_parallel or self._options.parallel or DEFAULT_PARALLEL
        if isinstance(self._elsewhere, Cluster):
            num_calls = self._elsewhere.num_threads
        parallel = self._options.parallel or num_calls + num_calls // EXTRA
        num_workers = min(parallel, len(self._left))
        manifest, notes = self._start_manifest(num_workers)
        num_processes = min(self._options.processes, num_workers, num_calls)
        if 0 < num_processes < self._options.processes:
            notes.append(
                f"{num_processes} process{' answers' if num_processes == 1 else 'es answer'}, not {self._options.processes}: "
                "there are no more than questions or calls at a time"
            )
        self._shared.llm.turns.start(num_calls)
        calls: CallLimit = self._shared.llm.turns
        async with AsyncExitStack() as stack:
            if num_processes > 1:
                started = local_processes.started(self._shared, self._folder, num_processes, num_calls)
                calls = self._elsewhere = await stack.enter_async_context(started)
            elif self._left and self._elsewhere is None:
                await self._shared.open_model()
            self._watcher.started(Work(self._progress, calls, parallel, len(self._left), tuple(notes)))
            await self._ask(num_workers)
        ended_because = self._ended_because or FINISHED
        self._end_manifest(manifest, ended_because)
        return Outcome(self._progress, ended_because, time.monotonic() - self._began, self._num_unreadable)

    @property
    def _num_unreadable(self) -> int:
        elsewhere = self._elsewhere.num_unreadable if isinstance(self._elsewhere, Processes) else 0
        return self._shared.num_unreadable + elsewhere

    async def _ask(self, num_workers: int) -> None:
        """Answers questions concurrently while writing their records; the first error ends both, and finished work is kept."""
        starts = Starts()

        async def ask() -> None:
            async with asyncio.TaskGroup() as workers:
                for _ in range(num_workers):
                    await starts.turn()
                    workers.create_task(self._take_turns(max(MIN_UNWRITTEN, 2 * num_workers)))

        asking = asyncio.create_task(ask())
        writing = asyncio.create_task(self._write_along(asking))
        try:
            await asyncio.wait([asking, writing], return_when=asyncio.FIRST_EXCEPTION)
        finally:
            asking.cancel()
            outcomes = await asyncio.gather(asking, writing, return_exceptions=True)
        for outcome in reversed(outcomes):
            if isinstance(outcome, ExceptionGroup):
                raise error_that_counts([outcome]) from None
            if isinstance(outcome, Exception):
                raise outcome

    def _jobs(self) -> Iterator[_Job]:
        for cell, progress in self._progress.cells.items():
            for question in self._questions[cell.dataset]:
                is_again = self._options.retry_failed and question.id in progress.failed
                if question.id not in progress.done or is_again:
                    yield _Job(cell, question)

    def _check_records(self) -> None:
        """Checks the existing records against the questions that were drawn."""
        for cell, progress in self._progress.cells.items():
            strange = progress.done - {question.id for question in self._questions[cell.dataset]}
            if strange:
                place = self._folder.records_path(*cell)
                raise DataError(f"{place} holds a record of {min(strange)!r}, which was not drawn; restore the file")

    async def _take_turns(self, max_unwritten: int) -> None:
        while (job := self._next()) is not None:
            self._running[job.cell] += 1
            self._done(job.cell, await self._answer(job))
            while len(self._unwritten) > max_unwritten:
                self._is_written.clear()  # waiting for an event that is still set would never let the writer run
                await self._is_written.wait()

    def _next(self) -> _Job | None:
        if self._ended_because or not self._left:
            return None
        seconds = time.monotonic() - self._began
        reached = self._progress.limit_reached(self._options.budget, self._running, seconds)
        if self._num_bad_in_a_row >= MAX_FAILURES_IN_A_ROW:
            reached = f"{MAX_FAILURES_IN_A_ROW} questions in a row failed at the model's endpoint"
        self._ended_because = reached
        return None if reached else self._left.popleft()

    async def _answer(self, job: _Job) -> Record:
        weaver = self._shared.weavers[job.cell]
        started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        try:
            check_question(job.question)
        except DataError as error:  # no method can be asked it; a failure of this question, not of the run
            return Trace().finish(job.question, weaver.setup(weaver.budget), started_at, None, Failure.of(error))
        if self._elsewhere is None:
            return await weaver.answer(job.question)
        try:
            return await self._elsewhere.answer(job.cell, job.question)
        except MethodError as error:  # processes died of it
            return Trace().finish(job.question, weaver.setup(weaver.budget), started_at, None, Failure.of(error))

    def _done(self, cell: Cell, record: Record) -> None:
        self._running[cell] -= 1
        self._progress.add(cell, record)
        is_bad = record.error is not None and record.error.kind == ModelError.__name__
        self._num_bad_in_a_row = self._num_bad_in_a_row + 1 if is_bad else 0
        self._unwritten.append((cell, record))
        self._has_news.set()

    async def _write_along(self, asking: asyncio.Task[None]) -> None:
        """Writes records as they arrive, several at a time while the disk is busy, until the last one."""
        while self._unwritten or not asking.done():
            news = asyncio.create_task(self._has_news.wait())
            await asyncio.wait([news, asking], return_when=asyncio.FIRST_COMPLETED)
            news.cancel()
            await asyncio.wait([asking], timeout=GATHER_SECONDS)
            self._has_news.clear()
            batch, self._unwritten = self._unwritten, []
            await asyncio.to_thread(self._write, batch)
            self._is_written.set()
            for cell, record in batch:
                self._watcher.answered(cell, record)

    def _write(self, batch: list[tuple[Cell, Record]]) -> None:
        by_cell: dict[Cell, list[Record]] = {}
        for cell, record in batch:
            by_cell.setdefault(cell, []).append(record)
        for cell, records in by_cell.items():
            self._folder.add(cell.dataset, cell.method, *records)

    def _start_manifest(self, num_workers: int) -> tuple[manifest_file.Manifest, list[str]]:
        """Notes what the run depends on and how many questions it asks concurrently; refuses to go on if that has changed."""
        known = manifest_file.Manifest.read(self._folder.path)
        now = self._shared.manifest(self._folder, known)
        session = manifest_file.RunSession(
            _now(),
            version("hopweave"),
            manifest_file.hash_code(),
            store=self._shared.store_of(self._folder),
            parallel=num_workers,
        )
        notes = []
        if known is not None:
            changed = manifest_file.differences(known, now)
            if changed:
                raise DataError(
                    f"the run in {self._folder.path} started with something else: {'; '.join(changed)}; restore them, or "
                    "use another folder"
                )
            if any(earlier.code != session.code for earlier in known.sessions):
                notes.append("the code of hopweave has changed since the run started, as manifest.json says")
            # The files are unchanged, but may be elsewhere by now.
            sessions = (*known.sessions, session)
            now = replace(known, datasets=now.datasets, indexes=now.indexes, base=now.base, sessions=sessions)
        else:
            now = replace(now, sessions=(session,))
        now.write(self._folder.path)
        return now, notes

    def _end_manifest(self, manifest: manifest_file.Manifest, ended_because: str) -> None:
        *earlier, session = manifest.sessions
        records: Mapping[str, manifest_file.KeptRecords] = {
            f"{cell.dataset}/{cell.method}": manifest_file.KeptRecords(
                manifest_file.hash_file(self._folder.records_path(*cell)), len(progress.done), len(progress.failed)
            )
            for cell, progress in self._progress.cells.items()
            if progress.done
        }
        replace(
            manifest,
            prompts={name: tuple(sorted(prints)) for name, prints in sorted(self._progress.prompts.items())},
            records=records,
            sessions=(*earlier, replace(session, ended_at=_now(), ended_because=ended_because)),
            is_complete=self._progress.is_complete,
        ).write(self._folder.path)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
