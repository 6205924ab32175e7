"""From records to a report: five methods on two datasets, answered by a scripted model that fails, refuses and stammers."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import tomllib
from functools import partial
from pathlib import Path

import pytest
from support.evaluation_run import DATASETS, LONG_NAME, METHODS, make_run
from support.scored import summary_of
from typer.testing import CliRunner, Result

from hopweave.apps.cli import report as report_command
from hopweave.core.errors import DataError, SettingsError
from hopweave.evaluation.integrity.manifest import Manifest, RunSession
from hopweave.evaluation.integrity.verify import verify
from hopweave.evaluation.reports.input import read_report_data
from hopweave.evaluation.reports.report import make_report, report_again, write_report
from hopweave.evaluation.reports.reproduce import plan_toml
from hopweave.evaluation.reports.run_summary import WHERES, story_of
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, Plan, RunFolder
from hopweave.evaluation.runs.run_plan import Flags, read_plan
from hopweave.evaluation.scoring import cells, over_datasets, per_cost
from hopweave.evaluation.scoring import frontier as planes
from hopweave.evaluation.scoring.compare import compare
from hopweave.evaluation.scoring.comparisons import keep_comparisons
from hopweave.evaluation.scoring.results import ReportData

NUM = 16
METRICS = ("cover_em", "f1", "label_accuracy", "citations", "risk_coverage", "calls", "tokens", "seconds", "cost")


@pytest.fixture(scope="module", autouse=True)
def few_resamples():
    """Fewer than are usual: what they come to is tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("bootstrap_means", "figure_intervals"):
            patch.setattr(cells, name, partial(getattr(cells, name), num_resamples=200))
        for module in (planes, over_datasets, per_cost):
            patch.setattr(module, "resampled_means", partial(module.resampled_means, num_resamples=200))
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory, few_resamples) -> RunFolder:
    """The run, scored and compared."""
    run = asyncio.run(make_run(tmp_path_factory.mktemp("runs") / "harbours", NUM))
    summary_of(run, METRICS, by=["hops"], is_kept=True)
    keep_comparisons(run, compare(run, num_resamples=200))
    keep_comparisons(run, compare(run, ["f1.f1"], baseline="cot", methods=["oner"], num_resamples=200, seed=7))
    return run


@pytest.fixture
def run(made, tmp_path: Path) -> RunFolder:
    """A copy of it, to be spoilt."""
    shutil.copytree(made.path, tmp_path / "harbours")
    return RunFolder.open(tmp_path / "harbours")


