"""The topology graph of sub-questions: its order, its nodes, and how many further graphs each node may still request."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hopweave.answering.methods.toqd._arrows import MAIN
from hopweave.citations.citing import on_one_line
from hopweave.core.errors import BudgetReached
from hopweave.core.prompt import escape
from hopweave.core.types import Hit, Origin


@dataclass(frozen=True, slots=True)
class QuestionGraph:
    """Sub-questions and the arrows between them: no cycles, and every one leads to the question itself, node 0.

    Attributes:
        sub_questions: node k is the k-th, from 1.
        edges: pairs (from, to).
    """

    sub_questions: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]

    def before(self, node: int) -> tuple[int, ...]:
        """The nodes with an arrow to this one, ascending. A node with none is a leaf; every other node is internal."""
        return tuple(sorted(start for start, end in self.edges if end == node))

    def first_after(self, node: int) -> int | None:
        """The lowest node that depends on this one; `None` if only the question itself does."""
        return min((end for start, end in self.edges if start == node and end != MAIN), default=None)

    def order(self) -> tuple[int, ...]:
        """The topological order; among ready nodes, the lowest comes first."""
        missing = {node: len(self.before(node)) for node in range(1, len(self.sub_questions) + 1)}
        ready = [node for node, num in missing.items() if not num]
        ordered: list[int] = []
        while ready:
            node = heapq.heappop(ready)
            ordered.append(node)
            for start, end in self.edges:
                if start == node and end != MAIN:
                    missing[end] -= 1
                    if not missing[end]:
                        heapq.heappush(ready, end)
        return tuple(ordered)

    def ancestors(self, node: int) -> tuple[int, ...]:
        """All nodes from which arrows lead to this one, in topological order."""
        found: set[int] = set()
        waiting = list(self.before(node))
        while waiting:
            other = waiting.pop()
            if other not in found:
                found.add(other)
                waiting += self.before(other)
        return tuple(other for other in self.order() if other in found)

    def shares(self, allowance: int) -> dict[int, int]:
        """An allowance of further graphs, distributed to the nodes in topological order, one at a time."""
        order = self.order()
        return {node: (allowance + len(order) - 1 - place) // len(order) for place, node in enumerate(order)}


@dataclass(slots=True, eq=False)
class GraphNode:
    """A sub-question and its answer.

    Attributes:
        name: its numbers from the top, such as `2` or `2.1`.
        question: as originally written.
        step: its decision in the trace.
        allowance: how many further graphs may be written for it and below it.
        asked: the question as rewritten, which is what is asked and searched.
        answer: empty if unanswered.
        origin: where the answer came from.
        hits: what was found for it.
        children: the nodes of its child graph, in topological order.
        has_graph: whether a child graph was written for it.
        reached: the limit of the budget that ended work on it.
        is_limited: whether r_max denied it a child graph.
    """

    name: str
    question: str
    step: int
    allowance: int = 0
    asked: str = ""
    answer: str = ""
    origin: Origin = "model"
    hits: tuple[Hit, ...] = ()
    children: tuple[GraphNode, ...] = ()
    has_graph: bool = False
    reached: BudgetReached | None = None
    is_limited: bool = False

    def __post_init__(self) -> None:
        self.asked = self.asked or self.question

    @property
    def num_graphs_left(self) -> int:
        """The remaining allowance, once the node is done."""
        return self.allowance - sum(node.has_graph for node in walk([self]))

    def settle(self, answer: str, origin: Origin) -> None:
        """Sets the answer."""
        self.answer, self.origin = answer, origin


def walk(nodes: Iterable[GraphNode]) -> Iterator[GraphNode]:
    """Yields every node; those of a child graph come before the node that it was written for."""
    for node in nodes:
        yield from walk(node.children)
        yield node


def pairs_of_nodes(nodes: Sequence[GraphNode]) -> str:
    """The sub-questions with their answers as shown in a prompt; text from a passage cannot pose as a marker."""
    return "\n".join(
        f"[{number}] {escape(on_one_line(node.asked))} {escape(on_one_line(node.answer)) or 'unknown'}"
        for number, node in enumerate(nodes, start=1)
    )
