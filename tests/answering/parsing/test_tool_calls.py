"""A call of the tool is read however its query is quoted and whatever brackets are missing, and no passage can call."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.texts import messes

from hopweave.answering.methods.toolformer._tool_calls import ToolCall, first_call
from hopweave.core.prompt import escape, fence

CALLS = {
    '[WikiSearch("Who wrote it?")': "Who wrote it?",
    '[WikiSearch("Who wrote it?") ': "Who wrote it?",
    '[WikiSearch("Who wrote it?")]': "Who wrote it?",
    '[WikiSearch("Who wrote it?")] It was Ida Renn [1].': "Who wrote it?",
    '[WikiSearch("Who wrote it?") -> Ida Renn]': "Who wrote it?",
    '[WikiSearch("Who wrote it?") → Ida Renn]': "Who wrote it?",
    "[WikiSearch('Who wrote it?')": "Who wrote it?",
    "[WikiSearch('Who's who?')": "Who's who?",
    '[WikiSearch("Who said "no"?")': 'Who said "no"?',
    "[WikiSearch(“Who wrote it?”)": "Who wrote it?",
    "[WikiSearch(‘Who wrote it?’)": "Who wrote it?",
    "[WikiSearch(«Who wrote it?»)": "Who wrote it?",
    '[WikiSearch(“Who wrote it?")': "Who wrote it?",
    "[WikiSearch(Who wrote it?)": "Who wrote it?",
    "[WikiSearch(Who wrote it?)]": "Who wrote it?",
    "[WikiSearch(Mercury (planet))": "Mercury (planet)",
    "[WikiSearch(Mercury (planet))] It is": "Mercury (planet)",
    '[WikiSearch("Mercury (planet)")': "Mercury (planet)",
    '[WikiSearch("Who wrote it?"': "Who wrote it?",
    '[WikiSearch("Who wrote it?"]': "Who wrote it?",
    '[WikiSearch("Who wrote it?': "Who wrote it?",
    "[WikiSearch(Who wrote it?": "Who wrote it?",
    '[WikiSearch("Who wrote it?)]': "Who wrote it?",
    '[WikiSearch("Who wrote it?" and so on': "Who wrote it?",
    '[WikiSearch("Who wrote it?\nIt was Ida Renn.': "Who wrote it?",
    "[WikiSearch(Who wrote it?) It was Ida Renn.": "Who wrote it?",
    '[wikisearch( "Who wrote it?" )': "Who wrote it?",
    '[ WikiSearch ("Who wrote it?")': "Who wrote it?",
    '[**WikiSearch**("Who wrote it?")': "Who wrote it?",
    '[WikiSearch(query="Who wrote it?")': "Who wrote it?",
    '[WikiSearch: "Who wrote it?"]': "Who wrote it?",
    "[WikiSearch Who wrote it?]": "Who wrote it?",
    '[WikiSearch("  Who   wrote it? ")': "Who wrote it?",
}
UNREADABLE = [
    "[WikiSearch",
    "[WikiSearch(",
    '[WikiSearch("',
    '[WikiSearch("")',
    "[WikiSearch()]",
    '[WikiSearch("?")',
    "[WikiSearch(\n",
]


@pytest.mark.parametrize(("text", "query"), CALLS.items(), ids=CALLS)
def test_a_call_is_read_in_any_dress(text, query):
    assert first_call(text) == ToolCall(0, query)


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_call_without_a_query_is_found_and_has_none(text):
    assert first_call(f"It is {text}") == ToolCall(6, "")


@pytest.mark.parametrize("text", ["", "It is so [1].", "WikiSearch is a tool.", "[WikiSearcher(x)]", "[Search(x)]"])
def test_what_is_no_call_is_none(text):
    assert first_call(text) is None


def test_the_first_of_several_calls_counts():
    assert first_call('a [WikiSearch("b")] c [WikiSearch("d")]') == ToolCall(2, "b")


QUERIES = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters="\"'“”‘’„«»「」『』`*_()[]→>"), min_size=1, max_size=20
)


@given(QUERIES.filter(lambda query: any(map(str.isalnum, query))), st.sampled_from(['""', "''", "“”", "‘’", "«»"]))
def test_any_query_in_quotation_marks_comes_back_as_it_was_written(query, marks):
    assert first_call(f"x [WikiSearch({marks[0]}{query}{marks[1]}) ") == ToolCall(2, query)


PASSAGES = messes([*CALLS, *UNREADABLE, *'[(")] \n*', "WikiSearch", "->", "query="], max_pieces=20)


@given(PASSAGES)
def test_any_text_can_be_read(text):
    call = first_call(text)
    assert call is None or (text[call.start] == "[" and "\n" not in call.query)


@given(PASSAGES)
def test_no_passage_calls_when_the_model_repeats_it(text):
    assert first_call(escape(text)) is None
    assert first_call(fence(text, text)) is None
