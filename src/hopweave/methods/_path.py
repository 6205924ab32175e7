"""The correct reasoning path: settled queries in order, and what leaves it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hopweave.citing import cite_reading
from hopweave.matching import normalize_answer
from hopweave.methods._claims import on_one_line
from hopweave.methods._evidence import standing_in
from hopweave.parse.chain import ChainNode, render_nodes
from hopweave.prompt import blunt
from hopweave.types import Citation, Claim, Passage, Reading, Verdict

_FINAL_CONTENT = re.compile(r"\[?\bfinal\s++content[^\w:\u2060]*+:|\[\s*+final\s++content\s*+\]", re.IGNORECASE)
_BEGINS = r"\[\s*+(?:unsolved\s++)?(?:query|question)\b"
_CHAIN_AGAIN = re.compile(rf"(?<!\W)(?P<before>(?:[^\w\[]|(?!{_BEGINS})\[)*+){_BEGINS}", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class PathNode:
    """A query that was processed, with the answer it now has and the evidence for it. Two nodes are never the same.

    Attributes:
        step: the decision that stands for it in the trace.
        passage: the passage that was found for it, if one was.
        reading: what the reader made of that passage.
    """

    query: str
    answer: str
    verdict: Verdict
    step: int
    passage: Passage | None = None
    reading: Reading | None = None

    @property
    def found(self) -> str:
        """The words of the passage that answer the query; empty if there are none, or nothing but punctuation and articles."""
        return self.reading.text if self.reading is not None and normalize_answer(self.reading.text) else ""

    def revise(self, answer: str) -> bool:
        """Takes the model's later answer where no passage has settled the query; whether that changed anything.

        A query that was open is then completed, if the words stand in the passage that was found for it, or else known.
        """
        if self.verdict not in {"known", "unsupported"} or normalize_answer(answer) in {"", normalize_answer(self.answer)}:
            return False
        if self.verdict == "unsupported":
            self.verdict = "completed" if self._stands_in_passage(answer) else "known"
        self.answer = answer
        return True

    def _stands_in_passage(self, answer: str) -> bool:
        found = standing_in(answer, [self.passage] if self.passage is not None else ())
        if found is None:
            return False
        passage, span = found
        confidence = self.reading.confidence if self.reading is not None else 0.0
        self.reading = Reading(passage.text[span.start : span.end], span, confidence)
        return True

    def citations(self, mark: int, *, every_passage: bool) -> tuple[Citation, ...]:
        """What the node rests on.

        Args:
            mark: its number.
            every_passage: also cite, whole, a passage that was found but did not settle the answer (as the papers do).
        """
        if self.passage is None:
            return ()
        if self.verdict in {"verified", "corrected", "completed"} and self.reading is not None:
            return cite_reading(mark, self.passage, self.reading)
        text = self.passage.text
        return (Citation(mark, self.passage.id, 0, len(text), text),) if every_passage and text else ()


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
        ChainNode(number, blunt(on_one_line(node.query)), blunt(on_one_line(node.answer)) or "unknown", is_unsolved=False)
        for number, node in enumerate(path, start=1)
    ]
    return render_nodes(nodes)


def claims_of(path: Iterable[PathNode], *, every_passage: bool) -> tuple[Claim, ...]:
    """A claim for each node, numbered from 1; its number is the mark of its citation."""
    return tuple(
        Claim(node.query, node.answer, node.verdict, node.citations(mark, every_passage=every_passage))
        for mark, node in enumerate(path, start=1)
    )


def final_content(reply: str) -> str:
    """What follows [Final Content], or the whole reply without that marker, up to a chain that the model goes on to write."""
    content = _FINAL_CONTENT.split(reply)[-1]
    for match in _CHAIN_AGAIN.finditer(content):
        place = content.find("\n", match.start(), match.end("before")) if match.start() else 0
        if place >= 0:  # the chain begins a line, or what is said
            content = content[:place]
            break
    return content.strip("* \n")
