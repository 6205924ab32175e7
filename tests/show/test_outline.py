"""The outline is the one reading of a record that every drawing shares."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.sample_records import HOSTILE, Writer, all_records, failed, finish, graph, hostile, searchain

from hopweave.core.types import Question
from hopweave.record import Decision, ModelCall, Record, Timing, Trace
from hopweave.show.outline import Node, make_outline


def drawn(record: Record, *, calls: bool = True) -> list[Node]:
    return [node for node, _ in make_outline(record, calls=calls).walk()]


def only(nodes: list[Node], text: str) -> Node:
    (found,) = [node for node in nodes if text in node.text]
    return found


def with_decisions(*decisions: Decision) -> Record:
    return replace(finish(Trace(), Question("q", "?"), None), steps=decisions)


def test_a_verdict_is_shown_on_the_step_that_it_judges_with_the_branch_that_it_caused():
    node = only(drawn(searchain(), calls=False), "Light? \u2192 Robert Stev")
    assert (node.label, node.verdict, node.origin, node.tone) == ("node", "supported", "corrected", "good")
    assert (node.confidence, node.note) == (6.21, "the passage says Ines Halloran")
    assert [child.label for child in node.children] == ["branch"]
    assert [child.origin for child in node.children[0].children] == ["verified", "verified", "completed"]
    assert "verdict" not in [other.label for other in drawn(searchain())]
    assert only(drawn(searchain(), calls=False), "[unsolved]").note == ""  # it would only repeat the verdict


def test_a_step_with_two_verdicts_keeps_both_as_steps_of_their_own():
    node = Decision(0, None, "node", "q -> a")
    verdicts = [Decision(n, 0, "verdict", word, {"support": word}) for n, word in ((1, "supported"), (2, "duplicate"))]
    nodes = drawn(with_decisions(node, *verdicts))
    assert [other.verdict for other in nodes] == ["", "supported", "duplicate"]
    assert [other.tone for other in nodes] == ["plain", "good", "quiet"]


@pytest.mark.parametrize(
    ("label", "data", "verdict", "tone"),
    [
        ("verdict", {"support": "unsupported"}, "unsupported", "warn"),
        ("check", {"support": "plausible", "confidence": "high"}, "plausible", "plain"),
    ],
    ids=["without-a-parent", "unknown"],
)
def test_a_verdict_that_judges_no_step_is_drawn_as_one_and_an_unknown_one_without_a_colour(label, data, verdict, tone):
    (node,) = drawn(with_decisions(Decision(0, None, label, "no passage", data)))
    assert (node.label, node.verdict, node.tone, node.confidence) == (label, verdict, tone, None)


def test_a_verdict_on_a_verdict_is_not_lost():
    steps = [
        Decision(n, n - 1 if n else None, "verdict" if n else "node", "t", {"support": "unsupported"} if n else {})
        for n in range(4)
    ]
    assert len(drawn(with_decisions(*steps))) == 3
    assert only(drawn(with_decisions(*steps[:1])), "t").verdict == ""


def test_calls_can_be_left_out_and_what_hangs_under_them_moves_up():
    trace = Trace()
    write = Writer(trace)
    top = trace.decide("top", "", {})
    with trace.under(top):
        write.call("chain", "p", "r")
        with trace.under(1):
            trace.decide("inner", "inside the call", {})
    record = finish(trace, Question("q", "?"), None)
    assert [node.kind for node in drawn(record)] == ["decision", "model_call", "decision"]
    (root,) = make_outline(record, calls=False).nodes
    assert [child.label for child in root.children] == ["inner"]


def test_calls_are_drawn_under_the_decision_that_they_served():
    node = next(node for node in drawn(searchain()) if node.origin == "corrected")
    assert [child.label for child in node.children] == ["read", "reader", "chain", "branch"]


def test_what_failed_is_drawn_even_where_calls_are_not_with_the_words_that_could_not_be_read():
    nodes = drawn(failed(), calls=False)
    assert [node.label for node in nodes] == ["branch", "parse failure", "chain"]
    assert [node.tone for node in nodes[1:]] == ["bad", "bad"]
    assert nodes[2].text == "the language model failed: the endpoint said 503 (a retry may help)"
    assert only(drawn(failed()), "no query was found").details[0].text == "I am sorry, but\nI cannot."


def test_steps_that_waited_for_others_name_them_and_those_are_marked():
    outline = make_outline(graph())
    last = only([node for node, _ in outline.walk()], "Which came first")
    assert last.after == (1, 2)
    assert outline.awaited == {1, 2}


def test_what_waited_for_a_verdict_is_shown_as_waiting_for_the_judged_step_and_waiting_for_a_parent_is_not_said():
    node = Decision(0, None, "node", "q -> a")
    verdict = Decision(1, 0, "verdict", "", {"support": "supported"})
    last = Decision(2, None, "path", "a", after=(1,))
    assert drawn(with_decisions(node, verdict, last))[1].after == (0,)
    assert drawn(with_decisions(Decision(0, None, "a", ""), Decision(1, 0, "b", "", after=(0, 7))))[1].after == ()


def test_seconds_of_a_decision_count_calls_side_by_side_once():
    record = searchain()
    calls = [step for step in record.steps if isinstance(step, ModelCall)]
    together = [replace(calls[0], id=n, parent=0, timing=Timing(start, 2.0)) for n, start in ((1, 0.0), (2, 1.0), (3, 10.0))]
    record = replace(record, steps=(Decision(0, None, "top", ""), *together))
    assert drawn(record, calls=False)[0].seconds == pytest.approx(5.0)


def test_a_decision_without_calls_has_no_seconds():
    assert only(drawn(searchain()), "Edinburgh").seconds is None


def test_a_damaged_trace_is_drawn_whole():
    steps = [Decision(0, 2, "a", ""), Decision(1, 1, "b", ""), Decision(2, 0, "c", ""), Decision(3, 99, "d", "", after=(3, 99))]
    assert sorted(node.label for node in drawn(with_decisions(*steps))) == ["a", "b", "c", "d"]


def test_a_trace_of_any_depth_is_drawn():
    steps = [Decision(n, n - 1 if n else None, "step", str(n)) for n in range(3000)]
    assert len(drawn(with_decisions(*steps))) == 3000


def test_a_record_without_steps_has_an_empty_outline():
    outline = make_outline(with_decisions())
    assert (outline.question, outline.nodes) == ("?", ())


@pytest.mark.parametrize("record", all_records())
def test_every_step_is_drawn_once_or_folded_into_the_one_that_it_judges(record: Record):
    num_verdicts = sum(isinstance(step, Decision) and step.label == "verdict" for step in record.steps)
    ids = [node.id for node in drawn(record)]
    assert len(ids) == len(set(ids)) == len(record.steps) - num_verdicts


def test_labels_and_texts_are_single_lines_without_control_characters():
    for node in drawn(hostile()):
        for text in (node.label, node.text, node.note, node.verdict):
            assert text.isprintable(), text
    assert "\x1b" in HOSTILE


def test_a_search_tells_the_titles_that_it_found_and_a_read_its_answer():
    nodes = drawn(searchain())
    search = next(node for node in nodes if node.kind == "search")
    assert search.text.endswith("(4 hits)")
    assert search.details[0].text == "Carrow Head Light 8.50; Ines Halloran 7.50"
    read = next(node for node in nodes if node.kind == "read")
    assert read.text == "Who designed Carrow Head Light? \u2192 Ines Halloran (in Carrow Head Light)"


def test_a_call_answered_by_the_store_says_so():
    assert all(node.from_store for node in drawn(searchain(from_store=True)) if node.kind == "model_call")
