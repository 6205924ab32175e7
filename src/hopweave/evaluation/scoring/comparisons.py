"""Comparisons of the methods of a run, and the file of a run that keeps them: `RUN/compare.json`."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from hopweave.core.errors import DataError
from hopweave.core.files import read_json, read_whole
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
        unit: of the column, and `better` which way is better; empty where neither is.
        seed: of the bootstrap and the permutations, and `num_resamples` their number.
        rows: a method each, in the order of the plan.
        runs: those that the methods are of, where they are several.
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
        """What a table is of: a newer one of the same takes its place."""
        options = json.dumps(self.options, sort_keys=True, default=str)
        return self.dataset, self.metric, options, self.column, self.baseline, self.methods, self.seed, self.num_resamples


def keep_comparisons(run: RunFolder, tables: Sequence[Comparisons]) -> None:
    """Writes tables to `compare.json`, beside those of other columns, baselines and methods that are there.

    Raises:
        DataError: if the file that is there cannot be read, or the new one cannot be written.
    """
    kept = {table.key: table for table in (*kept_comparisons(run), *tables)}
    write_file(run.path / FILE, json.dumps(document(list(kept.values())), indent=1, ensure_ascii=False) + "\n")


def kept_comparisons(run: RunFolder) -> list[Comparisons]:
    """The tables of `compare.json`; none if it is not there.

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
    """What `compare.json` holds, as plain values."""
    plain: dict[str, Any] = json.loads(json.dumps({"schema": SCHEMA, "tables": [dataclasses.asdict(one) for one in tables]}))
    return plain


@cache
def _tables_adapter() -> TypeAdapter[list[Comparisons]]:
    return TypeAdapter(list[Comparisons])
