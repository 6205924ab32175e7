"""ToQD as published: a graph of sub-questions, answered in parallel, that retrieves and decomposes only if necessary.

Li et al., "Topology-of-Question-Decomposition", COLING 2025, section 3, Algorithms 1 and 2.

The question is decomposed into sub-questions, the irrelevant ones are dropped (Critique), and arrows between the others form
a topology graph (Construct). A node is a leaf if no arrow leads to it, else internal. Each node whose predecessors are answered
is inferred, in parallel with every other such node: an internal node is rewritten with the preceding answers; the model
answers or says NO! (Self-verify); on NO! passages are retrieved, and the model answers from them or says NO! again; then the
node is decomposed further, into its own child graph, and answered from that. The answer is a summary of all of them. A small
model is right more often with `toqd_facts`, a variant of ours.

Not published, and decided here: what r_max counts (`max_graphs`), how a node with a child graph gets its answer (a summary of
that graph and of what leads to it), how an invalid graph is repaired (`answering.methods.toqd._arrows`), and what an answer
from passages cites. A critique, a construction or a rewrite is not asked for where the wording of the sub-questions settles it
(`answering.methods.toqd._dependence`); profile `paper_toqd` asks for all.

Calls: 3 + s + i + v + 1 for s sub-questions, i of them internal, v answering NO!, and 3 + s' + i' + v' + 1 for each child
graph, less what is not asked for; plus those of a reader that asks the model (one per passage read to find support for an
answer).
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.answering.methods.toqd._inference import QuestionTopology
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question

GROUP = "searches for parts"


@dataclass(frozen=True, slots=True)
class ToQD(QuestionTopology):
    """The published algorithm; its answer comes from the graph alone."""

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        inference, stopped_because = await self.inferred(question, workbench)
        return await inference.sum_up(stopped_because)
