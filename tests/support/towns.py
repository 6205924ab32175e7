"""A corpus of towns that differ a little, and what is asked of the hits of a search."""

from __future__ import annotations

from collections.abc import Iterable

from hopweave.core.types import Hit, Passage

PLACES = ("a harbour", "a mill", "two churches", "an observatory", "no railway", "a market of sheep", "a lighthouse")


def towns(num: int) -> list[Passage]:
    """Passages `p0`, `p1` and so on, each with a title."""
    return [
        Passage(f"p{n}", f"Number {n} of {n * 7919 % 1000} towns has {PLACES[n % 7]} and {PLACES[n * 3 % 5]}.", f"Town {n}")
        for n in range(num)
    ]


def ids(hits: Iterable[Hit]) -> list[str]:
    """The ids of the passages of hits, in order."""
    return [hit.passage.id for hit in hits]
