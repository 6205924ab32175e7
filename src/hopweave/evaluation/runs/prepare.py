"""Prepares what a plan names: the examples of each dataset, and the settings of each cell, in the order of the work."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopweave.answering.demonstrations import family_of
from hopweave.core.building import build
from hopweave.core.catalog import key_of, load
from hopweave.core.errors import DataError
from hopweave.core.protocols import Dataset
from hopweave.core.types import Example
from hopweave.evaluation.integrity import manifest
from hopweave.evaluation.runs.folder import DatasetPlan, Plan, RunFolder, lines_of
from hopweave.evaluation.runs.progress import Cell
from hopweave.evaluation.runs.sampling import draw
from hopweave.evaluation.runs.shard import Shard
from hopweave.run.nested_settings import merged
from hopweave.run.settings import Settings


@dataclass(frozen=True, slots=True)
class Prepared:
    """A plan whose parts have been resolved.

    Attributes:
        plan: what is to be done.
        settings: shared by all cells.
        datasets: by label, not yet read.
        examples: by label, as drawn.
        cells: in the order of the work.
        wholes: for a newly drawn shard, the SHA-256 of the examples of all shards together, by dataset.
    """

    plan: Plan
    settings: Settings
    datasets: Mapping[str, Dataset]
    examples: Mapping[str, list[Example]]
    cells: tuple[Cell, ...]
    wholes: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def corpus_of(self, dataset: str) -> str:
        """The corpus that is searched for a dataset's questions."""
        return self.plan.datasets[dataset].corpus or self.settings.corpus

    def settings_of(self, cell: Cell) -> Settings:
        """The settings under which a cell is worked."""
        method = self.plan.methods[cell.method]
        options = merged(self.settings.methods, {key_of("methods", method.name): dict(method.options)})
        own: dict[str, Any] = {"method": method.name, "methods": options, "corpus": self.corpus_of(cell.dataset)}
        own["whole_corpus"] = "method"  # what is measured is the method, whatever the question
        if method.sampling_seed is None:
            return self.settings.model_copy(update=own)
        return self.settings.model_copy(update={**own, "sampling": {**self.settings.sampling, "seed": method.sampling_seed}})

    def methods(self) -> dict[str, Any]:
        """The methods with their options, by label.

        Raises:
            SettingsError: for an option that does not exist, or an invalid value.
        """
        settings = {cell.method: self.settings_of(cell) for cell in self.cells}
        return {label: own.part("methods", own.method) for label, own in settings.items()}

    def files_of(self, dataset: str) -> list[Path]:
        """The files and folders that a dataset reads: those named by its options that exist."""
        part = self.datasets[dataset]
        values = [getattr(part, one.name) for one in dataclasses.fields(part)]  # type: ignore[arg-type]
        return [value for value in values if isinstance(value, Path) and value.exists()]


def prepare(plan: Plan, settings: Settings, folder: RunFolder | None = None) -> Prepared:
    """Resolves the parts of a plan and draws its examples, or reads those that the run has stored.

    Raises:
        SettingsError: for a part, an option or a value that does not exist.
        DataError: for a dataset that cannot be read.
        MissingExtra: for a library that is not installed.
    """
    datasets = {label: _dataset(label, one) for label, one in plan.datasets.items()}
    examples, wholes = {}, {}
    for label, one in plan.datasets.items():
        if folder is not None and _is_kept(folder, label):
            examples[label] = folder.examples(label)
        else:
            examples[label] = _drawn(label, one, datasets[label])
            if plan.shard:
                wholes[label] = hashlib.sha256(lines_of(examples[label]).encode()).hexdigest()
                examples[label] = Shard.of(plan.shard).part(examples[label], f"dataset {label!r}")
    cells = tuple(Cell(dataset, method) for method in plan.methods for dataset in in_order_of_prefix(examples))
    prepared = Prepared(plan, settings, datasets, examples, cells, wholes)
    prepared.methods()
    return prepared


def in_order_of_prefix(examples: Mapping[str, list[Example]]) -> Iterable[str]:
    """The labels of the datasets; those whose prompts begin alike because they share demonstrations are adjacent."""
    by_family: dict[tuple[str, str], list[str]] = {}
    for label, drawn in examples.items():
        first = drawn[0].question
        by_family.setdefault((family_of(first), first.form), []).append(label)
    return [label for labels in by_family.values() for label in labels]


def _dataset(label: str, plan: DatasetPlan) -> Dataset:
    made: Dataset = build(load("datasets", plan.name), plan.options, f"datasets.{label}")
    return made


def _is_kept(folder: RunFolder, label: str) -> bool:
    """Whether the examples exist and, in a shard, also the record of the draw that they are part of."""
    return folder.has_examples(label) and (not folder.plan.shard or (folder.path / manifest.NAME).exists())


def _drawn(label: str, plan: DatasetPlan, dataset: Dataset) -> list[Example]:
    try:
        return draw(dataset.examples(), plan.limit, plan.seed)
    except DataError as error:
        raise DataError(f"dataset {label!r}: {error}") from None
