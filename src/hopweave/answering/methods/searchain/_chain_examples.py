"""Demonstrations as SearChain's prompts show them: whole chains with final content, and one that stops at an open query."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.answering.demonstrations import Demonstration, DemonstrationStep
from hopweave.answering.methods.searchain._chain import ChainNode, render_nodes
from hopweave.answering.toolkit.demos import closing
from hopweave.core.types import AnswerForm


def whole_chain(demonstration: Demonstration, form: AnswerForm) -> str:
    """Every query with its answer, and the final content: a sentence for each, with its mark.

    A long answer is its sentences; any other is given after them.
    """
    marked = [f"{step.sentence.removesuffix('.')} [{number}]." for number, step in enumerate(demonstration.steps, start=1)]
    content = [*marked, demonstration.conclusion, "" if form == "long" else closing(demonstration, form)]
    return f"{render_nodes(_nodes(demonstration.steps, form))}\n[Final Content]: {' '.join(filter(None, content))}"


def open_chain(demonstration: Demonstration, form: AnswerForm) -> str:
    """A chain that stops at its last query, as if its answer were not known."""
    *known, last = demonstration.steps
    unsolved = ChainNode(len(demonstration.steps), last.query, "", is_unsolved=True)
    return render_nodes([*_nodes(known, form), unsolved])


def _nodes(steps: Sequence[DemonstrationStep], form: AnswerForm) -> list[ChainNode]:
    end = "." if form == "long" else ""
    return [
        ChainNode(number, step.query, f"{step.answer}{end}", is_unsolved=False) for number, step in enumerate(steps, start=1)
    ]
