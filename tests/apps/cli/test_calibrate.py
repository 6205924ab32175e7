"""The command that chooses thresholds: its table, what it says of failures and edges, its file, and replay."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hopweave.apps.cli.calibrate import app
from hopweave.core.errors import DataError, RunError, SettingsError

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
    assert "failed and not scored: ModelError (1)" in said
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
    with pytest.raises(RunError, match="nothing could be read: ModelError: the model is gone"):
        run(pairs, rules=rules)


def test_a_second_run_is_answered_from_the_store_and_so_is_a_replay(pairs, rules):
    first = run(pairs, rules=rules).stdout
    assert run(pairs, "--replay", rules=rules).stdout == first
    with pytest.raises(RunError, match="ReplayMiss"):
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
