"""The cells of one or several runs, gathered by dataset, as analyses use them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from hopweave.core.types import Column, Example
from hopweave.evaluation.runs.folder import DatasetPlan, RunFolder
from hopweave.evaluation.scoring.comparisons import check_same
from hopweave.evaluation.scoring.counted import Counted, counted
from hopweave.evaluation.scoring.score import OpenMetric, for_dataset, open_metrics, scores_of
from hopweave.record import Record, Setup

TAKEN_APART = "gold_steps"
"""The dataset that decomposes the questions of a run."""


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
        """The name of the method's file."""
        return self.run.plan.methods[self.method].name

    @cached_property
    def setup(self) -> Setup | None:
        """The setup of its first record; `None` if there is no record."""
        first = next(iter(self.run.records(self.dataset, self.method)), None)
        return None if first is None else first.setup

    @property
    def options(self) -> Mapping[str, Any]:
        """All options of the method."""
        return {} if self.setup is None else self.setup.options

    def setting(self, *keys: str) -> Any:
        """A setting of its records by its path, or `None`."""
        value: Any = None if self.setup is None else self.setup.settings
        for key in keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def pairs(self) -> Iterator[tuple[Record, Example]]:
        """Each record with its example, in the order of the records. Records of other questions are left out."""
        for record in self.run.records(self.dataset, self.method):
            example = self.examples.get(record.question.id)
            if example is not None:
                yield record, example


@dataclass(frozen=True, slots=True)
class DatasetCells:
    """The cells of a dataset, of all runs.

    Attributes:
        label: in tables: that of the first run that has it, with the name of that run if another dataset has the same label.
        plan: as that run has it.
        run: that run.
        own_label: under which that run has it.
    """

    label: str
    plan: DatasetPlan
    run: RunFolder
    own_label: str
    cells: list[AnsweredCell] = field(default_factory=list)


class LoadedRuns:
    """The runs to analyse. Scores are computed once."""

    def __init__(self, runs: Sequence[RunFolder]) -> None:
        self.runs = tuple(runs)
        self._scores: dict[tuple[int, str, str, str], Counted] = {}

    @cached_property
    def datasets(self) -> tuple[DatasetCells, ...]:
        """Datasets in the order of the runs, except those that decompose the questions of others."""
        return tuple(dataset for dataset in self._groups if dataset.plan.name != TAKEN_APART)

    @cached_property
    def taken_apart(self) -> tuple[DatasetCells, ...]:
        """Datasets that decompose the questions of others."""
        return tuple(dataset for dataset in self._groups if dataset.plan.name == TAKEN_APART)

    @cached_property
    def _groups(self) -> tuple[DatasetCells, ...]:
        """Two datasets are the same if they have the same name, file and options.

        Raises:
            DataError: if such datasets have different questions or gold data under the same ids, since the file has changed.
        """
        found: dict[str, DatasetCells] = {}
        known: dict[str, dict[str, Example]] = {}
        for run in self.runs:
            for label, plan in run.plan.datasets.items():
                key = json.dumps([plan.name, plan.options], sort_keys=True, default=str)
                shown = f"{label} ({run.path.name})" if label in {one.label for one in found.values()} else label
                group = found.setdefault(key, DatasetCells(shown, plan, run, label))
                examples = {example.question.id: example for example in run.examples(label)}
                for name, example in examples.items():
                    check_same(known.setdefault(key, {}).setdefault(name, example), example, label, run.path.name)
                further = run.path.name if run is not self.runs[0] else ""
                group.cells.extend(AnsweredCell(run, label, method, examples, further) for method in run.plan.methods)
        return tuple(found.values())

    @property
    def cells(self) -> Iterator[AnsweredCell]:
        """All cells of `datasets`."""
        for dataset in self.datasets:
            yield from dataset.cells

    def scores(self, cell: AnsweredCell, metric: str, column: str, **options: Any) -> Counted:
        """A column of a metric over a cell, as `hopweave score` has it: a failed question counts as the worst value.

        Raises:
            SettingsError: for a metric or an option that does not exist.
            MissingExtra: if a library that the metric needs is not installed.
        """
        key = (id(cell), metric, column, json.dumps(options, sort_keys=True))
        if key not in self._scores:
            opened = open_metrics([metric], {metric: options})[0][0]
            own = for_dataset(opened, cell.run.plan.datasets[cell.dataset].name)
            self._scores[key] = _scored(cell, own, column)
        return self._scores[key]


def _scored(cell: AnsweredCell, opened: OpenMetric, column: str) -> Counted:
    rows = [
        score for record, example in cell.pairs() for score in scores_of(cell.dataset, cell.method, record, example, [opened])
    ]
    problems: dict[str, str] = {}
    for score in rows:
        if score.error is not None:
            where = f"{opened.name} broke on {cell.dataset} x {cell.method}, question {score.question}"
            problems.setdefault(score.error.kind, f"{where}: {score.error.message}")
    about = opened.metric.columns[column] if opened.metric is not None else Column("")
    return replace(counted(rows, column, about), problems=tuple(problems.values()))
