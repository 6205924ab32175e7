"""What the explorer draws is computed by the server: marks with their steps, and the outline, whole or as it grows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.sample_records import all_records, searchain

from hopweave.core.types import Answer
from hopweave.record import Decision, Started, TextPiece
from hopweave.show.browser import GrowingDrawing, drawing_of, support_summary
from hopweave.show.outline import make_outline

LISTS = ("with_calls", "without_calls")


@pytest.mark.parametrize("record", all_records(), ids=lambda record: record.question.id)
def test_the_lists_hold_the_nodes_of_the_outline_each_with_its_parent(record):
    drawing = support_summary(record)["drawing"]
    for name in LISTS:
        walked = make_outline(record, calls=name == "with_calls").walk()
        expected = sorted((node.id, parent.id if parent else None, node.text) for node, parent in walked)
        assert [(row["id"], row["parent"], row["text"]) for row in drawing[name]] == expected


def test_marks_are_told_with_their_places_in_the_text_and_the_steps_behind_them():
    record = searchain()
    [claim, *_] = record.answer.claims
    number = claim.citations[0].mark
    behind = Decision(len(record.steps), None, "node", claim.query, {"query": claim.query})
    found = support_summary(replace(record, steps=(*record.steps, behind)))
    assert {mark["step"] for mark in found["marks"] if mark["number"] == number} == {behind.id}
    assert behind.id in {row["id"] for row in found["drawing"]["without_calls"]}
    for mark in found["marks"]:
        assert record.answer.text[mark["start"] : mark["end"]] == f"[{mark['number']}]"


def test_a_record_without_an_answer_has_no_marks():
    assert support_summary(replace(searchain(), answer=None))["marks"] == []
    assert support_summary(replace(searchain(), answer=Answer("In [1] and [7].", "x")))["marks"] == []


@pytest.mark.parametrize("record", all_records(), ids=lambda record: record.question.id)
def test_what_grows_ends_as_the_whole(record):
    growing, shown = GrowingDrawing(), {name: {} for name in LISTS}
    for step in record.steps:
        for event in (Started(step.id, step.parent, step.kind, "x"), TextPiece(step.id, "y"), step):
            for name, changed in growing.changes(event).items():
                assert not set(changed["gone"]) & {node["id"] for node in changed["nodes"]}
                for node_id in changed["gone"]:
                    del shown[name][node_id]
                shown[name] |= {node["id"]: node for node in changed["nodes"]}
    whole = drawing_of(record.steps, {})
    assert {name: [shown[name][key] for key in sorted(shown[name])] for name in LISTS} == whole


def test_a_call_that_has_not_ended_is_drawn_as_pending_and_goes_where_calls_are_left_out():
    growing = GrowingDrawing()
    growing.changes(Decision(0, None, "node", "Where? -> Ulm", {}))
    begun = growing.changes(Started(1, 0, "search", "Where?"))
    for name in LISTS:
        [node] = begun[name]["nodes"]
        assert (node["id"], node["parent"], node["kind"], node["text"], node["is_pending"]) == (1, 0, "search", "Where?", True)
    [call] = [step for step in searchain().steps if step.kind == "search"][:1]
    ended = growing.changes(replace(call, id=1, parent=0))
    assert ended["without_calls"]["gone"] == [1]
    assert [node["is_pending"] for node in ended["with_calls"]["nodes"] if node["id"] == 1] == [False]
