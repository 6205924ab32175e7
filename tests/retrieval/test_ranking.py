"""Several lists of hits become one ranking."""

from __future__ import annotations

import math

import pytest

from hopweave.core.ranking import fused, in_turns, ranked
from hopweave.core.types import Hit, Passage


def hits(**scores):
    """Hits in the order given, by the ids of their passages."""
    return [Hit(Passage(name, name), score, rank) for rank, (name, score) in enumerate(scores.items(), start=1)]


def told(found):
    assert [hit.rank for hit in found] == list(range(1, len(found) + 1))
    return [(hit.passage.id, pytest.approx(hit.score)) for hit in found]


FIRST, SECOND = hits(a=5.0, b=3.0, c=1.0), hits(b=4.0, d=2.0)


def test_simple_fusion_takes_the_best_score_of_each_passage():
    assert told(fused([FIRST, SECOND], 10)) == [("a", 5.0), ("b", 4.0), ("d", 2.0), ("c", 1.0)]


def test_reciprocal_rank_fusion_counts_ranks_from_0_with_60():
    found = fused([FIRST, SECOND], 10, "reciprocal_rank")
    assert told(found) == [("b", 1 / 61 + 1 / 60), ("a", 1 / 60), ("d", 1 / 61), ("c", 1 / 62)]


def test_relative_score_fusion_sums_scores_between_the_lowest_and_the_highest_of_their_list():
    assert told(fused([FIRST, SECOND], 10, "relative_score")) == [("b", 0.5 + 1.0), ("a", 1.0), ("c", 0.0), ("d", 0.0)]


def test_distance_based_fusion_takes_the_mean_minus_and_plus_three_standard_deviations_for_the_range():
    spread = math.sqrt(8 / 3)
    best = 0.5 + 2 / (6 * spread)
    found = dict(told(fused([FIRST, SECOND], 10, "distance_based")))
    assert found == {"b": 0.5 + (0.5 + 1 / 6), "a": best, "c": 1 - best, "d": 0.5 - 1 / 6}


@pytest.mark.parametrize("fusion", ["relative_score", "distance_based"])
def test_scores_that_are_all_equal_count_one_if_they_are_above_zero(fusion):
    assert told(fused([hits(a=2.0, b=2.0), hits(c=0.0), []], 10, fusion)) == [("a", 1.0), ("b", 1.0), ("c", 0.0)]


def test_among_equal_scores_what_came_first_comes_first_and_the_ranking_is_cut():
    assert [hit.passage.id for hit in fused([hits(b=1.0, a=1.0), hits(c=1.0)], 2)] == ["b", "a"]
    assert fused([], 5) == fused([[]], 5) == []


def test_in_turns_each_list_gives_its_first_then_its_second_and_each_passage_counts_once():
    lists = [hits(a=1.0, b=0.5, c=0.1), hits(b=9.0), hits(d=1.0, a=0.5)]
    assert [passage.id for passage in in_turns(lists)] == ["a", "b", "d", "c"]


def test_a_given_order_has_scores_that_fall_and_ranks_that_count_from_1():
    assert told(ranked([Passage("x", ""), Passage("y", ""), Passage("z", "")], 2)) == [("x", 1.0), ("y", 0.5)]
