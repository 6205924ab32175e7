"""A Mermaid chart holds what happened, and no text can break it.

That Mermaid itself (11.17) parses and shows these texts as they are was tried by hand; here its grammar is held to by a
pattern that is narrower than the grammar.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from support.drawings import assert_is_chart
from support.hostile import CHART_SIGNS
from support.sample_records import HOSTILE, all_records, failed, finish, graph, searchain

from hopweave.core.types import Answer, Claim, Question, Verdict
from hopweave.record import Decision, Record, Trace
from hopweave.show.mermaid import MAX_EDGES, draw_mermaid, escape

NASTY = [*CHART_SIGNS, HOSTILE]


def unescaped(text: str) -> str:
    return re.sub(r"#(\d+);", lambda match: chr(int(match[1])), text)


@pytest.mark.parametrize("calls", [False, True])
@pytest.mark.parametrize("record", all_records())
def test_every_record_is_a_chart(record: Record, calls: bool):
    assert_is_chart(draw_mermaid(record, calls=calls))


@pytest.mark.parametrize("text", NASTY)
def test_no_text_breaks_the_chart(text: str):
    trace = Trace()
    top = trace.decide(text, text, {"support": text})
    with trace.under(top):
        trace.parse_failed(text, text, text)
    assert_is_chart(draw_mermaid(finish(trace, Question("q", text), None)))


@pytest.mark.parametrize("text", ["end", "a|b [c] {d} #35; `e`", "Who? -> \u00c9mile", "1. item"])
def test_an_escaped_text_shows_as_it_was(text: str):
    assert unescaped(escape(text)) == text


def test_what_mermaid_reads_after_the_entities_is_parted_by_an_invisible_joiner():
    shown = unescaped(escape("direction LR, $$x$$, fas:fa-car, \\n"))
    assert shown == "direction\u2060 LR, $\u2060$x$\u2060$, fas:\u2060fa-car, \\\u2060n"


def test_parents_are_solid_and_after_is_dashed():
    source = draw_mermaid(graph())
    assert "  s0 --> s3\n" in source
    assert "  s1 -.-> s3\n  s2 -.-> s3\n" in source
    assert "  question --> s0\n" in source


def test_verdicts_are_written_and_coloured():
    source = draw_mermaid(searchain())
    assert "<i>supported, corrected (6.21)#58; the passage says Ines Halloran</i>" in source
    assert re.search(r"  class s3,s10,s13,s16,s20 good\n", source)
    assert "classDef good fill:" in source


def test_the_answer_is_the_last_node_in_the_look_of_how_it_stands():
    source = draw_mermaid(searchain())
    assert "<b>Port Merrow</b><br/>#10003; The answer rests on a passage#58; 3 of 4 claims rest on a passage" in source
    assert "  style answer fill:#e2f2e4" in source
    answer = Answer("x.", "x", (Claim("q", "x"),), verdict=Verdict("unsupported", 1, 1))
    assert "  style answer fill:#fbf0d3" in draw_mermaid(replace(searchain(), answer=answer))


def test_calls_are_drawn_only_when_asked_for_but_failures_always():
    assert '(["' not in draw_mermaid(searchain())
    assert '(["<b>reader</b>' in draw_mermaid(searchain(), calls=True)
    assert "503" in draw_mermaid(failed())


def test_a_long_text_is_cut():
    assert len(unescaped(escape("word " * 500))) <= 140
    assert escape("\u00a7" * 100, max_written=24) == "#167;" * 4 + "\u2026"


def test_a_huge_trace_stays_within_what_mermaid_accepts():
    steps = tuple(Decision(n, None, HOSTILE, HOSTILE * 3, after=tuple(range(max(0, n - 3), n))) for n in range(900))
    source = draw_mermaid(replace(finish(Trace(), Question("q", HOSTILE), None), steps=steps))
    assert_is_chart(source)
    assert len(source) < 50_000
    assert source.count("->") == MAX_EDGES
    assert "and 600 more steps" in source
