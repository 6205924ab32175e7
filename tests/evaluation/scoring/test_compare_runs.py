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
from hopweave.core.types import GoldSentence, Passage
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.compare import again, compare
from hopweave.evaluation.scoring.comparisons import keep_comparisons, kept_comparisons, outdated, sibling_run
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


def changed(**gold):
    return [replace(one, gold=replace(one.gold, **gold)) for one in QUESTIONS]


def test_runs_with_other_gold_answers_are_refused_with_the_first_question_that_differs(tmp_path):
    run = run_of(tmp_path / "one", {0})
    more = [*QUESTIONS[:3], *changed(answers=("Ulm", "Bonn"))[3:]]
    with pytest.raises(DataError, match="question 'q3' of 'hotpotqa' has other gold answers in the run two; compare runs on"):
        compare(run, ["cover_em"], further=[run_of(tmp_path / "two", {0}, questions=more)])
    labels = [replace(one, question=replace(one.question, labels=("Yes", "No"))) for one in QUESTIONS]
    for number, (questions, reason) in enumerate(
        [
            (labels, "has other labels"),
            ([replace(one, question=replace(one.question, form="long")) for one in QUESTIONS], "has another form of answer"),
            ([replace(one, question=replace(one.question, pinned=(Passage("p", "x"),))) for one in QUESTIONS], "other pinned"),
        ]
    ):
        with pytest.raises(DataError, match=reason):
            compare(run, ["calls"], further=[run_of(tmp_path / f"three{number}", {0}, questions=questions)])


def test_what_changes_no_score_may_differ_between_runs(tmp_path):
    run = run_of(tmp_path / "one", {0}, questions=changed(answers=("Ulm", "Neu-Ulm"), passage_ids=("p", "q")))
    others = [
        replace(one, question=replace(one.question, family="multi_hop", dataset="hotpotqa"), traits={"hops": 2})
        for one in changed(answers=("Neu-Ulm", "Ulm"), passage_ids=("q", "p"), sentences=(GoldSentence("p", 0, 1),))
    ]
    two = run_of(tmp_path / "two", {0}, questions=others)
    assert compare(run, ["citations"], further=[two])


def test_other_gold_evidence_matters_to_metrics_that_may_look_at_it(tmp_path):
    run = run_of(tmp_path / "one", {0}, questions=changed(passage_ids=("p",)))
    two = run_of(tmp_path / "two", {0}, questions=changed(passage_ids=("q",)))
    for what in ("cover_em", "calls"):
        assert compare(run, [what], further=[two])
    with pytest.raises(DataError, match="question 'q0' of 'hotpotqa' has other gold passages in the run two"):
        compare(run, ["paragraph_recall"], further=[two])


def test_runs_whose_datasets_are_scored_by_other_official_scripts_are_refused_unless_the_option_is_given(tmp_path):
    run = run_of(tmp_path / "one", {0})
    records = [answered(one, "Ulm") for one in QUESTIONS]
    two = made(tmp_path / "two", {"hotpotqa": ("jsonl", QUESTIONS)}, {("hotpotqa", "direct"): records})
    assert compare(run, ["cover_em"], further=[two])
    with pytest.raises(
        DataError, match="f1 on 'hotpotqa' is by variant = its default in the run two, here by hotpotqa, as the"
    ):
        compare(run, ["f1"], further=[two])
    assert compare(run, ["f1"], further=[two], options={"f1": {"variant": "squad"}})


def test_a_table_is_out_of_date_when_the_records_of_a_further_run_next_to_it_have_changed(tmp_path):
    small, large = run_of(tmp_path / "small", {0}), run_of(tmp_path / "large", {1}, questions=QUESTIONS[:11], llm=LARGE)
    (table,) = compare(small, ["cover_em"], further=[large])
    assert outdated(small, [table]) == []
    large.add("hotpotqa", "direct", answered(QUESTIONS[0], "Ulm"))
    assert outdated(small, [table]) == [(table, ["large:hotpotqa/direct"])]
    shutil.rmtree(large.path)
    assert outdated(small, [table]) == []


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
    commands = "hopweave compare small --metrics cover_em.cover_em --baseline direct --with large --methods large:direct"
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
