"""Every kind of store, and every kind of answers for answers, keeps the same promises."""

from dataclasses import replace

import pytest

from hopweave.core.errors import DataError, ModelError
from hopweave.core.types import Message, Reply, Sampling, TokenLogprob, Usage
from hopweave.record import Failure
from hopweave.run.store.answer_store import open_answer_store
from hopweave.run.store.store import Stored, key_of
from hopweave.run.store.stores import open_store

KINDS = ("file", "postgres")
HELLO = Stored(
    Reply("hello \x00 \u00e9 \U0001f600", "stop", Usage(3, 2, 1), (TokenLogprob("h", -0.5, (("h", -0.5),)),)), None, 1.5, 2
)
OTHER = Stored(Reply("other"), None, 9.0, 1)
FAILED = Stored(None, Failure("ModelError", "gone", retryable=True), 4.0, 4)
CUT = Stored(None, Failure("BudgetReached", "max_seconds = 1 reached"), 1.0, 1)
KEY = key_of("m", [Message("user", "U")], Sampling(), 0)


@pytest.fixture(params=KINDS)
def place(request, tmp_path):
    return tmp_path / "deep" / "place" if request.param == "file" else request.getfixturevalue("postgres").place()


@pytest.fixture
def opened(place):
    open_ones = []

    def make(mode="on"):
        open_ones.append(open_store(place, mode))
        return open_ones[-1]

    yield make
    for one in open_ones:
        one.close()


# -- stores --------------------------------------------------------------------------------------------------------------------


def test_what_was_put_is_there_now_and_after_opening_again(opened):
    assert opened().put(KEY, HELLO) == HELLO
    assert opened().get(KEY) == HELLO
    assert opened("replay").get(KEY) == HELLO
    assert opened().get("unknown") is None


def test_the_first_reply_wins_over_later_ones(opened):
    store = opened()
    store.put(KEY, HELLO)
    assert store.put(KEY, OTHER) == HELLO
    assert opened().put(KEY, FAILED) == HELLO
    assert store.get(KEY) == HELLO
    assert len(store) == 1


@pytest.mark.parametrize("stored", [FAILED, CUT])
def test_failures_and_cuts_replay_as_they_happened_and_are_tried_again_with_the_store_on(opened, stored):
    store = opened()
    assert store.put(KEY, stored) == stored
    assert store.get(KEY) is None
    assert len(store) == 0
    assert opened("replay").get(KEY) == stored
    assert store.put(KEY, HELLO) == HELLO
    assert opened("replay").get(KEY) == HELLO


def test_the_latest_failure_stands(opened):
    store = opened()
    store.put(KEY, FAILED)
    store.put(KEY, CUT)
    assert opened("replay").get(KEY) == CUT


def test_off_neither_answers_nor_keeps(opened):
    store = opened("off")
    assert store.put(KEY, HELLO) == HELLO
    assert store.get(KEY) is None
    assert len(store) == 0
    assert list(store.items()) == []


def test_replay_needs_something_to_replay_and_adds_nothing(opened):
    with pytest.raises(DataError, match="there is nothing to replay"):
        opened("replay")
    opened()
    store = opened("replay")
    assert store.put(KEY, HELLO) == HELLO
    assert store.get(KEY) is None


def test_all_that_is_kept_can_be_listed_in_the_order_of_its_keys(opened):
    store = opened()
    kept = {f"{number:04}": replace(OTHER, seconds=float(number)) for number in range(1100)}
    for key, stored in kept.items():
        store.put(key, stored)
    store.put("9999", FAILED)
    assert list(store.items()) == [*kept.items(), ("9999", FAILED)]


def test_what_could_not_be_read_again_is_not_kept(opened):
    store = opened()
    with pytest.raises(ModelError, match="cannot be kept"):
        store.put(KEY, replace(HELLO, seconds=float("nan")))
    with pytest.raises(ModelError, match="cannot be kept"):
        store.put(KEY, Stored(Reply("half \ud800"), None, 1.0, 1))
    assert list(store.items()) == []


def test_a_reply_in_which_a_bit_turned_over_is_asked_for_again_and_replaced(opened, postgres):
    store = opened()
    store.put(KEY, HELLO)
    if hasattr(store, "_database"):
        store._database.run("UPDATE hopweave_replies SET outcome = set_byte(outcome, 12, get_byte(outcome, 12) # 1)")
    else:
        store._run("UPDATE replies SET outcome = replace(outcome, 'hello', 'hellp')", ())
    assert opened().get(KEY) is None
    assert store.get(KEY) is None
    assert store.num_unreadable == 1
    assert store.put(KEY, OTHER) == OTHER
    assert store.get(KEY) == OTHER


def test_a_closed_store_says_so(opened):
    store = opened()
    store.close()
    store.close()
    with pytest.raises(DataError, match="is closed"):
        store.get(KEY)


# -- answers -------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def answers(place):
    opened = open_answer_store(place)
    opened.check()
    yield opened
    opened.close()


def test_an_answer_is_there_now_and_for_whoever_opens_the_shelf_again(answers, place):
    entry, record = '{"short": "é\\u0000"}', '{"record": "\U0001f600 \\n"}'
    answers.keep("ann", "0a-1", entry, record)
    again = open_answer_store(place)
    for one in (answers, again):
        assert (one.entry("ann", "0a-1"), one.record("ann", "0a-1")) == (entry, record)
    again.close()


def test_an_answer_is_its_owners_alone(answers):
    answers.keep("ann", "0a-1", "{}", "{}")
    assert answers.entry("ben", "0a-1") is None
    assert answers.record("ben", "0a-1") is None
    assert answers.page("ben", before=None, limit=5).entries == []


@pytest.mark.parametrize(
    "answer_id", ["", "..", "../ann/0a-1", "a/b", "\x00", "0a-1\n", "%", "' OR 1=1 --", "x" * 5000, ".writable"]
)
def test_what_is_no_id_finds_nothing(answers, answer_id):
    answers.keep("ann", "0a-1", "{}", "{}")
    assert answers.entry("ann", answer_id) is None
    assert answers.record("ann", answer_id) is None


def test_pages_go_from_the_newest_to_the_oldest_and_miss_none(answers):
    ids = [f"{number:02}" for number in range(7)]
    for one in ids:
        answers.keep("ann", one, f'"{one}"', "{}")
    seen, before = [], None
    for _ in range(4):
        page = answers.page("ann", before=before, limit=2)
        seen += page.entries
        before = page.following
        if before is None:
            break
    assert seen == [(one, f'"{one}"') for one in reversed(ids)]
    assert answers.page("ann", before=None, limit=7).following is None
    assert answers.page("ann", before="00", limit=7).entries == []


def test_an_answer_that_is_kept_again_is_replaced(answers):
    answers.keep("ann", "1", "{}", "{}")
    answers.keep("ann", "1", '{"a":1}', '{"b":2}')
    assert (answers.entry("ann", "1"), answers.record("ann", "1")) == ('{"a":1}', '{"b":2}')
    assert len(answers.page("ann", before=None, limit=5).entries) == 1
