"""The counted value of each question of a cell in a column: its own, or the worst possible one if the question failed.

This is the one rule of every mean, pair, group and frontier, in `score`, `compare`, `report` and `analyse` alike:

- A failed question counts as the worst value of a column that measures the quality of answers, so that failed
  questions stay in the denominator. The mean over the answered ones is given as well.
- It has no data where the column has none for the question whatever the answer (its gold lacks what the metric needs; see
  `evaluation.metric.Selective`), or none for any answer of the method: recall, for example, for a method that never searches.
- A metric that broke on a record does not make it a wrong answer: the record is left out and counted.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from hopweave.core.types import Column
from hopweave.evaluation.scoring.score import Score


@dataclass(frozen=True, slots=True)
class Counted:
    """A column over a cell.

    Attributes:
        values: by the id of the question, including failed ones.
        failed: questions that failed, and count as the worst value.
        unscored: questions that cannot count: the metric broke on the record, or a failed one has no worst value.
        no_data: questions to which the column does not apply.
        column: its range and direction.
        problems: one line for each kind of problem in scoring.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    failed: frozenset[str] = frozenset()
    unscored: frozenset[str] = frozenset()
    no_data: frozenset[str] = frozenset()
    column: Column = field(default_factory=lambda: Column(""))
    problems: tuple[str, ...] = ()

    def among(self, ids: Collection[str]) -> Counted:
        """The same, restricted to some of the questions."""
        kept = {key: value for key, value in self.values.items() if key in ids}
        wanted = frozenset(ids)
        return replace(
            self,
            values=kept,
            failed=self.failed & wanted,
            unscored=self.unscored & wanted,
            no_data=self.no_data & wanted,
        )

    @property
    def answered(self) -> dict[str, float]:
        """The values of the questions that were answered."""
        return {key: value for key, value in self.values.items() if key not in self.failed}

    @property
    def mean(self) -> float | None:
        """The mean over all questions that count; `None` if there are none."""
        return _mean(self.values)

    @property
    def mean_answered(self) -> float | None:
        """The mean over those that were answered; `None` if there are none."""
        return _mean(self.answered)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The mean if every failed or unscored question had the least value, and if it had the greatest.

        `None` if there is no such question, or values have no bounds.
        """
        open_ends = self.failed | self.unscored
        column = self.column
        if not open_ends or not (math.isfinite(column.low) and math.isfinite(column.high)):
            return None
        known = self.answered
        total, num = math.fsum(known.values()), len(known) + len(open_ends)
        return (total + len(open_ends) * column.low) / num, (total + len(open_ends) * column.high) / num


def counted(rows: Iterable[Score], name: str, column: Column) -> Counted:
    """The counted values of the questions of a cell in a column.

    Args:
        rows: the scores of one metric for the records of the cell.
        name: of the column in these rows.
        column: its range and direction.
    """
    values: dict[str, float] = {}
    failed: set[str] = set()
    unscored: set[str] = set()
    no_data: set[str] = set()
    is_answered = is_never_told = False
    for row in rows:
        is_answered |= row.record != "failed"
        if row.error is not None:
            unscored.add(row.question)
        elif row.values is None:
            failed.add(row.question)
        elif name in row.values:
            values[row.question] = row.values[name]
        else:
            no_data.add(row.question)
            is_never_told |= row.record != "failed"
    if is_answered and not values:  # no answer has a value, so a failure has none, either
        (no_data if is_never_told else unscored).update(failed)
    elif column.worst is not None:
        values |= dict.fromkeys(sorted(failed), column.worst)
    else:
        unscored |= failed
    counts = frozenset(failed & values.keys())
    return Counted(values, counts, frozenset(unscored), frozenset(no_data), column)


def _mean(values: Mapping[str, float]) -> float | None:
    return math.fsum(values.values()) / len(values) if values else None
