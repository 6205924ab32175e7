"""Ticks and the risk-coverage curve: against independent computations, and where there is no data."""

import random
from dataclasses import replace
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scored import cell_of
from support.small_run import example, make_run
from support.worked import claimed, quoted, rated, worked

from hopweave.core.types import Passage
from hopweave.evaluation.metrics._reliability import selective_risks
from hopweave.evaluation.metrics.risk_coverage import RiskCoverage

ULM = Passage("ulm", "Ulm lies on the Danube.")
CLAIM = claimed("Which town?", "Ulm", quoted(1, ULM))
SCORED = st.lists(st.tuples(st.integers(0, 3).map(lambda n: n / 3), st.booleans()), min_size=1, max_size=6)


def risks_in_order(outcomes):
    return [1 - sum(outcomes[:num]) / num for num in range(1, len(outcomes) + 1)]


@given(SCORED)
def test_the_risks_are_the_mean_over_all_orders_of_answers_of_the_same_confidence(scored):
    orders = [order for order in permutations(scored) if all(a[0] >= b[0] for a, b in pairwise(order))]
    curves = [risks_in_order([is_right for _, is_right in order]) for order in orders]
    expected = [sum(at) / len(at) for at in zip(*curves, strict=True)]
    assert selective_risks(scored) == pytest.approx(expected)


@given(SCORED, st.randoms())
def test_the_order_of_the_records_does_not_matter(scored, draw):
    shuffled = draw.sample(scored, len(scored))
    assert selective_risks(shuffled) == selective_risks(scored)


def test_a_perfect_order_has_the_least_area_and_the_reverse_the_greatest():
    def area(confidences):
        values = [
            RiskCoverage().score(*rated(confidence, worked(said, ["Ulm"])))
            for confidence, said in zip(confidences, ["Ulm", "Ulm", "Bonn", "Bonn"], strict=True)
        ]
        return RiskCoverage().combine(values)["aurc"]

    # 0, 0, 1/3, 2/4; and 1, 1, 2/3, 2/4
    assert area([0.9, 0.8, 0.3, 0.1]) == pytest.approx((1 / 3 + 1 / 2) / 4)
    assert area([0.1, 0.3, 0.8, 0.9]) == pytest.approx((1 + 1 + 2 / 3 + 1 / 2) / 4)
    assert area([0.5] * 4) == pytest.approx(0.5)


def test_confidence_that_says_nothing_has_the_risk_of_all_answers_as_area():
    draw = random.Random(4)
    scored = [(draw.random(), draw.random() < 0.7) for _ in range(20_000)]
    risks = selective_risks(scored)
    assert sum(risks) / len(risks) == pytest.approx(0.3, abs=0.03)


@pytest.mark.parametrize(
    ("made", "values"),
    [
        (worked("Ulm", ["Ulm"]), {"tick": 0.0, "answer_right": 1.0}),
        (worked("Ulm", ["Ulm"], claims=[CLAIM], passages=[ULM]), {"tick": 1.0, "answer_right": 1.0}),
        (rated(0.4, worked("Ulm", ["Bonn"])), {"tick": 0.0, "answer_right": 0.0, "answer_confidence": 0.4}),
        (rated(0.5, worked("Ulm", ["Bonn"])), {"tick": 1.0, "answer_right": 0.0, "answer_confidence": 0.5}),
        (rated(0.5, worked("Ulm", [])), {"tick": 1.0, "answer_confidence": 0.5}),
        (worked("It is Ulm.", ["Because of the minster."], form="long"), {"tick": 0.0}),
        (worked(error="gone", golds=["Ulm"]), {}),
    ],
)  # fmt: skip
def test_a_record_has_the_values_that_can_be_told(made, values):
    assert RiskCoverage().score(*made) == values


def test_without_ticks_no_share_of_them_is_right_and_without_confidence_there_is_no_area():
    plain = RiskCoverage().score(*worked("Ulm", ["Ulm"]))
    below = RiskCoverage().score(*rated(0.1, worked("Ulm", ["Ulm"])))
    assert RiskCoverage().combine([plain, {}]) == {}
    assert RiskCoverage().combine([plain, below]) == {"aurc": 0.0}
    without_gold = RiskCoverage().score(*rated(0.9, worked("Ulm", [])))
    assert RiskCoverage().combine([without_gold]) == {}


def test_a_figure_is_of_the_answers_that_it_is_computed_from():
    made = [rated(0.9, worked("Ulm", ["Ulm"])), rated(0.1, worked("Ulm", ["Ulm"])), rated(0.9, worked("Ulm", []))]
    values = [RiskCoverage().score(*one) for one in (*made, worked("Ulm", ["Ulm"], claims=[CLAIM], passages=[ULM]))]
    assert RiskCoverage().num_combined([*values, {}]) == {"ticks_right": 2, "aurc": 2}
    assert RiskCoverage().num_combined([]) == {"ticks_right": 0, "aurc": 0}


def test_the_number_of_questions_of_the_right_ticks_is_that_of_the_ticks(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["1874", "-", None, "1875", "-"]})
    without_a_tick, _ = worked("1874")
    for number in (1, 4):
        run.add("lights", "a", replace(without_a_tick, question=example(number).question))
    mean = cell_of(run, ["risk_coverage"]).means["ticks_right"]
    assert (mean.value, mean.num_scored, mean.num_no_data, mean.num_failed) == (0.5, 2, 2, 1)


def test_failed_questions_stay_in_the_denominator_of_coverage(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["1874", "1875", None, "1874"]})
    means = cell_of(run, ["risk_coverage"]).means
    assert (means["tick"].value, means["tick"].num_scored, means["tick"].num_failed) == (0.75, 4, 1)
    assert means["ticks_right"].value == pytest.approx(2 / 3)
    assert means["aurc"].value is None
    assert set(means) == {"tick", "ticks_right", "aurc"}
