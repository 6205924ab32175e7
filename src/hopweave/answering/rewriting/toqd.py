"""ToQD as a retriever: every sub-question of its graph is searched for, rewritten with the preceding answers.

Li et al., "Topology-of-Question-Decomposition", COLING 2025, table 3; the method itself is `--method toqd`.

The question is decomposed, critiqued and constructed into a graph. Its nodes are processed in topological order, in parallel
where they do not depend on each other: a node with preceding answers is rewritten with them; it is searched for; and it is
answered from the results if another node needs the answer. A passage gets its best score over all nodes.

Not published, and decided here: how the nodes' hits become one ranking (by the best score), that the original question is not a
query (`include_original`), and that every node is searched for, even if the model knows the answer. Without rewrite, the
answers and the arrows would have no effect, so neither is requested: all nodes are searched for at once.

Calls: 3 + i + w for i rewritten nodes and w nodes whose answer another one needs; 2 without rewrite; one fewer without
critique. Rounds: the longest path through the graph; 1 without rewrite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.answering.methods.toqd import _graph_answering as graph_answering
from hopweave.answering.methods.toqd import _graph_writing as graph_writing
from hopweave.answering.methods.toqd._graph import GraphNode, QuestionGraph
from hopweave.answering.methods.toqd._graph_answering import NodeTalk, plant, traverse
from hopweave.answering.methods.toqd._graph_writing import GraphWriter
from hopweave.core.options import AtLeast, Bounded, Count, Whole
from hopweave.core.protocols import MethodContext
from hopweave.core.ranking import fused, identity_of
from hopweave.core.types import Hit


@dataclass(frozen=True, slots=True)
class ToQDRetriever(Bounded):
    """Searches for every node of a question's graph."""

    engine: Annotated[str, "the underlying retriever"] = "bm25"
    use_critique: Annotated[bool, "false: without critique, every sub-question stays"] = True
    use_rewrite: Annotated[bool, "false: without rewrite, every sub-question is searched for as originally written"] = True
    include_original: Annotated[bool, "also search for the question itself"] = False
    most_sub_questions: Annotated[
        int, AtLeast(2), "maximum number of sub-questions that the model is asked for; the minimum is 2"
    ] = 4
    max_critique_retries: Annotated[Whole, "how often sub-questions are requested again if none are left"] = 3
    num_shown: Annotated[Count, "passages shown to answer a sub-question whose answer another one needs"] = 5
    use_json_schema: Annotated[bool, "request the arrows as JSON, constrained to a schema if the endpoint can"] = True
    max_tokens: Annotated[Count, "maximum reply length, in tokens"] = 256

    @property
    def identity(self) -> str:
        """Name, options and prompts."""
        return identity_of(self, "toqd", graph_writing.PROMPTS, graph_answering.PROMPTS)

    async def search_with(self, workbench: MethodContext, query: str, max_hits: int) -> list[Hit]:
        graph = await self._graph(workbench, query)
        nodes = plant(workbench, graph)
        talk = NodeTalk(workbench, replace(workbench.sampling, max_tokens=self.max_tokens))
        is_awaited = {
            node.step: graph.first_after(number) is not None for number, node in zip(graph.order(), nodes, strict=True)
        }

        async def infer(node: GraphNode, earlier: Sequence[GraphNode]) -> None:
            with workbench.under(node.step):
                if any(other.answer for other in earlier):
                    await talk.rewrite(node, earlier, query)
                node.hits = tuple((await workbench.search([node.asked], max_hits))[0])
                if is_awaited[node.step]:
                    node.answer = await talk.said_from(node, node.hits[: self.num_shown])
                    workbench.decide("answer", node.answer or "?")

        await traverse(workbench, graph, nodes, infer)
        own = await workbench.search([query], max_hits) if self.include_original else []
        return fused([*(node.hits for node in nodes), *own], max_hits)

    async def _graph(self, workbench: MethodContext, query: str) -> QuestionGraph:
        writer = GraphWriter(
            workbench,
            replace(workbench.sampling, max_tokens=self.max_tokens),
            use_critique=self.use_critique,
            use_construct=self.use_rewrite,
            use_json_schema=self.use_json_schema,
            max_retries=self.max_critique_retries,
        )
        question = " ".join(query.split())
        graph = await writer.write(writer.first_request(question, self.most_sub_questions), question)
        if not graph.sub_questions:
            workbench.decide("repair", "no sub-question was written; the question itself is the only one", rule="question")
            return QuestionGraph((query,), ((1, 0),))
        if self.use_rewrite:
            return graph
        return QuestionGraph(graph.sub_questions, tuple((node, 0) for node in range(1, len(graph.sub_questions) + 1)))
