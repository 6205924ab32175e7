import json
from dataclasses import replace

import pytest
from support.runs import answered, asked
from support.runs import made as made_run
from support.scored import summary_of
from support.small_run import Spent, Told, example, make_run, record, told
from typer.testing import CliRunner

from hopweave.apps.cli import app
from hopweave.core import catalog
from hopweave.core.errors import DataError, MissingExtra, SettingsError
from hopweave.core.types import Column, Question
from hopweave.evaluation.scoring import score as module
from hopweave.evaluation.scoring.compare import compare
from hopweave.evaluation.scoring.results import Interval
from hopweave.evaluation.scoring.score import OpenMetric, became, open_metrics, read_scores, score_run, write_scores
from hopweave.evaluation.scoring.summary import columns_of, metrics_of, read_summary
from hopweave.record import ParseFailure
from hopweave.show.table import short_names


def cell_of(run, metrics, method="a", **more):
    summary = summary_of(run, metrics, **more)
    return next(cell for cell in summary.cells if cell.method == method), summary


def test_a_failed_question_counts_as_the_worst_and_what_is_left_out_is_counted_beside_the_mean(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["x", "y", None, "z", "w", "-"]})
    cell, _ = cell_of(run, [told(x=1.0, y=2.0, z=None, w=ValueError("it is broken"))])
    mean = cell.means["told"]
    assert (mean.value, mean.num_scored, mean.num_failed, mean.num_unscored, mean.num_no_data) == (1.0, 3, 1, 1, 1)
    assert mean.answered == 1.5
    assert mean.bounds == Interval(3 / 4, 23 / 4)
    assert (cell.num_questions, cell.num_records, cell.num_failed) == (6, 5, 1)


def test_a_failed_question_is_scored_only_by_metrics_that_count_what_was_spent(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["x", None]})
    cell, _ = cell_of(run, [told(x=1.0), OpenMetric("spent", metric=Spent())])
    assert (cell.means["told"].answered, cell.means["told"].num_failed) == (1.0, 1)
    assert (cell.means["spent"].num_scored, cell.means["spent"].num_failed, cell.means["spent"].bounds) == (2, 0, None)


def test_a_mean_over_nothing_is_no_data_and_never_0(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["x"], "b": ["-"], "c": [None]})
    metrics = [told()]
    cell, summary = cell_of(run, metrics)
    assert (cell.means["told"].value, cell.means["told"].num_no_data) == (None, 1)
    assert summary.cells[1].means == {}
    assert summary.cells[2].means["told"].answered is None
    assert summary.cells[2].means["told"].bounds == Interval(0.0, 10.0)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (KeyError("gold"), "KeyError"),
        (float("nan"), "outside of 0 to 10"),
        (11.0, "outside of 0 to 10"),
        ({"other": 1.0}, "none of its columns"),
        ({"told": "many"}, "could not convert"),
        ([1.0], "no attribute"),
    ],
)
def test_a_broken_metric_is_a_named_failure_on_that_record_and_the_others_go_on(tmp_path, value, what):
    run = make_run(tmp_path / "run", {"a": ["x", "y"]})
    broken = OpenMetric("broken", metric=Told({"x": value, "y": 1.0} if not isinstance(value, list) else {}))
    if isinstance(value, list):
        broken = OpenMetric("broken", metric=Lists())
    cell, summary = cell_of(run, [broken, OpenMetric("sound", metric=Spent())])
    failure = summary.failures[0]
    assert (failure.where, failure.question_ids[0]) == ("metric broken", "q0")
    assert what in f"{failure.kind}: {failure.message}"
    assert cell.means["spent"].num_scored == 2
    assert cell.means["told"].value in (1.0, None)


class Lists(Told):
    def score(self, record, example):
        return [1.0]


def test_a_metric_that_cannot_be_made_fails_on_every_record_by_name(tmp_path, monkeypatch):
    def load(role, name):
        if name == "f1":
            raise ZeroDivisionError("at import")
        return catalog.load(role, name)

    monkeypatch.setattr(module, "load", load)
    run = make_run(tmp_path / "run", {"a": ["1874", "1874"]})
    metrics, left_out = open_metrics()
    assert left_out.keys() == {"cost"}
    cell, summary = cell_of(run, metrics)
    (failure,) = summary.failures
    assert (failure.where, failure.kind, failure.question_ids) == ("metric f1", "ZeroDivisionError", ("q0", "q1"))
    assert cell.means["cover_em"].value == 1.0
    assert "f1" not in cell.means


