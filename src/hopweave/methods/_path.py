"""The correct reasoning path: settled queries in order, what leaves it, and the answer written from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hopweave.citing import add_marks, cite, cite_reading, locate, settle_marks
from hopweave.matching import normalize_answer
from hopweave.types import Answer, Citation, Claim, Passage, Reading, Span, Verdict


@dataclass(slots=True)
class PathNode:
    """A query that was processed, with the answer it now has and the evidence for it.

    Attributes:
        step: the decision that stands for it in the trace.
        passage: the passage that was read for it, if one was found.
        reading: what the reader made of that passage.
    """

    query: str
    answer: str
    verdict: Verdict
    step: int
    passage: Passage | None = None
    reading: Reading | None = None

    def revise(self, answer: str) -> bool:
        """Takes the model's later answer where nothing has settled the query; whether that changed anything.

        An answer that turns out to stand in the passage that was found for an open query completes it.
        """
        if self.verdict not in {"known", "unsupported"} or not answer:
            return False
        if normalize_answer(answer) == normalize_answer(self.answer):
            return False
        self.answer = answer
        span = locate(answer, self.passage.text) if self.verdict == "unsupported" and self.passage else None
        if span is not None and self.passage is not None:
            confidence = self.reading.confidence if self.reading else 0.0
            self.reading = Reading(self.passage.text[span.start : span.end], span, confidence)
            self.verdict = "completed"
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
        if not every_passage:
            return ()
        whole = cite(mark, self.passage, Span(0, len(self.passage.text)))
        return (Citation(whole.mark, whole.passage_id, whole.start, whole.end, whole.quote),)


def pruned(path: Sequence[PathNode], restated: Sequence[PathNode], cause: PathNode | None) -> list[PathNode]:
    """The path after a new branch: what the branch leaves out leaves the path.

    A branch grows from the node that caused it. Nodes before the first one that it restates are its ancestors and stay; after
    that, a node stays if the branch restates it, and the cause stays if evidence was found for it.
    """
    places = [index for index, node in enumerate(path) if any(node is other for other in restated)]
    if not places:
        return list(path)
    stays = [*restated, *([cause] if cause is not None and cause.reading is not None and cause.reading.span else [])]
    return [*path[: places[0]], *(node for node in path[places[0] :] if any(node is other for other in stays))]


def claims_of(path: Iterable[PathNode], *, every_passage: bool) -> tuple[Claim, ...]:
    """A claim for each node, numbered from 1; its number is the mark of its citation."""
    return tuple(
        Claim(node.query, node.answer, node.verdict, node.citations(mark, every_passage=every_passage))
        for mark, node in enumerate(path, start=1)
    )


def text_of(claims: Iterable[Claim]) -> str:
    """The claims as sentences with marks, for when no model is to be asked any more."""
    return " ".join(
        f"{claim.query} {claim.text or 'Unknown'}{''.join(f' [{c.mark}]' for c in claim.citations)}." for claim in claims
    )


def last_answer(claims: Sequence[Claim]) -> str:
    """The answer of the last claim that has one; empty if none has."""
    return next((claim.text for claim in reversed(claims) if claim.text), "")


def marked_answer(
    text: str, short: str, how: str, claims: tuple[Claim, ...], stopped_because: str, *, add_missing: bool
) -> Answer:
    """An answer whose every mark resolves to a citation of its claims."""
    cited = {citation.mark: claim.text for claim in claims for citation in claim.citations}
    kept, removed = settle_marks(text, cited)
    if add_missing:
        kept, _ = add_marks(kept, cited)
    return Answer(kept, short, claims, stopped_because, how, removed)
