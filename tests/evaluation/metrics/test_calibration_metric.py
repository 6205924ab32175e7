"""Calibration against independent computations, and where there is no data."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu
from support.worked import claimed, quoted, rated, worked

from hopweave.core.types import Passage
from hopweave.evaluation.metrics._reliability import auroc, brier_score, expected_calibration_error
from hopweave.evaluation.metrics.calibration import Calibration

ULM = Passage("ulm", "Ulm lies on the Danube.")
SCORED = st.lists(st.tuples(st.integers(0, 20).map(lambda n: n / 20), st.booleans()), min_size=1, max_size=40)


@given(SCORED)
def test_the_area_is_the_u_statistic_of_mann_and_whitney(scored):
    right = [confidence for confidence, is_right in scored if is_right]
    wrong = [confidence for confidence, is_right in scored if not is_right]
    if not right or not wrong:
        assert auroc(scored) is None
        return
    assert auroc(scored) == pytest.approx(mannwhitneyu(right, wrong).statistic / (len(right) * len(wrong)))


@given(SCORED)
def test_the_calibration_error_is_the_weighted_gap_of_each_bin(scored):
    gaps = 0.0
    for number in range(10):
        low, high = number / 10, (number + 1) / 10
        inside = [one for one in scored if low < one[0] <= high or (number == 0 and one[0] == 0)]
        if inside:
            accuracy = sum(is_right for _, is_right in inside) / len(inside)
            confidence = sum(value for value, _ in inside) / len(inside)
            gaps += len(inside) / len(scored) * abs(accuracy - confidence)
    assert expected_calibration_error(scored, 10) == pytest.approx(gaps)
    assert 0 <= brier_score(scored) <= 1


def test_confidence_that_is_right_on_average_has_a_small_error():
    draw = random.Random(1)
    scored = [(value, draw.random() < value) for value in (draw.random() for _ in range(20_000))]
    assert expected_calibration_error(scored, 10) < 0.02
    assert auroc(scored) == pytest.approx(5 / 6, abs=0.01)


def test_a_vote_comes_before_readers_and_the_last_vote_counts():
    reads = [("Which river?", "ulm", 0.0)]
    claims = [claimed("Which river?", "the Danube", quoted(1, ULM))]
    votes = [("vote", {"consistency": 0.2}), ("vote", {"consistency": 0.8})]
    asked = worked("the Danube", ["Danube"], claims=claims, passages=[ULM], reads=reads, decisions=votes)
    assert Calibration().score(*asked)["confidence"] == 0.8
    assert Calibration(source="readers").score(*asked)["confidence"] == 0.5


def test_the_fitted_confidence_of_the_verdict_comes_first():
    asked = rated(0.7, worked("Ulm", ["Ulm"], decisions=[("vote", {"consistency": 0.2})]))
    assert Calibration().score(*asked)["confidence"] == 0.7
    assert Calibration(source="verdict").score(*asked)["confidence"] == 0.7
    assert Calibration(source="vote").score(*asked)["confidence"] == 0.2
    assert Calibration(source="verdict").score(*worked("Ulm", ["Ulm"], decisions=[("vote", {"consistency": 0.2})])) == {}


def test_an_answer_is_as_sure_as_its_weakest_claim_and_a_claim_as_its_best_citation():
    bonn = Passage("bonn", "Bonn lies on the Rhine.")
    reads = [("a", "ulm", 3.0), ("a", "bonn", -9.0), ("b", "bonn", 1.0)]
    claims = [claimed("a", "x", quoted(1, ULM), quoted(2, bonn)), claimed("b", "y", quoted(3, bonn)), claimed("c", "z")]
    asked = worked("Ulm", ["Bonn"], claims=claims, passages=[ULM, bonn], reads=reads)
    assert Calibration().score(*asked) == {"confidence": pytest.approx(1 / (1 + math.exp(-1))), "confident_right": 0.0}


@pytest.mark.parametrize("logit", [-1e6, -800.0, 800.0, 1e6])
def test_no_confidence_of_a_reader_is_too_large(logit):
    claims = [claimed("a", "x", quoted(1, ULM))]
    found = Calibration().score(*worked("Ulm", ["Ulm"], claims=claims, passages=[ULM], reads=[("a", "ulm", logit)]))
    assert found["confidence"] == pytest.approx(float(logit > 0))


def test_without_a_confidence_without_gold_or_without_an_answer_there_is_no_data():
    vote = [("vote", {"consistency": 0.2})]
    assert Calibration().score(*worked("Ulm", ["Ulm"])) == {}
    assert Calibration().score(*worked("Ulm", [], decisions=vote)) == {}
    assert Calibration().score(*worked(error="gone", golds=["Ulm"], decisions=vote)) == {}
    assert Calibration(source="readers").score(*worked("Ulm", ["Ulm"], decisions=vote)) == {}
    assert Calibration().score(*worked("Ulm", ["Ulm"], decisions=[("vote", {"consistency": None})])) == {}


def test_where_all_are_right_there_is_no_area_and_the_rest_is_there():
    figures = Calibration().combine([{"confidence": 0.5, "confident_right": 1.0}])
    assert figures == {"ece": 0.5, "brier": 0.25}


def test_what_is_right_can_be_said_by_exact_match():
    asked = worked("Ulm, Germany", ["Ulm"], decisions=[("vote", {"consistency": 1.0})])
    assert Calibration().score(*asked)["confident_right"] == 1.0
    assert Calibration(right="exact_match").score(*asked)["confident_right"] == 0.0
