"""Where the answer of each node of SearChain's tree came from, read off the trace."""

from __future__ import annotations

from collections import Counter

from hopweave.trace import Decision, Record

SOURCES = ("model", "corrected", "completed")


def sources(record: Record) -> Counter[str]:
    """How many distinct nodes of a record have their answer from the model, from a correction, or from a completion.

    A query counts once, at its last verdict; an unsolved one that nothing was found for is `open`. Source: SearChain, section
    4.3.1.
    """
    verdicts: dict[int, str] = {}
    for step in record.steps:
        if not isinstance(step, Decision):
            continue
        if step.label == "node":
            verdicts[step.id] = "unsupported"
        elif step.label == "verdict" and step.parent in verdicts:
            verdicts[step.parent] = str(step.data.get("verdict"))
        elif step.label == "revised":
            verdicts |= {node: str(step.data.get("verdict")) for node in step.after if node in verdicts}
    return Counter(_SOURCE_OF.get(verdict, "open") for verdict in verdicts.values())


def needs_retrieval(record: Record) -> bool:
    """Whether retrieval corrected or completed at least one node: the question is in S_IR (section 4.3.2)."""
    found = sources(record)
    return found["corrected"] + found["completed"] > 0


_SOURCE_OF = {
    "known": "model",
    "verified": "model",
    "contradicted": "model",
    "corrected": "corrected",
    "completed": "completed",
}
