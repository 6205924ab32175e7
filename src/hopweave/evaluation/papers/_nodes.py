"""Where the answer of each node of SearChain's tree came from, read from the trace."""

from __future__ import annotations

from collections import Counter

from hopweave.record import Decision, Record

SOURCES = ("model", "corrected", "completed")


def sources(record: Record) -> Counter[str]:
    """How many distinct nodes of a record have their answer from the model, from a correction, or from a completion.

    A query counts once, at its last verdict; an unsolved one without a result is `open`. Source: SearChain, section
    4.3.1.
    """
    found: dict[int, str] = {}
    for step in record.steps:
        if not isinstance(step, Decision):
            continue
        if step.label == "node":
            found[step.id] = "open"
        elif step.label == "verdict" and step.parent in found:
            found[step.parent] = _source(step)
        elif step.label == "revised":
            found |= {node: _source(step) for node in step.after if node in found}
    return Counter(found.values())


def needs_retrieval(record: Record) -> bool:
    """Whether retrieval corrected or completed at least one node: the question is in S_IR (section 4.3.2)."""
    found = sources(record)
    return found["corrected"] + found["completed"] > 0


def _source(step: Decision) -> str:
    if step.data.get("answer") == "":
        return "open"
    origin = str(step.data.get("origin"))
    return origin if origin in SOURCES else "model"
