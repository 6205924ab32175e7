"""Rankings of retrievers that ask the model, measured as any user would: from the record of a method that only retrieves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from support.bench import Bench, WithoutPrefill

from hopweave.core.types import Abilities, Message, Reply, Sampling
from hopweave.record import Record, Search


class Drawing(WithoutPrefill):
    """A model whose endpoint draws several replies in one request."""

    @property
    def abilities(self) -> Abilities:
        return Abilities(logprobs=True, json_schema=True, samples=True)

    async def replies(self, messages: Sequence[Message], sampling: Sampling, num: int) -> list[Reply]:
        return [await self.reply(messages, sampling) for _ in range(num)]


async def ranking(
    rewriter: Any,
    query: str,
    says: Any,
    found: Mapping[str, Any],
    *,
    num_hits: int = 10,
    budget: Mapping[str, float] | None = None,
    llm: Any = None,
) -> Record:
    """The record of a ranking: OneR without a reader retrieves once and answers nothing."""
    bench = Bench(found=found, llm=llm or Drawing(says), rewriter=rewriter)
    options = {"reader": "none", "num_hits": num_hits, "remove_wh_words": False}
    return await bench.ask(query, "oner", budget, **options)


def outer(record: Record) -> Search:
    """The search that the method made."""
    [search] = [step for step in record.steps if isinstance(step, Search) and step.is_rewritten]
    return search


def sent(record: Record) -> list[list[str]]:
    """The queries that were sent to the engine, batch by batch."""
    return [list(step.queries) for step in record.steps if isinstance(step, Search) and not step.is_rewritten]
