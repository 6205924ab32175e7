"""Compares methods with a baseline, question by question, within a run or across runs.

Pairs are the questions that count for both methods. A failed one counts as the worst value, as in every mean; the difference
over the pairs that both answered is given as well, with its bounds over all possible outcomes of the failed questions. Records
that a metric broke on or does not apply to are left out and counted. A method with several seeds is its mean over them.

For each method: the mean difference with its bootstrap interval, and a test: McNemar's where all values are 0 or 1, else the
paired permutation test. Holm's correction is over the methods of a table, which is one column on one dataset. The exact p of
McNemar's test is corrected, since it never exceeds its nominal error rate; the mid-p is given as well.

Methods of a further run are named `RUN:METHOD`. Their pairs are the questions that both runs asked, which must be the same.

A metric is computed on the questions that `score` computes it on; on all of them if it is named and none of the run's questions
have the form of answer that it is for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hopweave.core.catalog import entries, full_name, key_of
from hopweave.core.errors import DataError, SettingsError, suggest
from hopweave.core.part_files import allow, hashes, part_file
from hopweave.core.types import AnswerForm
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.comparisons import (
    FILE,
    ComparedMethod,
    Comparisons,
    compared_methods_of,
    compared_runs,
    found_comparisons,
    order_of,
    runs_of,
    sibling_run,
)
from hopweave.evaluation.scoring.counted import Counted, counted
from hopweave.evaluation.scoring.over_seeds import averaged
from hopweave.evaluation.scoring.paired import Pairing
from hopweave.evaluation.scoring.score import (
    OpenMetric,
    Score,
    forms_of,
    official_options,
    open_metrics,
    read_scores,
    records_hashes,
    score_run,
)
from hopweave.evaluation.scoring.statistics import NUM_RESAMPLES
from hopweave.evaluation.scoring.summary import columns_by_form, metrics_of, read_summary
from hopweave.run.trust import is_trusted


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
) -> list[Comparisons]:
    """Compares methods with a baseline, on every dataset of a run.

    Scores are read from `scores.jsonl` if that is up to date, else computed.

    Args:
        run: whose records to compare.
        what: metrics (all their columns), columns, or `METRIC.COLUMN`, where a metric may be the path of a file; none takes the
            primary column of each dataset.
        baseline: label of a method; the first of the plan if empty.
        methods: labels of the methods to compare with it; all if none.
        options: of metrics, overriding those that the run was scored with.
        further: runs whose methods are compared too.
        seed: of the bootstrap and the permutations.
        num_resamples: number of bootstrap and permutation resamples.

    Raises:
        SettingsError: for a metric, column, option or method that does not exist.
        DataError: for records that cannot be read, or runs with different questions or gold answers under the same ids.
        MissingExtra: if a library that a metric needs is not installed.
    """
    if num_resamples < 1:
        raise SettingsError(f"there must be at least 1 resample, not {num_resamples}; 10,000 are usual")
    runs = runs_of(run, further)
    drawn = _Compared(runs, _chosen(compared_methods_of(runs), baseline, methods), seed, num_resamples)
    wanted = _columns(run, what, options or {})
    scored = _by_cell(runs, list({id(metric): metric for metric, _ in wanted}.values()))
    tables = []
    for dataset in run.plan.datasets:
        primary = set(columns_by_form(_forms_of(run, dataset)).values())
        for opened, column in (one for one in wanted if what or one[1] in primary):
            of_method = drawn.values(dataset, opened, column, scored)
            if what or any(one.values for one in of_method.values()):
                tables.append(drawn.table(dataset, opened, column, of_method))
    return tables


def again(run: RunFolder, table: Comparisons, scores: Sequence[Score]) -> Comparisons:
    """The same table, computed again from scores of the run. Further runs must be next to it under their old names.

    Raises:
        SettingsError: for a metric, column, method, dataset or further run that does not exist any more.
        DataError: as in `opened_again`, and for records that cannot be read.
        MissingExtra: as in `opened_again`.
    """
    if table.dataset not in run.plan.datasets:
        raise SettingsError(
            f"{table.dataset!r} is not one of the datasets of this run; {suggest(table.dataset, run.plan.datasets)}"
        )
    opened = opened_again(run, table)
    _check(opened, table.column)
    places = [place for one in table.runs if one.name and (place := sibling_run(run, one.name)) is not None]
    runs = runs_of(run, [RunFolder.open(place) for place in places])
    drawn = _Compared(runs, _chosen(compared_methods_of(runs), table.baseline, table.methods), table.seed, table.num_resamples)
    of_method = drawn.values(table.dataset, opened, table.column, _by_cell(runs, [opened], scores))
    made = drawn.table(table.dataset, opened, table.column, of_method)
    # A table of an earlier version does not say what it was made from.
    return made if table.records else dataclasses.replace(made, files=table.files, records={})


def opened_again(run: RunFolder, table: Comparisons) -> OpenMetric:
    """The metric of a table of a run's `compare.json`.

    Raises:
        SettingsError: if it does not exist any more, or is in a file that the user has not named or that cannot be read.
        DataError: if it is in a file that has changed since.
        MissingExtra: if a library that it needs is not installed.
    """
    files = hashes(table.metric)
    if files and table.files:
        if files != table.files:
            raise DataError(f"{table.metric} is not what {FILE} was made with; compare again")
        file = found_comparisons(run)
        if file is not None and is_trusted(file):
            allow(table.metric)
    metric = open_metrics([table.metric], {table.metric: table.options})[0][0]
    return dataclasses.replace(metric, forms=frozenset(table.forms))


_ByCell = Mapping[tuple[str, str, str, str], Sequence[Score]]
"""Scores by run, dataset, method and metric."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """Methods of runs and the baseline that they are compared with, which comes first."""

    runs: Mapping[str, RunFolder]
    methods: Sequence[ComparedMethod]
    seed: int
    num_resamples: int
    _orders: dict[tuple[str, bool], Sequence[str]] = field(default_factory=dict)
    _hashes: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def values(self, dataset: str, opened: OpenMetric, column: str, scored: _ByCell) -> dict[str, Counted]:
        """The values of a column on a dataset, by method."""
        about = opened.columns[column]
        return {
            method.label: averaged(
                [counted(scored.get((method.run, dataset, cell, opened.name), ()), column, about) for cell in method.cells]
            )
            for method in self.methods
        }

    def table(self, dataset: str, opened: OpenMetric, column: str, of_method: Mapping[str, Counted]) -> Comparisons:
        """The comparisons of a column on a dataset, from its values by method.

        Raises:
            DataError: if the runs have different questions or gold data under the same ids, or are scored differently.
        """
        about = opened.columns[column]
        order = self._order(dataset, by_evidence=_needs_evidence(opened))
        _check_official(dataset, opened, self.runs)
        paired = Pairing(dataset, column, about, order, of_method, self.seed, self.num_resamples)
        baseline, *methods = of_method
        return Comparisons(
            dataset=dataset,
            metric=opened.name,
            options=dict(opened.options),
            column=column,
            meaning=about.meaning,
            unit=about.unit,
            better=about.better,
            baseline=baseline,
            methods=tuple(methods),
            seed=self.seed,
            num_resamples=self.num_resamples,
            rows=paired.rows(),
            runs=compared_runs(self.runs),
            forms=tuple(sorted(opened.forms)),
            files=hashes(opened.name),
            records=self._records(dataset),
        )

    def _order(self, dataset: str, *, by_evidence: bool) -> Sequence[str]:
        if (dataset, by_evidence) not in self._orders:
            self._orders[dataset, by_evidence] = order_of(dataset, self.runs, by_evidence=by_evidence)
        return self._orders[dataset, by_evidence]

    def _records(self, dataset: str) -> dict[str, dict[str, str]]:
        """The hashes of the examples of a dataset and of the records of the methods on it; empty where there are none yet."""
        found = {}
        for name, run in self.runs.items():
            if name not in self._hashes:
                self._hashes[name] = records_hashes(run)
            cells = [f"{dataset}/{cell}" for method in self.methods if method.run == name for cell in method.cells]
            found[name] = {place: self._hashes[name].get(place, "") for place in (dataset, *cells)}
        return found


def _chosen(compared: Sequence[ComparedMethod], baseline: str, methods: Sequence[str]) -> list[ComparedMethod]:
    """The baseline, and the methods to compare with it."""
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
    return [base, *others]


def _needs_evidence(opened: OpenMetric) -> bool:
    """Whether values may depend on the gold evidence: not those of what was spent, or of the answer alone."""
    is_of_spending = opened.metric is not None and opened.metric.counts_failures
    return not is_of_spending and not forms_of(opened.name)


def _check_official(dataset: str, opened: OpenMetric, runs: Mapping[str, RunFolder]) -> None:
    """Checks that a metric is computed in the same way in all runs, as the official scripts of their datasets have it.

    Raises:
        DataError: if it is not.
    """
    ways = {
        name: {**official_options(run.plan.datasets[dataset].name, opened.name), **opened.options} for name, run in runs.items()
    }
    for name, way in ways.items():
        for option in {**ways[""], **way}:
            here, there = (str(one.get(option, "its default")) for one in (ways[""], way))
            if here != there:
                raise DataError(
                    f"{opened.name} on {dataset!r} is by {option} = {there} in the run {name}, here by {here}, as the official "
                    f"script of each dataset has it; set it for both: --set metrics.{opened.name}.{option}=VALUE"
                )


def _by_cell(
    runs: Mapping[str, RunFolder], metrics: Sequence[OpenMetric], scores: Sequence[Score] | None = None
) -> dict[tuple[str, str, str, str], list[Score]]:
    """The scores of runs; those of the first may be given."""
    scored: dict[tuple[str, str, str, str], list[Score]] = {}
    for name, one in runs.items():
        for score in _scores_for(one, metrics) if name or scores is None else scores:
            scored.setdefault((name, score.dataset, score.method, score.metric), []).append(score)
    return scored


def _columns(run: RunFolder, what: Sequence[str], options: Mapping[str, Mapping[str, Any]]) -> list[tuple[OpenMetric, str]]:
    """The requested columns, each with its metric as the run was scored with it."""
    found = read_summary(run)
    scored = {metric.name: metric for metric in metrics_of(found)} if found is not None else {}
    given = {**{name: metric.options for name, metric in scored.items()}, **options}
    known, in_run = entries("metrics"), _forms(run)
    chosen: dict[tuple[str, str], tuple[OpenMetric, str]] = {}
    opened_by_name: dict[str, OpenMetric] = {}

    def opened(name: str) -> OpenMetric:
        if name not in opened_by_name:
            of_it = {key: given[key] for key in (name, key_of("metrics", name)) if key in given}
            forms = scored[name].forms if name in scored else forms_of(name)
            metric = open_metrics([name], of_it)[0][0]
            opened_by_name[name] = dataclasses.replace(metric, forms=forms if forms & in_run else frozenset())
        return opened_by_name[name]

    usual = {column for dataset in run.plan.datasets for column in columns_by_form(_forms_of(run, dataset)).values()}
    for wanted in what or sorted(usual & known.keys()):
        name, column = _parted(wanted)
        if name not in known and name not in scored and part_file(name) is None:
            homes = {key: metric.name for metric in (*scored.values(), *open_metrics()[0]) for key in metric.columns}
            if column or name not in homes:
                raise SettingsError(f"{wanted!r} is not a metric or a column of one; {suggest(wanted, {*known, *homes})}")
            name, column = homes[name], name
        metric = opened(name)
        _check(metric, column)
        for each in [column] if column else metric.columns:
            chosen[name, each] = (metric, each)
    return list(chosen.values())


def _parted(wanted: str) -> tuple[str, str]:
    """The requested metric and column; a metric in a file, whose path also contains dots, by its full name."""
    name, _, column = (wanted, "", "") if part_file(wanted) is not None else wanted.rpartition(".")
    if part_file(name) is None:
        name, _, column = wanted.partition(".")
        return name, column
    allow(name)  # the user has just named it
    return full_name("metrics", name), column


def _check(metric: OpenMetric, column: str) -> None:
    """Checks that a metric works, and has the column if one is named.

    Raises:
        DataError: if it does not work.
        SettingsError: if it does not have the column.
    """
    if metric.error is not None:
        raise DataError(f"the metric {metric.name} is broken: {metric.error.kind}: {metric.error.message}; fix it")
    if column and column not in metric.columns:
        raise SettingsError(f"the metric {metric.name} has no column {column!r}; {suggest(column, metric.columns)}")


def _scores_for(run: RunFolder, metrics: Sequence[OpenMetric]) -> list[Score]:
    """Scores from `scores.jsonl` if they are of these records, options and forms of answer, else computed from the records."""
    found = read_summary(run)
    if found is not None and found.get("records") == records_hashes(run):
        there = {metric.name: metric for metric in metrics_of(found)}
        if all(_is_same(there.get(metric.name), metric) for metric in metrics):
            return read_scores(run)
    return score_run(run, metrics)


def _is_same(there: OpenMetric | None, wanted: OpenMetric) -> bool:
    return there is not None and dict(there.options) == dict(wanted.options) and there.forms == wanted.forms


def _forms(run: RunFolder) -> set[AnswerForm]:
    return {form for dataset in run.plan.datasets for form in _forms_of(run, dataset)}


def _forms_of(run: RunFolder, dataset: str) -> set[AnswerForm]:
    return {example.question.form for example in run.examples(dataset)}
