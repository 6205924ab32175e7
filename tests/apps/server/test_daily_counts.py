"""Daily counts, in a folder and on a real PostgreSQL: servers that share a budget never exceed it, and a day starts at zero."""

import multiprocessing
import threading
import time
from contextlib import ExitStack, closing

import pytest

from hopweave.apps.server.callers import Allowance, Caller
from hopweave.apps.server.daily_counts import Daily, FolderCounts, PostgresCounts, Reservation, Spent, open_counts
from hopweave.apps.server.refusals import Refused
from hopweave.apps.server.server_settings import KeySettings
from hopweave.core.errors import DataError
from hopweave.core.postgres_connection import Database

BUDGET = 40


@pytest.fixture
def place(postgres):
    return postgres.place()


@pytest.fixture(params=["folder", "database"])
def counts(request, tmp_path):
    places = () if request.param == "folder" else (request.getfixturevalue("place"),)
    with closing(open_counts(places, tmp_path / "counts")) as opened:
        opened.check()
        yield opened


def caller(name="anna", **limits):
    return Caller(name, limits=KeySettings(sha256="0" * 64, **limits))


def test_questions_are_counted_up_to_the_budget_for_each_key_by_itself(counts):
    assert [counts.take("anna", Daily(questions=2)) for _ in range(4)] == [None, None, *[Spent("questions", 2)] * 2]
    assert counts.take("bob", Daily(questions=1)) is None
    assert counts.take("anna", Daily(questions=3)) is None  # it was not counted while it was refused
    assert counts.take("anna", Daily()) is None


def test_a_question_is_refused_once_the_tokens_are_spent(counts):
    budget = Daily(questions=9, tokens=100)
    counts.add("anna", 99)
    assert counts.take("anna", budget) is None
    counts.add("anna", 1)
    assert counts.take("anna", budget) == Spent("tokens", 100)
    counts.add("anna", 2**40)
    assert counts.take("anna", Daily(tokens=2**41)) is None


@pytest.mark.parametrize("budget", [Daily(questions=0), Daily(tokens=0)])
def test_a_budget_of_nothing_lets_nothing_through(counts, budget):
    assert counts.take("anna", budget) is not None
    assert counts.take("anna", Daily(questions=1)) is None
    assert counts.take("anna", budget) is not None


def test_counts_outlive_the_server_that_counted(tmp_path, place):
    for places in ((), (place,)):
        for expected in ([None, None], [None, Spent("questions", 3)]):
            with closing(open_counts(places, tmp_path)) as counts:
                assert [counts.take("anna", Daily(questions=3)) for _ in range(2)] == expected


def test_a_new_day_begins_at_nothing(tmp_path, place, monkeypatch):
    day = ["2026-01-01"]
    monkeypatch.setattr("hopweave.apps.server.daily_counts._today", lambda: day[0])
    with closing(FolderCounts(tmp_path)) as counts:
        assert [counts.take("anna", Daily(questions=1)) for _ in range(2)] == [None, Spent("questions", 1)]
        counts.add("anna", 7)
        day[0] = "2026-01-02"
        assert counts.take("anna", Daily(questions=1, tokens=1)) is None
    with closing(PostgresCounts(place)) as counts, closing(Database(place, "it")) as database:
        for _ in range(2):
            assert [counts.take("anna", Daily(questions=1)) for _ in range(2)] == [None, Spent("questions", 1)]
            counts.add("anna", 7)
            database.run("UPDATE hopweave_daily_counts SET day = day - 1")
        counts.add("anna", 3)
        assert database.run("SELECT questions, tokens FROM hopweave_daily_counts") == [(0, 3)]


def test_a_statement_that_comes_late_does_not_begin_the_day_before_anew(place):
    with closing(PostgresCounts(place)) as counts, closing(Database(place, "it")) as database:
        assert counts.take("anna", Daily(questions=2)) is None
        database.run("UPDATE hopweave_daily_counts SET day = day + 1")
        assert [counts.take("anna", Daily(questions=2)) for _ in range(2)] == [None, Spent("questions", 2)]
        counts.add("anna", 5)
        assert database.run("SELECT questions, tokens FROM hopweave_daily_counts") == [(2, 5)]


