"""The tables of a run's scores: a mean for each column and cell, with counts of everything left out of it."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopweave.core.errors import DataError
from hopweave.core.files import read_json, read_whole
from hopweave.core.part_files import allow, hashes, part_file
from hopweave.core.types import AnswerForm, Column
from hopweave.evaluation.runs.folder import Plan, RunFolder
from hopweave.evaluation.runs.writing import write_file
from hopweave.evaluation.scoring import per_cost
from hopweave.evaluation.scoring.cells import Scored, cell_of, means_of, named_columns, scored
from hopweave.evaluation.scoring.frontier import Planes, frontiers_of
from hopweave.evaluation.scoring.over_datasets import macro_means
from hopweave.evaluation.scoring.over_seeds import by_method, over_seeds
from hopweave.evaluation.scoring.ranking import ranking_of
from hopweave.evaluation.scoring.results import Cell, FailureKind, Frontier, Group, MacroMean, OverSeeds, Ranking
from hopweave.evaluation.scoring.score import (
    PRIMARY,
    OpenMetric,
    Score,
    official_options,
    open_metrics,
    records_hashes,
)
from hopweave.run.trust import Found, check_trust, is_trusted, trust_own

SCHEMA = "hopweave.scores/3"
FILE = "scores.json"

COSTS = ("total_tokens", "llm_calls", "seconds", "cost")
"""The costs that quality is plotted against, where there is data for them."""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Summary:
    """The output of `hopweave score`.

    Attributes:
        metrics: name, options, and forms of answer (none: all) of each.
        left_out: metrics that were not computed, with the reason.
        records: hashes of what was scored; see `records_hashes`.
        by: the traits that `groups` are by.
        seed: of the bootstrap and the permutations.
        rankings: of the methods on each dataset, by its primary column.
        cells: in the order of the plan, including those without a record.
        groups: the cells restricted to the values of the traits.
        failures: of metrics, by cell.
        macro: the mean of each method over the datasets, if there are several.
        frontiers: the primary column of each dataset against each cost.
        seeds: mean and spread of the methods that were run under several seeds.
        official: the options that metrics take from the official script of a dataset, by label and metric.
    """

    metrics: tuple[Mapping[str, Any], ...]
    left_out: Mapping[str, str]
    records: Mapping[str, str]
    by: tuple[str, ...]
    seed: int
    rankings: tuple[Ranking, ...]
    cells: tuple[Cell, ...]
    groups: tuple[Group, ...]
    failures: tuple[FailureKind, ...]
    macro: tuple[MacroMean, ...]
    frontiers: tuple[Frontier, ...]
    seeds: tuple[OverSeeds, ...]
    official: Mapping[str, Mapping[str, Mapping[str, Any]]]

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        plain: dict[str, Any] = json.loads(json.dumps({"schema": SCHEMA, **dataclasses.asdict(self)}))
        return plain

    def write(self, run: RunFolder) -> None:
        """Writes `scores.json`. The user who scores a run named its metrics, so the named files are trusted.

        Raises:
            DataError: if it cannot be written.
        """
        text = json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n"
        write_file(run.path / FILE, text)
        trust_own(_found(run.path, text.encode(), self.metrics))


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
        run: the scored run.
        scores: of its records.
        metrics: that scored them.
        left_out: see `Summary`.
        by: traits to group by.
        seed: of the bootstrap intervals.

    Raises:
        DataError: if a dataset has 2^18 questions or more.
        SettingsError, MissingExtra: as in `official_options`.
    """
    cells: list[Cell] = []
    groups: list[Group] = []
    failures = list(_failures(scores))
    datasets = scored_datasets(run, scores, metrics)
    primary = primary_columns(run, columns_of(metrics))
    for found in datasets:
        made, broken = _cells(found, metrics, seed)
        cells += made
        failures += broken
        groups += _groups(found, metrics, by, seed)
    return Summary(
        metrics=tuple(map(_row, metrics)),
        left_out=dict(left_out or {}),
        records=records_hashes(run),
        by=tuple(by),
        seed=seed,
        rankings=tuple(
            ranking
            for found in datasets
            if (ranking := ranking_of(found, primary.get(found.dataset, ""), run.plan, seed)) is not None
        ),
        cells=tuple(cells),
        groups=tuple(groups),
        failures=tuple(failures),
        macro=tuple(macro_means(datasets, primary, run.plan, seed)),
        frontiers=tuple(one for found in datasets for one in _frontiers(found, primary.get(found.dataset, ""), run.plan, seed)),
        seeds=tuple(one for found in datasets for one in over_seeds(found, run.plan)),
        official=_official(run, metrics),
    )


