"""Stitch: a question is split where it leads through somebody unnamed, and each hop is read alone, over chosen sentences.

Passages are retrieved once (best by the retriever `weave`). The model names whom or what the question speaks of without a name
("the county where Kerrow lies"), and code makes the hops of it: a question for that, and the question itself with the answer
in its place. For each hop, the likeliest sentences of what is found for it are numbered as facts, and the model gives the fact
that answers and the answer, as one JSON object. Readings are checked without a model: whether an answer stands in its fact, and
whether the names of the question lead there. A question with one hop, or one whose hops do not hold, is read at once over the
likeliest sentences. Questions that compare two things are not decided by the model: it fills in the two values with their
facts, and code compares them.

Every hop is a claim whose evidence is the sentence that it was read from.

Calls: 2 for a question of one hop, 1 more for each further hop, and 1 more where they do not hold. For one that compares 1, and
1 for each side whose value no fact about it states. Searches: 1, and 1 a hop or such a side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from hopweave.errors import BudgetReached
from hopweave.methods._stitch.checking import Reading, does_hold, probability_of, problems_of, weight
from hopweave.methods._stitch.comparing import Side, Wanted, asked_alone, compared, life_date, reached, wanted_of
from hopweave.methods._stitch.completing import completed
from hopweave.methods._stitch.planning import MAX_STEPS, answered, spelled_out, steps_of
from hopweave.parse.json_object import parse_json_object
from hopweave.prompting.prompt import escape, fence, prompts_beside, unescape
from hopweave.protocols import MethodContext
from hopweave.text.evidence import Evidence, chosen_sentences
from hopweave.text.matching import is_contained
from hopweave.text.words import keys_of
from hopweave.toolkit.claims import Assertion, concluded, one_answer
from hopweave.toolkit.final_answer import bare_answer
from hopweave.toolkit.options import AtLeast, Bounded, Count, Whole
from hopweave.types import Answer, Hit, Message, Passage, Question, Reply

_PROMPTS = prompts_beside(__file__)

_TEXT = {"type": "string"}
_FACT = {"type": "integer"}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _texts(most: int) -> dict[str, Any]:
    return {"type": "array", "items": _TEXT, "maxItems": most}


_SIDE = _object(name=_TEXT, through=_TEXT, ask=_TEXT, value=_TEXT, fact=_FACT)
_SCHEMAS: Mapping[str, dict[str, Any]] = {
    "answer": _object(fact=_FACT, answer=_TEXT),
    "plan": _object(unnamed=_texts(MAX_STEPS - 1), steps=_texts(MAX_STEPS)),
    "compare": _object(first=_SIDE, second=_SIDE),
}
_EXAMPLES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "answer": (("light", "answer_light"), ("water", "answer_water")),
    "compare": (("water", "compare_water"), ("water", "compare_directors")),
}
_PLANNED = ("two", "town", "spouse", "year", "state", "film", "grandfather", "sister")

_OLDER = 0.5
"""What a passage that was found for the question counts, against one that was found for the hop."""


@dataclass(frozen=True, slots=True)
class Stitch(Bounded):
    """The method and its options."""

    num_passages: Annotated[Count, "passages retrieved for the question"] = 10
    max_tokens_facts: Annotated[Whole, "tokens of sentences shown, chosen from all passages; 0 shows whole passages"] = 350
    plan: Annotated[bool, "split a question that leads through somebody or something unnamed, and read each hop alone"] = True
    num_hop_passages: Annotated[Count, "passages retrieved for each hop, besides those of the question"] = 3
    max_tokens_hop: Annotated[Whole, "tokens of sentences shown at each hop; 0 shows whole passages"] = 250
    compare: Annotated[bool, "compare two values by code instead of asking which side it is"] = True
    least_probability: Annotated[
        float, AtLeast(0, 1), "an answer that the model finds less probable is shown as unsupported; 0 sets no bound"
    ] = 0.85
    max_tokens: Annotated[Count, "longest reply, in tokens"] = 160
    max_tokens_long: Annotated[Count, "longest explanation, in tokens"] = 256

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        return await _Stitching(self, question, workbench).answer()


@dataclass(slots=True)
class _Stitching:
    """One question being answered."""

    options: Stitch
    question: Question
    workbench: MethodContext
    found: list[Passage] = field(default_factory=list)
    hops: list[Assertion] = field(default_factory=list)
    stopped_because: str = "finished"

    async def answer(self) -> Answer:
        hits = await self._search(self.question.text, self.options.num_passages)
        facts = _facts(self.question.text, hits, self.options.max_tokens_facts)
        if self.question.form != "short":
            return await self._in_other_form(hits, facts)
        wanted = wanted_of(self.question.text)
        if wanted is not None and self.options.compare and (said := await self._compared(wanted, facts)):
            both = (1, 2) if len(self.hops) == 2 else ()
            return self._finished(said, [], premises=both, is_doubted=not both)
        return await self._read(hits, facts, is_split=self.options.plan and wanted is None)

    async def _read(self, hits: Sequence[Hit], facts: tuple[Evidence, ...], *, is_split: bool) -> Answer:
        """Answers by the last hop or, where the hops do not hold and it is no worse, by the question read at once.

        What does not hold, and what is read at once after hops that did not, is doubted.
        """
        reading, problems = Reading(self.question.text, "", None, 1.0, facts), ["none"]
        try:
            if steps := await self._planned() if is_split else ():
                reading, problems = await self._read_hops(steps, hits)
            if not does_hold(problems):
                at_once, against = await self._checked(self.question.text, facts)
                if not reading.answer or weight(against) <= weight(problems):
                    self.hops.clear()
                    reading, problems = at_once, [*against, *(problems if steps else ())]
        except BudgetReached as reached:
            self.stopped_because = reached.limit
        return self._concluded(reading, is_doubted=bool(problems))

    async def _planned(self) -> tuple[str, ...]:
        """The questions of the hops; empty for a question of one."""
        asked = spelled_out(" ".join(self.question.text.split()))
        messages = []
        for number, example in enumerate(_PLANNED):
            text = self.workbench.fill(_PROMPTS["split"], question=self.workbench.fill(_PROMPTS[f"plan_{example}"]))
            messages.append(Message("user", f"{self.workbench.fill(_PROMPTS['plan'])}\n\n{text}" if number == 0 else text))
            messages.append(Message("assistant", self.workbench.fill(_PROMPTS[f"reply_plan_{example}"])))
        messages.append(Message("user", self.workbench.fill(_PROMPTS["split"], question=escape(asked))))
        values = self._values(await self._bounded("plan", messages), "plan", {"unnamed": list, "steps": list})
        steps = steps_of(asked, _texts_of(values, "unnamed"), _texts_of(values, "steps"))
        self.workbench.decide("plan", " / ".join(steps) or asked)
        return steps

    async def _read_hops(self, steps: Sequence[str], hits: Sequence[Hit]) -> tuple[Reading, list[str]]:
        """The last reading, and what speaks against all of them; without an answer where a hop before it has none."""
        answers: list[str] = []
        problems: list[str] = []
        for step in steps:
            asked = answered(step, answers)
            found = await self._search(asked, self.options.num_hop_passages)
            reading, against = await self._checked(asked, _facts(asked, _joined(found, hits), self.options.max_tokens_hop))
            problems += against
            if not reading.answer:
                break
            answers.append(reading.answer)
            if step is not steps[-1]:
                passages = [fact.passage for fact in ([reading.fact] if reading.fact else []) + list(reading.facts)]
                self.hops.append(Assertion(asked, reading.answer, "retrieved", passages, is_doubted=bool(against)))
        return reading, problems

    async def _checked(self, asked: str, facts: tuple[Evidence, ...]) -> tuple[Reading, list[str]]:
        reply = await self._reply("answer", asked, facts)
        values = self._values(reply, "answer", {"fact": int, "answer": str})
        answer = unescape(_text(values, "answer"))
        fact = _fact(values, facts, answer)
        whole = completed(asked, answer, fact.text) if fact is not None else answer
        reading = Reading(asked, whole, fact, probability_of(reply, answer), facts)
        problems = problems_of(reading, self.options.least_probability)
        shown = f"{asked} -> {whole or '?'}"
        self.workbench.decide("reading", shown, problems=problems, probability=round(reading.probability, 4))
        return reading, problems

    async def _compared(self, wanted: Wanted, facts: tuple[Evidence, ...]) -> str:
        """The answer that code gives to a comparison, with a claim for each side; empty if it cannot tell."""
        try:
            reply = await self._reply("compare", self.question.text, facts)
            values = self._values(reply, "compare", {"first": dict, "second": dict})
            sides = [await self._valued(_side(values[name]), facts) for name in ("first", "second") if name in values]
        except BudgetReached as reached:
            self.stopped_because = reached.limit
            return ""
        said = compared(self.question.text, wanted, *sides) if len(sides) == 2 else ""
        self.workbench.decide("compared", said or "?", values=[side.value for side in sides])
        if not said:
            self.hops.clear()
        return said

    async def _valued(self, side: Side, facts: tuple[Evidence, ...]) -> Side:
        """A side with a value that a fact about it states: the one that was filled in, else one that is asked for alone."""
        side = reached(self.question.text, side)
        fact = _of_life(self.question.text, side, facts)
        if fact is not None:
            side = replace(side, value=life_date(self.question.text, fact.text))
        else:
            fact = _stating(side, facts)
        problems: list[str] = []
        if fact is None and (ask := asked_alone(self.question.text, side)):
            found = _facts(ask, await self._search(ask, self.options.num_hop_passages), self.options.max_tokens_hop)
            reading, problems = await self._checked(ask, found)
            fact = reading.fact
            value = life_date(self.question.text, fact.text) if fact is not None and _is_about(side, fact) else ""
            side = replace(side, ask=ask, value=value or reading.answer)
        through = f"{side.name}, {side.through}" if side.through and _is_told(side.through, facts) else side.name
        self.workbench.decide("side", f"{through}: {side.value or '?'}")
        if fact is not None and side.value:
            self.hops.append(
                Assertion(side.ask or through, side.value, "retrieved", (fact.passage,), is_doubted=bool(problems))
            )
        return side

    def _concluded(self, reading: Reading, *, is_doubted: bool) -> Answer:
        passages = [fact.passage for fact in ([reading.fact] if reading.fact else []) + list(reading.facts)]
        return self._finished(reading.answer, passages, asked=reading.asked, is_doubted=is_doubted)

    def _finished(
        self,
        said: str,
        passages: Sequence[Passage],
        asked: str = "",
        *,
        premises: Sequence[int] = (),
        is_doubted: bool = False,
    ) -> Answer:
        short, how = bare_answer(self.workbench, said, self.question) if said else ("", "empty")
        if short and asked and asked != self.question.text:
            self.hops.append(Assertion(asked, short, "retrieved", passages, is_doubted=is_doubted))
        shown = list({passage.id: passage for passage in (*passages, *self.found)}.values())
        return concluded(
            self.question,
            self.hops,
            short,
            how,
            self.workbench,
            retrieved=shown,
            stopped_because=self.stopped_because,
            final=Assertion(
                self.question.text, unescape(short), "retrieved", () if premises else shown, premises, is_doubted=is_doubted
            ),
        )

    async def _in_other_form(self, hits: Sequence[Hit], facts: tuple[Evidence, ...]) -> Answer:
        """A label or an explanation is read from the facts at once."""
        more = {"labels": ", ".join(self.question.labels)} if self.question.form == "label" else {}
        text = self.workbench.fill(
            _PROMPTS[self.question.form], facts=self._shown(facts), question=escape(self.question.text), **more
        )
        longest = self.options.max_tokens_long if self.question.form == "long" else self.options.max_tokens
        sampling = replace(self.workbench.sampling, max_tokens=longest)
        reply = await self.workbench.reply([Message("user", text)], purpose="answer", sampling=sampling)
        short, how = bare_answer(self.workbench, reply.text, self.question)
        return one_answer(self.question, reply.text, short, how, hits)

    async def _search(self, query: str, max_hits: int) -> list[Hit]:
        [hits] = await self.workbench.search([query], max_hits)
        self.found += [hit.passage for hit in hits]
        return hits

    async def _reply(self, kind: str, asked: str, facts: tuple[Evidence, ...]) -> Reply:
        """Asks for an object of a kind, after worked examples, which are the same for every question and so are cached."""
        messages = []
        for number, (shown, example) in enumerate(_EXAMPLES[kind]):
            text = self._asking(self.workbench.fill(_PROMPTS[shown]), self.workbench.fill(_PROMPTS[example]))
            first = f"{self.workbench.fill(_PROMPTS[kind])}\n\n{text}" if number == 0 else text
            messages += [Message("user", first), Message("assistant", self.workbench.fill(_PROMPTS[f"reply_{example}"]))]
        messages.append(Message("user", self._asking(self._shown(facts), asked)))
        return await self._bounded(kind, messages)

    async def _bounded(self, kind: str, messages: Sequence[Message]) -> Reply:
        """A reply that is bounded by the kind's grammar where the endpoint takes one."""
        is_bounded = self.workbench.abilities.json_schema
        sampling = replace(
            self.workbench.sampling,
            max_tokens=self.options.max_tokens,
            json_schema=_SCHEMAS[kind] if is_bounded else None,
            top_logprobs=1 if kind == "answer" and self.workbench.abilities.logprobs else 0,
        )
        return await self.workbench.reply(messages, purpose=kind, sampling=sampling)

    def _asking(self, facts: str, question: str) -> str:
        return self.workbench.fill(_PROMPTS["facts"], facts=facts, question=escape(" ".join(question.split())))

    def _shown(self, facts: Sequence[Evidence]) -> str:
        """The facts, numbered from 1, under the titles of their passages."""
        if not facts:
            return self.workbench.fill(_PROMPTS["none"])
        of_passages: dict[str, list[str]] = {}
        titles = {fact.passage.id: fact.passage.title for fact in facts}
        for number, fact in enumerate(facts, start=1):
            of_passages.setdefault(fact.passage.id, []).append(f"{number}. {' '.join(fact.text.split())}")
        return "\n".join(fence("\n".join(lines), titles[passage]) for passage, lines in of_passages.items())

    def _values(self, reply: Reply, kind: str, fields: Mapping[str, type]) -> Mapping[str, Any]:
        read = parse_json_object(reply.text, fields)
        self.workbench.parse_failed(kind, read.problems, reply.text)
        return read.values


