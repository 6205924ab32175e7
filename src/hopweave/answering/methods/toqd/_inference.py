"""The inference of ToQD: a graph of sub-questions is written and answered, and the answer is summarised from its nodes.

`toqd` ends with the summary; `toqd_facts` reads its answer instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from hopweave.answering.methods.toqd._dependence import points_back, stands_by_itself
from hopweave.answering.methods.toqd._graph import GraphNode, QuestionGraph, pairs_of_nodes, walk
from hopweave.answering.methods.toqd._graph_answering import NodeTalk, plant, traverse
from hopweave.answering.methods.toqd._graph_writing import GraphWriter, numbered
from hopweave.answering.methods.toqd._node_evidence import read_for_evidence
from hopweave.answering.toolkit.claims import Assertion, claims_of, last_answer, marked_answer, passages_of, with_conclusion
from hopweave.answering.toolkit.demos import Seed, drawn, packed
from hopweave.answering.toolkit.final_answer import file_missing, of_form
from hopweave.citations.marking import text_of
from hopweave.core.errors import BudgetReached
from hopweave.core.options import AtLeast, Bounded, Count, Temperature, TopP, Whole
from hopweave.core.prompt import escape, prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Claim, Hit, Message, Passage, Question, Sampling
from hopweave.text.evidence import condensed
from hopweave.text.final import demanded, final_answer
from hopweave.text.refusal import is_refusal

_PROMPTS = prompts_beside(str(Path(__file__).with_name("toqd.py")))

LeastProbability = Annotated[
    float,
    AtLeast(0, 1),
    "an answer from the model's own knowledge is treated as NO! if the model finds it less probable; 0 sets no bound",
]


@dataclass(frozen=True, slots=True)
class QuestionTopology(Bounded):
    """The options of every method that infers such a graph. Defaults are ours; profile `paper_toqd` has the paper's."""

    max_graphs: Annotated[Count, "r_max: how many graphs may be written for a question, the first one and all child graphs"] = 6
    most_sub_questions: Annotated[
        int, AtLeast(2), "maximum number of sub-questions that the model is asked for; the minimum is 2"
    ] = 4
    num_passages: Annotated[Count, "passages retrieved and shown for a sub-question"] = 5
    max_tokens_passages: Annotated[
        Whole, "tokens of sentences shown for a sub-question, chosen from its passages; 0 shows entire passages"
    ] = 250
    least_probability: LeastProbability = 0.0
    max_critique_retries: Annotated[Whole, "how often sub-questions are requested again if none are left"] = 3
    use_retrieval: Annotated[
        bool, "false: without IR, a sub-question that the model cannot answer by itself is decomposed further at once"
    ] = True
    use_critique: Annotated[bool, "false: without critique, every sub-question stays"] = True
    use_construct: Annotated[bool, "false: without construct, the sub-questions form a chain"] = True
    use_self_verify: Annotated[
        bool, "false: without self-verify, every sub-question is answered from passages; without IR, by the model itself"
    ] = True
    use_rewrite: Annotated[
        bool, "false: without rewrite, a sub-question is asked as it was written, and earlier answers reach only the summary"
    ] = True
    skip_needless: Annotated[
        bool,
        "skip a critique, a construction or a rewrite if the wording of the sub-questions settles it; the paper always asks",
    ] = True
    may_abstain: Annotated[
        bool | None,
        "the summary may answer 'unknown' to a question with a short answer if a sub-question stayed open; "
        "none: unless the model is small",
    ] = None
    parallel: Annotated[bool, "infer independent nodes concurrently"] = True
    use_json_schema: Annotated[bool, "request the arrows as JSON, constrained to a schema if the endpoint can"] = True
    cite_with_reader: Annotated[
        bool, "have the reader look for the support of an answer whose words are in none of the passages shown"
    ] = True
    add_missing_marks: Annotated[bool, "mark a sentence that states a cited answer if the model did not"] = True
    temperature: Annotated[Temperature | None, "for every call; none: the run's, which is 0 by default"] = None
    top_p: Annotated[TopP | None, "for every call; none: the run's, which is 1 by default"] = None
    n_demos: Annotated[
        Whole | None, "worked decompositions shown when a question is first decomposed; none: as many as table 4 says, 0"
    ] = None
    seed: Seed = 0
    max_tokens: Annotated[Count, "longest reply except the last, in tokens"] = 256
    max_tokens_summary: Annotated[Count, "longest last reply, in tokens"] = 512

    async def inferred(self, question: Question, workbench: MethodContext) -> tuple[Inference, str]:
        """The inference of a question, and why it ended.

        Raises:
            ModelError, SearchError, ReadError, ReplayMiss: as in the calls of the workbench.
        """
        inference = Inference(self, question, workbench)
        return inference, await inference.explore()


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What is known around a graph.

    Attributes:
        main: the question that the graph serves.
        above: the nodes that lead to the node whose child graph it is, and those above them; their answers are passed on.
        asked: all sub-questions of the graph and of those around it, which are not asked again below.
    """

    main: str
    above: tuple[GraphNode, ...] = ()
    asked: tuple[str, ...] = ()


@dataclass(slots=True)
class Inference:
    """The state of one question.

    Attributes:
        nodes: of the topmost graph, in topological order.
    """

    options: QuestionTopology
    question: Question
    workbench: MethodContext
    nodes: tuple[GraphNode, ...] = ()
    writer: GraphWriter = field(init=False)
    talk: NodeTalk = field(init=False)

    def __post_init__(self) -> None:
        options = self.options
        self.writer = GraphWriter(
            self.workbench,
            self._sampling(options.max_tokens),
            options.use_critique,
            options.use_construct,
            options.use_json_schema,
            options.max_critique_retries,
            options.skip_needless,
        )
        self.talk = NodeTalk(self.workbench, self._sampling(options.max_tokens), _PROMPTS)

    # -- Algorithm 1 ---------------------------------------------------------------------------------------------------

    async def explore(self) -> str:
        """Writes the graph and infers its nodes; returns why it stopped."""
        try:
            request = await self._request()
            graph = await self.writer.write(request, self.question.text)
        except BudgetReached as reached:
            return reached.limit
        if not graph.sub_questions:
            self.workbench.decide("repair", "no sub-question was written; the question itself is the only one", rule="question")
            graph = QuestionGraph((self.question.text,), ((1, 0),))
        self.nodes = plant(self.workbench, graph, "", self.options.max_graphs - 1)
        await self._traverse(graph, self.nodes, _Surroundings(self.question.text, asked=(self.question.text,)))
        reached_limits = [node.reached.limit for node in walk(self.nodes) if node.reached is not None]
        is_limited = any(node.is_limited for node in walk(self.nodes))
        return next(iter(reached_limits), "max_graphs" if is_limited else "finished")

    async def _request(self) -> str:
        """The prompt that asks for the sub-questions of the question itself."""
        most, question = self.options.most_sub_questions, self.question.text
        demos = drawn(self.question, "toqd", self.options.n_demos, self.options.seed)
        examples = self.workbench.written_once(
            (__name__, *demos),
            lambda: [
                self._fill("decomposed", question=one.question, sub_questions=numbered(one.sub_questions)) for one in demos
            ],
        )
        shown = await packed(self.workbench, examples, self.writer.first_request(question, most), self.options.max_tokens)
        return self.writer.first_request(question, most, shown)

    async def _traverse(self, graph: QuestionGraph, nodes: Sequence[GraphNode], around: _Surroundings) -> None:
        around = replace(around, asked=(*around.asked, *graph.sub_questions))

        async def infer(node: GraphNode, earlier: Sequence[GraphNode]) -> None:
            await self._infer(node, earlier, around)

        await traverse(self.workbench, graph, nodes, infer, in_turn=not self.options.parallel)

    @property
    def steps(self) -> list[Assertion]:
        """The assertions of all nodes; those of a child graph come before their node."""
        return [_assertion(node) for node in walk(self.nodes)]

    async def sum_up(self, stopped_because: str) -> Answer:
        """Predicts the answer from all sub-questions with their answers or, if the budget is used up, lists those."""
        nodes = tuple(walk(self.nodes))
        claims = claims_of(self.steps, self.workbench)
        said = ""
        if claims:
            try:
                said = await self._summary(nodes)
            except BudgetReached as reached:
                stopped_because = reached.limit if stopped_because == "finished" else stopped_because
        short, how = self._short(said, claims)
        retrieved = [hit.passage.id for node in nodes for hit in node.hits]
        return marked_answer(
            said or text_of(claims),
            short,
            how,
            retrieved,
            with_conclusion(self.workbench, self.question, short, claims),
            stopped_because,
            workbench=self.workbench,
            add_missing=self.options.add_missing_marks,
        )

    async def _summary(self, nodes: Sequence[GraphNode]) -> str:
        form = self.question.form
        is_open = not all(node.answer for node in nodes)
        prompt = self._fill(
            "summary",
            answered=self._fill("answered_in_part" if is_open else "answered"),
            pairs=pairs_of_nodes(nodes),
            way_out=f" {self._fill('way_out')}" if is_open and self._may_abstain() else "",
            demanded=demanded(form, self.question.labels),
            question=self.question.text,
            form="" if form == "short" else "\n" + of_form(self.workbench, _PROMPTS, "form", self.question),
        )
        sampling = self._sampling(self.options.max_tokens_summary)
        reply = await self.workbench.reply([Message("user", prompt)], purpose="summary", sampling=sampling)
        if not reply.text.strip() or is_refusal(reply.text):
            self.workbench.parse_failed("final", "there is no summary in the reply", reply.text)
            return ""
        return reply.text.strip()

    def _may_abstain(self) -> bool:
        may, is_small = self.options.may_abstain, self.workbench.abilities.is_small
        return self.question.form == "short" and (not is_small if may is None else may)

    def _short(self, said: str, claims: Sequence[Claim]) -> tuple[str, str]:
        """The bare answer: from the summary, or else from the last claim."""
        short, how = final_answer(said, self.question)
        if how != "empty" and (how != "full" or self.question.form == "long"):
            return short, how
        if said and how == "full":
            file_missing(self.workbench, said)
        return last_answer(claims, self.question)

    # -- Algorithm 2 ---------------------------------------------------------------------------------------------------

    async def _infer(self, node: GraphNode, earlier: Sequence[GraphNode], around: _Surroundings) -> None:
        """Infers one node. A limit of the budget ends work on it and keeps its partial results; other nodes continue."""
        with self.workbench.under(node.step):
            try:
                if self._is_rewritten(node, earlier, around):
                    await self.talk.rewrite(node, [*around.above, *earlier], around.main)
                await self._resolve(node, earlier, around)
            except BudgetReached as reached:
                node.reached = reached
            support = claims_of([_assertion(node)], self.workbench)[0].support
            self.workbench.decide("verdict", node.answer or "?", origin=node.origin, support=support, answer=node.answer)

    def _is_rewritten(self, node: GraphNode, earlier: Sequence[GraphNode], around: _Surroundings) -> bool:
        """Whether answers are put into a node's question: those of nodes that lead to it, or of ones above its graph."""
        if not self.options.use_rewrite or (self.options.skip_needless and stands_by_itself(node.question)):
            return False
        given = [*earlier, *(around.above if points_back(node.question) else ())]
        return any(other.answer for other in given)

    async def _resolve(self, node: GraphNode, earlier: Sequence[GraphNode], around: _Surroundings) -> None:
        if not self.options.use_self_verify:
            await self._answer_unverified(node, earlier)
        elif not await self._is_answered(node):
            passed_on = earlier if self.options.use_rewrite else ()
            await self._decompose_further(node, replace(around, above=(*around.above, *passed_on)))

    async def _is_answered(self, node: GraphNode) -> bool:
        """Whether the model answers on its own or from what is retrieved."""
        return await self._self_verify(node) or (self.options.use_retrieval and await self._self_verify_with_passages(node))

    async def _answer_unverified(self, node: GraphNode, earlier: Sequence[GraphNode]) -> None:
        if self.options.use_retrieval:
            await self._retrieve(node)
            said = await self.talk.said_from(node, self._condensed(node))
            await self._take(node, said)
        else:
            await self._answer_from_memory(node, earlier)

    async def _answer_from_memory(self, node: GraphNode, earlier: Sequence[GraphNode]) -> None:
        if self.options.use_rewrite and any(other.answer for other in earlier):
            said = await self.talk.said("answer_with_pairs", node, pairs=pairs_of_nodes(earlier))
        else:
            said = await self.talk.said("answer_simply", node)
        if said:
            node.settle(said, "model")

    async def _self_verify(self, node: GraphNode) -> bool:
        """Whether the model answers on its own (Retrieve is NO; without IR, Decomposition is)."""
        said, probability = await self.talk.known("self_verify", node, self.options.least_probability)
        sure: dict[str, Any] = {} if probability is None else {"probability": round(probability, 4)}
        label = "retrieve" if self.options.use_retrieval else "decomposition"
        self.workbench.decide(label, "NO" if said else "YES", **sure)
        if said:
            node.settle(said, "model")
        return bool(said)

    async def _self_verify_with_passages(self, node: GraphNode) -> bool:
        """Whether the model answers from what is retrieved (Decomposition is NO)."""
        await self._retrieve(node)
        said = await self.talk.said("self_verify_with_passages", node, passages=self.talk.shown(self._condensed(node)))
        self.workbench.decide("decomposition", "NO" if said else "YES")
        await self._take(node, said)
        return bool(said)

    async def _retrieve(self, node: GraphNode) -> None:
        node.hits = tuple((await self.workbench.search([node.asked], self.options.num_passages))[0])

    async def _take(self, node: GraphNode, said: str) -> None:
        """Sets an answer made from passages; the reader may look for its support."""
        if not said:
            return
        node.settle(said, "retrieved")
        if self.options.cite_with_reader:
            await read_for_evidence(node.asked, said, node.hits, self.workbench)

    async def _decompose_further(self, node: GraphNode, around: _Surroundings) -> None:
        """Adds a child graph (Algorithm 1, lines 8 and 9) and answers the node from it.

        Args:
            node: the node.
            around: with the nodes that lead to it among those above, if their answers are passed on.
        """
        if node.allowance < 1:
            node.is_limited = True
            self.workbench.decide("limit", f"r_max = {self.options.max_graphs} leaves no further graph for this node")
            return
        node.has_graph = True
        request = self._request_for_child(node, around.above)
        around = replace(around, main=node.asked, asked=(*around.asked, node.asked))
        graph = await self.writer.write(request, node.asked, [*around.asked, *(other.asked for other in around.above)])
        if not graph.sub_questions:
            self.workbench.decide("repair", "no new sub-question was written; the node stays open", rule="open")
            return
        node.children = plant(self.workbench, graph, f"{node.name}.", node.allowance - 1)
        await self._traverse(graph, node.children, around)
        if any(child.answer for child in node.children):
            pairs = pairs_of_nodes([*around.above, *node.children])
            said = await self.talk.said("summary_of_node", node, pairs=pairs)
            if said:
                node.settle(said, "retrieved" if _evidence_of(node) else "model")

    def _request_for_child(self, node: GraphNode, above: Sequence[GraphNode]) -> str:
        """The prompt that asks for the sub-questions of a node's child graph, given the answers above it."""
        question, pairs = escape(node.asked), pairs_of_nodes(above)
        if self.options.use_retrieval:
            passages = self.talk.shown(self._condensed(node))
            if above:
                return self._fill("decompose_unresolved_after", passages=passages, pairs=pairs, question=question)
            return self._fill("decompose_unresolved", passages=passages, question=question)
        if above:
            return self._fill("decompose_unknown_after", pairs=pairs, question=question)
        return self._fill("decompose_unknown", question=question)

    # -- small things --------------------------------------------------------------------------------------------------

    def _fill(self, name: str, **values: str) -> str:
        return self.workbench.fill(_PROMPTS[name], **values)

    def _condensed(self, node: GraphNode) -> Sequence[Hit]:
        """The passages found for a node, as the model is shown them: their likeliest sentences, or entire passages."""
        longest = self.options.max_tokens_passages
        return condensed(node.asked, node.hits, longest) if longest else node.hits

    def _sampling(self, max_tokens: int) -> Sampling:
        base, options = self.workbench.sampling, self.options
        temperature = base.temperature if options.temperature is None else options.temperature
        top_p = base.top_p if options.top_p is None else options.top_p
        return replace(base, temperature=temperature, top_p=top_p, max_tokens=max_tokens)


def _evidence_of(node: GraphNode) -> list[Passage]:
    """The passages that were found for a node and for those of its child graph."""
    return passages_of(hit for one in (node, *walk(node.children)) for hit in one.hits)


def _assertion(node: GraphNode) -> Assertion:
    return Assertion(node.asked, node.answer, node.origin, _evidence_of(node) if node.origin == "retrieved" else ())
