"""Searches are shared out among workers: what waits for whom, and what becomes of queries whose worker dies."""

from __future__ import annotations

import asyncio
import pickle
from collections import Counter, deque

import pytest

from hopweave.core.child_process import Died
from hopweave.core.errors import BudgetReached, DataError, MissingExtra, ModelError, SearchError
from hopweave.core.indexing import Elsewhere
from hopweave.core.types import Hit, Passage
from hopweave.models.batching import Batcher
from hopweave.retrieval.workers import search_workers
from hopweave.retrieval.workers.process import Failed
from hopweave.retrieval.workers.search_workers import AT_ONCE, SearchWorkers, SharedEngine


def hits_for(query: str) -> list[Hit]:
    return [Hit(Passage(query, f"about {query}"), 1.0, 1)]


class Engine:
    """An engine that notes what it is asked in this process."""

    elsewhere = Elsewhere(dict, {}, ())

    def __init__(self):
        self.asked: list[str] = []

    def search(self, items):
        self.asked += [query for query, _ in items]
        return [hits_for(query) for query, _ in items]


class Process:
    """A worker that is no process. It dies of queries that say so, and waits where a test tells it to."""

    asked: list[str] = []
    alive: list[Process] = []
    num_started = 0
    refuses = ""
    is_broken = False
    gate: asyncio.Event | None = None

    def __init__(self):
        self.engines: set[int] = set()
        self.queue: deque[str] = deque()
        self.has_ended = False

    @classmethod
    async def started(cls):
        Process.num_started += 1
        await asyncio.sleep(0)
        if cls.is_broken:
            raise OSError("no more processes")
        cls.alive.append(one := cls())
        return one

    async def open(self, number, elsewhere, folder):
        assert pickle.loads(elsewhere) == Engine.elsewhere
        if not self.refuses:
            self.engines.add(number)
        return self.refuses

    def ask(self, number, queries, max_hits):
        assert number in self.engines
        self.queue.extend(queries)

    async def found(self):
        await asyncio.sleep(0)
        if self.gate is not None:
            await self.gate.wait()
        query = self.queue.popleft()
        Process.asked.append(query)
        if self.has_ended or query.startswith("deadly"):
            raise Died
        return SearchError("failed") if query == "faulty" else hits_for(query)

    def close(self, number):
        self.engines.discard(number)

    def kill(self):
        self.has_ended = True

    async def end(self):
        self.kill()
        Process.alive.remove(self)


@pytest.fixture(autouse=True)
def processes(monkeypatch):
    monkeypatch.setattr(search_workers, "Worker", Process)
    for name, value in {"asked": [], "alive": [], "num_started": 0, "refuses": "", "is_broken": False, "gate": None}.items():
        monkeypatch.setattr(Process, name, value)


class Opened:
    """An engine with workers that are there, up to a number."""

    def __init__(self, num: int = 1):
        self.num = num

    async def __aenter__(self):
        self.engine, self.workers = Engine(), SearchWorkers(self.num)
        self.batcher = Batcher(self.engine.search, "search")
        self.shared = self.workers.shared(self.engine, self.batcher.ask)
        assert isinstance(self.shared, SharedEngine)
        for _ in range(self.num):
            self.workers.note_waiting(self.shared, search_workers.PATIENCE_SECONDS)
            for _ in range(10):
                await asyncio.sleep(0)
        return self

    async def __aexit__(self, *error):
        await self.workers.close()
        await self.batcher.close()
        assert Process.alive == []

    async def search(self, *queries: str) -> list[list[Hit]]:
        return await asyncio.wait_for(self.shared.search(queries, 5), 5)


async def test_workers_find_what_this_process_would_each_query_once():
    async with Opened(2) as one:
        queries = [f"q{n}" for n in range(100)]
        found = await asyncio.gather(*(one.search(query) for query in queries))
        assert found == [[hits_for(query)] for query in queries]
        assert Counter(Process.asked) == Counter(queries)
        assert one.engine.asked == []
        assert Process.num_started == 2


async def test_one_search_after_another_starts_no_worker_and_searches_that_wait_do(monkeypatch):
    monkeypatch.setattr(search_workers, "PATIENCE_SECONDS", 0.02)
    workers, slow = SearchWorkers(2), Engine()

    async def here(items):
        await asyncio.sleep(0.01)
        return slow.search(items)

    shared = workers.shared(slow, here)
    for n in range(6):
        await shared.search([f"q{n}"], 5)
    assert Process.num_started == 0
    await asyncio.gather(*(shared.search([f"q{n}"], 5) for n in range(6)))
    assert Process.num_started == 1
    await workers.close()


