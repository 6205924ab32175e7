"""Comparisons across runs, such as those of two models."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import ran
from support.part_files import hopweave_says
from support.runs import answered, asked, made

from hopweave.core.errors import DataError, SettingsError
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.compare import again, compare
from hopweave.evaluation.scoring.comparisons import keep_comparisons, kept_comparisons, sibling_run
from hopweave.evaluation.scoring.score import open_metrics, score_run

QUESTIONS = [asked(f"q{number}") for number in range(12)]
LARGE = "openai:https://models.example/v1:large"


def run_of(folder, right, *, questions=QUESTIONS, label="hotpotqa", methods=("direct",), **more):
    records = [answered(one, "Ulm" if number in right else "Bonn") for number, one in enumerate(questions)]
    return made(folder, {label: ("hotpotqa", questions)}, {(label, method): records for method in methods}, **more)


def test_methods_of_a_further_run_join_in_under_its_name_on_the_same_questions(tmp_path):
    small = run_of(tmp_path / "small", {0}, methods=("direct", "cot"))
    large = run_of(tmp_path / "large", set(range(12)), questions=QUESTIONS[:10], llm=LARGE)
    (table,) = compare(small, ["cover_em"], further=[large])
    rows = {row.method: row for row in table.rows}
    assert list(rows) == ["cot", "large:direct"]
    row = rows["large:direct"]
    assert (row.num_pairs, row.num_left_out, row.num_wins, row.num_losses) == (10, 2, 9, 0)
    assert row.says == "better"
    assert [(one.name, one.llm.rpartition(":")[2]) for one in table.runs] == [("", "small"), ("large", "large")]


def test_the_baseline_can_be_of_a_further_run_and_the_methods_be_chosen(tmp_path):
    small, large = run_of(tmp_path / "small", {0}), run_of(tmp_path / "large", set(range(12)), llm=LARGE)
    (table,) = compare(small, ["cover_em"], further=[large], baseline="large:direct", methods=["direct"])
    assert [(row.method, row.says) for row in table.rows] == [("direct", "worse")]
    with pytest.raises(SettingsError, match="did you mean 'large:direct'"):
        compare(small, ["cover_em"], further=[large], baseline="large:drect")


def test_runs_that_asked_other_questions_are_refused(tmp_path):
    run = run_of(tmp_path / "one", {0})
    others = [replace(one, question=replace(one.question, text="Another?")) for one in QUESTIONS]
    changed = run_of(tmp_path / "two", {0}, questions=others)
    with pytest.raises(DataError, match="'q0' of 'hotpotqa' is a different one in the run two"):
        compare(run, ["cover_em"], further=[changed])
    with pytest.raises(DataError, match="the run three has no dataset 'hotpotqa'"):
        compare(run, ["cover_em"], further=[run_of(tmp_path / "three", {0}, label="bridges")])


def test_a_run_is_named_once_and_no_two_are_called_the_same(tmp_path):
    run, large = run_of(tmp_path / "small", {0}), run_of(tmp_path / "large", {0})
    with pytest.raises(SettingsError, match="given twice"):
        compare(run, ["cover_em"], further=[large, large])
    with pytest.raises(SettingsError, match="two runs are called 'large'"):
        compare(run, ["cover_em"], further=[large, run_of(tmp_path / "there" / "large", {0})])


def test_a_kept_table_across_runs_is_computed_again_also_where_both_have_moved(tmp_path):
    small, large = run_of(tmp_path / "here" / "small", {0}), run_of(tmp_path / "here" / "large", {1, 2}, llm=LARGE)
    keep_comparisons(small, compare(small, ["cover_em"], further=[large]))
    shutil.move(tmp_path / "here", tmp_path / "there")
    moved = RunFolder.open(tmp_path / "there" / "small")
    (table,) = kept_comparisons(moved)
    assert again(moved, table, score_run(moved, open_metrics(["cover_em"])[0])) == table


@pytest.mark.slow
def test_the_command_compares_models_reports_and_verifies_and_says_where_the_other_run_is_gone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_of(Path("small"), {0})
    run_of(Path("large"), set(range(12)), llm=LARGE)
    for words in (["score", "small", "--metrics", "cover_em"], ["compare", "small", "--with", "large"], ["report", "small"]):
        said = hopweave_says(*words).output
        assert words[0] != "compare" or f"large:... answered by {LARGE}" in said
    commands = "hopweave compare small --metric cover_em.cover_em --baseline direct --with large --methods large:direct"
    assert commands in Path("small/report/report.md").read_text()
    assert "compare.json" not in ran("verify", "small").output
    table = json.loads(Path("small/compare.json").read_text())["tables"][0]
    assert (table["rows"][0]["method"], table["rows"][0]["says"]) == ("large:direct", "better")
    shutil.rmtree("large")
    assert "not computed again without the run large" in ran("verify", "small").output


@pytest.mark.parametrize("name", ["../elsewhere", "..", ".", "/etc", "a/b"])
def test_the_name_of_a_further_run_leads_nowhere_but_beside_the_run(tmp_path, name):
    run = run_of(tmp_path / "here" / "small", {0})
    run_of(tmp_path / "elsewhere", {0})
    assert sibling_run(run, name) is None
