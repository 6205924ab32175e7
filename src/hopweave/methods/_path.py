"""The correct reasoning path: settled queries in order, what leaves it, and the answer written from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hopweave.citing import add_marks, cite_reading, locate, settle_marks
from hopweave.matching import is_yes_or_no, normalize_answer
from hopweave.parse.chain import ChainNode, render_nodes
from hopweave.prompt import blunt, unblunt
from hopweave.types import Answer, Citation, Claim, Passage, Reading, Verdict

_FINAL_CONTENT = re.compile(r"\[?\bfinal\s+content\s*\]?\W*?:|\[\s*final\s+content\s*\]", re.IGNORECASE)
_CHAIN_AGAIN = re.compile(r"(?:^|\n)\W*\[\s*(?:unsolved\s+)?(?:query|question)\b", re.IGNORECASE)


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
        if self.passage is None or is_yes_or_no(answer):
            return False
        span = locate(answer, self.passage.text)
        if span is not None:
            confidence = self.reading.confidence if self.reading is not None else 0.0
            self.reading = Reading(self.passage.text[span.start : span.end], span, confidence)
        return span is not None

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


def on_one_line(text: str) -> str:
    """A query or an answer on one line, without marks of its own."""
    return " ".join(settle_marks(text, ())[0].split())


def claims_of(path: Iterable[PathNode], *, every_passage: bool) -> tuple[Claim, ...]:
    """A claim for each node, numbered from 1; its number is the mark of its citation."""
    return tuple(
        Claim(node.query, node.answer, node.verdict, node.citations(mark, every_passage=every_passage))
        for mark, node in enumerate(path, start=1)
    )


def final_content(reply: str) -> str:
    """What follows [Final Content], or the whole reply without that marker, up to a chain that the model goes on to write."""
    return _CHAIN_AGAIN.split(_FINAL_CONTENT.split(reply)[-1])[0].strip("* \n")


def text_of(claims: Iterable[Claim]) -> str:
    """The claims as sentences with marks, for when no model is to be asked any more."""
    return " ".join(
        f"{on_one_line(claim.query)} {on_one_line(claim.text).rstrip('.') or 'Unknown'}"
        f"{''.join(f' [{citation.mark}]' for citation in claim.citations)}."
        for claim in claims
    )


def last_answer(claims: Sequence[Claim]) -> str:
    """The answer of the last claim that has one; empty if none has."""
    return next((claim.text for claim in reversed(claims) if claim.text), "")


def marked_answer(
    text: str,
    short: str,
    how: str,
    path: Iterable[PathNode],
    claims: tuple[Claim, ...],
    stopped_because: str,
    *,
    add_missing: bool,
) -> Answer:
    """An answer whose every mark resolves to a citation of its claims.

    A mark whose number is no claim's was invented, and is counted; that of a claim without a citation is only taken out.
    """
    cited = {citation.mark: claim.text for claim in claims for citation in claim.citations}
    numbered, num_invented = settle_marks(text, range(1, len(claims) + 1))
    kept, _ = settle_marks(numbered, cited)
    if add_missing:
        kept, _ = add_marks(kept, cited)
    retrieved = tuple(dict.fromkeys(node.passage.id for node in path if node.passage is not None))
    return Answer(unblunt(kept), unblunt(short), claims, stopped_because, how, num_invented, retrieved)
