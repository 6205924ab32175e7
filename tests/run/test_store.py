"""The store in a file: shared by processes, and never lost. What every store promises is in tests/contracts."""

import json
import math
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.core.errors import DataError, ModelError
from hopweave.core.types import Message, Reply, Sampling, TokenLogprob, Tool, ToolCall, Usage
from hopweave.run.store.store import Store, Stored, key_of

HELLO = Stored(Reply("hello", "stop", Usage(3, 2, 1), (TokenLogprob("hello", -0.5, (("hello", -0.5),)),)), None, 1.5, 2)
OTHER = Stored(Reply("other"), None, 9.0, 1)

MESSAGES = [Message("system", "S"), Message("user", "U")]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "store.sqlite"


@pytest.fixture
def opened():
    stores = []

    def make(path, mode="on"):
        stores.append(Store(path, mode))
        return stores[-1]

    yield make
    for store in stores:
        store.close()


# -- modes -----------------------------------------------------------------------------------------------------------------


def test_off_makes_no_file(path, opened):
    opened(path, "off").put("k", HELLO)
    assert not path.parent.exists()


def test_replay_adds_nothing_and_leaves_the_file_as_it_is(path):
    with closing(Store(path)) as store:
        store.put("k", HELLO)
    before = path.read_bytes()
    with closing(Store(path, "replay")) as replay:
        assert replay.get("k") == HELLO
        assert replay.put("new", HELLO) == HELLO
        assert replay.get("new") is None
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_replay_needs_no_right_to_write():
    # As somebody who owns neither the folder nor the file; only root can become nobody.
    if not hasattr(os, "getuid") or os.getuid() != 0:
        pytest.skip("needs root")
    code = """
import os, shutil, sys, tempfile
from pathlib import Path
from hopweave.run.store.store import *
from hopweave.core.types import Reply
from hopweave.run.store.store import _outcome_adapter
folder = Path(tempfile.mkdtemp())
try:
    store = Store(folder / "s"); store.put("k", Stored(Reply("hello"), None, 1.0, 1)); store.close()
    _outcome_adapter()
    (folder / "s").chmod(0o444); folder.chmod(0o555)
    if not os.fork():
        os.setuid(65534)
        try:
            replay = Store(folder / "s", "replay")
            print(replay.get("k").reply.text, flush=True)
        finally:
            os._exit(0)
    os.wait()
finally:
    shutil.rmtree(folder)
"""
    assert run(code).stdout == "hello\n"


def test_a_closed_store_says_so(path):
    store = Store(path)
    store.close()
    store.close()
    for use in (lambda: store.get("k"), lambda: store.put("k", HELLO), lambda: len(store)):
        with pytest.raises(DataError, match="is closed"):
            use()


# -- what is kept ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        Reply("The Danube – 🌊 – flows.\n" * 400_000),
        Reply("a", logprobs=(TokenLogprob("a", -math.inf, (("b", -math.inf), ("c", math.inf))),)),
        Reply("", usage=Usage(3, 5, thinking_tokens=4), thoughts="Hm.", tool_calls=(ToolCall("1", "search", "{}"),)),
    ],
    ids=["large", "probability-of-nothing", "thoughts-and-tools"],
)
def test_a_reply_comes_back_as_it_was(path, opened, reply):
    opened(path).put("k", Stored(reply, None, 1.0, 1))
    assert opened(path).get("k").reply == reply


# -- keys ------------------------------------------------------------------------------------------------------------------

CHANGED = {
    "temperature": 0.5,
    "top_p": 0.9,
    "max_tokens": 7,
    "stop": ("\n",),
    "seed": 1,
    "top_logprobs": 5,
    "json_schema": {"type": "object"},
    "tools": (Tool("search", "Searches.", {"type": "object"}),),
}
HOW_A_STEP_IS_ASKED = {"thinking"}
"""The same for every call with the same messages, so it tells none apart."""


@pytest.mark.parametrize("name", [field.name for field in fields(Sampling) if field.name not in HOW_A_STEP_IS_ASKED])
def test_each_field_of_the_sampling_is_in_the_key(name):
    assert key_of("m", MESSAGES, replace(Sampling(), **{name: CHANGED[name]}), 0) != key_of("m", MESSAGES, Sampling(), 0)


