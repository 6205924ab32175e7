"""The answers that a model proposes are read from an object, a list or a sentence, each once."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.answering.methods.sure._candidates import parse_candidates
from hopweave.core.types import Question

SHORT = Question("s", "Which river?")
LABEL = Question("l", "Is it?", "label", ("Yes", "No", "Perhaps"))
LONG = Question("e", "Why?", "long")


def objects(*answers):
    return json.dumps({"answers": answers})


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (objects("the Teel", "the Orl"), ("the Teel", "the Orl")),
        ('{"answers": ["the Teel", "the Or', ("the Teel", "the Or")),
        (objects(1902, 1904), ("1902", "1904")),
        ("1. the Teel\n2. the Orl", ("the Teel", "the Orl")),
        ("- **the Teel**\n- the Orl.", ("the Teel", "the Orl")),
        ("(a) the Teel\n(b) the Orl", ("the Teel", "the Orl")),
        ('["the Teel", "the Orl"]', ("the Teel", "the Orl")),
        ("So the answer is the Teel.", ("the Teel",)),
        (objects("the Teel", "The Teel.", "Orl"), ("the Teel", "Orl")),
        (objects("unknown", "the Teel", "not stated"), ("the Teel",)),
        (objects("a", "b", "c"), ("a", "b")),
        (objects("the answer\u2060 is it"), ("the answer is it",)),
    ],
)
def test_short_answers_are_read(text, answers):
    found = parse_candidates(text, SHORT, 2)
    assert (found.answers, found.problems) == (answers, ())


@pytest.mark.parametrize("text", ["", "I cannot tell.", objects(), objects("?!", "unknown"), objects(None, []), "]]{"])
def test_a_reply_without_an_answer_is_a_problem(text):
    found = parse_candidates(text, SHORT, 2)
    assert (found.answers, len(found.problems)) == ((), 1)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (objects("no", "YES"), ("No", "Yes")),
        (objects("no", "maybe"), ("No",)),
        ("Perhaps.\nOr yes", ("Yes",)),
        (objects("maybe"), ()),
    ],
)
def test_only_labels_are_answers_where_one_is_asked_for(text, answers):
    assert parse_candidates(text, LABEL, 2).answers == answers


def test_long_answers_are_sentences():
    assert parse_candidates(objects("It  was\nbuilt.", "It fell."), LONG, 2).answers == ("It was built.", "It fell.")
    assert parse_candidates("It was built by her. Nobody else did.", LONG, 2).answers == (
        "It was built by her. Nobody else did.",
    )


@given(st.text(), st.sampled_from([SHORT, LABEL, LONG]), st.integers(1, 3))
def test_any_text_is_accepted(text, question, num):
    found = parse_candidates(text, question, num)
    assert len(found.answers) <= num
    assert bool(found.answers) != bool(found.problems)
    assert question.form != "label" or set(found.answers) <= set(LABEL.labels)
