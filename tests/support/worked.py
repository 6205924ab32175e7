"""Small records for the worked examples in the docstrings of metrics, and for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hopweave.citations.marking import verdict_of
from hopweave.core.types import (
    Answer,
    AnswerForm,
    Citation,
    Claim,
    Example,
    Gold,
    Message,
    Origin,
    Passage,
    Question,
    Reading,
    Sampling,
    Span,
    Usage,
)
from hopweave.record import SCHEMA, AnyStep, Decision, Failure, Found, ModelCall, Read, Record, Search, Setup, Timing


def worked(
    short: str = "",
    golds: Sequence[str] = (),
    *,
    question: str = "Which town?",
    form: AnswerForm = "short",
    labels: Sequence[str] = (),
    text: str | None = None,
    claims: Sequence[Claim] = (),
    passages: Sequence[Passage] = (),
    searches: Sequence[Sequence[str]] = (),
    calls: Sequence[tuple[str, str]] = (),
    reads: Sequence[tuple[str, str, float]] = (),
    decisions: Sequence[tuple[str, Mapping[str, Any]]] = (),
    gold_ids: Sequence[str] = (),
    facts: Sequence[str] = (),
    error: str = "",
    llm: str = "openai:https://models.example/v1:small",
    seconds: float = 1.0,
) -> tuple[Record, Example]:
    """A record with its example.

    Args:
        short: the bare answer.
        golds: the right answers.
        question: its words.
        form: as in `Question`.
        labels: as in `Question`.
        text: the whole answer; the bare one if absent.
        claims: of the answer.
        passages: found, best first. Without `searches` one search found them all.
        searches: the queries of each search.
        calls: the prompt and the reply of each call of the model, which cost a token a word and half a second.
        reads: query, id of the passage, and confidence of each reading.
        decisions: label and data of each.
        gold_ids: `Gold.passage_ids`.
        facts: `Gold.facts`.
        error: if given, the question failed with these words.
        llm: identity of the model.
        seconds: that the question took.
    """
    asked = Question("q", question, form, tuple(labels))
    messages = tuple(dict.fromkeys(Message("user", prompt) for prompt, _ in calls))
    searched = searches or ([[question]] if passages else [])
    answer = Answer(short if text is None else text, short, tuple(claims), passage_ids=tuple(one.id for one in passages))
    record = Record(
        schema=SCHEMA,
        question=asked,
        answer=None if error else replace(answer, verdict=verdict_of(answer)),
        error=Failure("ModelError", error) if error else None,
        setup=Setup("0", "worked", {}, llm),
        messages=messages,
        passages=tuple(passages),
        steps=_steps(messages, calls, searched, passages, reads, decisions),
        started_at="2026-01-01T00:00:00.000+00:00",
        seconds=seconds,
    )
    return record, Example(asked, Gold(tuple(golds), tuple(gold_ids), tuple(facts)))


def rated(confidence: float, made: tuple[Record, Example], *, threshold: float = 0.5) -> tuple[Record, Example]:
    """The same with the answer supported by a page that states it, and with that confidence."""
    record, example = made
    assert record.answer is not None
    page = Passage("page", record.answer.short)
    answer = replace(record.answer, claims=(claimed(record.question.text, page.text, quoted(1, page)),))
    answer = replace(answer, verdict=replace(verdict_of(answer), confidence=confidence, threshold=threshold))
    return replace(record, answer=answer, passages=(*record.passages, page)), example


def _steps(
    messages: Sequence[Message],
    calls: Sequence[tuple[str, str]],
    searches: Sequence[Sequence[str]],
    passages: Sequence[Passage],
    reads: Sequence[tuple[str, str, float]],
    decisions: Sequence[tuple[str, Mapping[str, Any]]],
) -> tuple[AnyStep, ...]:
    steps: list[AnyStep] = [_call(number, messages, *call) for number, call in enumerate(calls)]
    for queries in searches:
        steps.append(_search(len(steps), queries, passages))
    for read in reads:
        steps.append(_read(len(steps), *read))
    steps += [Decision(len(steps) + place, None, label, label, data) for place, (label, data) in enumerate(decisions)]
    return tuple(steps)


def _call(number: int, messages: Sequence[Message], prompt: str, reply: str) -> ModelCall:
    usage = Usage(len(prompt.split()), len(reply.split()))
    place = messages.index(Message("user", prompt))
    return ModelCall(number, None, "answer", (place,), Sampling(), 0, reply, "stop", usage, None, Timing(float(number), 0.5))


def quoted(mark: int, passage: Passage, words: str = "") -> Citation:
    """A citation of words of a passage, by default of all."""
    quote = words or passage.text
    start = passage.text.index(quote)
    return Citation(mark, passage.id, start, start + len(quote), quote)


def claimed(query: str, text: str, *citations: Citation, origin: Origin = "model") -> Claim:
    """A claim with its citations."""
    return Claim(query, text, origin, "supported" if citations else "unsupported", citations)


def _search(number: int, queries: Sequence[str], passages: Sequence[Passage]) -> Search:
    found = tuple(Found(passage.id, 1 / rank) for rank, passage in enumerate(passages, start=1))
    return Search(number, None, tuple(queries), 5, tuple(found for _ in queries), None, Timing(float(number), 0.25))


def _read(number: int, query: str, passage_id: str, confidence: float) -> Read:
    return Read(number, None, query, passage_id, Reading("x", Span(0, 1), confidence), None, Timing(float(number), 0.25))
