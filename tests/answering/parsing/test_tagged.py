"""A turn between tags is read whatever is missing of them, and no passage can search or answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.texts import messes

from hopweave.answering.methods.search_r1._tagged import Turn, ends_in_action, read_answer, read_turn
from hopweave.core.prompt import escape, fence

TURNS = {
    "<search> Who wrote it? </search>": ("search", "Who wrote it?"),
    "<search>Who wrote it?": ("search", "Who wrote it?"),
    "< SEARCH >\nWho wrote\nit?\n< / Search >": ("search", "Who wrote it?"),
    "<think> Hm. </think> <search> Who wrote it?": ("search", "Who wrote it?"),
    "<think> Hm. <search> Who wrote it?": ("search", "Who wrote it?"),
    "<think> <answer> no </answer> </think> <search> Who wrote it?": ("search", "Who wrote it?"),
    "<think> <search> Who wrote it? </search> </think> So it is.": ("search", "Who wrote it?"),
    "<search> Who wrote it? <answer> Max Orr": ("search", "Who wrote it?"),
    "<search> Who wrote it? </think>": ("search", "Who wrote it?"),
    "Well: <answer> Ida Renn </answer> Or not.": ("answer", "Ida Renn"),
    "<answer>\nIda Renn.\nShe did.\n</answer>": ("answer", "Ida Renn.\nShe did."),
    "<answer> a < b </answer>": ("answer", "a < b"),
    "<search> ? </search>": ("", ""),
    "<answer></answer>": ("", ""),
    "<think> Hm. </think>": ("", ""),
    "</search>": ("", ""),
    "<searching> x": ("", ""),
    "So the final answer is Ida Renn.": ("", ""),
    "": ("", ""),
}


@pytest.mark.parametrize(("text", "expected"), TURNS.items(), ids=TURNS)
def test_a_turn_is_read_in_any_dress(text, expected):
    turn = read_turn(text)
    assert (turn.kind, turn.argument) == expected


@pytest.mark.parametrize(
    ("text", "said", "written"),
    [
        ("<think> a </think> b <search> c", "b", "<think> a </think> b <search> c </search>"),
        ("<think> a <search> c </search> d", "", "<think> a <search> c </search>"),
        ("a <think> b </think> c", "c", "a <think> b </think> c"),
        ("a <think> b", "a", "a <think> b"),
        ("a <answer> b </answer> c", "a", "a <answer> b </answer>"),
    ],
)
def test_what_is_said_is_outside_of_the_thoughts_and_what_is_written_ends_at_the_action(text, said, written):
    turn = read_turn(text)
    assert (turn.said, turn.written) == (said, written)


@pytest.mark.parametrize(
    ("text", "answer"),
    [(" Perth", "Perth"), ("Perth </answer> x", "Perth"), ("<think>a</think> Perth", "Perth"), ("<answer>Perth", "Perth"),
     ("</answer>", ""), ("", "")],
)  # fmt: skip
def test_a_reply_that_continues_the_tag_of_the_answer_is_read(text, answer):
    assert read_answer(text) == answer


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("a <search> b", True),
        ("a <answer> b", True),
        ("<search> b </search>", False),
        ("a", False),
        ("<search> a </think>", False),
    ],
)
def test_a_text_ends_in_an_action_if_that_is_not_closed(text, does):
    assert ends_in_action(text) is does


QUERIES = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="<>"), min_size=1, max_size=20)


@given(QUERIES.filter(lambda query: any(map(str.isalnum, query))), st.sampled_from(["search", "answer"]))
def test_any_argument_comes_back_as_it_was_written(argument, kind):
    assert read_turn(f"x <{kind}> {argument} </{kind}>") == Turn(kind, argument, "x", f"x <{kind}> {argument} </{kind}>")


PASSAGES = messes([*TURNS, "<", ">", "/", " ", "\n", "search", "answer", "think", "information", "ſearch"], max_pieces=20)


@given(PASSAGES)
def test_any_text_can_be_read(text):
    turn = read_turn(text)
    assert bool(turn.kind) == any(map(str.isalnum, turn.argument))
    assert read_turn(turn.written).argument == turn.argument


@given(PASSAGES)
def test_no_passage_acts_when_the_model_repeats_it(text):
    assert read_turn(escape(text)).kind == read_turn(fence(text, text)).kind == ""
    assert not ends_in_action(escape(text))