def test_two_allowances_on_one_database_never_let_more_through_than_the_budget(place):
    asking = caller(questions_per_day=BUDGET)
    let_through, refused, ready = [], [], threading.Barrier(6)

    def ask(allowance):
        ready.wait(30)
        for _ in range(BUDGET // 2):
            try:
                allowance.question(asking, 4000)
                let_through.append(1)
            except Refused as error:
                refused.append(error)

    with ExitStack() as stack:
        allowances = [Allowance(stack.enter_context(closing(PostgresCounts(place)))) for _ in range(2)]
        threads = [threading.Thread(target=ask, args=[allowances[number % 2]]) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert (len(let_through), len(refused)) == (BUDGET, 2 * BUDGET)
        assert {(error.status, error.code) for error in refused} == {(429, "daily_budget")}
        assert f"the day's {BUDGET} questions are spent" in refused[0].message
        others = caller("bob", tokens_per_day=10)
        allowances[0].spent(others, 10)
        with pytest.raises(Refused, match="the day's 10 tokens are spent"):
            allowances[1].question(others, 4000)


# -- reservations ------------------------------------------------------------------------------------------------------------

RESERVED = Spent("tokens", 1000, is_reserved=True)


def reserve(name, tokens=400, seconds=60.0):
    return Reservation(name, tokens, seconds)


def test_questions_that_run_have_reserved_their_tokens_until_they_are_settled(counts):
    budget = Daily(tokens=1000)
    running = [reserve(name) for name in "abc"]
    assert [counts.take("anna", budget, one) for one in running] == [None] * 3  # the third begins with 200 tokens left
    assert counts.take("anna", budget, reserve("d")) == RESERVED
    assert counts.take("bob", budget, reserve("d")) is None
    counts.add("anna", 10, running[0])
    assert counts.take("anna", budget, reserve("d")) is None
    assert counts.take("anna", budget, reserve("e")) == RESERVED
    for one in (*running[1:], reserve("d")):
        counts.add("anna", 400, one)
    assert counts.take("anna", budget, reserve("e")) == Spent("tokens", 1000)


def test_a_reservation_that_nobody_settles_lapses(counts):
    budget = Daily(tokens=1000)
    assert counts.take("anna", budget, reserve("lost", 5000, 0.2)) is None
    assert counts.take("anna", budget, reserve("next", 5000)) == RESERVED
    time.sleep(0.3)
    assert counts.take("anna", budget, reserve("next", 5000)) is None
    counts.add("anna", 7, reserve("lost"))  # its process was only slow
    assert counts.take("anna", budget, reserve("more")) == RESERVED


def test_a_question_that_runs_over_midnight_keeps_its_tokens(tmp_path, place, monkeypatch):
    day = ["2026-01-01"]
    monkeypatch.setattr("hopweave.apps.server.daily_counts._today", lambda: day[0])
    budget = Daily(tokens=1000)
    with closing(FolderCounts(tmp_path)) as counts:
        assert counts.take("anna", budget, reserve("long", 5000)) is None
        day[0] = "2026-01-02"
        assert counts.take("anna", budget, reserve("next")) == RESERVED
    with closing(PostgresCounts(place)) as counts, closing(Database(place, "it")) as database:
        assert counts.take("anna", budget, reserve("long", 5000)) is None
        database.run("UPDATE hopweave_daily_counts SET day = day - 1")
        assert counts.take("anna", budget, reserve("next")) == RESERVED


def test_the_table_of_the_version_before_is_brought_up_to_date_and_keeps_its_counts(place):
    with closing(Database(place, "it")) as database:
        database.run("CREATE TABLE hopweave_layouts (name text PRIMARY KEY, layout int NOT NULL)")
        database.run("INSERT INTO hopweave_layouts VALUES ('daily_counts', 1)")
        database.run(
            'CREATE TABLE hopweave_daily_counts (name text COLLATE "C" PRIMARY KEY, day date NOT NULL, '
            "questions bigint NOT NULL, tokens bigint NOT NULL)"
        )
        database.run("INSERT INTO hopweave_daily_counts VALUES ('anna', (now() AT TIME ZONE 'UTC')::date, 2, 900)")
        with closing(PostgresCounts(place)) as counts:
            counts.check()
            assert counts.take("anna", Daily(3, 1000), reserve("a")) is None
            assert counts.take("anna", Daily(4, 1000), reserve("b")) == RESERVED
        assert database.run("SELECT layout FROM hopweave_layouts") == [(2,)]


def asks_until_refused(places, folder, ready, spent):
    """A server's process: each question uses the 320 tokens that are reserved for it, and ends a while after it began."""
    mine = 0
    with closing(open_counts(places, folder)) as counts:
        counts.check()
        ready.wait(60)
        for number in range(200):
            one = Reservation(f"{threading.get_native_id()}-{number}", 320, 60.0)
            refused = counts.take("anna", Daily(tokens=3000), one)
            if refused is None:
                time.sleep(0.002)
                counts.add("anna", 320, one)
                mine += 320
            elif not refused.is_reserved:
                break
    spent.put(mine)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["folder", "database"])
def test_two_processes_together_overrun_a_budget_of_tokens_by_less_than_a_question(kind, tmp_path, request):
    places = () if kind == "folder" else (request.getfixturevalue("place"),)
    started = multiprocessing.get_context("spawn")
    ready, spent = started.Barrier(2), started.Queue()
    processes = [started.Process(target=asks_until_refused, args=(places, tmp_path, ready, spent)) for _ in range(2)]
    for process in processes:
        process.start()
    each = [spent.get(timeout=90) for _ in processes]
    for process in processes:
        process.join(30)
    assert sum(each) == 3200  # the tenth question begins with 120 tokens left
    with closing(open_counts(places, tmp_path)) as counts:
        assert counts.take("anna", Daily(tokens=3200)) == Spent("tokens", 3200)
        assert counts.take("anna", Daily(tokens=3201)) is None


def test_of_a_hundred_questions_at_once_only_those_begin_whose_tokens_are_left(counts):
    allowance, asking = Allowance(counts), caller(tokens_per_day=3000)
    begun, refused = [], []

    def ask(number):
        try:
            begun.append(allowance.question(asking, 320))
        except Refused as error:
            refused.append(error)

    threads = [threading.Thread(target=ask, args=[number]) for number in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(begun), len(refused)) == (10, 90)
    assert {(error.status, error.code) for error in refused} == {(429, "daily_budget_reserved")}
    assert {error.headers["Retry-After"] for error in refused} == {"5"}
    for one in begun:
        allowance.spent(asking, 320, one)
    with pytest.raises(Refused, match="the day's 3,000 tokens are spent"):
        allowance.question(asking, 320)


def test_nothing_is_reserved_for_a_caller_without_a_budget_of_tokens(counts):
    allowance = Allowance(counts)
    assert allowance.question(caller(questions_per_day=9), 320) is None
    assert allowance.question(caller(tokens_per_day=10**6), 320).tokens == 320


def test_counts_that_cannot_be_written_hold_while_the_server_runs(tmp_path, caplog):
    (tmp_path / "anna").write_text("a file, where a folder is needed")
    with closing(FolderCounts(tmp_path)) as counts:
        assert [counts.take("anna", Daily(questions=2)) for _ in range(3)] == [None, None, Spent("questions", 2)]
    assert "the daily counts of anna cannot be kept" in caplog.text


def test_a_database_that_is_down_refuses_questions_and_loses_no_answer():
    with closing(PostgresCounts("postgres://127.0.0.1:9/x")) as counts:
        allowance = Allowance(counts)
        with pytest.raises(DataError, match=r"cannot reach the daily counts at postgres://127\.0\.0\.1:9/x"):
            allowance.question(caller(questions_per_day=1), 320)
        allowance.spent(caller(questions_per_day=1), 5)
        allowance.question(Caller("local"), 320)