def test_a_metric_without_its_library_is_left_out_with_the_reason_unless_it_was_asked_for(monkeypatch):
    def load(role, name):
        if name == "f1":
            raise MissingExtra("numpy", "eval")
        return catalog.load(role, name)

    monkeypatch.setattr(module, "load", load)
    metrics, left_out = open_metrics()
    assert "hopweave[eval]" in left_out["f1"]
    assert "f1" not in {metric.name for metric in metrics}
    with pytest.raises(MissingExtra):
        open_metrics(["f1"])


def test_unknown_metrics_and_options_are_refused_with_the_nearest_name():
    with pytest.raises(SettingsError, match="did you mean 'cover_em'"):
        open_metrics(["cover_rm"])
    with pytest.raises(SettingsError, match="did you mean 'scope'"):
        open_metrics([], {"cover_em": {"scop": "full"}})


def test_the_metrics_that_nobody_named_are_those_that_fit_the_form_of_answer(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["1874"]})
    names = {score.metric for score in score_run(run, open_metrics()[0])}
    assert {"cover_em", "exact_match", "f1", "calls", "failures"} <= names
    assert not {"rouge_l", "label_accuracy"} & names
    assert [score.metric for score in score_run(run, open_metrics(["rouge_l"])[0])] == ["rouge_l"]


def test_what_became_of_a_question_is_told_from_its_record():
    asked = example(0)
    said = record(asked)

    def as_if(**changes):
        return became(replace(said, answer=replace(said.answer, **changes)))

    assert became(said) == "answered"
    assert became(record(asked, error="gone")) == "failed"
    assert as_if(short="I do not know.", text="I do not know.") == "abstained"
    assert as_if(short="", text="NO!", how="empty") == "abstained"
    assert as_if(short="None", text="None") == "abstained"
    (claim,) = said.answer.claims
    assert claim.support == "supported"
    assert as_if(short="None", text="None", claims=(replace(claim, text="None"),)) == "answered"
    assert as_if(short="", text="", how="empty") == "unparsed"
    assert as_if(how="full") == "answered"
    unread = ParseFailure(len(said.steps), None, "final", "no sentence says what the answer is", "1874 perhaps")
    said = replace(said, steps=(*said.steps, unread))
    assert as_if(how="full") == "unparsed"
    assert as_if(how="forced") == "answered"


def test_scores_are_written_in_the_order_of_the_plan_whatever_the_order_of_the_records(tmp_path):
    there = make_run(tmp_path / "there", {"a": ["x", "y"]})
    back = make_run(tmp_path / "back", {"a": ["-", "-"]})
    for made in reversed(list(there.records("lights", "a"))):
        back.add("lights", "a", made)
    metrics = [told(x=1.0, y=2.0)]
    assert score_run(there, metrics) == score_run(back, metrics)


def test_scores_come_back_as_they_were_written(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["x", "y", None, "z"]})
    scores = score_run(run, [told(x=0.1, y=ValueError("line\u2028parted"))])
    write_scores(run, scores)
    assert read_scores(run) == scores
    (tmp_path / "run" / "scores.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match="line 1 is not a score"):
        read_scores(run)


def test_the_last_record_of_a_question_counts(tmp_path):
    run = make_run(tmp_path / "run", {"a": [None]})
    run.add("lights", "a", record(example(0), "x"))
    cell, _ = cell_of(run, [told(x=3.0)])
    assert (cell.num_records, cell.num_failed, cell.means["told"].value) == (1, 0, 3.0)


def test_a_record_of_a_question_that_was_not_drawn_is_refused(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["x"]})
    run.add("lights", "a", record(example(9)))
    with pytest.raises(DataError, match=r"'q9'.*hopweave verify"):
        score_run(run, [told()])


