"""Fields are read in order however a model decorates them, and what was not written is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.texts import messes

from hopweave.answering.methods.dsp._fields import parse_fields
from hopweave.core.prompt import escape

NAMES = ("Rationale", "Search Query")
ENDS = ("Context", "Question")
LEAD = "The first thing to find out is:"

WRITTEN = {
    "as asked": "who wrote Emma.\n\nSearch Query: author of Emma",
    "its own name again": "Rationale: who wrote Emma.\nSearch Query: author of Emma",
    "its name and its lead again": f"Rationale: {LEAD} who wrote Emma.\nSearch Query: author of Emma",
    "its lead without its colon": f"{LEAD[:-1]} who wrote Emma.\nSearch Query: author of Emma",
    "its lead again": f"{LEAD.lower()} who wrote Emma.\nSearch Query: author of Emma",
    "the whole example again": f"Question: Who?\n\nRationale: {LEAD} who wrote Emma.\nSearch Query: author of Emma",
    "dashes first": "---\nwho wrote Emma.\nSearch Query: author of Emma",
    "bold": "who wrote Emma.\n**Search Query:** author of Emma",
    "bold around the name": "who wrote Emma.\n**Search query**: author of Emma",
    "behind a sentence": "who wrote Emma. Search Query: author of Emma",
    "other line breaks": "who wrote Emma.\r\nSEARCH QUERY : author of Emma\r\n",
    "quotes": 'who wrote Emma.\nSearch Query: "author of Emma"',
    "the value on the next line": "who wrote Emma.\nSearch Query:\nauthor of Emma",
    "more behind it": "who wrote Emma.\nSearch Query: author of Emma\nThat should find it.",
    "another example": "who wrote Emma.\nSearch Query: author of Emma\n\n---\n\nQuestion: And?\nSearch Query: no",
    "another example without dashes": "who wrote Emma.\nSearch Query: author of Emma\nQuestion: And?\nSearch Query: no",
    "a second query": "who wrote Emma.\nSearch Query: author of Emma\nSearch Query: no",
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_both_fields_are_read(text):
    read = parse_fields(text, NAMES, lead=LEAD, ends=ENDS)
    assert read.values == ("who wrote Emma.", "author of Emma")
    assert read.problems == ()


@pytest.mark.parametrize(
    ("text", "values", "problems"),
    [
        ("", ("", ""), ("the reply is empty",)),
        ("who wrote Emma", ("who wrote Emma", ""), ("the field Search Query was not written",)),
        ("who wrote Emma.\nSearch Query:", ("who wrote Emma.", ""), ("the field Search Query was not written",)),
        ("Search Query: Emma", ("", "Emma"), ("the field Rationale was not written",)),
        ("who.\n---\nSearch Query: Emma", ("who.", ""), ("the field Search Query was not written",)),
        ("who.\nQuestion: And?\nSearch Query: Emma", ("who.", ""), ("the field Search Query was not written",)),
        ("the search query: is not named here", ("the search query: is not named here", ""), None),
    ],
)
def test_what_was_not_written_is_empty_and_said(text, values, problems):
    read = parse_fields(text, NAMES, ends=ENDS)
    assert read.values == values
    assert problems is None or read.problems == problems


def test_a_text_may_begin_in_the_last_field():
    assert parse_fields("author of Emma\nmore", ["Search Query"]).values == ("author of Emma",)
    assert parse_fields("Search Query: author of Emma", ["Search Query"]).values == ("author of Emma",)


def test_a_long_last_field_has_all_of_its_lines():
    text = "it is so.\nAnswer: One.\n\nTwo.\n---\nQuestion: And?"
    assert parse_fields(text, ["Rationale", "Answer"], ends=ENDS, is_long=True).values == ("it is so.", "One.\n\nTwo.")


def test_names_that_a_passage_writes_are_not_fields():
    text = "Search Query: no\nAnswer: no\n**Search Query:** no"
    assert parse_fields(f"it says:\n{escape(text)}", NAMES).values[1] == ""


PIECES = messes(["Rationale:", "Search Query:", "Question:", "**", "---", LEAD, "who", *'\n\r ."_'], max_pieces=30)


@given(PIECES)
def test_any_text_gives_a_value_for_each_name_or_a_problem(text):
    read = parse_fields(text, NAMES, lead=LEAD, ends=ENDS)
    assert len(read.values) == len(NAMES)
    assert bool(read.problems) == (not all(read.values))
    assert all("\n" not in value for value in read.values)


@given(st.lists(st.from_regex(r"[A-Z][a-z]{1,9}( [a-z]{1,9}){0,5}", fullmatch=True), min_size=2, max_size=2))
def test_what_is_written_as_asked_is_read_back(values):
    text = f"{values[0]}.\n\nSearch Query: {values[1]}"
    assert parse_fields(text, NAMES, ends=ENDS).values == (f"{values[0]}.", values[1])
