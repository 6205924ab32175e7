"""`--check more`: which commands have it, and from a run with it to a calibration that is used."""

import json
from pathlib import Path

import pytest
from support.commands import assert_one_line, ran

from hopweave.core.types import Passage
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.record.confidence import Calibration
from hopweave.record.signals import CHECKED
from hopweave.retrieval.engines.bm25 import BM25

NUM = 40
ASKED = "Which river runs through town 3?"
RULES = """
[[rules]]
match = "If no fact states it"
say = ['{"fact": 1, "answer": "the Nith"}', '{"fact": 0, "answer": ""}']

[[rules]]
match = "(?s)."
say = "So the answer is: the Nith."
"""


@pytest.fixture(autouse=True)
def scene(own_folders):
    """A corpus of towns, half of which have another river than the model says."""
    rivers = ["the Nith" if number % 2 else "the Orl" for number in range(NUM)]
    towns = [f"The river that runs through town {number} is {river}." for number, river in enumerate(rivers)]
    BM25.build(Path("index"), [Passage(f"t{number}", text, f"Town {number}") for number, text in enumerate(towns)])
    rows = [
        {"id": f"q{number}", "question": f"Which river runs through town {number}?", "answer": river}
        for number, river in enumerate(rivers)
    ]
    Path("questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("rules.toml").write_text(RULES)
    Path("hopweave.toml").write_text(
        'llm = "scripted"\ncorpus = "index"\nretriever = "bm25"\nmethod = "direct_retrieval"\n'
        '[llms.scripted]\nrules_file = "rules.toml"\n[store]\nmode = "off"\n'
    )


@pytest.mark.parametrize("command", ["ask", "chat", "evaluate", "serve", "mcp", "again"])
def test_every_command_that_asks_has_the_option(command):
    assert "--check" in ran(command, "--help", exit_code=0, COLUMNS="120").output


def test_a_command_that_asks_nothing_does_not_have_it():
    assert "--check" not in ran("search", "--help", exit_code=0, COLUMNS="120").output


def test_the_option_is_the_setting_of_that_name():
    for flags in (["--check", "more"], ["--set", "check=more"]):
        record = json.loads(ran("ask", ASKED, *flags, "--json", exit_code=0).output)
        assert record["setup"]["settings"]["check"] == "more"
        assert record["steps"][-1]["label"] == "check"
    assert json.loads(ran("ask", ASKED, "--json", exit_code=0).output)["setup"]["settings"]["check"] == "free"
    shown = " ".join(ran("ask", ASKED, "--check", "more").stdout.split())
    assert "read again, all at once: the same answer" in shown
    assert ran("ask", ASKED, "--check", "most").exit_code == 2


def test_a_checked_run_makes_a_calibration_that_needs_checks_and_is_used_with_them():
    given = ["--dataset", "jsonl", "--path", "questions.jsonl", "--methods", "direct_retrieval"]
    ran("evaluate", "--out", "run", *given, "--check", "more", exit_code=0)
    records = [*RunFolder.open(Path("run")).records("jsonl", "direct_retrieval")]
    assert len(records) == NUM
    assert {record.setup.settings["check"] for record in records} == {"more"}
    resumed = ran("evaluate", "--out", "run", *given)
    assert_one_line(resumed, 'settings.check was "more", is now "free"')
    ran("calibrate", "run", "--out", "c.json", exit_code=0)
    made = Calibration.read(Path("c.json"))
    assert made.weights.keys() > CHECKED.keys()
    flags = ["ask", ASKED, "--set", "calibration=c.json"]
    verdict = json.loads(ran(*flags, "--check", "more", "--json", exit_code=0).output)["answer"]["verdict"]
    assert 0 < verdict["confidence"] < 1
    assert_one_line(ran(*flags), "--check more")
