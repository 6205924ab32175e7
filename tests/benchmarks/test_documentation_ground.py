"""The documentation ground: what its questions are like, and that a question without its answer is found out."""

import json
import sys
import tomllib
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from hopweave.core.catalog import load

sys.path.append(str(Path(__file__).parents[2] / "benchmarks" / "documentation"))

import fetch

GROUND = fetch.HERE
RETRIEVAL_ALONE = "choose-more"
KINDS = {"option", "number", "version", "date", "person", "name", "licence", "file", "yes_no", "comparison"}


@pytest.fixture
def corpus(tmp_path):
    """Two pages: one names a program, the other its port."""
    (tmp_path / "a.html").write_text("<html><body><p>The lamp is lit by <b>carrowd</b>.</p></body></html>")
    (tmp_path / "b.txt").write_text("carrowd listens on port 1839 and keeps 40 lines.\n")
    return tmp_path


def row(type_, answers, **traits):
    return {"id": "q", "question": "?", "answers": answers, "type": type_, "traits": traits}


@pytest.mark.parametrize("half", fetch.HALVES)
class TestQuestions:
    def test_they_are_a_dataset_of_at_least_forty_whose_ids_differ(self, half):
        examples = list(load("datasets", "jsonl")(path=GROUND / f"{half}.jsonl").examples())
        assert len(examples) >= 40
        assert len({example.question.id for example in examples}) == len(examples)
        assert len({example.question.text for example in examples}) == len(examples)

    def test_every_type_and_kind_is_there(self, half):
        rows = fetch.questions(half)
        types = Counter(row["type"] for row in rows)
        assert set(types) == {"look_up", "two_files"} | ({fetch.UNANSWERABLE} if half != RETRIEVAL_ALONE else set())
        assert min(types.values()) >= 8
        assert {row["traits"]["kind"] for row in rows} >= KINDS - ({"licence"} if half == RETRIEVAL_ALONE else set())

    def test_every_question_that_has_an_answer_names_its_files_and_the_others_none(self, half):
        packages = {chosen.package for chosen in fetch.chosen_files(half)}
        for one in fetch.questions(half):
            files = fetch.files_of(one)
            assert bool(files) == (one["type"] != fetch.UNANSWERABLE), one["id"]
            assert {file.partition("/")[0] for file in files} <= packages, one["id"]
            assert one["type"] != "two_files" or len(files) >= 2, one["id"]
            if "stated" in one["traits"]:
                assert len(one["traits"]["stated"].split(fetch.SEPARATOR)) == len(files), one["id"]

    def test_yes_or_no_and_comparisons_say_what_their_files_must_state(self, half):
        for one in fetch.questions(half):
            is_derived = one["type"] != fetch.UNANSWERABLE and one["traits"]["kind"] in {"yes_no", "comparison"}
            assert not is_derived or "stated" in one["traits"], one["id"]


def test_the_halves_share_no_package_and_no_file():
    halves = tomllib.loads((GROUND / "packages.toml").read_text("utf-8"))
    packages = [{one["package"] for one in halves[half]} for half in fetch.HALVES]
    named = [{file for one in fetch.questions(half) for file in fetch.files_of(one)} for half in fetch.HALVES]
    for one, other in combinations(range(len(fetch.HALVES)), 2):
        assert not packages[one] & packages[other]
        assert not named[one] & named[other]


def test_a_look_up_holds_only_if_each_of_its_files_states_an_answer(corpus):
    assert fetch.problems(row("look_up", ["1839"], files="b.txt"), corpus) == []
    (problem,) = fetch.problems(row("look_up", ["1839"], files="b.txt a.html"), corpus)
    assert str(problem) == "q: a.html does not state '1839'"
    (problem,) = fetch.problems(row("look_up", ["4", "four"], files="b.txt"), corpus)
    assert str(problem) == "q: b.txt does not state '4' or 'four'"
    assert fetch.problems(row("look_up", ["1839"], files="gone.txt"), corpus)


def test_two_files_hold_if_the_last_states_the_answer_or_each_its_own_text(corpus):
    assert fetch.problems(row("two_files", ["port 1839"], files="a.html b.txt"), corpus) == []
    assert fetch.problems(row("two_files", ["yes"], files="a.html b.txt", stated="lit by carrowd | 40 lines"), corpus) == []
    (problem,) = fetch.problems(row("two_files", ["yes"], files="a.html b.txt", stated="lit by hand | 40 lines"), corpus)
    assert problem.file == "a.html"


def test_what_cannot_be_answered_always_holds(corpus):
    assert fetch.problems(row(fetch.UNANSWERABLE, ["not stated"]), corpus) == []


def test_questions_that_do_not_hold_are_left_out(corpus, tmp_path):
    rows = [row("look_up", ["1839"], files="b.txt"), row("look_up", ["1840"], files="b.txt") | {"id": "other"}]
    found = fetch.check(rows, corpus, tmp_path / "questions.jsonl")
    assert [problem.question for problem in found] == ["other"]
    assert [json.loads(line)["id"] for line in (tmp_path / "questions.jsonl").read_text().splitlines()] == ["q"]


def test_names_in_the_corpus_end_in_a_format_that_is_indexed():
    names = ("man1/ls.1.gz", "mod/core.html.en", "NEWS.md.gz", "copyright")
    assert [str(fetch.name_in_corpus(Path(name))) for name in names] == [
        "man1/ls.1.txt",
        "mod/core.html",
        "NEWS.md",
        "copyright.txt",
    ]
