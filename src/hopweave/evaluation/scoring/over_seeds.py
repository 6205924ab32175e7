"""The compared methods: one that was run under several seeds is their mean, question by question.

A method that samples is run once for each seed of the plan, in its own cell. The value of such a method on a question is
its mean over the seeds, so a pair, a frontier or a mean over datasets has one value per question whatever the number of
seeds, and an interval over questions stays one over questions. The spread shows how much the seeds differ.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hopweave.evaluation.runs.folder import Plan
from hopweave.evaluation.scoring.cells import Scored
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.results import OverSeeds, Spread
from hopweave.evaluation.scoring.statistics import standard_deviation


def by_method(cells: Mapping[str, Counted], plan: Plan) -> dict[str, Counted]:
    """A column of a dataset by method, averaged over its seeds, from that column by cell; a method without it is left out."""
    found = {}
    for label, own in plan.cells_by_method.items():
        there = [cells[one] for one in own if one in cells]
        if there:
            found[label] = averaged(there)
    return found


def averaged(seeds: Sequence[Counted]) -> Counted:
    """The mean over seeds, question by question. A question that failed under one of them counts as failed."""
    if len(seeds) == 1:
        return seeds[0]
    by_question: dict[str, list[float]] = {}
    for one in seeds:
        for asked, value in one.values.items():
            by_question.setdefault(asked, []).append(value)
    values = {asked: math.fsum(found) / len(found) for asked, found in by_question.items()}
    return Counted(
        values,
        frozenset().union(*(one.failed for one in seeds)),
        frozenset().union(*(one.unscored for one in seeds)) - values.keys(),
        frozenset().union(*(one.no_data for one in seeds)) - values.keys(),
        seeds[0].column,
    )


def over_seeds(found: Scored, plan: Plan) -> list[OverSeeds]:
    """Mean and spread over seeds of each method of a dataset that was run under several."""
    made = []
    for label, cells in plan.cells_by_method.items():
        if len(cells) < 2:
            continue
        seeds = tuple(seed for one in cells if (seed := plan.methods[one].seed) is not None)
        spreads = {}
        for shown, of_method in found.columns.items():
            means = [of_method[one].mean if one in of_method else None for one in cells]
            known = [mean for mean in means if mean is not None]
            if known:
                spreads[shown] = Spread(
                    math.fsum(known) / len(known), standard_deviation(known), min(known), max(known), len(known)
                )
        made.append(OverSeeds(found.dataset, label, seeds, spreads))
    return made
