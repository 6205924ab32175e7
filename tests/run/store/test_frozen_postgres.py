"""A PostgreSQL that accepts everything and says nothing: each use ends with a clear error, and a server says so."""

import asyncio
import threading
from contextlib import ExitStack, closing

import pytest
from support.served_app import KEY, QUESTION, app_over, client_of, keys, wait_for

from hopweave.apps.server.daily_counts import Daily, PostgresCounts
from hopweave.core.errors import DatabaseError, DataError
from hopweave.core.postgres_connection import Database
from hopweave.core.types import Reply
from hopweave.models.llms.scripted import Scripted
from hopweave.run.store.answer_store import PostgresAnswerStore
from hopweave.run.store.postgres_store import PostgresStore
from hopweave.run.store.store import Stored

HELLO = Stored(Reply("hello"), None, 1.5, 2)


@pytest.fixture
def place(postgres, monkeypatch):
    monkeypatch.setattr("hopweave.core.postgres_connection._SILENT_SECONDS", 0.5)
    monkeypatch.setattr("hopweave.core.postgres_connection._CONNECT_SECONDS", 2)
    return postgres.place()


USES = {
    "store.get": lambda store, answers, counts: store.get("k"),
    "store.put": lambda store, answers, counts: store.put("l", HELLO),
    "store.claim": lambda store, answers, counts: store.claim("l"),
    "store.items": lambda store, answers, counts: list(store.items()),
    "answers.keep": lambda store, answers, counts: answers.keep("anna", "id", "{}", "{}"),
    "answers.entry": lambda store, answers, counts: answers.entry("anna", "id"),
    "answers.page": lambda store, answers, counts: answers.page("anna", before=None, limit=1),
    "answers.delete": lambda store, answers, counts: answers.delete("anna", "id"),
    "answers.expire": lambda store, answers, counts: answers.expire("id"),
    "answers.records": lambda store, answers, counts: list(answers.records()),
    "counts.take": lambda store, answers, counts: counts.take("anna", Daily(5)),
    "counts.add": lambda store, answers, counts: counts.add("anna", 5),
}


@pytest.mark.parametrize("use", USES)
def test_each_use_ends_with_a_clear_error_and_works_again_once_the_server_speaks(postgres, place, use):
    with ExitStack() as stack:
        parts = [stack.enter_context(closing(kind(place))) for kind in (PostgresStore, PostgresAnswerStore, PostgresCounts)]
        store, answers, counts = parts
        answers.check()
        counts.check()
        store.put("k", HELLO)
        assert store.claim("c")
        with postgres.frozen():
            for why in ("it did not reply for 0.5 s", "connection timeout expired"):
                with pytest.raises(DatabaseError, match=f" failed: {why}; check the server") as caught:
                    USES[use](*parts)
                assert "postgres@" not in str(caught.value)
                assert "\n" not in str(caught.value)
        USES[use](*parts)


def test_a_claim_that_cannot_be_given_back_is_an_error_and_free_all_the_same(postgres, place):
    with closing(PostgresStore(place)) as store, closing(PostgresStore(place)) as other:
        assert store.claim("c")
        with postgres.frozen(), pytest.raises(DatabaseError, match=r"it did not reply for 0\.5 s"):
            store.release("c")
        wait_for(lambda: other.claim("c"))


def test_a_new_connection_to_it_is_an_error_in_time(postgres, place):
    unreached = pytest.raises(DatabaseError, match=r"^cannot reach the store .*timeout.*; start the server")
    with closing(Database(place, "the store")) as database, postgres.frozen(), unreached:
        database.run("SELECT 1")


def test_others_who_wait_for_the_same_connection_do_not_wait_again(postgres, place, monkeypatch):
    with closing(Database(place, "the store")) as database:
        database.run("SELECT 1")
        tries, failed, ready = [], [], threading.Barrier(8)
        rows = database._rows
        monkeypatch.setattr(database, "_rows", lambda *given: tries.append(1) or rows(*given))

        def ask():
            ready.wait(30)
            try:
                database.run("SELECT 1")
            except DatabaseError as error:
                failed.append(str(error))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        with postgres.frozen():
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
        assert (len(failed), len(set(failed)), len(tries)) == (8, 1, 1)
        assert database.run("SELECT 1") == [(1,)]


def test_it_can_be_closed_while_a_statement_waits(postgres, place, monkeypatch):
    monkeypatch.setattr("hopweave.core.postgres_connection._SILENT_SECONDS", 600.0)
    monkeypatch.setattr("hopweave.core.postgres_connection._CLOSING_SECONDS", 0.1)
    database, ended = Database(place, "the store"), []
    database.run("SELECT 1")

    def ask():
        try:
            database.run("SELECT 1")
        except DataError as error:
            ended.append(error)

    def is_asking():
        is_free = database._lock.acquire(blocking=False)
        if is_free:
            database._lock.release()
        return not is_free

    thread = threading.Thread(target=ask)
    with postgres.frozen():
        thread.start()
        wait_for(is_asking)
        database.close()
        thread.join(60)
    assert len(ended) == 1


async def test_a_question_that_waits_for_the_store_keeps_nobody_from_the_loop(postgres, place):
    from hopweave.run.settings import read_settings
    from hopweave.run.weaver import Weaver

    settings = read_settings({"corpus": "starter", "store": {"path": place}, "method": "direct", "llm": "scripted"})
    ticks = 0
    async with Weaver(settings, llm=Scripted([("", "So the answer is: x")])) as weaver:
        await weaver.answer("Which river?")
        with postgres.frozen():
            asking = asyncio.create_task(weaver.answer("Which other river?"))
            while not asking.done():
                await asyncio.sleep(0.01)
                ticks += 1
        with pytest.raises(DatabaseError):
            await asking
        assert ticks >= 10
        assert (await weaver.answer("Which other river?")).answer.short == "x"


def test_the_server_says_that_it_is_not_ready_and_is_again_once_the_database_speaks(postgres, place, tmp_path, monkeypatch):
    monkeypatch.setattr("hopweave.apps.server.databases._EVERY_SECONDS", 0.05)
    monkeypatch.setattr("hopweave.apps.server.databases._SOON_SECONDS", 0.2)
    app = app_over(tmp_path, settings={"store": {"path": place}}, keys=keys(questions_per_day=9))
    app.state.service.server.corpora.pop("other")
    with client_of(app, KEY) as client:
        made = client.post("/v1/answers", json={"question": QUESTION}).json()
        with postgres.frozen():
            wait_for(lambda: client.get("/readyz").status_code == 503)
            assert client.get("/readyz").json()["why"].startswith("the database ")
            assert client.get("/healthz").status_code == 200
            refused = client.post("/v1/answers", json={"question": QUESTION})
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "no_database")
            assert place.rpartition("/")[2] not in refused.text
            assert client.get("/readyz").status_code == 503
        wait_for(lambda: client.get("/readyz").status_code == 200)
        again = client.post("/v1/answers", json={"question": QUESTION})
        assert again.json()["record"]["answer"] == made["record"]["answer"]
