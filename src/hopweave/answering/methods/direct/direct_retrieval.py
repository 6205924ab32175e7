"""Direct retrieval: the question is the query, and the retrieved passages are shown to the model in one call.

The row "Direct" with retrieval of SearChain's and ToQD's table 1 (zero-shot; neither k nor the prompt was published). With
`n_demos`, questions are shown first, each with its answer and as many passages as the question gets, including all of its
evidence. With `probe` the model is asked whether it can answer, as in ToQD's figure 3 (template RAG): the answer is then empty
if the reply is NO!. With `read_first` the reader reads the first passage for the question, without effect on the answer: theta
is tuned on this. Calls: 1, and one more if a reader asks the model; rounds of retrieval: 1.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.answering.demonstrations import Demonstration
from hopweave.answering.toolkit.claims import one_answer
from hopweave.answering.toolkit.demos import drawn, packed
from hopweave.answering.toolkit.final_answer import MaxTokensLong, bare_answer
from hopweave.answering.toolkit.from_passages import example, prompt_with
from hopweave.answering.toolkit.probing import REFUSED, refuses
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Bounded, Count, Whole
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Message, Question

GROUP = "searches once"


@dataclass(frozen=True, slots=True)
class DirectRetrieval(Bounded):
    """Retrieves once with the whole question, shows the passages in rank order, and asks for the answer."""

    num_passages: Annotated[Count, "passages shown; 5 as in ToQD, 1 as SearChain's own top-1"] = 5
    n_demos: Annotated[
        Whole | None, "questions shown with passages and answers; none: as many as SearChain's table 11 says, 0"
    ] = None
    seed: Annotated[int, "seed for the choice and order of demonstrations and of their passages"] = 0
    probe: Annotated[bool, "ask whether the model can answer, which is to reply NO! if not; for measuring"] = False
    read_first: Annotated[bool, "have the reader read the first passage; for measuring, the answer does not depend on it"] = (
        False
    )
    max_tokens: Annotated[Count, "longest short answer or label, in tokens"] = 64
    max_tokens_long: MaxTokensLong = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        hits = (await workbench.search([question.text], self.num_passages))[0]
        passages = [hit.passage for hit in hits]
        longest = self.max_tokens_long if question.form == "long" else self.max_tokens
        demos = drawn(question, "direct_retrieval", self.n_demos, self.seed)
        rest = prompt_with(workbench, question, passages, is_probe=self.probe)
        examples = await packed(workbench, [self._example(workbench, one) for one in demos], rest, longest)
        prompt = prompt_with(workbench, question, passages, examples=examples, is_probe=self.probe)
        sampling = replace(workbench.sampling, max_tokens=longest)
        reply = await workbench.reply([Message("user", prompt)], purpose="answer", sampling=sampling)
        if self.read_first and hits:
            with suppress(BudgetReached):
                await workbench.read(question.text, hits[0].passage)
        if self.probe and refuses(workbench, reply.text):
            return one_answer(question, reply.text, "", REFUSED, hits)
        short, how = bare_answer(workbench, reply.text, question)
        return one_answer(question, reply.text, short, how, hits)

    def _example(self, workbench: MethodContext, one: Demonstration) -> str:
        num_gold = len(one.passages())
        passages = one.passages(max(0, self.num_passages - num_gold), self.seed)
        return example(workbench, one.question, passages, one.answer)
