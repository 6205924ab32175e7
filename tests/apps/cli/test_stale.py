"""`hopweave stale`: what it prints, and how it ends."""

import json
from functools import partial
from pathlib import Path

import pytest
from run.test_staleness import ASKED, ENGINEER, LAMP, edit, keep_all, sync, write
from support.commands import ran


@pytest.fixture(autouse=True)
def scene():
    """Four kept answers over two documents."""
    write(engineer=ENGINEER, lamp=LAMP)
    sync()
    keep_all()


stale = partial(ran, "stale")


def test_nothing_stale_ends_well():
    result = stale("answers.jsonl")
    assert (result.exit_code, result.output) == (0, "0 stale of 4 answers with 4 citations\n")


def test_old_words_and_new_ones_are_printed_with_how_the_claim_stands():
    edit("Port Merrow", "Kiel")
    result = stale("answers.jsonl")
    assert result.exit_code == 3
    assert result.stdout.splitlines() == [
        "answers.jsonl, line 1: Where was Ines Halloran born?",
        "  answer: Port Merrow; was supported, now unsupported",
        "  claim 1: Where was Ines Halloran born? → Port Merrow; was supported, now unsupported",
        "    [1] engineer.txt changed",
        "      was: She was born in Port Merrow.",
        "      now: She was born in Kiel.",
        "1 stale of 4 answers with 4 citations",
    ]


def test_json_is_a_line_for_each_stale_answer_and_nothing_else():
    Path("docs/engineer.txt").unlink()
    sync()
    result = stale("answers.jsonl", "--json")
    assert (result.exit_code, result.stderr) == (3, "")
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert [one["question"]["text"] for one in told] == list(ASKED)[:3]
    [claim] = told[0]["claims"]
    assert claim["support"] == {"was": "supported", "now": "unsupported"}
    cited = {"mark": 1, "passage_id": "engineer.txt", "start": 54, "end": 82, "quote": "She was born in Port Merrow."}
    assert claim["citations"][0] == cited | {"what": "vanished", "now": "", "now_in": "", "in_title": False}


def test_what_could_not_be_checked_is_a_failure_though_nothing_is_stale():
    with Path("answers.jsonl").open("a") as file:
        file.write('{"schema": ')
    result = stale("answers.jsonl")
    assert result.exit_code == 1
    assert result.stderr.startswith("not checked: answers.jsonl, line 5: not a record")
    assert "0 stale of 4 answers" in result.stdout
    result = stale("nothing.jsonl")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1


def test_another_corpus_can_be_named():
    Path("index").rename("elsewhere")
    assert "there is no index at index" in stale("answers.jsonl").stderr
    assert stale("answers.jsonl", "--corpus", "elsewhere").exit_code == 0
