"""Direct: the model answers from its own knowledge, in one call.

The row "Direct Prompting" of SearChain's table 1 and ToQD's table 1 (zero-shot; the wording was not published). Calls: 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.methods._closing import bare_answer, closing_request, one_answer
from hopweave.prompt import prompts_beside
from hopweave.types import Answer, Message, Question
from hopweave.workbench import Workbench

__all__ = ["Direct"]

_PROMPTS = prompts_beside(__file__)


@dataclass(frozen=True, slots=True)
class Direct:
    """One greedy call without retrieval; the reply is the answer."""

    max_tokens: Annotated[int, "longest short answer or label, in tokens"] = 64
    max_tokens_long: Annotated[int, "longest explanation, in tokens"] = 256

    async def answer(self, question: Question, workbench: Workbench) -> Answer:
        """See `protocols.Method`."""
        ask, labels = closing_request(workbench, _PROMPTS, question)
        prompt = workbench.fill(_PROMPTS["direct"], ask=ask, labels=labels, question=question.text)
        longest = self.max_tokens_long if question.form == "long" else self.max_tokens
        reply = await workbench.reply(
            [Message("user", prompt)], purpose="answer", sampling=replace(workbench.sampling, max_tokens=longest)
        )
        short, how = bare_answer(workbench, reply.text, question)
        return one_answer(question, reply.text, short, how)
