"""How a graph is written: the model decomposes, critiques and constructs (ToQD, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hopweave.answering.methods.toqd._arrows import chain_of, edges_text, parse_arrows
from hopweave.answering.methods.toqd._dependence import all_are_needed, settled_edges
from hopweave.answering.methods.toqd._graph import QuestionGraph
from hopweave.answering.parsing.numbered import parse_dropped, parse_numbered
from hopweave.answering.parsing.queries import fresh
from hopweave.core.prompt import escape, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Message, Sampling

MAX_SUB_QUESTIONS = 9

PROMPTS = prompts_beside(__file__)


@dataclass(frozen=True, slots=True)
class GraphWriter:
    """Has the model write graphs.

    Attributes:
        workbench: the question's workbench.
        sampling: of every call.
        use_critique: whether sub-questions are filtered.
        use_construct: whether the model draws the arrows; otherwise the sub-questions form a chain.
        use_json_schema: whether the arrows are constrained to JSON if the endpoint can.
        max_retries: how often sub-questions are requested again if none are left.
        skip_needless: whether a critique or a construction is skipped if the wording of the sub-questions settles it.
    """

    workbench: MethodContext
    sampling: Sampling
    use_critique: bool
    use_construct: bool
    use_json_schema: bool
    max_retries: int
    skip_needless: bool = False

    def first_request(self, question: str, most: int, examples: str = "") -> str:
        """The filled prompt that asks for at most `most` sub-questions of the question itself."""
        return self.workbench.fill(PROMPTS["decompose"], examples=examples, question=escape(question), most=str(most))

    async def write(self, request: str, question: str, asked_before: Sequence[str] = ()) -> QuestionGraph:
        """Decomposes, critiques and constructs.

        Args:
            request: the filled prompt that asks for sub-questions.
            question: the question that they serve.
            asked_before: questions that must not be asked again, for a child graph.

        Returns:
            The graph; one without nodes if the model wrote no sub-question.

        Raises:
            BudgetReached: if a call is no longer allowed.
        """
        sub_questions = await self._sub_questions(request, question, asked_before)
        if not sub_questions:
            return QuestionGraph((), ())
        return QuestionGraph(sub_questions, await self._edges(question, sub_questions))

    async def _sub_questions(self, request: str, question: str, asked_before: Sequence[str]) -> tuple[str, ...]:
        turns = [Message("user", request)]
        written: tuple[str, ...] = ()
        for attempt in range(self.max_retries + 1):
            reply = await self.workbench.reply(turns, purpose="decompose", sampling=self.sampling)
            found = self._read_list(reply.text, asked_before)
            written = found or written
            left = await self._critique(question, found) if found and self.use_critique else found
            if left:
                return left
            reason = "none of them is relevant" if found else "there is no sub-question in the reply"
            if attempt < self.max_retries:
                self.workbench.decide("again", reason, attempt=attempt + 1)
                again = self.workbench.fill(PROMPTS["decompose_again"], question=escape(question))
                turns += [Message("assistant", reply.text), Message("user", again)]
        if written:
            self.workbench.decide("repair", "the critique left nothing; the last sub-questions stay", rule="keep_all")
        return written

    def _read_list(self, text: str, asked_before: Sequence[str]) -> tuple[str, ...]:
        """The sub-questions of a reply, each once, without those that were asked before."""
        read = parse_numbered(text)
        self.workbench.parse_failed("numbered", read.problems, text)
        kept, _ = fresh([unescape(item) for item in read.items], asked_before)
        num_repeated, num_beyond = len(read.items) - len(kept), len(kept) - MAX_SUB_QUESTIONS
        if num_repeated:
            self.workbench.decide("repair", f"{num_repeated} repeated sub-questions are left out", rule="repeated")
        if num_beyond > 0:
            self.workbench.decide("cut", f"{num_beyond} sub-questions beyond {MAX_SUB_QUESTIONS} are left out")
        return tuple(kept[:MAX_SUB_QUESTIONS])

    async def _critique(self, question: str, sub_questions: tuple[str, ...]) -> tuple[str, ...]:
        """The sub-questions that are relevant (IsRel)."""
        if self.skip_needless and all_are_needed(sub_questions):
            self.workbench.decide("kept", "all sub-questions: each is needed for the next, so none is dropped")
            return sub_questions
        prompt = self.workbench.fill(PROMPTS["critique"], question=escape(question), sub_questions=numbered(sub_questions))
        sampling = replace(self.sampling, thinking="off")
        reply = await self.workbench.reply([Message("user", prompt)], purpose="critique", sampling=sampling)
        read = parse_dropped(reply.text, sub_questions)
        self.workbench.parse_failed("dropped", read.problems, reply.text)
        for number in read.numbers:
            self.workbench.decide("dropped", f"{number}. {sub_questions[number - 1]}", number=number)
        return tuple(text for number, text in enumerate(sub_questions, start=1) if number not in read.numbers)

    async def _edges(self, question: str, sub_questions: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
        if not self.use_construct:
            return chain_of(len(sub_questions))
        settled = settled_edges(sub_questions) if self.skip_needless else None
        if settled is not None:
            self.workbench.decide("kept", "the arrows that the wording of the sub-questions implies")
            return settled
        is_json = self.use_json_schema and self.workbench.abilities.json_schema
        prompt = self.workbench.fill(
            PROMPTS["construct_json" if is_json else "construct"],
            question=escape(question),
            sub_questions=numbered(sub_questions),
        )
        schema = _schema(len(sub_questions)) if is_json else None
        sampling = replace(self.sampling, json_schema=schema, thinking="off")
        reply = await self.workbench.reply([Message("user", prompt)], purpose="construct", sampling=sampling)
        read = parse_arrows(reply.text, sub_questions, question)
        self.workbench.parse_failed("arrows", read.problems, reply.text)
        for repair in read.repairs:
            self.workbench.decide("repair", repair, rule="arrows")
        return read.edges


def numbered(sub_questions: Sequence[str]) -> str:
    """Sub-questions as shown in a prompt; text from a passage cannot pose as a marker there."""
    return "\n".join(f"{number}. {escape(' '.join(text.split()))}" for number, text in enumerate(sub_questions, start=1))


def graph_text(graph: QuestionGraph) -> str:
    """A graph on one line, for humans."""
    return edges_text(graph.edges)


def _schema(num_nodes: int) -> dict[str, Any]:
    """Constrains the arrows to existing nodes. Each is one short text: an object would cost three times the tokens."""
    nodes = range(1, num_nodes + 1)
    arrows = [f"{node} -> {other}" for node in nodes for other in [*nodes, "Q"] if node != other]
    return {
        "type": "object",
        "properties": {"arrows": {"type": "array", "items": {"enum": arrows}}},
        "required": ["arrows"],
        "additionalProperties": False,
    }
