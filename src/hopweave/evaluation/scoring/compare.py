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

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopweave.core.catalog import entries, key_of
from hopweave.core.errors import DataError, SettingsError, suggest
from hopweave.core.part_files import part_file
from hopweave.core.types import AnswerForm, Column
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
from hopweave.evaluation.scoring.counted import Counted, counted
from hopweave.evaluation.scoring.over_seeds import averaged
from hopweave.evaluation.scoring.results import Comparison, Interval
from hopweave.evaluation.scoring.score import (
    PRIMARY,
    OpenMetric,
    Score,
    open_metrics,
    read_scores,
    records_hashes,
    score_run,
)
from hopweave.evaluation.scoring.statistics import (
    CONFIDENCE,
    NUM_RESAMPLES,
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
from hopweave.evaluation.scoring.summary import metrics_of, read_summary

_LEVEL = 1 - CONFIDENCE


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
    rows: dict[tuple[str, str, str, str], list[Score]] = {}  # by run, dataset, method and metric
    for name, one in runs.items():
        for score in _scores_for(one, metrics) if name or scores is None else scores:
            rows.setdefault((name, score.dataset, score.method, score.metric), []).append(score)
    tables = []
    for dataset in run.plan.datasets:
        primary = {PRIMARY[example.question.form] for example in run.examples(dataset)}
        order = order_of(dataset, runs)
        for opened, column in wanted:
            if not what and column not in primary:
                continue
            of_method = {
                method.label: averaged(
                    [
                        counted(rows.get((method.run, dataset, cell, opened.name), ()), column, opened.columns[column])
                        for cell in method.cells
                    ]
                )
                for method in (base, *others)
            }
            if what or any(one.values for one in of_method.values()):
                table = _Table(dataset, opened, column, order, of_method, seed, num_resamples)
                tables.append(table.compared(compared_runs(runs)))
    return tables


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
        raise SettingsError(f"no method to compare with {base.label!r}; give --methods, of: {', '.join(known)}")
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


@dataclass(frozen=True, slots=True)
class _Table:
    """A column of a metric on the questions of a dataset, by method, the baseline first."""

    dataset: str
    opened: OpenMetric
    name: str
    order: Sequence[str]
    of_method: Mapping[str, Counted]
    seed: int
    num_resamples: int

    def compared(self, runs: tuple[ComparedRun, ...]) -> Comparisons:
        (baseline, base), *others = self.of_method.items()
        about = self.opened.columns[self.name]
        pairs = {method: _Pairs(self.order, about, own, base) for method, own in others}
        draws = {"num_resamples": self.num_resamples, "seed": self.seed}
        means = bootstrap_means([one.differences for one in pairs.values()], **draws)
        waiting = [method for method, one in pairs.items() if not one.is_binary]
        flipped = sign_flip_tests([pairs[method].differences for method in waiting], **draws)
        p_flipped = dict(zip(waiting, flipped, strict=True))
        num_tests = sum(bool(one.values) for one in pairs.values())
        rows = []
        for (method, one), its_means in zip(pairs.items(), means, strict=True):
            num = len(one.values)
            row = Comparison(self.dataset, self.name, method, baseline, num, len(self.order) - num, None)
            rows.append(_compared(row, one, its_means, p_flipped.get(method), num_tests) if num else row)
        corrected = holm([row.p for row in rows])
        rows = [dataclasses.replace(row, p_holm=p) for row, p in zip(rows, corrected, strict=True)]
        return Comparisons(
            dataset=self.dataset,
            metric=self.opened.name,
            options=dict(self.opened.options),
            column=self.name,
            meaning=about.meaning,
            unit=about.unit,
            better=about.better,
            baseline=baseline,
            methods=tuple(pairs),
            seed=self.seed,
            num_resamples=self.num_resamples,
            rows=tuple(dataclasses.replace(row, says=_said(row, about.better, num_tests)) for row in rows),
            runs=runs,
        )


@dataclass(frozen=True, slots=True)
class _Pairs:
    """A method and the baseline on the same questions, in their order."""

    order: Sequence[str]
    column: Column
    own: Counted
    base: Counted

    @property
    def values(self) -> list[tuple[float, float]]:
        """The values of both on the questions that count for both."""
        own, base = self.own.values, self.base.values
        return [(own[asked], base[asked]) for asked in self.order if asked in own and asked in base]

    @property
    def differences(self) -> list[float | None]:
        own, base = self.own.values, self.base.values
        return [own[asked] - base[asked] if asked in own and asked in base else None for asked in self.order]

    @property
    def is_binary(self) -> bool:
        return all(value in (0.0, 1.0) for pair in self.values for value in pair)

    @property
    def answered(self) -> list[float]:
        """The differences on the questions that both answered."""
        failed = self.own.failed | self.base.failed
        pairs = zip(self.order, self.differences, strict=True)
        return [one for asked, one in pairs if one is not None and asked not in failed]

    @property
    def bounds(self) -> Interval | None:
        """The mean difference if everything failed or unscored were the least for one and the most for the other."""
        low, high = self.column.low, self.column.high
        own, base = self.own.answered, self.base.answered
        is_open = (self.own.failed | self.own.unscored, self.base.failed | self.base.unscored)
        asked = [one for one in self.order if (one in own or one in is_open[0]) and (one in base or one in is_open[1])]
        if all(one in own and one in base for one in asked) or not (math.isfinite(low) and math.isfinite(high)):
            return None
        least = math.fsum(own.get(one, low) - base.get(one, high) for one in asked) / len(asked)
        most = math.fsum(own.get(one, high) - base.get(one, low) for one in asked) / len(asked)
        return Interval(least, most)


def _compared(row: Comparison, pairs: _Pairs, means: Sequence[float], p_flipped: float | None, num_tests: int) -> Comparison:
    of_pairs = [one for one in pairs.differences if one is not None]
    column, answered = pairs.column, pairs.answered
    sign = -1.0 if column.better == "lower" else 1.0
    wins, losses = sum(sign * one > 0 for one in of_pairs), sum(sign * one < 0 for one in of_pairs)
    p, p_mid = (p_flipped, None) if p_flipped is not None else mcnemar(wins, losses)
    width = column.high - column.low
    return dataclasses.replace(
        row,
        difference=math.fsum(of_pairs) / len(of_pairs),
        interval=mean_interval(of_pairs, means, low=-width, high=width),
        test="permutation" if p_flipped is not None else "McNemar",
        p=p,
        minimum_detectable=minimum_detectable(of_pairs, level=_LEVEL / num_tests),
        num_failed=len(of_pairs) - len(answered),
        difference_answered=math.fsum(answered) / len(answered) if answered else None,
        bounds=pairs.bounds,
        mean=math.fsum(own for own, _ in pairs.values) / len(of_pairs),
        baseline_mean=math.fsum(base for _, base in pairs.values) / len(of_pairs),
        num_wins=wins,
        num_losses=losses,
        percentile_interval=percentile_interval(means) if len(set(of_pairs)) > 1 else None,
        p_mid=p_mid,
        effect_size=effect_size(of_pairs),
    )


def _said(row: Comparison, better: str, num_tests: int) -> str:
    if row.p is None or row.p_holm is None or row.difference is None:
        return "no pairs, so no data"
    if not row.num_wins + row.num_losses:
        return "no difference was seen"
    if least_p(row.num_pairs) * num_tests > _LEVEL:
        return f"too few pairs: {row.num_pairs} cannot tell anything apart, whatever they say"
    if row.p_holm > _LEVEL:
        return "not told apart"
    if not better:
        return "different; neither way is better"
    return "better" if (row.difference > 0) == (better == "higher") else "worse"
