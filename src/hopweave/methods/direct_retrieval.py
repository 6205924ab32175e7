"""Direct retrieval: the question is the query, and its passages are shown to the model in one call.

The row "Direct" with retrieval of SearChain's and ToQD's table 1 (zero-shot; neither k nor the wording was published).
Calls: 1; rounds of retrieval: 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.errors import SettingsError
from hopweave.methods._closing import bare_answer, closing_request, one_answer
from hopweave.prompt import fence, prompts_beside
from hopweave.types import Answer, Message, Question
from hopweave.workbench import Workbench

__all__ = ["DirectRetrieval"]

_PROMPTS = prompts_beside(__file__)


@dataclass(frozen=True, slots=True)
class DirectRetrieval:
    """Retrieves once with the whole question, shows the passages in rank order, and asks for the answer."""

    num_passages: Annotated[int, "passages shown; 5 as in ToQD, 1 as SearChain's own top-1"] = 5
    max_tokens: Annotated[int, "longest short answer or label, in tokens"] = 64
    max_tokens_long: Annotated[int, "longest explanation, in tokens"] = 256

    def __post_init__(self) -> None:
        if self.num_passages < 1:
            raise SettingsError(f"direct_retrieval num_passages must be at least 1, not {self.num_passages}")

    async def answer(self, question: Question, workbench: Workbench) -> Answer:
        """See `protocols.Method`."""
        hits = (await workbench.search([question.text], self.num_passages))[0]
        shown = [
            workbench.fill(_PROMPTS["passage"], rank=str(hit.rank), passage=fence(hit.passage.text, hit.passage.title))
            for hit in hits
        ]
        ask, labels = closing_request(workbench, _PROMPTS, question)
        prompt = workbench.fill(
            _PROMPTS["direct_retrieval"],
            ask=ask,
            labels=labels,
            passages="\n".join(shown) or workbench.fill(_PROMPTS["none"]),
            question=question.text,
        )
        longest = self.max_tokens_long if question.form == "long" else self.max_tokens
        sampling = replace(workbench.sampling, max_tokens=longest)
        reply = await workbench.reply([Message("user", prompt)], purpose="answer", sampling=sampling)
        short, how = bare_answer(workbench, reply.text, question)
        return one_answer(question, reply.text, short, how, hits)
