"""Compares methods with a baseline, question by question, within a run or across runs.

Pairs are the questions that count for both methods. A failed one counts as the worst value, as in every mean; the difference
over the pairs that both answered is given as well, with its bounds over all possible outcomes of the failed questions. Records
that a metric broke on or does not apply to are left out and counted. A method with several seeds is its mean over them.

For each method: the mean difference with its bootstrap interval, and a test: McNemar's where all values are 0 or 1, else the
paired permutation test. Holm's correction is over the methods of a table, which is one column on one dataset. The exact p of
McNemar's test is corrected, since it never exceeds its nominal error rate; the mid-p is given as well.

Methods of a further run are named `RUN:METHOD`. Their pairs are the questions that both runs asked, which must be the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hopweave.core.catalog import entries, key_of
from hopweave.core.errors import DataError, SettingsError, suggest
from hopweave.core.part_files import part_file
from hopweave.core.types import AnswerForm
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.comparisons import (
    ComparedMethod,
    ComparedRun,
    Comparisons,
    compared_methods_of,
    compared_runs,
    order_of,
    runs_of,
    sibling_run,
)
from hopweave.evaluation.scoring.counted import counted
from hopweave.evaluation.scoring.over_seeds import averaged
from hopweave.evaluation.scoring.paired import Pairing
from hopweave.evaluation.scoring.score import (
    PRIMARY,
    OpenMetric,
    Score,
    open_metrics,
    read_scores,
    records_hashes,
    score_run,
)
from hopweave.evaluation.scoring.statistics import NUM_RESAMPLES
from hopweave.evaluation.scoring.summary import metrics_of, read_summary


def compare(
    run: RunFolder,
    what: Sequence[str] = (),
    *,
    baseline: str = "",
    methods: Sequence[str] = (),
    options: Mapping[str, Mapping[str, Any]] | None = None,
    further: Sequence[RunFolder] = (),
    seed: int = 0,
    num_resamples: int = NUM_RESAMPLES,
    scores: Sequence[Score] | None = None,
) -> list[Comparisons]:
    """Compares methods with a baseline, on every dataset of a run.

    Args:
        run: whose records to compare.
        what: metrics (all their columns), columns, or `METRIC.COLUMN`; none takes the primary column of each dataset.
        baseline: label of a method; the first of the plan if empty.
        methods: labels of the methods to compare with it; all if none.
        options: of metrics, overriding those that the run was scored with.
        further: runs whose methods are compared too.
        seed: of the bootstrap and the permutations.
        num_resamples: number of bootstrap and permutation resamples.
        scores: of the first run; if absent they are read from `scores.jsonl` if that is up to date, like those of further
            runs, else computed.

    Raises:
        SettingsError: for a metric, column, option or method that does not exist.
        DataError: for records that cannot be read, or runs with different questions under the same ids.
    """
    if num_resamples < 1:
        raise SettingsError(f"there must be at least 1 resample, not {num_resamples}; 10,000 are usual")
    runs = runs_of(run, further)
    base, others = _chosen(compared_methods_of(runs), baseline, methods)
    wanted = _columns(run, what, options or {})
    metrics = list({id(metric): metric for metric, _ in wanted}.values())
    scored: dict[tuple[str, str, str, str], list[Score]] = {}  # by run, dataset, method and metric
    for name, one in runs.items():
        for score in _scores_for(one, metrics) if name or scores is None else scores:
            scored.setdefault((name, score.dataset, score.method, score.metric), []).append(score)
    tables = []
    for dataset in run.plan.datasets:
        primary = {PRIMARY[example.question.form] for example in run.examples(dataset)}
        order = order_of(dataset, runs)
        for opened, column in (one for one in wanted if what or one[1] in primary):
            about = opened.columns[column]
            of_method = {
                method.label: averaged(
                    [counted(scored.get((method.run, dataset, cell, opened.name), ()), column, about) for cell in method.cells]
                )
                for method in (base, *others)
            }
            if what or any(one.values for one in of_method.values()):
                paired = Pairing(dataset, column, about, order, of_method, seed, num_resamples)
                tables.append(_table(paired, opened, compared_runs(runs)))
    return tables


def _table(paired: Pairing, opened: OpenMetric, runs: tuple[ComparedRun, ...]) -> Comparisons:
    baseline, *methods = paired.of_method
    return Comparisons(
        dataset=paired.dataset,
        metric=opened.name,
        options=dict(opened.options),
        column=paired.name,
        meaning=paired.column.meaning,
        unit=paired.column.unit,
        better=paired.column.better,
        baseline=baseline,
        methods=tuple(methods),
        seed=paired.seed,
        num_resamples=paired.num_resamples,
        rows=paired.rows(),
        runs=runs,
    )


def again(run: RunFolder, table: Comparisons, scores: Sequence[Score]) -> Comparisons:
    """The same table, computed again from scores of the run. Further runs must be next to it under their old names.

    Raises:
        SettingsError: for a metric, column, method, dataset or further run that does not exist any more.
    """
    made = compare(
        run,
        [f"{table.metric}.{table.column}"],
        baseline=table.baseline,
        methods=table.methods,
        options={table.metric: table.options},
        further=[RunFolder.open(place) for one in table.runs if one.name and (place := sibling_run(run, one.name)) is not None],
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


def _chosen(
    compared: Sequence[ComparedMethod], baseline: str, methods: Sequence[str]
) -> tuple[ComparedMethod, list[ComparedMethod]]:
    known = {one.label: one for one in compared}
    for name in (baseline, *methods):
        if name and name not in known:
            raise SettingsError(f"{name!r} is not one of the methods of this run; {suggest(name, known)}")
    base = known[baseline] if baseline else compared[0]
    usual = [one.label for one in compared if not one.is_part and one.label not in base.covers]
    others = [known[name] for name in known if name != base.label and name in (methods or usual)]
    if not others:
        more = f"give --methods, of: {', '.join(known)}" if len(known) > 1 else "add those of another run with --with RUN"
        raise SettingsError(f"no method to compare with {base.label!r}; {more}")
    return base, others


def _columns(run: RunFolder, what: Sequence[str], options: Mapping[str, Mapping[str, Any]]) -> list[tuple[OpenMetric, str]]:
    """The requested columns, each with its metric under the options that the run was scored with."""
    found = read_summary(run)
    scored = {metric.name: metric for metric in metrics_of(found)} if found is not None else {}
    given = {**{name: metric.options for name, metric in scored.items()}, **options}
    known = entries("metrics")
    chosen: dict[tuple[str, str], tuple[OpenMetric, str]] = {}
    opened_by_name: dict[str, OpenMetric] = {}

    def opened(name: str) -> OpenMetric:
        if name not in opened_by_name:
            of_it = {key: given[key] for key in (name, key_of("metrics", name)) if key in given}
            opened_by_name[name] = open_metrics([name], of_it)[0][0]
        return opened_by_name[name]

    for wanted in what or sorted({PRIMARY[form] for form in _forms(run)} & known.keys()):
        name, column = _parted(wanted, scored)
        if name not in known and name not in scored:
            homes = {key: metric.name for metric in (*scored.values(), *open_metrics()[0]) for key in metric.columns}
            if column or name not in homes:
                raise SettingsError(f"{wanted!r} is not a metric or a column of one; {suggest(wanted, {*known, *homes})}")
            name, column = homes[name], name
        metric = opened(name)
        if metric.error is not None:
            raise DataError(f"the metric {name} is broken: {metric.error.kind}: {metric.error.message}; fix it")
        if column and column not in metric.columns:
            raise SettingsError(f"the metric {name} has no column {column!r}; {suggest(column, metric.columns)}")
        for each in [column] if column else metric.columns:
            chosen[name, each] = (metric, each)
    return list(chosen.values())


def _parted(wanted: str, scored: Iterable[str]) -> tuple[str, str]:
    """The requested metric and column; the path of a file, which also contains dots, is known from the scores."""
    of_file = next((name for name in scored if part_file(name) is not None and f"{wanted}.".startswith(f"{name}.")), None)
    if of_file is not None:
        return of_file, wanted.removeprefix(of_file).removeprefix(".")
    name, _, column = wanted.partition(".")
    return name, column


def _scores_for(run: RunFolder, metrics: Sequence[OpenMetric]) -> list[Score]:
    """Scores from `scores.jsonl` if they are of these records and options, else computed from the records."""
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
