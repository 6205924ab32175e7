"""What a run shows, in sentences: which method is better, by how much, and that nothing can be concluded where that is so."""

import dataclasses

import pytest
from support.small_run import make_run
from typer.testing import CliRunner

from hopweave.apps.cli import app
from hopweave.core.types import Column
from hopweave.evaluation.reports.conclusions import better_sentences, comparison_sentence, standing_sentences
from hopweave.evaluation.reports.numbers import is_telling
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.paired import Pairing
from hopweave.evaluation.scoring.results import Interval, Ranked, Ranking
from hopweave.show.table import plain_text

RIGHT, WRONG = "1874", "1875"
COLUMN = Column("the answer contains a right answer")


def ranking(**values):
    """The ranking of methods by their values, question by question, the best first."""
    order = [str(place) for place in range(len(next(iter(values.values()))))]
    of_method = {name: Counted(dict(zip(order, map(float, own), strict=True)), column=COLUMN) for name, own in values.items()}
    best_first = dict(sorted(of_method.items(), key=lambda named: -named[1].mean))
    methods = tuple(Ranked(name, one.mean, len(one.values), interval=Interval(0.2, 0.6)) for name, one in best_first.items())
    rows = Pairing("wiki", "cover_em", COLUMN, order, best_first, num_resamples=200).rows_of_best()
    return Ranking("wiki", "cover_em", COLUMN.meaning, "", "higher", methods, rows)


def better(**values):
    return [plain_text(sentence) for sentence in better_sentences(ranking(**values))]


def standing(one):
    return [plain_text(sentence) for sentence in standing_sentences(one)]


def test_how_often_each_method_is_right_is_said_the_best_first():
    one = ranking(a=[0, 1, 0, 0] * 5, b=[1, 1, 1, 0] * 5)
    assert standing(one) == [
        "b is right on 15 of 20 questions (75%), a on 5 (25%).",
        "Right means: the answer contains a right answer (cover_em).",
    ]


def test_a_method_alone_has_its_interval_unless_there_are_too_few_questions():
    alone = ranking(a=[0, 1] * 10)
    assert standing(alone)[0] == "a is right on 10 of 20 questions (50%; 95% interval 20% to 60%)."
    assert (
        standing(ranking(a=[1, 0, 1]))[0]
        == "a is right on 2 of 3 questions (67%; too few questions to expect the same of others)."
    )
    assert better(a=[0, 1] * 10) == []


def test_failed_and_unanswered_questions_are_named():
    one = ranking(a=[0, 1] * 10)
    (method,) = one.methods
    odd = dataclasses.replace(method, num_failed=2, num_missing=1, interval=None)
    said = standing(dataclasses.replace(one, methods=(odd,)))[0]
    assert said == "a is right on 10 of 20 questions (50%; 2 failed; 1 not answered yet)."


def test_a_difference_that_is_hardly_chance_is_said_with_its_interval():
    (said,) = better(a=[0] * 24, b=[1] * 18 + [0] * 6)
    assert said.startswith("b is better than a by 75.0 points (95% interval ")
    assert said.endswith("; p < 0.001).")


def test_a_difference_that_may_be_chance_concludes_nothing():
    (said,) = better(a=[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1], b=[0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1])
    assert said.startswith("Nothing can be concluded about which is better: b is ahead of a by 8.3 points (")
    assert said.endswith("), which may be chance.")


def test_a_few_questions_conclude_nothing_whatever_the_answers():
    expected = (
        "Nothing can be concluded about which is better: 5 questions are too few to tell b and a apart, whatever the answers."
    )
    assert better(a=[0] * 5, b=[1] * 5) == [expected]


def test_of_several_methods_each_is_said_in_the_sentence_where_it_belongs():
    said = better(a=[0] * 30, b=[1] * 20 + [0] * 10, c=[1] * 18 + [0] * 11 + [1], d=[1] * 20 + [0] * 10)
    assert [one.partition(" (")[0] for one in said] == [
        "b is better than a by 66.7 points", "b is ahead of c by 3.3 points", "b and d are level.",
    ]  # fmt: skip


