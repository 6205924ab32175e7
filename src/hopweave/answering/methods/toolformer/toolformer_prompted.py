"""Toolformer by prompting: the model writes its answer with search calls in it, and continues from their results.

After Schick et al. 2023 (arXiv 2302.04761), who fine-tune a model on calls that help it. The row "ToolFormer" of SearChain's
table 1 uses in-context learning with 4 demonstrations; nothing else about it was published. One tool is shown,
`[WikiSearch("query")`, whose result follows `->`: the best passage, cut to 100 words. `max_calls = 1` is the original's
limit.

A model that closes its call and continues without a result is stopped there and given one. A call without a parseable query is
dropped. One call more than `max_calls`, the same query twice in a row, or an end without an answer triggers the last request:
the text so far, without mentioning the tool, followed by the words that introduce the final answer.
Calls of the model for h calls of the tool: h + 1, or h + 2 if the answer has to be forced. Rounds of retrieval: h.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated

from hopweave.answering.demonstrations import Demonstration
from hopweave.answering.methods.toolformer._tool_calls import first_call
from hopweave.answering.toolkit.adopted_phrase import adopted_phrase
from hopweave.answering.toolkit.claims import one_answer
from hopweave.answering.toolkit.concurrency import why_stopped
from hopweave.answering.toolkit.demos import NumDemos, Seed, asked, closing, drawn, packed
from hopweave.answering.toolkit.fenced import fenced
from hopweave.answering.toolkit.final_answer import file_missing, forced, is_missing, of_form
from hopweave.answering.toolkit.stepwise import NOTHING_FOUND, SHOWN_WORDS, TOKENS_PER_WORD, Step, shown, stepwise_answer
from hopweave.answering.toolkit.transcript import Transcript
from hopweave.citations.citing import on_one_line
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.options import Bounded, Count, Whole
from hopweave.core.prompt import prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Hit, Question
from hopweave.text.final import MARKER, final_answer
from hopweave.text.matching import normalize_answer

GROUP = "searches in turns"

_PROMPTS = prompts_beside(__file__)
_NEXT_EXAMPLE = "\nQuestion:"
_CALLS_IN_EXAMPLE = 3
_MARKER = lazy_pattern(r"\bso\s+the\s+final\s+answer\s+is\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ToolformerPrompted(Bounded):
    """Writes an answer with search calls in it, each of which is carried out as soon as it is written."""

    max_calls: Annotated[Count, "maximum number of tool calls; 1 as in the original"] = 5
    num_passages: Annotated[Count, "passages that a call returns"] = 1
    max_words: Annotated[Whole, "words to which a passage is truncated; 0 for no limit"] = 100
    n_demos: NumDemos = None
    seed: Seed = 0
    max_tokens: Annotated[Count, "longest reply, in tokens"] = 200
    max_tokens_answer: Annotated[Count, "longest short answer of a forced finish, in tokens"] = 32

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        writing = _Writing(self, question, workbench)
        stopped_because = await why_stopped(writing.go())
        if not writing.short:
            stopped_because = await why_stopped(writing.force(), stopped_because)
        return writing.answer(stopped_because)


@dataclass(slots=True)
class _Called:
    """A call of the tool, its results, and what the model wrote after it up to the next call."""

    query: str
    hits: tuple[Hit, ...] = ()
    said: str = ""


@dataclass(slots=True)
class _Writing:
    """One question: the text so far with the calls in it, and the answer once there is one.

    Attributes:
        transcript: the prompt, and the text with calls and results.
        called: the calls so far.
        plain: the model's words without calls and results.
        num_tries: calls so far, including unparseable ones.
    """

    options: ToolformerPrompted
    question: Question
    workbench: MethodContext
    transcript: Transcript = field(init=False)
    called: list[_Called] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    num_tries: int = 0
    short: str = ""
    how: str = "empty"

    def __post_init__(self) -> None:
        self.transcript = Transcript(self.workbench, "")

    async def go(self) -> str:
        """Writes and calls in turns until the answer is written; returns why it stopped."""
        options = self.options
        self.transcript.prompt = await self._prompt()
        sampling = replace(self.workbench.sampling, max_tokens=options.max_tokens, stop=("->", _NEXT_EXAMPLE))
        while True:
            said = (await self.transcript.go_on("writing", sampling)).text
            call = first_call(said)
            ends = _MARKER.search(said)
            if call is None or (ends is not None and ends.start() < call.start):
                self._say(said if call is None else said[: call.start])
                return self._end(said)
            self._say(said[: call.start])
            if not call.query:
                self.workbench.parse_failed("tool_calls", "the call holds no query", said[call.start :])
                if self.num_tries >= options.max_calls or not said[: call.start].strip():
                    return "finished"  # asked again with the same words the model would write the same
                self.num_tries += 1
                continue
            if self.called and normalize_answer(call.query) == normalize_answer(self.called[-1].query):
                self.workbench.decide("repeated", call.query)
                return "repeated_query"
            if self.num_tries >= options.max_calls:
                return "max_calls"
            self.num_tries += 1
            await self._call(call.query)

    async def force(self) -> None:
        """Asks for the final answer: the text so far, without the tool, and the words that introduce it."""
        prompt = self.workbench.fill(_PROMPTS["finish"], wanted=self._wanted(), question=asked(self.workbench, self.question))
        is_long = self.question.form == "long"
        transcript = Transcript(self.workbench, prompt, self.transcript.text)
        if not is_long:
            transcript.add(f" {MARKER}")
        longest = self.options.max_tokens if is_long else self.options.max_tokens_answer
        self.short, self.how = await forced(
            transcript, self.question, max_tokens=longest, next_example=_NEXT_EXAMPLE, words_of=_before_call
        )

    def answer(self, stopped_because: str) -> Answer:
        """What was written, with a claim for each call."""
        is_long = self.question.form == "long"
        if not self.called:
            text = self.short if is_long or self.how == "forced" else " ".join(self.plain)
            return one_answer(self.question, text, self.short, self.how, (), stopped_because)
        said = [words for one in self.called for words in (one.query, one.said)] + [self.short]
        steps = [
            Step(unescape(one.query), _answer_of(one, said[2 * number + 1 :]), one.hits)
            for number, one in enumerate(self.called)
        ]
        return stepwise_answer(
            self.question, steps, self.short, self.how, self.workbench, said=self.short, stopped_because=stopped_because
        )

    # -- the model's turns ---------------------------------------------------------------------------------------------

    def _say(self, words: str) -> None:
        """Adds model output outside of calls."""
        if words.strip():
            self.transcript.add(words.rstrip() if words[0].isspace() else f" {words.rstrip()}")
            self.plain.append(words.strip())
            if self.called:
                said = _MARKER.split(words, maxsplit=1)[0].strip()
                self.called[-1].said = f"{self.called[-1].said} {said}".strip()

    async def _call(self, query: str) -> None:
        step = self.workbench.decide("call", unescape(query))
        with self.workbench.under(step):
            hits = tuple((await self.workbench.search([unescape(query)], self.options.num_passages))[0])
        self.called.append(_Called(query, hits))
        found = "\n".join(shown(hits, self.options.max_words)) or NOTHING_FOUND
        self.transcript.add(f" {_call(query, found)}")

    def _end(self, said: str) -> str:
        """Extracts the answer from the text, if it has one."""
        words = " ".join(self.plain) if self.question.form == "long" else said
        short, how = final_answer(words, self.question)
        if is_missing(how, self.question.form):
            file_missing(self.workbench, said)
        else:
            self.short, self.how = short, how
        return "finished"

    # -- the prompt ----------------------------------------------------------------------------------------------------

    async def _prompt(self) -> str:
        options, question, workbench = self.options, self.question, self.workbench
        fixed: Mapping[str, str] = {"wanted": self._wanted(), "question": asked(workbench, question)}
        demos = drawn(question, "toolformer_prompted", options.n_demos, options.seed)
        examples = [self._example(one) for one in demos]
        words = (options.max_words or SHOWN_WORDS) * options.num_passages * options.max_calls
        rest = _PROMPTS["toolformer_prompted"].text + "".join(fixed.values())
        fitting = await packed(workbench, examples, rest, options.max_tokens * 2 + words * TOKENS_PER_WORD)
        return workbench.fill(_PROMPTS["toolformer_prompted"], examples=fitting, **fixed)

    def _wanted(self) -> str:
        return of_form(self.workbench, _PROMPTS, "wanted", self.question)

    def _example(self, one: Demonstration) -> str:
        """A demonstration in the form the model should write: each call before its sentence, or all before a long answer."""
        is_long = self.question.form == "long"
        words: list[str] = []
        for number, step in enumerate(one.steps):
            if number < _CALLS_IN_EXAMPLE:
                passage = " ".join(step.passage.text.split()[: self.options.max_words or None])
                words.append(_call(step.query, fenced(step.passage, passage)))
            if not is_long:
                words.append(step.sentence)
        words += [] if is_long or not one.conclusion else [one.conclusion]
        words.append(closing(one, self.question.form))
        return f"Question: {asked(self.workbench, self.question, one.question)}\nAnswer: {' '.join(words)}"


def _call(query: str, found: str) -> str:
    """A call with its result."""
    query = query.replace('"', "'")
    return f'[WikiSearch("{query}") -> {found}]'


def _answer_of(one: _Called, later: list[str]) -> str:
    """What the model took from the results of the call; else what it said about them, which may be its own knowledge."""
    return adopted_phrase(one.query, later, [hit.passage for hit in one.hits]) or on_one_line(one.said)


def _before_call(said: str) -> str:
    call = first_call(said)
    return said if call is None else said[: call.start]