def _facts(question: str, hits: Sequence[Hit], max_tokens: int) -> tuple[Evidence, ...]:
    return tuple(chosen_sentences(question, hits, max_tokens or 10**9))


def _joined(found: Sequence[Hit], earlier: Sequence[Hit]) -> list[Hit]:
    """What was found for a hop, and behind it what was found for the question; scores are shares of the best."""
    shares = {hit.passage.id: replace(hit, score=_OLDER * hit.score / (earlier[0].score or 1.0)) for hit in earlier}
    shares |= {hit.passage.id: replace(hit, score=hit.score / (found[0].score or 1.0)) for hit in found}
    ids = dict.fromkeys(hit.passage.id for hit in (*found, *earlier))
    return [replace(shares[passage_id], rank=rank) for rank, passage_id in enumerate(ids, start=1)]


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _texts_of(values: Mapping[str, Any], name: str) -> list[str]:
    return [unescape(" ".join(text.split())) for text in values.get(name, ()) if isinstance(text, str)]


def _side(values: Mapping[str, Any]) -> Side:
    number = values.get("fact")
    name, through, ask, value = (unescape(_text(values, key)) for key in ("name", "through", "ask", "value"))
    return Side(name, through, " ".join(ask.split()), value, number if isinstance(number, int) else 0)


