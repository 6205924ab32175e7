"""The store on a real PostgreSQL: processes share replies, make no call twice, and lose nothing when one is killed."""

import asyncio
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest
from support.commands import ran
from support.killed_runs import COMMAND, asked
from support.questions import put_questions
from support.scripted_server import Behaviour, ScriptedServer

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.postgres_connection import Database, is_address, place_of
from hopweave.core.types import Reply
from hopweave.evaluation.integrity.verify import verify
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.run.settings import read_settings
from hopweave.run.store.postgres_store import PostgresStore
from hopweave.run.store.store import Store, Stored
from hopweave.run.store.stores import open_store

pytestmark = pytest.mark.usefixtures("own_folders")

HELLO = Stored(Reply("hello"), None, 1.5, 2)
SECRET = "word-of-honour"


@pytest.fixture
def place(postgres):
    return postgres.place()


@pytest.fixture
def opened(place):
    open_ones = []

    def make(mode="on"):
        open_ones.append(PostgresStore(place, mode))
        return open_ones[-1]

    yield make
    for one in open_ones:
        one.close()


async def python(code, *arguments):
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )


# -- addresses -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        f"postgres://me:{SECRET}@db.example/x",
        f"postgresql://me:{SECRET}@/x?host=/tmp",
        f"postgres://db.example/x?password={SECRET}",
        f"postgres://db.example/x?user=me&password={SECRET}",
        f"postgres://[{SECRET}/x",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_repeated(address):
    for refusing in (lambda: open_store(address), lambda: read_settings({"store": {"path": address}})):
        with pytest.raises(SettingsError) as raised:
            refusing()
        assert SECRET not in str(raised.value)
    assert SECRET not in ran("ask", "Who?", "--store", address, exit_code=1).output


def test_files_and_addresses_are_told_apart(tmp_path):
    assert place_of("replies.sqlite") == Path("replies.sqlite")
    assert place_of("postgres://h/d") == "postgres://h/d"
    assert not is_address(Path("postgres://h/d"))
    assert type(open_store(tmp_path / "s")) is Store
    assert open_store("postgres://nowhere.example/x", "off").get("k") is None


@pytest.mark.parametrize(
    ("address", "mode"),
    [
        ("postgres://db.example/x", "verify-full"),
        ("postgres://127.0.0.1,db.example/x", "verify-full"),
        ("postgres://db.example/x?sslmode=disable", "disable"),
        ("postgres://localhost:5433/x", None),
        ("postgres:///x?host=/tmp", None),
        ("postgres://127.0.0.1.evil.example/x", "verify-full"),
    ],
)
def test_a_server_elsewhere_is_encrypted_and_verified_unless_the_address_says_otherwise(address, mode):
    pytest.importorskip("psycopg", reason="needs: pip install 'hopweave[postgres]'")
    assert Database(address, "the store")._given.get("sslmode") == mode


def test_a_server_that_is_down_is_one_clear_error_that_says_what_to_do(monkeypatch):
    pytest.importorskip("psycopg", reason="needs: pip install 'hopweave[postgres]'")
    monkeypatch.setenv("PGPASSWORD", SECRET)
    said = ran("ask", "Who?", "--store", "postgres://me@127.0.0.1:9/x", exit_code=1).output.strip()
    assert said.startswith("hopweave: cannot reach the store postgres://127.0.0.1:9/x: ")
    assert said.endswith("start the server, or check the address, the user (PGUSER) and the password (PGPASSWORD)")
    assert "\n" not in said
    assert SECRET not in said


def test_a_store_of_a_newer_version_is_refused(opened, place):
    opened()._database.run("UPDATE hopweave_layouts SET layout = 99")
    with pytest.raises(DataError, match=r"layout 99.*upgrade"):
        opened()


def test_messages_name_no_user(opened, place):
    assert "postgres@" in place
    assert "postgres@" not in opened().path


# -- claims --------------------------------------------------------------------------------------------------------------------


def test_a_call_is_one_process_s_until_it_is_released_or_closed(opened):
    one, other = opened(), opened()
    assert one.claim("k")
    assert not one.claim("k")
    assert not other.claim("k")
    assert other.claim("another")
    one.release("k")
    assert other.claim("k")
    other.close()
    while not one.claim("k"):  # the server notices the end of a connection after this process
        pass
    one.release("never claimed")


