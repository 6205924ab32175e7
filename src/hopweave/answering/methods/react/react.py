"""ReAct: thinks, then searches, looks up or finishes, step by step, and reads the results.

Yao et al. (arXiv 2210.03629), section 3, following the authors' code. What they do on Wikipedia is done here on the
corpus through the retriever (see `toolkit/wiki.py`); their trajectories are replaced by our own, written from the
demonstrations that all methods share. There are at most 7 steps, or 5 where facts are checked: the paper's numbers for
HotpotQA and FEVER (the released code takes 7 for both). If the steps are used up without an answer, or three successive
actions are invalid, their code finishes with nothing, and so does this (`at_limit`). An immediately repeated action that
cannot show anything new ends the work; then the model is made to finish. The paper's demonstrations look for one thing each,
so each becomes a claim.

Calls: a turn per search and lookup and one to finish, h + 1 or more, at most `max_steps`; one more for each turn without
an action, and one if the model is made to finish. Rounds of retrieval: one per search, h or more; a lookup is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from hopweave.answering.methods.react._loop import Acting, Actor
from hopweave.answering.toolkit.demos import Seed, drawn
from hopweave.core.options import Whole
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question

GROUP = "searches in turns"


@dataclass(frozen=True, slots=True)
class ReAct(Acting):
    """Acts until it finishes."""

    n_demos: Annotated[Whole | None, "trajectories shown; none: as SearChain's table 11 says for the dataset or family"] = None
    seed: Seed = 0
    at_limit: Annotated[
        Literal["empty", "force"],
        "after the last step, or too many invalid actions; empty: no answer, as in the authors' code; force: ask for one",
    ] = "empty"

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        actor = Actor(workbench, question, self)
        at_limit = ("max_steps", "invalid_actions") if self.at_limit == "force" else ()
        await actor.run(drawn(question, "react", self.n_demos, self.seed), ("repeated_action", *at_limit))
        return actor.answer()
