"""Self-consistent chain of thought: several chains of thought are sampled and their answers vote.

Wang et al. 2023; the row "CoT-SC" of SearChain's and ToQD's table 1. The number of samples in those tables was not published:
the original used 40, ReAct 21, DSP and RECITE 20, Verify-and-Edit 5, all but the first at temperature 0.7. Voting on
explanations is undefined: for long answers, the one most similar to the others is chosen (minimum Bayes risk, our decision).

Calls, whatever the hops: 1 request for all samples if the endpoint can, else one per sample. No retrieval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from hopweave.answering.toolkit.chain_of_thought import cot_prompt, self_consistent
from hopweave.answering.toolkit.claims import one_answer
from hopweave.answering.toolkit.demos import NumDemos, Seed, drawn
from hopweave.answering.toolkit.voting import Tie
from hopweave.core.options import Bounded, Count, Temperature, TopP
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question

GROUP = "never searches"


@dataclass(frozen=True, slots=True)
class CoTSC(Bounded):
    """Samples chains of thought and takes the majority answer.

    The text of the answer is the most confident chain of thought among those that agree; the bare answer is worded as in the
    first of them. The share that agrees is `consistency` in the data of the decision `vote`. If the budget allows fewer samples
    than requested, the available ones vote.
    """

    n_samples: Annotated[Count, "chains of thought sampled"] = 20
    temperature: Annotated[Temperature, "for the samples"] = 0.7
    top_p: Annotated[TopP, "nucleus mass of the samples, above 0 up to 1"] = 1.0
    tie: Annotated[
        Tie, "which of equally many votes wins: the surest (logprob), the earliest (first) or the shorter answer"
    ] = "logprob"
    n_demos: NumDemos = None
    seed: Seed = 0
    max_tokens: Annotated[Count, "longest chain of thought, in tokens"] = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        demos = drawn(question, "cot_sc", self.n_demos, self.seed)
        elected = await self_consistent(
            workbench,
            question,
            await cot_prompt(workbench, question, demos, self.max_tokens),
            num_samples=self.n_samples,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            tie=self.tie,
            top_p=self.top_p,
        )
        text = elected.rationales[elected.vote.best]
        stopped_because = elected.reached.limit if elected.reached else "finished"
        return one_answer(question, text, elected.vote.answer, elected.how, stopped_because=stopped_because)
