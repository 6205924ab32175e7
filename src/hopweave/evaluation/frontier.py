"""Quality against cost: which methods no other beats in both, as far as the questions can tell.

Membership is not read off the means alone, which a few questions may turn. The questions are drawn again and again, the same
for every method, and a method is on the frontier if it was in at least 95 of 100 draws: no other was at least as good for at
most the cost, and better in one of the two. A method that gets nothing right is on none: saying nothing costs nothing.

A failed question is wrong, and cost only what was spent until it failed, which may be nothing. So of a method that fails often
the cost is not known, and a cheap look is all that its failures buy: beyond `MAX_FAILED_SHARE` of them it is on no frontier,
and pushes no other off it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hopweave.evaluation.counted import Counted
from hopweave.evaluation.statistics import bootstrap_means, mean_interval, resampled_means
from hopweave.evaluation.tables import Frontier, Interval, Point

MAX_FAILED_SHARE = 0.05
MIN_SUPPORT = 0.95
"""Share of the draws in which a method must be on the frontier."""


@dataclass(frozen=True, slots=True)
class Plane:
    """A quality and a cost of the methods of a dataset.

    Attributes:
        dataset: its label.
        quality: the column; `cost` likewise, of which less is better.
        order: the ids of the questions.
        qualities: by method; `costs` likewise.
    """

    dataset: str
    quality: str
    cost: str
    order: Sequence[str]
    qualities: Mapping[str, Counted]
    costs: Mapping[str, Counted]

    def samples(self, method: str) -> tuple[list[float | None], list[float | None]]:
        """Quality and cost of a method, question by question."""
        quality, cost = (column[method].values for column in (self.qualities, self.costs))
        return [quality.get(asked) for asked in self.order], [cost.get(asked) for asked in self.order]


def frontier_of(plane: Plane, methods: Sequence[str], seed: int = 0) -> Frontier:
    """The methods in a plane, and which of them are on its frontier.

    Args:
        plane: of a quality and a cost.
        methods: in the order of the plan; those without data for one of the two are absent.
        seed: of the draws.
    """
    nothing = Counted()
    there = [one for one in methods if plane.qualities.get(one, nothing).values and plane.costs.get(one, nothing).values]
    points = {one: _point(one, plane.qualities[one], plane.costs[one]) for one in there}
    support = _support(plane, [one for one in there if not points[one].why_off], seed)
    intervals = _intervals(plane, there, seed)
    drawn = [
        replace(point, interval=intervals[method], support=support.get(method), is_best=support.get(method, 0) >= MIN_SUPPORT)
        for method, point in points.items()
    ]
    absent = tuple(one for one in methods if one not in there)
    return Frontier(plane.dataset, plane.quality, plane.cost, tuple(drawn), absent)


def _point(method: str, quality: Counted, cost: Counted) -> Point:
    num, num_failed = len(quality.values), len(quality.failed)
    why_off = f"{num_failed:,} of {num:,} failed" if num_failed > MAX_FAILED_SHARE * num else ""
    return Point(method, cost.mean or 0.0, quality.mean or 0.0, why_off=why_off)


def _intervals(plane: Plane, methods: Sequence[str], seed: int) -> dict[str, Interval | None]:
    samples = [plane.samples(method)[0] for method in methods]
    found: dict[str, Interval | None] = {}
    for method, sample, means in zip(methods, samples, bootstrap_means(samples, seed=seed), strict=True):
        column = plane.qualities[method].column
        bounds = mean_interval(sample, means, low=column.low, high=column.high)
        found[method] = Interval(bounds.low, bounds.high) if bounds is not None else None
    return found


def _support(plane: Plane, rivals: Sequence[str], seed: int) -> dict[str, float]:
    """The share of the draws in which each is on the frontier."""
    if not rivals:
        return {}
    column = plane.qualities[rivals[0]].column
    sign = -1.0 if column.better == "lower" else 1.0
    nothing = sign * column.worst if column.worst is not None else None
    counts, num = [0] * len(rivals), 0
    for means in resampled_means([sample for one in rivals for sample in plane.samples(one)], seed=seed):
        places = [
            (cost, sign * quality, place)
            for place, (quality, cost) in enumerate(zip(means[::2], means[1::2], strict=True))
            if quality is not None and cost is not None
        ]
        num += 1
        for place in _on_frontier(places, nothing):
            counts[place] += 1
    return {name: count / num for name, count in zip(rivals, counts, strict=True)}


def _on_frontier(places: Sequence[tuple[float, float, int]], nothing: float | None) -> list[int]:
    """Of (cost, quality, place): the places that none beats in both, and that are better than nothing."""
    found: list[int] = []
    best_cost, best_quality = 0.0, nothing
    for cost, quality, place in sorted(places, key=lambda one: (one[0], -one[1])):
        if best_quality is None or quality > best_quality:
            best_cost, best_quality = cost, quality
            found.append(place)
        elif quality == best_quality and cost == best_cost and found:
            found.append(place)
    return found
