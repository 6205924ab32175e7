"""Compares the methods of a run with one of them, question by question.

Pairs are the questions that both methods have a value for; the others are left out and counted. For each method: the mean
difference with its bootstrap interval, and a test: McNemar's where all values are 0 or 1, else the paired permutation test.
Holm's correction is over the methods of a table, which is one column on one dataset. The exact p of McNemar's test is the one
that is corrected, since it never promises more than it holds; the mid-p stands beside it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from hopweave.catalog import entries
from hopweave.errors import DataError, SettingsError, suggest
from hopweave.evaluation.comparisons import Compared, Table
from hopweave.evaluation.run_folder import RunFolder
from hopweave.evaluation.score import (
    PRIMARY,
    OpenMetric,
    Score,
    open_metrics,
    read_scores,
    records_hashes,
    score_run,
)
from hopweave.evaluation.statistics import (
    CONFIDENCE,
    NUM_RESAMPLES,
    Bounds,
    bootstrap_means,
    effect_size,
    holm,
    least_p,
    mcnemar,
    mean_interval,
    minimum_detectable,
    percentile_interval,
    sign_flip_tests,
)
from hopweave.evaluation.summary import metrics_of, read_summary
from hopweave.evaluation.tables import Interval
from hopweave.types import AnswerForm

_LEVEL = 1 - CONFIDENCE


def compare(
    run: RunFolder,
    what: Sequence[str] = (),
    *,
    baseline: str = "",
    methods: Sequence[str] = (),
    options: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int = 0,
    num_resamples: int = NUM_RESAMPLES,
    scores: Sequence[Score] | None = None,
) -> list[Table]:
    """Compares methods with a baseline, on every dataset of a run.

    Args:
        run: whose records to compare.
        what: metrics (all their columns), columns, or `METRIC.COLUMN`; none takes the primary column of each dataset.
        baseline: label of a method; the first of the plan if empty.
        methods: labels of those to compare with it; all if none.
        options: of metrics, over those that the run was scored with.
        seed: of the bootstrap and the permutations.
        num_resamples: of both.
        scores: to compare; if absent they are read from `scores.jsonl` where it fits, else computed.

    Raises:
        SettingsError: for a metric, column, option or method that does not exist.
        DataError: for records that cannot be read.
    """
    baseline, others = _chosen(run, baseline, methods)
    if num_resamples < 1:
        raise SettingsError(f"there must be at least 1 resample, not {num_resamples}; 10,000 are usual")
    wanted = _columns(run, what, options or {})
    if scores is None:
        scores = _scores_for(run, list({id(metric): metric for metric, _ in wanted}.values()))
    tables = []
    for dataset in run.plan.datasets:
        examples = run.examples(dataset)
        forms = {example.question.form for example in examples}
        for opened, column in wanted:
            if not what and column not in {PRIMARY[form] for form in forms}:
                continue
            values = {method: _values(scores, dataset, method, opened.name, column) for method in (baseline, *others)}
            if not what and not any(values.values()):
                continue
            order = [example.question.id for example in examples]
            tables.append(_table(dataset, opened, column, order, values, seed, num_resamples))
    return tables


def again(run: RunFolder, table: Table, scores: Sequence[Score]) -> Table:
    """The same table, computed anew from scores.

    Raises:
        SettingsError: for a metric, column, method or dataset that does not exist any more.
    """
    made = compare(
        run,
        [f"{table.metric}.{table.column}"],
        baseline=table.baseline,
        methods=table.methods,
        options={table.metric: table.options},
        seed=table.seed,
        num_resamples=table.num_resamples,
        scores=scores,
    )
    for one in made:
        if one.dataset == table.dataset:
            return one
    raise SettingsError(
        f"{table.dataset!r} is not one of the datasets of this run; {suggest(table.dataset, run.plan.datasets)}"
    )


def _chosen(run: RunFolder, baseline: str, methods: Sequence[str]) -> tuple[str, list[str]]:
    known = list(run.plan.methods)
    for name in (baseline, *methods):
        if name and name not in known:
            raise SettingsError(f"{name!r} is not one of the methods of this run; {suggest(name, known)}")
    baseline = baseline or known[0]
    others = [name for name in known if name != baseline and (not methods or name in methods)]
    if not others:
        raise SettingsError(f"there is no method to compare with {baseline!r}; give --methods, of: {', '.join(known)}")
    return baseline, others


def _columns(run: RunFolder, what: Sequence[str], options: Mapping[str, Mapping[str, Any]]) -> list[tuple[OpenMetric, str]]:
    """The columns that are meant, each with its metric under the options that the run was scored with."""
    found = read_summary(run)
    scored = {metric.name: metric for metric in metrics_of(found)} if found is not None else {}
    given = {**{name: metric.options for name, metric in scored.items()}, **options}
    known = entries("metrics")
    chosen: dict[tuple[str, str], tuple[OpenMetric, str]] = {}
    opened_by_name: dict[str, OpenMetric] = {}

    def opened(name: str) -> OpenMetric:
        if name not in opened_by_name:
            of_it = {name: given[name]} if name in given else {}
            opened_by_name[name] = open_metrics([name], of_it)[0][0]
        return opened_by_name[name]

    for wanted in what or sorted({PRIMARY[form] for form in _forms(run)} & known.keys()):
        name, _, column = wanted.partition(".")
        if name not in known:
            homes = {key: metric.name for metric in open_metrics()[0] for key in metric.columns}
            if column or name not in homes:
                raise SettingsError(f"{wanted!r} is no metric and no column of one; {suggest(wanted, {*known, *homes})}")
            name, column = homes[name], name
        metric = opened(name)
        if metric.error is not None:
            raise DataError(f"the metric {name} is broken: {metric.error.kind}: {metric.error.message}; mend it")
        if column and column not in metric.columns:
            raise SettingsError(f"the metric {name} has no column {column!r}; {suggest(column, metric.columns)}")
        for each in [column] if column else metric.columns:
            chosen[name, each] = (metric, each)
    return list(chosen.values())


def _scores_for(run: RunFolder, metrics: Sequence[OpenMetric]) -> list[Score]:
    """Scores from `scores.jsonl` where they are of these records and options, else from the records."""
    found = read_summary(run)
    if found is not None and found.get("records") == records_hashes(run):
        there = {metric.name: metric for metric in metrics_of(found)}
        if all(_is_same(there.get(metric.name), metric, run) for metric in metrics):
            return read_scores(run)
    return score_run(run, metrics)


def _is_same(there: OpenMetric | None, wanted: OpenMetric, run: RunFolder) -> bool:
    if there is None or dict(there.options) != dict(wanted.options):
        return False
    return not there.forms or _forms(run) <= there.forms


def _forms(run: RunFolder) -> set[AnswerForm]:
    return {example.question.form for dataset in run.plan.datasets for example in run.examples(dataset)}


def _values(scores: Sequence[Score], dataset: str, method: str, metric: str, column: str) -> dict[str, float]:
    return {
        score.question: score.values[column]
        for score in scores
        if (score.dataset, score.method, score.metric) == (dataset, method, metric)
        and score.values is not None
        and column in score.values
    }


def _table(
    dataset: str,
    opened: OpenMetric,
    column: str,
    order: Sequence[str],
    values: Mapping[str, Mapping[str, float]],
    seed: int,
    num_resamples: int,
) -> Table:
    (baseline, base), *others = values.items()
    differences: list[list[float | None]] = [
        [own[asked] - base[asked] if asked in own and asked in base else None for asked in order] for _, own in others
    ]
    is_binary = [
        all(pair in (0.0, 1.0) for asked in order if asked in own and asked in base for pair in (own[asked], base[asked]))
        for _, own in others
    ]
    means = bootstrap_means(differences, num_resamples=num_resamples, seed=seed)
    waiting = [place for place, is_one in enumerate(is_binary) if not is_one]
    flipped = sign_flip_tests([differences[place] for place in waiting], num_resamples=num_resamples, seed=seed)
    p_flipped = dict(zip(waiting, flipped, strict=True))
    num_tests = sum(any(one is not None for one in of_one) for of_one in differences)
    rows = []
    for place, (method, own) in enumerate(others):
        pairs = [(own[asked], base[asked]) for asked in order if asked in own and asked in base]
        row = Compared(dataset, column, method, baseline, len(pairs), len(order) - len(pairs), None)
        if pairs:
            row = _compared(row, pairs, differences[place], means[place], p_flipped.get(place), num_tests)
        rows.append(row)
    corrected = holm([row.p for row in rows])
    rows = [dataclasses.replace(row, p_holm=p) for row, p in zip(rows, corrected, strict=True)]
    about = opened.columns[column]
    rows = [dataclasses.replace(row, says=_said(row, about.better, num_tests)) for row in rows]
    return Table(
        dataset=dataset,
        metric=opened.name,
        options=dict(opened.options),
        column=column,
        meaning=about.meaning,
        unit=about.unit,
        better=about.better,
        baseline=baseline,
        methods=tuple(method for method, _ in others),
        seed=seed,
        num_resamples=num_resamples,
        rows=tuple(rows),
    )


def _compared(
    row: Compared,
    pairs: Sequence[tuple[float, float]],
    differences: Sequence[float | None],
    means: Sequence[float],
    p_flipped: float | None,
    num_tests: int,
) -> Compared:
    of_pairs = [one for one in differences if one is not None]
    wins, losses = sum(one > 0 for one in of_pairs), sum(one < 0 for one in of_pairs)
    p, p_mid = (p_flipped, None) if p_flipped is not None else mcnemar(wins, losses)
    return dataclasses.replace(
        row,
        difference=math.fsum(of_pairs) / len(of_pairs),
        interval=_interval(mean_interval(differences, means)),
        test="permutation" if p_flipped is not None else "McNemar",
        p=p,
        minimum_detectable=minimum_detectable(of_pairs, level=_LEVEL / num_tests),
        mean=math.fsum(own for own, _ in pairs) / len(pairs),
        baseline_mean=math.fsum(base for _, base in pairs) / len(pairs),
        num_wins=wins,
        num_losses=losses,
        percentile_interval=_interval(percentile_interval(means)) if len(set(of_pairs)) > 1 else None,
        p_mid=p_mid,
        effect_size=effect_size(of_pairs),
    )


def _said(row: Compared, better: str, num_tests: int) -> str:
    if row.p is None or row.p_holm is None or row.difference is None:
        return "no pairs, so no data"
    if not row.num_wins + row.num_losses:
        return "no difference was seen"
    if least_p(row.num_pairs) * num_tests > _LEVEL:
        return f"too few pairs: {row.num_pairs} cannot tell anything apart, whatever they say"
    if row.p_holm > _LEVEL:
        return "not told apart"
    if not better:
        return "higher" if row.difference > 0 else "lower"
    return "better" if (row.difference > 0) == (better == "higher") else "worse"


def _interval(bounds: Bounds | None) -> Interval | None:
    return Interval(bounds.low, bounds.high) if bounds is not None else None
