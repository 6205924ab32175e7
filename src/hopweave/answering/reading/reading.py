"""A question is read from facts: numbered sentences of the passages that were found, the likeliest ones.

The model gives the number of the fact that states the answer, and the answer, as one JSON object, which is bounded by a grammar
where the endpoint takes one. What it gives is checked without a model. For a question that compares two things it only fills in
their values; code decides.

The worked examples stand before the facts and are the same for every question, so that a server computes them once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hopweave.answering.parsing.json_object import parse_json_object
from hopweave.answering.parsing.probability import probability_of
from hopweave.answering.reading.checking import Reading, problems_of
from hopweave.answering.reading.comparing import Side, asked_alone, compared, life_date, reached, wanted_of
from hopweave.answering.reading.completing import completed
from hopweave.answering.reading.hops import NOTHING_SETTLED, Way
from hopweave.answering.toolkit.claims import Assertion
from hopweave.core.prompt import escape, fence, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Hit, Message, Passage, Reply
from hopweave.text.content_words import keys_of
from hopweave.text.evidence import Evidence, chosen_sentences
from hopweave.text.matching import is_contained

PROMPTS = prompts_beside(__file__)

TEXT = {"type": "string"}
_FACT = {"type": "integer"}

LONGEST_REPLY = 160  # tokens
LEAST_PROBABILITY = 0.85

_OLDER = 0.5
"""What a passage that was found for the question counts, against one that was found for the hop."""


def object_of(**properties: Any) -> dict[str, Any]:
    """The JSON schema of an object that has just these properties."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_SIDE = object_of(name=TEXT, through=TEXT, ask=TEXT, value=TEXT, fact=_FACT)
