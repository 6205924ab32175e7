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
        ("the Teel\nthe Orl", ("the Teel", "the Orl")),
        ("The Teel.\nThe Orl.", ("The Teel", "The Orl")),
        ("The likeliest are:\n\nthe Teel\nthe Orl\n\nBoth of them are named there.", ("the Teel", "the Orl")),
        ("Answer 1: the Teel\nAnswer 2: the Orl", ("the Teel", "the Orl")),
        ("**Answer 1:** the Teel\n**Answer 2:** the Orl", ("the Teel", "the Orl")),
        ("Answer 1:\nthe Teel\nAnswer 2:\nthe Orl", ("the Teel", "the Orl")),
        ("the Teel", ("the Teel",)),
        ("Answer: the Teel", ("the Teel",)),
        (
            json.dumps({"answers": [{"answer": "the Teel", "why": "it is long"}, {"rank": 2, "answer": "the Orl"}]}),
            ("the Teel", "the Orl"),
        ),
        (json.dumps({"answers": [{"why": "it is long", "answer": 1902}, {"river": "the Orl"}]}), ("1902", "the Orl")),
    ],
)
def test_short_answers_are_read(text, answers):
    found = parse_candidates(text, SHORT, 2)
    assert (found.answers, found.problems) == (answers, ())


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("1. **Rome** - Ida Renn was born there, according to passage 1.\n2. **Paris** - she died there.", ("Rome", "Paris")),
        ("1. Rome - Ida Renn was born there\n2. Paris — it is where she died", ("Rome", "Paris")),
        ("- **Rome** – birthplace of Ida Renn", ("Rome",)),
        (objects("Rome - passage 1 names it"), ("Rome",)),
        ("1. Rome - Fiumicino Airport - it was opened in 1961", ("Rome - Fiumicino Airport",)),
        ("1. Jean-Luc Picard\n2. Rome - Fiumicino Airport", ("Jean-Luc Picard", "Rome - Fiumicino Airport")),
        ("1. Star Trek - The Next Generation.\n2. 1939 – 1945", ("Star Trek - The Next Generation", "1939 – 1945")),
        (objects("The Tide - A Life That Was"), ("The Tide - A Life That Was",)),
    ],
)  # fmt: skip
def test_what_explains_an_answer_behind_a_dash_is_left_out_and_a_name_with_a_dash_is_kept(text, answers):
    assert parse_candidates(text, SHORT, 2).answers == answers


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot tell.",
        "NO!",
        "The passages name two rivers.\nOne of them is the Teel.",
        '{"answers": [\n]\n}',
        objects(),
        objects("?!", "unknown"),
        objects(None, []),
        "]]{",
    ],
)
def test_a_reply_without_an_answer_is_a_problem(text):
    found = parse_candidates(text, SHORT, 2)
    assert (found.answers, len(found.problems)) == ((), 1)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (objects("no", "YES"), ("No", "Yes")),
        (objects("no", "maybe"), ("No",)),
        ("Perhaps.\nOr yes", ("Yes",)),
        ("No\n**Yes**", ("No", "Yes")),
        ("Answer 1: no\nAnswer 2: perhaps", ("No", "Perhaps")),
        ("1. Yes - it was no accident", ("Yes",)),
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
    assert parse_candidates("It was built by her.\nNobody did.", LONG, 2).answers == ("It was built by her. Nobody did.",)
    assert parse_candidates("1. It was - as it is - old.", LONG, 2).answers == ("It was - as it is - old.",)


@given(st.text(), st.sampled_from([SHORT, LABEL, LONG]), st.integers(1, 3))
def test_any_text_is_accepted(text, question, num):
    found = parse_candidates(text, question, num)
    assert len(found.answers) <= num
    assert bool(found.answers) != bool(found.problems)
    assert question.form != "label" or set(found.answers) <= set(LABEL.labels)
