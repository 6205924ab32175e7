"""Self-Ask with retrieval: the model asks follow-up questions, and each is answered from retrieved passages.

Press et al. 2023 (arXiv 2210.03350), section 3.4, where a web search answers. The row "Self-Ask" with retrieval of SearChain's
table 1. How passages replaced the web search's short answer was not published, so `ir_mode` offers several ways:

- `passage`: the best passage, cut to 100 words, is inserted as the intermediate answer.
- `reader`: the words that a reader finds in the passages are inserted.
- `llm_read`: a separate call answers the follow-up from the passages, and that answer is inserted.
- `context`: the passages are shown above the question and replaced each time, starting with those of the question; the model
  answers its follow-ups itself. After FlashRAG (`active_pipeline.py`), whose stop strings alternate; its 5 iterations are
  generations, while our `max_rounds` counts follow-ups.

If nothing is found, the model fills in the intermediate answer itself, as in the authors' code, and is then asked to continue
(their loop forgets to and may never end).
Calls for h follow-ups: h + 1, 2h + 1 with `llm_read`, 2h with `context` (the last gives the final answer);
1 more for each follow-up that the model has to fill in, and for a forced finish. Rounds: h, h + 1 with `context`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from hopweave.answering.methods.self_ask._dialogue import (
    BEGUN,
    NEXT_EXAMPLE,
    PROMPTS,
    closed,
    exchange,
    final_of,
    fitting_examples,
    last_answer,
    prompt_of,
    stopped,
)
from hopweave.answering.parsing.follow_ups import cut_before, parse_follow_ups
from hopweave.answering.toolkit.adopted_phrase import adopted_phrase
from hopweave.answering.toolkit.claims import one_answer
from hopweave.answering.toolkit.concurrency import why_stopped
from hopweave.answering.toolkit.demos import NumDemos, Seed, drawn
from hopweave.answering.toolkit.final_answer import after_marker, longest_answer
from hopweave.answering.toolkit.stepwise import NOTHING_FOUND, SHOWN_WORDS, TOKENS_PER_WORD, Step, shown, stepwise_answer
from hopweave.answering.toolkit.transcript import Transcript
from hopweave.citations.citing import on_one_line
from hopweave.core.options import Bounded, Count, Whole
from hopweave.core.prompt import escape, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Hit, Message, Question, Sampling
from hopweave.text.final import short_form
from hopweave.text.matching import normalize_answer
from hopweave.text.refusal import does_not_know

GROUP = "searches in turns"

_INSERTED_WORDS = 100


@dataclass(frozen=True, slots=True)
class SelfAsk(Bounded):
    """Asks follow-up questions, which a retriever answers."""

    ir_mode: Annotated[
        Literal["passage", "reader", "llm_read", "context"],
        "source of the intermediate answer: a passage, a reader's words, a reading call; or passages above the question",
    ] = "passage"
    num_passages: Annotated[Count, "passages fetched for each follow-up"] = 1
    max_words: Annotated[
        Whole | None, "words to which a passage is truncated; none: 100 if it is inserted, else 350; 0 for no limit"
    ] = None
    max_rounds: Annotated[Count, "maximum number of follow-ups that are looked up; then the model has to answer"] = 5
    when_empty: Annotated[
        Literal["model", "notice"], "if nothing is found: the model fills in the answer, or is told that there is none"
    ] = "model"
    n_demos: NumDemos = None
    seed: Seed = 0
    max_tokens: Annotated[Count, "longest reply, in tokens"] = 256
    max_tokens_answer: Annotated[Count, "longest short answer: of a reading call and of a forced finish, in tokens"] = 32

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        asking = _Asking(self, question, workbench)
        stopped_because = await why_stopped(asking.go())
        if not asking.short:
            stopped_because = await why_stopped(asking.force(), stopped_because)
        return asking.answer(stopped_because)

    @property
    def num_words(self) -> int:
        """The number of words shown of a passage."""
        if self.max_words is not None:
            return self.max_words
        return _INSERTED_WORDS if self.ir_mode == "passage" else SHOWN_WORDS


@dataclass(slots=True)
class _Asked:
    """A follow-up: the model's words, its inserted answer, its bare answer if one was given, and the results."""

    query: str
    inserted: str = "unknown"
    answer: str = ""
    hits: tuple[Hit, ...] = ()
    is_quoted: bool = False  # a passage is inserted as its answer


