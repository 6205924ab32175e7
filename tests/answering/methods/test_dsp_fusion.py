"""One ranking for many queries: sums of probabilities or of scores."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.answering.methods.dsp._fusion import fuse, softmax
from hopweave.core.types import Hit, Passage


def hits(**scores):
    return [Hit(Passage(name, name), score, rank) for rank, (name, score) in enumerate(scores.items(), start=1)]


def order(found, fusion, num=3):
    return [hit.passage.id for hit in fuse(found, num, fusion)]


def test_probabilities_make_the_queries_weigh_the_same_and_scores_do_not():
    found = [(hits(a=100.0, b=99.0), 1), (hits(b=2.0, c=0.0), 1)]
    assert order(found, "probability") == ["b", "a", "c"]
    assert order([(hits(a=100.0), 1), (hits(b=2.0), 1), (hits(b=2.0), 1)], "score") == ["a", "b"]
    assert order([(hits(a=100.0), 1), (hits(b=2.0), 1), (hits(b=2.0), 1)], "probability") == ["b", "a"]


def test_the_sum_is_of_the_softmax_of_each_querys_scores():
    first = math.exp(2) / (math.exp(2) + math.exp(1))
    fused = fuse([(hits(a=2.0, b=1.0), 1), (hits(b=5.0), 1)], 5, "probability")
    assert [(hit.passage.id, pytest.approx(hit.score), hit.rank) for hit in fused] == [("b", 2 - first, 1), ("a", first, 2)]


def test_a_query_counts_as_often_as_it_was_written():
    once, twice = (hits(a=1.0), 1), (hits(b=1.0), 2)
    assert order([once, twice], "probability") == ["b", "a"]
    assert [hit.score for hit in fuse([twice], 1, "score")] == [2.0]


def test_of_equal_sums_the_first_found_is_better():
    assert order([(hits(a=1.0), 1), (hits(b=1.0), 1), (hits(c=1.0), 1)], "probability", 2) == ["a", "b"]


def test_nothing_found_is_nothing():
    assert fuse([([], 1), ([], 3)], 5, "probability") == []


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_a_softmax_is_shares_of_one_in_the_order_of_the_scores(scores):
    shares = softmax(scores)
    assert sum(shares) == pytest.approx(1.0)
    assert shares.index(max(shares)) == scores.index(max(scores)) or max(shares) == shares[scores.index(max(scores))]


@given(st.lists(st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(-50, 50)), unique_by=lambda one: one[0]), max_size=6))
def test_a_fused_ranking_has_each_passage_once_in_falling_order(lists):
    fused = fuse([(hits(**dict(one)), 1) for one in lists], 4, "probability")
    names = [hit.passage.id for hit in fused]
    assert len(set(names)) == len(names) == min(4, len({name for one in lists for name, _ in one}))
    assert [hit.score for hit in fused] == sorted((hit.score for hit in fused), reverse=True)
    assert [hit.rank for hit in fused] == list(range(1, len(fused) + 1))
