"""What a model took up from a passage is found in its next words, and only there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.answering.toolkit.adopted_phrase import adopted_phrase
from hopweave.core.types import Passage

WHO = "Who wrote The Long Road?"
PASSAGE = "The Long Road is a novel of 1902. It was written by Ida Renn, an engineer of Orlau, who wrote it in Tromvik."


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (["Where was Ida Renn born?"], "Ida Renn"),
        (["The Long Road was written by Ida Renn."], "Ida Renn"),
        (["where was ida renn born?", "Was Ida Renn an engineer?"], "Ida Renn"),
        (["When was it?", "1902"], "1902"),
        (["Ida\u2060 Renn"], "Ida Renn"),
        (["Who wrote The Long Road?"], ""),
        (["Was it written by an engineer?"], ""),
        (["Is Idar older?"], ""),
        (["Was Tromvik or Ida Renn first?"], "Ida Renn"),
        ([], ""),
        ([""], ""),
    ],
)
def test_the_longest_run_of_the_passages_words_with_a_name_or_number_is_taken(said, found):
    assert adopted_phrase(WHO, said, [Passage("p", PASSAGE)]) == found


WORDS = st.lists(
    st.sampled_from(["Ida", "Renn", "was", "in", "Orlau", ",", "the", "1902", ".", "\u2060", "road"]), max_size=30
).map(" ".join)


@given(WORDS, st.lists(WORDS, max_size=3), WORDS)
def test_what_is_taken_up_was_said_and_stands_in_the_passage(query, said, passage):
    found = adopted_phrase(query, said, [Passage("p", passage)])
    assert any(found in one.replace("\u2060", "") for one in said) or not found
    assert all(word in passage for word in found.replace(",", " ").replace(".", " ").split())
