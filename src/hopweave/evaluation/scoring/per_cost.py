"""Right answers relative to what was spent on all questions: right answers per 1,000 tokens, and cost per right answer.

Both are sums over all questions asked, including failed ones: what was spent on a wrong answer, or on none, was spent on
getting the right ones. Questions without a count of tokens are left out of both sums.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hopweave.core.types import Column
from hopweave.evaluation.scoring.cells import Scored
from hopweave.evaluation.scoring.results import Interval, Mean
from hopweave.evaluation.scoring.score import PRIMARY
from hopweave.evaluation.scoring.statistics import Values, all_equal_interval, percentile_interval, resampled_means

PER_TOKENS = "right_per_1000_tokens"
COST_PER_RIGHT = "cost_per_right"

_TOKENS = 1000
_RIGHT = ("cover_em", "label_accuracy")
"""Columns of 0 and 1, so that their sum is a number of right answers; long answers are neither right nor wrong."""
_SPENT = {PER_TOKENS: "total_tokens", COST_PER_RIGHT: "cost"}
FIGURES = {
    PER_TOKENS: Column("right answers per 1,000 tokens of the model", better="higher", high=math.inf),
    COST_PER_RIGHT: Column(
        "cost of all questions per right answer", better="lower", high=math.inf, unit="currency of the table"
    ),
}


def rate_columns(columns: Mapping[str, Column]) -> dict[str, Column]:
    """The figures that can be computed from these columns."""
    has_right = not columns.keys().isdisjoint(_RIGHT)
    return {name: column for name, column in FIGURES.items() if has_right and _SPENT[name] in columns}


def figures(found: Scored, seed: int) -> dict[str, dict[str, Mean]]:
    """The figures of each method of a dataset, by name of the figure.

    Args:
        found: the scores of its records.
        seed: of the bootstrap.

    Raises:
        DataError: if there are 2^18 questions or more.
    """
    made: dict[str, dict[str, Mean]] = {}
    for name in rate_columns({shown: Column("") for shown in found.columns}):
        methods = [method for method in found.rows if found.values(_SPENT[name], method)]
        pairs = [_pairs(found, method, _SPENT[name]) for method in methods]
        drawn = list(resampled_means([column for pair in pairs for column in pair], seed=seed)) if pairs else []
        made[name] = {}
        for place, (method, pair) in enumerate(zip(methods, pairs, strict=True)):
            means = [(one[2 * place], one[2 * place + 1]) for one in drawn]
            made[name][method] = _figure(name, pair, means, len(found.examples))
    return made


def _pairs(found: Scored, method: str, spent: str) -> tuple[list[float | None], list[float | None]]:
    """Whether each question was answered correctly, and what was spent on it; `None` in both if either is not known."""
    spending = found.values(spent, method)
    right: list[float | None] = []
    for example in found.examples:
        column = PRIMARY[example.question.form]
        value = found.values(column, method).get(example.question.id) if column in _RIGHT else None
        right.append(value if example.question.id in spending else None)
    paid = [
        spending.get(example.question.id) if value is not None else None
        for example, value in zip(found.examples, right, strict=True)
    ]
    return right, paid


def _figure(
    name: str, pair: tuple[Values, Values], drawn: Sequence[tuple[float | None, float | None]], num_questions: int
) -> Mean:
    right, spent = ([value for value in column if value is not None] for column in pair)
    num = len(right)
    paid, num_right = math.fsum(spent), math.fsum(right)
    interval = _rate_interval(right, paid / num, drawn) if paid else None
    if name == PER_TOKENS:
        value = _TOKENS * num_right / paid if paid else None
        ends = Interval(_TOKENS * interval.low, _TOKENS * interval.high) if interval is not None else None
    else:
        value = paid / num_right if num_right else None
        ends = Interval(1 / interval.high, 1 / interval.low) if interval is not None and interval.low > 0 else None
    return Mean(value, num if value is not None else 0, 0, num_questions - num, ends if value is not None else None)


def _rate_interval(
    right: Sequence[float], mean_spent: float, drawn: Sequence[tuple[float | None, float | None]]
) -> Interval | None:
    """The interval of right answers per unit spent: both sums are over the same resampled questions."""
    if min(right) == max(right):
        share = all_equal_interval(right[0], len(right), low=0.0, high=1.0)
        return Interval(share.low / mean_spent, share.high / mean_spent) if share is not None else None
    return percentile_interval(sorted(won / paid for won, paid in drawn if won is not None and paid))