def command(*arguments: object) -> Result:
    result = CliRunner().invoke(report_command.app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.mark.slow
def test_the_command_writes_the_report_into_the_run_or_where_it_is_told(run, tmp_path: Path):
    result = command(run.path)
    assert str(run.path / "report" / "report.html") in result.stdout
    command(run.path, "--out", tmp_path / "elsewhere")

    names = {path.name for path in (run.path / "report").iterdir()}
    assert names >= {"report.md", "report.html", "numbers.json", "results.csv", "results.svg", "comparison.svg", "plan.toml"}
    assert names == {path.name for path in (tmp_path / "elsewhere").iterdir()}
    for name in names:
        assert (run.path / "report" / name).read_bytes() == (tmp_path / "elsewhere" / name).read_bytes()


@pytest.fixture(scope="module")
def data(made) -> ReportData:
    """What the report of the run says."""
    return read_report_data(made)


@pytest.mark.slow
def test_the_same_run_gives_the_same_bytes_wherever_it_lies(made, run):
    assert report_again(made) == report_again(run)


@pytest.mark.slow
def test_every_cell_is_there_with_its_failures_and_none_is_dropped(made, data):
    listed = {(one.dataset, one.method, name) for one in data.failures if one.where == WHERES[0] for name in one.question_ids}
    failed = set()
    assert [(cell.dataset, cell.method) for cell in data.cells] == [(d, m) for d in DATASETS for m in METHODS]
    for cell in data.cells:
        records = list(made.records(cell.dataset, cell.method))
        of_cell = {(cell.dataset, cell.method, record.question.id) for record in records if record.error is not None}
        assert (cell.num_records, cell.num_failed) == (len(records), len(of_cell))
        failed |= of_cell
    assert listed == failed != set()


@pytest.mark.slow
def test_a_metric_that_cannot_be_computed_is_a_named_failure(data):
    found = [one for one in data.failures if one.where == "metric cost"]
    assert {(one.dataset, one.method) for one in found} == {(d, m) for d in DATASETS for m in METHODS}
    assert "no price table" in found[0].message
    assert "no data<br>" in make_report(data).files["report.md"]


@pytest.mark.slow
def test_columns_of_metrics_that_count_failed_records_are_costs(data):
    assert [name for name, column in data.columns.items() if not column.is_cost][:2] == ["cover_em", "f1"]
    assert all(data.columns[name].is_cost for name in ("llm_calls", "total_tokens", "seconds", "cost"))


@pytest.mark.slow
def test_methods_are_compared_by_the_column_of_the_form_of_the_questions(data):
    assert data.primary == {DATASETS[0]: "cover_em", DATASETS[1]: "label_accuracy"}
    assert [(table.dataset, table.name, table.baseline) for table in data.comparisons if table.is_primary] == [
        (DATASETS[0], "cover_em", "direct"),
        (DATASETS[1], "label_accuracy", "direct"),
    ]


def asked_at_a_time(run: RunFolder, *parallel: int | None) -> RunFolder:
    """The run with a manifest of sessions that asked so many questions at a time."""
    sessions = tuple(RunSession("2026-01-01T00:00:00+00:00", "0", "", parallel=number) for number in parallel)
    Manifest("", {}, {}, "", "", {}, {}, {}, sessions=sessions).write(run.path)
    return run


@pytest.mark.slow
def test_quality_is_drawn_against_each_cost_that_there_is_data_for(run):
    tables = read_report_data(asked_at_a_time(run, 1))
    assert [frontier.cost for frontier in tables.frontiers if frontier.dataset == DATASETS[0]] == [
        "total_tokens",
        "llm_calls",
        "seconds",
    ]
    for frontier in tables.frontiers:
        assert {point.method for point in frontier.points} | set(frontier.absent) == set(METHODS)


@pytest.mark.slow
@pytest.mark.parametrize("parallel", [(1,), (1, 0), (0,), (1, 1)])
def test_seconds_of_questions_that_were_asked_alone_need_no_caveat(run, parallel):
    report = make_report(read_report_data(asked_at_a_time(run, *parallel))).files["report.md"]
    assert "--parallel 1" not in report
    assert "cover_em against seconds" in report


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parallel", "says", "fact"),
    [
        ((10,), "up to 10 questions at a time", "10"),
        ((1, 4), "up to 4 questions at a time", "4"),
        ((None, 1), "not recorded", "not recorded"),
    ],
)
def test_seconds_of_questions_side_by_side_carry_their_caveat_and_are_on_no_frontier(run, parallel, says, fact):
    tables = read_report_data(asked_at_a_time(run, *parallel))
    report = make_report(tables).files["report.md"]
    assert ("questions at a time", fact) in tables.facts
    cost = report.partition("## Cost")[2].partition("\n## ")[0]
    assert says in cost
    assert "measure with --parallel 1 for comparable seconds" in cost
    assert [frontier.cost for frontier in tables.frontiers if frontier.dataset == DATASETS[0]] == ["total_tokens", "llm_calls"]
    assert "Nothing is drawn against seconds" in report


@pytest.mark.slow
def test_a_run_that_does_not_say_how_many_it_asked_at_a_time_is_not_taken_to_have_asked_one(data):
    assert "not recorded" in data.caveat_of_seconds


@pytest.mark.slow
def test_two_comparisons_of_one_column_stand_under_keys_of_their_own(run):
    keep_comparisons(run, compare(run, num_resamples=100, seed=3))
    tables = read_report_data(run)
    assert [table.name for table in tables.comparisons if table.dataset == DATASETS[0]] == ["cover_em", "f1", "cover_em, 2"]
    assert sum(table.is_primary for table in tables.comparisons) == 2
    make_report(tables)  # raises where a key has two values


@pytest.mark.slow
def test_comparisons_of_records_that_have_changed_are_refused_with_the_command_that_makes_them_again(run):
    summary_of(run, ["cover_em"], is_kept=True)
    read_report_data(run)
    dataset, method = DATASETS[0], "oner"
    run.add(dataset, method, next(run.records(dataset, method)))
    summary_of(run, ["cover_em"], is_kept=True)
    again = f"hopweave compare {run.path} --metrics cover_em.cover_em --baseline direct --resamples 200"
    with pytest.raises(DataError, match=re.escape(f"{dataset}/{method} are not those that were compared; run again: {again}")):
        read_report_data(run)
    keep_comparisons(run, compare(run, num_resamples=200))
    read_report_data(run)


