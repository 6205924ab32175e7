"""Least-to-most: lists simple sub-questions, then answers them in turn, from the easiest to the question itself.

Zhou et al. 2023 (arXiv 2205.10625), and its row in SearChain's table 1. No code was released and SearChain's adaptation was not
published; decided here: the form of the demonstrations (the same for both stages), at most `max_sub_questions`, and that
the question itself always comes last. An earlier answer reaches a later sub-question only through the text above it.

Calls: h + 2 for h sub-questions: 1 to decompose, h to answer them, 1 for the question. No retrieval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated

from hopweave.answering.methods.planning._numbered_plan import parse_sub_questions
from hopweave.answering.methods.planning._planned import MAX_SUB_QUESTIONS, best_so_far, distinct
from hopweave.answering.toolkit.demos import NumDemos, Seed, asked, drawn, packed, rationale
from hopweave.answering.toolkit.final_answer import file_missing, file_unanswered
from hopweave.answering.toolkit.stepwise import Step, stepwise_answer
from hopweave.answering.toolkit.transcript import Transcript
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Bounded, Count
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Message, Question
from hopweave.text.final import demanded, final_answer, short_form
from hopweave.text.sentences import first_sentence

GROUP = "never searches"

UNKNOWN = "unknown"
"""Placeholder for the answer to a sub-question that the model does not answer."""

_PROMPTS = prompts_beside(__file__)
_NEXT_EXAMPLE = ("\n\n", "\nQ:")
_NEXT_QUESTION = ("\nQ:",)


@dataclass(frozen=True, slots=True)
class LeastToMost(Bounded):
    """Decomposes once, then solves the sub-questions in order, each with the preceding answers in view."""

    n_demos: NumDemos = None
    seed: Seed = 0
    max_sub_questions: Annotated[Count, "maximum number of sub-questions, excluding the question itself"] = MAX_SUB_QUESTIONS
    max_tokens_decompose: Annotated[Count, "longest decomposition, in tokens"] = 128
    max_tokens: Annotated[Count, "longest answer to a sub-question or to the question, in tokens"] = 100
    max_tokens_long: Annotated[Count, "longest explanation at the end, in tokens"] = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        sub_questions = await self._decomposed(question, workbench)
        steps: list[Step] = []
        try:
            turns = [*sub_questions, asked(workbench, question)]
            solving = Transcript(workbench, await self._prompt(question, workbench, turns))
            for query, following in pairwise(turns):
                steps.append(Step(query, await self._sub_answer(solving)))
                solving.add(f" {steps[-1].answer}\nQ: {following}\nA:")
            longest = self.max_tokens_long if question.form == "long" else self.max_tokens
            said = (await self._go_on(solving, "answer", longest)).strip()
        except BudgetReached as reached:
            short, how = best_so_far(question, steps)
            return stepwise_answer(question, steps, short, how, workbench, stopped_because=reached.limit)
        short, how = _read(question, said, workbench)
        if not short:
            short, how = best_so_far(question, steps)
        return stepwise_answer(question, steps, short, how, workbench, said=said)

    async def _decomposed(self, question: Question, workbench: MethodContext) -> tuple[str, ...]:
        """The sub-questions; none if there is nothing to ask before the question itself."""
        examples = [
            f"{workbench.fill(_PROMPTS['needed'], question=one.question)} {_quoted(one.plan)}."
            for one in drawn(question, "least_to_most", self.n_demos, self.seed)
        ]
        fixed = {"most": str(self.max_sub_questions), "needed": workbench.fill(_PROMPTS["needed"], question=question.text)}
        rest = "".join([_PROMPTS["decompose"].text, *fixed.values()])
        fitting = await packed(workbench, examples, rest, self.max_tokens_decompose)
        prompt = workbench.fill(_PROMPTS["decompose"], examples=fitting, **fixed)
        sampling = replace(workbench.sampling, max_tokens=self.max_tokens_decompose, stop=_NEXT_EXAMPLE)
        text = (await workbench.reply([Message("user", prompt)], purpose="decompose", sampling=sampling)).text
        read = parse_sub_questions(text)
        workbench.parse_failed("plan", read.problems, text)
        kept = distinct(read.items, question, self.max_sub_questions)
        workbench.decide("plan", " / ".join([*kept, question.text]), sub_questions=list(kept))
        return kept

    async def _prompt(self, question: Question, workbench: MethodContext, turns: list[str]) -> str:
        """Instruction, demonstrations and the first of the questions to be answered in turn."""
        examples = []
        for one in drawn(question, "least_to_most", self.n_demos, self.seed):
            simple = [f"Q: {query}\nA: {step.answer}" for query, step in zip(one.plan, one.steps, strict=True)]
            last = f"Q: {asked(workbench, question, one.question)}\nA: {rationale(one, question.form)}"
            examples.append("\n".join([*simple, last]))
        wanted = demanded(question.form, question.labels)
        longest = self.max_tokens * (len(turns) - 1) + self.max_tokens_long
        fitting = await packed(workbench, examples, "\n".join([_PROMPTS["solve"].text, wanted, *turns]), longest)
        return workbench.fill(_PROMPTS["solve"], demanded=wanted, examples=fitting, question=turns[0])

    async def _sub_answer(self, solving: Transcript) -> str:
        said = " ".join((await self._go_on(solving, "sub-answer", self.max_tokens)).split())
        if any(char.isalnum() for char in said):
            return said
        solving.workbench.parse_failed(
            "sub-answer", "the reply is empty" if not said else "there are no words in the reply", said
        )
        return UNKNOWN

    async def _go_on(self, solving: Transcript, purpose: str, max_tokens: int) -> str:
        sampling = replace(solving.workbench.sampling, max_tokens=max_tokens, stop=_NEXT_QUESTION)
        return (await solving.go_on(purpose, sampling)).text


def _quoted(items: Sequence[str]) -> str:
    return ", ".join(f'"{item}"' for item in items)


def _read(question: Question, said: str, workbench: MethodContext) -> tuple[str, str]:
    """The answer of the last turn; without a marker, its first sentence."""
    short, how = final_answer(said, question)
    if how == "full" and question.form == "short":
        file_missing(workbench, said)
        return short_form(first_sentence(said)), "first-sentence"
    if not short:
        file_unanswered(workbench, said)
    return short, how