async def test_a_process_that_is_killed_while_it_makes_a_call_blocks_nobody(opened, place):
    code = "import sys, time; from hopweave.run.store.stores import *\n"
    code += "store = open_store(sys.argv[1]); print(store.claim('k'), flush=True); time.sleep(600)"
    process = await python(code, place)
    assert await process.stdout.readline() == b"True\n"
    store = opened()
    assert not store.claim("k")
    process.kill()
    await process.wait()
    for _ in range(500):
        if store.claim("k"):
            return
        await asyncio.sleep(0.01)
    pytest.fail("the claim of a dead process was still held")


async def test_processes_that_open_a_new_place_at_the_same_moment_all_find_it_whole(opened, place):
    code = "import sys; from hopweave.run.store.stores import *; from hopweave.run.store.store import *\n"
    code += "from hopweave.core.types import *\n"
    code += "store = open_store(sys.argv[1]); store.put(sys.argv[2], Stored(Reply('x'), None, 1.0, 1))\n"
    code += "store.close(); print('done')"
    processes = [await python(code, place, str(number)) for number in range(5)]
    assert [(await process.communicate())[0] for process in processes] == [b"done\n"] * 5
    assert len(opened()) == 5


# -- lost connections ----------------------------------------------------------------------------------------------------------


def test_a_connection_that_is_cut_is_made_again_and_its_claims_are_gone(opened, postgres):
    store, other = opened(), opened()
    store.put("k", HELLO)
    assert store.claim("c")
    postgres.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hopweave'")
    assert store.get("k") == HELLO
    store.put("l", HELLO)
    assert other.claim("c")
    store.release("c")
    assert not store.claim("c")
    assert len(other) == 2


# -- processes that ask --------------------------------------------------------------------------------------------------------


def reply(_):
    return Behaviour(text="So the answer is: the Nith.", delay=0.1)


async def evaluation(address, place, out):
    settings = [f"llms.openai_compatible.base_url={address}", "llms.openai_compatible.model=m", "corpus=starter"]
    flags = [part for setting in settings for part in ("--set", setting)]
    return await python(
        COMMAND, "evaluate", "--out", out, "--dataset", "jsonl", "--path", "questions.jsonl", "--methods", "direct,ircot",
        "--llm", "openai_compatible", "--parallel", "3", "--store", place, *flags,
    )  # fmt: skip


def prints(path):
    run = RunFolder.open(Path(path))
    return {m: {r.question.id: r.fingerprint for r in run.records("jsonl", m)} for m in ("direct", "ircot")}


async def test_two_processes_that_ask_the_same_questions_make_no_call_twice(place):
    put_questions(5)
    async with ScriptedServer(reply) as model:
        both = [await evaluation(model.base_url, place, f"run{number}") for number in (1, 2)]
        for process in both:
            said = (await process.communicate())[0].decode()
            assert process.returncode == 0, said
        assert set(Counter(map(asked, model.requests)).values()) == {1}
    assert prints("run1") == prints("run2")
    for number in (1, 2):
        found = verify(Path(f"run{number}"), place)
        assert (found.differences, found.unchecked) == ([], [])
        assert found.counts["replies"] >= 10
    found = verify(Path("run1"))
    assert found.differences == []
    assert ["give its address with --store" in what for what in found.unchecked] == [True]


async def test_one_of_two_processes_is_killed_and_nothing_is_lost_or_asked_again(place):
    put_questions(5)
    async with ScriptedServer(reply) as model:
        first, second = [await evaluation(model.base_url, place, f"run{number}") for number in (1, 2)]
        while model.num_requests < 6:  # noqa: ASYNC110 - it is another process that is waited for
            await asyncio.sleep(0.003)
        first.send_signal(signal.SIGKILL)
        await first.communicate()
        store = PostgresStore(place, "replay")
        kept = len(store)
        store.close()
        said = (await second.communicate())[0].decode()
        assert second.returncode == 0, said
        again = await evaluation(model.base_url, place, "run1")
        said = (await again.communicate())[0].decode()
        assert again.returncode == 0, said
        repeated = Counter(map(asked, model.requests)).total() - len(set(map(asked, model.requests)))
    assert kept > 0
    assert repeated <= 3  # those that were under way when the process died, which nobody heard the end of
    assert prints("run1") == prints("run2")
    assert verify(Path("run1"), place).differences == []
