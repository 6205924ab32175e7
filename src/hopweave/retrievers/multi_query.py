"""MultiQuery: the model writes more queries beside the original one, and what they all find is fused.

The query-fusion retriever of LlamaIndex, which ToQD's released code compares with (its paper describes `multi_step` instead).

The query and `num_queries` - 1 others that the model writes for it, one on a line, are searched for in one batch. A query that
repeats another is left out; where none can be read, the original one is searched for alone. Passages are the same by id.

ToQD's code leaves the retriever within at its default of 2 hits, so that no more than 8 passages come back: `inner_k = 2`.

Calls: 1. Rounds: 1, of `num_queries` queries.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.parse.queries import each_once, parse_queries
from hopweave.prompting.prompt import escape, prompts_beside, unescape
from hopweave.protocols import MethodContext
from hopweave.retrievers._ranking import Fusion, fused, identity_of
from hopweave.toolkit.options import AtLeast, Bounded, Count
from hopweave.types import Hit, Message

_PROMPTS = prompts_beside(__file__)
_LEAST_DEPTH = 10


@dataclass(frozen=True, slots=True)
class MultiQuery(Bounded):
    """Searches for several queries and fuses what they find."""

    engine: Annotated[str, "the retriever underneath"] = "bm25"
    num_queries: Annotated[int, AtLeast(2), "queries searched for, the original one included"] = 4
    fusion: Annotated[
        Fusion,
        "simple: a passage's best score; reciprocal_rank: sum of 1 / (60 + rank); relative_score and distance_based: sum of "
        "scores scaled by the range, or by mean and deviation, of those of their query",
    ] = "simple"
    inner_k: Annotated[Count | None, "hits of each query; none: as many as are asked for, and 10 at least; ToQD's code: 2"] = (
        None
    )
    max_tokens: Annotated[Count, "longest reply, in tokens"] = 256

    @property
    def identity(self) -> str:
        """Name, options and wording."""
        return identity_of(self, "multi_query", _PROMPTS)

    async def search_with(self, workbench: MethodContext, query: str, max_hits: int) -> list[Hit]:
        queries = [query, *await self._others(workbench, query)]
        found = await workbench.search(queries, self.inner_k or max(max_hits, _LEAST_DEPTH))
        return fused(found, max_hits, self.fusion)

    async def _others(self, workbench: MethodContext, query: str) -> list[str]:
        num = self.num_queries - 1
        prompt = workbench.fill(_PROMPTS["queries"], num=str(num), query=escape(" ".join(query.split())))
        sampling = replace(workbench.sampling, max_tokens=self.max_tokens)
        reply = await workbench.reply([Message("user", prompt)], purpose="queries", sampling=sampling)
        read = parse_queries(reply.text)
        workbench.parse_failed("queries", read.problems, reply.text)
        return each_once(map(unescape, read.items), asked=(query,))[:num]
