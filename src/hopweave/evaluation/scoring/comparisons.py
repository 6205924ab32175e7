"""Comparisons of the methods of one run or of several, and the file of a run that stores them: `RUN/compare.json`."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.files import is_file_name, read_json, read_whole
from hopweave.core.part_files import part_file
from hopweave.core.types import AnswerForm, Example
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.writing import write_file
from hopweave.evaluation.scoring.results import Comparison
from hopweave.evaluation.scoring.score import records_hashes
from hopweave.run.trust import Found, is_trusted, trust_own

SCHEMA = "hopweave.compare/2"
FILE = "compare.json"

_LEFT_OUT_IF_EMPTY = ("forms", "files", "records")
"""Fields that earlier versions did not write. A table of theirs is stored in the same form as then."""


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
        forms: of the questions that the metric was computed on; empty for all.
        files: for a metric in a file, the SHA-256 of what it is in, by path.
        records: the SHA-256 of the examples and records that the table was made from, by name of the run and then by `DATASET`
            and `DATASET/METHOD`; empty where there were none yet. There are none of a table that an earlier version made.
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
    forms: tuple[AnswerForm, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    records: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[Any, ...]:
        """What identifies a table: a newer one with the same key replaces it."""
        options = json.dumps(self.options, sort_keys=True, default=str)
        return self.dataset, self.metric, options, self.column, self.baseline, self.methods, self.seed, self.num_resamples


def keep_comparisons(run: RunFolder, tables: Sequence[Comparisons]) -> list[Comparisons]:
    """Adds tables to `compare.json`, keeping those of other columns, baselines and methods whose records are still the same.

    The user who makes tables named their metrics, so the named files are trusted.

    Returns:
        The tables that were dropped because records have changed since.

    Raises:
        DataError: if the existing file cannot be read, or the new one cannot be written.
    """
    before, made = kept_comparisons(run), {table.key: table for table in tables}
    old = {table.key for table, _ in outdated(run, before)}
    kept = {table.key: table for table in before if table.key not in old or table.key in made} | made
    is_own = _are_own(run, [table for key, table in kept.items() if key not in made], tables)
    write_comparisons(run, list(kept.values()))
    file = found_comparisons(run) if is_own else None
    if file is not None:
        trust_own(file)
    return [table for table in before if table.key not in kept]


def write_comparisons(run: RunFolder, tables: Sequence[Comparisons]) -> None:
    """Writes `compare.json`. Same errors as in `keep_comparisons`."""
    write_file(run.path / FILE, json.dumps(document(tables), indent=1, ensure_ascii=False) + "\n")


def found_comparisons(run: RunFolder) -> Found | None:
    """The comparisons of a run as a file on disk, which the user may have to trust; `None` if there are none.

    Raises:
        DataError: if they cannot be read.
    """
    place = run.path / FILE
    content = _content_of(place)
    if content is None:
        return None
    return Found(place, content, {}, {"metrics": {one.metric: dict(one.options) for one in _tables_in(content, place)}})


def outdated(run: RunFolder, tables: Sequence[Comparisons]) -> list[tuple[Comparisons, list[str]]]:
    """The tables of a run whose records or examples have changed since, each with those that have.

    They are named `DATASET/METHOD`, or `RUN:DATASET/METHOD` for those of a further run, which is looked for next to this one.
    Tables of earlier versions do not say what they were made from, and are taken to be up to date.
    """
    now: dict[str, Mapping[str, str]] = {}
    for name in dict.fromkeys(name for table in tables for name in table.records):
        place = sibling_run(run, name) if name else run.path
        with suppress(DataError):  # what cannot be opened cannot be compared with
            now |= {} if place is None else {name: records_hashes(RunFolder.open(place) if name else run)}
    found = []
    for table in tables:
        changed = [
            f"{name}:{place}" if name else place
            for name, then in table.records.items()
            for place, sha256 in then.items()
            if name in now and now[name].get(place, "") != sha256
        ]
        if changed:
            found.append((table, changed))
    return found


def kept_comparisons(run: RunFolder) -> list[Comparisons]:
    """The tables of `compare.json`; none if it does not exist.

    Raises:
        DataError: if it cannot be read.
    """
    place = run.path / FILE
    content = _content_of(place)
    return [] if content is None else _tables_in(content, place)


def _content_of(place: Path) -> bytes | None:
    try:
        return read_whole(place)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise _unreadable(place) from None


def _tables_in(content: bytes, place: Path) -> list[Comparisons]:
    try:
        found = read_json(content)
        if found["schema"] != SCHEMA:
            raise DataError(f"{place} has schema {found['schema']!r}; delete it and run `hopweave compare` again")
        return _tables_adapter().validate_python(found["tables"])
    except (ValidationError, ValueError, TypeError, KeyError):
        raise _unreadable(place) from None


def _unreadable(place: Path) -> DataError:
    return DataError(f"{place} cannot be read; delete it and run `hopweave compare` again")


def document(tables: Sequence[Comparisons]) -> dict[str, Any]:
    """The contents of `compare.json`, as plain values."""
    plain: dict[str, Any] = json.loads(json.dumps({"schema": SCHEMA, "tables": [*map(_plain, tables)]}))
    return plain


def _plain(table: Comparisons) -> dict[str, Any]:
    values = dataclasses.asdict(table)
    return {name: value for name, value in values.items() if value or name not in _LEFT_OUT_IF_EMPTY}


def _are_own(run: RunFolder, kept: Sequence[Comparisons], made: Sequence[Comparisons]) -> bool:
    """Whether the user named the code of all metrics in files: now, or by trusting the present `compare.json`.

    Otherwise a table that came with a stranger's run would be trusted along with the user's own.
    """
    named = [(table.metric, table.files) for table in made]
    strange = [table for table in kept if part_file(table.metric) is not None and (table.metric, table.files) not in named]
    file = found_comparisons(run) if strange else None
    return file is None or is_trusted(file)


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


def order_of(dataset: str, runs: Mapping[str, RunFolder], *, by_evidence: bool = True) -> list[str]:
    """The ids of the questions of a dataset, those of further runs last.

    Args:
        dataset: its label.
        runs: by name.
        by_evidence: whether the gold evidence must be the same in all runs, too.

    Raises:
        DataError: where a further run does not have the dataset, or has another question or other gold data under the same id.
    """
    known: dict[str, Example] = {}
    for name, run in runs.items():
        if dataset not in run.plan.datasets:
            raise DataError(
                f"the run {name} has no dataset {dataset!r} (it has {', '.join(run.plan.datasets)}); runs are compared on the "
                "same questions: evaluate it on them, under the same label"
            )
        for example in run.examples(dataset):
            check_same(known.setdefault(example.question.id, example), example, dataset, name, by_evidence=by_evidence)
    return list(known)


def check_same(known: Example, example: Example, dataset: str, run: str, *, by_evidence: bool = True) -> None:
    """Checks that an answer to a question is right in two runs by the same gold data.

    What a method may be told of the question (`family`, `dataset`), and the traits for grouping, may differ. Gold sentences are
    compared where both have them: an earlier version did not keep them.

    Args:
        known: of the first run.
        example: of the same id.
        dataset: its label.
        run: the name of the further run.
        by_evidence: whether the gold evidence counts, too.

    Raises:
        DataError: with what differs.
    """
    asked, again, gold, other = known.question, example.question, known.gold, example.gold
    pairs: dict[str, tuple[object, object]] = {
        "is a different one": (asked.text, again.text),
        "has another form of answer": (asked.form, again.form),
        "has other labels": (asked.labels, again.labels),
        "has other pinned passages": (
            [(one.id, one.text) for one in asked.pinned],
            [(one.id, one.text) for one in again.pinned],
        ),
        "has other gold answers": ({*gold.answers}, {*other.answers}),
    }
    if by_evidence:
        pairs |= {
            "has other gold passages": ({*gold.passage_ids}, {*other.passage_ids}),
            "has other facts": ({*gold.facts}, {*other.facts}),
            "has other gold steps": (gold.steps, other.steps),
        }
        if gold.sentences and other.sentences:
            pairs["has other gold sentences"] = ({*gold.sentences}, {*other.sentences})
    for difference, (first, second) in pairs.items():
        if first != second:
            raise DataError(
                f"question {asked.id!r} of {dataset!r} {difference} in the run {run}; compare runs on the same data"
            )


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