def test_identity_messages_roles_and_the_number_of_the_sample_are_in_the_key():
    keys = {
        key_of("m", MESSAGES, Sampling(), 0),
        key_of("m2", MESSAGES, Sampling(), 0),
        key_of("m", MESSAGES, Sampling(), 1),
        key_of("m", MESSAGES[:1], Sampling(), 0),
        key_of("m", MESSAGES[::-1], Sampling(), 0),
        key_of("m", [Message("system", "S"), Message("assistant", "U")], Sampling(), 0),
        key_of("m", [Message("system", "SU"), Message("user", "")], Sampling(), 0),
        key_of("m", [Message("system", 'S"],["user","U')], Sampling(), 0),
        key_of("m", MESSAGES, Sampling(json_schema={"a": 1, "b": 2}), 0),
        key_of("m", MESSAGES, Sampling(json_schema={"b": 2, "a": 1}), 0),
        key_of("m", MESSAGES, Sampling(stop=("a", "b")), 0),
        key_of("m", MESSAGES, Sampling(stop=("a,b",)), 0),
    }
    assert len(keys) == 12


def test_calls_and_results_of_tools_are_in_the_key():
    call = ToolCall("1", "search", '{"query": "Sula"}')
    turns = [
        Message("assistant", ""),
        Message("assistant", "", (call,)),
        Message("assistant", "", (replace(call, id="2"),)),
        Message("assistant", "", (replace(call, name="read"),)),
        Message("assistant", "", (replace(call, arguments="{}"),)),
        Message("assistant", "", (call,), thoughts="Hm."),
        Message("tool", "", result_of="1"),
        Message("tool", "", result_of="2"),
    ]
    assert len({key_of("m", [*MESSAGES, turn], Sampling(), 0) for turn in turns}) == len(turns)


def test_a_call_without_tools_has_the_key_that_it_had_before_there_were_tools():
    key = key_of("m", [Message("system", "S"), Message("user", "U")], Sampling(stop=("x",), json_schema={"a": 1}), 2)
    assert key == "9bfc90450b12617d68f0134d0438919482af7250aa9d400996851a7aafac8cc4"


def test_a_key_does_not_depend_on_how_a_number_was_written():
    assert key_of("m", MESSAGES, Sampling(temperature=0, top_p=1), 0) == key_of("m", MESSAGES, Sampling(), 0)


def test_a_key_is_the_same_in_every_process():
    code = (
        "from hopweave.run.store.store import key_of; from hopweave.core.types import *\n"
        "print(key_of('m', [Message('user', 'Ünïcode 🌊')], Sampling(stop=('x',), json_schema={'a': [1]}), 2))"
    )
    here = key_of("m", [Message("user", "Ünïcode 🌊")], Sampling(stop=("x",), json_schema={"a": [1]}), 2)
    assert run(code).stdout.strip() == here


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_has_a_key(text):
    assert len(key_of(text, [Message("user", text)], Sampling(stop=(text,)), 0)) == 64


# -- several processes -----------------------------------------------------------------------------------------------------


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done


WRITER = """
import sys
from pathlib import Path
from hopweave.run.store.store import Store, Stored
from hopweave.core.types import Reply
path, name = sys.argv[1:]
sys.stdin.readline()  # all begin at once, so that the file is made by several at the same moment
store = Store(Path(path))
for number in range(250):
    store.put(f"{name} {number}", Stored(Reply(f"{name} says {number}"), None, 1.0, 1))
    won = store.put(f"shared {number}", Stored(Reply(name), None, 1.0, 1)).reply.text
    print(number, won)
"""


def test_processes_that_write_at_once_lose_nothing_and_agree_who_was_first(path, opened):
    names = ["anna", "bert", "cleo"]
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [
        subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for name in names
    ]
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    outcomes = [writer.communicate(timeout=60) for writer in writers]
    assert [errors for _, errors in outcomes] == ["", "", ""]
    store = opened(path)
    assert len(store) == 4 * 250
    for name in names:
        assert all(store.get(f"{name} {number}").reply.text == f"{name} says {number}" for number in range(250))
    first = [[line.split()[1] for line in output.splitlines()] for output, _ in outcomes]
    assert first[0] == first[1] == first[2] == [store.get(f"shared {number}").reply.text for number in range(250)]


OPENER = """
import sys, time
from pathlib import Path
from hopweave.run.store.store import Store
for line in sys.stdin:
    moment, path = line.split(maxsplit=1)
    while time.time() < float(moment):
        pass
    try:
        Store(Path(path.strip())).close()
        print("opened", flush=True)
    except Exception as error:
        print(error, flush=True)
"""


