"""Plan-and-solve: writes a whole plan of sub-questions, then answers them, in one call.

Few-shot as in the row "Plan-and-Solve" of SearChain's table 1; with `zero_shot` the original (Wang et al. 2023, arXiv
2305.04091), whose self-consistency draws 10 reasonings at temperature 0.7. The adaptation to question answering was not
published; decided here: plan and solution are numbered lists, and no item of a plan may contain an answer, so that the plan is
valid before any is known.

Calls, whatever the hops: 1, or 2 if the final answer has to be requested; with `num_samples` n: n, and 1 more for each that
has no answer. No retrieval.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from hopweave.answering.methods.planning._numbered_plan import parse_plan, parse_solution
from hopweave.answering.methods.planning._planned import MAX_SUB_QUESTIONS, Settled, is_said, numbered, settled
from hopweave.answering.toolkit.claims import one_answer
from hopweave.answering.toolkit.concurrency import side_by_side
from hopweave.answering.toolkit.demos import NumDemos, Seed, asked, closing, drawn, packed
from hopweave.answering.toolkit.final_answer import file_unanswered
from hopweave.answering.toolkit.stepwise import Step, stepwise_answer
from hopweave.answering.toolkit.transcript import Transcript
from hopweave.answering.toolkit.voting import file_vote, vote
from hopweave.core.errors import BudgetReached, SettingsError
from hopweave.core.options import Count, Temperature, check_options
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Message, Question
from hopweave.text.final import demanded, final_answer

GROUP = "never searches"

_PROMPTS = prompts_beside(__file__)
_NEXT_EXAMPLE = ("\nQuestion:",)
_BLANK_LINE = ("\n\n",)


@dataclass(frozen=True, slots=True)
class PlanAndSolve:
    """Plans, then solves; a reply without a plan is parsed as a chain of thought.

    Raises:
        SettingsError: for an option out of its bounds, or several samples without `zero_shot`.
    """

    zero_shot: Annotated[bool, "the original: no demonstrations, an instruction to plan, a second call for the answer"] = False
    num_samples: Annotated[Count, "zero_shot only: reasonings drawn and voted on; 1 is greedy, the authors draw 10"] = 1
    temperature: Annotated[Temperature, "of several samples"] = 0.7
    n_demos: NumDemos = None
    seed: Seed = 0
    max_tokens: Annotated[Count, "longest plan with its solution, in tokens"] = 400
    max_tokens_zero_shot: Annotated[Count, "longest reasoning of zero_shot, in tokens"] = 256
    max_tokens_answer: Annotated[Count, "longest answer of the second call, in tokens"] = 32

    def __post_init__(self) -> None:
        check_options(self)
        if self.num_samples > 1 and not self.zero_shot:
            raise SettingsError(f"plan_and_solve num_samples = {self.num_samples} needs zero_shot = true")

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        if self.zero_shot:
            return await self._zero_shot(question, workbench)
        prompt = await self._prompt(question, workbench)
        sampling = replace(workbench.sampling, max_tokens=self.max_tokens, stop=_NEXT_EXAMPLE)
        text = (await workbench.reply([Message("user", prompt)], purpose="plan", sampling=sampling)).text.strip()
        plan = parse_plan(text)
        solution = parse_solution(plan.solution, plan.items)
        workbench.parse_failed("plan", [*plan.problems, *(solution.problems if plan.items else ())], text)
        steps = [Step(query, answer) for query, answer in zip(plan.items, solution.answers, strict=True)]
        if steps:
            workbench.decide("plan", " / ".join(plan.items), sub_questions=list(plan.items))
        said = solution.closing if steps else text
        end = await settled(workbench, question, prompt, text, said=said, max_tokens=self.max_tokens_answer, steps=steps)
        if not steps:
            whole = f"{text} {end.said}".strip() if end.how == "forced" else text
            return one_answer(question, whole, end.short, end.how, stopped_because=end.stopped_because)
        return stepwise_answer(
            question, steps, end.short, end.how, workbench, said=end.said, stopped_because=end.stopped_because
        )

    async def _prompt(self, question: Question, workbench: MethodContext) -> str:
        examples = [
            workbench.fill(
                _PROMPTS["example"],
                question=asked(workbench, question, one.question),
                plan=numbered(one.plan),
                solution=numbered([step.answer for step in one.steps]),
                closing=closing(one, question.form),
            )
            for one in drawn(question, "plan_and_solve", self.n_demos, self.seed)
        ]
        fixed = {
            "most": str(MAX_SUB_QUESTIONS),
            "demanded": demanded(question.form, question.labels),
            "question": asked(workbench, question),
        }
        rest = "".join([_PROMPTS["plan_and_solve"].text, *fixed.values()])
        fitting = await packed(workbench, examples, rest, self.max_tokens + self.max_tokens_answer)
        return workbench.fill(_PROMPTS["plan_and_solve"], examples=fitting, **fixed)

    # -- the original --------------------------------------------------------------------------------------------------

    async def _zero_shot(self, question: Question, workbench: MethodContext) -> Answer:
        prompt = workbench.fill(_PROMPTS[f"zero_shot_{question.form}"], question=asked(workbench, question))
        sampling = replace(workbench.sampling, max_tokens=self.max_tokens_zero_shot)
        if self.num_samples > 1:
            sampling = replace(sampling, temperature=self.temperature, top_p=1.0)
        drawn_now = await workbench.samples([Message("user", prompt)], self.num_samples, purpose="reasoning", sampling=sampling)
        texts = [reply.text.strip() for reply in drawn_now.replies]
        if self.num_samples == 1:
            end = await self._concluded(question, workbench, prompt, texts[0])
            return one_answer(question, end.said, end.short, end.how, stopped_because=end.stopped_because)
        marks = [workbench.decide("sample", f"sample {number}") for number in range(1, len(texts) + 1)]
        conclude = partial(self._concluded, question, workbench, prompt)
        works = [(mark, partial(conclude, text)) for mark, text in zip(marks, texts, strict=True)]
        outcomes = await side_by_side(workbench, works)
        ends = [end for end in outcomes if isinstance(end, Settled)]
        is_long = question.form == "long"
        answers = [end.short if is_long or end.how != "full" else "" for end in ends]
        if not any(answers):
            answers = [end.short for end in ends]
        elected = vote(answers, form=question.form)
        file_vote(workbench, elected, answers)
        best = ends[elected.first]
        limits = [drawn_now.reached.limit] if drawn_now.reached else []
        limits += [end.stopped_because for end in ends if end.stopped_because != "finished"]
        stopped_because = limits[0] if limits else "finished"
        return one_answer(question, best.said, elected.answer, best.how, stopped_because=stopped_because)

    async def _concluded(self, question: Question, workbench: MethodContext, prompt: str, text: str) -> Settled:
        """The answer of a reasoning; if it has none, the model continues from "Therefore, the answer is"."""
        short, how = final_answer(text, question)
        if is_said(short, how, question):
            return Settled(short, how, text)
        going_on = Transcript(workbench, prompt, f" {text}\n{workbench.fill(_PROMPTS['conclude'])}")
        longest = self.max_tokens_zero_shot if question.form == "long" else self.max_tokens_answer
        sampling = replace(workbench.sampling, max_tokens=longest, stop=_BLANK_LINE)
        try:
            said = (await going_on.go_on("answer", sampling)).text.strip()
        except BudgetReached as reached:
            return Settled(short, how, text, reached.limit)
        whole = f"{_PROMPTS['conclude'].text} {said}"
        short = final_answer(whole, question)[0] if said else ""
        if not short:
            file_unanswered(workbench, said)
        return Settled(short, "forced" if short else "empty", f"{text} {whole}".strip() if said else text)
