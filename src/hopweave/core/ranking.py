"""Combines several lists of hits into one ranking: interleaved, or fused by score or by rank."""

from __future__ import annotations

import dataclasses
import hashlib
import statistics
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any, Literal

from hopweave.core.prompt import Prompts
from hopweave.core.types import Hit, Passage

Fusion = Literal["simple", "reciprocal_rank", "relative_score", "distance_based"]

RRF_K = 60
APART = "\x1e"
"""Separates the texts of one query, such as hypothetical documents, whose vectors an engine averages: see `IndexTraits`."""

_WIDE = 3  # standard deviations


def identity_of(retriever: Any, name: str, *prompts: Prompts) -> str:
    """Name, options and prompts of a retriever that asks the model."""
    options = ", ".join(f"{one.name}={getattr(retriever, one.name)!r}" for one in dataclasses.fields(retriever))
    wording = "".join(prompt.fingerprint for of_file in prompts for prompt in of_file.values())
    return f"{name}({options}, prompts={hashlib.sha256(wording.encode()).hexdigest()[:16]})"


def ranked(passages: Iterable[Passage], max_hits: int) -> list[Hit]:
    """Hits in a given order; the scores, 1 / rank, carry no other information."""
    return [Hit(passage, 1.0 / rank, rank) for rank, passage in enumerate([*passages][:max_hits], start=1)]


def in_turns(lists: Iterable[Sequence[Hit]]) -> list[Passage]:
    """The passages of all lists, interleaved: the first of each, the second of each, and so on; each passage once."""
    rows = zip_longest(*lists)
    return list({hit.passage.id: hit.passage for row in rows for hit in row if hit is not None}.values())


def fused(lists: Sequence[Sequence[Hit]], max_hits: int, fusion: Fusion = "simple") -> list[Hit]:
    """One ranking from the lists of several queries; among equal scores, the first seen comes first.

    Args:
        lists: the hits of each query, best first.
        max_hits: how many to keep.
        fusion: `simple` keeps a passage's best score. The others sum over the lists: `reciprocal_rank` 1 / (60 + rank), with
            ranks from 0; `relative_score` the score scaled from its list's minimum (0) to its maximum (1); `distance_based`
            likewise from the mean minus 3 standard deviations to the mean plus 3.
    """
    passages: dict[str, Passage] = {}
    scores: dict[str, list[float]] = {}
    for hits in lists:
        scale = _scale(fusion, [hit.score for hit in hits])
        for rank, hit in enumerate(hits):
            passages.setdefault(hit.passage.id, hit.passage)
            scores.setdefault(hit.passage.id, []).append(
                1 / (RRF_K + rank) if fusion == "reciprocal_rank" else scale(hit.score)
            )
    join: Callable[[list[float]], float] = max if fusion == "simple" else sum
    best = sorted(((join(found), key) for key, found in scores.items()), key=lambda pair: -pair[0])
    return [Hit(passages[key], score, rank) for rank, (score, key) in enumerate(best[:max_hits], start=1)]


def _scale(fusion: Fusion, scores: Sequence[float]) -> Callable[[float], float]:
    """Maps a score of one list to the fusion's scale."""
    if not scores or fusion in ("simple", "reciprocal_rank"):
        return lambda score: score
    low, high = min(scores), max(scores)
    if fusion == "distance_based":
        mean, spread = statistics.fmean(scores), statistics.pstdev(scores)
        low, high = mean - _WIDE * spread, mean + _WIDE * spread
    if high <= low:
        return lambda _: float(high > 0)
    return lambda score: (score - low) / (high - low)


def fused_by_rank(lists: Sequence[Sequence[Hit]], weights: Sequence[float], k: float, max_hits: int) -> list[Hit]:
    """One ranking from those of several engines by reciprocal rank: the sum of weight / (k + rank). Ties are broken by id.

    Args:
        lists: the hits of each engine, best first.
        weights: the weight of each engine.
        k: the higher, the less the first ranks stand out.
        max_hits: how many to keep.
    """
    passages: dict[str, Passage] = {}
    scores: dict[str, float] = {}
    for hits, weight in zip(lists, weights, strict=True):
        for rank, hit in enumerate(hits, start=1):
            passages.setdefault(hit.passage.id, hit.passage)
            scores[hit.passage.id] = scores.get(hit.passage.id, 0.0) + weight / (k + rank)
    best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:max_hits]
    return [Hit(passages[key], score, rank) for rank, (key, score) in enumerate(best, start=1)]
