"""Daily counts, in a folder and on a real PostgreSQL: a budget is never exceeded, whoever shares it, and a day begins anew."""

import threading
from contextlib import ExitStack, closing

import pytest

from hopweave.errors import DataError
from hopweave.server.callers import Allowance, Caller
from hopweave.server.refusals import Refused
from hopweave.server.settings import KeySettings
from hopweave.storage.daily_counts import Daily, FolderCounts, PostgresCounts, Spent, open_counts
from hopweave.storage.postgres import Database

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
    monkeypatch.setattr("hopweave.storage.daily_counts._today", lambda: day[0])
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
                allowance.question(asking)
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
            allowances[1].question(others)


def test_a_database_that_is_down_refuses_questions_and_loses_no_answer():
    with closing(PostgresCounts("postgres://127.0.0.1:9/x")) as counts:
        allowance = Allowance(counts)
        with pytest.raises(DataError, match=r"cannot reach the daily counts at postgres://127\.0\.0\.1:9/x"):
            allowance.question(caller(questions_per_day=1))
        allowance.spent(caller(questions_per_day=1), 5)
        allowance.question(Caller("local"))
