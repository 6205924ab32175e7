"""The walk of SearChain: chains are written, checked and corrected, and the final content is traced from the correct path.

`searchain` ends with the final content; `searchain_facts` reads its answer instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from hopweave.answering.demonstrations import FACT_CHECKING, YES_NO, family_of
from hopweave.answering.methods.searchain._chain import Chain, ChainNode, parse_chain
from hopweave.answering.methods.searchain._chain_examples import open_chain, whole_chain
from hopweave.answering.methods.searchain._consistency import Consistency
from hopweave.answering.methods.searchain._path import PathNode, claims_on, pairs, pruned
from hopweave.answering.methods.searchain._theta import theta_for, theta_note
from hopweave.answering.methods.searchain._tracing import NEXT_EXAMPLE, Tracing, form_line
from hopweave.answering.toolkit.claims import Assertion, file_claims, marked_answer, with_conclusion
from hopweave.answering.toolkit.concurrency import why_stopped
from hopweave.answering.toolkit.demos import Seed, drawn, packed
from hopweave.answering.toolkit.fenced import fenced
from hopweave.citations.citing import on_one_line
from hopweave.citations.marking import text_of
from hopweave.core.errors import BudgetReached, SettingsError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.options import Count, Whole, check_options, name_of_part, options_for
from hopweave.core.prompt import escape, prompts_beside, unescape
from hopweave.core.protocols import ExcerptReader, MethodContext, ModelReader, is_part
from hopweave.core.types import Answer, Message, Origin, Passage, Question, Reading, Sampling
from hopweave.text.evidence import condensed_text
from hopweave.text.final import demanded
from hopweave.text.key_terms import only_repeats

_PROMPTS = prompts_beside(str(Path(__file__).with_name("searchain.py")))
_FINAL = ("\n[Final Content]",)
_FINAL_CONTENT = "\n[Final Content]:"
_ANSWER_FIRST = lazy_pattern(r"\W*+answer\s*+\d*+\s*+[\]:]", re.IGNORECASE)


class _Form(NamedTuple):
    """The prompts of a chain whose example shows queries with and without their answers."""

    rules: str = "rules_both_ways"
    final: str = "final_both_ways"
    unknown_step: str = "unknown_step"


_STOPPING = {
    FACT_CHECKING: _Form(rules="rules_both_ways_stop", final="final_both_ways_stop"),
    YES_NO: _Form(unknown_step="unknown_step_stop"),
}
"""By task family: figure 13 asks to stop in its rules, figure 15 in its example."""


@dataclass(frozen=True, slots=True)
class ChainOfQuery:
    """The options of every method that walks chains. Defaults are ours; profile `paper_searchain` has the paper's."""

    max_rounds: Annotated[Count, "r_max: how many chains may be written, not counting requests repeated for invalid ones"] = 5
    round_limit: Annotated[
        Literal["chains", "algorithm"],
        "chains: r_max chains, as the authors' code; algorithm: r_max + 1, as Algorithm 1 reads (r > r_max, from r = 0)",
    ] = "chains"
    theta: Annotated[
        float | None, "correct an answer only if the reader's confidence f is above this; none: the reader's own (its `theta`)"
    ] = None
    alpha: Annotated[float, "long answers: consistent if ROUGE-L of answer and passage is above this"] = 0.35
    rouge: Annotated[
        Literal["f1", "precision"], "which ROUGE-L alpha is compared with; precision: how much of the answer is in the passage"
    ] = "precision"
    use_retrieval: Annotated[bool, "false: without IR, one chain in which every query is answered"] = True
    verify: Annotated[bool, "false: without verification"] = True
    complete: Annotated[bool, "false: without completion"] = True
    without_completion: Annotated[
        Literal["ignore", "force_answer"],
        "unsolved queries without completion: passed as unknown, and the chain goes on after them; or never allowed",
    ] = "ignore"
    num_passages: Annotated[
        Count,
        "passages of a query that are read, best first, until the reader is confident in one (f > theta); the paper reads one",
    ] = 1
    match: Annotated[Literal["words", "characters"], "short answers: the span is in the answer as words, or as characters"] = (
        "words"
    )
    normalize_values: Annotated[
        bool,
        "compare short answers by what they say: dates, numbers, a country and its people, lists and initials in any form, "
        "and the span in the answer or the answer in the span",
    ] = True
    ignore_echoes: Annotated[bool, "ignore a reader's span that only repeats the query"] = True
    check_yes_no: Annotated[bool, "compare the reader's span with a bare yes or no, which can never contain it"] = False
    path_rule: Annotated[
        Literal["last_branch", "append_only"],
        "last_branch: nodes that a new branch omits leave the path; append_only: nothing ever leaves, as in Algorithm 1",
    ] = "last_branch"
    continue_chain: Annotated[
        bool, "give the settled nodes back as the beginning of the model's turn, if the endpoint can continue one"
    ] = True
    chain_form: Annotated[
        Literal["stop", "both_ways", "by_family"],
        "stop: the model stops at an unsolved query; both_ways: the first example shows each query with and without its answer "
        "(figure 16); by_family: so, and claims and yes or no tell the model to stop at an unsolved query (figures 13 and 15)",
    ] = "stop"
    max_tokens_feedback: Annotated[
        Whole,
        "tokens of sentences of a passage shown in feedback, if the reader read all of it; what a reader was shown of it is "
        "shown again; 0 shows the entire passage",
    ] = 80
    stop_before_final: Annotated[
        bool, "end a chain before its [Final Content], which tracing writes from settled answers anyway"
    ] = True
    force_final: Annotated[
        bool, "ask once more for the final answer if the final content does not state it; the paper does not"
    ] = True
    cite: Annotated[
        Literal["confirmed", "every_node"], "cite only what a passage settles, or the passage of every node as the paper does"
    ] = "confirmed"
    add_missing_marks: Annotated[bool, "mark a sentence that states a cited answer if the model did not"] = True
    n_demos: Annotated[
        Whole | None,
        "worked chains shown, and one that stops at an open query; none: as many as SearChain's table 11 says",
    ] = None
    seed: Seed = 0
    max_nodes: Annotated[Count, "maximum number of nodes of a chain that are processed; the rest is dropped and noted"] = 16
    max_tokens: Annotated[Count, "longest chain, in tokens"] = 512

    def __post_init__(self) -> None:
        check_options(self)
        if not 0 <= self.alpha <= 1:
            raise SettingsError(f"{name_of_part(self)} alpha is a ROUGE-L between 0 and 1, not {self.alpha}")

    async def walked(self, question: Question, workbench: MethodContext) -> tuple[Walk, str]:
        """The walk of a question, and why it ended.

        Raises:
            ModelError, SearchError, ReadError, ReplayMiss: as in the calls of the workbench.
        """
        walk = Walk(self, question, workbench)
        for note in self.notes_on(workbench):
            workbench.decide("note", note)
        return walk, await why_stopped(walk.explore())

    def notes_on(self, workbench: MethodContext) -> Sequence[str]:
        """See `core.protocols.Noting`: whether theta belongs to the reader."""
        checks = self.use_retrieval and self.verify
        note = theta_note(name_of_part(self), workbench.reader, self.theta) if checks else ""
        return [note] if note else []


