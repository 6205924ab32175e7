"""Passages are cut into paragraphs, and the nearest to a question come first."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.answering.methods.internet_augmented._paragraphs import best_paragraphs, paragraphs_of
from hopweave.core.types import Hit, Passage
from hopweave.text.tfidf import cosines_with

TEXTS = st.lists(st.sampled_from(["port", "Wall", "it", "x1", ".", "?", "\n\n", "Dr.", "é", "\u2060", "..."]), max_size=30).map(
    " ".join
)


def hits(*texts):
    return [Hit(Passage(f"p{rank}", text), 1.0, rank) for rank, text in enumerate(texts, start=1)]


def test_the_cosine_is_the_one_of_the_formula():
    in_two, in_one = math.log(4 / 3) + 1, math.log(4 / 2) + 1
    question, second = math.hypot(in_two, in_one), math.hypot(2 * in_two, in_one)
    assert cosines_with("a port", ["A port.", "port, port; wall", "moor"]) == pytest.approx(
        [1.0, in_two * 2 * in_two / (question * second), 0.0]
    )


def test_words_of_the_question_that_no_text_has_change_nothing():
    texts = ["a port", "a wall"]
    assert cosines_with("port unheard", texts) == cosines_with("port", texts)


def test_without_texts_or_words_there_is_nothing_to_compare():
    assert cosines_with("port", []) == []
    assert cosines_with("?", ["port", ""]) == [0.0, 0.0]


def test_a_frequent_word_weighs_less_than_a_rare_one():
    rare, frequent, _ = cosines_with("town light", ["light here", "town here", "town there"])
    assert rare > frequent


def test_of_equals_the_first_found_comes_first_and_a_paragraph_without_a_shared_word_still_has_a_share():
    kept = best_paragraphs("port", hits("A moor.", "A wall.", "A port."), num_sentences=6, num_paragraphs=9)
    assert [one.hit.passage.id for one in kept] == ["p3", "p1", "p2"]
    assert all(one.p_ret > 0 for one in kept)


def test_shares_are_among_those_that_are_kept():
    [only] = best_paragraphs("port", hits("A port. A wall.", "A port."), num_sentences=1, num_paragraphs=1)
    assert (only.text, only.p_ret) == ("A port.", 1.0)


@given(st.lists(TEXTS, max_size=5), TEXTS, st.integers(1, 4), st.integers(1, 9))
def test_whatever_is_found_paragraphs_stand_in_their_passages_and_shares_sum_to_one(texts, question, num_sentences, num):
    kept = best_paragraphs(question, hits(*texts), num_sentences=num_sentences, num_paragraphs=num)
    every = [text for whole in texts for text in paragraphs_of(whole, num_sentences)]
    assert len(kept) == min(num, len(every))
    assert all(one.text in one.hit.passage.text and one.text in every for one in kept)
    assert not kept or sum(one.p_ret for one in kept) == pytest.approx(1)
    assert all(-1e-9 <= cosine <= 1 + 1e-9 for cosine in cosines_with(question, every))
