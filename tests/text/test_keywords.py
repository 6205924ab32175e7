"""What a text says beyond another, and what two texts share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.text.content_words import content_of
from hopweave.text.key_terms import longest_shared_run, only_repeats, words_in

TEXTS = st.one_of(
    st.text(max_size=60), st.lists(st.sampled_from(["Brno", "the", "City", "of", "1,450", "x.", "É"])).map(" ".join)
)


@pytest.mark.parametrize(
    ("words", "query", "is_repeated"),
    [
        ("Brno", "In which city is Brno?", True),
        ("the city of Brno", "In which city is Brno?", True),
        ("BRNO's", "In which city is Brno?", True),
        ("House of Brno", "Which house stands in Brno?", False),
        ("house in Brno", "Which house stands in Brno?", True),
        ("The House", "which house stands in brno?", True),
        ("Brno, Moravia", "In which city is Brno?", False),
        ("It", "Which film is by Andy Muschietti?", False),  # a title of function words alone
        ("It", "What is it?", True),
        ("German", "What do Germans speak?", False),
        ("1940", "Who was born in 1940?", True),
        ("41", "Who was born in 1940?", False),
        ("not the city", "Which is the city?", False),
        ("", "Who?", False),
        ("...", "Who?", False),
    ],
)
def test_words_that_say_nothing_beyond_the_query_only_repeat_it(words, query, is_repeated):
    assert only_repeats(words, query) is is_repeated


@given(TEXTS)
def test_a_text_with_words_repeats_itself(text):
    assert only_repeats(text, text) is bool(words_in(text))


@given(TEXTS, TEXTS, TEXTS)
def test_a_shared_run_stands_in_both_texts_and_says_more_than_the_query(said, text, query):
    span = longest_shared_run(said, text, query)
    if span is not None:
        run = [word.key for word in words_in(text[span.start : span.end])]
        keys = [word.key for word in words_in(said)]
        assert any(keys[start : start + len(run)] == run for start in range(len(keys)))
        assert not only_repeats(text[span.start : span.end], query)


def test_a_run_ends_with_its_sentence():
    text = "The tower stands in Ulm. Kepler was born nearby."
    span = longest_shared_run("in Ulm Kepler built it", text, "Who?")
    assert text[span.start : span.end] == "Ulm"


def test_short_words_are_content_words_only_of_a_sentence_with_hardly_another():
    assert content_of("When did the gas leak?", ()) == ["gas", "leak"]
    assert content_of("Who is the new owner of the old mill by the sea?", ()) == ["owner", "mill"]
    assert content_of("Why was it not one of all?", ()) == []
