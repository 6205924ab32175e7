"""A question that failed counts as wrong wherever answers are judged: in means, pairs, frontiers, analyses and reports."""

import csv
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
from support.part_files import hopweave_says
from support.parts import look_for_parts_again
from support.questions import RULES, put_model, put_questions
from support.runs import answered, asked, made, result_of, row_of
from support.scored import cell_of, summary_of
from support.small_run import Told, example, make_run, record, told

from hopweave.core.catalog import entries, load
from hopweave.core.types import Column, Gold, Passage
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.compare import compare
from hopweave.evaluation.scoring.results import Interval
from hopweave.evaluation.scoring.score import OpenMetric
from hopweave.evaluation.scoring.summary import read_summary

NUM, NUM_BROKEN = 60, 43
PLUGIN = f"""
from dataclasses import dataclass
from hopweave.core.types import Answer

@dataclass(frozen=True, slots=True)
class Flaky:
    '''Answers without a single call, and breaks on most questions.'''

    async def answer(self, question, workbench):
        if int(question.id[1:]) < {NUM_BROKEN}:
            raise RuntimeError("not today")
        return Answer("the Nith", "the Nith")
"""
WRONG_ON_SOME = f'[[rules]]\nfind = "town 5"\nsay = "So the answer is: the Esk."\n\n{RULES}'


@pytest.fixture
def scene(own_folders, tmp_path, monkeypatch):
    """Sixty questions, a model that is wrong on some, and a method of another package that raises on most of them."""
    monkeypatch.syspath_prepend(str(tmp_path))
    put_model(WRONG_ON_SOME)
    put_questions(NUM)
    Path("flaky.py").write_text(PLUGIN)
    info = Path("flaky-1.dist-info")
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: flaky\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[hopweave.methods]\nflaky = flaky:Flaky\n")
    look_for_parts_again()
    yield
    look_for_parts_again()


def rows_of(name):
    with Path("run/report", name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_a_method_that_raises_on_43_of_60_questions_has_60_in_its_mean_and_is_on_no_frontier(scene):
    questions = ("--dataset", "jsonl", "--path", "questions.jsonl")
    hopweave_says("evaluate", *questions, "--methods", "direct,cot,flaky", "--out", "run", "--parallel", 1)
    hopweave_says("score", "run", "--metrics", "cover_em,tokens,calls,seconds")
    hopweave_says("compare", "run", "--metrics", "cover_em", "--baseline", "direct")
    hopweave_says("report", "run")
    (mean,) = [row for row in rows_of("results.csv") if (row["method"], row["column"]) == ("flaky", "cover_em")]
    assert (mean["scored"], mean["failed"]) == ("60", "43")
    assert (float(mean["mean"]), float(mean["answered_only"])) == (pytest.approx(17 / 60), 1.0)
    places = [row for row in rows_of("frontier.csv") if row["method"] == "flaky"]
    assert {row["cost"] for row in places} >= {"total_tokens", "llm_calls"}
    assert {row["on_the_frontier"] for row in places} == {"no: 43 of 60 failed"}
    assert any(row["on_the_frontier"] == "yes" for row in rows_of("frontier.csv"))
    (pair,) = [row for row in rows_of("comparison.csv") if row["method"] == "flaky"]
    assert (pair["pairs"], pair["failed"], pair["says"]) == ("60", "43", "worse")
    assert float(pair["answered_only"]) > 0 > float(pair["difference"])
    hopweave_says("verify", "run")


def test_a_failed_question_counts_as_the_worst_of_a_column_whichever_way_is_better(tmp_path):
    @dataclass(frozen=True, slots=True)
    class Slips(Told):
        columns: ClassVar = {"told": Column("slips", better="lower", high=5.0)}

    run = make_run(tmp_path / "run", {"a": ["x", None]})
    mean = cell_of(run, [OpenMetric("slips", metric=Slips({"x": 1.0}))]).means["told"]
    assert (mean.value, mean.num_scored, mean.num_failed, mean.answered) == (3.0, 2, 1, 1.0)
    assert mean.bounds == Interval(0.5, 3.0)


def test_where_no_value_is_the_worst_a_failed_question_is_left_out_and_counted(tmp_path):
    @dataclass(frozen=True, slots=True)
    class Longest(Told):
        columns: ClassVar = {"told": Column("length", better="lower", high=float("inf"))}

    run = make_run(tmp_path / "run", {"a": ["x", None]})
    mean = cell_of(run, [OpenMetric("longest", metric=Longest({"x": 1.0}))]).means["told"]
    assert (mean.value, mean.num_scored, mean.num_failed, mean.num_unscored, mean.bounds) == (1.0, 1, 0, 1, None)


def test_a_failed_question_without_the_gold_that_a_metric_needs_is_no_data_and_never_0(tmp_path):
    first, second = asked("a", passage_ids=["p"]), asked("b", passage_ids=[])
    found = [Passage("p", "Ulm.")]
    cells = {("musique", "oner"): [answered(first, "Ulm", found=found), answered(second, error="gone")]}
    run = made(tmp_path / "run", {"musique": ("musique", (first, second))}, cells)
    cell = cell_of(run, ["paragraph_recall", "cover_em"], "oner")
    recall = cell.means["paragraph_recall"]
    assert (recall.value, recall.num_scored, recall.num_failed, recall.num_no_data) == (1.0, 1, 0, 1)
    assert cell.means["cover_em"].value == 0.5


def test_a_failed_question_of_a_method_that_never_searches_has_no_recall_either(tmp_path):
    first, second = asked("a", passage_ids=["p"]), asked("b", passage_ids=["p"])
    cells = {("musique", "direct"): [answered(first, "Ulm"), answered(second, error="gone")]}
    run = made(tmp_path / "run", {"musique": ("musique", (first, second))}, cells, retriever="")
    recall = cell_of(run, ["paragraph_recall"], "direct").means["paragraph_recall"]
    assert (recall.value, recall.num_no_data) == (None, 2)


def test_where_a_metric_breaks_on_every_answer_a_failed_question_is_no_zero(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["x", None]})
    mean = cell_of(run, [told(x=ValueError("broken"))]).means["told"]
    assert (mean.value, mean.num_scored, mean.num_unscored) == (None, 0, 2)


