"""A query engine in the style of LlamaIndex: parts of a question are searched for and answered from the results."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from hopweave.answering.toolkit.fenced import fenced
from hopweave.answering.toolkit.inline import inline
from hopweave.citations.citing import NOT_IN_CORPUS, on_one_line
from hopweave.core.prompt import escape, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.ranking import in_turns, ranked
from hopweave.core.types import Hit, Message, Passage

Ranking = Annotated[
    Literal["clean", "faithful"],
    "clean: passages of the corpus in turns; faithful: as ToQD's table, with what the model wrote at the first ranks",
]

PROMPTS = prompts_beside(__file__)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a question, its results, and its answer; empty if none was needed, or the model gave none."""

    question: str
    hits: tuple[Hit, ...]
    answer: str = ""

    @property
    def as_passage(self) -> Passage:
        """The part with its answer posing as a passage, which it is not; equal ones have the same id."""
        text = f"Sub-question: {self.question}\nResponse: {self.answer}"
        return Passage(
            NOT_IN_CORPUS + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16],
            text,
            source="written by the model",
        )


@dataclass(frozen=True, slots=True)
class QueryEngine:
    """Answers parts, and ranks their results.

    Attributes:
        workbench: of the search.
        num_shown: maximum number of passages shown for a part.
        max_tokens: maximum reply length.
    """

    workbench: MethodContext
    num_shown: int
    max_tokens: int

    async def answered(self, question: str, hits: Sequence[Hit]) -> Part:
        """Answers a part from its results."""
        shown = [
            self.workbench.fill(PROMPTS["passage"], rank=str(hit.rank), passage=fenced(hit.passage))
            for hit in hits[: self.num_shown]
        ]
        passages = "\n\n".join(shown) or self.workbench.fill(PROMPTS["no_passage"])
        prompt = self.workbench.fill(PROMPTS["answer"], passages=passages, question=escape(on_one_line(question)))
        return Part(question, tuple(hits), await self._said(prompt, "answer"))

    async def sum_up(self, query: str, parts: Sequence[Part]) -> None:
        """Answers the query from its parts, as the engine does; the answer is recorded, but does not affect the ranking."""
        prompt = self.workbench.fill(PROMPTS["sum_up"], pairs=pairs(parts), question=inline(query))
        said = await self._said(prompt, "sum_up")
        self.workbench.decide("answer", on_one_line(said) or "?")

    async def _said(self, prompt: str, purpose: str) -> str:
        sampling = replace(self.workbench.sampling, max_tokens=self.max_tokens)
        reply = await self.workbench.reply([Message("user", prompt)], purpose=purpose, sampling=sampling)
        if not reply.text.strip():
            self.workbench.parse_failed("answer", "the reply is empty", reply.text)
        return unescape(reply.text.strip())


def pairs(parts: Sequence[Part]) -> str:
    """Parts with their answers as shown in a prompt; text from a passage cannot pose as a marker."""
    return "\n".join(
        f"- {escape(on_one_line(part.question))}\n- {escape(on_one_line(part.answer)) or 'unknown'}" for part in parts
    )


def ranking_of(parts: Sequence[Part], ranking: Ranking, max_hits: int) -> list[Hit]:
    """The passages of all parts interleaved, each once; or, if `faithful`, the parts and then all their hits, unchanged."""
    if ranking == "clean":
        return ranked(in_turns(part.hits for part in parts), max_hits)
    return ranked([*(part.as_passage for part in parts), *(hit.passage for part in parts for hit in part.hits)], max_hits)