@pytest.mark.slow
def test_examples_are_answers_with_citations_of_several_methods_and_questions(data):
    examples = data.examples
    assert len(examples) == 5
    assert all(example.record.answer is not None and example.record.answer.citations for example in examples)
    assert {example.method for example in examples} == {"oner", LONG_NAME}
    assert len({(example.dataset, example.record.question.id) for example in examples}) == 5
    assert all(example.gold and example.scores for example in examples)


@pytest.mark.slow
def test_what_was_run_is_told_by_the_records_and_not_by_the_plan_alone(made):
    story = story_of(made)
    by_label = {method.label: method for method in story.methods}
    assert by_label["direct_retrieval"].options["num_passages"] == 3
    assert by_label["direct_retrieval"].options["max_tokens"] == 64  # a default, which no plan names
    assert by_label["direct"].changed == {}
    assert by_label["direct_retrieval"].changed == {"num_passages": 3}
    assert by_label[LONG_NAME].changed == {"complete": False, "theta": 1.5}
    assert dict(story.facts)["retriever"] == "words of the query"
    assert [facts.num_questions for facts in story.datasets] == [NUM, NUM // 2]
    assert story.datasets[0].draw == f"{NUM} with seed 13"


@pytest.mark.slow
def test_of_a_method_that_is_not_installed_every_option_is_shown(made, monkeypatch):
    def gone(role, name):
        raise SettingsError(f"there is no {name}")

    monkeypatch.setattr("hopweave.evaluation.reports.run_summary.load", gone)
    (direct,) = (method for method in story_of(made).methods if method.label == "direct")
    assert direct.changed == direct.options


@pytest.mark.slow
def test_a_change_of_the_model_within_a_run_is_a_caveat(run):
    place = run.records_path(DATASETS[0], "direct")
    first, rest = place.read_text(encoding="utf-8").split("\n", 1)
    data = json.loads(first)
    data["setup"]["llm"] = "another:model"
    place.write_text(f"{json.dumps(data)}\n{rest}", encoding="utf-8")
    assert any("not all of one model" in caveat for caveat in story_of(run).caveats)


@pytest.mark.slow
def test_licence_and_address_come_from_the_dataset_itself(run):
    plan = Plan({DATASETS[0]: DatasetPlan("hotpotqa")}, {"direct": MethodPlan("direct")})
    (facts,) = story_of(RunFolder(run.path, plan)).datasets
    assert (facts.licence, facts.address) == ("CC BY-SA 4.0", "https://hotpotqa.github.io")


@pytest.mark.slow
def test_an_unfinished_cell_is_said_to_be_unfinished(data):
    assert f"Not done: {LONG_NAME} on {DATASETS[1]} has 4 of 8 records." in make_report(data).files["report.html"]


@pytest.mark.slow
def test_a_run_that_is_not_scored_says_what_to_do(run):
    (run.path / "scores.json").unlink()
    with pytest.raises(DataError, match="is not scored yet; run first: hopweave score"):
        command(run.path)


@pytest.mark.slow
def test_a_record_that_came_after_the_scores_is_noticed(run):
    place = run.records_path(DATASETS[0], "direct")
    place.write_text("".join(place.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    with pytest.raises(DataError, match="are not those that were scored"):
        command(run.path)


@pytest.mark.slow
def test_ticks_are_counted_for_each_cell_and_each_group_with_a_reason_for_every_answer_without_one(made, data):
    whole = [one for one in data.ticks if not one.trait]
    assert [(one.dataset, one.method) for one in whole] == [(cell.dataset, cell.method) for cell in data.cells]
    for one in whole:
        records = list(made.records(one.dataset, one.method))
        answered = [record.answer for record in records if record.answer is not None]
        assert one.num_questions == len(records)
        assert one.num_ticks == sum(answer.verdict.has_tick for answer in answered)
        assert sum(reason.num_answers for reason in one.without) == len(answered) - one.num_ticks
        assert data.cell(one.dataset, one.method).means["tick"].value == pytest.approx(one.coverage)
        parts = [part for part in data.ticks if (part.dataset, part.method) == (one.dataset, one.method) and part.trait]
        for name in ("num_questions", "num_right", "num_ticks", "num_ticks_right", "num_ticks_wrong"):
            assert sum(getattr(part, name) for part in parts) == getattr(one, name)
    assert {one.trait for one in data.ticks} == {"", "hops"}
    assert any(one.num_ticks for one in whole)


@pytest.mark.slow
def test_without_the_metric_there_is_no_section_on_ticks(run):
    summary_of(run, ["cover_em"], is_kept=True)
    assert "## Ticks" not in make_report(read_report_data(run)).files["report.md"]


@pytest.mark.slow
def test_a_run_without_comparisons_is_reported_and_the_user_told(run):
    (run.path / "compare.json").unlink()
    result = command(run.path)
    assert "the tables of comparisons are missing" in result.stderr
    assert "## Comparison" not in (run.path / "report" / "report.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_traits_that_were_not_grouped_by_are_named(run):
    summary_of(run, METRICS, is_kept=True)
    assert any("type, hops, level" in note for note in read_report_data(run).notes)


@pytest.mark.slow
def test_a_digit_changed_in_the_report_is_found(run):
    write_report(make_report(read_report_data(run)), run.path / "report")
    before = [str(one) for one in verify(run.path).differences if one.file.startswith("report/")]
    page = run.path / "report" / "report.html"
    page.write_text(page.read_text(encoding="utf-8").replace("0.", "9.", 1), encoding="utf-8")
    after = [one for one in verify(run.path).differences if one.file.startswith("report/")]
    assert before == []
    assert after
    assert {one.file for one in after} == {"report/report.html"}


@pytest.mark.slow
@pytest.mark.parametrize("here", ["matplotlib 0.1", ""])
def test_plots_that_another_version_drew_are_held_to_their_hashes_and_the_numbers_are_computed_all_the_same(
    run, monkeypatch, here
):
    write_report(make_report(read_report_data(run)), run.path / "report")
    monkeypatch.setattr("hopweave.evaluation.reports.report.drawn_by", lambda: here)
    found = verify(run.path)
    assert [str(one) for one in found.differences if one.file.startswith("report/")] == []
    assert [line for line in found.unchecked if "the plots of the report, drawn by matplotlib" in line]

    drawing, figures = run.path / "report" / "results.svg", run.path / "report" / "results.csv"
    drawing.write_text(drawing.read_text(encoding="utf-8").replace("0.", "9.", 1), encoding="utf-8")
    figures.write_text(figures.read_text(encoding="utf-8").replace("0.", "9.", 1), encoding="utf-8")
    files = {one.file for one in verify(run.path).differences if one.file.startswith("report/")}
    assert files == {"report/results.svg", "report/results.csv"}


@pytest.mark.slow
def test_the_commands_name_what_was_scored_and_compared(data):
    commands = data.commands
    assert commands[1] == "hopweave evaluate plan.toml --out harbours"
    assert commands[2] == f"hopweave score harbours --metrics {','.join(METRICS)} --by hops"
    assert "hopweave compare harbours --metrics f1.f1 --baseline cot --methods oner --seed 7 --resamples 200" in commands
    assert commands[-2:] == ("hopweave report harbours", "hopweave verify harbours")


@pytest.mark.slow
def test_the_plan_that_is_written_is_the_plan_that_was_run(made, tmp_path: Path):
    (tmp_path / "plan.toml").write_text(plan_toml(made.plan), encoding="utf-8")
    assert read_plan(tmp_path / "plan.toml", Flags()) == made.plan


def test_any_plan_can_be_written_as_toml():
    odd = {'a "b"\n\x7f.c': [1, 2.5, True, None, {"deep": "\u00e4", "none": None}], "empty": {}, "infinite": float("inf")}
    text = plan_toml(Plan({"d": DatasetPlan("jsonl", odd)}, {"m": MethodPlan("direct")}, {"budget": {"max_tokens": 5}}))
    read = tomllib.loads(text)
    assert read["datasets"]["d"]["options"] == {
        'a "b"\n\x7f.c': [1, 2.5, True, {"deep": "\u00e4"}],
        "empty": {},
        "infinite": float("inf"),
    }
    assert read["settings"] == {"budget": {"max_tokens": 5}}
