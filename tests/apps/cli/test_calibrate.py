"""The command that fits confidence and chooses thresholds: what it prints, its files, its refusals, and replay."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from support.small_run import make_run
from typer.testing import CliRunner

from hopweave.apps.cli.calibrate import app
from hopweave.core.errors import DataError, RunError, SettingsError
from hopweave.evaluation.scoring import calibrating
from hopweave.record.confidence import Calibration
from hopweave.record.signals import SIGNALS

ROWS = [
    {"query": "Where is A?", "passage": {"title": "A", "text": "A is in Ulm."}, "answers": ["Ulm"]},
    {"query": "Where is A?", "passage": "B is in Bonn.", "answers": ["Ulm"]},
    {"query": "Where is C?", "passage": "C is in Ulm, too.", "answers": ["Ulm"]},
    {"query": "Where is C?", "passage": "D is in Rome.", "answers": ["Ulm"]},
]
LOGITS = {"A is in Ulm": 4.0, "B is in Bonn": 1.25, "C is in Ulm": 2.0, "D is in Rome": -3.0}


def lines(path: Path, rows: list[dict]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


@pytest.fixture
def pairs(tmp_path) -> Path:
    return lines(tmp_path / "pairs.jsonl", ROWS)


@pytest.fixture
def rules(tmp_path) -> Path:
    """What the model says of each passage, sure of it by the logit above."""
    told = []
    for words, logit in LOGITS.items():
        yes, no = (-math.log1p(math.exp(-value)) for value in (logit, -logit))
        said = f"yes: {words.split()[-1]}" if logit > 0 else "no"
        told.append({"find": words, "say": said, "logprobs": [{"yes": yes, "no": no}]})
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"rules": told}))
    return path


def run(*arguments: object, rules: Path | None = None):
    more = ["--llm", "scripted", "--set", f"llms.scripted.rules_file={rules}"] if rules else []
    return CliRunner().invoke(app, [*map(str, arguments), *more], catch_exceptions=False)


def table(said: str) -> dict[str, list[str]]:
    """The rows of the table by threshold."""
    rows = said.split("highest")[1].split("\n\n", maxsplit=1)[0].splitlines()[1:]
    return {row.split()[0]: row.split()[1:] for row in rows}


def test_the_table_and_the_best_theta_are_those_of_the_readings(pairs, rules):
    said = run(pairs, rules=rules).stdout
    assert "4 pairs read by llm_reader(" in said
    assert "2 positive, 2 negative" in said
    assert table(said) == {
        "1.2": ["0.667", "1.000", "0.800"],  # of equal rows the highest theta is shown
        "1.9": ["1.000", "1.000", "1.000"],
        "3.9": ["1.000", "0.500", "0.667"],
        "4": ["no", "data", "0.000", "0.000"],
    }
    assert "best: theta = 1.9, F1 1.000, 95% interval 1.000 to 1.000 (1,000 bootstrap samples of queries)" in said
    assert "edge" not in said
    assert "--set readers.llm_reader.theta=1.9" in said


def test_another_scale_has_another_range_and_an_edge_is_pointed_out(pairs, rules):
    said = run(pairs, "--start", "-4", "--stop", "-2", "--step", "0.5", rules=rules).stdout
    assert list(table(said)) == ["-3.5", "-2"]
    assert "best: theta = -2, F1 0.800" in said
    assert "it is at the edge of the range" in said


def test_a_limit_takes_the_first_pairs_and_progress_is_told_on_standard_error_only(pairs, rules):
    result = run(pairs, "--limit", 2, rules=rules)
    assert "2 pairs read" in result.stdout
    assert "read 2 of 2" in result.stderr
    assert "of 2" not in result.stdout


def test_what_came_of_each_pair_is_written_with_its_failure(pairs, rules, tmp_path):
    told = json.loads(rules.read_text())["rules"]
    told[1] = {"find": "B is in Bonn", "error": "the model is gone"}
    rules.write_text(json.dumps({"rules": told}))
    said = run(pairs, "--out", tmp_path / "out" / "readings.jsonl", rules=rules).stdout
    assert "failed and not scored: the language model failed (1)" in said
    assert "2 positive, 1 negative" in said
    rows = [json.loads(line) for line in (tmp_path / "out" / "readings.jsonl").read_text().splitlines()]
    assert [row["is_positive"] for row in rows] == [True, False, True, False]
    assert (rows[0]["text"], rows[0]["span"]) == ("Ulm", [8, 11])
    assert rows[0]["confidence"] == pytest.approx(4.0)
    assert rows[1]["error"] == {"kind": "ModelError", "message": "the model is gone"}
    assert "confidence" not in rows[1]


def test_if_nothing_can_be_read_there_is_no_table_but_the_reason(pairs, tmp_path):
    rules = tmp_path / "rules.json"
    rules.write_text('{"rules": [{"find": "is in", "error": "the model is gone"}]}')
    with pytest.raises(RunError, match="nothing could be read: the language model failed: the model is gone"):
        run(pairs, rules=rules)


def test_a_second_run_is_answered_from_the_store_and_so_is_a_replay(pairs, rules):
    first = run(pairs, rules=rules).stdout
    assert run(pairs, "--replay", rules=rules).stdout == first
    with pytest.raises(RunError, match="the store does not hold this call"):
        run(pairs, "--replay", "--set", "readers.llm_reader.max_tokens=39", rules=rules)


def test_a_reader_without_positives_has_no_best_theta(tmp_path, rules):
    path = lines(tmp_path / "pairs.jsonl", [{**row, "answers": ["Oslo"]} for row in ROWS])
    assert "no theta finds a positive pair, so none is best" in run(path, rules=rules).stdout


def test_alpha_is_chosen_without_reader_or_model(tmp_path):
    rows = [
        {"query": "q", "passage": "the cat lay on the mat", "answer": "the cat sat on a mat", "consistent": True},
        {"query": "r", "passage": "one two three four five six", "answer": "one two nine ten eleven", "consistent": False},
        {"query": "s", "passage": "alpha beta", "answer": "beta", "answers": ["gamma"]},
    ]
    said = run(lines(tmp_path / "p.jsonl", rows), "--what", "alpha").stdout
    assert "3 pairs, ROUGE-L precision of answer and passage" in said
    assert "left out, as it is undecidable whether answer and passage agree: 1" in said
    assert list(table(said)) == ["0.35", "0.5"]
    assert "best: alpha = 0.5, F1 1.000" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--what", "alpha"], "alpha compares long answers with passages"),
        (["--step", "0"], "--step"),
        (["--start", "5", "--stop", "1"], "--step"),
        (["--step", "1e-9"], "--step"),
        (["--out", "."], "cannot write to"),
        (["--limit", 0], "--limit must be at least 1"),
    ],
)
def test_what_cannot_be_measured_or_written_is_refused(arguments, said, pairs, rules):
    with pytest.raises((DataError, SettingsError), match=said):
        run(pairs, *arguments, rules=rules)


def a_run(path: Path, num: int = 60, methods: tuple[str, ...] = ("one",), right: tuple[int, ...] = (0, 1)) -> Path:
    """A run of questions, of which those whose number ends so, by three, are right."""
    said = ["1874" if number % 3 in right else "1901" for number in range(num)]
    make_run(path, dict.fromkeys(methods, said))
    return path


def test_a_run_is_calibrated_and_what_is_said_holds_of_the_file(tmp_path):
    to = tmp_path / "c.json"
    said = run(a_run(tmp_path / "run"), "--out", to, "--at-least", "0.5").stdout
    made = Calibration.read(to)
    assert "60 answers with a known answer, 40 of them right" in said
    assert (made.num_labels, made.num_right, made.wanted) == (60, 40, 0.5)
    assert f"expected calibration error {made.ece:.3f}" in said
    assert said.endswith(f"written to {to}; use it with: --calibration {to}\n")
    assert "left out" not in said.replace("of answers left out of the fit", "")


def test_a_tick_and_its_bound_are_said(tmp_path, monkeypatch):
    monkeypatch.setattr(calibrating, "signals_of", lambda record: _signals(record.answer.short == "1874"))
    said = run(a_run(tmp_path / "run"), "--out", tmp_path / "c.json").stdout
    made = Calibration.read(tmp_path / "c.json")
    assert (made.guarantee.num_ticked, made.guarantee.num_right) == (40, 40)
    assert f"a tick for a supported answer from a confidence of {made.threshold:.2f}: 40 answers, 40 of them right" in said
    assert "at least 93% of ticks are right (exact one-sided interval, level 0.95)" in said
    more = run(tmp_path / "run", "--out", tmp_path / "c.json", "--at-least", "0.99").stdout
    assert "that is less than the 99% wanted: label more questions" in more


def _signals(is_sure: bool) -> dict[str, float]:
    return dict.fromkeys(SIGNALS, 1.0) | {"supported": float(is_sure), "rank": float(is_sure)}


def test_methods_of_a_run_are_counted_apart_or_taken_alone(tmp_path):
    path = a_run(tmp_path / "run", methods=("one", "two"))
    assert "120 answers with a known answer, 80 of them right" in run(path, "--out", tmp_path / "c.json").stdout
    assert "60 answers with" in run(path, "--out", tmp_path / "c.json", "--methods", "two").stdout


def test_several_runs_are_fitted_together(tmp_path):
    first, second = a_run(tmp_path / "first", num=20), a_run(tmp_path / "second", num=40)
    assert "60 answers with a known answer" in run(first, second, "--out", tmp_path / "c.json").stdout
    assert Calibration.read(tmp_path / "c.json").num_labels == 60


def test_questions_without_an_answer_are_said_to_be_left_out(tmp_path):
    make_run(tmp_path / "run", {"one": ["1874", "1901", None] * 20})
    said = run(tmp_path / "run", "--out", tmp_path / "c.json").stdout
    assert "40 answers with a known answer, 20 of them right" in said
    assert "left out, as they have no answer or no known one: 20" in said


@pytest.mark.parametrize(
    ("given", "arguments", "said"),
    [
        ({}, [], "name it: hopweave calibrate .* --out FILE.json"),
        ({}, ["--out", "."], "cannot write to"),
        ({}, ["--out", "c.json", "--at-least", "1"], "--at-least is a share between 0 and 1"),
        ({}, ["--out", "c.json", "--methods", "on"], "no method 'on'; did you mean 'one'"),
        ({}, ["--out", "c.json", "--limit", "3"], "--limit has no effect on a run; leave it out"),
        ({"num": 12}, ["--out", "c.json"], "answers with which to calibrate: 12; at least 30 are needed"),
        ({"right": (0, 1, 2)}, ["--out", "c.json"], "all 60 answers are right, .* harder ones"),
        ({"right": ()}, ["--out", "c.json"], "none of 60 answers is right, .* easier ones"),
    ],
)
def test_a_run_that_cannot_be_calibrated_with_says_what_to_do(given, arguments, said, tmp_path):
    path = a_run(tmp_path / "run", **given)
    with pytest.raises((DataError, SettingsError), match=said):
        run(path, *arguments)


def test_a_run_without_known_answers_or_any_answers_says_what_to_do(tmp_path):
    make_run(tmp_path / "run", {"one": ["-"] * 40})
    with pytest.raises(DataError, match=r"no question of the run in .* give the questions known answers"):
        run(tmp_path / "run", "--out", tmp_path / "c.json")


def test_a_run_that_withheld_answers_is_none_to_calibrate_with(tmp_path):
    path = a_run(tmp_path / "run")
    plan = json.loads((path / "plan.json").read_text())
    (path / "plan.json").write_text(json.dumps(plan | {"settings": {"require_support": True}}))
    with pytest.raises(DataError, match=r"withheld answers, .* make another one without require_support"):
        run(path, "--out", tmp_path / "c.json")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["folder", "--out", "c.json"], "there is no run in folder; make one with: hopweave evaluate"),
        (["nothing", "--out", "c.json"], "there is no nothing; give the folder of a run, or a JSONL file of pairs"),
        (["pairs.jsonl", "pairs.jsonl"], "a threshold is chosen on one file of pairs, not on 2; give one of them"),
        (["pairs.jsonl", "--at-least", "0.9"], "--at-least has no effect on pairs"),
        (["pairs.jsonl", "--what", "confidence", "--out", "c.json"], "there is no run in pairs.jsonl"),
    ],
)
def test_what_is_neither_a_run_nor_pairs_is_refused_with_what_to_give(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    lines(Path("pairs.jsonl"), ROWS)
    with pytest.raises((DataError, SettingsError), match=said):
        run(*arguments)
