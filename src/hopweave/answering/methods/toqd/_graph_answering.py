"""How the nodes of a graph are answered: each as soon as its predecessors are done, with their answers (ToQD, Algorithm 2)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from hopweave.answering.methods.toqd._graph import GraphNode, QuestionGraph, pairs_of_nodes
from hopweave.answering.methods.toqd._graph_writing import graph_text
from hopweave.answering.parsing.probability import probability_of
from hopweave.answering.parsing.rewritten import parse_rewritten
from hopweave.answering.toolkit.fenced import fenced
from hopweave.citations.citing import on_one_line
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.prompt import Prompt, escape, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Hit, Message, Question, Sampling
from hopweave.text.final import final_answer
from hopweave.text.matching import normalize_answer
from hopweave.text.refusal import is_refusal, without_yes

Infer = Callable[[GraphNode, Sequence[GraphNode]], Awaitable[None]]
"""Processes a node, given all nodes that lead to it."""

PROMPTS = prompts_beside(__file__)
_WITHOUT_THOUGHT = {"rewrite", "self_verify_with_passages", "answer_with_passages"}
"""What a thinking model can do without thought: put names into a question, or read one fact."""

_ASKS_FOR_MORE = lazy_pattern(
    r"(?!\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b).*\b(?:who|whom|whose|what|which|when|where|why|how)\b",
    re.IGNORECASE | re.DOTALL,
)


def plant(workbench: MethodContext, graph: QuestionGraph, name: str = "", allowance: int = 0) -> tuple[GraphNode, ...]:
    """Records the graph and a decision for each node before any of them starts, so that the record is the same in every run.

    Args:
        workbench: the question's workbench.
        graph: the graph.
        name: prefix of its nodes' names, for a child graph.
        allowance: how many further graphs there may be below it.

    Returns:
        The nodes in topological order.
    """
    step = workbench.decide("graph", graph_text(graph), sub_questions=list(graph.sub_questions), edges=list(graph.edges))
    shares = graph.shares(allowance)
    planted: dict[int, GraphNode] = {}
    with workbench.under(step):
        for number in graph.order():
            text, kind = graph.sub_questions[number - 1], "internal" if graph.before(number) else "leaf"
            after = [planted[other].step for other in graph.before(number)]
            node_name = f"{name}{number}"
            node_step = workbench.decide("node", f"[{node_name}] {text}", after=after, query=text, node=kind)
            planted[number] = GraphNode(node_name, text, node_step, shares[number])
    return tuple(planted.values())


async def traverse(
    workbench: MethodContext, graph: QuestionGraph, nodes: Sequence[GraphNode], infer: Infer, *, in_turn: bool = False
) -> None:
    """Infers every node as soon as its predecessors are done, or one at a time in topological order."""
    by_number = dict(zip(graph.order(), nodes, strict=True))
    is_done = {number: asyncio.Event() for number in by_number}

    async def visit(number: int) -> None:
        for other in graph.before(number):
            await is_done[other].wait()
            if graph.first_after(other) == number:  # the unused allowance of a node passes to the first one after it
                by_number[number].allowance += by_number[other].num_graphs_left
        await infer(by_number[number], [by_number[other] for other in graph.ancestors(number)])
        is_done[number].set()

    await workbench.side_by_side([partial(visit, number) for number in by_number], in_turn=in_turn)


@dataclass(frozen=True, slots=True)
class NodeTalk:
    """The model calls about a node.

    Attributes:
        workbench: the question's workbench.
        sampling: of every call.
        more_prompts: additional prompts for nodes; see `said`.
    """

    workbench: MethodContext
    sampling: Sampling
    more_prompts: Mapping[str, Prompt] = field(default_factory=dict)

    async def rewrite(self, node: GraphNode, earlier: Sequence[GraphNode], main: str) -> None:
        """Inserts the answers of earlier nodes into a node's question, which serves the question `main`."""
        shown = {"main": escape(main), "question": escape(node.question)}
        prompt = self.workbench.fill(PROMPTS["rewrite"], pairs=pairs_of_nodes(earlier), **shown)
        text = await self._reply(prompt, "rewrite")
        asked = parse_rewritten(text, node.question)
        if not asked:
            self.workbench.parse_failed("rewrite", "there is no question in the reply; it stays as it was", text)
            return
        node.asked = on_one_line(unescape(asked))
        self.workbench.decide("rewrite", f"{node.question} -> {node.asked}", query=node.asked)

    async def said_from(self, node: GraphNode, hits: Sequence[Hit]) -> str:
        """The short answer to a node from passages; empty if there is none."""
        return await self.said("answer_with_passages", node, passages=self.shown(hits))

    async def said(self, name: str, node: GraphNode, **values: str) -> str:
        """The short answer to the prompt of that name; empty if the reply is NO! or contains none."""
        prompt = PROMPTS[name] if name in PROMPTS else self.more_prompts[name]
        text = await self._reply(self.workbench.fill(prompt, question=escape(node.asked), **values), name)
        return self._answer_in(text, node)

    async def known(self, name: str, node: GraphNode, least_probability: float) -> tuple[str, float | None]:
        """As `said`, without passages; and the probability that the model gives to its reply.

        Below the minimum, the answer is empty. With a minimum of 0, or if the endpoint reports none, the probability is `None`.
        """
        prompt = self.workbench.fill(self.more_prompts[name], question=escape(node.asked))
        is_asked = bool(least_probability) and self.workbench.abilities.logprobs
        sampling = replace(self.sampling, thinking="off")
        sampling = replace(sampling, top_logprobs=1) if is_asked else sampling
        reply = await self.workbench.reply([Message("user", prompt)], purpose=name, sampling=sampling)
        said = self._answer_in(reply.text, node)
        probability = probability_of(reply, reply.text.strip()) if is_asked and reply.logprobs else None
        return (said if probability is None or probability >= least_probability else ""), probability

    def _answer_in(self, text: str, node: GraphNode) -> str:
        if not text.strip():
            self.workbench.parse_failed("answer", "the reply is empty", text)
            return ""
        asks_for_more = _ASKS_FOR_MORE.match(node.asked) is not None
        if is_refusal(text) or (asks_for_more and normalize_answer(text) == "no"):
            return ""
        said = without_yes(text)
        answer, how = final_answer(said, as_short(node))
        if how == "full":
            answer, _ = final_answer(said.strip().split("\n", 1)[0], as_short(node))
        if not normalize_answer(answer) or (asks_for_more and normalize_answer(answer) in {"yes", "no"}):
            self.workbench.parse_failed("answer", "the reply holds no answer", text)
            return ""
        return on_one_line(unescape(answer))

    def shown(self, hits: Sequence[Hit]) -> str:
        """Passages as shown in a prompt."""
        shown = [self.workbench.fill(PROMPTS["passage"], rank=str(hit.rank), passage=fenced(hit.passage)) for hit in hits]
        return "\n\n".join(shown) or self.workbench.fill(PROMPTS["no_passage"])

    async def _reply(self, prompt: str, purpose: str) -> str:
        sampling = replace(self.sampling, thinking="off") if purpose in _WITHOUT_THOUGHT else self.sampling
        return (await self.workbench.reply([Message("user", prompt)], purpose=purpose, sampling=sampling)).text


def as_short(node: GraphNode) -> Question:
    """A node as a question with a short answer."""
    return Question(node.name, node.asked)
