r"""Search-o1: the model reasons and searches between tags, and a second call condenses what was found before it goes on.

Li et al. 2025 (arXiv 2501.05366), section 3 and algorithm 1, following the authors' code. Generation stops at the end of
`<|begin_search_query|> ... <|end_search_query|>`. The top 10 documents are shown to the model in a separate call
(reason-in-documents), together with the query and the reasoning so far, and only what that call finds helpful is appended, in
`<|begin_search_result|> ... <|end_search_result|>`. A search beyond the limit, and one that was made before, gets a notice
instead. A turn without a search is the last.

The limits are those of the authors' code: 10 searches in 15 turns for multi-hop questions, and 5 in 10 for all others. A
document is cut to 500 words (3,000 characters there). As there, the second call sees of the reasoning its first line, its last
four, and those with a search or a result. Where the source is silent, or made for long-reasoning models on the web:

- The prompts are our own, and so is the example in the first. The second call also sees the question, since models that think
  apart from their reply hardly write down any reasoning.
- If generation stops at a search within such thoughts, they are the turn; otherwise thoughts are left out of the text.
- If nothing is found, the notice says so without a second call.
- The answer is in `\boxed{...}`; another marker, such as "the answer is", will do. A long answer follows "Final answer:". If
  there is none when the reasoning or its turns end, the marker is written for the model (`force`); the authors take the answer
  of a run without retrieval.
- Each sentence of what a search found is a claim, whose evidence is the documents of that search.

Calls for s searches: 2 s + 1; 1 less for each search without a document, 1 more for each notice, and 1 if the answer has to be
forced. Rounds of retrieval: s.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated

from hopweave.answering.demonstrations import MULTI_HOP, family_of
from hopweave.answering.methods.search_o1._searches import (
    BEGIN_QUERY,
    BEGIN_RESULT,
    END_QUERY,
    END_RESULT,
    ends_in_search,
    first_search,
    read_boxed,
    read_explanation,
    read_finding,
)
from hopweave.answering.parsing.queries import is_same_query
from hopweave.answering.toolkit.claims import Assertion, answer_from_claims, one_answer, passages_of
from hopweave.answering.toolkit.concurrency import why_stopped
from hopweave.answering.toolkit.demos import asked
from hopweave.answering.toolkit.final_answer import after_marker, file_missing, forced, is_missing, longest_answer, of_form
from hopweave.answering.toolkit.room import fitting
from hopweave.answering.toolkit.stepwise import shown
from hopweave.answering.toolkit.transcript import Transcript
from hopweave.citations.citing import on_one_line
from hopweave.core.options import Bounded, Count, Whole
from hopweave.core.prompt import escape, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Hit, Message, Question
from hopweave.text.content_words import is_reasoning
from hopweave.text.final import final_answer
from hopweave.text.refusal import is_refusal
from hopweave.text.sentences import sentence_spans

GROUP = "searches in turns"

_PROMPTS = prompts_beside(__file__)
_LIMITS, _LIMITS_MULTI_HOP = (5, 10), (10, 15)  # searches and turns, in the authors' code
_LAST_STEPS = 4


@dataclass(frozen=True, slots=True)
class SearchO1(Bounded):
    """Reasons, searches in between, and continues from condensed documents."""

    max_searches: Annotated[Count | None, "maximum number of searches; none: 10 for multi-hop questions, else 5"] = None
    max_turns: Annotated[Count | None, "maximum number of turns of reasoning; none: 15 for multi-hop questions, else 10"] = None
    num_passages: Annotated[Count, "passages that are condensed after a search"] = 10
    max_words: Annotated[Whole, "words to which a passage is truncated; 0 for no limit"] = 500
    force: Annotated[bool, "ask for the answer if the reasoning gives none"] = True
    max_tokens: Annotated[Count, "longest turn of reasoning, in tokens"] = 1024
    max_tokens_condensed: Annotated[Count, "longest reply that condenses documents, in tokens"] = 384
    max_tokens_answer: Annotated[Count, "longest short answer, if it has to be forced, in tokens"] = 32

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        reasoning = _Reasoning(self, question, workbench)
        stopped_because = await why_stopped(reasoning.go())
        if self.force and not reasoning.short:
            stopped_because = await why_stopped(reasoning.force(), stopped_because)
        return reasoning.answer(stopped_because)

    def limits_for(self, question: Question) -> tuple[int, int]:
        """The searches and the turns that a question may take."""
        searches, turns = _LIMITS_MULTI_HOP if family_of(question) == MULTI_HOP else _LIMITS
        return self.max_searches or searches, self.max_turns or turns


@dataclass(slots=True)
class _Searched:
    """A search that was carried out, its results, and what helps of them; empty if nothing does."""

    query: str
    hits: tuple[Hit, ...] = ()
    finding: str = ""


@dataclass(slots=True)
class _Reasoning:
    """One question: the reasoning so far, the searches in it, and the answer once there is one."""

    options: SearchO1
    question: Question
    workbench: MethodContext
    transcript: Transcript = field(init=False)
    searched: list[_Searched] = field(default_factory=list)
    short: str = ""
    how: str = "empty"

    def __post_init__(self) -> None:
        prompt = self.workbench.fill(
            _PROMPTS["search_o1"],
            max_searches=str(self.options.limits_for(self.question)[0]),
            wanted=of_form(self.workbench, _PROMPTS, "wanted", self.question),
            example=self._example(),
            question=asked(self.workbench, self.question),
        )
        self.transcript = Transcript(self.workbench, prompt)

    def _example(self) -> str:
        labels = {"label": self.question.labels[0]} if self.question.form == "label" else {}
        return self.workbench.fill(_PROMPTS[f"example_{self.question.form}"], **labels)

    async def go(self) -> str:
        """Reasons until a turn searches for nothing; returns why it stopped."""
        longest = self.options.max_tokens + self.options.max_tokens_condensed + longest_answer(self.question, self.options)
        _, max_turns = self.options.limits_for(self.question)
        for _ in range(max_turns):
            if not await self.transcript.leaves_room(longest):
                return "max_context"
            said = await self._turn()
            search = first_search(said)
            if search is not None and search.query:
                self._say(f"{said[: search.start].rstrip()}\n{BEGIN_QUERY}{search.query}{END_QUERY}")
                self.transcript.add(f"\n\n{BEGIN_RESULT}{await self._result(search.query)}{END_RESULT}\n\n")
                continue
            if search is not None:
                self.workbench.parse_failed("search", "the search holds no query", said)
                said = said[: search.start]
            self._say(said)
            self._end(said)
            return "finished"
        return "max_turns"

    async def force(self) -> None:
        """Writes the marker of the answer for the model."""
        is_long = self.question.form == "long"
        marker = self.workbench.fill(_PROMPTS["explained" if is_long else "boxed"])
        self.transcript.add(f"\n\n{marker}")
        self.short, self.how = await forced(
            self.transcript,
            self.question,
            max_tokens=longest_answer(self.question, self.options),
            next_example=BEGIN_QUERY,
            words_of=_explained if is_long else _unboxed,
        )

    def answer(self, stopped_because: str) -> Answer:
        """The answer, with a claim for each sentence of what the searches found."""
        if not self.searched:
            return one_answer(self.question, self.short, self.short, self.how, (), stopped_because)
        return answer_from_claims(
            self.question,
            list(self._assertions()),
            self.short,
            self.how,
            self.workbench,
            retrieved=[hit.passage for one in self.searched for hit in one.hits],
            text=self.short if self.question.form == "long" else "",
            with_queries=False,
            stopped_because=stopped_because,
        )

    def _assertions(self) -> Iterator[Assertion]:
        for one in self.searched:
            finding = on_one_line(unescape(one.finding))
            for span in sentence_spans(finding):
                sentence = finding[span.start : span.end]
                if not is_reasoning(sentence) and not is_refusal(sentence):
                    yield Assertion(unescape(one.query), sentence, "retrieved", passages_of(one.hits))

    # -- the model's turns ---------------------------------------------------------------------------------------------

    async def _turn(self) -> str:
        sampling = replace(self.workbench.sampling, max_tokens=self.options.max_tokens, stop=(END_QUERY, BEGIN_RESULT))
        reply = await self.transcript.go_on("reasoning", sampling)
        is_in_thoughts = not reply.text.strip() and ends_in_search(reply.thoughts)
        return reply.thoughts if is_in_thoughts else reply.text

    def _say(self, words: str) -> None:
        joint = "" if self.transcript.text.endswith("\n") else " "
        self.transcript.add(f"{joint}{words.strip()}" if words.strip() else "")

    async def _result(self, query: str) -> str:
        """What is inserted after a search: what helps, or a notice."""
        max_searches, _ = self.options.limits_for(self.question)
        if len(self.searched) >= max_searches:
            self.workbench.decide("not_searched", unescape(query))
            return self.workbench.fill(_PROMPTS["limit"])
        if any(is_same_query(query, one.query) for one in self.searched):
            self.workbench.decide("repeated", unescape(query))
            return self.workbench.fill(_PROMPTS["repeated"])
        one = _Searched(query)
        self.searched.append(one)
        with self.workbench.under(self.workbench.decide("query", unescape(query))):
            one.hits = tuple((await self.workbench.search([unescape(query)], self.options.num_passages))[0])
            one.finding = await self._condensed(one) if one.hits else ""
        return escape(one.finding) or self.workbench.fill(_PROMPTS["nothing"])

    async def _condensed(self, one: _Searched) -> str:
        """What helps of the documents, given the reasoning so far."""
        values = {
            "question": self.question.text,
            "reasoning": _shortened(self.transcript.text),
            "query": one.query,
        }
        rest = self.workbench.fill(_PROMPTS["condense"], passages="", **values)
        longest = self.options.max_tokens_condensed
        passages = "\n".join(await fitting(self.workbench, shown(one.hits, self.options.max_words), rest, longest))
        prompt = self.workbench.fill(_PROMPTS["condense"], passages=passages, **values)
        sampling = replace(self.workbench.sampling, max_tokens=longest)
        reply = await self.workbench.reply([Message("user", prompt)], purpose="condense", sampling=sampling)
        if not reply.text.strip():
            self.workbench.parse_failed("finding", "the reply is empty", reply.text)
        return read_finding(reply.text)

    def _end(self, said: str) -> None:
        """Extracts the answer from the last turn, if it has one."""
        if self.question.form == "long":
            self.short, self.how = after_marker(read_explanation(said) or said, self.question)
        elif boxed := read_boxed(said):
            self.short, self.how = after_marker(boxed, self.question)
        else:
            short, how = final_answer(said, self.question)
            if not is_missing(how, self.question.form):
                self.short, self.how = short, how
        if not self.short:
            file_missing(self.workbench, said)


def _shortened(text: str) -> str:
    """The reasoning as the second call sees it: its first line, its last four, and those with a search or a result."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    kept: list[str] = []
    for number, line in enumerate(lines):
        is_kept = number == 0 or number >= len(lines) - _LAST_STEPS or BEGIN_QUERY in line or BEGIN_RESULT in line
        if is_kept or kept[-1] != "...":
            kept.append(line if is_kept else "...")
    return "\n".join(kept)


def _unboxed(said: str) -> str:
    """The words of a reply that continues an opened box, or opens it again."""
    return read_boxed(said) or read_boxed(rf"\boxed{{{said}")


def _explained(said: str) -> str:
    return read_explanation(said) or said
