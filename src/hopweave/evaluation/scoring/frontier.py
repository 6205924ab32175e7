"""Quality against cost: which methods are beaten in both by no other, as far as the questions can show.

The means alone do not decide membership, since a few questions may flip it. The questions are resampled many times, the same
for every method, and a method is on the frontier if it is in at least 95 of 100 draws: no other is at least as good for at
most the cost, and better in one of the two. A method that gets nothing right is on no frontier, however little it costs.

A failed question is wrong and costs only what was spent until it failed, possibly nothing. So the cost of a method that often
fails is unknown, and its failures make it look cheap: with more than one failed question, and more than `MAX_FAILED_SHARE`
of them, it is on no frontier and displaces no other method.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.results import Frontier, Interval, Point
from hopweave.evaluation.scoring.statistics import Values, mean_interval, resampled_means

MAX_FAILED_SHARE = 0.05
MIN_SUPPORT = 0.95
"""Share of the draws in which a method must be on the frontier."""

ByMethod = Mapping[str, Counted]


@dataclass(frozen=True, slots=True)
class Planes:
    """A quality of the methods of a dataset, and the costs that it is drawn against.

    Attributes:
        dataset: its label.
        order: the ids of the questions.
        methods: in the order of the plan.
        name: of the column of quality.
        quality: by method.
        costs: by name of the column, where less is better, and method.
    """

    dataset: str
    order: Sequence[str]
    methods: Sequence[str]
    name: str
    quality: ByMethod
    costs: Mapping[str, ByMethod]

    def sample(self, column: ByMethod, method: str) -> Values:
        """A column of a method, question by question."""
        values = column.get(method, Counted()).values
        return [values.get(asked) for asked in self.order]


def frontiers_of(planes: Planes, seed: int = 0) -> list[Frontier]:
    """The methods in each plane, and which of them are on its frontier; a cost without data has none.

    Args:
        planes: of a quality and its costs.
        seed: of the draws.

    Raises:
        DataError: if there are 2^18 questions or more.
    """
    costs = {name: column for name, column in planes.costs.items() if any(one.values for one in column.values())}
    columns = [planes.quality, *costs.values()]
    samples = [planes.sample(column, method) for column in columns for method in planes.methods]
    drawn = list(resampled_means(samples, seed=seed)) if costs else []
    width = len(planes.methods)
    intervals = {
        method: _interval(planes, method, [means[place] for means in drawn]) for place, method in enumerate(planes.methods)
    }
    found = []
    for number, (name, cost) in enumerate(costs.items(), start=1):
        there = [one for one in planes.methods if _has(planes.quality, one) and _has(cost, one)]
        points = {one: _point(one, planes.quality[one], cost[one]) for one in there}
        rivals = [place for place, one in enumerate(planes.methods) if one in points and not points[one].why_off]
        draws = ([(means[number * width + place], means[place]) for place in rivals] for means in drawn)
        shares = _support(draws, len(rivals), planes.quality)
        support = {planes.methods[place]: share for place, share in zip(rivals, shares, strict=True)}
        marked = [
            replace(
                point, interval=intervals[method], support=support.get(method), is_best=support.get(method, 0) >= MIN_SUPPORT
            )
            for method, point in points.items()
        ]
        absent = tuple(one for one in planes.methods if one not in points)
        found.append(Frontier(planes.dataset, planes.name, name, tuple(marked), absent))
    return found


def _has(column: ByMethod, method: str) -> bool:
    return method in column and bool(column[method].values)


def _point(method: str, quality: Counted, cost: Counted) -> Point:
    num, num_failed = len(quality.values), len(quality.failed)
    why_off = f"{num_failed:,} of {num:,} failed" if num_failed > max(1, MAX_FAILED_SHARE * num) else ""
    return Point(method, cost.mean or 0.0, quality.mean or 0.0, why_off=why_off)


def _interval(planes: Planes, method: str, means: Sequence[float | None]) -> Interval | None:
    column = planes.quality.get(method, Counted()).column
    known = sorted(mean for mean in means if mean is not None)
    return mean_interval(planes.sample(planes.quality, method), known, low=column.low, high=column.high)


def _support(draws: Iterable[Sequence[tuple[float | None, float | None]]], num: int, quality: ByMethod) -> list[float]:
    """The share of the draws of (cost, quality) in which each is on the frontier."""
    if not num:
        return []
    column = next(iter(quality.values())).column
    sign = -1.0 if column.better == "lower" else 1.0
    nothing = sign * column.worst if column.worst is not None else None
    counts, num_draws = [0] * num, 0
    for draw in draws:
        num_draws += 1
        places = [
            (cost, sign * good, place) for place, (cost, good) in enumerate(draw) if cost is not None and good is not None
        ]
        for place in _on_frontier(places, nothing):
            counts[place] += 1
    return [count / num_draws for count in counts]


def _on_frontier(places: Sequence[tuple[float, float, int]], nothing: float | None) -> list[int]:
    """Of (cost, quality, place): the places that no other beats in both, and whose quality is above zero."""
    found: list[int] = []
    best_cost, best_quality = 0.0, nothing
    for cost, quality, place in sorted(places, key=lambda one: (one[0], -one[1])):
        if best_quality is None or quality > best_quality:
            best_cost, best_quality = cost, quality
            found.append(place)
        elif quality == best_quality and cost == best_cost and found:
            found.append(place)
    return found
