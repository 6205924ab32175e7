"""`hopweave again`: a kept question asked again with something changed."""

import json
from pathlib import Path

import pytest
from support.commands import assert_one_line, ran

from hopweave.core.types import Passage
from hopweave.record import ModelCall, Record, Search
from hopweave.retrieval.engines.bm25 import BM25

PASSAGES = [
    Passage("lamp", "Carrow Head Light was designed by the engineer Ines Halloran and first lit in 1874.", "Carrow Head Light"),
    Passage("engineer", "Ines Halloran was an engineer of harbours and lights. She was born in Port Merrow.", "Ines Halloran"),
]
RULES = """
[[rules]]
match = "(?s)."
say = "She was born in Port Merrow. So the final answer is Port Merrow."
"""


@pytest.fixture(autouse=True)
def scene(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    BM25.build(tmp_path / "index", PASSAGES)
    Path("rules.toml").write_text(RULES)
    Path("hopweave.toml").write_text(
        'corpus = "index"\nllm = "scripted"\nmethod = "direct_retrieval"\n[llms.scripted]\nrules_file = "rules.toml"\n'
    )
    assert ran("ask", "Where was Ines Halloran born?", "--out", "kept.jsonl", COLUMNS="120").exit_code == 0


def kept(path="kept.jsonl"):
    return [Record.from_json(line) for line in Path(path).read_text().splitlines()]


def step_of(kind):
    return next(step for step in kept()[0].steps if isinstance(step, kind)).id


def test_without_a_change_it_lists_the_steps_that_can_be_changed():
    shown = ran("again", "kept.jsonl", exit_code=0).output
    assert "answer" in shown
    assert "engineer" in shown


def test_an_edited_answer_is_kept_as_a_branch_of_the_record():
    done = ran("again", "kept.jsonl", "--reply", f"{step_of(ModelCall)}=So the final answer is Ulm.", "--out", "kept.jsonl")
    assert done.exit_code == 0, done.output
    first, branch = kept()
    assert branch.branch.of == first.fingerprint
    assert branch.answer.short == "Ulm"
    assert "Changed from an earlier answer" in done.output


def test_a_passage_is_forbidden_and_the_record_printed_as_json():
    done = ran("again", "kept.jsonl", "--forbid", f"{step_of(Search)}=engineer", "--json")
    record = Record.from_json(done.output)
    assert [passage.id for passage in record.passages] == ["lamp"]


def test_changes_are_read_from_a_file():
    Path("changes.json").write_text(json.dumps([{"change": "pin", "step": step_of(Search), "passage": "lamp"}]))
    done = ran("again", "kept.jsonl", "--changes", "changes.json", "--json")
    assert next(step for step in Record.from_json(done.output).steps if isinstance(step, Search)).pinned == ("lamp",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--reply", "Ulm"], "--reply expects STEP=TEXT"),
        (["--query", "x=Ulm"], "--query expects STEP=TEXT"),
        (["--pin", "99=lamp"], "names step 99"),
        (["--changes", "nowhere.json"], "cannot read nowhere.json"),
        (["--reply", "1=Ulm", "--method", "cot"], "made with the method"),
    ],
)
def test_what_cannot_be_changed_is_refused_in_one_line(arguments, message):
    assert_one_line(ran("again", "kept.jsonl", *arguments), message)
