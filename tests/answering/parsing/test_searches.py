"""A search between tags, what helps of its documents, and a boxed answer are read in any dress, and no passage writes one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.texts import messes

from hopweave.answering.methods.search_o1._searches import (
    WrittenSearch,
    ends_in_search,
    first_search,
    read_boxed,
    read_explanation,
    read_finding,
)
from hopweave.core.prompt import escape, fence

BEGIN, END = "<|begin_search_query|>", "<|end_search_query|>"
SEARCHES = {
    f"{BEGIN}Who wrote it?{END}": "Who wrote it?",
    f"{BEGIN} Who\nwrote it? {END} More.": "Who wrote it?",
    f"{BEGIN}Who wrote it?": "Who wrote it?",
    f"{BEGIN}\nWho wrote it?\nI will see.": "Who wrote it?",
    f'{BEGIN}"Who wrote it?"{END}': "Who wrote it?",
    "<begin_search_query>Who wrote it?<end_search_query>": "Who wrote it?",
    "<| Begin_Search_Query |>Who wrote it?<|end_search_query": "Who wrote it?",
    f"{BEGIN}Who wrote it?<|begin_search_result|>x<|end_search_result|>": "Who wrote it?",
    f"{BEGIN}Who wrote it?{END} {BEGIN}When?{END}": "Who wrote it?",
    f"{BEGIN}{END}": "",
    f"{BEGIN} ... {END}": "",
    BEGIN: "",
}


@pytest.mark.parametrize(("text", "query"), SEARCHES.items(), ids=SEARCHES)
def test_a_search_is_read_in_any_dress(text, query):
    assert first_search(text) == WrittenSearch(0, query)
    assert first_search(f"Hm. {text}") == WrittenSearch(4, query)


@pytest.mark.parametrize("text", ["", "begin_search_query", f"It is so.{END}", "<|begin_search_result|>x"])
def test_what_is_no_search_is_none(text):
    assert first_search(text) is None


@pytest.mark.parametrize(("text", "does"), [(f"a {BEGIN}b", True), (f"{BEGIN}a{END}", False), ("a", False)])
def test_a_text_ends_in_a_search_if_that_is_not_closed(text, does):
    assert ends_in_search(text) is does


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("Passage 2 helps.\nFinal information: It is Ida.", "It is Ida."),
        ("**Final Information**\n\nIt is Ida.", "It is Ida."),
        ("## Final information:\n- It is Ida.\n- She sang.", "- It is Ida.\n- She sang."),
        ("The final information is in passage 2. Final information: It is Ida.", "It is Ida."),
        ("It is Ida.\nFinal information:", "It is Ida."),
        ("It is Ida.", "It is Ida."),
        (f"Final information: It is {BEGIN}Ida{END}.", "It is Ida."),
        ("Final information: No helpful information found.", ""),
        ("**Final Information**\n**No relevant information was found**", ""),
        ("No helpful information", ""),
        ("Final information: No helpful information but one thing: it is Ida.",
         "No helpful information but one thing: it is Ida."),
        ("", ""),
    ],
)  # fmt: skip
def test_what_helps_is_read_after_its_marker_or_whole(text, finding):
    assert read_finding(text) == finding


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"\boxed{Perth}", "Perth"),
        (r"\boxed {Perth} or \boxed{Sula}", "Sula"),
        (r"\boxed{\text{Perth}}", "Perth"),
        (r"$\boxed{\mathrm{a}_{b}}$", "a_{b}"),
        (r"\boxed{5\%\ of it}", "5% of it"),
        (r"\boxed{Perth", "Perth"),
        (r"\boxed{}", ""),
        ("boxed{Perth}", ""),
    ],
)
def test_a_boxed_answer_is_read_without_latex(text, answer):
    assert read_boxed(text) == answer


@pytest.mark.parametrize(
    ("text", "explanation"),
    [("Hm. Final answer: a\nb", "a\nb"), ("**Final answer:** a", "a"), ("Final answer: a\nFinal answer:", "a"), ("a", "")],
)
def test_an_explanation_follows_its_marker(text, explanation):
    assert read_explanation(text) == explanation


QUERIES = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters="<>|\"'“”‘’„«»「」『』"), min_size=1, max_size=20
)


@given(QUERIES.filter(lambda query: any(map(str.isalnum, query))))
def test_any_query_comes_back_as_it_was_written(query):
    assert first_search(f"x {BEGIN}{query}{END}") == WrittenSearch(2, query)


PASSAGES = messes(
    [*SEARCHES, "<", "|", ">", " ", "\n", "*", ":", "{", "}", "\\", r"\boxed{x}", "begin_search_query", "Final information: x"],
    max_pieces=20,
)


@given(PASSAGES)
def test_any_text_can_be_read(text):
    search = first_search(text)
    assert search is None or (text[search.start] == "<" and "\n" not in search.query)
    read_boxed(text)
    assert BEGIN not in read_finding(text)


@given(PASSAGES)
@example("<begin_search_query0")
def test_no_passage_searches_or_answers_when_the_model_repeats_it(text):
    for shown in (escape(text), fence(text, text)):
        assert first_search(shown) is None
        assert not ends_in_search(shown)
        assert read_boxed(shown) == read_explanation(shown) == ""
