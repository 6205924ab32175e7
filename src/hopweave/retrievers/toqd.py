"""ToQD as a retriever: every sub-question of its graph is searched for, rewritten with the answers before it.

Li et al., "Topology-of-Question-Decomposition", COLING 2025, table 3; the method itself is `--method toqd`.

The question is decomposed, criticised and constructed into a graph. Its nodes are worked on in topological order, side by side
where they wait for nothing: one that has answers before it is rewritten with them; it is searched for; and it is answered from
what was found, if another node waits for that. A passage counts with its best score over all nodes.

Not published, and decided here: how the nodes' hits become one ranking (by the best score), that the original question is no
query (`include_original`), and that every node is searched for, also where the model knows the answer. Without rewrite the
answers and the arrows would change nothing, so neither is asked for: all nodes are searched for at once.

Calls: 3 + i + w for i nodes that are rewritten and w that another one waits for; 2 without rewrite; one less without critique.
Rounds: the longest way through the graph; 1 without rewrite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.protocols import MethodContext
from hopweave.question_graph import graph_answering, graph_writing
from hopweave.question_graph.graph import GraphNode, QuestionGraph
from hopweave.question_graph.graph_answering import NodeTalk, plant, traverse
from hopweave.question_graph.graph_writing import GraphWriter
from hopweave.retrievers._ranking import fused, identity_of
from hopweave.toolkit.options import AtLeast, Bounded, Count, Whole
from hopweave.types import Hit


@dataclass(frozen=True, slots=True)
class ToQDRetriever(Bounded):
    """Searches for every node of a question's graph."""

    engine: Annotated[str, "the retriever underneath"] = "bm25"
    use_critique: Annotated[bool, "false: without critique, every sub-question stays"] = True
    use_rewrite: Annotated[bool, "false: without rewrite, every sub-question is searched for as it was written"] = True
    include_original: Annotated[bool, "search for the question itself, too"] = False
    most_sub_questions: Annotated[
        int, AtLeast(2), "how many sub-questions the model is asked for at most; it is asked for 2 at least"
    ] = 4
    max_critique_retries: Annotated[Whole, "how often sub-questions are asked for again where none is left"] = 3
    num_shown: Annotated[Count, "passages shown to answer a sub-question that another one waits for"] = 5
    use_json_schema: Annotated[bool, "ask for the arrows as JSON, where the endpoint can be held to a schema"] = True
    max_tokens: Annotated[Count, "longest reply, in tokens"] = 256

    @property
    def identity(self) -> str:
        """Name, options and wording."""
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
