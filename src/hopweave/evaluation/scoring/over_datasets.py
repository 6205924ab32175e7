"""One mean over datasets for each method: unweighted, so that each dataset counts the same whatever its number of questions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hopweave.evaluation.runs.folder import Plan
from hopweave.evaluation.scoring.cells import Scored
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.over_seeds import by_method
from hopweave.evaluation.scoring.results import Interval, MacroMean
from hopweave.evaluation.scoring.statistics import all_equal_interval, percentile_interval, resampled_means

_APART = 1_000_003
"""Separates the seeds of datasets, so that their draws are independent."""


def macro_means(datasets: Sequence[Scored], primary: Mapping[str, str], plan: Plan, seed: int) -> list[MacroMean]:
    """The mean over datasets of the primary column, for each method of the plan; none if there are fewer than two datasets.

    The 95% interval is of a bootstrap within each dataset. If all values of a dataset are the same, every resample has the same
    mean; then its `all_equal_interval` widens that of the macro mean by its full width.

    Args:
        datasets: the scores of their records.
        primary: the column of each dataset that methods are compared by.
        plan: of the run.
        seed: of the bootstrap.

    Raises:
        DataError: if a dataset has 2^18 questions or more.
    """
    used = [one for one in datasets if one.dataset in primary]
    if len(used) < 2:
        return []
    of_dataset = [by_method(one.columns.get(primary[one.dataset], {}), plan) for one in used]
    drawn = [
        _means_of_draws(columns, one.order, seed + _APART * place)
        for place, (one, columns) in enumerate(zip(used, of_dataset, strict=True))
    ]
    labels = tuple(one.dataset for one in used)
    made = []
    for method in plan.cells_by_method:
        columns = [one.get(method, Counted()) for one in of_dataset]
        means = [column.mean for column in columns]
        missing = tuple(label for label, mean in zip(labels, means, strict=True) if mean is None)
        known = [mean for mean in means if mean is not None]
        value = math.fsum(known) / len(known) if not missing else None
        interval = None if missing else _interval(columns, [one[method] for one in drawn])
        made.append(MacroMean(method, value, labels, tuple(primary[label] for label in labels), interval, missing))
    return made


def _means_of_draws(columns: Mapping[str, Counted], order: Sequence[str], seed: int) -> dict[str, list[float | None]]:
    """The mean of each method in each resample."""
    samples = [[one.values.get(asked) for asked in order] for one in columns.values()]
    drawn = list(resampled_means(samples, seed=seed)) if samples else []
    return {method: [means[place] for means in drawn] for place, method in enumerate(columns)}


def _interval(columns: Sequence[Counted], drawn: Sequence[Sequence[float | None]]) -> Interval | None:
    sums = [[mean for mean in of_draw if mean is not None] for of_draw in zip(*drawn, strict=True)]
    whole = sorted(math.fsum(means) / len(columns) for means in sums if len(means) == len(columns))
    bounds = percentile_interval(whole)
    if bounds is None:
        return None
    low, high = bounds.low, bounds.high
    for column in columns:
        if len(set(column.values.values())) == 1:
            unseen = _unseen(column)
            if unseen is None:
                return None
            low, high = low - unseen.low / len(columns), high + unseen.high / len(columns)
    return Interval(low, high)


def _unseen(column: Counted) -> Interval | None:
    """How far the interval of a column whose values are all the same reaches below and above its mean."""
    value = next(iter(column.values.values()))
    about = all_equal_interval(value, len(column.values), low=column.column.low, high=column.column.high)
    return Interval(value - about.low, about.high - value) if about is not None else None