@pytest.mark.slow
def test_processes_that_open_a_new_store_at_the_same_moment_all_open_it(tmp_path):
    command = [sys.executable, "-c", OPENER]
    openers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    said = set()
    for number in range(20):
        for opener in openers:
            opener.stdin.write(f"{time.time() + 0.05} {tmp_path / str(number) / 'store.sqlite'}\n")
            opener.stdin.flush()
        said |= {opener.stdout.readline().strip() for opener in openers}
    for opener in openers:
        opener.communicate(timeout=60)
    assert said == {"opened"}


@pytest.fixture
def busy(monkeypatch):
    """A function: so many switches to WAL meet those of another process; returns the list of those sent away."""
    refused = []
    connect = sqlite3.connect

    def start(num):
        class Busy(sqlite3.Connection):
            def execute(self, statement, *values):
                if "journal_mode" in statement and len(refused) < num:
                    refused.append(statement)
                    error = sqlite3.OperationalError("database is locked")
                    error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                    raise error
                return super().execute(statement, *values)

        monkeypatch.setattr(sqlite3, "connect", lambda *given, **named: connect(*given, **named, factory=Busy))
        return refused

    return start


def test_a_switch_to_wal_that_is_sent_away_is_tried_again(path, opened, busy):
    refused = busy(3)
    assert opened(path).put("k", HELLO) == HELLO
    assert len(refused) == 3


def test_a_store_that_stays_locked_is_an_error_that_says_so(path, opened, busy, monkeypatch):
    monkeypatch.setattr("hopweave.run.store.store._BUSY_SECONDS", 0.05)
    busy(10**6)
    with pytest.raises(DataError, match="database is locked"):
        opened(path)


KILLED = """
import sys
from pathlib import Path
from hopweave.run.store.store import Store, Stored
from hopweave.core.types import Reply
store = Store(Path(sys.argv[1]))
for number in range(100_000):
    store.put(str(number), Stored(Reply("x" * 500), None, 1.0, 1))
    print(number, flush=True)
"""


def test_a_kill_in_the_middle_loses_nothing_that_was_put(path, opened):
    writer = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True)
    for line in writer.stdout:
        if int(line) == 150:
            writer.send_signal(signal.SIGKILL)
            break
    last = max([150, *(int(line) for line in writer.stdout.read().splitlines())])
    writer.stdout.close()
    assert writer.wait(timeout=30) == -signal.SIGKILL
    store = opened(path)
    assert all(store.get(str(number)) is not None for number in range(last + 1))
    assert last + 1 <= len(store) <= last + 2
    assert opened(path, "replay").get(str(last)).reply.text == "x" * 500


# -- what is refused -------------------------------------------------------------------------------------------------------


REFUSED = {
    "text": (
        lambda path: path.write_bytes(b"this is not a database, whatever its name says" * 20),
        r"cannot use the store .*notes\.txt: .*; move the file away or choose another path",
    ),
    "only the head of a database": (
        lambda path: path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 500),
        r"cannot use the store .*notes\.txt: .*; move the file away or choose another path",
    ),
    "another database": (
        lambda path: changed(path, "CREATE TABLE bookmarks (url TEXT)"),
        "is some other database; choose another path",
    ),
    "newer layout": (
        lambda path: (Store(path).close(), changed(path, "PRAGMA user_version = 3")),
        "has layout 3, newer than this version of hopweave; upgrade it",
    ),
}


@pytest.mark.parametrize("mode", ["on", "replay"])
@pytest.mark.parametrize(("make", "said"), REFUSED.values(), ids=REFUSED)
def test_a_file_that_is_no_store_of_this_version_is_refused_and_left_alone(tmp_path, mode, make, said):
    path = tmp_path / "notes.txt"
    make(path)
    before = path.read_bytes()
    with pytest.raises(DataError, match=said):
        Store(path, mode)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("path", "mode", "said"),
    [
        ("deep/s.sqlite", "replay", r"nothing to replay: .*s\.sqlite does not exist; run once with the store on"),
        ("empty", "replay", "nothing to replay: .* is empty"),
        ("empty/s.sqlite", "on", "cannot reach the store .*; choose another path"),
        (".", "on", "cannot use the store"),
    ],
    ids=["no-file", "empty-file", "file-in-place-of-a-folder", "folder-in-place-of-a-file"],
)
def test_a_path_at_which_no_store_can_be_is_refused_and_nothing_is_made(tmp_path, path, mode, said):
    (tmp_path / "empty").touch()
    with pytest.raises(DataError, match=said):
        Store(tmp_path / path, mode)
    assert [file.name for file in tmp_path.iterdir()] == ["empty"]


