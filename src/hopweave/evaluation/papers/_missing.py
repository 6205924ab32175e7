"""What to evaluate where a run lacks what an analysis needs: the exact command."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from hopweave.core.catalog import Role, key_of
from hopweave.core.redaction import LEFT_OUT
from hopweave.evaluation.papers._published import Variant, variants_of
from hopweave.evaluation.runs.folder import DatasetPlan
from hopweave.evaluation.scoring.loaded_runs import DatasetCells

_ROLES: Mapping[str, Role] = {
    "llm": "llms",
    "retriever": "retrievers",
    "reader": "readers",
    "duplicate_detector": "duplicate_detectors",
}


def how_to_evaluate(
    dataset: DatasetCells,
    one: Variant,
    *,
    plan: DatasetPlan | None = None,
    suffix: str = "",
    settings: Mapping[str, Any] | None = None,
) -> str:
    """The command that makes the records of a variant, and the flag that gives them to the analysis.

    Args:
        dataset: of the run that lacks them; its model, engine and corpus are kept.
        one: the method with its options.
        plan: a dataset other than that of the run.
        suffix: of the folder's name; by default the key of the variant.
        settings: that should differ from the run's.
    """
    wanted = plan or dataset.plan
    out = f"{dataset.run.path}-{suffix or one.key}"
    flags = [_set(key, value) for key, value in (_settings(dataset, wanted, one) | dict(settings or {})).items()]
    flags += [_set(f"methods.{one.method}.{key}", value) for key, value in one.options.items()]
    if set(wanted.options) <= {"path"}:
        given = {"path": wanted.options.get("path"), "limit": wanted.limit, "seed": wanted.seed}
        drawn = [f"--{key} {shlex.quote(str(value))}" for key, value in given.items() if value is not None]
        command = _command([f"--dataset {wanted.name}", *drawn, f"--methods {one.method}", *flags], out)
        return f"{one.title} on {dataset.label}: {command}"
    more = {key: value for key, value in (("limit", wanted.limit), ("seed", wanted.seed)) if value is not None}
    table = ", ".join(f"{key} = {_toml(value)}" for key, value in {"name": wanted.name, **wanted.options, **more}.items())
    lines = [f"datasets.{_label(wanted)} = {{ {table} }}", f"methods.{one.method} = {{}}"]
    file = shlex.quote(f"{out}.toml")
    written = f"printf '%s\\n' {' '.join(map(shlex.quote, lines))} > {file}"
    return f"{one.title} on {_label(wanted)}: {written} && {_command([file, *flags], out)}"


def _command(parts: Sequence[str], out: str) -> str:
    place = shlex.quote(out)
    return f"hopweave evaluate {' '.join(parts)} --out {place}, then analyse again with: --with {place}"


def _settings(dataset: DatasetCells, wanted: DatasetPlan, one: Variant) -> dict[str, Any]:
    """The settings of the run that determine its records: its parts with their options, and how replies are drawn.

    An ablation has the options of the method that it is compared with.
    """
    own = {**dataset.run.plan.settings, **({"corpus": wanted.corpus} if wanted.corpus else {})}
    same = {key: own[key] for key in (*_ROLES, "corpus") if key in own}
    parts = [(role, own.get(key)) for key, role in _ROLES.items()]
    for role, name in (*parts, ("methods", one.method)):
        key_in_settings = key_of(role, name) if name else ""
        options = {**own.get(role, {}).get(key_in_settings, {}), **(_compared(dataset, one) if role == "methods" else {})}
        same |= {f"{role}.{key_in_settings}.{key}": value for key, value in options.items() if key not in one.options}
    for key in ("sampling", "budget"):
        same |= {f"{key}.{name}": value for name, value in own.get(key, {}).items()}
    return {key: value for key, value in same.items() if value != LEFT_OUT}


def _compared(dataset: DatasetCells, one: Variant) -> Mapping[str, Any]:
    """The options that the run's plan gives to the method of a variant; those of an ablation only if there is no other."""
    cells = [cell for cell in dataset.cells if cell.run is dataset.run and cell.name == one.method]
    whole = [cell for cell in cells if any(each.key == one.method and each.is_of(cell) for each in variants_of(one.method))]
    return next((cell.run.plan.methods[cell.method].options for cell in [*whole, *cells]), {})


def _set(key: str, value: Any) -> str:
    said = value if isinstance(value, str) else _toml(value)
    return f"--set {shlex.quote(f'{key}={said}')}"


def _label(plan: DatasetPlan) -> str:
    form = plan.options.get("form")
    return f"{plan.name}_{form}" if form else plan.name


def _toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
