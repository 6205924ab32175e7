"""Fused retrieval of DSP: one ranking for many queries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hopweave.core.errors import BudgetReached
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Hit, Passage

Fusion = Literal["probability", "score"]

_DEPTH = 3
"""The ratio of passages fetched for each query to passages kept (CombSUM over the top 3k)."""


@dataclass(frozen=True, slots=True)
class Fused:
    """The best passages for all queries combined, and the limit, if any, because of which only some queries were sent."""

    hits: tuple[Hit, ...]
    reached: BudgetReached | None = None


async def fused_search(
    workbench: MethodContext, queries: Sequence[str], num_passages: int, fusion: Fusion, *, num_hops_left: int = 1
) -> Fused:
    """Searches for all queries at once and keeps the passages with the highest sums.

    A query that was written several times is sent once and weighted by its count. If searches are limited, each remaining
    hop gets its share of them, and the queries written most often are sent.

    Args:
        workbench: the question's workbench.
        queries: the queries, in order.
        num_passages: how many passages to keep.
        fusion: see `fuse`.
        num_hops_left: the number of remaining hops, including this one.

    Raises:
        SearchError, BudgetReached: as in `MethodContext.search`, the latter if not a single query may be sent.
    """
    weights, left, reached = Counter(queries), workbench.num_searches_left, None
    allowed = None if left is None else max(1, left // num_hops_left)
    if allowed is not None and allowed < len(weights):
        workbench.decide("cut", f"{allowed} of {len(weights)} queries are sent")
        reached = BudgetReached("max_searches", workbench.limits.get("max_searches", 0))
        weights = Counter(dict(weights.most_common(allowed)))
    found = await workbench.search(list(weights), num_passages * _DEPTH)
    return Fused(tuple(fuse(list(zip(found, weights.values(), strict=True)), num_passages, fusion)), reached)


def fuse(found: Sequence[tuple[Sequence[Hit], int]], num_passages: int, fusion: Fusion) -> list[Hit]:
    """One ranking from several: a passage's scores are summed over the queries; among equal sums, the first found is first.

    Args:
        found: the hits of each query, and the weight of the query.
        num_passages: how many passages to keep.
        fusion: what is summed: `probability` is the softmax of a query's scores, which gives all queries the same weight;
            `score` is the retriever's own score.
    """
    sums: dict[str, float] = {}
    passages: dict[str, Passage] = {}
    for hits, weight in found:
        scores = [hit.score for hit in hits]
        for hit, value in zip(hits, softmax(scores) if fusion == "probability" else scores, strict=True):
            passages.setdefault(hit.passage.id, hit.passage)
            sums[hit.passage.id] = sums.get(hit.passage.id, 0.0) + weight * value
    best = sorted(sums, key=lambda key: -sums[key])[:num_passages]
    return [Hit(passages[key], sums[key], rank) for rank, key in enumerate(best, start=1)]


def softmax(scores: Sequence[float]) -> list[float]:
    """Scores as shares of 1: exp(s) over the sum of all exp(s).

    >>> softmax([0.0, 0.0])
    [0.5, 0.5]
    """
    highest = max(scores, default=0.0)
    powers = [math.exp(score - highest) for score in scores]
    return [power / sum(powers) for power in powers]
