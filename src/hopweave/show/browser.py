"""The data that the explorer draws: the positions of an answer's marks, and the outline of its steps, complete or as it grows.

The browser gets plain data and repeats no rule: nodes in a flat list, each with its parent, since a trace may be nested more
deeply than JSON parsers allow. There are two lists: with calls of the model, searches and readings, and without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hopweave.record import AnyStep, Decision, Event, Record, Started, Step, TextPiece
from hopweave.show.legend import banner_of
from hopweave.show.outline import Node, Outline, outline_of, step_behind
from hopweave.show.own_checks import own_checks
from hopweave.text.citation_marks import single_marks, without_leading_mark

Drawing = dict[str, list[dict[str, Any]]]
"""The nodes to draw, under `with_calls` and `without_calls`."""


def support_summary(record: Record) -> dict[str, Any]:
    """The support of a record's answer, its cost, the positions of its marks, and the drawing of its steps.

    Each of `marks` has the `number`, its `start` and `end` in the text of the answer, in code points, and the `step` that it
    leads to (`None` if there is none). `own_checks` has what the method's own checks found, by the number of the claim.
    """
    answer = record.answer
    known = {citation.mark for citation in answer.citations} if answer is not None else set()
    steps = {number: step_behind(record, number) for number in known}
    marks = [{**asdict(mark), "step": steps[mark.number]} for mark in single_marks(answer.text, known)] if answer else []
    return {
        "banner": asdict(banner_of(answer, record.steps)) if answer is not None else None,
        "totals": asdict(record.totals()),
        "fingerprint": record.fingerprint,
        "own_checks": own_checks(record.steps),
        "marks": marks,
        "steps_of_marks": steps,
        "drawing": drawing_of(record.steps, {passage.id: passage.title or passage.id for passage in record.passages}),
    }


def drawing_of(steps: Sequence[Step], titles: Mapping[str, str], under_way: Mapping[int, str] | None = None) -> Drawing:
    """The nodes of some steps, in order of their ids.

    Args:
        steps: in order of their ids.
        titles: the titles of passages, by id.
        under_way: for each step that represents a call still in progress, the kind of that call.
    """
    both = {"with_calls": True, "without_calls": False}
    return {name: _flat(outline_of("", steps, titles, calls=calls), under_way or {}) for name, calls in both.items()}


class GrowingDrawing:
    """The drawing of a question that is being answered, as the changes that each event makes to it."""

    def __init__(self) -> None:
        self._steps: dict[int, AnyStep] = {}
        self._under_way: dict[int, Started] = {}
        self._drawn: dict[str, dict[int, dict[str, Any]]] = {}

    def changes(self, event: Event) -> dict[str, Any]:
        """The changes that an event makes: for each list, the new or changed `nodes`, and the ids that are `gone`."""
        if isinstance(event, TextPiece):
            return {}
        if isinstance(event, Started):
            self._under_way[event.id] = event
        else:
            self._under_way.pop(event.id, None)
            self._steps[event.id] = event
        waiting = [_waiting(started) for started in self._under_way.values()]
        steps = sorted([*self._steps.values(), *waiting], key=lambda step: step.id)
        drawing = drawing_of(steps, {}, {one.id: one.kind for one in self._under_way.values()})
        changed: dict[str, Any] = {}
        for name, nodes in drawing.items():
            before, now = self._drawn.get(name, {}), {node["id"]: node for node in nodes}
            gone = [node_id for node_id in before if node_id not in now]
            changed[name] = {"nodes": [node for node_id, node in now.items() if before.get(node_id) != node], "gone": gone}
            self._drawn[name] = now
        return changed


def _waiting(started: Started) -> Decision:
    """A call in progress, as a step that can be drawn."""
    label, text = (started.label, "") if started.kind == "model_call" else (started.kind, started.label)
    return Decision(started.id, started.parent, label, text)


def _flat(outline: Outline, under_way: Mapping[int, str]) -> list[dict[str, Any]]:
    rows = [_row(node, parent, under_way) for node, parent in outline.walk()]
    return sorted(rows, key=lambda row: row["id"])


def _row(node: Node, parent: Node | None, under_way: Mapping[int, str]) -> dict[str, Any]:
    return {
        "id": node.id,
        "parent": parent.id if parent is not None else None,
        "kind": under_way.get(node.id, node.kind),
        "label": node.label,
        "text": node.text,
        "words": without_leading_mark(node.text),
        "support": node.verdict,
        "origin": node.origin,
        "confidence": node.confidence,
        "answer": node.answer,
        "became": node.became,
        "tokens": node.tokens,
        "seconds": node.seconds,
        "from_store": node.from_store,
        "thinking": node.thinking,
        "called": node.called,
        "after": list(node.after),
        "is_bad": node.tone == "bad" and node.kind != "decision",
        "is_pending": node.id in under_way,
    }
