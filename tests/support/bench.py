"""A bench for methods: a scripted model, a table in place of a retriever and of a reader, and the record that comes out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import pytest

from hopweave.core.retries import Retries
from hopweave.core.types import Abilities, Hit, Message, Passage, Question, Reading, Span
from hopweave.models.duplicate_detectors.keywords import KeyWords
from hopweave.models.llms.scripted import Scripted
from hopweave.record import Decision, ModelCall, ParseFailure, Read, Record, Search
from hopweave.run.components import Components
from hopweave.run.settings import read_settings
from hopweave.run.weaver import Weaver


class WithoutPrefill(Scripted):
    """A model whose endpoint does not go on from a last turn of the assistant."""

    @property
    def abilities(self) -> Abilities:
        return Abilities(logprobs=True, json_schema=True)


class Small(Scripted):
    """A small model behind such an endpoint."""

    @property
    def abilities(self) -> Abilities:
        return Abilities(logprobs=True, json_schema=True, is_small=True)


class Capable(Scripted):
    """A model that is not small, behind an endpoint with nothing but chat."""

    @property
    def abilities(self) -> Abilities:
        return Abilities()


class TableRetriever:
    """Finds what the table holds for a query; nothing for any other.

    Attributes:
        batches: the queries of each call.
    """

    identity = "table"

    def __init__(self, table: Mapping[str, Passage | Sequence[Passage]]) -> None:
        self.table = table
        self.batches: list[list[str]] = []

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        self.batches.append(list(queries))
        return [self._hits(query)[:max_hits] for query in queries]

    def _hits(self, query: str) -> list[Hit]:
        found = self.table.get(query, ())
        passages = [found] if isinstance(found, Passage) else list(found)
        return [Hit(passage, 1.0 / rank, rank) for rank, passage in enumerate(passages, start=1)]

    def close(self) -> None:
        pass


class TableReader:
    """Reads the words and the confidence that the table holds for a query; for any other, nothing, with confidence -5."""

    identity = "table"
    theta = 0.2

    def __init__(self, table: Mapping[str, tuple[str, float]]) -> None:
        self.table = table
        self.pairs: list[tuple[str, Passage]] = []

    def read(self, pairs: Sequence[tuple[str, Passage]]) -> list[Reading]:
        self.pairs += pairs
        return [self._reading(query, passage) for query, passage in pairs]

    def _reading(self, query: str, passage: Passage) -> Reading:
        words, confidence = self.table.get(query, ("", -5.0))
        start = passage.text.find(words) if words else -1
        return Reading(words, Span(start, start + len(words)), confidence) if start >= 0 else Reading("", None, confidence)


class Bench:
    """Everything that a method needs, as a test says it.

    Args:
        says: what the model says, in turn, or rules (see `Scripted`).
        found: the passage, or the passages best first, of each query; a text becomes a passage of that id.
        read: the words that answer each query in its passage, and how sure the reader is of it.
        prefill: whether the endpoint goes on from a last turn of the assistant.
        reader: instead of the table.
        llm: instead of the scripted model.
        retries: of calls that may succeed later.
        rewriter: a retriever that asks the model, over the table.
    """

    def __init__(
        self,
        says: Any = (),
        found: Mapping[str, str | Passage | Sequence[Passage]] | None = None,
        read: Mapping[str, tuple[str, float]] | None = None,
        *,
        prefill: bool = False,
        reader: Any = None,
        llm: Any = None,
        retries: Retries | None = None,
        rewriter: Any = None,
    ) -> None:
        self.llm = llm or (Scripted if prefill else WithoutPrefill)(says)
        self.retries = retries
        self.rewriter = rewriter
        table = {query: Passage(what, what) if isinstance(what, str) else what for query, what in (found or {}).items()}
        self.retriever = TableRetriever(table)
        self.reader = reader or TableReader(read or {})

    async def ask(
        self, question: str | Question, method: str = "searchain", budget: Mapping[str, float] | None = None, **options: Any
    ) -> Record:
        """Answers one question with a method, and checks that the record can be read back."""
        settings = read_settings({"method": method, "methods": {method: options}, "budget": dict(budget or {})})
        parts = Components(
            self.llm,
            retriever=self.rewriter or self.retriever,
            engine=self.retriever,
            reader=self.reader,
            duplicate_detector=KeyWords(),
            retries=self.retries,
        )
        async with Weaver(settings, components=parts) as weaver:
            record = await weaver.answer(question)
        assert Record.from_json(record.to_json()) == record
        return record


def chain(*nodes: tuple[str, str | None], final: str = "") -> str:
    """A chain as models are asked to write it; a query without an answer is flagged as unsolved."""
    lines = []
    for number, (query, answer) in enumerate(nodes, start=1):
        lines += (
            [f"[Unsolved Query]: {query}"] if answer is None else [f"[Query {number}]: {query}", f"[Answer {number}]: {answer}"]
        )
    return "\n".join([*lines, *([f"[Final Content]: {final}"] if final else [])])


def calls(record: Record, purpose: str = "") -> list[list[Message]]:
    """The conversations that were sent, of one purpose or of all."""
    found = [step for step in record.steps if isinstance(step, ModelCall) and purpose in ("", step.purpose)]
    return [[record.messages[index] for index in step.messages] for step in found]


def purposes(record: Record) -> list[str]:
    """What the calls of the model were for, in the order in which they were made."""
    found = [step for step in record.steps if isinstance(step, ModelCall)]
    return [step.purpose for step in sorted(found, key=lambda step: step.timing.started_seconds)]


def queries(record: Record) -> list[str]:
    """All queries that were sent to the retriever."""
    return [query for step in record.steps if isinstance(step, Search) for query in step.queries]


def readings(record: Record) -> list[str]:
    """All queries that a passage was read for."""
    return [step.query for step in record.steps if isinstance(step, Read)]


def decisions(record: Record, *labels: str) -> list[Decision]:
    """The decisions with these labels, in order."""
    return [step for step in record.steps if isinstance(step, Decision) and step.label in labels]


def told(record: Record, *labels: str) -> list[str]:
    """The words of the decisions with these labels."""
    return [step.text for step in decisions(record, *labels)]


def unread(record: Record) -> list[str]:
    """The reasons of the parse failures."""
    return [step.reason for step in record.steps if isinstance(step, ParseFailure)]


def verdicts(record: Record) -> list[tuple[str, str, str]]:
    """Query, answer and support of each claim."""
    assert record.answer is not None, record.error
    return [(claim.query, claim.text, claim.support) for claim in record.answer.claims]


def origins(record: Record) -> list[tuple[str, str, str]]:
    """Query, answer and origin of each claim."""
    assert record.answer is not None, record.error
    return [(claim.query, claim.text, claim.origin) for claim in record.answer.claims]


LOOKS: Mapping[str, Callable[[Record], Any]] = {
    "short": lambda record: record.answer.short,
    "how": lambda record: record.answer.how,
    "answer": lambda record: (record.answer.short, record.answer.how),
    "text": lambda record: record.answer.text,
    "stopped": lambda record: record.answer.stopped_because,
    "error": lambda record: record.error,
    "rounds": lambda record: record.num_rounds(),
    "purposes": purposes,
    "first_purpose": lambda record: purposes(record)[0],
    "last_purpose": lambda record: purposes(record)[-1],
    "num_calls": lambda record: len(calls(record)),
    "queries": queries,
    "num_queries": lambda record: len(queries(record)),
    "readings": readings,
    "unread": unread,
    "num_unread": lambda record: len(unread(record)),
    "verdicts": verdicts,
    "first_verdict": lambda record: verdicts(record)[0],
    "second_verdict": lambda record: verdicts(record)[1],
    "last_verdict": lambda record: verdicts(record)[-1],
    "origins": origins,
    "num_claims": lambda record: len(record.answer.claims),
    "claimed": lambda record: [claim.query for claim in record.answer.claims],
    "supports": lambda record: [claim.support for claim in record.answer.claims],
    "last_support": lambda record: record.answer.claims[-1].support,
    "support": lambda record: record.answer.verdict.support,
    "citations": lambda record: record.answer.citations,
    "quotes": lambda record: [citation.quote for citation in record.answer.citations],
    "cited": lambda record: [citation.passage_id for citation in record.answer.citations],
    "passages": lambda record: record.answer.passage_ids,
    "marks_removed": lambda record: record.answer.num_marks_removed,
}
"""What can be looked at in a record, by name; any other name is that of a decision, of which the words are seen."""


def scene(name: str, ask: Callable[[], Awaitable[Record]], **seen: Any) -> Any:
    """A case of a test: a question that is asked, and what must be seen in its record, by the names of `LOOKS`."""
    return pytest.param(ask, seen, id=name)


def looks(record: Record, seen: Mapping[str, Any]) -> dict[str, Any]:
    """What is seen in a record under some names: those of `LOOKS`, or of prompts.

    `sent`, `unsent` and `ends` map calls, by their index or purpose (the first of it), to a text that must be in the last
    message, must not be in it, or ends it. Where that is not so, the whole message is seen instead.
    """
    return {
        name: _prompts(record, name, expected) if name in _HOLDS else _look(record, name) for name, expected in seen.items()
    }


_HOLDS: Mapping[str, Callable[[str, str], bool]] = {
    "sent": lambda prompt, text: text in prompt,
    "unsent": lambda prompt, text: text not in prompt,
    "ends": lambda prompt, text: prompt.endswith(text),
}


def _look(record: Record, name: str) -> Any:
    return LOOKS[name](record) if name in LOOKS else told(record, name)


def _prompts(record: Record, name: str, expected: Mapping[int | str, str]) -> dict[int | str, str]:
    found = {of: (calls(record)[of] if isinstance(of, int) else calls(record, of)[0])[-1].text for of in expected}
    return {of: text if _HOLDS[name](found[of], text) else found[of] for of, text in expected.items()}
