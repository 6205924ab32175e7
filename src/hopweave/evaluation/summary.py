"""The tables of a run's scores: a mean a column and cell, and beside it all that was left out of it, counted."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopweave.errors import DataError
from hopweave.evaluation.run_folder import RunFolder
from hopweave.evaluation.score import OpenMetric, Score, open_metrics, records_hashes, write_whole
from hopweave.evaluation.statistics import bootstrap_means, mean_interval
from hopweave.evaluation.tables import Cell, FailureKind, Group, Interval, Mean
from hopweave.plain_data import read_json
from hopweave.protocols import Combining
from hopweave.trace import Failure
from hopweave.types import Column, Example

SCHEMA = "hopweave.scores/1"
FILE = "scores.json"

Key = tuple[str, str]
_Rows = list[Score]


@dataclass(frozen=True, slots=True)
class Summary:
    """What `hopweave score` prints.

    Attributes:
        metrics: name, options, and forms of answer (none: all) of each.
        left_out: metrics that were not computed, with the reason.
        records: hashes of what was scored; see `records_hashes`.
        by: the traits that `groups` are of.
        seed: of the bootstrap.
        cells: in the order of the plan; those without a record, too.
        groups: the cells cut down to the values of the traits.
        failures: of metrics, by cell.
    """

    metrics: tuple[Mapping[str, Any], ...]
    left_out: Mapping[str, str]
    records: Mapping[str, str]
    by: tuple[str, ...]
    seed: int
    cells: tuple[Cell, ...]
    groups: tuple[Group, ...]
    failures: tuple[FailureKind, ...]

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        plain: dict[str, Any] = json.loads(json.dumps({"schema": SCHEMA, **dataclasses.asdict(self)}))
        return plain

    def write(self, run: RunFolder) -> None:
        """Writes `scores.json`."""
        write_whole(run.path / FILE, json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n")


def summarize(
    run: RunFolder,
    scores: Sequence[Score],
    metrics: Sequence[OpenMetric],
    *,
    left_out: Mapping[str, str] | None = None,
    by: Sequence[str] = (),
    seed: int = 0,
) -> Summary:
    """The tables of scores.

    Args:
        run: that was scored.
        scores: of its records.
        metrics: that scored them.
        left_out: see `Summary`.
        by: traits to group by.
        seed: of the bootstrap intervals.
    """
    of_cell: dict[Key, _Rows] = {(d, m): [] for d in run.plan.datasets for m in run.plan.methods}
    for score in scores:
        of_cell[score.dataset, score.method].append(score)
    cells: list[Cell] = []
    groups: list[Group] = []
    failures = list(_failures(scores))
    for dataset in run.plan.datasets:
        examples = run.examples(dataset)
        of_method = {method: of_cell[dataset, method] for method in run.plan.methods}
        made, broken = _cells(dataset, examples, of_method, metrics, seed)
        cells += made
        failures += broken
        for trait in by:
            for value in _values_of(trait, examples):
                chosen = [example for example in examples if example.traits.get(trait, "") == value]
                ids = {example.question.id for example in chosen}
                cut = {method: [score for score in rows if score.question in ids] for method, rows in of_method.items()}
                groups += [Group(trait, value, cell) for cell in _cells(dataset, chosen, cut, metrics, seed)[0]]
    return Summary(
        metrics=tuple(
            {"name": metric.name, "options": dict(metric.options), "forms": sorted(metric.forms)} for metric in metrics
        ),
        left_out=dict(left_out or {}),
        records=records_hashes(run),
        by=tuple(by),
        seed=seed,
        cells=tuple(cells),
        groups=tuple(groups),
        failures=tuple(failures),
    )


def read_summary(run: RunFolder) -> dict[str, Any] | None:
    """What `scores.json` holds; `None` if there is none.

    Raises:
        DataError: if it cannot be read.
    """
    place = run.path / FILE
    try:
        found = read_json(place.read_bytes())
        if found["schema"] != SCHEMA:
            raise DataError(f"{place} has schema {found['schema']!r}; make it anew with: hopweave score {run.path}")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError):
        raise DataError(f"{place} cannot be read; make it anew with: hopweave score {run.path}") from None
    plain: dict[str, Any] = found
    return plain


def metrics_of(found: Mapping[str, Any]) -> list[OpenMetric]:
    """The metrics of what `read_summary` found, made anew.

    Raises:
        DataError: if it does not say which.
    """
    try:
        given = {row["name"]: dict(row["options"]) for row in found["metrics"]}
        forms = {row["name"]: frozenset(row["forms"]) for row in found["metrics"]}
    except (KeyError, TypeError, ValueError):
        raise DataError(f"{FILE} does not say which metrics it is of; make it anew with: hopweave score") from None
    return [dataclasses.replace(metric, forms=forms[metric.name]) for metric in open_metrics(list(given), given)[0]]


def columns_of(metrics: Iterable[OpenMetric]) -> dict[str, Column]:
    """The columns of all metrics by the name under which they stand in tables, those of whole cells included."""
    found: dict[str, Column] = {}
    for opened in metrics:
        both = {**opened.columns, **(getattr(opened.metric, "combined", None) or {})}
        for name, column in both.items():
            found[name if name not in found else f"{opened.name}.{name}"] = column
    return found


def _cells(
    dataset: str, examples: Sequence[Example], of_method: Mapping[str, _Rows], metrics: Sequence[OpenMetric], seed: int
) -> tuple[list[Cell], list[FailureKind]]:
    order = [example.question.id for example in examples]
    means: dict[str, dict[str, Mean]] = {method: {} for method in of_method}
    samples: list[list[float | None]] = []
    places: list[tuple[str, str]] = []
    broken: list[FailureKind] = []
    taken: set[str] = set()
    for opened in metrics:
        rows_of = {
            method: {score.question: score for score in rows if score.metric == opened.name}
            for method, rows in of_method.items()
        }
        for column_name, column in opened.columns.items():
            key = column_name if column_name not in taken else f"{opened.name}.{column_name}"
            taken.add(key)
            for method, rows in rows_of.items():
                if rows:
                    means[method][key] = _mean(column_name, column, list(rows.values()))
                    sample = [_value(rows.get(asked), column_name) for asked in order]
                    if len(set(sample) - {None}) > 1:  # without a spread there is no interval to draw for
                        places.append((method, key))
                        samples.append(sample)
        whole: Any = opened.metric
        if isinstance(whole, Combining):
            for method, rows in rows_of.items():
                figures, failure = _combined(whole, list(rows.values()))
                for name, mean in figures.items():
                    means[method][name if name not in taken else f"{opened.name}.{name}"] = mean
                if failure is not None:
                    where = f"metric {opened.name}"
                    broken.append(FailureKind(dataset, method, where, failure.kind, failure.message, ()))
            taken.update(whole.combined)
    for (method, key), sample, drawn in zip(places, samples, bootstrap_means(samples, seed=seed), strict=True):
        bounds = mean_interval(sample, drawn)
        interval = Interval(bounds.low, bounds.high) if bounds is not None else None
        means[method][key] = dataclasses.replace(means[method][key], interval=interval)
    return [_cell(dataset, method, len(examples), rows, means[method]) for method, rows in of_method.items()], broken


def _cell(dataset: str, method: str, num_questions: int, rows: _Rows, means: Mapping[str, Mean]) -> Cell:
    states = {score.question: score.record for score in rows}
    count = list(states.values()).count
    return Cell(
        dataset, method, num_questions, len(states), count("failed"), count("unparsed"), count("abstained"), dict(means)
    )


def _mean(name: str, column: Column, rows: _Rows) -> Mean:
    values = [score.values[name] for score in rows if score.values is not None and name in score.values]
    num_failed = sum(score.values is None for score in rows)
    total, num = math.fsum(values), len(values)
    bounds = None
    if num_failed and math.isfinite(column.low) and math.isfinite(column.high):
        low, high = ((total + num_failed * worst) / (num + num_failed) for worst in (column.low, column.high))
        bounds = Interval(low, high)
    return Mean(total / num if num else None, num, num_failed, len(rows) - num - num_failed, None, bounds)


def _combined(metric: Combining, rows: _Rows) -> tuple[dict[str, Mean], Failure | None]:
    values = [score.values for score in rows if score.values is not None]
    if not rows:
        return {}, None
    num_failed = len(rows) - len(values)
    try:
        figures = {name: float(value) for name, value in metric.combine(values).items()}
        for name, value in figures.items():
            if name not in metric.combined or not math.isfinite(value):
                raise ValueError(f"it gave {value} for {name!r}")
    except Exception as error:  # noqa: BLE001 - whatever a metric does, it is named, and the others go on
        return {}, Failure.of(error)
    num = sum(map(bool, values))
    return {
        name: Mean(figures.get(name), num if name in figures else 0, num_failed, len(values) - (num if name in figures else 0))
        for name in metric.combined
    }, None


def _value(score: Score | None, column: str) -> float | None:
    return score.values.get(column) if score is not None and score.values is not None else None


def _values_of(trait: str, examples: Sequence[Example]) -> list[str | int]:
    values = {example.traits.get(trait, "") for example in examples}
    return sorted(values, key=lambda value: (isinstance(value, str), value if isinstance(value, int) else 0, str(value)))


def _failures(scores: Iterable[Score]) -> Iterable[FailureKind]:
    found: dict[tuple[str, str, str, str], list[Score]] = {}
    for score in scores:
        if score.error is not None:
            found.setdefault((score.dataset, score.method, score.metric, score.error.kind), []).append(score)
    for (dataset, method, metric, kind), rows in found.items():
        message = rows[0].error.message if rows[0].error is not None else ""
        yield FailureKind(dataset, method, f"metric {metric}", kind, message, tuple(row.question for row in rows))
