"""Ours, the default: reads what was found, looks up what is missing, and cites the sentence behind each step.

Passages are retrieved once (best by the retriever `weave`), and their sentences are numbered as facts. What follows depends on
the model (`approach`).

**Reads first**, if the model is not small: one call says what the facts state, step by step, and what is missing; only that is
looked up and read, see `_read_first`. Calls: 1 if the facts suffice, 1 more each time that something is missing, at most
`max_readings`. Searches: 1, and 1 for each thing that is missing.

**Plans first**, if it is small (`Abilities.is_small`), since such a model reads well only what is short. The model lists the
people and things that the question describes without naming them ("the county where Kerrow lies"), and code turns them into
hops: a question for each, and the question itself with the answer in its place. For each hop, the likeliest sentences of the
passages found for it are numbered as facts, and the model gives the number of the fact that answers, and the answer, as one
JSON object. Readings are checked without a model: whether an answer occurs in its fact, and whether the names in the question
lead there. A question with one hop, or one whose hops fail the checks, is read directly over the likeliest sentences; over
documents a plan is dropped already where an earlier hop is in doubt. Questions that compare two things are not decided by the
model: it fills in the two values with their facts, and code compares them. Calls: 1 for a question that describes nothing
without naming it, which is seen without asking; 2 for another one of one hop, 1 more for each further hop, and 1 more if they
fail the checks; and 1 more if the answer to a question of one hop is in doubt and was read from sentences of documents: it is
read from whole passages then. For a comparison 1, and 1 for each side whose value no fact about it states. Searches: 1, and 1
per hop or such a side.

Every step is a claim whose evidence is the sentence that it was read from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from hopweave.answering.methods.stitch._read_first import ReadFirst, Sizes, unstated
from hopweave.answering.reading.checking import ONE_SIDED, Reading, does_hold, problems_in_words, weight
from hopweave.answering.reading.hops import MAX_STEPS, answered, may_split, own_steps, spelled_out, steps_of
from hopweave.answering.reading.reading import (
    LEAST_PROBABILITY,
    LONGEST_REPLY,
    TEXT,
    Comparison,
    FactReader,
    bounded,
    facts_of,
    facts_shown,
    passages_behind,
    values_of,
)
from hopweave.answering.toolkit.claims import Assertion, answer_from_claims, one_answer
from hopweave.answering.toolkit.final_answer import bare_answer
from hopweave.answering.toolkit.from_passages import prompt_with
from hopweave.answering.toolkit.schemas import object_of
from hopweave.citations.made_up import is_made_up
from hopweave.core.errors import BudgetReached
from hopweave.core.options import AtLeast, Bounded, Count, Whole
from hopweave.core.prompt import escape, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Hit, Message, Passage, Question
from hopweave.text.comparing import is_choice, wanted_of
from hopweave.text.evidence import Evidence
from hopweave.text.refusal import does_not_know

GROUP = "searches in turns"

_PROMPTS = prompts_beside(__file__)


def _texts(most: int, **more: int) -> dict[str, Any]:
    return {"type": "array", "items": TEXT, "maxItems": most, **more}


_PLAN = object_of(unnamed=_texts(MAX_STEPS - 1), steps=_texts(MAX_STEPS))
_UNNAMED = {
    "anyOf": [object_of(unnamed=_texts(num, minItems=num), steps=_texts(num, minItems=num)) for num in range(MAX_STEPS)]
}
"""The plan of a small model, of whose questions only those for what is unnamed are used: it ends with these."""

_SMALL = Sizes(
    max_tokens_facts=350,
    num_hop_passages=3,
    max_tokens_hop=250,
    max_gap_facts=4.5,
    max_gap_hop=3.5,
    max_tokens=LONGEST_REPLY,
    max_tokens_long=256,
)
_LARGE = Sizes(
    max_tokens_facts=3000,
    num_hop_passages=5,
    max_tokens_hop=1000,
    max_gap_facts=math.inf,
    max_gap_hop=math.inf,
    max_tokens=600,
    max_tokens_long=1200,
)
_UNKNOWN = "unknown"
_LONGEST_WHOLE = 64  # tokens, of an answer that is read from whole passages
_LONGEST_NAME = 8  # words
_PLANNED = ("two", "town", "spouse", "year", "state", "film", "grandfather", "sister")


@dataclass(frozen=True, slots=True)
class Stitch(Bounded):
    """The method and its options."""

    approach: Annotated[
        Literal["auto", "read_first", "plan_first"],
        "auto: plan_first for a small model, as the model itself says (`is_small`), read_first for any other",
    ] = "auto"
    num_passages: Annotated[Count, "passages retrieved for the question"] = 10
    max_tokens_facts: Annotated[
        Whole | None,
        "tokens of sentences shown, chosen from all passages; 0 shows whole ones; none: 350, reading first 3000",
    ] = None
    max_readings: Annotated[int, AtLeast(2), "reading first: how often the facts are read, at most"] = 3
    plan: Annotated[bool, "split a question that refers to somebody or something unnamed, and read each hop separately"] = True
    num_hop_passages: Annotated[
        Count | None, "passages retrieved for each hop, in addition to those of the question; none: 3, reading first 5"
    ] = None
    max_tokens_hop: Annotated[
        Whole | None, "tokens of sentences shown at each hop; 0 shows entire passages; none: 250, reading first 1000"
    ] = None
    max_gap_facts: Annotated[
        Annotated[float, AtLeast(0)] | None,
        "how much less likely than the likeliest sentence another may be that is shown, as a difference of log-odds; "
        "none: 4.5, reading first no limit",
    ] = None
    max_gap_hop: Annotated[Annotated[float, AtLeast(0)] | None, "the same for each hop; none: 3.5, reading first no limit"] = (
        None
    )
    num_whole_passages: Annotated[
        Whole,
        "planning first: whole passages that are read if what was read from sentences of documents is in doubt; 0 reads none",
    ] = 5
    compare: Annotated[bool, "compare two values by code instead of asking the model"] = True
    least_probability: Annotated[
        float, AtLeast(0, 1), "an answer that the model finds less probable is shown as unsupported; 0 sets no bound"
    ] = LEAST_PROBABILITY
    max_tokens: Annotated[Count | None, "longest reply, in tokens; none: 160, reading first 600"] = None
    max_tokens_long: Annotated[Count | None, "longest explanation, in tokens; none: 256, reading first 1200"] = None

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        return await self._answering(question, workbench).answer()

    def beginnings(self, workbench: MethodContext) -> list[list[Message]]:
        """The turns that its prompts begin with, for questions with a short answer; see `Begins.beginnings`."""
        return self._answering(Question("beginnings", "?"), workbench).beginnings()

    def _answering(self, question: Question, workbench: MethodContext) -> _Stitching | ReadFirst:
        if self.approach == "plan_first" or (self.approach == "auto" and workbench.abilities.is_small):
            return _Stitching(self, self._sizes(_SMALL), question, workbench)
        return ReadFirst(question, workbench, self.num_passages, self._sizes(_LARGE), self.max_readings)

    def _sizes(self, defaults: Sizes) -> Sizes:
        """What is given, and defaults for the rest."""
        given = {name: getattr(self, name) for name in Sizes.__dataclass_fields__}
        return replace(defaults, **{name: value for name, value in given.items() if value is not None})


@dataclass(slots=True)
class _Stitching:
    """One question being answered."""

    options: Stitch
    sizes: Sizes
    question: Question
    workbench: MethodContext
    reader: FactReader = field(init=False)
    hops: list[Assertion] = field(default_factory=list)
    stopped_because: str = "finished"

    def __post_init__(self) -> None:
        sizes = self.sizes
        self.reader = FactReader(
            self.workbench,
            sizes.max_tokens,
            self.options.least_probability,
            sizes.num_hop_passages,
            sizes.max_tokens_hop,
            sizes.max_gap_hop,
        )

    async def answer(self) -> Answer:
        hits = await self.reader.search(self.question.text, self.options.num_passages)
        facts = facts_of(self.question.text, hits, self.sizes.max_tokens_facts, self.sizes.max_gap_facts)
        if self.question.form != "short":
            return await self._in_other_form(hits, facts)
        is_comparison = wanted_of(self.question.text) is not None
        if is_comparison and self.options.compare and (made := await self._compared(facts)).answer:
            self.hops += made.sides
            both = (1, 2) if len(self.hops) == 2 else ()
            return self._finished(made.answer, [], premises=both, doubt="" if both else ONE_SIDED)
        is_split = self.options.plan and not is_comparison and not is_choice(self.question.text)
        return await self._read(hits, facts, is_split=is_split)

    def beginnings(self) -> list[list[Message]]:
        """The turns that its prompts begin with, those first that are asked first."""
        planning = [self._planning()] if self.options.plan else []
        comparing = [self.reader.examples("compare")] if self.options.compare else []
        return [*planning, self.reader.examples("answer"), *comparing]

    async def _compared(self, facts: tuple[Evidence, ...]) -> Comparison:
        try:
            return await self.reader.compare(self.question.text, facts)
        except BudgetReached as reached:
            self.stopped_because = reached.limit
            return Comparison("", ())

    async def _read(self, hits: Sequence[Hit], facts: tuple[Evidence, ...], *, is_split: bool) -> Answer:
        """Answers by the last hop or, if the hops fail the checks and it is no worse, by reading the question directly.

        A reading that fails the checks, and a direct reading after such hops, is marked as doubted.
        """
        reading, problems = Reading(self.question.text, "", None, 1.0, facts), ["none"]
        doubts = [problems_in_words(problems, reading.asked)]
        try:
            steps = await self._planned() if is_split else ()
            hops = await self._read_hops(steps, hits) if steps else None
            if hops is not None:
                reading, problems, doubts = hops
            if not does_hold(problems):
                at_once, against = await self.reader.read(self.question.text, facts)
                if not reading.answer or weight(against) <= weight(problems):
                    self.hops.clear()
                    reading = at_once
                    doubts = [problems_in_words(against, at_once.asked), *(doubts if hops is not None else ())]
                if against and hops is None and (read := await self._read_whole(hits)) is not None:
                    return read
        except BudgetReached as reached:
            self.stopped_because = reached.limit
        doubt = "; ".join(filter(None, doubts))
        behind = passages_behind(reading)
        if is_made_up(reading.asked, reading.answer, [*behind, *self.reader.found]):
            self.workbench.decide("made up", reading.answer)
            return self._finished(_UNKNOWN, behind, ending=unstated(()))
        return self._finished(reading.answer, behind, asked=reading.asked, doubt=doubt)

    async def _read_whole(self, hits: Sequence[Hit]) -> Answer | None:
        """The answer that the model reads from whole passages of documents; `None` without any, or if none has its words.

        What answers a question about a manual is often said in sentences that have none of its words, around those that do.
        """
        first = hits[: self.options.num_whole_passages]
        if not _is_of_documents(first):
            return None
        passages = [hit.passage for hit in first]
        sampling = replace(self.workbench.sampling, max_tokens=_LONGEST_WHOLE)
        prompt = prompt_with(self.workbench, self.question, passages)
        reply = await self.workbench.reply([Message("user", prompt)], purpose="whole", sampling=sampling)
        short, _ = bare_answer(self.workbench, reply.text, self.question)
        said = unescape(short)
        is_kept = bool(said) and not does_not_know(said) and not is_made_up(self.question.text, said, passages)
        self.workbench.decide("whole passages", said or "?", is_kept=is_kept)
        return self._finished(short, passages, asked=self.question.text) if is_kept else None

    async def _planned(self) -> tuple[str, ...]:
        """The questions of the hops; empty for a question of one."""
        asked = spelled_out(" ".join(self.question.text.split()))
        # A small model writes the rest of a question badly, so it is only asked for what is unnamed, if anything can be.
        is_small = self.workbench.abilities.is_small
        if is_small and not may_split(asked):
            return ()
        messages = [*self._planning(), Message("user", self.workbench.fill(_PROMPTS["split"], question=escape(asked)))]
        schema = _UNNAMED if is_small else _PLAN
        reply = await bounded(self.workbench, messages, "plan", schema, self.sizes.max_tokens)
        values = values_of(self.workbench, reply, "plan", {"unnamed": list, "steps": list})
        written = _texts_of(values, "steps")
        kept = () if is_small else own_steps(asked, written)
        steps = kept or steps_of(asked, _texts_of(values, "unnamed"), written)
        self.workbench.decide("plan", " / ".join(steps) or asked)
        return steps

    def _planning(self) -> list[Message]:
        """The instructions for a plan with worked examples, the same for every question."""
        messages = []
        for number, example in enumerate(_PLANNED):
            text = self.workbench.fill(_PROMPTS["split"], question=self.workbench.fill(_PROMPTS[f"plan_{example}"]))
            messages.append(Message("user", f"{self.workbench.fill(_PROMPTS['plan'])}\n\n{text}" if number == 0 else text))
            messages.append(Message("assistant", self.workbench.fill(_PROMPTS[f"reply_plan_{example}"])))
        return messages

    async def _read_hops(self, steps: Sequence[str], hits: Sequence[Hit]) -> tuple[Reading, list[str], list[str]] | None:
        """The last reading, the problems of all of them, and these in words; without an answer if an earlier hop has none.

        `None` over documents if an earlier answer is in doubt or no name: questions about documents mostly name what they mean
        ("the pump filter of the WM 40"), and what is read for that instead leads astray.
        """
        answers: list[str] = []
        problems: list[str] = []
        doubts: list[str] = []
        for step in steps:
            asked = answered(step, answers)
            reading, against = await self.reader.read_hop(asked, hits)
            is_earlier = step is not steps[-1]
            if is_earlier and _is_of_documents(hits) and (against or not _may_be_name(reading.answer)):
                self.workbench.decide("plan dropped", reading.answer or "?")
                self.hops.clear()
                return None
            problems += against
            doubts.append(problems_in_words(against, asked))
            if not reading.answer:
                break
            answers.append(reading.answer)
            if is_earlier:
                behind = passages_behind(reading)
                self.hops.append(Assertion(asked, reading.answer, "retrieved", behind, doubt=doubts[-1]))
        return reading, problems, doubts

    def _finished(
        self,
        said: str,
        passages: Sequence[Passage],
        asked: str = "",
        *,
        premises: Sequence[int] = (),
        doubt: str = "",
        ending: str = "",
    ) -> Answer:
        short, how = bare_answer(self.workbench, said, self.question) if said else ("", "empty")
        if short and asked and asked != self.question.text:
            self.hops.append(Assertion(asked, short, "retrieved", passages, doubt=doubt))
        shown = list({passage.id: passage for passage in (*passages, *self.reader.found)}.values())
        return answer_from_claims(
            self.question,
            self.hops,
            short,
            how,
            self.workbench,
            retrieved=shown,
            ending=ending,
            stopped_because=self.stopped_because,
            final=Assertion(self.question.text, unescape(short), "retrieved", () if premises else shown, premises, doubt=doubt),
        )

    async def _in_other_form(self, hits: Sequence[Hit], facts: tuple[Evidence, ...]) -> Answer:
        """Reads a label or an explanation directly from the facts."""
        more = {"labels": ", ".join(self.question.labels)} if self.question.form == "label" else {}
        text = self.workbench.fill(
            _PROMPTS[self.question.form], facts=facts_shown(self.workbench, facts), question=escape(self.question.text), **more
        )
        longest = self.sizes.max_tokens_long if self.question.form == "long" else self.sizes.max_tokens
        sampling = replace(self.workbench.sampling, max_tokens=longest)
        reply = await self.workbench.reply([Message("user", text)], purpose="answer", sampling=sampling)
        short, how = bare_answer(self.workbench, reply.text, self.question)
        return one_answer(self.question, reply.text, short, how, hits)


def _is_of_documents(hits: Sequence[Hit]) -> bool:
    """Whether some of the hits are parts of documents, not whole articles."""
    return any(hit.passage.start is not None for hit in hits)


def _may_be_name(answer: str) -> bool:
    """Whether an answer can stand in a question for what it names: no sentence can."""
    return len(answer.split()) <= _LONGEST_NAME


def _texts_of(values: Mapping[str, Any], name: str) -> list[str]:
    return [unescape(" ".join(text.split())) for text in values.get(name, ()) if isinstance(text, str)]
