"""What is learnt about endpoints is kept for some days: small, safe against damage, and never more than a help."""

import json
import stat
import time

import pytest

from hopweave.core.files import lock
from hopweave.models.llms import _learnt
from hopweave.models.llms._learnt import KEPT_DAYS, SCHEMA, Learnt, Memory

KEY = "https://h/v1:m"
FACTS = Learnt(
    server="vllm",
    refused=frozenset({"seed", "max_tokens"}),
    levels=frozenset({"off"}),
    thinks=frozenset({"on"}),
    is_quiet_when_off=True,
    begins_inside=False,
    wants_thoughts_back=True,
    has_tools=False,
    max_new=4096,
    max_total=9000,
)


@pytest.fixture(autouse=True)
def own_cache(own_folders):
    """A cache that nobody else writes to."""


def later():
    """What another process knows."""
    _learnt.forget_all()
    return Memory(KEY).known


def written(entry, schema=SCHEMA):
    path = _learnt.path_of_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"schema": schema, "learnt": {KEY: entry}}))


def test_all_that_is_learnt_is_known_to_the_next_process():
    Memory(KEY).learn(FACTS)
    assert later() == FACTS


def test_what_is_learnt_one_after_the_other_adds_up():
    Memory(KEY).learn(Learnt(refused=frozenset({"seed"}), thinks=frozenset({"on"})))
    Memory(KEY).learn(Learnt(refused=frozenset({"stop"}), begins_inside=True))
    Memory(KEY).learn(Learnt(begins_inside=False))
    assert later() == Learnt(refused=frozenset({"seed", "stop"}), thinks=frozenset({"on"}), begins_inside=False)


def test_what_two_processes_learn_is_all_kept():
    here = Memory(KEY)
    assert here.known == Learnt()
    _learnt._File(_learnt.path_of_file()).learn(KEY, Learnt(refused=frozenset({"stop"})))
    here.learn(Learnt(refused=frozenset({"seed"})))
    assert later().refused == {"stop", "seed"}


def test_other_models_and_addresses_know_nothing_of_it():
    Memory(KEY).learn(FACTS)
    assert Memory("https://h/v1:m2").known == Memory("https://h2/v1:m").known == Learnt()


def test_what_is_only_for_one_client_is_not_written():
    memory = Memory()
    memory.learn(FACTS)
    assert memory.known == FACTS
    assert Memory().known == Learnt()
    assert not _learnt.path_of_file().exists()


def test_it_expires_but_for_the_kind_of_server():
    Memory(KEY).learn(FACTS)
    path = _learnt.path_of_file()
    data = json.loads(path.read_text())
    data["learnt"][KEY]["at"] = time.time() - (KEPT_DAYS + 0.1) * 86400
    path.write_text(json.dumps(data))
    assert later() == Learnt(server="vllm")
    assert not Memory(KEY).is_fresh


@pytest.mark.parametrize(
    "content",
    [
        "", "{", "[]", "null", '{"schema": 5}', "[" * 100_000, json.dumps({"schema": "hopweave.endpoints/2", "learnt": {}}),
        json.dumps({"schema": SCHEMA, "learnt": []}), json.dumps({"schema": SCHEMA, "learnt": {KEY: 5}}),
    ],
)  # fmt: skip
def test_a_damaged_file_is_as_none_and_is_written_anew(content):
    path = _learnt.path_of_file()
    path.parent.mkdir(parents=True)
    path.write_text(content)
    assert later() == Learnt()
    Memory(KEY).learn(FACTS)
    assert later() == FACTS


def test_values_that_cannot_be_are_left_out():
    now = time.time()
    written({"at": now, "server": "evil", "refused": ["messages", "model", 5, "seed", []], "levels": "off", "thinks": {"a": 1}})
    assert later() == Learnt(refused=frozenset({"seed"}))
    for entry in ({"refused": ["seed"]}, {"at": "now"}, {"at": True}, {"at": float("nan")}, {"at": now + 10 * 86400}):
        written({"refused": ["seed"], **entry})
        assert later() == Learnt()
    written({"at": now, "max_new": -5, "max_total": 10**12, "begins_inside": "yes", "has_tools": 1, "is_quiet_when_off": 1})
    assert later() == Learnt()


def test_the_file_stays_small_and_keeps_what_is_new():
    path = _learnt.path_of_file()
    path.parent.mkdir(parents=True)
    entries = {f"https://h/v1:{n}": {"at": int(time.time()) - 300 + n, "refused": ["seed"]} for n in range(300)}
    path.write_text(json.dumps({"schema": SCHEMA, "learnt": entries}))
    _learnt.forget_all()
    Memory(KEY).learn(FACTS)
    kept = json.loads(path.read_text())["learnt"]
    assert len(kept) == 256
    assert KEY in kept


def test_only_the_user_can_read_it():
    Memory(KEY).learn(FACTS)
    assert stat.S_IMODE(_learnt.path_of_file().stat().st_mode) == 0o600


def test_where_it_cannot_be_written_the_process_still_knows(tmp_path):
    (tmp_path / "cache").write_text("no folder")
    Memory(KEY).learn(FACTS)
    assert Memory(KEY).known == FACTS
    assert later() == Learnt()


def test_nobody_waits_for_a_lock():
    path = _learnt.path_of_file()
    path.parent.mkdir(parents=True)
    with lock(path.with_suffix(".lock")):
        Memory(KEY).learn(Learnt(refused=frozenset({"seed"})))
    assert Memory(KEY).known.refused == {"seed"}
    Memory(KEY).learn(Learnt(refused=frozenset({"stop"})))
    assert later().refused == {"seed", "stop"}
