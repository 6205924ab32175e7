"""Ours: ToQD, with its answer read from sentences of all retrieved passages instead of summarised from the graph.

The graph is written and answered as in `toqd` (Li et al., COLING 2025), but an answer that the model gives without passages
is treated as NO! if the model finds it improbable (`least_probability`): small models rarely say that they do not know. At the
end, the question is read once more, over the likeliest sentences of the passages retrieved for it and for the nodes, with the
sub-questions whose answers a passage supports. A question that compares two things is decided by code. Labels, explanations
and unreadable answers are summarised as published. See `hopweave.answering.reading.ending`.

Calls: as in ToQD, with one for the reading in place of the summary; two more if the reading fails its checks, and for a
comparison one for each value that no fact states. One more search, for the question itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.answering.methods.toqd._inference import LeastProbability, QuestionTopology
from hopweave.answering.reading.ending import Ending, FactTokens, QuestionPassages
from hopweave.core.options import options_for
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question

GROUP = "searches for parts"


@dataclass(frozen=True, slots=True)
class ToQDFacts(QuestionTopology):
    """ToQD's options, and those of the reading at the end."""

    least_probability: LeastProbability = 0.85
    num_question_passages: QuestionPassages = 10
    max_tokens_facts: FactTokens = 350

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        inference, stopped_because = await self.inferred(question, workbench)
        answer, stopped_because = await options_for(Ending, self).answer(question, workbench, inference.steps, stopped_because)
        return answer or await inference.sum_up(stopped_because)
