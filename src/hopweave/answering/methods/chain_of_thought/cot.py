"""Chain of thought: the model reasons step by step from its own knowledge, then answers.

Few-shot after Wei et al. 2022, zero-shot after Kojima et al. 2022 (a second call extracts the answer). The rows "CoT" of
SearChain's and ToQD's table 1. Neither the prompts nor the demonstrations of those tables were published: both are our own.
With `probe` the model is asked whether it can answer, as in ToQD's figure 3: the answer is then empty if the reply is NO!.
Calls, whatever the hops: 1, or 2 with `zero_shot`, or if `force` has to ask for a missing answer. No retrieval.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.answering.toolkit.chain_of_thought import NEXT_EXAMPLE, cot_prompt, finish, zero_shot_prompt
from hopweave.answering.toolkit.claims import one_answer
from hopweave.answering.toolkit.demos import NumDemos, Seed, drawn
from hopweave.answering.toolkit.final_answer import file_missing, is_missing, longest_answer
from hopweave.answering.toolkit.probing import REFUSED, refuses
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Bounded, Count
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Message, Question
from hopweave.text.final import final_answer

GROUP = "never searches"


@dataclass(frozen=True, slots=True)
class CoT(Bounded):
    """Reasons, then answers after a marker; without the marker the whole reply is the answer (IRCoT's rule)."""

    zero_shot: Annotated[bool, "no demonstrations; a second call asks for the answer"] = False
    n_demos: NumDemos = None
    seed: Seed = 0
    probe: Annotated[bool, "ask whether the model can answer, which is to reply NO! if not; for measuring"] = False
    force: Annotated[bool, "ask once more if the marker is missing"] = False
    max_tokens: Annotated[Count, "longest reasoning, in tokens"] = 256
    max_tokens_answer: Annotated[Count, "longest answer of the second call, in tokens"] = 32

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        turns = [Message("user", await self._prompt(question, workbench))]
        sampling = replace(workbench.sampling, max_tokens=self.max_tokens, stop=NEXT_EXAMPLE)
        text = (await workbench.reply(turns, purpose="reasoning", sampling=sampling)).text.strip()
        short, how = final_answer(text, question)
        if self.probe and refuses(workbench, text, short):
            return one_answer(question, text, "", REFUSED)
        has_none = is_missing(how, question.form)
        asks_again = self.zero_shot or (self.force and has_none)
        if not text or (has_none and not asks_again):
            file_missing(workbench, text)
        stopped_because = "finished"
        if asks_again:
            longest = longest_answer(question, self)
            try:
                more = [*turns, Message("assistant", text)]
                short, how, said = await finish(workbench, question, more, max_tokens=longest)
                text = f"{text} {said}".strip()
            except BudgetReached as reached:
                stopped_because = reached.limit
        return one_answer(question, text, short, how, stopped_because=stopped_because)

    async def _prompt(self, question: Question, workbench: MethodContext) -> str:
        if self.zero_shot:
            return zero_shot_prompt(workbench, question, probes=self.probe)
        demos = drawn(question, "cot", self.n_demos, self.seed)
        longest = self.max_tokens + self.max_tokens_answer * self.force
        return await cot_prompt(workbench, question, demos, longest, probes=self.probe)