def _row(metric: OpenMetric) -> dict[str, Any]:
    """The stored description of a metric; for one in a file, with its SHA-256."""
    row = {"name": metric.name, "options": dict(metric.options), "forms": sorted(metric.forms)}
    return row | ({"files": files} if (files := hashes(metric.name)) else {})


def found_scores(folder: Path) -> Found | None:
    """The scores of a run as a file on disk, which the user may have to trust; `None` if there are none.

    Raises:
        DataError: if they cannot be read.
    """
    place = folder / FILE
    try:
        content = read_whole(place)
        return _found(folder, content, read_json(content)["metrics"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError):
        raise DataError(f"{place} cannot be read; make it again with: hopweave score {folder}") from None


def _found(folder: Path, content: bytes, rows: Iterable[Mapping[str, Any]]) -> Found:
    return Found(folder / FILE, content, {}, {"metrics": {row["name"]: dict(row["options"]) for row in rows}})


def _check_files(run: RunFolder, rows: Any) -> None:
    """Lets metrics in files be imported, if the user trusts the scores that name them and the files are unchanged."""
    listed = rows if isinstance(rows, list) else []  # anything else is reported by the code that reads them
    of_files = [row for row in listed if isinstance(row, Mapping) and part_file(row.get("name")) is not None]
    file = found_scores(run.path) if of_files else None
    if file is not None and not is_trusted(file):
        check_trust([file], {}, {})
    for row in of_files:
        if hashes(row["name"]) != row.get("files"):
            raise DataError(f"{row['name']} is not what {run.path} was scored with; run again: hopweave score {run.path}")
        allow(row["name"])


def read_summary(run: RunFolder) -> dict[str, Any] | None:
    """The contents of `scores.json`; `None` if there is none.

    Raises:
        DataError: if it cannot be read, or a file that holds a metric has changed.
        SettingsError: if it names such a file and is not trusted.
    """
    place = run.path / FILE
    try:
        found = read_json(read_whole(place))
        if found["schema"] != SCHEMA:
            raise DataError(f"{place} has schema {found['schema']!r}; make it again with: hopweave score {run.path}")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError):
        raise DataError(f"{place} cannot be read; make it again with: hopweave score {run.path}") from None
    plain: dict[str, Any] = found
    _check_files(run, plain.get("metrics"))
    return plain


def metrics_of(found: Mapping[str, Any]) -> list[OpenMetric]:
    """The metrics of what `read_summary` found, created again.

    Raises:
        DataError: if it does not name them.
        SettingsError, MissingExtra: as in `open_metrics`.
    """
    try:
        given = {row["name"]: dict(row["options"]) for row in found["metrics"]}
        forms = {row["name"]: frozenset(row["forms"]) for row in found["metrics"]}
    except (KeyError, TypeError, ValueError):
        raise DataError(f"{FILE} does not say which metrics it is of; make it again with: hopweave score") from None
    return [dataclasses.replace(metric, forms=forms[metric.name]) for metric in open_metrics(list(given), given)[0]]


def columns_of(metrics: Iterable[OpenMetric]) -> dict[str, Column]:
    """The columns that tables of these metrics have, by the name that they have there."""
    found = {shown: one.column for shown, one in named_columns(metrics).items()}
    return found | per_cost.rate_columns(found)


