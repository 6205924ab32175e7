"""Worker processes find exactly what this process does, whatever the retriever, and whatever happens to them."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from support.parts import asks_the_model, is_on_server, names_of
from support.searching_process import fill, ids_of
from support.towns import towns

from hopweave.core.catalog import entries, load
from hopweave.core.errors import MissingExtra
from hopweave.core.indexing import OpensElsewhere
from hopweave.core.types import Passage, Question
from hopweave.models.llms.scripted import Scripted
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.workers.search_workers import SearchWorkers
from hopweave.run.components import Components
from hopweave.run.corpora import Corpora
from hopweave.run.opening import open_components, open_retriever, search_workers
from hopweave.run.settings import Settings, read_settings
from hopweave.run.weaver import Weaver

QUERIES = ["Who lives in Town 7?", "a harbour and two churches", "Number 12 of towns", "the", ""]
LABELLED = Passage(
    "secret", "Town 7 has a harbour, and two churches that nobody may see.", "Town 7 (secret)", access=("board",)
)


def can_be_opened_elsewhere(retriever: str) -> bool:
    """Whether a retriever can be opened in another process; not, where its library is missing."""
    try:
        return hasattr(load("retrievers", retriever), "elsewhere")
    except MissingExtra:
        return False


NAMES = [name for name in names_of("retrievers") if not asks_the_model(name)]
OPENED_ELSEWHERE = [name for name in NAMES if can_be_opened_elsewhere(name)]
OPTIONS = {"hybrid": {"engines": ["bm25", "linear_rag"]}}
KILLS = 20


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elsewhere") / "index"
    passages = [*towns(200), LABELLED]
    BM25.build(folder, passages)
    load("retrievers", "linear_rag").build(folder / "linear_rag", passages)
    return folder


def settings_for(name: str, index: Path, **more) -> Settings:
    return read_settings({"retriever": name, "corpus": str(index), "retrievers": {name: OPTIONS.get(name, {})}, **more})


@asynccontextmanager
async def working(num: int, engine: object) -> AsyncIterator[tuple[SearchWorkers, Components]]:
    """Components with workers, all of which are there."""
    workers = SearchWorkers(num)
    parts = Components(Scripted(), retriever=engine, workers=workers)
    try:
        async with asyncio.timeout(120):
            await fill(workers, parts)
        yield workers, parts
    finally:
        await parts.close()


def test_every_retriever_that_needs_neither_model_nor_server_can_be_opened_elsewhere():
    assert len(OPENED_ELSEWHERE) >= 3
    for name in NAMES:
        assert name in OPENED_ELSEWHERE or entries("retrievers")[name].extra or is_on_server(name), name
    assert not any(map(is_on_server, OPENED_ELSEWHERE))


def test_one_that_searches_with_a_model_cannot_be_opened_elsewhere(index):
    engine = open_retriever(settings_for("weave", index))[1]
    assert isinstance(engine, OpensElsewhere)
    assert engine.elsewhere is not None
    engine._first = object()
    assert engine.elsewhere is None


def test_the_number_of_workers_is_in_no_record_and_in_no_plan(index):
    assert "search_workers" not in settings_for("bm25", index, search_workers=3).public()


@pytest.mark.parametrize(("given", "there"), [(0, None), (3, 3), ("auto", 4)])
def test_there_are_as_many_workers_as_there_are_cores_unless_told_otherwise(given, there, index, monkeypatch):
    monkeypatch.setattr("hopweave.run.opening.num_usable_cores", lambda: 4)
    workers = search_workers(settings_for("bm25", index, search_workers=given))
    assert (workers.max_workers if workers is not None else None) == there


@pytest.mark.slow
@pytest.mark.parametrize("access", [(), ("board",)], ids=["public", "board"])
@pytest.mark.parametrize("name", OPENED_ELSEWHERE)
async def test_workers_find_what_this_process_finds(name, access, index, monkeypatch):
    monkeypatch.chdir(index.parent)  # workers take a relative path from here
    engine = open_retriever(settings_for(name, Path(index.name), access=access))[1]
    async with working(1, engine) as (_, parts):
        monkeypatch.setattr(engine, "search", None)  # it is not asked here
        for depth in (1, 10):
            found = await parts.search(QUERIES, depth)
            monkeypatch.undo()
            monkeypatch.chdir(index.parent)
            assert found == engine.search(QUERIES, depth)
            assert [[type(hit.score) for hit in hits] for hits in found] == [
                [type(hit.score) for hit in hits] for hits in engine.search(QUERIES, depth)
            ]
    assert any(hit.passage == LABELLED for hits in found for hit in hits) == bool(access)


@pytest.mark.slow
async def test_records_are_those_that_are_made_without_workers(index):
    questions = [Question(f"q{n}", f"Who lives in Town {n}?") for n in range(30)]

    async def fingerprints(num: int) -> list[str]:
        settings = settings_for("weave", index, method="direct_retrieval", search_workers=num, store={"mode": "off"})
        async with Weaver(settings, components=open_components(settings, {"llm": Scripted()})) as weaver:
            if num:
                await fill(weaver.components._workers, weaver.components)
            return sorted([record.fingerprint async for record in weaver.answer_all(questions, max_parallel=10)])

    assert await fingerprints(2) == await fingerprints(0)


@pytest.mark.slow
async def test_an_index_that_is_updated_is_opened_again_by_workers_too(tmp_path):
    folder = tmp_path / "index"
    BM25.build(folder, towns(20))
    settings = settings_for("weave", folder)
    workers = SearchWorkers(1)
    shared = Components(Scripted(), workers=workers)
    corpora = Corpora(settings, {"towns": str(folder)}, shared)
    new = Passage("new", "Town 99 has a zeppelin.", "Town 99")
    async with corpora.opened("towns") as before:
        await fill(workers, before)
        [hits] = await before.search(["zeppelin"], 5)
        assert new.id not in {hit.passage.id for hit in hits}
        BM25.update(folder, upsert=[new])
        async with corpora.opened("towns") as after:
            assert after.engine is not before.engine
            assert (await after.search(["zeppelin"], 5))[0][0].passage == new
            assert after._shared.number in next(iter(workers._workers)).engines
            os.kill(ids_of(workers)[0], signal.SIGKILL)
            # No other worker can open the old state: questions that began with it are still answered from it.
            for _ in range(3):
                assert await before.search(["zeppelin"], 5) == [hits]
                assert (await after.search(["zeppelin"], 5))[0][0].passage == new
                await fill(workers, after)
            assert before._shared.stays_here
            assert not after._shared.stays_here
    await corpora.close()
    await shared.close()


@pytest.mark.slow
async def test_killed_at_random_moments_workers_lose_nothing_and_nothing_is_answered_twice(index):
    moments = random.Random(34)
    engine = open_retriever(settings_for("weave", index))[1]
    queries = [f"Who lives in Town {n} with a harbour?" for n in range(40)]
    expected = dict(zip(queries, engine.search(queries, 10), strict=True))
    async with working(2, engine) as (workers, parts):
        num_kills, num_answered = 0, 0

        async def kill() -> None:
            nonlocal num_kills
            while num_kills < KILLS:
                there, seen = ids_of(workers), num_answered
                await asyncio.sleep(moments.random() * 0.3)
                if there and num_answered > seen:
                    with suppress(ProcessLookupError):  # one that is gone since was killed before
                        os.kill(moments.choice(there), signal.SIGKILL)
                        num_kills += 1

        killing = asyncio.create_task(kill())
        while not killing.done() or len(ids_of(workers)) < 2:
            found = await asyncio.gather(*(parts.search([query], 10) for query in queries))
            num_answered += len(found)
            assert found == [[expected[query]] for query in queries]
        await killing
        assert num_kills == KILLS
        assert not workers._waiting
        everyone = ids_of(workers)
    assert [pid for pid in everyone if is_running(pid)] == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
async def test_no_worker_outlives_the_process_that_asks_it(how, index):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "support.searching_process", str(index)),
        cwd=Path(__file__).parents[1],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    workers = [int(pid) for pid in (await process.stdout.readline()).split()]
    assert len(workers) == 2
    assert all(map(is_running, workers))
    process.send_signal(how)
    _, said = await process.communicate()
    assert process.returncode != 0
    assert (b"KeyboardInterrupt" in said) == (how == signal.SIGINT)
    assert said.count(b"Traceback") <= 2  # of the interrupt itself, none of a worker
    async with asyncio.timeout(20):
        while any(map(is_running, workers)):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


def is_running(pid: int) -> bool:
    """Whether there is a process with this id that is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