def test_the_best_of_many_is_certain_only_if_all_pairs_of_methods_are_allowed_for():
    won = [1] * 7 + [0] * 13
    (pair,) = ranking(a=[0] * 20, b=won).rows
    several = ranking(a=[0] * 20, b=won, c=[0] * 20).rows
    assert pair.p_holm == pair.p == 0.015625
    assert [row.p_holm for row in several] == [3 * pair.p] * 2
    several = ranking(a=[0] * 20, b=won, c=[0] * 20, d=[0] * 20).rows
    assert [(row.is_certain, row.p_holm) for row in several] == [(False, 6 * pair.p)] * 3


@pytest.mark.parametrize(
    ("own", "base", "direction", "unit", "said"),
    [
        ([9.0, 8.0] * 10, [1.0, 2.0] * 10, "lower", "tokens", "base is better than own by 7.000 tokens (95% interval "),
        ([1.0, 2.0] * 10, [9.0, 8.0] * 10, "lower", "tokens", "own is better than base by 7.000 tokens (95% interval "),
        ([9.0, 8.0] * 10, [1.0, 2.0] * 10, "", "", "own is above base by 7.000 (95% interval "),
        ([1.0] * 9, [1.0] * 9, "higher", "", "own and base do not differ on any of the 9 questions."),
        ([1.0, 0.0] * 9, [0.0, 1.0] * 9, "higher", "", "own and base are level: they differ on some questions"),
        ([], [], "higher", "", "own and base have no question in common"),
    ],
)
def test_a_comparison_is_told_from_the_side_of_the_one_that_is_ahead(own, base, direction, unit, said):
    column = Column("x", better=direction, high=10.0)
    order = [str(place) for place in range(len(own))]
    both = {
        name: Counted(dict(zip(order, values, strict=True)), column=column) for name, values in (("base", base), ("own", own))
    }
    (row,) = Pairing("wiki", "x", column, order, both, num_resamples=200).rows()
    assert plain_text(comparison_sentence(row, direction, unit)).startswith(said)


@pytest.mark.parametrize(
    ("low", "high", "num", "is_share", "is_shown"),
    [
        (0.2, 0.9, 20, True, False),
        (0.2, 0.6, 20, True, True),
        (0.2, 0.6, 9, True, False),
        (20, 90, 20, False, True),
        (20, 90, 9, False, False),
    ],
)
def test_an_interval_is_shown_if_it_says_something(low, high, num, is_share, is_shown):
    assert is_telling(Interval(low, high), num, is_share=is_share) is is_shown


def test_score_begins_with_its_answer_and_the_report_with_which_is_better(tmp_path):
    run = make_run(tmp_path / "run", {"a": [WRONG] * 12, "b": [RIGHT] * 11 + [WRONG]})
    done = CliRunner().invoke(app, ["score", str(run.path), "--metrics", "cover_em"])
    assert done.stdout.startswith(
        "lights: b is right on 11 of 12 questions (92%), a on 0 (0%).\nb is better than a by 91.7 points ("
    )
    made = CliRunner().invoke(app, ["report", str(run.path)])
    assert made.exit_code == 0, made.output
    lines = (run.path / "report" / "report.md").read_text(encoding="utf-8").splitlines()
    assert lines[2].startswith("b is better than a by 91.7 points (95% interval ")
    assert '<h1>run</h1><p class="lead">b is better than a by 91.7 points' in (run.path / "report" / "report.html").read_text(
        encoding="utf-8"
    )


def test_score_says_too_few_questions_instead_of_a_wide_interval_and_keeps_it_in_the_file(tmp_path):
    run = make_run(tmp_path / "run", {"a": [WRONG, RIGHT, RIGHT], "b": [RIGHT] * 3})
    said = CliRunner().invoke(app, ["score", str(run.path), "--metrics", "cover_em"]).stdout
    assert "Nothing can be concluded about which is better: 3 questions are too few" in said
    assert [line for line in said.splitlines() if line.split()[-4:] == ["few", "questions", "3", "0"]]
    assert '"interval": {' in (run.path / "scores.json").read_text(encoding="utf-8")
