"""Which method is best on a dataset, by how much, and whether that may be chance."""

from __future__ import annotations

from hopweave.evaluation.runs.folder import Plan
from hopweave.evaluation.scoring.cells import Scored
from hopweave.evaluation.scoring.over_seeds import by_method
from hopweave.evaluation.scoring.paired import Pairing
from hopweave.evaluation.scoring.results import Ranked, Ranking
from hopweave.evaluation.scoring.statistics import bootstrap_means, mean_interval


def ranking_of(found: Scored, name: str, plan: Plan, seed: int) -> Ranking | None:
    """The methods of a dataset by a column; `None` if none of them has data.

    Args:
        found: the scores of its records.
        name: of the column.
        plan: of the run.
        seed: of the bootstrap and the permutations.

    Raises:
        DataError: if there are 2^18 questions or more.
    """
    there = {method: one for method, one in by_method(found.columns.get(name, {}), plan).items() if one.values}
    if not there:
        return None
    column = next(iter(there.values())).column
    sign = -1.0 if column.better == "lower" else 1.0
    best_first = dict(sorted(there.items(), key=lambda named: -sign * (named[1].mean or 0.0)))
    samples = [[one.values.get(asked) for asked in found.order] for one in best_first.values()]
    means = bootstrap_means(samples, seed=seed)
    methods = [
        Ranked(
            method,
            one.mean or 0.0,
            len(one.values),
            len(one.failed),
            len(found.missing(plan.cells_by_method[method])),
            mean_interval(sample, drawn, low=column.low, high=column.high),
        )
        for (method, one), sample, drawn in zip(best_first.items(), samples, means, strict=True)
    ]
    rows = Pairing(found.dataset, name, column, found.order, best_first, seed).rows_of_best()
    return Ranking(found.dataset, name, column.meaning, column.unit, column.better, tuple(methods), rows)