DAMAGED = ["", "no JSON", "[]", json.dumps([{"text": 5}, None]), "[null, null]", b"\xff\xfe", "[" * 100_000]


@pytest.mark.parametrize("outcome", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_row_is_a_miss_that_is_counted_and_makes_room_for_the_next_reply(path, opened, outcome, caplog):
    store = opened(path)
    store.put("the-key", HELLO)
    store.put("another", HELLO)
    changed(path, "UPDATE replies SET outcome = ? WHERE key = 'the-key'", outcome)
    assert store.get("the-key") is None
    assert store.get("the-key") is None
    assert store.num_unreadable == 2
    assert caplog.text.count("has a reply that cannot be read, at key the-key") == 1
    assert opened(path, "replay").get("the-key") is None
    assert store.put("the-key", OTHER) == OTHER
    assert store.get("the-key") == OTHER
    assert store.get("another") == HELLO


@pytest.mark.parametrize("column", ["seconds = -1", "seconds = 9e999", "attempts = -1"])
def test_a_row_that_took_no_time_that_can_be_is_a_miss(path, opened, column):
    store = opened(path)
    store.put("k", HELLO)
    changed(path, f"UPDATE replies SET {column}")
    assert store.get("k") is None
    assert store.num_unreadable == 1


USELESS = {
    "a number for a reason": Reply("x", 5),
    "half of a surrogate pair": Reply("x", "\ud800"),
    "a list for a text": Reply(["x"]),
    "a text for a number of tokens": Reply("x", "stop", Usage("many", 0)),
    "a token that is none": Reply("x", "stop", Usage(), (TokenLogprob(None, 0.0, ()),)),
    "nothing at all": None,
}


@pytest.mark.parametrize("reply", USELESS.values(), ids=USELESS)
def test_what_could_not_be_read_again_is_not_kept(path, opened, reply):
    store = opened(path)
    with pytest.raises(ModelError, match="the reply cannot be kept"):
        store.put("k", Stored(reply, None, 1.0, 1))
    assert len(store) == 0
    store.put("k", HELLO)
    assert opened(path, "replay").get("k") == HELLO


def test_a_path_may_hold_any_sign(tmp_path, opened):
    path = tmp_path / "a folder? with #signs & 100% ünïcode" / "s?mode=memory"
    opened(path).put("k", HELLO)
    assert path.is_file()
    assert opened(path, "replay").get("k") == HELLO


def test_a_disk_that_fails_is_a_clear_error(path, opened):
    store = opened(path)
    changed(path, "DROP TABLE replies")
    with pytest.raises(DataError, match="failed: no such table: replies; free space or choose another path"):
        store.put("k", HELLO)


# -- what broke on the disk ----------------------------------------------------------------------------------------------------


def changed(path, statement, *values):
    """Changes a store behind its back."""
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(statement, values)


@pytest.mark.parametrize("change", ["seconds = 99", "attempts = 7", "key = 'other'", "outcome = outcome || ' '"])
def test_every_column_of_a_reply_is_under_its_checksum(path, opened, change):
    opened(path).put("k", HELLO)
    changed(path, f"UPDATE replies SET {change}")
    for mode in ("on", "replay"):
        store = opened(path, mode)
        assert store.get("other" if "key" in change else "k") is None
        assert store.num_unreadable == 1


def test_a_store_of_the_older_layout_answers_and_goes_on(path, opened):
    store = opened(path)
    store.put("k", HELLO)
    bare = '[{"text":"as it was","finish_reason":"stop","usage":{"prompt_tokens":1,"completion_tokens":1}},null]'
    changed(path, "UPDATE replies SET outcome = ?", bare)
    changed(path, "PRAGMA user_version = 1")
    assert opened(path, "replay").get("k").reply.text == "as it was"
    again = opened(path)
    assert again.get("k").reply.text == "as it was"
    again.put("new", OTHER)
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (2,)
    assert opened(path, "replay").get("new") == OTHER
