"""DecomP: a controller calls named modules, one call at a time, each with its own few-shot prompt.

Khot et al. 2023 (arXiv 2210.02406), for open-domain questions as run by the authors of IRCoT. `[retrieve_odqa]` finds one
fact with its own controller, which retrieves and reads; `[multihop_titleqa]` answers the question from the pages of all facts.
Prompts and demonstrations are our own. Decisions where nothing was published, or where a chat model needs a different approach:

- Pages are kept from the step that retrieved them. Their code fetches them again by title; here only a title that nothing
  retrieved is searched for, with one hit whose title must match.
- The last reader is asked the user's question, whatever the controller wrote after `Question:`.
- `n_demos` is 3, as for `ircot` here. Theirs is 15, packed into 8,000 tokens; 3 leave room for the passages in 4,000.
- Unparseable output makes their search fail without an answer. Here the fact is retrieved and read without its controller,
  and the question is searched for and read with all pages (`how = "fallback"`).

Calls: 5h + 3 (per fact its call, 3 calls of its controller and a reading; then the last call, its reading and the end).
Rounds of retrieval: h.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from hopweave.answering.methods.decomp._controller import Call, parse_call, parse_titled
from hopweave.answering.methods.decomp._modules import Final, Modules, Pages, Style, as_json, call_line, page_of, titled
from hopweave.answering.toolkit.demos import drawn
from hopweave.answering.toolkit.stepwise import Step, stepwise_answer
from hopweave.answering.toolkit.transcript import Transcript
from hopweave.core.errors import BudgetReached
from hopweave.core.options import Bounded, Count, Whole
from hopweave.core.prompt import unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Hit, Question
from hopweave.text.final import final_answer
from hopweave.text.matching import normalize_answer

GROUP = "searches in turns"

_STOP = ("\nA:", "\nQC:")
_MAX_CALLS_FACT = 4  # of the controller of one fact, which needs 3


@dataclass(frozen=True, slots=True)
class DecomP(Bounded):
    """Decomposes step by step: each question is written after the preceding answers are known."""

    num_hits: Annotated[Count, "K: passages fetched for a fact"] = 2
    max_steps: Annotated[Count, "maximum number of calls of the controller; then the last reader is called"] = 8
    reader: Annotated[Style, "how the last reader answers: with reasoning, or with a JSON list"] = "cot"
    n_demos: Annotated[Whole, "maximum number of worked questions per prompt (15 in the paper); fewer if they do not fit"] = 3
    num_distractors: Annotated[Whole, "irrelevant passages in each demonstration of a reader, 0 to 3"] = 1
    seed: Annotated[int, "seed for the choice of demonstrations and the order of their passages"] = 0
    max_tokens_call: Annotated[Count, "longest call, and longest answer to a fact, in tokens"] = 128
    max_tokens_answer: Annotated[Count, "longest reply of the last reader, in tokens"] = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        demos = drawn(question, "decomp", self.n_demos, self.seed)
        modules = Modules(
            question, workbench, demos, self.num_distractors, self.seed, self.max_tokens_call, self.max_tokens_answer
        )
        run = _Controlled(self, question, workbench, modules, Pages(workbench, self.num_hits))
        try:
            stopped_because = await run.control()
            await run.settle(stopped_because)
        except BudgetReached as reached:
            stopped_because = reached.limit
            await run.settle_without_search()
        return run.answer(stopped_because)


@dataclass(slots=True)
class _Fact:
    """A question about one fact: the passages found and shown for it, and its answers once they have been read."""

    query: str
    found: list[Hit] = field(default_factory=list)
    shown: list[Hit] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    answers: list[str] | None = None


@dataclass(slots=True)
class _Controlled:
    """One question.

    Attributes:
        steps: the facts, in order.
        final: the last answer of the last reader.
    """

    options: DecomP
    question: Question
    workbench: MethodContext
    modules: Modules
    pages: Pages
    steps: list[Step] = field(default_factory=list)
    final: Final | None = None

    # -- the controllers -----------------------------------------------------------------------------------------------

    async def control(self) -> str:
        """Has the controller call modules until it is done; returns why it stopped."""
        prompt = await self.modules.decompose(self.options.max_tokens_call * (self.options.max_steps + 1))
        log, before = Transcript(self.workbench, prompt), Call()
        for _ in range(self.options.max_steps):
            call = await self._next_call(log, "decompose")
            if call.is_end:
                return "finished"
            if call.problems:
                return "unread_step"
            if _are_same(call, before):
                self.workbench.decide("repeated", f"[{call.module}] {call.argument}")
                return "repeated_step"
            before = call
            with self.workbench.under(self.workbench.decide("call", f"[{call.module}] {call.argument}")):
                result = await self._result(call)
            if result is None:
                return "unread_step"
            log.add(f"\nA: {result}")
        return "finished" if before.module == "multihop_titleqa" else "max_steps"

    async def _next_call(self, log: Transcript, purpose: str) -> Call:
        log.add("\nQS:")
        sampling = replace(self.workbench.sampling, max_tokens=self.options.max_tokens_call, stop=_STOP)
        reply = await log.go_on(purpose, sampling)
        call = parse_call(reply.text)
        if call.problems:
            self.workbench.parse_failed("call", call.problems[0], reply.text)
        else:
            log.add(call_line(call.module, call.argument))
        return call

    async def _result(self, call: Call) -> str | None:
        match call.module:
            case "retrieve_odqa":
                return await self._look_up(unescape(call.argument))
            case "multihop_titleqa":
                named = parse_titled(call.argument)
                if named.problems:
                    self.workbench.parse_failed("titles", named.problems[0], call.argument)
                    return None
                hits = await self.pages.with_titles(named.titles, self.pages.all(), self.question.text)
                self.final = await self.modules.read_all(self.options.reader, hits)
                return as_json([unescape(self.final.short)] if self.final.short else [])
        self.workbench.parse_failed("call", f"there is no module [{call.module}] here", call.argument)
        return None

    async def _look_up(self, query: str) -> str:
        """The module `retrieve_odqa`."""
        fact = _Fact(query)
        try:
            if not await self._control_fact(fact):
                fact.shown = fact.found or await self.pages.retrieve(query)
                fact.titles, fact.answers = await self.modules.read_fact(query, fact.shown)
        finally:
            self.steps.append(Step(query, ", ".join(fact.answers or ()), tuple(fact.shown or fact.found)))
        return as_json({"titles": fact.titles, "answer": fact.answers})

    async def _control_fact(self, fact: _Fact) -> bool:
        """Has the controller of one fact call its modules; returns whether one of them answered."""
        prompt = await self.modules.retrieve_odqa(fact.query, self.options.max_tokens_call * (_MAX_CALLS_FACT + 1))
        log, before = Transcript(self.workbench, prompt), Call()
        for _ in range(_MAX_CALLS_FACT):
            call = await self._next_call(log, "retrieve_odqa")
            if call.is_end or call.problems or _are_same(call, before):
                break
            before = call
            result = await self._result_for_fact(call, fact)
            if result is None:
                break
            log.add(f"\nA: {result}")
        return fact.answers is not None

    async def _result_for_fact(self, call: Call, fact: _Fact) -> str | None:
        match call.module:
            case "retrieve":
                new = await self.pages.retrieve(unescape(call.argument))
                fact.found = list({hit.passage.id: hit for hit in [*fact.found, *new]}.values())
                return as_json(list(dict.fromkeys(page_of(hit.passage) for hit in fact.found)))
            case "singlehop_titleqa":
                named = parse_titled(call.argument)
                if named.problems:
                    self.workbench.parse_failed("titles", named.problems[0], call.argument)
                    return None
                fact.shown = await self.pages.with_titles(named.titles, fact.found, fact.query)
                about = unescape(named.question) or fact.query
                fact.titles, fact.answers = await self.modules.read_fact(about, fact.shown)
                return as_json({"titles": fact.titles, "answer": fact.answers})
        self.workbench.parse_failed("call", f"there is no module [{call.module}] here", call.argument)
        return None

    # -- the end -------------------------------------------------------------------------------------------------------

    async def settle(self, stopped_because: str) -> None:
        """If the last reader was not called: at the end, the answer to the last fact is used, else the reader is called now."""
        if self.final is not None or (stopped_because == "finished" and self._take_last_fact()):
            return
        is_fallback = stopped_because == "unread_step" or not self.pages.held
        found = await self.pages.retrieve(self.question.text) if is_fallback else []
        hits = list({hit.passage.id: hit for hit in [*self.pages.all(), *found]}.values())
        await self._read_forced(hits, "fallback" if is_fallback else "forced")

    async def settle_without_search(self) -> None:
        """If a limit was reached: calls the last reader with the pages so far; if that fails, uses the last fact's answer."""
        if self.final is not None:
            return
        try:
            await self._read_forced(self.pages.all(), "forced")
        except BudgetReached:
            self._take_last_fact()

    async def _read_forced(self, hits: Sequence[Hit], how: str) -> None:
        argument = titled([page_of(hit.passage) for hit in hits], self.question.text)
        with self.workbench.under(self.workbench.decide(how, f"[multihop_titleqa] {argument}")):
            final = await self.modules.read_all(self.options.reader, hits)
        self.final = replace(final, how=how if final.short else final.how)

    def _take_last_fact(self) -> bool:
        """Uses the answer of the last answered fact, if the form allows it; returns whether it does."""
        last = next((step.answer for step in reversed(self.steps) if step.answer), "")
        short = last if self.question.form == "short" else final_answer(last, self.question)[0]
        if short and self.question.form != "long":
            self.final = Final(short, "last-step", "", ())
        return self.final is not None

    def answer(self, stopped_because: str) -> Answer:
        """The answer, with a claim for each fact."""
        final = self.final or Final("", "empty", "", ())
        known = {hit.passage.id for step in self.steps for hit in step.hits}
        if any(hit.passage.id not in known for hit in final.hits):  # passages that only the question itself found
            self.steps.append(Step(self.question.text, final.short, final.hits))
        return stepwise_answer(
            self.question, self.steps, final.short, final.how, self.workbench, said=final.said, stopped_because=stopped_because
        )


def _are_same(call: Call, other: Call) -> bool:
    return (call.module, normalize_answer(call.argument)) == (other.module, normalize_answer(other.argument))
