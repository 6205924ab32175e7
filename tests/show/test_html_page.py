"""The page of a record is whole, self-contained, and inert whatever stands in the texts."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from support.drawings import Page, assert_inert
from support.sample_records import LIGHTHOUSE, all_records, cite, failed, graph, hostile, searchain

from hopweave.core.types import Answer, Claim
from hopweave.record import Record
from hopweave.show.record_html import draw_page


@pytest.mark.parametrize("record", all_records())
def test_elements_nest_and_every_link_has_its_target(record: Record):
    page = Page(draw_page(record))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in page.values("href")} <= set(ids)


@pytest.mark.parametrize("record", all_records())
def test_nothing_is_loaded_and_nothing_runs(record: Record):
    assert_inert(draw_page(record))


def test_hostile_text_is_shown_as_text():
    page = Page(draw_page(hostile()))
    assert page.text.count("<script>alert(1)</script>") > 10
    assert "script" not in page.tags


def test_the_answer_links_its_marks_to_its_citations():
    source = draw_page(searchain())
    assert 'designed by Ines Halloran <a href="#cite-1" class="mark">[1]</a>' in source
    assert 'id="cite-3"' in source


def test_a_mark_without_a_citation_is_not_a_link():
    record = replace(searchain(), answer=Answer("x [7]", "x", (Claim("q", "x"),)))
    assert "x [7]</p>" in draw_page(record)


def test_a_quote_is_highlighted_within_its_passage_and_its_focus_bold():
    source = draw_page(searchain())
    quote = "<mark>It was designed by the engineer </mark><mark><b>Ines Halloran</b></mark><mark> and first lit in 1874.</mark>"
    assert f"Tarn Island. {quote} Its lamp" in source


def test_claims_have_chips_and_name_what_they_rest_on():
    source = draw_page(searchain())
    assert '<span class="chip good">\u2713 supported, corrected</span>' in source
    assert '<td class="marks"><a href="#cite-2" class="mark">[2]</a> <a href="#cite-3" class="mark">[3]</a></td>' in source


def test_the_tree_nests_and_links_what_it_waited_for():
    source = draw_page(graph())
    assert 'after <a href="#step-1">step 1</a>, <a href="#step-2">step 2</a>' in source
    assert re.search(r'id="step-0">.*<ul><li class="decision tone-plain" id="step-1">', source)


def test_every_prompt_and_reply_is_there_and_a_repeated_message_once():
    page = Page(draw_page(searchain()))
    for text in ("According to the Reference, the answer should be Ines Halloran", "Says the passage who designed it?"):
        assert text in page.text
    assert draw_page(searchain()).count('<pre dir="auto">You answer step by step.</pre>') == 1
    assert page.text.count("as before") == 3


def test_calls_are_listed_with_tokens_words_seconds_and_store():
    assert '<td class="number">6.00</td><td>\u2013</td>' in draw_page(searchain())
    assert '<td class="number">6.00</td><td>yes</td>' in draw_page(searchain(from_store=True))


def test_the_setup_is_complete():
    text = Page(draw_page(searchain())).text
    for said in (
        "qwen2.5-coder-1.5b@cc324af0",
        "bm25@77ab",
        "dpr@1f0c",
        "max_rounds = 5",
        "max_llm_calls = 20",
        "corpus = harbours",
    ):
        assert said in text
    assert "searchain.chain = 0123456789abcdef" in text


def test_a_failed_question_shows_its_error_and_no_empty_sections():
    page = Page(draw_page(failed()))
    assert "No answer. ModelError: the endpoint said 503 three times (a retry may help)" in page.text
    assert not {"claims", "citations"} & set(page.values("id"))


def test_two_citations_with_one_mark_are_both_shown():
    twice = (cite(1, LIGHTHOUSE, "Tarn"), cite(1, LIGHTHOUSE, "Island"))
    record = replace(searchain(), answer=Answer("a [1]", "a", (Claim("q", "a", "verified", "supported", twice),)))
    page = Page(draw_page(record))
    assert page.tags["blockquote"] == 2


def test_a_page_follows_the_scheme_of_the_system_and_the_width_of_the_screen():
    source = draw_page(searchain())
    assert "prefers-color-scheme: dark" in source
    assert "width=device-width" in source


def test_the_same_record_makes_the_same_page():
    assert draw_page(searchain()) == draw_page(searchain())
