"""Self-Ask without retrieval: the model asks itself follow-up questions and answers them, all in one call.

Press et al. 2023 (arXiv 2210.03350), section 3. The row "Self-Ask" without retrieval of SearChain's table 1; neither the
prompts nor the demonstrations of that table were published: both are our own. A reply without the final marker gets it appended
and is continued, as in the authors' code; if that gives nothing, the last intermediate answer is the answer.
Calls, whatever the hops: 1, or 2 if the final answer has to be forced. No retrieval.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.answering.methods.self_ask._dialogue import (
    BEGUN,
    NEXT_EXAMPLE,
    closed,
    exchange,
    final_of,
    fitting_examples,
    last_answer,
    prompt_of,
    stopped,
)
from hopweave.answering.parsing.follow_ups import FollowUps, parse_follow_ups
from hopweave.answering.toolkit.demos import NumDemos, Seed, drawn
from hopweave.answering.toolkit.final_answer import longest_answer
from hopweave.answering.toolkit.stepwise import Step, stepwise_answer
from hopweave.answering.toolkit.transcript import Transcript
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Bounded, Count
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question

GROUP = "never searches"


@dataclass(frozen=True, slots=True)
class SelfAskNoSearch(Bounded):
    """Asks follow-up questions and answers them from its own knowledge."""

    n_demos: NumDemos = None
    seed: Seed = 0
    max_tokens: Annotated[Count, "longest reasoning, in tokens"] = 256
    max_tokens_answer: Annotated[Count, "longest answer of a forced finish, in tokens"] = 32

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        demos = drawn(question, "self_ask_no_search", self.n_demos, self.seed)
        longest = longest_answer(question, self)
        examples = await fitting_examples(workbench, question, demos, self.max_tokens + longest)
        prompt = prompt_of(workbench, question, examples)
        sampling = replace(workbench.sampling, max_tokens=self.max_tokens, stop=(NEXT_EXAMPLE,))
        reply = await Transcript(workbench, prompt).go_on("follow_ups", sampling)
        read = parse_follow_ups(reply.text)
        short, how = final_of(read, question)
        workbench.parse_failed("follow_ups", _problems(read, reply.text, is_answered=bool(short)), reply.text)
        stopped_because = "finished"
        if not short:
            try:
                short, how = await closed(Transcript(workbench, prompt, _written(read)), question, max_tokens=longest)
            except BudgetReached as reached:
                stopped_because = reached.limit
        if not short:
            short, how = last_answer([pair.answer for pair in read.pairs], question)
        steps = [Step(pair.query, pair.answer) for pair in read.pairs]
        return stepwise_answer(question, steps, short, how, workbench, said=short, stopped_because=stopped_because)


def _problems(read: FollowUps, text: str, *, is_answered: bool) -> list[str]:
    problems = list(read.problems)
    if read.resumed:
        problems.append("an intermediate answer follows no follow-up")
    problems += [f"follow-up {number} has no answer" for number, pair in enumerate(read.pairs, start=1) if not pair.answer]
    if not text.strip():
        problems.append("the reply is empty")
    elif not is_answered:
        problems.append("no final answer is in the reply")
    return problems


def _written(read: FollowUps) -> str:
    """What the model wrote, in the form of the demonstrations."""
    if not read.pairs:
        return f" {read.rest}" if read.rest else " No."
    return BEGUN + "".join(exchange(pair.query, stopped(pair.answer or "unknown")) for pair in read.pairs)
