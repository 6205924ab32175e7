"""SearChain as published: retrieval verifies, corrects and completes a Chain-of-Query node by node, a tree of reasoning.

Xu et al., "Search-in-the-Chain", arXiv 2304.14732 and WWW 2024, section 3 and Algorithm 1.

The model writes a whole chain of queries with answers. The chain is walked in order; each new query retrieves its top passage,
which the reader reads. An unsolved query is completed with what the passage says, whatever the confidence f; an answered one
is corrected if f > theta and the answer is inconsistent with the passage; otherwise it passes. The first completed or corrected
node ends the round: the model is told and writes a new chain, a branch at that node. When a whole chain passes, or the limit of
rounds is reached, the final content is written from the correct path R, with a mark for each node (Tracing), and the answer is
taken from it. Examples are demonstrations of the question's task family, as many as in table 11 for its dataset; tracing shows
the same ones. A small model is right more often with `searchain_facts`, a variant of ours.

Not published, and decided here: what leaves R when a branch is abandoned (`path_rule`), the exact meaning of r_max
(`round_limit`), the variant of ROUGE-L (`rouge`), and how an unsolved node is handled without completion
(`without_completion`).

Calls: one per round, one for tracing, one more if it omits the final answer, and one per node read by a reader that asks the
model.
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.answering.methods.searchain._walk import ChainOfQuery
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question

GROUP = "checks afterwards"


@dataclass(frozen=True, slots=True)
class SearChain(ChainOfQuery):
    """The published algorithm; its answer comes from the correct path alone."""

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        walk, stopped_because = await self.walked(question, workbench)
        return await walk.trace_back(stopped_because)
