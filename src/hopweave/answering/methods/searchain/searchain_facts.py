"""Ours: SearChain, with its answer read from sentences of all retrieved passages instead of traced from the chain.

The chain is written and walked as in `searchain` (Xu et al., WWW 2024). A small model writes chains whose queries miss a
condition of the question, and guesses; a final content made of these alone is then wrong, whatever was found. So the question
is read once more at the end, over the likeliest sentences of the passages retrieved for it and for the path, with the settled
queries that a passage supports. A question that compares two things is decided by code. Labels, explanations and unreadable
answers are traced from the path as published. See `hopweave.answering.reading.ending`.

Calls: as in SearChain, with one for the reading in place of tracing; two more if the reading fails its checks, and for a
comparison one for each value that no fact states. One more search, for the question itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.answering.methods.searchain._walk import ChainOfQuery
from hopweave.answering.reading.ending import Ending, FactTokens, QuestionPassages
from hopweave.core.options import options_for
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question

GROUP = "checks afterwards"


@dataclass(frozen=True, slots=True)
class SearChainFacts(ChainOfQuery):
    """SearChain's options, and those of the reading at the end."""

    num_question_passages: QuestionPassages = 10
    max_tokens_facts: FactTokens = 350

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        walk, stopped_because = await self.walked(question, workbench)
        ending = options_for(Ending, self)
        answer, stopped_because = await ending.answer(question, workbench, walk.steps, stopped_because, walk.decisions)
        return answer or await walk.trace_back(stopped_because)
