"""The vote of chains of thought and, if they do not agree, ReAct: "CoT-SC -> ReAct".

Yao et al. (arXiv 2210.03629), section 3.3, the reverse of `react_then_cot_sc`. If the majority answer has fewer than half of
the votes, ReAct is run and its answer is used; if it finds none, the majority answer is. No two long answers agree, so a
question with a long answer always proceeds to ReAct.

Calls: `n_samples` replies, and those of `react`, h + 1 or more, only if they do not agree. Rounds: none, or `react`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from hopweave.answering.methods.react._loop import Acting, Actor
from hopweave.answering.toolkit.demos import NumDemos, Seed, drawn
from hopweave.answering.toolkit.voted_chains import Voting, elect, voted_answer
from hopweave.core.options import Count, Temperature, options_for
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question

GROUP = "searches in turns"


@dataclass(frozen=True, slots=True)
class CoTSCThenReAct(Acting):
    """Votes, and acts only if the vote is not clear."""

    n_demos: NumDemos = None
    seed: Seed = 0
    n_samples: Annotated[Count, "chains of thought that vote"] = 21
    temperature: Annotated[Temperature, "for those samples"] = 0.7
    max_tokens_reasoning: Annotated[Count, "longest chain of thought, in tokens"] = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        demos = drawn(question, "cot_sc_then_react", self.n_demos, self.seed)
        elected = await elect(workbench, question, demos, options_for(Voting, self))
        vote = elected.vote
        if elected.reached is not None or (vote.answer and 2 * vote.num_votes >= vote.num_samples):
            return voted_answer(question, elected)
        workbench.decide("fallback", f"{vote.num_votes} of {vote.num_samples} samples agree, which is not half")
        actor = Actor(workbench, question, self)
        await actor.run(demos)
        if actor.short:
            return actor.answer()
        return voted_answer(question, elected, actor.sentences, actor.stopped_because if actor.is_out_of_budget else "finished")
