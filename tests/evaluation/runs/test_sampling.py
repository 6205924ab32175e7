import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.types import Example, Gold, Question
from hopweave.evaluation.runs.sampling import draw


def examples(ids):
    return [Example(Question(str(one), f"What is {one}?"), Gold(("x",))) for one in ids]


def ids(drawn):
    return [example.question.id for example in drawn]


ALL = examples(range(100))


@given(st.integers(), st.integers(1, 120), st.randoms(use_true_random=False))
def test_a_seed_and_a_limit_draw_the_same_whatever_the_order_of_the_file(seed, limit, rng):
    shuffled = list(ALL)
    rng.shuffle(shuffled)
    drawn = draw(shuffled, limit, seed)
    assert drawn == draw(ALL, limit, seed)
    assert len(set(ids(drawn))) == len(drawn) == min(limit, 100)


@given(st.integers(), st.integers(1, 50), st.integers(1, 50))
def test_a_larger_limit_begins_with_those_of_a_smaller_one(seed, smaller, more):
    assert draw(ALL, smaller + more, seed)[:smaller] == draw(ALL, smaller, seed)


def test_another_seed_draws_others_and_every_example_has_its_chance():
    assert ids(draw(ALL, 10, 1)) != ids(draw(ALL, 10, 2))
    times = dict.fromkeys(ids(ALL), 0)
    for seed in range(2000):
        for one in ids(draw(ALL, 10, seed)):
            times[one] += 1
    assert 140 < min(times.values()) < max(times.values()) < 260  # 200 each, give or take more than four deviations


def test_a_draw_is_the_same_on_every_machine_and_in_every_release():
    assert ids(draw(ALL, 5, 7)) == ["84", "28", "87", "22", "94"]


def test_without_a_seed_the_first_ones_are_taken_and_no_more_is_read():
    def endless():
        yield from ALL
        raise AssertionError("read too far")

    assert draw(endless(), 3) == ALL[:3]
    assert draw(ALL) == ALL


def test_without_a_limit_all_are_drawn_in_the_order_of_the_seed():
    drawn = draw(ALL, None, 5)
    assert sorted(ids(drawn), key=int) == ids(ALL)
    assert draw(random.Random(0).sample(ALL, 100), None, 5) == drawn == draw(ALL, 1000, 5)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_that_draws_nothing_is_refused(limit):
    with pytest.raises(SettingsError, match="draws nothing; give a number above 0"):
        draw(ALL, limit)


def test_an_id_that_comes_twice_and_a_dataset_without_examples_are_refused():
    with pytest.raises(DataError, match="the id '1' occurs twice"):
        draw(examples([1, 2, 1]), 3, 0)
    with pytest.raises(DataError, match="no examples to draw from"):
        draw([], 3, 0)