@dataclass(slots=True)
class _Asking:
    """One question: its follow-ups so far, the passages above it, and its final answer once there is one."""

    options: SelfAsk
    question: Question
    workbench: MethodContext
    examples: str = ""
    above: list[Hit] = field(default_factory=list)
    before: list[Hit] = field(default_factory=list)
    asked: list[_Asked] = field(default_factory=list)
    short: str = ""
    how: str = "empty"

    async def go(self) -> str:
        """Asks follow-ups in turn until the model answers; returns why it stopped."""
        options = self.options
        await self._pack()
        if options.ir_mode == "context":
            self.above = self.before = (await self.workbench.search([self.question.text], options.num_passages))[0]
        while True:
            query = await self._follow_up()
            if not query:
                return "finished"
            if self.asked and normalize_answer(query) == normalize_answer(self.asked[-1].query):
                self.workbench.decide("repeated", query)
                return "repeated_query"
            if len(self.asked) >= options.max_rounds:
                return "max_rounds"
            step = self.workbench.decide("follow_up", unescape(query))
            with self.workbench.under(step):
                await self._look_up(query)
            if self.short:
                return "finished"

    async def force(self) -> None:
        """Has the model answer now; the last intermediate answer is the last resort."""
        try:
            longest = longest_answer(self.question, self.options)
            self.short, self.how = await closed(self._transcript(), self.question, max_tokens=longest)
        finally:
            if not self.short:
                self.short, self.how = last_answer([one.answer for one in self.asked], self.question)

    def answer(self, stopped_because: str) -> Answer:
        """The answer from the follow-ups."""
        if not self.asked:
            return one_answer(self.question, self.short, self.short, self.how, self.before, stopped_because)
        later = [one.query for one in self.asked[1:]] + [self.short]
        steps = [
            Step(unescape(one.query), self._answer_of(one, later[number:]), one.hits) for number, one in enumerate(self.asked)
        ]
        found = stepwise_answer(
            self.question, steps, self.short, self.how, self.workbench, said=self.short, stopped_because=stopped_because
        )
        ids = dict.fromkeys([*(hit.passage.id for hit in self.before), *found.passage_ids])
        return replace(found, passage_ids=tuple(ids))

    # -- the model's turns ---------------------------------------------------------------------------------------------

    async def _follow_up(self) -> str:
        """The next follow-up; empty if the model answers, which is noted, or does neither, which is recorded."""
        reply = await self._transcript().go_on("follow_up", self._sampling("\nIntermediate answer:"))
        read = parse_follow_ups(cut_before(reply.text, "intermediate", behind="follow_up"))
        if read.resumed and self.asked and not self.asked[-1].answer:
            self.asked[-1].answer = read.resumed
        self.workbench.parse_failed("follow_ups", read.problems, reply.text)
        self.short, self.how = final_of(read, self.question)
        if self.short:
            return ""
        if not read.pairs or read.final:
            reason = "no follow-up and no final answer is in the reply" if reply.text.strip() else "the reply is empty"
            self.workbench.parse_failed("follow_ups", reason, reply.text)
            return ""
        return read.pairs[0].query

    async def _look_up(self, query: str) -> None:
        one = _Asked(query)
        self.asked.append(one)
        one.hits = tuple((await self.workbench.search([unescape(query)], self.options.num_passages))[0])
        if self.options.ir_mode == "context":
            self.above = list(one.hits)
            await self._fill_in(one, "\nFollow up:")
        elif one.hits and await self._insert(one):
            return
        elif self.options.when_empty == "notice":
            one.inserted = NOTHING_FOUND
        else:
            await self._fill_in(one, "\nFollow up:", "\nSo the final answer is:")

    async def _insert(self, one: _Asked) -> bool:
        """Inserts the results as the intermediate answer; returns whether there are any."""
        if self.options.ir_mode == "passage":
            one.inserted, one.is_quoted = "\n".join(shown(one.hits, self.options.num_words)), True
            return True
        one.answer = await (self._read(one) if self.options.ir_mode == "reader" else self._ask_to_read(one))
        if one.answer:
            one.inserted = stopped(one.answer)
        return bool(one.answer)

    async def _read(self, one: _Asked) -> str:
        readings = [await self.workbench.read(unescape(one.query), hit.passage) for hit in one.hits]
        found = [reading for reading in readings if reading.text.strip()]
        best = max(found, key=lambda reading: reading.confidence, default=None)
        return escape(on_one_line(best.text)) if best is not None else ""

    async def _ask_to_read(self, one: _Asked) -> str:
        passages = "\n".join(shown(one.hits, self.options.num_words))
        prompt = self.workbench.fill(PROMPTS["read"], passages=passages, question=one.query)
        sampling = replace(self.workbench.sampling, max_tokens=self.options.max_tokens_answer, stop=("\n",))
        said = (await self.workbench.reply([Message("user", prompt)], purpose="read", sampling=sampling)).text.strip()
        answer = short_form(said.split("\n", 1)[0])
        if not answer:
            self.workbench.parse_failed("follow_ups", "the reading holds no answer", said)
        return "" if does_not_know(answer) else answer

    async def _fill_in(self, one: _Asked, *stop: str) -> None:
        """Has the model write the intermediate answer; with passages above the question it may answer that, too."""
        one.inserted = ""
        try:
            reply = await self._transcript().go_on("intermediate", self._sampling(*stop))
        finally:
            one.inserted = "unknown"
        read = parse_follow_ups(cut_before(reply.text, "follow_up"))
        one.answer = read.resumed or short_form(read.rest.split("\n", 1)[0])
        if one.answer:
            one.inserted = stopped(one.answer)
        else:
            self.workbench.parse_failed("follow_ups", "no intermediate answer is in the reply", reply.text)
        if self.options.ir_mode == "context" and read.final:
            self.short, self.how = after_marker(read.final, self.question)

    # -- the prompt ----------------------------------------------------------------------------------------------------

    async def _pack(self) -> None:
        options = self.options
        demos = drawn(self.question, "self_ask", options.n_demos, options.seed)
        num_shown = 1 if options.ir_mode == "context" else options.max_rounds
        words = options.num_words or SHOWN_WORDS
        is_shown = options.ir_mode in {"passage", "context"}
        evidence = num_shown * options.num_passages * words * TOKENS_PER_WORD if is_shown else 0
        room = options.max_tokens + evidence + 2 * options.max_tokens_answer * options.max_rounds
        self.examples = await fitting_examples(self.workbench, self.question, demos, room)

    def _transcript(self) -> Transcript:
        prompt = prompt_of(self.workbench, self.question, self.examples, self._context())
        text = BEGUN + "".join(exchange(one.query, one.inserted) for one in self.asked) if self.asked else ""
        return Transcript(self.workbench, prompt, text)

    def _context(self) -> str:
        if self.options.ir_mode != "context":
            return ""
        passages = shown(self.above, self.options.num_words) or [NOTHING_FOUND]
        lines = [
            self.workbench.fill(PROMPTS["context"], number=str(number), passage=one)
            for number, one in enumerate(passages, start=1)
        ]
        return "\n".join(lines) + "\n\n"

    def _sampling(self, *stop: str) -> Sampling:
        return replace(self.workbench.sampling, max_tokens=self.options.max_tokens, stop=(*stop, NEXT_EXAMPLE))

    def _answer_of(self, one: _Asked, later: list[str]) -> str:
        """Its answer; if a passage was inserted, what the model took from it in its later words."""
        if one.answer or not one.is_quoted:
            return one.answer
        return adopted_phrase(one.query, later, [hit.passage for hit in one.hits])
