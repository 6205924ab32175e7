"""The cells of one or several runs, gathered by dataset, as analyses look at them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hopweave.catalog import load
from hopweave.evaluation.run_folder import DatasetPlan, RunFolder
from hopweave.settings import build
from hopweave.trace import Record, Setup
from hopweave.types import Example

TAKEN_APART = "gold_steps"
"""The dataset that takes questions of a run apart."""


class AnsweredCell:
    """A method on a dataset of a run, with its records.

    Attributes:
        run: the folder.
        dataset: its label; `method` likewise.
        further: the name of the run's folder, if it is not the first of the runs.
    """

    def __init__(self, run: RunFolder, dataset: str, method: str, examples: Mapping[str, Example], further: str = "") -> None:
        self.run = run
        self.dataset = dataset
        self.method = method
        self.examples = examples
        self.further = further

    @property
    def name(self) -> str:
        """Of the method's file."""
        return self.run.plan.methods[self.method].name

    @cached_property
    def setup(self) -> Setup | None:
        """What its first record depends on; `None` where there is no record."""
        first = next(iter(self.run.records(self.dataset, self.method)), None)
        return None if first is None else first.setup

    @property
    def options(self) -> Mapping[str, Any]:
        """Of the method, in full."""
        return {} if self.setup is None else self.setup.options

    def setting(self, *keys: str) -> Any:
        """A setting of its records by its path, or `None`."""
        value: Any = None if self.setup is None else self.setup.settings
        for key in keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def pairs(self) -> Iterator[tuple[Record, Example]]:
        """Each record with its example, in the order of the records. What is no question of the run is left out."""
        for record in self.run.records(self.dataset, self.method):
            example = self.examples.get(record.question.id)
            if example is not None:
                yield record, example


@dataclass(frozen=True, slots=True)
class Scores:
    """The values of a column over a cell.

    Attributes:
        values: by the id of the question.
        failed: ids of questions that failed, or that could not be scored.
        no_data: ids of those to which the column does not apply.
        problems: one line for each kind of trouble that scoring met.
    """

    values: Mapping[str, float]
    failed: frozenset[str] = frozenset()
    no_data: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()

    def among(self, ids: Collection[str]) -> Scores:
        """The same for some of the questions."""
        kept = {key: value for key, value in self.values.items() if key in ids}
        return Scores(kept, self.failed & frozenset(ids), self.no_data & frozenset(ids), self.problems)

    @property
    def mean(self) -> float | None:
        """The mean of the values; `None` where there is none."""
        return sum(self.values.values()) / len(self.values) if self.values else None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The mean of values from 0 to 1 if every failed question were worth 0, and if 1; `None` where none failed."""
        if not self.failed:
            return None
        total, num = sum(self.values.values()), len(self.values) + len(self.failed)
        return total / num, (total + len(self.failed)) / num


@dataclass(frozen=True, slots=True)
class DatasetCells:
    """The cells of a dataset, of all runs.

    Attributes:
        label: under which the first run has it.
        plan: as the first run has it.
        run: the first run.
    """

    label: str
    plan: DatasetPlan
    run: RunFolder
    cells: list[AnsweredCell] = field(default_factory=list)


class Gathered:
    """The runs to analyse. Scores are computed once."""

    def __init__(self, runs: Sequence[RunFolder]) -> None:
        self.runs = tuple(runs)
        self._scores: dict[tuple[int, str, str, str], Scores] = {}

    @cached_property
    def datasets(self) -> tuple[DatasetCells, ...]:
        """Datasets in the order of the runs, but for those that take the questions of others apart."""
        return tuple(dataset for dataset in self._groups if dataset.plan.name != TAKEN_APART)

    @cached_property
    def taken_apart(self) -> tuple[DatasetCells, ...]:
        """Datasets that take the questions of others apart."""
        return tuple(dataset for dataset in self._groups if dataset.plan.name == TAKEN_APART)

    @cached_property
    def _groups(self) -> tuple[DatasetCells, ...]:
        """Two datasets are one if they are the same file of the same name with the same options."""
        found: dict[str, DatasetCells] = {}
        for run in self.runs:
            for label, plan in run.plan.datasets.items():
                key = json.dumps([plan.name, plan.options], sort_keys=True, default=str)
                group = found.setdefault(key, DatasetCells(label, plan, run))
                examples = {example.question.id: example for example in run.examples(label)}
                further = run.path.name if run is not self.runs[0] else ""
                group.cells.extend(AnsweredCell(run, label, method, examples, further) for method in run.plan.methods)
        return tuple(found.values())

    @property
    def cells(self) -> Iterator[AnsweredCell]:
        """All cells of `datasets`."""
        for dataset in self.datasets:
            yield from dataset.cells

    def scores(self, cell: AnsweredCell, metric: str, column: str, **options: Any) -> Scores:
        """A column of a metric over a cell.

        Raises:
            SettingsError: for a metric or an option that there is not.
        """
        key = (id(cell), metric, column, json.dumps(options, sort_keys=True))
        if key not in self._scores:
            scorer = build(load("metrics", metric), options, f"metrics.{metric}")
            self._scores[key] = _scored(cell, scorer.score, column, metric, counts_failures=scorer.counts_failures)
        return self._scores[key]


def _scored(
    cell: AnsweredCell,
    score: Callable[[Record, Example], Mapping[str, float]],
    column: str,
    metric: str,
    *,
    counts_failures: bool,
) -> Scores:
    values: dict[str, float] = {}
    failed: set[str] = set()
    no_data: set[str] = set()
    problems: dict[str, str] = {}
    for record, example in cell.pairs():
        name = record.question.id
        if record.error is not None and not counts_failures:
            failed.add(name)
            continue
        try:
            scored = score(record, example)
        except Exception as error:  # noqa: BLE001 - a metric that breaks is counted and named; the others go on
            failed.add(name)
            problems.setdefault(
                type(error).__name__, f"{metric} broke on {cell.dataset} x {cell.method}, question {name}: {error}"
            )
            continue
        if column in scored:
            values[name] = scored[column]
        else:
            no_data.add(name)
    return Scores(values, frozenset(failed), frozenset(no_data), tuple(problems.values()))