@pytest.mark.parametrize("name", [one for one in entries("metrics") if hasattr(load("metrics", one), "applies_to")])
def test_a_metric_that_is_selective_has_no_value_where_it_does_not_apply(name):
    metric = load("metrics", name)()
    bare = replace(example(0), gold=Gold(()))
    assert not metric.applies_to(bare)
    assert metric.score(record(bare), bare) == {}


def test_analyse_and_score_take_a_value_through_one_path_and_both_refuse_one_out_of_range(tmp_path, monkeypatch):
    from hopweave.evaluation.metrics.cover_em import CoverEM

    monkeypatch.setattr(CoverEM, "score", lambda self, record, example: {"cover_em": 7.0})
    questions = [asked(name) for name in "ab"]
    cells = {("hotpotqa", "searchain"): [answered(one, "Ulm") for one in questions]}
    run = made(tmp_path / "run", {"hotpotqa": ("hotpotqa", questions)}, cells)
    result = result_of("searchain_table1", run)
    row = row_of(result, "hotpotqa", "SearChain")
    assert (row.values["accuracy"], row.num, row.num_unscored) == (None, 0, 2)
    assert any("its cover_em is 7.0, outside of 0 to 1" in note for note in result.notes)
    mean = cell_of(run, ["cover_em"], "searchain").means["cover_em"]
    assert (mean.value, mean.num_unscored) == (None, 2)


def test_the_f1_of_hotpotqa_is_by_its_own_rule_in_score_compare_and_analyse(tmp_path):
    question = asked("a", ["yes"])
    other = asked("b", ["Ulm"])
    answers = [answered(question, "yes it is"), answered(other, "in Ulm")]
    cells = {(label, method): answers for label in ("hotpotqa", "musique") for method in ("direct", "cot")}
    run = made(tmp_path / "run", {name: (name, (question, other)) for name in ("hotpotqa", "musique")}, cells)
    summary = summary_of(run, ["f1"])
    means = {cell.dataset: cell.means["f1"].value for cell in summary.cells if cell.method == "direct"}
    assert means == {"hotpotqa": pytest.approx(1 / 3), "musique": pytest.approx(7 / 12)}
    assert summary.official == {"hotpotqa": {"f1": {"variant": "hotpotqa"}}}
    tables = {table.dataset: table for table in compare(run, ["f1.f1"])}
    assert tables["hotpotqa"].rows[0].mean == pytest.approx(1 / 3)
    again = summary_of(run, ["f1"], {"f1": {"variant": "squad"}})
    assert again.cells[0].means["f1"].value == pytest.approx(7 / 12)
    assert again.official == {}


@pytest.mark.slow
def test_the_scores_that_are_read_back_count_failed_questions_as_those_that_were_written(tmp_path):
    make_run(tmp_path / "run", {"a": ["1874", None, "1875"], "b": ["1874", "1874", "1874"]})
    hopweave_says("score", tmp_path / "run")
    run = RunFolder.open(tmp_path / "run")
    ((row,), *_) = [table.rows for table in compare(run)]
    cells = {cell["method"]: cell["means"]["cover_em"]["value"] for cell in read_summary(run)["cells"]}
    assert (row.baseline_mean, row.mean) == (cells["a"], cells["b"]) == (pytest.approx(1 / 3), 1.0)