def scored_datasets(run: RunFolder, scores: Iterable[Score], metrics: Sequence[OpenMetric]) -> list[Scored]:
    """The scores of the records of each dataset of a run."""
    of_cell: dict[Key, list[Score]] = {(d, m): [] for d in run.plan.datasets for m in run.plan.methods}
    for score in scores:
        of_cell[score.dataset, score.method].append(score)
    return [
        scored(dataset, run.examples(dataset), {method: of_cell[dataset, method] for method in run.plan.methods}, metrics)
        for dataset in run.plan.datasets
    ]


def columns_by_form(forms: Collection[AnswerForm]) -> dict[AnswerForm, str]:
    """The column that methods are compared by for each form of answer of a dataset.

    Short answers and labels in one dataset have the column that is for both.

    >>> columns_by_form({"label"})
    {'label': 'label_accuracy'}
    >>> sorted(columns_by_form({"label", "short", "long"}).items())
    [('label', 'cover_em'), ('long', 'rouge_l'), ('short', 'cover_em')]
    """
    return {form: PRIMARY["short" if form == "label" and "short" in forms else form] for form in forms}


def primary_columns(run: RunFolder, columns: Container[str]) -> dict[str, str]:
    """The column that methods are compared by, for each dataset: that of most of its questions; see `columns_by_form`."""
    found = {}
    for dataset in run.plan.datasets:
        forms = [example.question.form for example in run.examples(dataset)]
        column_of = columns_by_form(set(forms))
        counts = Counter(column_of[form] for form in forms)
        column = min(counts, key=lambda name: (-counts[name], name), default="")
        if column in columns:
            found[dataset] = column
    return found


def _cells(found: Scored, metrics: Sequence[OpenMetric], seed: int) -> tuple[list[Cell], list[FailureKind]]:
    means, broken = means_of(found, metrics, seed)
    for name, of_method in per_cost.figures(found, seed).items():
        for method, mean in of_method.items():
            means[method][name] = mean
    return [cell_of(found, method, means[method]) for method in found.rows], broken


def _frontiers(found: Scored, quality: str, plan: Plan, seed: int) -> list[Frontier]:
    if not quality:
        return []
    costs = {name: by_method(found.columns.get(name, {}), plan) for name in COSTS}
    good = by_method(found.columns[quality], plan)
    return frontiers_of(Planes(found.dataset, found.order, list(plan.cells_by_method), quality, good, costs), seed)


def _groups(found: Scored, metrics: Sequence[OpenMetric], by: Sequence[str], seed: int) -> Iterator[Group]:
    for trait in by:
        values = {example.traits.get(trait, "") for example in found.examples}
        for value in sorted(values, key=lambda one: (isinstance(one, str), one if isinstance(one, int) else 0, str(one))):
            chosen = [example for example in found.examples if example.traits.get(trait, "") == value]
            yield from (Group(trait, value, cell) for cell in _cells(found.among(chosen), metrics, seed)[0])


def _official(run: RunFolder, metrics: Iterable[OpenMetric]) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Where a metric follows the official script of a dataset, unless its options were set."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for metric in metrics:
        for label, plan in run.plan.datasets.items():
            options = official_options(plan.name, metric.name)
            if any(key not in metric.options for key in options):
                found.setdefault(label, {})[metric.name] = {**options, **metric.options}
    return found


def _failures(scores: Iterable[Score]) -> Iterable[FailureKind]:
    found: dict[tuple[str, str, str, str], list[Score]] = {}
    for score in scores:
        if score.error is not None:
            found.setdefault((score.dataset, score.method, score.metric, score.error.kind), []).append(score)
    for (dataset, method, metric, kind), rows in found.items():
        message = rows[0].error.message if rows[0].error is not None else ""
        yield FailureKind(dataset, method, f"metric {metric}", kind, message, tuple(row.question for row in rows))
