"""Chain of thought: the model reasons step by step from its own knowledge, then answers.

Few-shot after Wei et al. 2022, zero-shot after Kojima et al. 2022 (a second call extracts the answer). The rows "CoT" of
SearChain's and ToQD's table 1. Neither the wording nor the demonstrations of those tables were published: both are our own.
Calls, whatever the hops: 1, or 2 when `zero_shot`, or when `force` has to ask for an answer that was not given. No retrieval.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.errors import BudgetReached, SettingsError
from hopweave.methods._chain_of_thought import NEXT_EXAMPLE, cot_prompt
from hopweave.methods._closing import one_answer
from hopweave.methods._demos import asked, drawn
from hopweave.parse.final import MARKER, demanded, final_answer
from hopweave.prompt import prompts_beside
from hopweave.types import Answer, Message, Question
from hopweave.workbench import Workbench

__all__ = ["CoT"]

_PROMPTS = prompts_beside(__file__)


@dataclass(frozen=True, slots=True)
class CoT:
    """Reasons, then answers after a marker; without the marker the whole reply is the answer (IRCoT's rule)."""

    zero_shot: Annotated[bool, "no demonstrations; a second call asks for the answer"] = False
    n_demos: Annotated[int | None, "worked questions shown; none: as many as SearChain's table 11 says for the family"] = None
    seed: Annotated[int, "of the choice and order of demonstrations"] = 0
    force: Annotated[bool, "ask once more where the marker is missing"] = False
    max_tokens: Annotated[int, "longest reasoning, in tokens"] = 256
    max_tokens_answer: Annotated[int, "longest answer of the second call, in tokens"] = 32

    def __post_init__(self) -> None:
        if self.n_demos is not None and self.n_demos < 0:
            raise SettingsError(f"cot n_demos must be 0 or more, not {self.n_demos}")

    async def answer(self, question: Question, workbench: Workbench) -> Answer:
        """See `protocols.Method`."""
        turns = [Message("user", await self._prompt(question, workbench))]
        sampling = replace(workbench.sampling, max_tokens=self.max_tokens, stop=NEXT_EXAMPLE)
        text = (await workbench.reply(turns, purpose="reasoning", sampling=sampling)).text.strip()
        short, how = final_answer(text, question)
        is_missing = how == "empty" or (how == "full" and question.form != "long")
        asks_again = self.zero_shot or (self.force and is_missing)
        if not text:
            workbench.unread("final", "the reply is empty", text)
        elif is_missing and not asks_again:
            workbench.unread("final", "no sentence says what the final answer is", text)
        stopped_because = "finished"
        if asks_again:
            try:
                short, how, text = await self._finish(question, workbench, turns, text)
            except BudgetReached as reached:
                stopped_because = reached.limit
        return one_answer(question, text, short, how, stopped_because=stopped_because)

    async def _prompt(self, question: Question, workbench: Workbench) -> str:
        if self.zero_shot:
            return workbench.fill(_PROMPTS["zero_shot"], question=asked(workbench, question))
        demos = drawn(question, "cot", self.n_demos, self.seed)
        return await cot_prompt(workbench, question, demos, self.max_tokens + self.max_tokens_answer * self.force)

    async def _finish(self, question: Question, workbench: Workbench, turns: list[Message], text: str) -> tuple[str, str, str]:
        request = workbench.fill(_PROMPTS["finish"], demanded=demanded(question.form, question.labels))
        longest = self.max_tokens if question.form == "long" else self.max_tokens_answer
        sampling = replace(workbench.sampling, max_tokens=longest)
        more = [*turns, Message("assistant", text), Message("user", request)]
        said = (await workbench.reply(more, purpose="answer", sampling=sampling)).text.strip()
        short, how = final_answer(said, question)
        if not short:
            workbench.unread("final", "no answer is in the reply" if said else "the reply is empty", said)
            return "", how, f"{text} {said}".strip()
        whole = said if MARKER.lower() in said.lower() or question.form == "long" else f"{MARKER} {short}."
        return short, "forced", f"{text} {whole}".strip()
