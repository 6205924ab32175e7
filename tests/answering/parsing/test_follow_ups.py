"""Follow-ups are read however the model decorates them, and no passage that it repeats can ask or answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.texts import messes

from hopweave.answering.parsing.follow_ups import FollowUp, cut_before, parse_follow_ups
from hopweave.core.prompt import escape, fence

CHAIN = (
    " Yes.\nFollow up: Who wrote it?\nIntermediate answer: Ida Renn.\nFollow up: Where was Ida Renn born?\n"
    "Intermediate answer: Tromvik.\nSo the final answer is: Tromvik."
)
PAIRS = (FollowUp("Who wrote it?", "Ida Renn"), FollowUp("Where was Ida Renn born?", "Tromvik"))


def test_a_chain_as_it_is_asked_for_is_read_whole():
    read = parse_follow_ups(CHAIN)
    assert read.pairs == PAIRS
    assert read.final == "Tromvik."
    assert (read.resumed, read.rest, read.problems) == ("", "", ())


DRESSES = [
    "Follow up: Who?", "follow up: Who?", "FOLLOW UP: Who?", "Follow-up: Who?", "Follow up question: Who?",
    "Follow-Up Questions: Who?",
    "Follow up 1: Who?", "Follow up #1: Who?", "Follow up question 2: Who?", "**Follow up:** Who?", "**Follow up**: Who?",
    "*Follow up:* **Who?**", "- Follow up: Who?", "1. Follow up: Who?", "2) **Follow-up:** Who?", "> Follow up : Who?",
    "### Follow up: Who?", "__Follow up__: Who?", "  Follow up:Who?", 'Follow up: "Who?"', "Follow up: “Who?”",
    "Follow up:\nWho?",
    "Follow up:\n\n  Who?", "Yes. Follow up: Who?", "Yes.\r\nFollow up: Who?", "Yes\rFollow up: Who?",
    "Are follow up questions needed here: Yes. Follow up: Who?",
    "**Are follow up questions needed here:** Yes.\nFollow up: Who?",
    "Question: What is it?\nAre follow up questions needed here: Yes.\nFollow up: Who?",
]  # fmt: skip


@pytest.mark.parametrize("text", DRESSES)
def test_a_follow_up_is_read_in_any_dress(text):
    assert parse_follow_ups(text).pairs == (FollowUp("Who?"),)


@pytest.mark.parametrize(
    "answer",
    [
        "\nIntermediate answer: Ida Renn", "\nIntermediate Answer: Ida Renn.", "\n**Intermediate answer:** Ida Renn.",
        "\n  - Intermediate answer 1: **Ida Renn.**", "\n1. Intermediate answer: “Ida Renn”",
        " Intermediate answer: Ida Renn.", "\n\nIntermediate answer:\nIda Renn [1].",
    ],
)  # fmt: skip
def test_an_intermediate_answer_is_read_in_any_dress(answer):
    assert parse_follow_ups(f"Follow up: Who wrote it?{answer}").pairs == PAIRS[:1]


@pytest.mark.parametrize(
    "words",
    [
        "So the final answer is: Tromvik", "so the final answer is Tromvik", "**So the final answer is:** Tromvik",
        "So the final answer is**:** Tromvik", "So, the final answer is: Tromvik", "The final answer is: Tromvik",
        "Final answer: Tromvik", "**Final Answer:** Tromvik", "1. So the final answer is: Tromvik",
        "So the final answer: Tromvik",
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", ["", " No.\n", "Follow up: Who?\nIntermediate answer: Ida Renn. ", "Follow up: Who?\n"])
def test_the_final_answer_is_read_in_any_dress(words, before):
    assert parse_follow_ups(before + words).final == "Tromvik"


@pytest.mark.parametrize("words", ["None", "none.", "No", "Not needed.", "N/A", "No follow up questions are needed.", "(None)"])
def test_a_follow_up_that_says_there_is_none_is_none(words):
    assert parse_follow_ups(f"Follow up: {words}\nSo the final answer is: x").pairs == ()


@pytest.mark.parametrize("words", ["No Country for Old Men is by whom?", "Nothing Compares 2 U is by whom?", "Noor is where?"])
def test_a_follow_up_that_begins_like_none_is_one(words):
    assert parse_follow_ups(f"Follow up: {words}").pairs == (FollowUp(words),)


def test_what_is_no_marker_is_the_rest():
    read = parse_follow_ups("Yes.\nLet me see.\nFollow up: Who?\nHm.\nIntermediate answer: x\nThe answer is x.")
    assert read.rest == "Let me see.\nHm.\nThe answer is x."


def test_another_example_ends_the_reading_and_the_same_question_before_it_does_not():
    again = "Question: And?\nFollow up: What?\nSo the final answer is: nothing."
    assert parse_follow_ups(f"{CHAIN}\n\n{again}") == parse_follow_ups(CHAIN)
    assert parse_follow_ups(f"Question: Where?{CHAIN}").pairs == PAIRS


def test_an_answer_before_any_follow_up_belongs_to_an_earlier_one():
    read = parse_follow_ups("Intermediate answer: Ida Renn.\nFollow up: Where was Ida Renn born?")
    assert read.resumed == "Ida Renn"
    assert read.pairs == (FollowUp("Where was Ida Renn born?"),)


def test_a_follow_up_without_a_question_and_a_second_answer_are_problems():
    assert parse_follow_ups("Follow up:\nSo the final answer is: x").problems == ("a follow-up holds no question",)
    twice = parse_follow_ups("Follow up: Who?\nIntermediate answer: a\nIntermediate answer: b")
    assert twice.pairs == (FollowUp("Who?", "a"),)
    assert twice.problems == ("a second intermediate answer to a follow-up is left out",)


def test_the_first_final_answer_that_says_anything_counts():
    assert parse_follow_ups("So the final answer is:\nSo the final answer is: x\nSo the final answer is: y").final == "x"


@pytest.mark.parametrize(
    "text", ["We follow up: it", "The follow up was good.", "follow up", "Follow upon: x", "Followup to x: y"]
)
def test_words_that_only_look_alike_are_no_follow_up(text):
    assert parse_follow_ups(text).pairs == ()


def test_a_text_is_cut_before_a_marker_in_any_dress():
    text = "Follow up: Who?\n**Intermediate answer:** made up\nFollow up: Where?"
    assert cut_before(text, "intermediate") == "Follow up: Who?\n"
    assert cut_before(text, "final") == text
    assert cut_before(f"Intermediate answer: x\n{text}", "intermediate", behind="follow_up").startswith(
        "Intermediate answer: x\nF"
    )
    assert "made up" not in cut_before(f"Intermediate answer: x\n{text}", "intermediate", behind="follow_up")


# -- any text ----------------------------------------------------------------------------------------------------------

LINES = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters="*_`\"'“”‘’«».:;,[]"), min_size=1, max_size=12
).filter(lambda words: words.casefold() not in {"none", "no", "not", "nothing", "na", "n/a"} and any(map(str.isalnum, words)))


@given(st.lists(st.tuples(LINES, LINES), max_size=5), LINES)
def test_a_chain_of_any_words_comes_back_as_it_was_written(pairs, final):
    chain = "".join(f"\nFollow up: {query}?\nIntermediate answer: {answer}." for query, answer in pairs)
    read = parse_follow_ups(f" Yes.{chain}\nSo the final answer is: {final}")
    assert read.pairs == tuple(FollowUp(f"{query}?", answer) for query, answer in pairs)
    assert read.final == final
    assert read.problems == ()


PIECES = [
    "Follow up",
    "follow-up question",
    "Intermediate answer",
    "So the final answer is",
    "Question",
    "Final answer",
    ": x?",
]
SIGNS = [*" \n\r\t*_>#.?2(]`:", "**", "1. ", "- ", "Yes. "]
PASSAGES = messes([*PIECES, *SIGNS, *DRESSES], max_pieces=25)


@given(PASSAGES)
def test_any_text_can_be_read(text):
    read = parse_follow_ups(text)
    assert all(pair.query.strip() and "\n" not in pair.query + pair.answer for pair in read.pairs)


@given(PASSAGES)
def test_no_passage_asks_or_answers_when_the_model_repeats_it(text):
    for repeated in (escape(text), fence(text, text)):
        read = parse_follow_ups(repeated)
        assert (read.pairs, read.final, read.resumed, read.problems) == ((), "", "", ())
