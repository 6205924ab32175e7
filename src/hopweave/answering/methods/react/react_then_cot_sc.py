"""ReAct and, if it finds no answer, the vote of chains of thought: "ReAct -> CoT-SC".

Yao et al. (arXiv 2210.03629), section 3.3; the row "ReAct" of SearChain's table 1. If ReAct ends without an answer (its
steps are used up, it repeats itself, its actions are invalid, or it finishes with nothing), 21 chains of thought over the same
demonstrations vote; they see nothing of what ReAct observed. An answer of ReAct is final, even a wrong one.

Calls: those of `react`, h + 1 or more, and `n_samples` replies only if it finds no answer. Rounds: those of `react`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from hopweave.answering.methods.react._loop import Acting, Actor
from hopweave.answering.toolkit.demos import NumDemos, Seed, drawn
from hopweave.answering.toolkit.voted_chains import Voting, elect, voted_answer
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Count, Temperature, options_for
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question

GROUP = "searches in turns"


@dataclass(frozen=True, slots=True)
class ReActThenCoTSC(Acting):
    """Acts, and votes only if that fails."""

    n_demos: NumDemos = None
    seed: Seed = 0
    n_samples: Annotated[Count, "chains of thought that vote if acting fails"] = 21
    temperature: Annotated[Temperature, "for those samples"] = 0.7
    max_tokens_reasoning: Annotated[Count, "longest chain of thought, in tokens"] = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        demos = drawn(question, "react_then_cot_sc", self.n_demos, self.seed)
        actor = Actor(workbench, question, self)
        await actor.run(demos)
        if actor.short or actor.is_out_of_budget:
            return actor.answer()
        workbench.decide("fallback", f"ReAct came to no answer: {actor.stopped_because}")
        try:
            elected = await elect(workbench, question, demos, options_for(Voting, self))
        except BudgetReached as reached:
            actor.stopped_because = reached.limit
            return actor.answer()
        return voted_answer(question, elected, actor.sentences)
