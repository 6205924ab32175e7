"""How many steps of reasoning a record holds, by its method."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from hopweave.answering.parsing.follow_ups import parse_follow_ups
from hopweave.record import Decision, ModelCall, Record
from hopweave.text.sentences import sentence_spans

_GIVES_ANSWER = re.compile(r"\banswer\s+is\b", re.IGNORECASE)


def num_steps(record: Record) -> int | None:
    """The steps of a record; `None` for a method of which nobody said what a step is, or a record that failed."""
    count = _COUNTS.get(record.setup.method)
    return None if count is None or record.answer is None else count(record)


def _sentences(record: Record) -> int:
    """Sentences of the chain of thought but the one that gives the answer."""
    text = next(_said(record, "reasoning"), "")
    sentences = (text[span.start : span.end] for span in sentence_spans(text))
    return sum(_GIVES_ANSWER.search(sentence) is None for sentence in sentences)


def _follow_ups(record: Record) -> int:
    return len(parse_follow_ups(next(_said(record, "follow_ups"), "")).pairs)


def _sub_questions(record: Record) -> int:
    """Sub-questions of the plan, without the question itself."""
    plan = next((step for step in record.steps if isinstance(step, Decision) and step.label == "plan"), None)
    return 0 if plan is None else len(plan.data.get("sub_questions", ()))


def _nodes(record: Record) -> int:
    return sum(isinstance(step, Decision) and step.label == "node" for step in record.steps)


def _said(record: Record, purpose: str) -> Iterator[str]:
    return (step.text or "" for step in record.steps if isinstance(step, ModelCall) and step.purpose == purpose)


_COUNTS: Mapping[str, Callable[[Record], int]] = {
    "cot": _sentences,
    "self_ask_no_search": _follow_ups,
    "least_to_most": _sub_questions,
    "searchain": _nodes,
    "toqd": _nodes,
}
