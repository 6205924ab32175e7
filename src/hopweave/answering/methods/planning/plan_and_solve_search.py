"""Plan-and-solve with retrieval: a plan of sub-questions, one search for all of them, then a solution from the results.

The row "Plan-and-Solve" with retrieval of SearChain's table 1, of which only the single round of retrieval is published; the
rest is decided here: plan and solution are two calls, every sub-question is sent to the retriever as worded in the plan, and
neither the plan nor a query changes with the results.

Calls, whatever the hops: 2, or 3 if the final answer has to be requested. Rounds of retrieval: 1, with one query per
sub-question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.answering.demonstrations import Demonstration
from hopweave.answering.methods.planning._numbered_plan import parse_solution
from hopweave.answering.methods.planning._planned import MAX_SUB_QUESTIONS, distinct, numbered, settled
from hopweave.answering.parsing.numbered import parse_numbered
from hopweave.answering.toolkit.demos import NumDemos, Seed, asked, closing, drawn, packed
from hopweave.answering.toolkit.few_shot import MaxWordsShown
from hopweave.answering.toolkit.stepwise import SHOWN_WORDS, Step, shown, stepwise_answer
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Bounded, Count
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Hit, Message, Question
from hopweave.text.final import demanded

GROUP = "searches once"

_PROMPTS = prompts_beside(__file__)
_SOLUTION_OR_EXAMPLE = ("\nSolution:", "\nQuestion:")
_NEXT_EXAMPLE = ("\nQuestion:",)


@dataclass(frozen=True, slots=True)
class PlanAndSolveSearch(Bounded):
    """Plans, searches once for the whole plan, and solves it from the evidence."""

    num_passages: Annotated[Count, "passages found and shown for each sub-question"] = 1
    n_demos: NumDemos = None
    seed: Seed = 0
    max_sub_questions: Annotated[Count, "maximum number of sub-questions in a plan"] = MAX_SUB_QUESTIONS
    max_words_shown: MaxWordsShown = SHOWN_WORDS
    max_tokens_plan: Annotated[Count, "longest plan, in tokens"] = 200
    max_tokens: Annotated[Count, "longest solution, in tokens"] = 400
    max_tokens_answer: Annotated[Count, "longest answer if it has to be requested separately, in tokens"] = 32

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        demos = drawn(question, "plan_and_solve_search", self.n_demos, self.seed)
        items = await self._planned(question, workbench, demos)
        steps = [Step(item, "") for item in items]
        stopped_because = "finished"
        try:
            found, reached = await self._found(workbench, items)
            stopped_because = reached or stopped_because
            steps = [Step(item, "", tuple(hits)) for item, hits in zip(items, found, strict=True)]
            prompt = await self._prompt(question, workbench, demos, steps)
            sampling = replace(workbench.sampling, max_tokens=self.max_tokens, stop=_NEXT_EXAMPLE)
            text = (await workbench.reply([Message("user", prompt)], purpose="solve", sampling=sampling)).text.strip()
        except BudgetReached as limit:
            return stepwise_answer(question, steps, "", "empty", workbench, stopped_because=limit.limit)
        solution = parse_solution(text, items)
        workbench.parse_failed("plan", solution.problems, text)
        steps = [replace(step, answer=answer) for step, answer in zip(steps, solution.answers, strict=True)]
        said = solution.closing if any(solution.answers) else text
        end = await settled(workbench, question, prompt, text, said=said, max_tokens=self.max_tokens_answer, steps=steps)
        if end.stopped_because != "finished":
            stopped_because = end.stopped_because
        return stepwise_answer(question, steps, end.short, end.how, workbench, said=end.said, stopped_because=stopped_because)

    async def _planned(self, question: Question, workbench: MethodContext, demos: Sequence[Demonstration]) -> tuple[str, ...]:
        """The plan; the question itself if none can be parsed."""
        examples = [
            workbench.fill(_PROMPTS["planned"], question=asked(workbench, question, one.question), plan=numbered(one.plan))
            for one in demos
        ]
        fixed = {"most": str(self.max_sub_questions), "question": asked(workbench, question)}
        rest = "".join([_PROMPTS["plan"].text, *fixed.values()])
        prompt = workbench.fill(
            _PROMPTS["plan"], examples=await packed(workbench, examples, rest, self.max_tokens_plan), **fixed
        )
        sampling = replace(workbench.sampling, max_tokens=self.max_tokens_plan, stop=_SOLUTION_OR_EXAMPLE)
        text = (await workbench.reply([Message("user", prompt)], purpose="plan", sampling=sampling)).text
        read = parse_numbered(text)
        workbench.parse_failed("plan", read.problems, text)
        items = distinct(read.items, question, self.max_sub_questions) or (question.text,)
        workbench.decide("plan", " / ".join(items), sub_questions=list(items))
        return items

    async def _found(self, workbench: MethodContext, items: Sequence[str]) -> tuple[list[list[Hit]], str]:
        """The passages for each item, in one batch; if fewer queries are allowed, for the first ones, and that limit."""
        left = workbench.num_searches_left
        num = len(items) if left is None else min(left, len(items))
        found = await workbench.search(list(items[:num]), self.num_passages)
        return [*found, *([] for _ in items[num:])], "max_searches" if num < len(items) else ""

    async def _prompt(
        self, question: Question, workbench: MethodContext, demos: Sequence[Demonstration], steps: Sequence[Step]
    ) -> str:
        examples = [
            workbench.fill(
                _PROMPTS["solved"],
                question=asked(workbench, question, one.question),
                plan=numbered(one.plan),
                evidence=self._evidence(workbench, [Step(step.query, "", (Hit(step.passage, 1.0, 1),)) for step in one.steps]),
                solution=numbered([step.answer for step in one.steps]),
                closing=closing(one, question.form),
            )
            for one in demos
        ]
        fixed = {
            "demanded": demanded(question.form, question.labels),
            "question": asked(workbench, question),
            "plan": numbered([step.query for step in steps]),
            "evidence": self._evidence(workbench, steps),
        }
        rest = "".join([_PROMPTS["solve"].text, *fixed.values()])
        fitting = await packed(workbench, examples, rest, self.max_tokens + self.max_tokens_answer)
        return workbench.fill(_PROMPTS["solve"], examples=fitting, **fixed)

    def _evidence(self, workbench: MethodContext, steps: Sequence[Step]) -> str:
        return "\n".join(
            workbench.fill(
                _PROMPTS["evidence"],
                number=str(number),
                passages="\n".join(shown(step.hits, self.max_words_shown)) or workbench.fill(_PROMPTS["none"]),
            )
            for number, step in enumerate(steps, start=1)
        )
