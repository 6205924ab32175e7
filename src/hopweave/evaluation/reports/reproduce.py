"""The commands that reproduce a run and its report, and the run's plan as the TOML that they read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from shlex import join
from typing import Any

from hopweave.core.catalog import entries, key_of
from hopweave.evaluation.runs.folder import Plan, RunFolder
from hopweave.evaluation.scoring.comparisons import Comparisons
from hopweave.evaluation.scoring.statistics import NUM_RESAMPLES

PLAN_FILE = "plan.toml"


def commands_for(
    run: RunFolder, found: Mapping[str, Any], tables: Sequence[Comparisons], facts: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    """The commands, in order.

    Args:
        run: that was made.
        found: what `scores.json` holds.
        tables: what `compare.json` holds.
        facts: of the run; the version is among them.
    """
    name = run.path.resolve().name
    versions = dict(facts).get("version", "").splitlines()
    lines = [["python", "-m", "pip", "install", f"hopweave=={version}"] for version in versions[-1:]]
    lines.append(["hopweave", "evaluate", PLAN_FILE, "--out", name])
    lines.append(["hopweave", "score", name, *_score_flags(found)])
    compared = dict.fromkeys(tuple(_compare_flags(run, table)) for table in tables)
    lines += [["hopweave", "compare", name, *flags] for flags in compared]
    lines += [["hopweave", "report", name], ["hopweave", "verify", name]]
    return tuple(join(line) for line in lines)


def compare_command(run: RunFolder, table: Comparisons) -> str:
    """The command that makes a table of comparisons again."""
    return join(["hopweave", "compare", str(run.path), *_compare_flags(run, table)])


def _score_flags(found: Mapping[str, Any]) -> Iterator[str]:
    names = [metric["name"] for metric in found["metrics"]]
    if set(names) != set(entries("metrics")) - set(found.get("left_out", {})):
        yield from ("--metrics", ",".join(names))
    for metric in found["metrics"]:
        for option, value in metric["options"].items():
            key = key_of("metrics", metric["name"])
            yield from ("--set", f"metrics.{key}.{option}={value if isinstance(value, str) else json.dumps(value)}")
    for trait in found.get("by", ()):
        yield from ("--by", trait)
    if found.get("seed"):
        yield from ("--seed", str(found["seed"]))


def _compare_flags(run: RunFolder, table: Comparisons) -> Iterator[str]:
    yield from ("--metrics", f"{table.metric}.{table.column}", "--baseline", table.baseline)
    for further in table.runs:
        if further.name:
            yield from ("--with", further.name)
    if table.runs or set(table.methods) != set(run.plan.cells_by_method) - {table.baseline}:
        yield from ("--methods", ",".join(table.methods))
    for option, value in table.options.items():
        yield from (
            "--set",
            f"metrics.{key_of('metrics', table.metric)}.{option}={value if isinstance(value, str) else json.dumps(value)}",
        )
    if table.seed:
        yield from ("--seed", str(table.seed))
    if table.num_resamples != NUM_RESAMPLES:
        yield from ("--resamples", str(table.num_resamples))


def plan_toml(plan: Plan) -> str:
    """A plan as TOML."""
    lines = ["[settings]", *_pairs(plan.settings)]
    for label, dataset in plan.datasets.items():
        given = {"name": dataset.name, "corpus": dataset.corpus or None, "limit": dataset.limit, "seed": dataset.seed}
        lines += ["", f"[datasets.{_quoted(label)}]", *_pairs({**given, "options": dict(dataset.options) or None})]
    for label, cells in plan.cells_by_method.items():
        method = plan.methods[cells[0]]
        seeds = [plan.methods[cell].seed for cell in cells] if method.repeats else None
        about = {"name": method.name, "seeds": seeds, "options": dict(method.options) or None}
        lines += ["", f"[methods.{_quoted(label)}]", *_pairs(about)]
    return "\n".join(lines) + "\n"


def _pairs(values: Mapping[str, Any]) -> Iterator[str]:
    """A line for each value; TOML has no null, so missing values are left out."""
    return (f"{_quoted(key)} = {_value(value)}" for key, value in values.items() if value is not None)


def _value(value: Any) -> str:
    match value:
        case Mapping():
            return f"{{ {', '.join(_pairs(value))} }}" if value else "{}"
        case list() | tuple():
            return f"[{', '.join(_value(item) for item in value if item is not None)}]"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case _:
            return _quoted(str(value))


def _quoted(text: str) -> str:
    """A string of TOML; JSON's is one, except that TOML requires the control character 7F to be escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