@dataclass(slots=True)
class Walk:
    """The state of one question: the tree of reasoning as it grows, the processed queries M and the correct path R.

    Attributes:
        examples: demonstrations as whole chains, before dropping those that do not fit.
        found: the top passages of each query that was searched; a chain's are retrieved together, ahead of the walk.
        cause: the node that the last feedback was about, and `verdict_step` the decision about it.
        reached: the limit of the budget that was reached in the middle of a chain.
        last_final: the final content of the last chain, unless it was refuted.
        last_text: the model's last reply to a request for a chain.
        theta: the reader is confident if f is above this.
        consistency: compares answers with readings.
    """

    options: ChainOfQuery
    question: Question
    workbench: MethodContext
    processed: list[PathNode] = field(default_factory=list)
    path: list[PathNode] = field(default_factory=list)
    examples: tuple[str, ...] = ()
    found: dict[str, tuple[Passage, ...]] = field(default_factory=dict)
    cause: PathNode | None = None
    verdict_step: int | None = None
    reached: BudgetReached | None = None
    last_final: str = ""
    last_text: str = ""
    theta: float = field(init=False)
    consistency: Consistency = field(init=False)

    def __post_init__(self) -> None:
        self.theta = theta_for(self.workbench.reader, self.options.theta)
        self.consistency = options_for(Consistency, self.options)

    async def explore(self) -> str:
        """Writes and walks chains until one passes completely; returns why it stopped."""
        turns = [Message("user", await self._first_prompt())]
        may_ask_again = True
        for _ in range(self._max_chains()):
            chain = await self._generate(turns)
            if may_ask_again and not chain.nodes and not (chain.is_ended and self.processed):
                may_ask_again = False
                turns.append(Message("user", self._fill("format_reminder", question=self.question.text)))
                chain = await self._generate(turns)
            feedback = await self._walk(chain)
            if feedback is None:
                return "finished"
            turns.append(Message("user", feedback))
        return "max_rounds"

    @property
    def steps(self) -> list[Assertion]:
        """The assertions of the correct path, node by node."""
        return [node.assertion for node in self.path]

    @property
    def decisions(self) -> list[list[int]]:
        """The decision that each node of the correct path comes from."""
        return [[node.step] for node in self.path]

    async def trace_back(self, stopped_because: str) -> Answer:
        """Writes the final content from the correct path (section 3.3, Tracing) or, without budget left, the path itself."""
        claims = claims_on(self.path, self.workbench, every_passage=self.options.cite == "every_node")
        file_claims(self.workbench, self.question, claims, self.decisions)
        said = self.last_final or ("" if claims else self.last_text)
        tracing = Tracing(self.workbench, self.question, _PROMPTS, self.options.max_tokens, self.options.force_final)
        if claims and self.options.use_retrieval:
            try:
                said = await tracing.final_content(self.path, self.examples)
            except BudgetReached as reached:
                said, stopped_because = "", reached.limit
        short, how = tracing.short(said, self.last_final, claims, is_expected=not self.options.use_retrieval)
        return marked_answer(
            said or text_of(claims),
            short,
            how,
            [node.passage.id for node in self.path if node.passage is not None],
            with_conclusion(self.workbench, self.question, short, claims),
            stopped_because,
            workbench=self.workbench,
            add_missing=self.options.add_missing_marks,
        )

    # -- writing chains ------------------------------------------------------------------------------------------------

    def _max_chains(self) -> int:
        if not self.options.use_retrieval:
            return 1
        return self.options.max_rounds + (self.options.round_limit == "algorithm")

    async def _first_prompt(self) -> str:
        demand = demanded(self.question.form, self.question.labels)
        is_cut = self._ends_before_final()
        stops = self._draw_examples()
        examples: Sequence[str] = self.examples
        if not self.options.use_retrieval or (not self.options.complete and self.options.without_completion == "force_answer"):
            rules, stops = self._fill("rules_answer_all", final=self._final_rule("final_answer_all", demand)), ""
        elif self.options.chain_form != "stop":
            form = self._form()
            rules, stops = self._fill(form.rules, final=self._final_rule(form.final, demand)), ""
            examples = [self._both_ways(form, example) for example in examples[:1]] + [*examples[1:]]
        elif self._goes_on():
            rules = self._fill("rules_go_on", final=self._final_rule("final_go_on", demand))
            stops = f"{stops.rstrip()}{_FINAL_CONTENT}\n\n" if stops and is_cut else ""
        else:
            rules = self._fill("rules_stop", final=self._final_rule("final_stop", demand))
        if is_cut:
            examples = [example.partition(_FINAL_CONTENT)[0] + _FINAL_CONTENT for example in examples]
        asked = {"question": self.question.text, "form": form_line(self.workbench, _PROMPTS, self.question)}
        rest = self._fill("chain", rules=rules, examples=stops, **asked)
        shown = await packed(self.workbench, examples, rest, self.options.max_tokens)
        return self._fill("chain", rules=rules, examples=shown + stops, **asked)

    def _ends_before_final(self) -> bool:
        return self.options.stop_before_final and self.options.use_retrieval

    def _goes_on(self) -> bool:
        """Whether a chain goes on after an unsolved query, since that is passed as unknown."""
        return not self.options.complete and self.options.without_completion == "ignore"

    def _form(self) -> _Form:
        if self.options.chain_form == "by_family" and not self._goes_on():
            return _STOPPING.get(family_of(self.question), _Form())
        return _Form()

    def _final_rule(self, name: str, demand: str) -> str:
        """How a chain ends: what is cut off is not asked for."""
        if not self._ends_before_final():
            return self._fill(name, demanded=demand)
        return self._fill("final_left_out_go_on" if self._goes_on() else "final_left_out")

    def _draw_examples(self) -> str:
        """Draws the demonstrations, and one more, which is returned as a chain that stops (followed by an empty line)."""
        form, seed = self.question.form, self.options.seed
        method = "searchain" if self.options.use_retrieval else "searchain_without_retrieval"
        demos = drawn(self.question, method, self.options.n_demos, seed)
        if not demos:
            self.examples = ()
            return ""
        last = drawn(self.question, method, len(demos) + 1, seed)[-1]
        key = (__name__, form, self.question.labels, *demos, last)
        self.examples, stopping = self.workbench.written_once(
            key,
            lambda: (
                tuple(self._example(one.question, whole_chain(one, form)) for one in demos),
                f"{self._example(last.question, open_chain(last, form))}\n\n",
            ),
        )
        return stopping

    def _example(self, question: str, chain: str) -> str:
        return self._fill("example", question=question, form=form_line(self.workbench, _PROMPTS, self.question), chain=chain)

    def _both_ways(self, form: _Form, example: str) -> str:
        lines = []
        for line in example.split("\n"):
            lines.append(line)
            if line.startswith("[Query"):
                lines.append(self._fill(form.unknown_step, query=line.split("]: ", 1)[1]))
        return "\n".join(lines)

    async def _generate(self, turns: list[Message]) -> Chain:
        """Has the model write a chain, and adds it to the conversation."""
        sampling = self._sampling(NEXT_EXAMPLE + _FINAL if self._ends_before_final() else NEXT_EXAMPLE)
        begun = self._begun()
        messages = [*turns, Message("assistant", begun)] if begun else turns
        with self._under_cause():
            reply = await self.workbench.reply(messages, purpose="chain", sampling=sampling)
            text = begun + reply.text
            turns.append(Message("assistant", text))
            self.last_text = text.strip() or self.last_text
            return self._read(begun, reply.text, is_whole=reply.finish_reason != "length")

    def _begun(self) -> str:
        """The path as the beginning of the model's turn, or nothing. It ends before an open query, which may be replaced."""
        if self.cause is None or not self.options.continue_chain or not self.workbench.abilities.prefill:
            return ""
        return pairs(self.path if self.cause.answer else [node for node in self.path if node is not self.cause])

    def _read(self, begun: str, said: str, *, is_whole: bool) -> Chain:
        if self.cause is not None and _ANSWER_FIRST.match(said):
            # The answer to the query in the feedback.
            said = f"\n[Query]: {escape(self.cause.query)}\n{said.lstrip()}"
        text = begun + said
        chain = parse_chain(text, is_whole=is_whole)
        self.workbench.parse_failed("chain", chain.problems, text)
        self.last_final = chain.final
        return replace(chain, nodes=tuple(map(self._plain, chain.nodes)))

    def _plain(self, node: ChainNode) -> ChainNode:
        query, answer = unescape(node.query), unescape(node.answer)
        # If examples show every query with and without an answer, models copy both lines; the answer is used.
        is_unsolved = node.is_unsolved and not (answer and self.options.chain_form != "stop")
        return ChainNode(node.number, query, answer, is_unsolved)

    # -- walking a chain -----------------------------------------------------------------------------------------------

    async def _walk(self, chain: Chain) -> str | None:
        """Walks a chain in order; returns the feedback of the first node that needs any, or `None` if all pass.

        Raises:
            BudgetReached: once the chain is walked, if a limit was reached on the way; from there on, nodes pass unchecked.
        """
        with self._under_cause():
            branch = self.workbench.decide("branch", f"chain of {len(chain.nodes)} queries", final=chain.final)
        with self.workbench.under(branch):
            nodes = chain.nodes[: self.options.max_nodes]
            if len(nodes) < len(chain.nodes):
                self.workbench.decide("cut", f"{len(chain.nodes) - len(nodes)} queries beyond max_nodes are not walked")
            earlier = await self._earlier(nodes)
            self._prune([self.processed[index] for index in earlier if index is not None and index < len(self.processed)])
            await self._fetch_ahead([node for node, index in zip(nodes, earlier, strict=True) if index is None])
            for node, index in zip(nodes, earlier, strict=True):
                if index is not None:
                    self._meet_again(node, self.processed[index])
                    continue
                feedback = await self._visit(node)
                if feedback is not None:
                    self.last_final = ""
                    return feedback
        self.cause = None
        if self.reached is not None:
            raise self.reached
        return None

    async def _earlier(self, nodes: Sequence[ChainNode]) -> list[int | None]:
        """For each node, the position among the processed queries of the one that it repeats (including walked nodes)."""
        seen = [node.query for node in self.processed]
        found: list[int | None] = []
        for node in nodes:
            index = await self.workbench.duplicate_of(node.query, seen)
            found.append(index)
            if index is None:
                seen.append(node.query)
        return found

    async def _fetch_ahead(self, nodes: Sequence[ChainNode]) -> None:
        """Retrieves the passages of a chain in one batch, unless searches are limited: then none is spent before its turn."""
        if self.workbench.num_searches_left is None:
            with suppress(BudgetReached):  # the node that lacks its passage reports it
                await self._fetch([node.query for node in nodes if self._needs_passage(node)])

    async def _fetch(self, queries: Sequence[str]) -> None:
        wanted = [query for query in dict.fromkeys(queries) if query not in self.found]
        for query, hits in zip(wanted, await self.workbench.search(wanted, self.options.num_passages), strict=True):
            self.found[query] = tuple(hit.passage for hit in hits)

    def _is_checked(self, node: ChainNode) -> bool:
        return self.options.complete if node.is_unsolved else self.options.verify

    def _needs_passage(self, node: ChainNode) -> bool:
        if not self.options.use_retrieval or self.reached is not None:
            return False
        return self._is_checked(node) or (self.options.cite == "every_node" and not node.is_unsolved)

    async def _visit(self, node: ChainNode) -> str | None:
        """Processes a new query: completion, verification or pass."""
        step = self.workbench.decide("node", f"{node.query} -> {node.answer or '?'}", query=node.query, answer=node.answer)
        here = PathNode(node.query, "" if node.is_unsolved else node.answer, "model", step)
        self.processed.append(here)
        with self.workbench.under(step):
            if self._needs_passage(node) and await self._look_up(here, reads=self._is_checked(node)):
                return self._complete(here) if node.is_unsolved else self._verify(here)
            self._settle(here, here.origin)
            return None

    async def _look_up(self, here: PathNode, *, reads: bool) -> bool:
        """Finds passages for a query and reads them, best first; returns whether the results allow a judgement."""
        try:
            await self._fetch([here.query])
            passages = self.found[here.query]
            here.passage, here.checked = passages[0] if passages else None, here.answer
            for passage in passages if reads else ():
                reading = await self._reading(here, passage)
                if here.reading is None or (bool(reading.text), reading.confidence) > (
                    bool(here.found),
                    here.reading.confidence,
                ):
                    here.passage, here.reading = passage, reading
                if here.found and here.reading.confidence > self.theta:
                    break
        except BudgetReached as reached:
            self.reached = reached
        return reads and self.reached is None

    async def _reading(self, here: PathNode, passage: Passage) -> Reading:
        """The reader's result for a passage; words that only repeat the query are dropped."""
        reading = await self.workbench.read(here.query, passage, answer=here.checked)
        if self.options.ignore_echoes and only_repeats(reading.text, here.query):
            return Reading("", None, reading.confidence)
        return reading

    def _complete(self, here: PathNode) -> str:
        here.answer = here.found
        self._settle(here, "completed" if here.answer else "model", is_cause=True)
        if here.passage is None:
            return self._feedback("nothing_found", here)
        if here.answer:
            return self._feedback("completion", here)
        return self._feedback("completion_not_stated" if self._has_denied(here) else "completion_without_span", here)

    def _has_denied(self, here: PathNode) -> bool:
        """Whether the model itself has read the passage and said that it has no answer, so that it is not asked again."""
        is_own = is_part(self.workbench.reader, ModelReader)
        return is_own and here.reading is not None and here.reading.confidence < 0

    def _verify(self, here: PathNode) -> str | None:
        reading, passage = here.reading, here.passage
        if reading is None or passage is None or not here.found or not reading.confidence > self.theta:
            self._settle(here, "model")
            return None
        finding = self.consistency.compare(here.query, here.answer, reading, passage, self.question)
        if finding != "differs":
            self._settle(here, "verified" if finding == "agrees" else "model")
            return None
        here.answer = reading.text
        self._settle(here, "corrected", is_cause=True)
        return self._feedback("verification", here)

    def _settle(self, here: PathNode, origin: Origin, *, is_cause: bool = False) -> None:
        here.origin = origin
        self.path.append(here)
        confidence = here.reading.confidence if here.reading is not None else None
        says = here.assessment(self.workbench) | {"confidence": confidence, "theta": self.theta, "answer": here.answer}
        self.verdict_step = self.workbench.decide("verdict", origin if here.answer else "open", **says)
        self.cause = here if is_cause else self.cause

    def _meet_again(self, node: ChainNode, earlier: PathNode) -> None:
        """A query that was processed before is not processed again; if nothing settled it, a new answer is accepted.

        If nodes never leave the path, only a query that is still open takes a new answer.
        """
        self.workbench.decide("duplicate", f"{node.query} -> {node.answer or '?'}", after=[earlier.step])
        if self.options.path_rule == "append_only" and earlier.answer:
            return
        if not node.is_unsolved and earlier.revise(node.answer):
            text = f"{earlier.query} -> {earlier.answer}"
            self.workbench.decide("revised", text, after=[earlier.step], **earlier.assessment(self.workbench))
        if earlier not in self.path:
            self.path.append(earlier)

    def _prune(self, restated: Sequence[PathNode]) -> None:
        if self.options.path_rule == "append_only":
            return
        kept = pruned(self.path, restated, self.cause)
        for node in self.path:
            if node not in kept:
                self.workbench.decide("abandoned", f"{node.query} -> {node.answer or '?'}", after=[node.step])
        self.path = kept

    def _feedback(self, prompt: str, here: PathNode) -> str:
        values = {"query": escape(here.query), "question": self.question.text}
        if here.passage is not None:
            values["passage"] = fenced(here.passage, self._shown_of(here, here.passage))
        if here.answer:
            values["span"] = escape(on_one_line(here.answer))
        return self._fill(prompt, **values)

    def _shown_of(self, here: PathNode, passage: Passage) -> str:
        """What feedback shows of a passage: what the reader was shown of it, with the sentence that it found the answer in."""
        longest = self.options.max_tokens_feedback
        reader: object = self.workbench.reader
        words = here.reading.span if here.reading is not None else None
        if not longest:
            return passage.text
        if is_part(reader, ExcerptReader):
            return reader.excerpt(here.query, passage, here.checked, words, is_small=self.workbench.abilities.is_small)
        return condensed_text(here.query, passage, longest, answer=here.checked, words=words)

    # -- small things --------------------------------------------------------------------------------------------------

    def _fill(self, name: str, **values: str) -> str:
        return self.workbench.fill(_PROMPTS[name], **values)

    def _sampling(self, stop: tuple[str, ...]) -> Sampling:
        return replace(self.workbench.sampling, max_tokens=self.options.max_tokens, stop=stop)

    def _under_cause(self) -> AbstractContextManager[None]:
        """Records a branch under the verdict that caused it."""
        return nullcontext() if self.verdict_step is None else self.workbench.under(self.verdict_step)