_SCHEMAS: Mapping[str, dict[str, Any]] = {
    "answer": object_of(fact=_FACT, answer=TEXT),
    "compare": object_of(first=_SIDE, second=_SIDE),
}
_EXAMPLES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "answer": (("light", "answer_light"), ("water", "answer_water")),
    "compare": (("water", "compare_water"), ("water", "compare_directors")),
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison that code decided, or could not.

    Attributes:
        answer: the name of a side, or yes or no; empty if the values cannot be compared.
        sides: a statement for each side whose value a fact states.
    """

    answer: str
    sides: tuple[Assertion, ...]


@dataclass(slots=True)
class FactReader:
    """Reads for one question.

    Attributes:
        workbench: of the question.
        max_tokens: of the longest reply.
        least_probability: an answer that the model finds less probable is `unsure`.
        num_hop_passages: passages retrieved for a hop, or for the value of one side of a comparison.
        max_tokens_hop: tokens of sentences shown for it; 0 shows whole passages.
        found: the passages of all searches.
    """

    workbench: MethodContext
    max_tokens: int = LONGEST_REPLY
    least_probability: float = LEAST_PROBABILITY
    num_hop_passages: int = 3
    max_tokens_hop: int = 250
    found: list[Passage] = field(default_factory=list)

    async def search(self, query: str, max_hits: int) -> list[Hit]:
        """The passages that are found for a query.

        Raises:
            SearchError, BudgetReached: as `MethodContext.search`.
        """
        [hits] = await self.workbench.search([query], max_hits)
        self.found += [hit.passage for hit in hits]
        return hits

    async def read(
        self,
        asked: str,
        facts: tuple[Evidence, ...],
        settled: Sequence[tuple[str, str]] = (),
        way: Way = NOTHING_SETTLED,
    ) -> tuple[Reading, list[str]]:
        """What the model reads from the facts, and what speaks against it (see `checking.problems_of`).

        Args:
            asked: the question.
            facts: in the order in which they are shown.
            settled: other questions, which are settled already, with their answers.
            way: how the question leads through what is settled.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as `MethodContext.reply`.
        """
        reply = await self._reply("answer", asked, facts, settled)
        values = values_of(self.workbench, reply, "answer", {"fact": int, "answer": str})
        answer = unescape(_text(values, "answer"))
        fact = _fact(values, facts, answer)
        whole = completed(asked, answer, fact.text) if fact is not None else answer
        reading = Reading(asked, whole, fact, probability_of(reply, answer), facts)
        problems = problems_of(reading, self.least_probability, way)
        shown = f"{asked} -> {whole or '?'}"
        self.workbench.decide("reading", shown, problems=problems, probability=round(reading.probability, 4))
        return reading, problems

    async def read_hop(self, asked: str, hits: Sequence[Hit], way: Way = NOTHING_SETTLED) -> tuple[Reading, list[str]]:
        """As `read`, over the likeliest sentences of what is found for one hop, and of what was found for the question.

        Args:
            asked: the question of the hop.
            hits: of the question, best first.
            way: how the question leads through what is settled.

        Raises:
            ModelError, SearchError, BudgetReached, ReplayMiss: as `MethodContext.reply` and `MethodContext.search`.
        """
        found = await self.search(asked, self.num_hop_passages)
        return await self.read(asked, facts_of(asked, _joined(found, hits), self.max_tokens_hop), way=way)

    async def compare(self, question: str, facts: tuple[Evidence, ...], settled: Sequence[tuple[str, str]] = ()) -> Comparison:
        """The answer that code gives to a comparison. A value that no fact about its side states is asked for alone.

        Args:
            question: that compares two things; see `comparing.wanted_of`.
            facts: in the order in which they are shown.
            settled: other questions, which are settled already, with their answers.

        Raises:
            ModelError, SearchError, BudgetReached, ReplayMiss: as `MethodContext.reply` and `MethodContext.search`.
        """
        reply = await self._reply("compare", question, facts, settled)
        values = values_of(self.workbench, reply, "compare", {"first": dict, "second": dict})
        sides: list[Side] = []
        said: list[Assertion] = []
        for name in ("first", "second"):
            if name in values:
                side, assertion = await self._valued(question, _side(values[name]), facts)
                sides.append(side)
                said += [assertion] if assertion is not None else []
        wanted = wanted_of(question)
        answer = compared(question, wanted, *sides) if wanted is not None and len(sides) == 2 else ""
        self.workbench.decide("compared", answer or "?", values=[side.value for side in sides])
        return Comparison(answer, tuple(said))

    async def _valued(self, question: str, side: Side, facts: tuple[Evidence, ...]) -> tuple[Side, Assertion | None]:
        """A side with a value that a fact about it states: the one that was filled in, else one that is asked for alone."""
        side = reached(question, side)
        fact = _of_life(question, side, facts)
        if fact is not None:
            side = replace(side, value=life_date(question, fact.text))
        else:
            fact = _stating(side, facts)
        problems: list[str] = []
        if fact is None and (ask := asked_alone(question, side)):
            hits = await self.search(ask, self.num_hop_passages)
            reading, problems = await self.read(ask, facts_of(ask, hits, self.max_tokens_hop))
            fact = reading.fact
            value = life_date(question, fact.text) if fact is not None and _is_about(side, fact) else ""
            side = replace(side, ask=ask, value=value or reading.answer)
        through = f"{side.name}, {side.through}" if side.through and _is_told(side.through, facts) else side.name
        self.workbench.decide("side", f"{through}: {side.value or '?'}")
        if fact is None or not side.value:
            return side, None
        return side, Assertion(side.ask or through, side.value, "retrieved", (fact.passage,), is_doubted=bool(problems))

    async def _reply(
        self, kind: str, asked: str, facts: tuple[Evidence, ...], settled: Sequence[tuple[str, str]] = ()
    ) -> Reply:
        """Asks for an object of a kind, after worked examples."""
        messages = []
        for number, (shown, example) in enumerate(_EXAMPLES[kind]):
            text = self._asking(self.workbench.fill(PROMPTS[shown]), self.workbench.fill(PROMPTS[example]))
            first = f"{self.workbench.fill(PROMPTS[kind])}\n\n{text}" if number == 0 else text
            messages += [Message("user", first), Message("assistant", self.workbench.fill(PROMPTS[f"reply_{example}"]))]
        messages.append(Message("user", self._asking(facts_shown(self.workbench, facts), asked, settled)))
        schema = _SCHEMAS[kind]
        return await bounded(self.workbench, messages, kind, schema, self.max_tokens, with_probabilities=kind == "answer")

    def _asking(self, facts: str, question: str, settled: Sequence[tuple[str, str]] = ()) -> str:
        known = [
            self.workbench.fill(PROMPTS["settled"], query=_inline(query), answer=_inline(answer)) for query, answer in settled
        ]
        asked = " ".join([*known, _inline(question)])
        return self.workbench.fill(PROMPTS["facts"], facts=facts, question=asked)


async def bounded(
    workbench: MethodContext,
    messages: Sequence[Message],
    purpose: str,
    schema: Mapping[str, Any],
    max_tokens: int,
    *,
    with_probabilities: bool = False,
) -> Reply:
    """A reply that a JSON schema bounds, where the endpoint takes one.

    Args:
        workbench: of the question.
        messages: the conversation.
        purpose: of the call, in the trace.
        schema: of the reply.
        max_tokens: of the reply.
        with_probabilities: whether the probabilities of its tokens are wanted.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as `MethodContext.reply`.
    """
    abilities = workbench.abilities
    sampling = replace(
        workbench.sampling,
        max_tokens=max_tokens,
        json_schema=schema if abilities.json_schema else None,
        top_logprobs=1 if with_probabilities and abilities.logprobs else 0,
    )
    return await workbench.reply(messages, purpose=purpose, sampling=sampling)


def values_of(workbench: MethodContext, reply: Reply, kind: str, fields: Mapping[str, type]) -> Mapping[str, Any]:
    """The values of the object that a reply is; what is wrong with it is recorded as a parse failure of that kind."""
    read = parse_json_object(reply.text, fields)
    workbench.parse_failed(kind, read.problems, reply.text)
    return read.values


def facts_of(question: str, hits: Sequence[Hit], max_tokens: int) -> tuple[Evidence, ...]:
    """The likeliest sentences of the hits for a question.

    Args:
        question: that is to be answered.
        hits: best first.
        max_tokens: of all sentences and titles; 0 for all sentences.
    """
    return tuple(chosen_sentences(question, hits, max_tokens or 10**9))


def facts_shown(workbench: MethodContext, facts: Sequence[Evidence]) -> str:
    """The facts as shown in a prompt, numbered from 1, under the titles of their passages."""
    if not facts:
        return workbench.fill(PROMPTS["none"])
    of_passages: dict[str, list[str]] = {}
    titles = {fact.passage.id: fact.title for fact in facts}
    for number, fact in enumerate(facts, start=1):
        of_passages.setdefault(fact.passage.id, []).append(f"{number}. {' '.join(fact.text.split())}")
    return "\n".join(fence("\n".join(lines), titles[passage]) for passage, lines in of_passages.items())


def passages_behind(reading: Reading) -> list[Passage]:
    """The passages that a reading may rest on: that of its fact, then those of all facts that were shown."""
    facts = [reading.fact, *reading.facts] if reading.fact is not None else reading.facts
    return list({fact.passage.id: fact.passage for fact in facts}.values())


def _joined(found: Sequence[Hit], earlier: Sequence[Hit]) -> list[Hit]:
    """What was found for a hop, and behind it what was found for the question; scores are shares of the best."""
    shares = {hit.passage.id: replace(hit, score=_OLDER * hit.score / (earlier[0].score or 1.0)) for hit in earlier}
    shares |= {hit.passage.id: replace(hit, score=hit.score / (found[0].score or 1.0)) for hit in found}
    ids = dict.fromkeys(hit.passage.id for hit in (*found, *earlier))
    return [replace(shares[passage_id], rank=rank) for rank, passage_id in enumerate(ids, start=1)]


def _inline(text: str) -> str:
    return escape(" ".join(text.split()))


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


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
