"""Quality against cost: which methods no other beats in both, as far as the questions can tell.

Membership is not read off the means alone, which a few questions may turn. The questions are drawn again and again, the same
for every method, and a method is on the frontier if it was in at least 95 of 100 draws: no other was at least as good for at
most the cost, and better in one of the two. A method that gets nothing right is on none: saying nothing costs nothing.

A failed question is wrong, and cost only what was spent until it failed, which may be nothing. So of a method that fails often
the cost is not known, and a cheap look is all that its failures buy: beyond `MAX_FAILED_SHARE` of them it is on no frontier,
and pushes no other off it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from hopweave.evaluation.counted import Counted
from hopweave.evaluation.statistics import Values, mean_interval, bootstrap_means, resampled_means
from hopweave.evaluation.tables import Frontier, Interval, Point

MAX_FAILED_SHARE = 0.05
MIN_SUPPORT = 0.95
"""Share of the draws in which a method must be on the frontier."""


def frontier_of(
    dataset: str,
    names: tuple[str, str],
    order: Sequence[str],
    qualities: Mapping[str, Counted],
    costs: Mapping[str, Counted],
    methods: Sequence[str],
    seed: int = 0,
) -> Frontier:
    """The plane of a quality and a cost.

    Args:
        dataset: its label.
        names: of the columns of quality and of cost; of a cost, less is better.
        order: the ids of the questions.
        qualities: by method.
        costs: by method.
        methods: in the order of the plan; those without data for one of the two are absent.
        seed: of the draws.
    """
    there = [one for one in methods if qualities.get(one, Counted()).values and costs.get(one, Counted()).values]
    points = {one: _point(one, qualities[one], costs[one]) for one in there}
    rivals = [one for one in there if not points[one].why_off]
    for method, share in _support(order, [(qualities[one], costs[one]) for one in rivals], rivals, seed).items():
        points[method] = dataclasses.replace(points[method], support=share, is_best=share >= MIN_SUPPORT)
    intervals = _intervals(order, [qualities[one] for one in there], seed)
    drawn = tuple(
        dataclasses.replace(points[method], interval=interval) for method, interval in zip(there, intervals, strict=True)
    )
    return Frontier(dataset, *names, drawn, tuple(one for one in methods if one not in there))


def _point(method: str, quality: Counted, cost: Counted) -> Point:
    num, num_failed = len(quality.values), len(quality.failed)
    why_off = f"{num_failed:,} of {num:,} failed" if num_failed > MAX_FAILED_SHARE * num else ""
    return Point(method, cost.mean or 0.0, quality.mean or 0.0, why_off=why_off)


def _sample(order: Sequence[str], column: Counted) -> list[float | None]:
    return [column.values.get(asked) for asked in order]


def _intervals(order: Sequence[str], qualities: Sequence[Counted], seed: int) -> list[Interval | None]:
    samples: list[Values] = [_sample(order, one) for one in qualities]
    found = []
    for one, sample, means in zip(qualities, samples, bootstrap_means(samples, seed=seed), strict=True):
        bounds = mean_interval(sample, means, low=one.column.low, high=one.column.high)
        found.append(Interval(bounds.low, bounds.high) if bounds is not None else None)
    return found


def _support(
    order: Sequence[str], rivals: Sequence[tuple[Counted, Counted]], names: Sequence[str], seed: int
) -> dict[str, float]:
    """The share of the draws in which each is on the frontier."""
    if not rivals:
        return {}
    column = rivals[0][0].column
    sign = -1.0 if column.better == "lower" else 1.0
    nothing = sign * column.worst if column.worst is not None else None
    samples = [_sample(order, one) for rival in rivals for one in rival]
    counts, num = [0] * len(rivals), 0
    for means in resampled_means(samples, seed=seed):
        places = [
            (cost, sign * quality, place)
            for place, (quality, cost) in enumerate(zip(means[::2], means[1::2], strict=True))
            if quality is not None and cost is not None
        ]
        num += 1
        for place in _on_frontier(places, nothing):
            counts[place] += 1
    return {name: count / num for name, count in zip(names, counts, strict=True)}


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
