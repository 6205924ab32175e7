"""The roles of metrics, which read records: one verb, so that a newcomer can add a metric with a single file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol, runtime_checkable

from hopweave.core.types import Column, Example
from hopweave.record import Record


@runtime_checkable
class Metric(Protocol):
    """Scores one record. A metric is a frozen dataclass whose fields are its options."""

    columns: ClassVar[Mapping[str, Column]]
    counts_failures: ClassVar[bool]

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        """The values of its columns for a record.

        A column that does not apply is left out: that means no data, which is never 0. Failed records are scored only by
        metrics that measure costs (`counts_failures`); for all others they count as the worst value of each column, without
        calling the metric, unless it is `Selective` and does not apply to the question.

        Args:
            record: the record of the question.
            example: the question with its gold answers.

        Raises:
            DataError: if the data it needs is present but unusable.
        """


@runtime_checkable
class Selective(Protocol):
    """A metric that needs gold data that not every question has. Optional: other metrics apply to all questions."""

    def applies_to(self, example: Example) -> bool:
        """Whether the gold data of a question includes what every value of the metric needs.

        Called for failed questions, where there is nothing to score: a question to which the metric does not apply then has no
        data; any other is wrong.
        """


@runtime_checkable
class Combining(Protocol):
    """A metric with figures of a whole cell that are not means over its records, such as an AUROC or a baseline. Optional.

    `Metric.score` then returns, for each record, everything that the figures are computed from, so that they can be recomputed
    for any subset of the records, as a bootstrap requires.
    """

    combined: ClassVar[Mapping[str, Column]]

    def combine(self, values: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
        """The figures of a set of records.

        A figure that cannot be computed is left out: that means no data, which is never 0.

        Args:
            values: what `score` returned, one mapping per record; records without data may be included, as empty mappings.
        """


@runtime_checkable
class Counting(Protocol):
    """A `Combining` metric with figures that are not of every record that has values, such as a share of some. Optional."""

    def num_combined(self, values: Sequence[Mapping[str, float]]) -> Mapping[str, int]:
        """How many of a set of records each figure is of; one that is left out is of all records that have values.

        Args:
            values: as for `Combining.combine`.
        """
