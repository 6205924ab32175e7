"""What a model thought, and which tools it called, is shown folded in every drawing, as text, and taken for no answer."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console
from support.drawings import Page, assert_inert
from support.sample_records import HOSTILE, THOUGHTS, searchain, thinking

from hopweave.core.types import ToolCall, Usage
from hopweave.evaluation.metrics.tokens import Tokens
from hopweave.evaluation.metrics.words import Words
from hopweave.record import ModelCall, Record
from hopweave.show.browser import support_summary
from hopweave.show.cost_line import tally_line, tally_list
from hopweave.show.mermaid import draw_mermaid
from hopweave.show.outline import make_outline
from hopweave.show.record_html import draw_page
from hopweave.show.terminal import draw_record, draw_tree
from hopweave.show.thinking import MAX_THOUGHTS_CHARACTERS, bounded, called_text, thinking_text

LAST_WORDS = "so I search for the light of Carrow Head."
CALLED = 'search {"query": "Carrow Head Light"}'


def shown(record: Record, **wanted: bool) -> str:
    stream = StringIO()
    Console(file=stream, width=110).print(draw_record(record, **wanted))
    return stream.getvalue()


def calls_of(record: Record) -> list[ModelCall]:
    return [step for step in record.steps if isinstance(step, ModelCall)]


@pytest.mark.parametrize(
    ("usage", "thoughts", "said"),
    [
        (Usage(1, 1204, thinking_tokens=1204), "", "thought for 1,204 tokens"),
        (Usage(1, 5, thinking_tokens=1), "Hm.", "thought for 1 token"),
        (Usage(1, 5), "Let me see.", "thought for about 3 tokens"),
        (Usage(1, 5), "", ""),
        (Usage(1, 5), " \n", ""),
    ],
)
def test_how_much_was_thought_is_said_and_an_estimate_is_called_one(usage: Usage, thoughts: str, said: str):
    assert thinking_text(usage, thoughts) == said


def test_the_outline_has_the_thoughts_and_the_calls_of_tools_apart_from_the_reply():
    first, _, second = [node for node, _ in make_outline(thinking()).walk()]
    assert (first.text, first.called, first.thinking, first.thoughts) == ("", CALLED, "thought for 100 tokens", THOUGHTS)
    assert [(detail.name, detail.text) for detail in first.details] == [
        ("tokens", "30 in, 120 out (of which 100 thinking)"),
        ("finished", "tool_calls"),
        ("called search", '{"query": "Carrow Head Light"}'),
    ]
    assert (second.text, second.called, second.thinking) == ("Ines Halloran", "", "thought for about 3 tokens")
    assert not any(node.thinking or node.thoughts or node.called for node, _ in make_outline(searchain()).walk())


def test_a_terminal_shows_thoughts_only_on_request_and_otherwise_a_line():
    assert "thought for" not in shown(thinking())
    with_calls = shown(thinking(), calls=True)
    assert f"agent  \u2192 {CALLED}" in with_calls
    assert "thought for 100 tokens\n" in with_calls
    assert LAST_WORDS not in with_calls
    assert "what the model wrote for itself before it replied" in with_calls
    assert LAST_WORDS in shown(thinking(), thoughts=True)
    stream = StringIO()
    Console(file=stream, width=110).print(draw_tree(thinking(), thoughts=True))
    assert LAST_WORDS in stream.getvalue()


def test_a_page_has_thoughts_folded_next_to_the_reply_and_the_turns_with_tools_whole():
    text = draw_page(thinking())
    page = Page(text)
    assert (
        text.count('<details class="said thoughts"><summary><span class="role">Thoughts</span>') == 3
    )  # two replies, one sent
    assert LAST_WORDS in page.text
    assert "Thoughts 100 tokens" in page.text
    assert "result of call_1" in page.text
    assert "calls a tool, as call_1" in page.text
    assert page.text.count("thinking") >= 2  # the column of the calls and the tally
    assert "thinking" not in Page(draw_page(searchain())).text


def test_a_chart_shows_neither_thoughts_nor_tools():
    chart = draw_mermaid(thinking(), calls=True)
    assert "search for the light" not in chart
    assert "query" not in chart


def test_the_explorer_gets_how_much_was_thought_and_what_was_called_with_each_node():
    summary = support_summary(thinking())
    first = summary["drawing"]["with_calls"][0]
    assert (first["thinking"], first["called"]) == ("thought for 100 tokens", CALLED)
    assert summary["totals"]["thinking_tokens"] == 100
    assert THOUGHTS not in str(summary["drawing"])  # the record has them; the drawing need not repeat them


@pytest.mark.parametrize("text", [HOSTILE, "</details></pre><script>alert(1)</script>", "\x1b[31m\u202e\x00"])
def test_nothing_in_thoughts_is_taken_for_markup_or_a_command(text: str):
    record = thinking(text)
    assert_inert(draw_page(record))
    assert "\x1b" not in shown(record, thoughts=True)
    assert "<script" not in draw_page(record)


def test_long_thoughts_are_whole_in_the_record_and_bounded_in_drawings():
    long = "It was long. " * 10_000
    record = Record.from_json(thinking(long).to_json())
    assert calls_of(record)[0].thoughts == long
    assert bounded(long).endswith("110,000 more characters are in the record")
    assert len(draw_page(record)) < len(draw_page(thinking())) + 4 * MAX_THOUGHTS_CHARACTERS
    assert len(shown(record, thoughts=True)) < 4 * MAX_THOUGHTS_CHARACTERS
    assert bounded("short") == "short"


def test_many_calls_of_tools_are_cut_to_a_line():
    calls = [ToolCall(str(number), "search", '{"query": "a\nb"}') for number in range(40)]
    assert called_text(calls[:2]) == 'search {"query": "a b"}; search {"query": "a b"}'
    assert len(called_text(calls)) <= 160


def test_usage_says_how_many_of_the_tokens_were_thought_only_if_any_were():
    assert "120 + 140 tokens (of which 100 thinking) \u00b7" in tally_line(thinking())
    assert dict(tally_list(thinking()))["of them thinking"] == "100"
    assert "thinking" not in tally_line(searchain())
    assert "of them thinking" not in dict(tally_list(searchain()))


def test_thoughts_are_tokens_of_the_reply_and_no_words_of_it():
    record = thinking()
    totals = record.totals()
    assert (totals.completion_tokens, totals.thinking_tokens, totals.reply_words) == (140, 100, 2)
    without = replace(record, steps=tuple(replace(s, thoughts="") if isinstance(s, ModelCall) else s for s in record.steps))
    assert Words().score(record, None) == Words().score(without, None)
    tokens = Tokens().score(record, None)
    assert (tokens["thinking_tokens"], tokens["completion_tokens"], tokens["total_tokens"]) == (100.0, 140.0, 260.0)
