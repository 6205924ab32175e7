"""Chain of thought: the model reasons step by step from its own knowledge, then answers.

Few-shot after Wei et al. 2022, zero-shot after Kojima et al. 2022 (a second call extracts the answer). The rows "CoT" of
SearChain's and ToQD's table 1; four demonstrations, two for long answers, as SearChain's table 11. Calls: 1, or 2 when
`zero_shot`, or when `force` has to ask for an answer that was not given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.errors import BudgetReached
from hopweave.methods._closing import one_answer
from hopweave.parse.final import MARKER, demanded, final_answer
from hopweave.prompt import prompts_beside
from hopweave.types import Answer, Message, Question
from hopweave.workbench import Workbench

__all__ = ["CoT"]

_PROMPTS = prompts_beside(__file__)
_NEXT_EXAMPLE = ("\nQ:",)


@dataclass(frozen=True, slots=True)
class CoT:
    """Reasons, then answers after a marker; without the marker the whole reply is the answer (IRCoT's rule)."""

    zero_shot: Annotated[bool, "no demonstrations; a second call asks for the answer"] = False
    force: Annotated[bool, "ask once more where the marker is missing"] = False
    max_tokens: Annotated[int, "longest reasoning, in tokens"] = 256
    max_tokens_answer: Annotated[int, "longest answer of the second call, in tokens"] = 32

    async def answer(self, question: Question, workbench: Workbench) -> Answer:
        """See `protocols.Method`."""
        turns = [Message("user", self._prompt(question, workbench))]
        sampling = replace(workbench.sampling, max_tokens=self.max_tokens, stop=_NEXT_EXAMPLE)
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

    def _prompt(self, question: Question, workbench: Workbench) -> str:
        labels = workbench.fill(_PROMPTS["labels"], labels=", ".join(question.labels)) if question.labels else ""
        if self.zero_shot:
            return workbench.fill(_PROMPTS["zero_shot"], question=question.text, labels=labels)
        return workbench.fill(
            _PROMPTS["cot"],
            demanded=demanded(question.form, question.labels),
            examples=workbench.fill(_PROMPTS[f"examples_{question.form}"]),
            question=question.text,
            labels=labels,
        )

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
