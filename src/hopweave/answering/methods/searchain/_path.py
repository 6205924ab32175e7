"""The correct reasoning path: settled queries in order, and the rules by which they leave it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hopweave.answering.methods.searchain._chain import FINAL_HEADING, ChainNode, parse_chain, render_nodes
from hopweave.answering.toolkit.claims import Assertion, claims_of
from hopweave.citations.citing import on_one_line
from hopweave.citations.support import is_stated
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import escape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Citation, Claim, Origin, Passage, Reading
from hopweave.text.matching import normalize_answer

_FINAL_CONTENT = lazy_pattern(
    rf"{FINAL_HEADING}|\[?\bfinal\s++content[^\w:\u2060]*+:|\[\s*+final\s++content\s*+\]", re.IGNORECASE | re.MULTILINE
)
_HEADING_FIRST = lazy_pattern(rf"(?:[^\S\n]*+\n)*+{FINAL_HEADING}", re.IGNORECASE | re.MULTILINE)
_BEGINS = r"\[\s*+(?:unsolved\s++)?(?:query|question)\b"
_CHAIN_AGAIN = lazy_pattern(rf"(?<!\W)(?P<before>(?:[^\w\[]|(?!{_BEGINS})\[)*+){_BEGINS}", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class PathNode:
    """A processed query, with its current answer and the evidence for it. Two nodes are never equal.

    Attributes:
        origin: where the answer came from; `model` for an open query.
        step: its decision in the trace.
        passage: the passage that was found for it, if any.
        reading: the reader's result for that passage.
        checked: the model's answer that the reading was compared with; empty for an open query.
    """

    query: str
    answer: str
    origin: Origin
    step: int
    passage: Passage | None = None
    reading: Reading | None = None
    checked: str = ""

    @property
    def is_settled(self) -> bool:
        """Whether a passage confirmed or gave the answer; the model's own was not checked, or the check did not bear it out."""
        return bool(self.answer) and self.origin != "model"

    @property
    def found(self) -> str:
        """The words of the passage that answer the query; empty if there are none, or nothing but punctuation and articles."""
        return self.reading.text if self.reading is not None and normalize_answer(self.reading.text) else ""

    def revise(self, answer: str) -> bool:
        """Takes the model's later answer if no passage has settled the query; returns whether that changed anything.

        An open query is then completed, if the passage that was found for it supports the answer.
        """
        if self.origin != "model" or normalize_answer(answer) in {"", normalize_answer(self.answer)}:
            return False
        if not self.answer and self._stands_in_passage(answer):
            self.origin = "completed"
        self.answer = answer
        return True

    def _stands_in_passage(self, answer: str) -> bool:
        return self.passage is not None and is_stated(self.query, answer, [self.passage])

    def assessment(self, workbench: MethodContext) -> dict[str, Any]:
        """The origin and support of its answer, as the details of a decision."""
        claim = claims_of([self.assertion], workbench)[0]
        return {"origin": claim.origin, "support": claim.support}

    @property
    def assertion(self) -> Assertion:
        """Its assertion, with the passage that was found for it."""
        return Assertion(self.query, self.answer, self.origin, [self.passage] if self.passage is not None else ())


def pruned(path: Sequence[PathNode], restated: Sequence[PathNode], cause: PathNode | None) -> list[PathNode]:
    """The path after a new branch: nodes that the branch omits leave the path.

    Nodes that the branch restates stay. The node that caused the branch stays if a passage answered it. The nodes before the
    first restated one (all nodes, if none is restated) are its ancestors, and stay.
    """
    first = next((index for index, node in enumerate(path) if node in restated), len(path))
    return [
        node for index, node in enumerate(path) if node in restated or (bool(node.found) if node is cause else index < first)
    ]


def pairs(path: Iterable[PathNode]) -> str:
    """The queries with their answers as shown in a prompt. Text from a passage cannot pose as a marker there."""
    nodes = [
        ChainNode(
            number,
            escape(on_one_line(node.query)),
            escape(on_one_line(node.answer)) or "unknown",
            is_unsolved=False,
        )
        for number, node in enumerate(path, start=1)
    ]
    return render_nodes(nodes)


def claims_on(path: Sequence[PathNode], workbench: MethodContext | None, *, every_passage: bool) -> tuple[Claim, ...]:
    """A claim for each node, numbered from 1; its number is the mark of its citations.

    Args:
        path: the nodes in order.
        workbench: the question's workbench, if the reader has read anything for it.
        every_passage: also cite, in full, a passage that was found but does not support the answer (as in the papers).
    """
    claims = claims_of([node.assertion for node in path], workbench)
    if every_passage:
        claims = [_with_found(mark, *one) for mark, one in enumerate(zip(claims, path, strict=True), start=1)]
    return tuple(claims)


def _with_found(mark: int, claim: Claim, node: PathNode) -> Claim:
    text = node.passage.text if node.passage is not None else ""
    if claim.citations or node.passage is None or not text:
        return claim
    return replace(claim, citations=(Citation(mark, node.passage.id, 0, len(text), text),))


def final_content(reply: str) -> str:
    """The text after [Final Content], or the whole reply without that marker, up to a chain that the model appends.

    A heading `Final Answer` counts only as the first words; below others it sets apart the answer in them.
    """
    markers = _FINAL_CONTENT.finditer(reply)
    begin = max((marker.end() for marker in markers if "content" in marker[0].lower()), default=0)
    heading = _HEADING_FIRST.match(reply, begin)
    content = reply[heading.end() if heading else begin :]
    for match in _CHAIN_AGAIN.finditer(content):
        place = content.find("\n", match.start(), match.end("before")) if match.start() else 0
        if place == 0:  # the reply is a chain
            return parse_chain(content).final
        if place > 0:  # the chain begins a line
            content = content[:place]
            break
    return content.strip("* \n")
