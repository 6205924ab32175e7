"""Of a sentence that restates its query, the bare answer is read."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hopweave.answering.methods.searchain._restated import unstated
from hopweave.text.citation_marks import without_marks

PERFORMER, STAND = "Who is the performer of Paper Lanterns?", "In which town does the Glass Mill stand?"


@pytest.mark.parametrize(
    ("answer", "query", "bare"),
    [
        ("Mira Solberg", PERFORMER, "Mira Solberg"),
        ("The performer of Paper Lanterns is Mira Solberg.", PERFORMER, "Mira Solberg"),
        ("Mira Solberg is the performer of Paper Lanterns.", PERFORMER, "Mira Solberg"),
        ("Mira Solberg performed Paper Lanterns.", PERFORMER, "Mira Solberg"),
        ("It is Mira Solberg, who was born in Tromvik.", PERFORMER, "Mira Solberg"),
        ("The Glass Mill stands in Orlau.", STAND, "Orlau"),
        ("The Glass Mill is located in Orlau. It is old.", STAND, "Orlau"),
        ("It is Brno University of Technology.", "Which university is in Brno?", "Brno University of Technology"),
        ("Brno University of Technology", "Which university is in Brno?", "Brno University of Technology"),
        ("Is It Any Wonder?", "Which song is it?", "Is It Any Wonder?"),
        ("She was born in 1940.", "When was Ida Renn born?", "1940"),
        ("approx. 5 km", "How far is it?", "approx. 5 km"),
        ("The capital is the capital.", "What is the capital?", "The capital is the capital"),
        ("", "Who?", ""),
    ],
)
def test_a_sentence_is_cut_down_to_what_it_says_beyond_its_query(answer, query, bare):
    assert unstated(answer, query) == bare


@given(st.text(), st.text())
@example("0[0]0", "")
@example("0[0]/", "")
def test_any_answer_leaves_words_of_its_own(answer, query):
    bare = unstated(answer, query)
    assert bool(bare) == bool(answer)
    assert all(word in answer or word in without_marks(answer)[0] for word in bare.split())
