"""Which methods are on a frontier: those that the questions support, not those that a mean happens to favour."""

import math

import pytest

from hopweave.core.types import Column
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.frontier import Planes, frontiers_of

QUALITY, COST = Column("q"), Column("c", "lower", high=math.inf)


def plane(failed=(), num=60, **methods):
    """The frontier of methods; each is given by its values of quality and of cost, question by question."""
    order = [f"q{number}" for number in range(num)]

    def counted(values, column, name):
        ids = frozenset(order[: dict(failed).get(name, 0)]) if column is QUALITY else frozenset()
        return Counted(dict(zip(order, map(float, values), strict=True)), ids, column=column)

    quality = {name: counted(values, QUALITY, name) for name, (values, _) in methods.items()}
    costs = {name: counted(values, COST, name) for name, (_, values) in methods.items()}
    (found,) = frontiers_of(Planes("d", order, list(methods), "q", quality, {"c": costs}))
    return {point.method: point for point in found.points}


def share(num_right, num=60):
    return [1] * num_right + [0] * (num - num_right)


def test_one_question_more_at_a_higher_cost_does_not_settle_a_place_on_the_frontier():
    found = plane(cheap=(share(30), [1] * 60), dear=(share(31), [2] * 60))
    assert found["cheap"].is_best
    assert not found["dear"].is_best  # though its mean is the highest
    assert 0.4 < found["dear"].support < 0.8


def test_a_clear_gain_for_a_higher_cost_is_on_the_frontier_with_its_support():
    found = plane(cheap=(share(20), [1] * 60), dear=(share(45), [2] * 60))
    assert found["cheap"].is_best
    assert found["dear"].is_best
    assert found["dear"].support >= 0.95


def test_a_method_that_is_beaten_on_every_question_is_in_no_draw():
    found = plane(good=(share(40), [1] * 60), worse=(share(10), [2] * 60))
    assert (found["worse"].is_best, found["worse"].support) == (False, 0.0)


def test_the_draws_are_of_the_same_questions_for_all_methods():
    # Always right where the other is right, and once more: paired, it is better in every draw that holds that question.
    found = plane(num=4, cheap=([1, 1, 0, 0], [1] * 4), dear=([1, 1, 1, 0], [2] * 4))
    assert found["dear"].support == pytest.approx(1 - (3 / 4) ** 4, abs=0.02)


def test_a_method_that_fails_often_is_on_no_frontier_and_pushes_no_other_off_it():
    found = plane(failed={"flaky": 43}, flaky=([0] * 43 + [1] * 17, [0] * 60), plain=([1] * 15 + [0] * 45, [5] * 60))
    assert (found["flaky"].is_best, found["flaky"].support, found["flaky"].why_off) == (False, None, "43 of 60 failed")
    assert found["plain"].is_best


def test_a_method_that_fails_rarely_keeps_its_place():
    found = plane(failed={"steady": 3}, steady=([0] * 3 + [1] * 57, [1] * 60), dear=([0] * 60, [2] * 60))
    assert found["steady"].is_best
    assert not found["dear"].is_best


def test_one_failed_question_of_few_takes_no_method_off():
    found = plane(num=8, failed={"steady": 1}, steady=([0] + [1] * 7, [1] * 8), flaky=([1] * 8, [2] * 8))
    assert (found["steady"].is_best, found["steady"].why_off) == (True, "")
    assert plane(num=8, failed={"a": 2}, a=([0, 0] + [1] * 6, [1] * 8))["a"].why_off == "2 of 8 failed"


def test_a_method_that_gets_nothing_right_is_on_no_frontier_however_cheap():
    found = plane(silent=([0] * 60, [0] * 60), good=(share(30), [9] * 60))
    assert not found["silent"].is_best
    assert found["good"].is_best
