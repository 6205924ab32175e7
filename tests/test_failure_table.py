"""What holds when an endpoint or a model misbehaves: SearChain over real HTTP, one row for each misfortune."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from support.bench import Bench, chain, decisions, queries, told, unread
from support.scripted_server import Behaviour, Request, ScriptedServer

from hopweave.core.retries import Retries
from hopweave.core.types import Passage
from hopweave.models.llms.openai_compatible import OpenAICompatible
from hopweave.record import ModelCall, Record

QUESTION = "In which year did the founder of the Tin Theatre die?"
FOUNDER = "Who founded the Tin Theatre?"
DIED = "In which year did Paul [the Elder] Krahn die?"
FOUND = {
    FOUNDER: Passage("tin", "The Tin Theatre was founded by Paul Krahn."),
    DIED: Passage("krahn", "Paul Krahn, called the Elder, died in 1822."),
}
READ = {FOUNDER: ("Paul Krahn", 3.0), DIED: ("1822", 3.0)}
CHAIN = chain((FOUNDER, "Paul Krahn"), (DIED, "1822"))
FINAL = "Paul Krahn founded it [1]. He died in 1822 [2]. So the final answer is 1822."
GOOD = [Behaviour(CHAIN), Behaviour(f"[Final Content]: {FINAL}")]

Check = Callable[[Record], bool]


@dataclass(frozen=True)
class Row:
    """One misfortune and what must hold.

    Attributes:
        script: what the endpoint does, in turn.
        kind: class of the error that the record has; empty if it has an answer.
        retryable: of that error.
        says: words that the error holds.
        short: the answer.
        attempts: of the first call.
        num_requests: how often the endpoint was asked.
        problems: parse failures, in order.
        stream: whether replies are received piece by piece.
        timeout_seconds: of a call.
        max_wait_seconds: between two attempts.
        check: what else must hold.
    """

    script: Sequence[Behaviour]
    kind: str = ""
    retryable: bool = False
    says: str = ""
    short: str = "1822"
    attempts: int = 1
    num_requests: int = 2
    problems: Sequence[str] = ()
    stream: bool = False
    timeout_seconds: float = 10.0
    max_wait_seconds: float = 0.05
    check: Check = lambda record: True


def failed(*script: Behaviour, says: str, retryable: bool = False, num_requests: int = 1, **more: Any) -> Row:
    return Row(script, "ModelError", retryable, says, attempts=num_requests, num_requests=num_requests, **more)


def repaired(trouble: Behaviour, **more: Any) -> Row:
    """A transient trouble: the call is tried again, and nothing of the trouble is in the answer."""
    return Row([trouble, *GOOD], attempts=2, num_requests=3, **more)


def read_all_the_same(text: str, **more: Any) -> Row:
    """A chain in another layout: it is read as if it were in the form asked for."""
    return Row([Behaviour(text), GOOD[1]], check=lambda record: queries(record) == [FOUNDER, DIED], **more)


def waited(seconds: float) -> Check:
    return lambda record: record.seconds >= seconds


NO_MARKER = "no marker such as [Query 1]: was found"
UNSOLVED = Behaviour(chain((DIED, None)))
TABLE: dict[str, Row] = {
    # -- the endpoint refuses for good: a failed question is a record with an error, and is not tried again
    "401": failed(Behaviour("no such key", status=401), says="refuses the key"),
    "context too long": failed(
        Behaviour("This model's maximum context length is 4096 tokens.", status=400), says="the prompt is too long"
    ),
    "400 for another reason": failed(Behaviour("bad field", status=400), says="bad field"),
    # -- transient: tried again, and answered
    "429 with Retry-After": repaired(
        Behaviour("slow down", status=429, headers={"Retry-After": "0.4"}), max_wait_seconds=2.0, check=waited(0.4)
    ),
    "500 then success": repaired(Behaviour("oops", status=500)),
    "a stalled stream": repaired(Behaviour(CHAIN, stall_after=3), stream=True, timeout_seconds=0.4),
    "a stream that breaks off": repaired(Behaviour(CHAIN, close_after=3), stream=True),
    "a silent endpoint": repaired(Behaviour(CHAIN, delay=5.0), timeout_seconds=0.4),
    "truncated JSON": repaired(Behaviour(CHAIN, truncate=True)),
    "invalid JSON": repaired(Behaviour(raw='{"choices": [{"message"')),
    "JSON that is no completion": repaired(Behaviour(raw='{"hello": "world"}')),
    "an error in a successful response": repaired(Behaviour(raw='{"error": {"message": "overloaded", "code": 503}}')),
    "connection closed": repaired(Behaviour(close=True)),
    # -- transient, but it does not pass: the error says that a retry may help
    "500 for ever": failed(*[Behaviour("oops", status=500)] * 3, says="oops", retryable=True, num_requests=3),
    "429 for ever": failed(*[Behaviour("slow down", status=429)] * 3, says="slow down", retryable=True, num_requests=3),
    "connection closed for ever": failed(*[Behaviour(close=True)] * 3, says="cannot reach", retryable=True, num_requests=3),
    # -- the model's words are not in the form asked for
    "an empty reply": Row([Behaviour(""), *GOOD], num_requests=3, problems=["the reply is empty"]),
    "a null reply": Row([Behaviour(None), *GOOD], num_requests=3, problems=["the reply is empty"]),
    "nothing but empty replies": Row([Behaviour(""), Behaviour("  ")], short="", problems=["the reply is empty"] * 2),
    "no chain": Row([Behaviour("I would have to look that up."), *GOOD], num_requests=3, problems=[NO_MARKER]),
    "no chain twice": Row(
        [Behaviour("Hm."), Behaviour("The answer is 1822.")],
        problems=[NO_MARKER] * 2,
        check=lambda record: record.answer.claims == () and record.answer.how == "alt-marker",
    ),
    "a reply in Markdown": read_all_the_same(
        f"Sure!\n\n1. **[Query 1]:** {FOUNDER}\n   **[Answer 1]:** Paul Krahn\n\n"
        f"2. **[Query 2]:** {DIED}\n   **[Answer 2]:** 1822\n"
    ),
    "a space before the colon": read_all_the_same(
        f"[Query 1] : {FOUNDER}\n[Answer 1] : Paul Krahn\n[Query 2] : {DIED}\n[Answer 2] : 1822"
    ),
    "answers on the lines of their queries": read_all_the_same(
        f"[Query 1]: {FOUNDER} [Answer 1]: Paul Krahn\n[Query 2]: {DIED} [Answer 2]: 1822"
    ),
    "brackets in a query": read_all_the_same(CHAIN),
    "unsolved for ever": Row(
        [UNSOLVED, UNSOLVED, Behaviour("[Final Content]: So the final answer is 1822.")],
        num_requests=3,
        check=lambda record: record.answer.stopped_because == "finished" and len(decisions(record, "node")) == 1,
    ),
    "no Final Content": Row(
        [GOOD[0], Behaviour("")],
        problems=["there is no final content"],
        check=lambda record: record.answer.how == "last-claim" and record.answer.text.endswith("die? 1822 [2]."),
    ),
    "final content without an answer": Row(
        [GOOD[0], Behaviour("[Final Content]: He died [2]."), Behaviour("")],
        num_requests=3,
        problems=["no sentence says what the final answer is"],
        check=lambda record: record.answer.how == "last-claim",
    ),
    "100 nodes": Row(
        [Behaviour(chain(*[(f"What is number {n}?", "something") for n in range(100)])), GOOD[1]],
        check=lambda record: (
            len(decisions(record, "node")) == 16 and told(record, "cut") == ["84 queries beyond max_nodes are not walked"]
        ),
    ),
}


@pytest.mark.parametrize("name", TABLE)
async def test_a_misfortune_ends_as_the_table_says(name):
    row = TABLE[name]
    script = list(row.script)

    def next_behaviour(request: Request) -> Behaviour:
        return script[request.number]  # a request beyond the script breaks the server, and with it the test

    async with ScriptedServer(next_behaviour) as server:
        llm = OpenAICompatible(
            model="m", base_url=server.base_url, server="other", stream=row.stream, timeout_seconds=row.timeout_seconds
        )
        retries = Retries(max_attempts=3, max_wait_seconds=row.max_wait_seconds)
        record = await Bench(found=FOUND, read=READ, llm=llm, retries=retries).ask(QUESTION)
        assert len(server.requests) == row.num_requests

    if row.kind:
        assert record.answer is None
        assert (record.error.kind, record.error.retryable) == (row.kind, row.retryable)
        assert row.says in record.error.message
    else:
        assert record.error is None
        assert record.answer.short == row.short
    first = next(step for step in record.steps if isinstance(step, ModelCall))
    assert first.timing.attempts == row.attempts
    assert unread(record) == list(row.problems)
    assert record.totals().parse_failures == len(row.problems)
    assert row.check(record)
