"""Stitch: chosen sentences, one bounded reading a hop, and a check without a model that says whether a hop is missing.

Passages are retrieved once (best by the retriever `weave`), and the likeliest sentences of all of them are numbered as facts.
The model names the fact that answers and the answer, as one JSON object. The answer is checked without a model: whether it
stands in its fact, and whether the names of the question lead to that fact. Only where it does not hold, the model is asked
whom the question leads through; what is left of the question is searched for and read alone, and checked again. Questions that
compare two things are not decided by the model: it fills in the two values with their facts, and code compares them.

Every hop is a claim whose evidence is the sentence that it was read from.

Calls: 1 for a question whose first reading holds; 2 more for each hop. For one that compares 1, and 1 for each side whose value
no fact about it states. Searches: 1, and 1 a hop or such a side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from hopweave.errors import BudgetReached
from hopweave.methods._stitch.checking import Reading, probability_of, problems_of
from hopweave.methods._stitch.comparing import Side, Wanted, compared, wanted_of
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


_SIDE = _object(name=_TEXT, through=_TEXT, ask=_TEXT, value=_TEXT, fact=_FACT)
_SCHEMAS: Mapping[str, dict[str, Any]] = {
    "answer": _object(fact=_FACT, answer=_TEXT),
    "bridge": _object(through=_TEXT, fact=_FACT, ask=_TEXT),
    "compare": _object(first=_SIDE, second=_SIDE),
}
_EXAMPLES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "answer": (("light", "answer_light"), ("water", "answer_water")),
    "bridge": (("light", "bridge_light"), ("water", "bridge_water")),
    "compare": (("water", "compare_water"), ("water", "compare_directors")),
}


@dataclass(frozen=True, slots=True)
class Stitch(Bounded):
    """The method and its options."""

    num_passages: Annotated[Count, "passages retrieved for the question"] = 10
    max_tokens_facts: Annotated[Whole, "tokens of sentences shown, chosen from all passages; 0 shows whole passages"] = 350
    num_hop_passages: Annotated[Count, "passages retrieved for what is left of the question at each hop"] = 3
    max_tokens_hop: Annotated[Whole, "tokens of sentences shown at each hop; 0 shows whole passages"] = 350
    bridge: Annotated[
        Literal["check", "always", "never"],
        "when to ask whom the question leads through; check: where the first reading does not hold",
    ] = "check"
    max_hops: Annotated[Whole, "hops after the first reading at most"] = 3
    compare: Annotated[bool, "compare two values by code instead of asking which side it is"] = True
    least_probability: Annotated[float, AtLeast(0, 1), "a reading whose answer is less probable does not hold"] = 0.0
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
        wanted = wanted_of(self.question.text) if self.options.compare else None
        if wanted is not None and (said := await self._compared(wanted, facts)):
            return self._finished(said, [])
        return self._concluded(await self._read_through(facts))

    async def _read_through(self, facts: tuple[Evidence, ...]) -> Reading:
        """The reading that holds or, if none does, the one that least speaks against."""
        readings: list[tuple[Reading, list[str]]] = []
        paths: list[int] = []
        asked = self.question.text
        try:
            for hop in range(self.options.max_hops + 1):
                readings.append(await self._checked(asked, facts))
                paths.append(len(self.hops))
                if not self._goes_on(hop, readings[-1][1]):
                    break
                rest = await self._bridged(asked, facts)
                if not rest:
                    break
                asked = rest
                hits = await self._search(asked, self.options.num_hop_passages)
                facts = _facts(asked, hits, self.options.max_tokens_hop)
        except BudgetReached as reached:
            self.stopped_because = reached.limit
        if not readings:
            return Reading(asked, "", None, 1.0, facts)
        best = min(range(len(readings)), key=lambda index: (len(readings[index][1]), -index))
        del self.hops[paths[best] :]
        return readings[best][0]

    def _goes_on(self, hop: int, problems: Sequence[str]) -> bool:
        if self.options.bridge == "never" or hop >= self.options.max_hops:
            return False
        return bool(problems) or (self.options.bridge == "always" and hop == 0)

    async def _checked(self, asked: str, facts: tuple[Evidence, ...]) -> tuple[Reading, list[str]]:
        reply = await self._reply("answer", asked, facts)
        values = self._values(reply, "answer", {"fact": int, "answer": str})
        answer = unescape(_text(values, "answer"))
        reading = Reading(asked, answer, _fact(values, facts, answer), probability_of(reply, answer), facts)
        problems = problems_of(reading, self.options.least_probability)
        shown = f"{asked} -> {answer or '?'}"
        self.workbench.decide("reading", shown, problems=problems, probability=round(reading.probability, 4))
        return reading, problems

    async def _bridged(self, asked: str, facts: tuple[Evidence, ...]) -> str:
        """What is left of a question once its first hop is taken; empty if the model names none."""
        reply = await self._reply("bridge", asked, facts)
        values = self._values(reply, "bridge", {"through": str, "fact": int, "ask": str})
        rest, through = " ".join(_text(values, "ask").split()), unescape(_text(values, "through"))
        fact = _fact(values, facts, through.rsplit(",", 1)[-1].strip())
        if not rest or fact is None or keys_of(rest) == keys_of(asked):
            self.workbench.decide("bridge", f"{asked} -> ?")
            return ""
        self.workbench.decide("bridge", f"{through} -> {unescape(rest)}", passage_id=fact.passage.id)
        self.hops.append(Assertion(asked, fact.text, "retrieved", (fact.passage,)))
        return unescape(rest)

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
        fact = _stating(side, facts)
        if fact is None and side.ask:
            found = _facts(side.ask, await self._search(side.ask, self.options.num_hop_passages), self.options.max_tokens_hop)
            reading, _ = await self._checked(side.ask, found)
            side, fact = replace(side, value=reading.answer), reading.fact
        through = f"{side.name}, {side.through}" if side.through else side.name
        self.workbench.decide("side", f"{through}: {side.value or '?'}")
        if fact is not None and side.value:
            self.hops.append(Assertion(side.ask or through, side.value, "retrieved", (fact.passage,)))
        return side

    def _concluded(self, reading: Reading) -> Answer:
        passages = [fact.passage for fact in ([reading.fact] if reading.fact else []) + list(reading.facts)]
        return self._finished(reading.answer, passages, asked=reading.asked)

    def _finished(self, said: str, passages: Sequence[Passage], asked: str = "") -> Answer:
        short, how = bare_answer(self.workbench, said, self.question) if said else ("", "empty")
        if short and asked and asked != self.question.text:
            self.hops.append(Assertion(asked, short, "retrieved", passages))
        return concluded(
            self.question,
            self.hops,
            short,
            how,
            self.workbench,
            retrieved=[*passages, *self.found],
            stopped_because=self.stopped_because,
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


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _side(values: Mapping[str, Any]) -> Side:
    number = values.get("fact")
    name, through, ask, value = (unescape(_text(values, key)) for key in ("name", "through", "ask", "value"))
    return Side(name, through, " ".join(ask.split()), value, number if isinstance(number, int) else 0)


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
