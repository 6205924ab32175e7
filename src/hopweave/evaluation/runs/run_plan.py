"""Reads what a run is to do, from a TOML file, from flags, or from both.

    [settings]                      # any settings of hopweave; they override the user's own
    llm = "openai_compatible"
    corpus = "indexes/wiki"

    [datasets.bridges]              # its label in tables
    name = "jsonl"                  # the file in hopweave/evaluation/datasets; the label, if left out
    path = "bridges.jsonl"          # this and everything else: options of the dataset
    corpus = "indexes/bridges"      # searched for its questions; defaults to that of the settings
    limit = 100                     # all of them, if left out
    seed = 0                        # of the draw; the first ones, if left out

    [methods.searchain]
    [methods.searchain-unverified]  # a variant under another label
    name = "searchain"
    verify = false

    [methods.mine]                  # a method in your own file; datasets are named the same way
    name = "./mine.py:Picky"

    [methods.cot_sc]                # a method that samples, run once for each seed
    seeds = [0, 1, 2]               # each is a cell with separate records: cot_sc@0, cot_sc@1, cot_sc@2

Options whose names are reserved (`name`, `corpus`, `limit`, `seed`, `seeds`) can be given in a table `options`. Paths are
relative to the working directory. Methods without options can also be a list: `methods = ["direct", "ircot"]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hopweave.core.building import build
from hopweave.core.catalog import Role, full_name, key_of
from hopweave.core.errors import DataError, SettingsError, suggest
from hopweave.core.files import WHAT_MAY_BE, is_file_name, read_toml, read_whole
from hopweave.core.part_files import allow, hashes, part_file
from hopweave.evaluation.runs.folder import MAX_SEED, DatasetPlan, MethodPlan, Plan
from hopweave.evaluation.runs.shard import Shard
from hopweave.run.nested_settings import merged
from hopweave.run.settings import Settings, check_tables
from hopweave.run.trust import named_files

_TABLES = ("datasets", "methods", "settings")


@dataclass(frozen=True, slots=True)
class Flags:
    """What the command line says about the plan.

    Attributes:
        datasets: labels of the file's datasets to take; without a file, names of datasets, or paths of files.
        methods: likewise.
        path: file of the dataset, where there is one dataset.
        limit: of every dataset; `seed` likewise.
        settings: keys and values that override those of the file.
        shard: which part of the questions to run, as `2/3`; empty for all.
    """

    datasets: Sequence[str] = ()
    methods: Sequence[str] = ()
    path: Path | None = None
    limit: int | None = None
    seed: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    shard: str = ""


def read_plan(file: Path | None, flags: Flags) -> Plan:
    """The plan of a file with flags applied, or of flags alone. Its settings are as given, not yet merged with the user's own.

    Raises:
        DataError: if the file cannot be read.
        SettingsError: for a name or key that does not exist, a label that is not a valid file name, or nothing to do.
    """
    given = _read(file) if file is not None else _of_flags(flags)
    for key in given:
        if key not in _TABLES:
            raise SettingsError(f"{file}: {key!r} is not a table of a plan; {suggest(key, _TABLES)}")
    where = str(file) if file is not None else "the flags"
    datasets = {label: _dataset(label, table) for label, table in _tables(given, "datasets", where).items()}
    methods: dict[str, MethodPlan] = {}
    for label, table in _tables(given, "methods", where).items():
        for cell, method in _methods(label, table).items():
            if cell in methods:
                raise SettingsError(f"{where}: the label {cell!r} is used twice; choose another one for a method")
            methods[cell] = method
    settings = given.get("settings", {})
    if not isinstance(settings, dict):
        raise SettingsError(f"{where}: settings must be a table")
    check_tables(settings, where)
    plan = _sharded(Plan(datasets, methods, merged(settings, flags.settings)), flags)
    return chosen(plan, flags) if file is not None else plan


def chosen(plan: Plan, flags: Flags) -> Plan:
    """The datasets and methods of a plan that flags name, with the limit, the seed and the path that they give.

    Raises:
        SettingsError: for a label that the plan does not have.
    """
    datasets = _taken(plan.datasets, flags.datasets, "datasets")
    wanted = [cell for label in flags.methods for cell in plan.cells_by_method.get(label, (label,))]
    methods = _taken(plan.methods, wanted, "methods")
    if flags.path is not None:
        if len(datasets) != 1:
            raise SettingsError("--path needs a single dataset; choose it with --dataset, or give each its path in the plan")
        label, dataset = next(iter(datasets.items()))
        datasets = {label: replace(dataset, options={**dataset.options, "path": str(flags.path)})}
    drawn = {key: value for key, value in (("limit", flags.limit), ("seed", flags.seed)) if value is not None}
    datasets = {label: replace(one, **drawn) for label, one in datasets.items()}
    return _sharded(replace(plan, datasets=datasets, methods=methods), flags)


def in_full(plan: Plan, settings: Settings) -> Plan:
    """The plan with the final settings of the run, wherever they came from, without secrets.

    Raises:
        SettingsError: if it names a file of the user's that cannot be read.
    """
    public = settings.public()
    whole = replace(plan, settings={key: value for key, value in public.items() if key not in ("method", "whole_corpus")})
    named = [*named_files(whole.settings), *named_files(whole.parts)]
    files = {path: sha256 for _, name in named for path, sha256 in hashes(name).items()}
    return replace(whole, files=dict(sorted(files.items())))


def _sharded(plan: Plan, flags: Flags) -> Plan:
    return replace(plan, shard=str(Shard.of(flags.shard))) if flags.shard else plan


def _of_flags(flags: Flags) -> dict[str, Any]:
    if not flags.datasets or not flags.methods:
        raise SettingsError(
            "there is nothing to do; give a plan file, or a dataset and methods: --dataset starter --methods direct,stitch "
            "(other datasets need --path FILE)"
        )
    if len(flags.datasets) > 1 and flags.path is not None:
        raise SettingsError("--path needs a single dataset; write a plan file for several")
    table: dict[str, Any] = {key: getattr(flags, key) for key in ("limit", "seed") if getattr(flags, key) is not None}
    if flags.path is not None:
        table["path"] = str(flags.path)
    return {"datasets": _labelled("datasets", flags.datasets, table), "methods": _labelled("methods", flags.methods, {})}


def _labelled(role: Role, names: Sequence[str], table: Mapping[str, Any]) -> dict[str, Any]:
    """A table for each name. A part in a file goes under the name of its class, which fits into a table and a path."""
    tables: dict[str, Any] = {}
    for name in names:
        label = name
        if part_file(name) is not None:
            allow(name)
            label = key_of(role, name)
        if label in tables and tables[label] != {**table, "name": name}:
            raise SettingsError(f"two of the {role} are called {label}; give them different labels in a plan file")
        tables[label] = {**table, "name": name}
    return tables


def _read(file: Path) -> dict[str, Any]:
    try:
        return read_toml(read_whole(file))
    except OSError as error:
        raise DataError(f"cannot read the plan {file}: {error.strerror}; check the path") from None
    except ValueError as error:
        raise DataError(f"the plan {file} is not TOML: {error}; correct it there") from None


def _tables(given: Mapping[str, Any], what: str, where: str) -> dict[str, dict[str, Any]]:
    tables = given.get(what) or {}
    if isinstance(tables, list):
        tables = {str(name): {} for name in tables}
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise SettingsError(f"{where}: {what} must be tables, such as [{what}.LABEL]")
    if not tables:
        raise SettingsError(f"{where}: there are no {what}; name at least one")
    seen: dict[str, str] = {}
    for label in tables:
        if not is_file_name(label):
            raise SettingsError(f"{where}: {label!r} cannot be a label; use {WHAT_MAY_BE}")
        other = seen.setdefault(label.casefold(), label)
        if other != label:  # on some disks they would be the same file
            raise SettingsError(f"{where}: the labels {other!r} and {label!r} differ in capitals only; choose others")
    return tables


def _dataset(label: str, table: Mapping[str, Any]) -> DatasetPlan:
    values, options = _parted(table, ("name", "corpus", "limit", "seed"))
    plan = build(DatasetPlan, {"name": label, **values, "options": options}, f"datasets.{label}")
    plan = replace(plan, name=_name("datasets", plan.name, label))
    if plan.limit is not None and plan.limit < 1:
        raise SettingsError(f"datasets.{label}.limit must be at least 1, not {plan.limit}; leave it out to take all")
    return plan


def _methods(label: str, table: Mapping[str, Any]) -> dict[str, MethodPlan]:
    """The method of a label, or one for each of its seeds."""
    values, options = _parted(table, ("name", "seeds"))
    seeds = _seeds(label, values.pop("seeds", None))
    plan = build(MethodPlan, {"name": label, **values, "options": options}, f"methods.{label}")
    plan = replace(plan, name=_name("methods", plan.name, label))
    return {f"{label}@{seed}": replace(plan, seed=seed, repeats=label) for seed in seeds} or {label: plan}


def _seeds(label: str, given: Any) -> list[int]:
    if given is None:
        return []
    are_numbers = isinstance(given, list) and all(type(seed) is int and 0 <= seed <= MAX_SEED for seed in given)
    if not are_numbers or not given or len(set(given)) < len(given):
        raise SettingsError(
            f"methods.{label}.seeds must be a list of different whole numbers from 0 to {MAX_SEED:,}, not {given!r}; write "
            "it as seeds = [0, 1, 2]"
        )
    return list(given)


def _parted(table: Mapping[str, Any], keys: Iterable[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The keys of a part other than its options, and its options."""
    ours = {key: table[key] for key in keys if key in table}
    more = table.get("options", {})
    if not isinstance(more, dict):
        raise SettingsError("options must be a table of options")
    return ours, {key: value for key, value in table.items() if key not in ours and key != "options"} | more


def _name(role: Role, name: str, label: str) -> str:
    """The full name of a part that the user names, here or on the command line."""
    allow(name)
    try:
        return full_name(role, name)
    except SettingsError as error:
        advice = f" (or give [{role}.{label}] a name)" if name == label else ""
        raise SettingsError(f"{error}{advice}") from None


def _taken(plans: Mapping[str, Any], labels: Sequence[str], what: str) -> dict[str, Any]:
    for label in labels:
        if label not in plans:
            raise SettingsError(f"the plan has no {label!r} among its {what}; {suggest(label, plans)}")
    return {label: plan for label, plan in plans.items() if not labels or label in labels}
