"""Gathers the contents of a report of a run: its plan and records, and the results of `score` and `compare`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from hopweave.core.errors import DataError
from hopweave.evaluation.integrity.manifest import hash_file
from hopweave.evaluation.reports.reproduce import commands_for, compare_command, plan_toml
from hopweave.evaluation.reports.run_summary import RunStory, story_of
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.parallelism import caveat_of_seconds, questions_at_a_time
from hopweave.evaluation.scoring import per_cost, summary
from hopweave.evaluation.scoring.comparisons import FILE as COMPARED
from hopweave.evaluation.scoring.comparisons import Comparisons, kept_comparisons, outdated
from hopweave.evaluation.scoring.results import (
    Cell,
    ExampleAnswer,
    FailureKind,
    Frontier,
    Group,
    MacroMean,
    OverSeeds,
    Ranking,
    ReportData,
    ReportedComparisons,
    ScoredColumn,
)
from hopweave.evaluation.scoring.score import LINES, OpenMetric, Score, read_scores, records_hashes
from hopweave.evaluation.scoring.ticks import ticks_of

_SHOWN_SCORES = ("cover_em", "exact_match", "f1", "label_accuracy", "rouge_l")
_SPENT = ("llm_calls", "words_billed", "words_out", "prompt_tokens", "completion_tokens", "rounds", "seconds", "cost")
_FIRST = (*_SHOWN_SCORES, *_SPENT)


def read_report_data(run: RunFolder) -> ReportData:
    """The contents of the report of a run.

    Raises:
        DataError: if the run was not scored, or has changed since it was scored or compared; or a file of it cannot be read.
    """
    found = summary.read_summary(run)
    if found is None:
        raise DataError(f"{run.path} is not scored yet; run first: hopweave score {run.path}")
    if found.get("records") != records_hashes(run):
        raise DataError(f"the records of {run.path} are not those that were scored; run again: hopweave score {run.path}")
    kept = kept_comparisons(run)
    for table, changed in outdated(run, kept):
        raise DataError(
            f"the records of {changed[0]} are not those that were compared; run again: {compare_command(run, table)}"
        )
    metrics = summary.metrics_of(found)
    parts = _parts(found, run)
    columns = dict(sorted(_columns(metrics).items(), key=lambda named: _place_of(named[0])))
    story = story_of(run)
    primary = summary.primary_columns(run, columns)
    at_a_time, caveat = questions_at_a_time(run), caveat_of_seconds(run)
    scores = read_scores(run)
    return ReportData(
        name=run.path.resolve().name,
        datasets=story.datasets,
        methods=story.methods,
        facts=(*story.facts, ("questions at a time", "not recorded" if at_a_time is None else f"{at_a_time:,}")),
        caveats=story.caveats,
        columns=columns,
        primary=primary,
        cells=parts.cells,
        rankings=parts.rankings,
        comparisons=tuple(_comparisons(kept, primary)),
        groups=parts.groups,
        frontiers=tuple(one for one in parts.frontiers if one.cost != "seconds" or not caveat),
        macro=parts.macro,
        seeds=parts.seeds,
        failures=(*story.failures, *parts.failures),
        examples=tuple(_with_scores(story, scores, columns)),
        notes=tuple(_notes(run, found)),
        commands=commands_for(run, found, kept, story.facts),
        plan=plan_toml(run.plan),
        made_of=made_of(run),
        offline=story.offline,
        caveat_of_seconds=caveat,
        ticks=tuple(ticks_of(run, scores, story.why_no_tick, parts.groups)),
    )


def made_of(run: RunFolder) -> dict[str, str]:
    """The SHA-256 of each file of scores and comparisons that a report of the run is made from.

    Raises:
        DataError: if one cannot be read.
    """
    places = (run.path / name for name in (LINES, summary.FILE, COMPARED))
    return {place.name: hash_file(place) for place in places if place.exists()}


@dataclass(frozen=True, slots=True)
class _Parts:
    """The results of `score`."""

    rankings: tuple[Ranking, ...]
    cells: tuple[Cell, ...]
    groups: tuple[Group, ...]
    failures: tuple[FailureKind, ...]
    macro: tuple[MacroMean, ...]
    seeds: tuple[OverSeeds, ...]
    frontiers: tuple[Frontier, ...]


def _parts(found: Mapping[str, Any], run: RunFolder) -> _Parts:
    try:
        return TypeAdapter(_Parts).validate_python({field.name: found[field.name] for field in fields(_Parts)})
    except (ValidationError, LookupError):
        raise DataError(f"{run.path / summary.FILE} cannot be read; make it again with: hopweave score {run.path}") from None


def _columns(metrics: Iterable[OpenMetric]) -> dict[str, ScoredColumn]:
    """The columns as `summary.columns_of` names them, each with whether its metric counts failed records, too."""
    found: dict[str, ScoredColumn] = {}
    metrics = list(metrics)
    for place, opened in enumerate(metrics):
        before, now = summary.columns_of(metrics[:place]), summary.columns_of(metrics[: place + 1])
        is_cost = opened.metric is not None and opened.metric.counts_failures
        fresh = {name: column for name, column in now.items() if name not in before}
        found |= {name: ScoredColumn(column, is_cost or name in per_cost.FIGURES) for name, column in fresh.items()}
    return found


def _place_of(column: str) -> int:
    return _FIRST.index(column) if column in _FIRST else len(_FIRST)


def _comparisons(kept: Sequence[Comparisons], primary: Mapping[str, str]) -> Iterator[ReportedComparisons]:
    names: Counter[tuple[str, str, str]] = Counter()
    drawn: set[str] = set()
    for table in kept:
        options = ", ".join(f"{key} = {value}" for key, value in sorted(table.options.items()))
        name = f"{table.column} ({options})" if options else table.column
        names[table.dataset, name, table.baseline] += 1
        again = names[table.dataset, name, table.baseline]
        is_primary = primary.get(table.dataset) == table.column and table.dataset not in drawn
        if is_primary:
            drawn.add(table.dataset)
        how = f"Intervals and permutations: {table.num_resamples:,} resamples under seed {table.seed}."
        yield ReportedComparisons(
            table.dataset, f"{name}, {again}" if again > 1 else name, table.baseline, table.rows, how, is_primary
        )


def _with_scores(story: RunStory, scores: Iterable[Score], columns: Mapping[str, ScoredColumn]) -> Iterator[ExampleAnswer]:
    wanted = {(one.dataset, one.method, one.record.question.id): one for one in story.examples}
    found: dict[tuple[str, str, str], dict[str, float]] = {key: {} for key in wanted}
    for score in scores:
        mine = found.get((score.dataset, score.method, score.question))
        if mine is not None and score.values is not None:
            mine |= {name: value for name, value in score.values.items() if name in _SHOWN_SCORES and name in columns}
    for key, example in wanted.items():
        yield replace(example, scores=found[key])


def _notes(run: RunFolder, found: Mapping[str, Any]) -> Iterator[str]:
    yield (
        "A question that failed counts as wrong in every mean of the answers; the mean over answered ones stands beside it. "
        f"Intervals are of a bootstrap over questions under seed {found.get('seed', 0)}; where all values are the same, they "
        "are Clopper and Pearson's; one that is not defined is left out."
    )
    for dataset, of_metric in found.get("official", {}).items():
        for name, options in of_metric.items():
            said = ", ".join(f"{key} = {value}" for key, value in options.items())
            yield f"{name} on {dataset} is by {said}, as its official script."
    for name, reason in found.get("left_out", {}).items():
        yield f"{name} was not computed: {reason}"
    if not found.get("by"):
        traits = dict.fromkeys(
            trait for dataset in run.plan.datasets for example in run.examples(dataset) for trait in example.traits
        )
        if traits:
            again = f"hopweave score {run.path.resolve().name} --by {next(iter(traits))}"
            yield f"The questions have traits to group by ({', '.join(traits)}), which was not done: {again}"
