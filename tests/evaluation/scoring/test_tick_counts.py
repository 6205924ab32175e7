"""Ticks are counted for each cell and each group, and every answer without one has a reason."""

import json
from dataclasses import replace

import pytest
from support.scored import summary_of
from support.small_run import example
from support.worked import claimed, quoted, rated, worked
from typer.testing import CliRunner

from hopweave.apps.cli import app
from hopweave.core.types import Claim, Passage
from hopweave.evaluation.reports.input import read_report_data
from hopweave.evaluation.reports.report import make_report
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, Plan, RunFolder
from hopweave.evaluation.scoring.results import WithoutTick
from hopweave.evaluation.scoring.ticks import why_no_tick

ULM = Passage("ulm", "Ulm lies on the Danube.")
BELOW = "its confidence is below the threshold"
SAID = [("1874", 0.9), ("1874", 0.8), ("1875", 0.7), ("1874", 0.4), ("1875", 0.3), None]
"""The answer to each question and its confidence; 1874 is right, a tick is given from 0.5 on, and the last question failed."""


@pytest.fixture
def run(tmp_path):
    """A run of one method, whose questions are of two types."""
    made = RunFolder.create(tmp_path / "run", Plan({"lights": DatasetPlan("jsonl")}, {"a": MethodPlan("direct")}))
    examples = [example(number, type="bridge" if number < 4 else "comparison") for number in range(len(SAID))]
    made.keep_examples("lights", examples)
    for asked, said in zip(examples, SAID, strict=True):
        record, _ = rated(said[1], worked(said[0])) if said is not None else worked(error="gone")
        made.add("lights", "a", replace(record, question=asked.question))
    return made


def test_a_cell_and_its_types_are_counted_from_the_records(run):
    summary_of(run, ["risk_coverage", "calibration"], by=["type"], is_kept=True)
    whole, bridge, comparison = read_report_data(run).ticks
    assert (whole.num_questions, whole.num_right, whole.num_ticks, whole.num_ticks_right, whole.num_ticks_wrong) == (
        6,
        3,
        3,
        2,
        1,
    )
    assert whole.risks == (0.0, 0.0, 1 / 3, 1 / 4, 2 / 5)
    assert whole.without == (WithoutTick(BELOW, 2, 1, 1),)
    assert (bridge.value, bridge.num_questions, bridge.num_ticks, bridge.risks) == ("bridge", 4, 3, whole.risks[:4])
    assert (comparison.value, comparison.num_questions, comparison.num_ticks) == ("comparison", 2, 0)
    assert comparison.interval is None
    assert comparison.without == (WithoutTick(BELOW, 1, 0, 1),)


def test_score_prints_coverage_ticks_and_areas_with_their_intervals_and_the_report_the_same(run):
    printed = CliRunner().invoke(app, ["score", str(run.path), "--by", "type"])
    assert printed.exit_code == 0, printed.output
    lines = {line.split()[0]: line.split() for line in reversed(printed.output.splitlines()) if line.strip()}
    assert lines["tick"][:3] == ["tick", "a", "0.500"]
    assert lines["ticks_right"][:3] == ["ticks_right", "a", "0.667"]
    assert lines["aurc"][:3] == ["aurc", "a", "0.197"]
    (cell,) = json.loads((run.path / "scores.json").read_text(encoding="utf-8"))["cells"]
    for name in ("tick", "ticks_right", "aurc", "ece", "brier", "auroc"):
        assert lines[name][3:6] == ["too", "few", "questions"], lines[name]  # six
        assert cell["means"][name]["interval"]["low"] <= cell["means"][name]["value"], name
    assert lines["ece"][2] == "0.380"  # gaps of .1, .2, .7, .6 and .3: 1.9 over five answers
    report = make_report(read_report_data(run)).files["report.md"]
    assert "| a | 6 | 3 | 3 | 2 | 0.500 | 0.667 |" in report
    assert "type comparison" in report.partition("## Ticks")[2].partition("\n## ")[0]


def test_a_record_that_the_metric_broke_on_is_in_no_count(run, monkeypatch):
    from hopweave.evaluation.metrics.risk_coverage import RiskCoverage

    honest = RiskCoverage.score

    def score(self, record, example):
        if record.question.id == "q0":
            raise ValueError("it is broken")
        return honest(self, record, example)

    monkeypatch.setattr(RiskCoverage, "score", score)
    summary_of(run, ["risk_coverage"], is_kept=True)
    (whole,) = read_report_data(run).ticks
    assert (whole.num_questions, whole.num_ticks, whole.num_ticks_right) == (5, 2, 1)


def short_of(shortfall):
    claim = Claim("Which town?", "Ulm", "model", "unsupported", (quoted(1, ULM),), shortfall=shortfall)
    return worked("Ulm", ["Ulm"], claims=[claim], passages=[ULM])


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (rated(0.1, worked("Ulm", ["Ulm"])), "its confidence is below the threshold"),
        (rated(0.9, worked("Ulm", ["Ulm"])), ""),
        (worked("Ulm", claims=[claimed("Which town?", "Ulm", quoted(1, ULM))], passages=[ULM]), ""),
        (worked(error="gone"), ""),
        (worked("Ulm", ["Ulm"]), "no claim states it"),
        (worked("", ["Ulm"]), "no answer could be read from the reply"),
        (worked("I do not know.", ["Ulm"]), "it says that the answer is not known"),
        (short_of("subject"), "the sentence that has its words does not name what was asked about"),
        (short_of("kind"), "it is not the kind of answer that was asked for"),
    ],
)
def test_each_answer_without_a_tick_says_why(made, why):
    assert why_no_tick(made[0]) == why