@pytest.mark.parametrize("num", [1, 3])
async def test_a_query_that_workers_die_of_fails_after_two_and_the_others_lose_nothing(num):
    async with Opened(num) as one:
        queries = [f"q{n}" for n in range(20)]
        searches = [*queries[:10], "deadly", *queries[10:]]
        found = await asyncio.gather(*(one.search(query) for query in searches), return_exceptions=True)
        error = found.pop(10)
        assert isinstance(error, SearchError)
        assert str(error).startswith("2 search processes ended while searching for 'deadly'")
        assert found == [[hits_for(query)] for query in queries]
        assert Counter(Process.asked)["deadly"] == 2
        assert "deadly" not in one.engine.asked
        assert Counter(Process.asked + one.engine.asked) - Counter(["deadly"]) == Counter([*queries, "deadly"])


async def test_a_query_that_a_worker_died_of_is_searched_for_here_only_if_there_can_be_no_other_worker():
    async with Opened() as one:
        Process.is_broken = True
        assert await one.search("deadly") == [hits_for("deadly")]
        assert one.engine.asked == ["deadly"]
        assert Process.num_started == 1 + 3


async def test_without_workers_this_process_searches_and_says_so_once(caplog):
    Process.is_broken = True
    async with Opened(5) as one:
        assert await one.search("a", "b") == [hits_for("a"), hits_for("b")]
        assert one.engine.asked == ["a", "b"]
        assert [record.message for record in caplog.records if record.levelname == "WARNING"] == [
            "no search worker can be started, so this process searches itself: OSError('no more processes')"
        ]
        assert Process.num_started == 3


async def test_an_engine_that_workers_cannot_open_is_searched_here():
    Process.refuses = "DataError: its index has changed since it was opened"
    async with Opened() as one:
        assert await one.search("a") == [hits_for("a")]
        assert Process.asked == []
        assert one.engine.asked == ["a"]


async def test_the_error_of_a_search_is_that_of_its_query_alone():
    async with Opened() as one:
        found = await asyncio.gather(*(one.search(query) for query in ("a", "faulty", "b")), return_exceptions=True)
        assert str(found.pop(1)) == "failed"
        assert found == [[hits_for("a")], [hits_for("b")]]


async def test_a_long_list_leaves_room_for_others():
    async with Opened() as one:
        long = asyncio.create_task(one.search(*(f"long{n}" for n in range(10 * AT_ONCE))))
        await asyncio.sleep(0)
        assert await one.search("short") == [hits_for("short")]
        assert Process.asked.index("short") <= AT_ONCE
        assert len(await long) == 10 * AT_ONCE


async def test_a_cancelled_search_leaves_its_worker_to_the_others():
    async with Opened() as one:
        Process.gate = asyncio.Event()
        first = asyncio.create_task(one.search("a"))
        await asyncio.sleep(0.01)
        cancelled = asyncio.create_task(one.search("b"))
        kept = asyncio.create_task(one.search("c"))
        await asyncio.sleep(0.01)
        first.cancel()
        cancelled.cancel()
        Process.gate.set()
        assert await kept == [hits_for("c")]
        assert Process.asked == ["a", "c"]
        assert Process.num_started == 1


async def test_a_worker_that_died_while_it_had_nothing_to_do_is_replaced():
    async with Opened() as one:
        Process.alive[0].has_ended = True
        assert await one.search("a") == [hits_for("a")]
        for _ in range(10):
            await asyncio.sleep(0)
        assert await one.search("b") == [hits_for("b")]
        assert (one.engine.asked, Process.asked) == (["a"], ["b"])


async def test_the_end_cancels_what_waits():
    async with Opened() as one:
        Process.gate = asyncio.Event()
        waiting = [asyncio.create_task(one.search(f"q{n}")) for n in range(20)]
        await asyncio.sleep(0.01)
        await one.workers.close()
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        assert {type(outcome) for outcome in outcomes} == {asyncio.CancelledError}


def test_a_retriever_says_itself_whether_workers_can_open_it():
    class Local:
        elsewhere = Elsewhere(dict, {"option": lambda: None}, ())

    class Remote:
        pass

    workers = SearchWorkers(1)
    assert workers.shared(Remote(), None) is None
    assert workers.shared(Local(), None) is None  # what it is made with exists in this process only
    assert workers.shared(Engine(), None) is not None


@pytest.mark.parametrize(
    "error",
    [
        SearchError("no", retryable=True, retry_after_seconds=2.0),
        ModelError("no", is_refusal=True),
        DataError("no"),
        BudgetReached("max_seconds", 3),
        MissingExtra("faiss", "dense"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_of_a_search_arrives_as_it_was(error):
    same = pickle.loads(pickle.dumps(Failed(type(error), str(error), vars(error)))).error()
    assert (type(same), str(same), vars(same)) == (type(error), str(error), vars(error))
