"""`hopweave stale` over answers that servers keep on PostgreSQL, and over corpora on servers: as over files and folders."""

import json
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from run.test_staleness import ASKED, ENGINEER, LAMP, Says, answered, edit, keep, sync, write
from support.commands import ran
from support.elastic_server import ElasticServer

from hopweave.core.catalog import load
from hopweave.core.types import Passage
from hopweave.record import Record
from hopweave.run.store.answer_store import PostgresAnswerStore


@pytest.fixture(autouse=True)
def scene():
    write(engineer=ENGINEER, lamp=LAMP)
    sync()


stale = partial(ran, "stale")


def told(result):
    """What was told of each stale answer, but for the place where it is kept."""
    assert result.exit_code in (0, 3), result.output
    return sorted(json.dumps({**json.loads(line), "place": ""}) for line in result.stdout.splitlines())


def records(**more):
    return [answered(question, Says(words), **more) for question, words in ASKED.items()]


def served_as(record, name):
    """A record as a server keeps it: its corpus has the name that clients know."""
    return replace(record, setup=replace(record.setup, settings={**record.setup.settings, "corpus": name}))


def test_answers_on_postgres_are_told_as_those_in_files_are(postgres):
    place = postgres.place()
    made = records()
    keep(*made)
    with closing(PostgresAnswerStore(place)) as answers:
        for number, record in enumerate(made):
            answers.keep(("anna", "bob")[number % 2], f"id-{number}", "{}", record.to_json())
    assert told(stale(place, "--json")) == told(stale("answers.jsonl", "--json")) == []
    write(engineer=ENGINEER.replace("Port Merrow", "Kiel"), lamp=LAMP.replace("1874", "1875"))
    sync()
    result = stale(place, "--json")
    assert result.exit_code == 3
    assert told(result) == told(stale("answers.jsonl", "--json"))
    assert len(told(result)) == 2
    places = [json.loads(line)["place"] for line in result.stdout.splitlines()]
    assert [one.partition(", ")[2] for one in places] == ["answer id-0 of anna", "answer id-3 of bob"]
    assert "postgres@" not in result.output
    both = stale("answers.jsonl", place)
    assert both.stdout.splitlines()[-1].startswith("4 stale of 8 answers with 8 citations")


def test_each_answer_of_a_server_is_compared_with_the_index_that_its_corpus_has_there(postgres):
    place = postgres.place()
    Path("index").rename("first")
    edit("Port Merrow", "Kiel")
    Path("index").rename("second")
    record = records(corpus="first")[0]
    with closing(PostgresAnswerStore(place)) as answers:
        for name in ("light", "dark", "lost"):
            answers.keep("local", f"id-{name}", "{}", served_as(record, name).to_json())
    result = stale(place, "--corpus", "light=first", "--corpus", "dark=second", "--json")
    assert result.exit_code == 3
    assert [json.loads(line)["place"].rpartition("id-")[2] for line in result.stdout.splitlines()] == ["dark of local"]
    assert "answer id-lost of local and others over the same corpus: there is no index at lost" in result.stderr
    assert len(stale(place, "--corpus", "second", "--json").stdout.splitlines()) == 3
    assert len(stale(place, "--corpus", "second", "--corpus", "light=first", "--json").stdout.splitlines()) == 2
    twice = stale(place, "--corpus", "first", "--corpus", "second")
    assert (twice.exit_code, "--corpus is given twice" in twice.output) == (1, True)


def test_all_answers_are_looked_through_however_many_there_are_and_what_is_no_record_is_told(postgres):
    place = postgres.place()
    line = records()[0].to_json()
    write(engineer="Nothing is left.")
    sync()
    with closing(PostgresAnswerStore(place)) as answers:
        answers.check()
        values = ",".join(f"('o{number % 3}', 'id-{number:04}', '{{}}', %s)" for number in range(250))
        answers._database.run(f"INSERT INTO hopweave_answers VALUES {values}", [line.encode()] * 250)
        answers._database.run("UPDATE hopweave_answers SET record = '\\xff' WHERE id = 'id-0007'")
        answers._database.run("UPDATE hopweave_answers SET record = '{' WHERE id = 'id-0008'")
    result = stale(place, "--json")
    assert len({json.loads(line)["place"] for line in result.stdout.splitlines()}) == 248
    assert "answer id-0007 of o1: it is not UTF-8" in result.stderr
    assert "answer id-0008 of o2: not a record" in result.stderr
    assert all(Record.from_json(line).question.text in one for one in result.stdout.splitlines())


def test_a_database_without_answers_or_that_is_down_is_one_clear_error(postgres, monkeypatch):
    empty = postgres.place()
    result = stale(empty)
    assert result.exit_code == 1
    assert "no answers are kept at postgres://" in result.stderr
    assert result.stderr.rstrip().endswith("give the address that hopweave serve --answers has")
    assert postgres.run(f"SELECT count(*) FROM pg_tables WHERE schemaname = '{empty.rpartition('%3D')[2]}'") == [(0,)]
    down = stale("postgres://127.0.0.1:9/x")
    assert (down.exit_code, down.stderr.count("\n")) == (1, 1)
    assert "cannot reach the answers at postgres://127.0.0.1:9/x" in down.stderr
    secret = stale("postgres://me:word-of-honour@127.0.0.1:9/x")
    assert secret.exit_code == 1
    assert "contains a password" in secret.stderr
    assert "honour" not in secret.output


@pytest.mark.slow
def test_a_corpus_on_a_server_is_compared_as_a_folder_is():
    with ElasticServer() as elastic:
        address = f"{elastic.address}#wiki"
        with closing(load("retrievers", "elasticsearch")(address)) as engine:
            engine.build([Passage("engineer.txt", ENGINEER), Passage("lamp.txt", LAMP), Passage("x", "X.", access=("board",))])
        keep(*records(corpus=address, retriever="elasticsearch"))
        assert stale("answers.jsonl").output == "0 stale of 4 answers with 4 citations\n"
        with closing(load("retrievers", "elasticsearch")(address)) as engine:
            engine.update(upsert=[Passage("engineer.txt", ENGINEER.replace("Port Merrow", "Kiel"))])
        result = stale("answers.jsonl", "--json")
        assert [json.loads(line)["question"]["text"] for line in result.stdout.splitlines()] == [next(iter(ASKED))]
        with closing(load("retrievers", "elasticsearch")(address)) as engine:  # the user who asked may not see it any more
            engine.update(upsert=[Passage("lamp.txt", LAMP, access=("board",))])
        assert len(stale("answers.jsonl", "--json").stdout.splitlines()) == 2
        with elastic.failing("503", path="_search"):
            failed = stale("answers.jsonl", "--set", "retrievers.elasticsearch.max_attempts=2")
        assert failed.exit_code == 1
        assert f"elasticsearch at {address} failed" in failed.stderr
        assert failed.stderr.count("\n") == 1
