"""What to evaluate where a run lacks what an analysis needs: the exact command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hopweave.evaluation.analyses._published import Variant
from hopweave.evaluation.gathered import DatasetCells
from hopweave.evaluation.run_folder import DatasetPlan

_SETTINGS = ("llm", "retriever", "reader", "corpus")


def how_to_evaluate(
    dataset: DatasetCells,
    one: Variant,
    *,
    plan: DatasetPlan | None = None,
    suffix: str = "",
    settings: Mapping[str, Any] | None = None,
) -> str:
    """The command that makes the records of a variant, and the flag that shows them to the analysis.

    Args:
        dataset: of the run that lacks them; its model, engine and corpus are kept.
        one: the method with its options.
        plan: another dataset than that of the run.
        suffix: of the folder's name; by default the key of the variant.
        settings: that are to be other than the run's.
    """
    wanted = plan or dataset.plan
    out = f"{dataset.run.path}-{suffix or one.key}"
    own = {**dataset.run.plan.settings, **({"corpus": wanted.corpus} if wanted.corpus else {})}
    same = {key: own[key] for key in _SETTINGS if key in own}
    flags = [f"--set {key}={_said(value)}" for key, value in {**same, **(settings or {})}.items()]
    flags += [f"--set methods.{one.method}.{key}={_said(value)}" for key, value in one.options.items()]
    if set(wanted.options) <= {"path"}:
        given = {"path": wanted.options.get("path"), "limit": wanted.limit, "seed": wanted.seed}
        drawn = [f"--{key} {value}" for key, value in given.items() if value is not None]
        command = _command([f"--dataset {wanted.name}", *drawn, f"--methods {one.method}", *flags], out)
        return f"{one.title} on {dataset.label}: {command}"
    more = {key: value for key, value in (("limit", wanted.limit), ("seed", wanted.seed)) if value is not None}
    table = ", ".join(f"{key} = {_toml(value)}" for key, value in {"name": wanted.name, **wanted.options, **more}.items())
    lines = f"'datasets.{_label(wanted)} = {{ {table} }}' 'methods.{one.method} = {{}}'"
    return f"{one.title} on {_label(wanted)}: printf '%s\\n' {lines} > {out}.toml && {_command([f'{out}.toml', *flags], out)}"


def _command(parts: Sequence[str], out: str) -> str:
    return f"hopweave evaluate {' '.join(parts)} --out {out}, then analyse again with: --with {out}"


def _label(plan: DatasetPlan) -> str:
    form = plan.options.get("form")
    return f"{plan.name}_{form}" if form else plan.name


def _said(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