def test_groups_are_cut_by_the_values_of_a_trait_and_those_without_it_stand_apart(tmp_path):
    hops = [2, 3, 3, None]
    run = make_run(
        tmp_path / "run", {"a": ["x", "y", "y", "x"]}, traits=lambda n: {"hops": hops[n]} if hops[n] is not None else {}
    )
    _, summary = cell_of(run, [told(x=1.0, y=4.0)], by=["hops"])
    found = [(group.value, group.cell.num_questions, group.cell.means["told"].value) for group in summary.groups]
    assert found == [(2, 1, 1.0), (3, 2, 4.0), ("", 1, 1.0)]


class Figures(Told):
    combined = {"highest": Column("the highest", high=10.0)}

    def combine(self, values):
        there = [value["told"] for value in values if value]
        if 7.0 in there:
            raise ValueError("seven is not for combining")
        return {"highest": max(there)} if there else {}


def test_the_figures_of_a_whole_cell_are_made_of_what_was_scored(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["x", "y", None, "z"], "b": ["z", "z", "z", "z"]})
    metrics = [OpenMetric("figures", metric=Figures({"x": 2.0, "y": 5.0}))]
    cell, summary = cell_of(run, metrics)
    mean = cell.means["highest"]
    assert (mean.value, mean.num_scored, mean.num_failed, mean.num_no_data) == (5.0, 2, 1, 1)
    assert summary.cells[1].means["highest"].value is None
    assert list(columns_of(metrics)) == ["told", "highest"]


def test_figures_that_cannot_be_combined_are_a_failure_of_the_cell(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["x"]})
    cell, summary = cell_of(run, [OpenMetric("figures", metric=Figures({"x": 7.0}))])
    assert "highest" not in cell.means
    assert cell.means["told"].value == 7.0
    assert [(one.where, one.message, one.question_ids) for one in summary.failures] == [
        ("metric figures", "seven is not for combining", ())
    ]


class CountedFigures(Figures):
    def num_combined(self, values):
        return {"highest": sum(value.get("told") == 5.0 for value in values) if len(values) < 4 else 9}


def test_a_metric_can_say_of_how_many_records_a_figure_is(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["x", "y", None], "b": ["x", "y", "y", "y"]})
    cell, summary = cell_of(run, [OpenMetric("figures", metric=CountedFigures({"x": 2.0, "y": 5.0}))])
    mean = cell.means["highest"]
    assert (mean.value, mean.num_scored, mean.num_failed, mean.num_no_data) == (5.0, 1, 1, 1)
    assert [one.message for one in summary.failures] == ["it gave 9 as the number of records of 'highest', of 4"]


def test_questions_that_another_form_of_answer_is_asked_of_are_not_said_to_be_unanswered(tmp_path):
    examples = [asked("a", form="long"), asked("b", form="long"), asked("c"), asked("d"), asked("e", form="long")]
    records = [answered(one, "Ulm") for one in examples[:4]]
    run = made_run(tmp_path / "run", {"own": ("jsonl", examples)}, {("own", "direct"): records})
    (ranking,) = summary_of(run).rankings
    (ranked,) = ranking.methods
    assert (ranking.column, ranked.num_questions, ranked.num_missing) == ("rouge_l", 2, 1)


@pytest.mark.parametrize("num_recorded", [5, 2])
def test_where_short_answers_and_labels_are_asked_for_the_best_method_is_told_over_both_as_in_a_comparison(
    tmp_path, num_recorded
):
    label = asked("l", ["Yes"], form="label")
    labels = [replace(label, question=Question(f"l{n}", f"Is it {n}?", "label", ("Yes", "No"))) for n in range(3)]
    examples = [*labels, asked("a"), asked("b")]
    records = [answered(one, "Ulm" if one.question.form == "short" else "No") for one in reversed(examples)][:num_recorded]
    cells = {("own", "direct"): records, ("own", "cot"): records}
    run = made_run(tmp_path / "run", {"own": ("jsonl", examples)}, cells)
    (ranking,) = summary_of(run, is_kept=True).rankings
    first = ranking.methods[0]
    assert (ranking.column, first.num_questions, first.num_missing) == ("cover_em", num_recorded, 5 - num_recorded)
    assert first.mean == 2 / num_recorded
    assert [(table.column, table.rows[0].num_pairs) for table in compare(run)] == [("cover_em", num_recorded)]


