"""Direct: the model answers from its own knowledge, in one call.

The row "Direct Prompting" of SearChain's table 1 and ToQD's table 1 (zero-shot; the prompt was not published). With
`n_demos`, questions with answers are shown first, as in IRCoT's direct reader. With `probe` the model is asked whether it can
answer, as in ToQD's figure 3: the answer is then empty if the reply is NO!. Calls: 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.answering.toolkit.claims import one_answer
from hopweave.answering.toolkit.demos import Seed, drawn, packed
from hopweave.answering.toolkit.final_answer import MaxTokensLong, bare_answer, closing_request
from hopweave.answering.toolkit.probing import REFUSED, probed, refuses
from hopweave.core.options import Bounded, Count, Whole
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Message, Question

GROUP = "never searches"

_PROMPTS = prompts_beside(__file__)


@dataclass(frozen=True, slots=True)
class Direct(Bounded):
    """One greedy call without retrieval; the reply is the answer."""

    n_demos: Annotated[Whole | None, "questions shown with their answers; none: as many as SearChain's table 11 says, 0"] = None
    seed: Seed = 0
    probe: Annotated[bool, "ask whether the model can answer, which is to reply NO! if not; for measuring"] = False
    max_tokens: Annotated[Count, "longest short answer or label, in tokens"] = 64
    max_tokens_long: MaxTokensLong = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        ask, labels = closing_request(workbench, _PROMPTS, question)
        ask = probed(workbench, ask) if self.probe else ask
        values = {"ask": ask, "labels": labels, "question": question.text}
        longest = self.max_tokens_long if question.form == "long" else self.max_tokens
        shown = [
            workbench.fill(_PROMPTS["example"], question=one.question, answer=one.answer)
            for one in drawn(question, "direct", self.n_demos, self.seed)
        ]
        rest = workbench.fill(_PROMPTS["direct"], examples="", **values)
        prompt = workbench.fill(_PROMPTS["direct"], examples=await packed(workbench, shown, rest, longest), **values)
        reply = await workbench.reply(
            [Message("user", prompt)], purpose="answer", sampling=replace(workbench.sampling, max_tokens=longest)
        )
        if self.probe and refuses(workbench, reply.text):
            return one_answer(question, reply.text, "", REFUSED)
        short, how = bare_answer(workbench, reply.text, question)
        return one_answer(question, reply.text, short, how)
