"""MultiQuery: the model writes additional queries, and the results of all of them are fused.

The query-fusion retriever of LlamaIndex, which ToQD's released code compares with (its paper describes `multi_step` instead).

The query and `num_queries` - 1 others that the model writes, one per line, are searched for in one batch. A duplicate query is
dropped; if none can be parsed, only the original one is searched for. Passages are identified by id.

ToQD's code leaves the inner retriever at its default of 2 hits, so that at most 8 passages are returned: `inner_k = 2`.

Calls: 1. Rounds: 1, of `num_queries` queries.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.answering.parsing.queries import each_once, parse_queries
from hopweave.answering.toolkit.inline import inline
from hopweave.core.options import AtLeast, Bounded, Count
from hopweave.core.prompt import prompts_beside, unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.ranking import Fusion, fused, identity_of
from hopweave.core.types import Hit, Message

_PROMPTS = prompts_beside(__file__)
_LEAST_DEPTH = 10


@dataclass(frozen=True, slots=True)
class MultiQuery(Bounded):
    """Searches for several queries and fuses the results."""

    engine: Annotated[str, "the underlying retriever"] = "bm25"
    num_queries: Annotated[int, AtLeast(2), "number of queries, including the original one"] = 4
    fusion: Annotated[
        Fusion,
        "simple: a passage's best score; reciprocal_rank: sum of 1 / (60 + rank); relative_score and distance_based: sum of "
        "scores scaled by the range, or by mean and deviation, of those of their query",
    ] = "simple"
    inner_k: Annotated[Count | None, "hits per query; none: as many as requested, and at least 10; ToQD's code: 2"] = None
    max_tokens: Annotated[Count, "maximum reply length, in tokens"] = 256

    @property
    def identity(self) -> str:
        """Name, options and prompts."""
        return identity_of(self, "multi_query", _PROMPTS)

    async def search_with(self, workbench: MethodContext, query: str, max_hits: int) -> list[Hit]:
        queries = [query, *await self._others(workbench, query)]
        found = await workbench.search(queries, self.inner_k or max(max_hits, _LEAST_DEPTH))
        return fused(found, max_hits, self.fusion)

    async def _others(self, workbench: MethodContext, query: str) -> list[str]:
        num = self.num_queries - 1
        prompt = workbench.fill(_PROMPTS["queries"], num=str(num), query=inline(query))
        sampling = replace(workbench.sampling, max_tokens=self.max_tokens)
        reply = await workbench.reply([Message("user", prompt)], purpose="queries", sampling=sampling)
        read = parse_queries(reply.text)
        workbench.parse_failed("queries", read.problems, reply.text)
        return each_once(map(unescape, read.items), asked=(query,))[:num]
