"""Search queries are read one on a line, in whatever form they come."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.answering.parsing.queries import each_once, is_same_query, parse_queries

READ = {
    "one on a line": ("tower height\ntower builder", ["tower height", "tower builder"]),
    "questions and words": ("Who built it?\ntower height", ["Who built it?", "tower height"]),
    "blank lines": ("\ntower height\n\n\ntower builder\n", ["tower height", "tower builder"]),
    "numbered": ("1. tower height\n2) tower builder", ["tower height", "tower builder"]),
    "numbered below an announcement": ("Here are two\n1. tower height\n2. tower builder", ["tower height", "tower builder"]),
    "bullets": ("Sure:\n- tower height\n- tower builder", ["tower height", "tower builder"]),
    "an announcement": ("Queries:\ntower height\ntower builder", ["tower height", "tower builder"]),
    "labels": ("Query: tower height\n**Query:** tower builder", ["tower height", "tower builder"]),
    "quoted": ('"tower height"\n`tower builder`', ["tower height", "tower builder"]),
    "a fence": ("```\ntower height\n```", ["tower height"]),
    "JSON": ('{"queries": ["tower height", "tower builder"]}', ["tower height", "tower builder"]),
    "a line that is too long": ("tower height\n" + "word " * 200, ["tower height"]),
}


@pytest.mark.parametrize(("text", "queries"), READ.values(), ids=READ)
def test_queries_are_read_in_any_form(text, queries):
    assert list(parse_queries(text).items) == queries
    assert parse_queries(text).problems == ()


@pytest.mark.parametrize(("text", "problem"), [("", "the reply is empty"), ("...\n", "no query was found")])
def test_a_reply_without_a_query_says_so(text, problem):
    read = parse_queries(text)
    assert (read.items, read.problems) == ((), (problem,))


@given(st.text())
def test_any_text_is_read(text):
    read = parse_queries(text)
    assert bool(read.items) != bool(read.problems)


def test_a_query_that_repeats_another_or_was_asked_is_left_out():
    assert each_once(["Who?", "the who", "Where?", "?", "?"], asked=["where"]) == ["Who?", "?"]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("Who built the tower?", "who  built tower", True),
        ("Who built the tower?", "Who built the towers?", False),
        ("…", "…", True),
        ("…", "?", False),
        ("", "", True),
    ],
)
def test_a_query_is_the_same_however_its_words_are_written(one, other, is_same):
    assert is_same_query(one, other) is is_same
    assert is_same_query(other, one) is is_same
