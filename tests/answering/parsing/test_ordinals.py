"""Reasoning is parted at First, Second and so on, and only where these begin a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.answering.methods.verify_and_edit._ordinals import ORDINALS, ordered, reasoning_sentences


@pytest.mark.parametrize(
    "text",
    [
        "First, it is red. Second, red is a colour.",
        "First, it is red. Second, red is a colour. So the final answer is yes.",
        "First, it is red.\nSecond, red is a colour.\nThe answer is: yes.",
        "Firstly, it is red. Secondly, red is a colour.",
        "**First**, it is red. **Second**, red is a colour. The answer is yes.",
        "It is red. Red is a colour. So the final answer is yes.",
    ],
)
def test_the_sentences_come_without_ordinals_and_without_the_answer(text):
    assert reasoning_sentences(text) == ("It is red.", "Red is a colour.")


def test_an_ordinal_within_a_sentence_parts_nothing():
    text = "First, the Second World War ended in 1945. Second, it was the second, and the larger, war."
    assert reasoning_sentences(text) == (
        "The Second World War ended in 1945.",
        "It was the second, and the larger, war.",
    )


def test_two_sentences_behind_one_ordinal_stay_together():
    assert reasoning_sentences("First, it is red. That is so. Second, it is old.") == ("It is red. That is so.", "It is old.")


def test_what_stands_before_the_first_ordinal_is_a_sentence_too():
    assert reasoning_sentences("Let us see. First, it is red.") == ("Let us see.", "It is red.")


def test_a_sentence_of_the_explanation_about_an_answer_stays():
    assert reasoning_sentences("The answer is old. It is red.", has_closing=False) == ("The answer is old.", "It is red.")


@pytest.mark.parametrize("text", ["", " \n", "...", "So the final answer is yes.", "First, "])
def test_without_reasoning_there_are_no_sentences(text):
    assert reasoning_sentences(text) == ()


SENTENCES = st.lists(st.from_regex(r"[A-Z][a-z]{1,8}( [a-z]{2,8}){1,5}\.", fullmatch=True), min_size=1, max_size=10).map(tuple)


@given(SENTENCES)
def test_what_is_written_as_reasoning_is_read_back(sentences):
    assert reasoning_sentences(ordered(sentences), has_closing=False) == sentences


def test_sentences_past_the_last_ordinal_are_not_lost():
    sentences = tuple(f"Sentence {number}." for number in range(len(ORDINALS) + 2))
    assert all(sentence in ordered(sentences) for sentence in sentences)


@given(st.text(max_size=60))
def test_any_text_gives_sentences_on_one_line(text):
    assert all(sentence == " ".join(sentence.split()) for sentence in reasoning_sentences(text))