def _is_told(name: str, facts: Sequence[Evidence]) -> bool:
    """Whether a fact or its title has a name; if none does, the model took it from a worked example."""
    return any(is_contained(name, f"{fact.passage.title}\n{fact.text}") for fact in facts)


def _is_about(side: Side, fact: Evidence) -> bool:
    """Whether a fact is of the page of what is compared; a bracket in the title does not count."""
    about = keys_of(side.through or side.name)
    return bool(about) and keys_of(fact.passage.title.split(" (", 1)[0]) == about


def _of_life(question: str, side: Side, facts: Sequence[Evidence]) -> Evidence | None:
    """The fact that has the date of birth or death that is asked for, on the page of whom it is about."""
    return next((fact for fact in facts if _is_about(side, fact) and life_date(question, fact.text)), None)


def _stating(side: Side, facts: Sequence[Evidence]) -> Evidence | None:
    """The fact about a side that holds its value; `None` if none does."""
    about = keys_of(side.through or side.name)

    def states(fact: Evidence) -> bool:
        return is_contained(side.value, fact.text) and about <= keys_of(f"{fact.passage.title} {fact.text}")

    named = _numbered(side.fact, facts)
    if named is not None and states(named):
        return named
    return next((fact for fact in facts if states(fact)), None)


def _fact(values: Mapping[str, Any], facts: Sequence[Evidence], words: str) -> Evidence | None:
    """The fact that the model named, if it holds the words, else the first that does, else the one it named."""
    number = values.get("fact")
    named = _numbered(number, facts) if isinstance(number, int) else None
    if named is not None and words and is_contained(words, f"{named.passage.title}\n{named.text}"):
        return named
    return _holding(words, facts) or named


def _numbered(number: int, facts: Sequence[Evidence]) -> Evidence | None:
    return facts[number - 1] if 1 <= number <= len(facts) else None


def _holding(words: str, facts: Sequence[Evidence]) -> Evidence | None:
    return next((fact for fact in facts if words and is_contained(words, fact.text)), None)
