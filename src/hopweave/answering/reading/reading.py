"""Reads the answer to a question from facts: the likeliest sentences of the passages that were found, numbered.

The model gives the number of the fact that states the answer, and the answer, as one JSON object, constrained by a grammar if
the endpoint supports one. The reply is checked without a model. For a question that compares two things, the model only fills
in their values; code decides.

The worked examples come before the facts and are the same for every question, so that a server can cache them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hopweave.answering.parsing.json_object import parse_json_object
from hopweave.answering.parsing.probability import probability_of
from hopweave.answering.reading.checking import NOT_ASKED, Reading, problems_in_words, problems_of
from hopweave.answering.reading.completing import completed
from hopweave.answering.reading.hops import NOTHING_SETTLED, Way
from hopweave.answering.toolkit.claims import Assertion
from hopweave.answering.toolkit.inline import inline
from hopweave.answering.toolkit.schemas import object_of
from hopweave.core.errors import ParseError
from hopweave.core.prompt import fence, prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Hit, Message, Passage, Reply
from hopweave.text.comparing import Side, asked_alone, compared, compares_others, life_date, wanted_of
from hopweave.text.content_words import keys_of
from hopweave.text.document_names import full_heading
from hopweave.text.evidence import Evidence, chosen_sentences
from hopweave.text.matching import is_contained
from hopweave.text.refusal import does_not_know

PROMPTS = prompts_beside(__file__)

TEXT = {"type": "string"}
_FACT = {"type": "integer"}

LONGEST_REPLY = 160  # tokens
LEAST_PROBABILITY = 0.85

_OLDER = 0.5
"""The weight of a passage that was found for the question, relative to one that was found for the hop."""


def _comparison_of(**side: Any) -> dict[str, Any]:
    """The schema of a comparison whose sides have these properties."""
    return object_of(ask=TEXT, first=object_of(**side), second=object_of(**side))


_ANSWER = object_of(fact=_FACT, answer=TEXT)
_COMPARE = _comparison_of(name=TEXT, value=TEXT, fact=_FACT)
_COMPARE_THROUGH = _comparison_of(name=TEXT, through=TEXT, value=TEXT, fact=_FACT)
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
    """Reads the facts of one question.

    Attributes:
        workbench: the question's workbench.
        max_tokens: the maximum length of a reply.
        least_probability: an answer that the model finds less probable is `unsure`.
        num_hop_passages: passages retrieved for a hop, or for the value of one side of a comparison.
        max_tokens_hop: tokens of sentences shown for it; 0 shows whole passages.
        max_gap_hop: how far below the likeliest of them another may be; see `chosen_sentences`.
        found: the passages of all searches.
    """

    workbench: MethodContext
    max_tokens: int = LONGEST_REPLY
    least_probability: float = LEAST_PROBABILITY
    num_hop_passages: int = 3
    max_tokens_hop: int = 250
    max_gap_hop: float = math.inf
    found: list[Passage] = field(default_factory=list)

    async def search(self, query: str, max_hits: int) -> list[Hit]:
        """The passages that are found for a query.

        Raises:
            SearchError, BudgetReached: as in `MethodContext.search`.
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
        """The model's reading of the facts, and its problems (see `checking.problems_of`).

        Args:
            asked: the question.
            facts: in the order in which they are shown.
            settled: other questions, which are settled already, with their answers.
            way: how the question leads through what is settled.

        Raises:
            ModelError, BudgetReached, ReplayMiss: as in `MethodContext.reply`.
        """
        reply = await self._reply("answer", _ANSWER, asked, facts, settled)
        values = values_of(self.workbench, reply, "answer", {"fact": int, "answer": str})
        answer = unescape(_text(values, "answer"))
        fact = _fact(values, facts, answer)
        whole = completed(asked, answer, fact.text) if fact is not None else answer
        reading = Reading(asked, whole, fact, probability_of(reply, answer), facts)
        problems = problems_of(reading, self.least_probability, way)
        shown = f"{asked} -> {whole or '?'}"
        self.workbench.decide("reading", shown, problems=problems, probability=round(reading.probability, 4))
        return reading, problems

    async def read_again(self, asked: str, facts: Sequence[Evidence], *, purpose: str) -> str:
        """The answer that the model reads off facts, in one line; empty if it finds none. Nothing is decided about it.

        Args:
            asked: the question.
            facts: in the order in which they are shown.
            purpose: the purpose of the call, in the trace.

        Raises:
            ParseError: if the reply does not say what the answer is, or that there is none.
            ModelError, BudgetReached, ReplayMiss: as in `MethodContext.reply`.
        """
        shown = self._asking(facts_shown(self.workbench, facts), asked, last=self.workbench.fill(PROMPTS["unless_none"]))
        messages = [*self.examples("answer"), Message("user", shown)]
        reply = await bounded(self.workbench, messages, purpose, _ANSWER, self.max_tokens)
        values = values_of(self.workbench, reply, purpose, {"fact": int, "answer": str})
        if "answer" not in values and values.get("fact") != 0:
            raise ParseError("the reply has no answer")
        answer = unescape(" ".join(_text(values, "answer").split()))
        return "" if does_not_know(answer) else answer

    async def read_hop(self, asked: str, hits: Sequence[Hit], way: Way = NOTHING_SETTLED) -> tuple[Reading, list[str]]:
        """Like `read`, over the likeliest sentences of the passages found for one hop and for the question.

        Args:
            asked: the question of the hop.
            hits: the hits of the question, best first.
            way: how the question leads through settled answers.

        Raises:
            ModelError, SearchError, BudgetReached, ReplayMiss: as in `MethodContext.reply` and `MethodContext.search`.
        """
        found = await self.search(asked, self.num_hop_passages)
        return await self.read(asked, self._facts_of_hop(asked, _joined(found, hits)), way=way)

    def _facts_of_hop(self, asked: str, hits: Sequence[Hit]) -> tuple[Evidence, ...]:
        return facts_of(asked, hits, self.max_tokens_hop, self.max_gap_hop)

    async def compare(self, question: str, facts: tuple[Evidence, ...], settled: Sequence[tuple[str, str]] = ()) -> Comparison:
        """The answer that code gives to a comparison. A value that no fact about its side states is requested separately.

        Args:
            question: a question that compares two things; see `text.comparing.wanted_of`.
            facts: in the order in which they are shown.
            settled: other questions, which are settled already, with their answers.

        Raises:
            ModelError, SearchError, BudgetReached, ReplayMiss: as in `MethodContext.reply` and `MethodContext.search`.
        """
        schema = _COMPARE_THROUGH if compares_others(question) else _COMPARE
        reply = await self._reply("compare", schema, question, facts, settled)
        values = values_of(self.workbench, reply, "compare", {"ask": str, "first": dict, "second": dict})
        sides: list[Side] = []
        said: list[Assertion] = []
        found = [_side(question, values[name], _text(values, "ask")) for name in ("first", "second") if name in values]
        if all(_is_compared(question, side, facts) for side in found):
            for one in found:
                side, assertion = await self._valued(question, one, facts)
                sides.append(side)
                said += [assertion] if assertion is not None else []
        wanted = wanted_of(question)
        answer = compared(question, wanted, *sides) if wanted is not None and len(sides) == 2 else ""
        self.workbench.decide("compared", answer or "?", values=[side.value for side in sides])
        return Comparison(answer, tuple(said))

    async def _valued(self, question: str, side: Side, facts: tuple[Evidence, ...]) -> tuple[Side, Assertion | None]:
        """A side with a value that a fact about it states: the one that was filled in, else one requested separately."""
        fact = _of_life(question, side, facts)
        if fact is not None:
            side = replace(side, value=life_date(question, fact.text))
        else:
            fact = _stating(side, facts)
        problems: list[str] = []
        if fact is None and side.ask:
            hits = await self.search(side.ask, self.num_hop_passages)
            reading, problems = await self.read(side.ask, self._facts_of_hop(side.ask, hits))
            fact = reading.fact
            value = life_date(question, fact.text) if fact is not None and _is_about(side, fact) else ""
            side = replace(side, value=value or reading.answer)
        through = f"{side.name}, {side.through}" if side.through and _is_told(side.through, facts) else side.name
        self.workbench.decide("side", f"{through}: {side.value or '?'}")
        if fact is None or not side.value:
            return side, None
        doubt = problems_in_words(problems, side.ask) if side.ask else NOT_ASKED
        return side, Assertion(side.ask or through, side.value, "retrieved", (fact.passage,), doubt=doubt)

    async def _reply(
        self,
        kind: str,
        schema: Mapping[str, Any],
        asked: str,
        facts: tuple[Evidence, ...],
        settled: Sequence[tuple[str, str]] = (),
    ) -> Reply:
        """Asks for an object of a kind, after worked examples."""
        messages = [*self.examples(kind), Message("user", self._asking(facts_shown(self.workbench, facts), asked, settled))]
        return await bounded(self.workbench, messages, kind, schema, self.max_tokens, with_probabilities=kind == "answer")

    def examples(self, kind: str) -> list[Message]:
        """The instructions with worked examples, the same for every question.

        Args:
            kind: `answer` or `compare`.
        """
        messages = []
        for number, (shown, example) in enumerate(_EXAMPLES[kind]):
            text = self._asking(self.workbench.fill(PROMPTS[shown]), self.workbench.fill(PROMPTS[example]))
            first = f"{self.workbench.fill(PROMPTS[kind])}\n\n{text}" if number == 0 else text
            messages += [Message("user", first), Message("assistant", self.workbench.fill(PROMPTS[f"reply_{example}"]))]
        return messages

    def _asking(self, facts: str, question: str, settled: Sequence[tuple[str, str]] = (), last: str = "") -> str:
        known = [
            self.workbench.fill(PROMPTS["settled"], query=inline(query), answer=inline(answer)) for query, answer in settled
        ]
        asked = " ".join(filter(None, [*known, inline(question), last]))
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
    """A reply constrained by a JSON schema, if the endpoint supports one.

    Args:
        workbench: the question's workbench.
        messages: the conversation.
        purpose: the purpose of the call, in the trace.
        schema: the schema of the reply.
        max_tokens: the maximum length of the reply.
        with_probabilities: whether to request the probabilities of its tokens.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as in `MethodContext.reply`.
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
    """The values of the object in a reply; its problems are recorded as parse failures of that kind."""
    read = parse_json_object(reply.text, fields)
    workbench.parse_failed(kind, read.problems, reply.text)
    return read.values


def facts_of(question: str, hits: Sequence[Hit], max_tokens: int, max_gap: float = math.inf) -> tuple[Evidence, ...]:
    """The likeliest sentences of the hits for a question.

    Args:
        question: the question to be answered.
        hits: the hits, best first.
        max_tokens: the limit for all sentences and titles; 0 for all sentences.
        max_gap: how far below the likeliest sentence another may be, unless all are shown; see `chosen_sentences`.
    """
    return tuple(chosen_sentences(question, hits, max_tokens or 10**9, max_gap=max_gap if max_tokens else math.inf))


def facts_shown(workbench: MethodContext, facts: Sequence[Evidence], *, start: int = 1) -> str:
    """The facts as shown in a prompt, numbered from `start`, under the titles of their passages."""
    if not facts:
        return workbench.fill(PROMPTS["none"])
    of_passages: dict[str, list[str]] = {}
    titled: dict[str, Evidence] = {}
    for number, fact in enumerate(facts, start=start):
        titled.setdefault(fact.passage.id, fact)
        of_passages.setdefault(fact.passage.id, []).append(f"{number}. {' '.join(fact.text.split())}")
    return "\n".join(fence("\n".join(lines), titled[passage].title) for passage, lines in of_passages.items())


def passages_behind(reading: Reading) -> list[Passage]:
    """The passages that a reading may rest on: that of its fact, then those of all facts that were shown."""
    facts = [reading.fact, *reading.facts] if reading.fact is not None else reading.facts
    return list({fact.passage.id: fact.passage for fact in facts}.values())


def _joined(found: Sequence[Hit], earlier: Sequence[Hit]) -> list[Hit]:
    """The hits for a hop, followed by those for the question; scores are relative to the best."""
    shares = {hit.passage.id: replace(hit, score=_OLDER * hit.score / (earlier[0].score or 1.0)) for hit in earlier}
    shares |= {hit.passage.id: replace(hit, score=hit.score / (found[0].score or 1.0)) for hit in found}
    ids = dict.fromkeys(hit.passage.id for hit in (*found, *earlier))
    return [replace(shares[passage_id], rank=rank) for rank, passage_id in enumerate(ids, start=1)]


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _side(question: str, values: Mapping[str, Any], ask: str) -> Side:
    """A side as the model filled it in, with the question for its value."""
    number = values.get("fact")
    name, through, value = (unescape(_text(values, key)) for key in ("name", "through", "value"))
    through = through if compares_others(question) else ""  # else it comes from a worked example
    asked = asked_alone(question, ask=" ".join(unescape(ask).split()), about=through or name)
    return Side(name, through, asked, value, number if isinstance(number, int) else 0)


def _is_compared(question: str, side: Side, facts: Sequence[Evidence]) -> bool:
    """Whether a side has a name of the question or of a fact: if not, the model took it from a worked example."""
    return not keys_of(side.name).isdisjoint(keys_of(question)) or _is_told(side.name, facts)


def _is_told(name: str, facts: Sequence[Evidence]) -> bool:
    """Whether a fact or its title has a name; if none does, the model took it from a worked example."""
    return any(is_contained(name, f"{full_heading(fact.passage)}\n{fact.text}") for fact in facts)


def _is_about(side: Side, fact: Evidence) -> bool:
    """Whether a fact is from the page of the thing that is compared; a bracket in the title is ignored."""
    about = keys_of(side.through or side.name)
    return bool(about) and keys_of(fact.passage.title.split(" (", 1)[0]) == about


def _of_life(question: str, side: Side, facts: Sequence[Evidence]) -> Evidence | None:
    """The fact with the requested date of birth or death, on the page of the person."""
    return next((fact for fact in facts if _is_about(side, fact) and life_date(question, fact.text)), None)


def _stating(side: Side, facts: Sequence[Evidence]) -> Evidence | None:
    """The fact about a side that contains its value; `None` if there is none."""
    about = keys_of(side.through or side.name)

    def states(fact: Evidence) -> bool:
        return is_contained(side.value, fact.text) and about <= keys_of(f"{full_heading(fact.passage)} {fact.text}")

    named = _numbered(side.fact, facts)
    if named is not None and states(named):
        return named
    return next((fact for fact in facts if states(fact)), None)


def _fact(values: Mapping[str, Any], facts: Sequence[Evidence], words: str) -> Evidence | None:
    """The fact that the model named, if it contains the words, else the first that does, else the one it named."""
    number = values.get("fact")
    named = _numbered(number, facts) if isinstance(number, int) else None
    if named is not None and words and is_contained(words, f"{full_heading(named.passage)}\n{named.text}"):
        return named
    return _holding(words, facts) or named


def _numbered(number: int, facts: Sequence[Evidence]) -> Evidence | None:
    return facts[number - 1] if 1 <= number <= len(facts) else None


def _holding(words: str, facts: Sequence[Evidence]) -> Evidence | None:
    return next((fact for fact in facts if words and is_contained(words, fact.text)), None)
