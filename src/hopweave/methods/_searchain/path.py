"""The correct reasoning path: settled queries in order, and what leaves it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hopweave.grounding.support import judge
from hopweave.parse.chain import ChainNode, render_nodes
from hopweave.prompting.prompt import escape
from hopweave.protocols import MethodContext
from hopweave.text.matching import normalize_answer
from hopweave.toolkit.claims import Assertion, claims_of, on_one_line
from hopweave.types import Citation, Claim, Origin, Passage, Reading

_FINAL_CONTENT = re.compile(r"\[?\bfinal\s++content[^\w:\u2060]*+:|\[\s*+final\s++content\s*+\]", re.IGNORECASE)
_BEGINS = r"\[\s*+(?:unsolved\s++)?(?:query|question)\b"
_CHAIN_AGAIN = re.compile(rf"(?<!\W)(?P<before>(?:[^\w\[]|(?!{_BEGINS})\[)*+){_BEGINS}", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class PathNode:
    """A query that was processed, with the answer it now has and the evidence for it. Two nodes are never the same.

    Attributes:
        origin: how the answer came to be; of an open query, `model`.
        step: the decision that stands for it in the trace.
        passage: the passage that was found for it, if one was.
        reading: what the reader made of that passage.
    """

    query: str
    answer: str
    origin: Origin
    step: int
    passage: Passage | None = None
    reading: Reading | None = None

    @property
    def found(self) -> str:
        """The words of the passage that answer the query; empty if there are none, or nothing but punctuation and articles."""
        return self.reading.text if self.reading is not None and normalize_answer(self.reading.text) else ""

    def revise(self, answer: str) -> bool:
        """Takes the model's later answer where no passage has settled the query; whether that changed anything.

        A query that was open is then completed, if the passage that was found for it bears the answer out.
        """
        if self.origin != "model" or normalize_answer(answer) in {"", normalize_answer(self.answer)}:
            return False
        if not self.answer and self._stands_in_passage(answer):
            self.origin = "completed"
        self.answer = answer
        return True

    def _stands_in_passage(self, answer: str) -> bool:
        return self.passage is not None and judge(self.query, answer, [self.passage]).support == "supported"

    def assessment(self, workbench: MethodContext) -> dict[str, Any]:
        """How its answer came to be and how it stands, as the particulars of a decision."""
        claim = claims_of([self.assertion], workbench)[0]
        return {"origin": claim.origin, "support": claim.support}

    @property
    def assertion(self) -> Assertion:
        """What it says, with the passage that was found for it."""
        return Assertion(self.query, self.answer, self.origin, [self.passage] if self.passage is not None else ())


def pruned(path: Sequence[PathNode], restated: Sequence[PathNode], cause: PathNode | None) -> list[PathNode]:
    """The path after a new branch: what the branch leaves out leaves the path.

    What the branch restates stays. The node that caused the branch stays if a passage answered it. What stands before the
    first node that the branch restates (everything, if it restates none) are its ancestors, and stay.
    """
    first = next((index for index, node in enumerate(path) if node in restated), len(path))
    return [
        node for index, node in enumerate(path) if node in restated or (bool(node.found) if node is cause else index < first)
    ]


def pairs(path: Iterable[PathNode]) -> str:
    """The queries with their answers as a prompt shows them. What came out of a passage cannot pass for a marker there."""
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
        workbench: of the question, if the reader has read anything for it.
        every_passage: also cite, whole, a passage that was found and does not bear the answer out (as the papers do).
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
    """What follows [Final Content], or the whole reply without that marker, up to a chain that the model goes on to write."""
    content = _FINAL_CONTENT.split(reply)[-1]
    for match in _CHAIN_AGAIN.finditer(content):
        place = content.find("\n", match.start(), match.end("before")) if match.start() else 0
        if place >= 0:  # the chain begins a line, or what is said
            content = content[:place]
            break
    return content.strip("* \n")
