"""Comparisons of the methods of one run or of several, and the file of a run that stores them: `RUN/compare.json`."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.files import is_file_name, read_json, read_whole
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.writing import write_file
from hopweave.evaluation.scoring.results import Comparison

SCHEMA = "hopweave.compare/2"
FILE = "compare.json"


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run whose methods are compared: the name of its folder (empty for the first), and its models."""

    name: str
    llm: str


@dataclass(frozen=True, slots=True)
class Comparisons:
    """The comparisons of one column on one dataset.

    Attributes:
        metric: with `options`, its options.
        unit: of the column, and `better` the better direction; empty if there is none.
        seed: of the bootstrap and the permutations, and `num_resamples` their number.
        rows: one per method, in the order of the plan.
        runs: those that the methods come from, if there are several.
    """

    dataset: str
    metric: str
    options: Mapping[str, Any]
    column: str
    meaning: str
    unit: str
    better: str
    baseline: str
    methods: tuple[str, ...]
    seed: int
    num_resamples: int
    rows: tuple[Comparison, ...]
    runs: tuple[ComparedRun, ...] = ()

    @property
    def key(self) -> tuple[Any, ...]:
        """What identifies a table: a newer one with the same key replaces it."""
        options = json.dumps(self.options, sort_keys=True, default=str)
        return self.dataset, self.metric, options, self.column, self.baseline, self.methods, self.seed, self.num_resamples


def keep_comparisons(run: RunFolder, tables: Sequence[Comparisons]) -> None:
    """Adds tables to `compare.json`, keeping those of other columns, baselines and methods.

    Raises:
        DataError: if the existing file cannot be read, or the new one cannot be written.
    """
    kept = {table.key: table for table in (*kept_comparisons(run), *tables)}
    write_file(run.path / FILE, json.dumps(document(list(kept.values())), indent=1, ensure_ascii=False) + "\n")


def kept_comparisons(run: RunFolder) -> list[Comparisons]:
    """The tables of `compare.json`; none if it does not exist.

    Raises:
        DataError: if it cannot be read.
    """
    place = run.path / FILE
    try:
        found = read_json(read_whole(place))
        if found["schema"] != SCHEMA:
            raise DataError(f"{place} has schema {found['schema']!r}; delete it and run `hopweave compare` again")
        return _tables_adapter().validate_python(found["tables"])
    except FileNotFoundError:
        return []
    except (OSError, ValidationError, ValueError, TypeError, KeyError):
        raise DataError(f"{place} cannot be read; delete it and run `hopweave compare` again") from None


def document(tables: Sequence[Comparisons]) -> dict[str, Any]:
    """The contents of `compare.json`, as plain values."""
    plain: dict[str, Any] = json.loads(json.dumps({"schema": SCHEMA, "tables": [dataclasses.asdict(one) for one in tables]}))
    return plain


@cache
def _tables_adapter() -> TypeAdapter[list[Comparisons]]:
    return TypeAdapter(list[Comparisons])


@dataclass(frozen=True, slots=True)
class ComparedMethod:
    """A method that can be compared.

    Attributes:
        label: as it is named: that of the plan, prefixed with `RUN:` for a method of a further run.
        run: the name of that run; empty for the first.
        cells: the labels of its cells in the plan; several if it has several seeds.
        is_part: it is one seed of a method, which is compared only if it is named.
    """

    label: str
    run: str
    cells: tuple[str, ...]
    is_part: bool = False

    @property
    def covers(self) -> set[str]:
        """The labels of its parts, including its own."""
        before = self.label.removesuffix(self.label.rpartition(":")[2]) if self.run else ""
        return {self.label, *(f"{before}{cell}" for cell in self.cells)}


def runs_of(run: RunFolder, further: Sequence[RunFolder]) -> dict[str, RunFolder]:
    """Runs by name: empty for the first, the folder name for the others.

    Raises:
        SettingsError: for a run that is named twice, or two folders of one name.
    """
    paths = [one.path.resolve() for one in (run, *further)]
    for path, num in Counter(paths).items():
        if num > 1:
            raise SettingsError(f"{path} is given twice; name each run once")
    names = Counter(path.name for path in paths[1:])
    for name, num in names.items():
        if num > 1:
            raise SettingsError(f"two runs are called {name!r}, so their methods cannot be distinguished; rename one folder")
    return {"": run, **{path.name: one for path, one in zip(paths[1:], further, strict=True)}}


def compared_methods_of(runs: Mapping[str, RunFolder]) -> list[ComparedMethod]:
    """All methods of the runs: first what each plan compares, then the single seeds."""
    found, parts = [], []
    for name, run in runs.items():
        before = f"{name}:" if name else ""
        for label, cells in run.plan.cells_by_method.items():
            found.append(ComparedMethod(f"{before}{label}", name, cells))
            if len(cells) > 1 or cells[0] != label:
                parts += [ComparedMethod(f"{before}{cell}", name, (cell,), is_part=True) for cell in cells if cell != label]
    return found + parts


def order_of(dataset: str, runs: Mapping[str, RunFolder]) -> list[str]:
    """The ids of the questions of a dataset, those of further runs last.

    Raises:
        DataError: where a further run does not have the dataset, or has another question under the same id.
    """
    texts: dict[str, str] = {}
    for name, run in runs.items():
        if dataset not in run.plan.datasets:
            raise DataError(
                f"the run {name} has no dataset {dataset!r} (it has {', '.join(run.plan.datasets)}); runs are compared on the "
                "same questions: evaluate it on them, under the same label"
            )
        for example in run.examples(dataset):
            asked = example.question
            if texts.setdefault(asked.id, asked.text) != asked.text:
                raise DataError(
                    f"question {asked.id!r} of {dataset!r} is a different one in the run {name}; compare runs on the same data"
                )
    return list(texts)


def compared_runs(runs: Mapping[str, RunFolder]) -> tuple[ComparedRun, ...]:
    """The description of runs in a comparison across runs: their names, and which models answered."""
    return tuple(ComparedRun(name, ", ".join(_models(one))) for name, one in runs.items()) if len(runs) > 1 else ()


def sibling_run(run: RunFolder, name: str) -> Path | None:
    """The folder of a run of that name next to another, to compute a comparison again; `None` if there is none.

    It is not looked for elsewhere: a name in a file of the run must not lead to other places.
    """
    place = run.path.resolve().parent / name
    return place if is_file_name(name) and RunFolder.is_at(place) else None


def _models(run: RunFolder) -> list[str]:
    """The models of the first records of each cell."""
    firsts = (next(iter(run.records(dataset, method)), None) for dataset in run.plan.datasets for method in run.plan.methods)
    return sorted({record.setup.llm for record in firsts if record is not None})
