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


QUOTE = "<mark>It was designed by the engineer </mark><mark><b>Ines Halloran</b></mark><mark> and first lit in 1874.</mark>"
UNCITED = replace(searchain(), answer=Answer("x [7]", "x", (Claim("q", "x"),)))
PARTS = {
    "mark": (searchain(), 'designed by Ines Halloran <a href="#cite-1" class="mark">[1]</a>'),
    "citation": (searchain(), 'id="cite-3"'),
    "mark without a citation": (UNCITED, "x [7]</p>"),
    "quote in its passage": (searchain(), f"Tarn Island. {QUOTE} Its lamp"),
    "chip": (searchain(), '<span class="chip good">\u2713 supported, corrected</span>'),
    "what a claim rests on": (
        searchain(),
        '<td class="marks"><a href="#cite-2" class="mark">[2]</a> <a href="#cite-3" class="mark">[3]</a></td>',
    ),
    "what a step waited for": (graph(), 'after <a href="#step-1">step 1</a>, <a href="#step-2">step 2</a>'),
    "call": (searchain(), '<td class="number">6.00</td><td>\u2013</td>'),
    "call from the store": (searchain(from_store=True), '<td class="number">6.00</td><td>yes</td>'),
    "scheme of the system": (searchain(), "prefers-color-scheme: dark"),
    "width of the screen": (searchain(), "width=device-width"),
}


@pytest.mark.parametrize(("record", "part"), PARTS.values(), ids=PARTS)
def test_each_part_of_a_record_is_on_the_page(record: Record, part: str):
    assert part in draw_page(record)


def test_the_tree_nests():
    assert re.search(r'id="step-0">.*<ul><li class="decision tone-plain" id="step-1">', draw_page(graph()))


def test_every_prompt_and_reply_is_there_and_a_repeated_message_once():
    page = Page(draw_page(searchain()))
    for text in ("According to the Reference, the answer should be Ines Halloran", "Says the passage who designed it?"):
        assert text in page.text
    assert draw_page(searchain()).count('<pre dir="auto">You answer step by step.</pre>') == 1
    assert page.text.count("as before") == 3


def test_the_setup_is_complete():
    text = Page(draw_page(searchain())).text
    said = ["qwen2.5-coder-1.5b@cc324af0", "bm25@77ab", "dpr@1f0c", "max_rounds = 5", "max_llm_calls = 20", "corpus = harbours"]
    for one in (*said, "searchain.chain = 0123456789abcdef"):
        assert one in text


def test_a_failed_question_shows_its_error_and_no_empty_sections():
    page = Page(draw_page(failed()))
    assert "No answer: the language model failed: the endpoint said 503 three times (a retry may help)" in page.text
    assert not {"claims", "citations"} & set(page.values("id"))


def test_two_citations_with_one_mark_are_both_shown():
    twice = (cite(1, LIGHTHOUSE, "Tarn"), cite(1, LIGHTHOUSE, "Island"))
    record = replace(searchain(), answer=Answer("a [1]", "a", (Claim("q", "a", "verified", "supported", twice),)))
    page = Page(draw_page(record))
    assert page.tags["blockquote"] == 2


def test_the_same_record_makes_the_same_page():
    assert draw_page(searchain()) == draw_page(searchain())