def test_labels_alone_are_compared_by_their_accuracy(tmp_path):
    label = replace(asked("c", ["Yes"], form="label"), question=Question("c", "Is it c?", "label", ("Yes", "No")))
    run = made_run(tmp_path / "run", {"own": ("jsonl", [label])}, {("own", "direct"): [answered(label, "Yes")]})
    (ranking,) = summary_of(run).rankings
    assert ranking.column == "label_accuracy"


def test_columns_of_one_name_are_told_apart_by_their_metric(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["x"]})
    metrics = [told(x=1.0), OpenMetric("again", metric=Told({"x": 2.0}))]
    cell, _ = cell_of(run, metrics)
    assert {name: mean.value for name, mean in cell.means.items()} == {"told": 1.0, "again.told": 2.0}
    assert list(columns_of(metrics)) == ["told", "again.told"]


def test_a_mean_has_an_interval_around_it_where_there_is_a_spread(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["x", "y"] * 20, "b": ["x"] * 40})
    cell, summary = cell_of(run, [told(x=0.0, y=1.0)])
    interval = cell.means["told"].interval
    assert 0.25 < interval.low < 0.5 < interval.high < 0.75
    assert summary.cells[1].means["told"].interval == Interval(0.0, pytest.approx(0.881, abs=1e-3))


def run_cli(*words):
    return CliRunner().invoke(app, list(map(str, words)))


def test_the_command_prints_the_same_bytes_and_writes_them_again(tmp_path):
    make_run(
        tmp_path / "run",
        {"a": ["1874", "1875", None], "b": ["1874", "I do not know.", "1874"]},
        traits=lambda n: {"hops": n % 2},
    )
    words = ("score", tmp_path / "run", "--by", "hops", "--set", "metrics.cover_em.scope=full")
    first, second = run_cli(*words), run_cli(*words)
    assert first.exit_code == 0
    assert first.output == second.output
    assert "lights, hops 0" in first.output
    assert "no data: label_accuracy, unmapped, majority_baseline, rouge_l" in first.output
    line = next(line for line in first.output.splitlines() if line.startswith("cover_em"))
    assert line.split()[:3] == ["cover_em", "a", "0.333"]
    assert line.split()[6:9] == ["3", "1", "0.500"]
    assert "0.333 to 0.667" in line
    summary = read_summary(module.RunFolder.open(tmp_path / "run"))
    assert [metric.options for metric in metrics_of(summary) if metric.name == "cover_em"] == [{"scope": "full"}]
    lines = (tmp_path / "run" / "scores.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["record"] == "answered"


def test_a_metric_that_failed_is_told_in_words_with_a_count_and_a_message(tmp_path, monkeypatch):
    def score(self, record, example):
        raise DataError("there is no gold; give the questions answers")

    make_run(tmp_path / "run", {"a": ["1874", "1875"]})
    monkeypatch.setattr(catalog.load("metrics", "f1"), "score", score)
    said = run_cli("score", tmp_path / "run", "--metrics", "f1").output
    what = "failed: metric f1 on 2 records of lights, a: something that is needed cannot be read"
    assert f"{what}, such as: there is no gold; give the questions answers\n" in said


def test_long_names_of_methods_lose_their_middle_unless_two_would_read_the_same():
    long, other = "searchain_" + "a" * 40 + "_without_ir", "searchain_" + "a" * 41 + "_without_ir"
    assert short_names(["direct", long]) == {"direct": "direct", long: "searchain_aaaaaaaaaaaa..._without_ir"}
    assert short_names([long, other]) == {long: long, other: other}


def test_the_command_says_in_one_line_what_is_wrong(tmp_path):
    make_run(tmp_path / "run", {"a": ["x"]})
    for words, what in [
        (("score", tmp_path / "none"), "there is no run"),
        (("score", tmp_path / "run", "--metrics", "cover_rm"), "did you mean 'cover_em'"),
        (("score", tmp_path / "run", "--set", "methods.ircot.k=2"), "--set metrics.NAME.OPTION=value"),
    ]:
        done = run_cli(*words)
        assert done.exit_code == 1
        assert what in done.output
        assert len(done.output.splitlines()) == 1
