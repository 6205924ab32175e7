"""Suggestions for the next sub-question, and votes, are read however models word them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.answering.methods.planning._choice import FINISH, parse_choice, parse_next, parse_suggestions

WHO, WHEN = "Who directed Cold Harbour?", "When was Liv Aas born?"


# -- suggestions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f"1. {WHO}\n2. {WHEN}\n3. FINISH",
        f"1) {WHO}\n2) {WHEN}\n3) **FINISH**",
        f"1. {WHO}\n2. {WHEN}\n3. Finish.",
        f"1. {WHO}\n2. {WHEN}\n3. FINISH (the answers suffice)",
        f"1. {WHO}\n2. {WHEN}\n3. FINISH - nothing is open.",
        f"- {WHO}\n- {WHEN}\n- FINISH",
        f"Sub-question 1: {WHO}\nSub-question 2: {WHEN}\nSub-question 3: FINISH",
    ],
)
def test_suggestions_are_read_as_a_list_in_which_one_may_be_to_finish(text):
    assert parse_suggestions(text).items == (WHO, WHEN, FINISH)
    assert parse_suggestions(text).problems == ()


@pytest.mark.parametrize(
    "text", ["FINISH", "finish", "**FINISH**", "FINISH.", "Next sub-question: FINISH", '"FINISH"', "1. FINISH"]
)
def test_finish_alone_is_a_suggestion(text):
    assert parse_suggestions(text).items == (FINISH,)
    assert parse_next(text).items == (FINISH,)


@pytest.mark.parametrize(
    "item", ["Finish line of which race?", "FINISH of which race?", "Who did finish it?", "Finishing school"]
)
def test_a_sub_question_with_the_word_in_it_does_not_finish(item):
    assert parse_suggestions(f"1. {item}").items == (item,)
    assert parse_next(item).items == (item,)


@pytest.mark.parametrize(
    "text",
    [
        WHO, f"  {WHO}\n", f"Next sub-question: {WHO}", f"Sub-question 2: {WHO}", f"**Sub-question:** {WHO}",
        f"1. {WHO}", f"- {WHO}", f'"{WHO}"', f"\n{WHO}\n{WHEN}",
    ],
)  # fmt: skip
def test_the_next_sub_question_is_the_first_line_of_a_reply_that_was_to_hold_nothing_else(text):
    assert parse_next(text).items == (WHO,)


@pytest.mark.parametrize("read", [parse_suggestions, parse_next])
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the reply is empty"),
        ("...", "no next sub-question was written"),
        ("I do not know.", "no next sub-question was written"),
        ("So the final answer is 1931.", "no next sub-question was written"),
    ],
)
def test_a_reply_without_a_suggestion_says_so(read, text, problem):
    assert read(text).items == ()
    assert read(text).problems == (problem,)


# -- votes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("The best choice is 2", 2),
        ("Choice 1 is vague. The best choice is 2.", 2),
        ("The best choice is **2**.", 2),
        ("The best choice is: 2", 2),
        ("The best choice is choice 2.", 2),
        ("The best choice is\n2", 2),
        ("THE BEST CHOICE IS [2]", 2),
        ("the best choice is 2 because she was born in 1931.", 2),
        ("If so, the best choice is 1. But then, the best choice is 3.", 3),
        ("The best choice is 2.\n1. is worse.", 2),
        ("2", 2),
        ("Choice 2.", 2),
        ("**2**", 2),
    ],
)
def test_a_vote_is_the_number_behind_the_last_best_choice_is(text, choice):
    assert parse_choice(text, 3) == choice


@pytest.mark.parametrize(
    "text",
    [
        "", "The best choice is 4.", "The best choice is 0.", "The best choice is none.", "I like 2 most.", "4",
        "best choice is 2.5",
    ],
)  # fmt: skip
def test_any_other_vote_is_invalid(text):
    assert parse_choice(text, 3) is None


@given(st.text(), st.integers(1, 9))
def test_any_text_is_read_as_a_choice_that_there_is_or_as_none(text, num_choices):
    for said in (text, f"{text} best choice is {text}"):
        choice = parse_choice(said, num_choices)
        assert choice is None or 1 <= choice <= num_choices


@given(st.text(st.characters(exclude_categories=["Nd", "Cs"])), st.integers(1, 9))
def test_a_choice_is_found_behind_any_reasoning(reasoning, choice):
    assert parse_choice(f"{reasoning} The best choice is {choice}.", 9) == choice


@given(st.text())
def test_any_text_is_read_as_suggestions_or_says_why_not(text):
    for read in (parse_suggestions(text), parse_next(text)):
        assert bool(read.items) != bool(read.problems)
        assert all(any(map(str.isalnum, item)) for item in read.items)
