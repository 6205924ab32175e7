"""Score the records of a run, without a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.apps.cli._options import MetricAssignments, Run, listed, metric_options
from hopweave.apps.cli._terminal import say
from hopweave.core.part_files import allow
from hopweave.show.table import Table, between, columns, decimal, plain_text, rows, short_names
from hopweave.show.table_text import table_lines

if TYPE_CHECKING:
    from hopweave.core.types import Column
    from hopweave.evaluation.scoring.results import Cell, Interval, MacroMean, Mean, OverSeeds
    from hopweave.evaluation.scoring.summary import Summary

app = typer.Typer(add_completion=False)

_COUNTS = ("questions", "records", "failed", "unparsed", "abstained")
_ONLY_IF_ANY = frozenset({"thinking_tokens"})
"""Columns that are 0 for most models, and are then not shown."""


@app.command()
def score(
    run: Run,
    *,
    metrics: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="Metrics, separated by commas; `hopweave list metrics` lists them; or FILE.py:CLASS; default: all that apply.",
        ),
    ] = "",
    set_: MetricAssignments = None,
    by: Annotated[
        list[str] | None, typer.Option(help="Group by a trait of the questions, such as type, hops or level; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
) -> None:
    """Score every record with every metric: say how often each method is right and which is better, then print the tables.

    Means are over all questions asked. A failed one counts as wrong; the mean over answered questions is shown next to it.
    Records on which a metric failed, or without data, are left out and counted. The 95% intervals come from a bootstrap over
    questions; where one says next to nothing, the table says "too few questions", and scores.json has it. Bounds are the means
    if all failed or unscored questions had the worst, or the best, possible value.
    """
    from hopweave.evaluation.runs.folder import RunFolder
    from hopweave.evaluation.scoring.score import open_metrics, score_run, write_scores
    from hopweave.evaluation.scoring.summary import columns_of, summarize

    folder = RunFolder.open(run)
    names = listed(metrics)
    for name in names:
        allow(name)
    opened, left_out = open_metrics(names, metric_options(set_ or []))
    scores = score_run(folder, opened)
    summary = summarize(folder, scores, opened, left_out=left_out, by=by or (), seed=seed)
    write_scores(folder, scores)
    summary.write(folder)
    for line in _lines(summary, columns_of(opened)):
        say(line)
    say(f"written to {run / 'scores.jsonl'} and scores.json")


def _lines(summary: Summary, columns: Mapping[str, Column]) -> Iterator[str]:
    from hopweave.record import what_failed, what_to_do

    yield from _conclusions(summary)
    for table in _tables(summary, columns):
        yield from table_lines(table)
        yield ""
    for failure in summary.failures:
        num = f"{len(failure.question_ids)} records" if failure.question_ids else "the whole cell"
        what = f"{failure.where} on {num} of {failure.dataset}, {failure.method}: {what_failed(failure.kind)}"
        to_do = what_to_do(failure.kind)
        yield f"failed: {what}, such as: {failure.message}{f'; {to_do}' if to_do else ''}"
    for dataset, of_metric in summary.official.items():
        for name, options in of_metric.items():
            said = ", ".join(f"{key} = {value}" for key, value in options.items())
            yield f"{name} on {dataset} is by {said}, as its official script"
    for name, reason in summary.left_out.items():
        yield f"left out: {name}: {reason}"


def _conclusions(summary: Summary) -> Iterator[str]:
    """What the scores show, in sentences: a paragraph for each dataset."""
    from hopweave.evaluation.reports.conclusions import better_sentences, standing_sentences

    for ranking in summary.rankings:
        standing, *meaning = standing_sentences(ranking)
        yield f"{ranking.dataset}: {plain_text(standing)}"
        yield from map(plain_text, (*better_sentences(ranking), *meaning))
        yield ""


def _tables(summary: Summary, columns: Mapping[str, Column]) -> Iterator[Table]:
    for dataset in dict.fromkeys(cell.dataset for cell in summary.cells):
        yield from _cell_tables(dataset, [cell for cell in summary.cells if cell.dataset == dataset], columns)
        groups = [group for group in summary.groups if group.cell.dataset == dataset]
        for trait, value in dict.fromkeys((group.trait, group.value) for group in groups):
            title = f"{dataset}, {trait} {value if value != '' else '(none)'}"
            cells = [group.cell for group in groups if (group.trait, group.value) == (trait, value)]
            yield from _cell_tables(title, cells, columns)
    if summary.macro:
        yield _over_datasets(summary.macro)
    yield from map(_over_seeds, summary.seeds)


def _over_datasets(macro: Sequence[MacroMean]) -> Table:
    names = short_names([one.method for one in macro])
    over = ", ".join(f"{column} on {dataset}" for dataset, column in zip(macro[0].datasets, macro[0].columns, strict=True))
    lines = (
        [names[one.method], decimal(one.value), _between(one.interval), lacking]
        for one in macro
        for lacking in [f"no data on {', '.join(one.missing)}" if one.missing else ""]
    )
    heads = columns(("method",), ("macro mean", "95% interval"), ("",))
    return Table(heads, rows(lines), "All datasets: the mean of their means", notes=(f"each counts the same: {over}",))


def _over_seeds(one: OverSeeds) -> Table:
    title = f"{one.dataset}: {one.method} under the seeds {', '.join(map(str, one.seeds))}"
    lines = (
        [name, *map(decimal, (of.mean, of.standard_deviation, of.lowest, of.highest)), str(of.num_seeds)]
        for name, of in one.spreads.items()
    )
    return Table(columns(("",), ("mean over seeds", "standard deviation", "lowest", "highest", "seeds")), rows(lines), title)


def _cell_tables(title: str, cells: Sequence[Cell], about: Mapping[str, Column]) -> Iterator[Table]:
    """The counts of each cell, and its means by column."""
    from hopweave.evaluation.reports.numbers import MAX_WIDTH, MIN_QUESTIONS, TOO_FEW

    methods = short_names([cell.method for cell in cells])
    names = [name for name in about if name not in _ONLY_IF_ANY or any(_value_of(cell, name) for cell in cells)]
    shown = [name for name in names if any(_has_data(cell.means.get(name)) for cell in cells)]
    counts = ([methods[cell.method], *(str(getattr(cell, f"num_{name}")) for name in _COUNTS)] for cell in cells)
    yield Table(columns(("",), _COUNTS), rows(counts), title)
    means = [
        [name if not place else "", methods[cell.method], *_mean_fields(cell.means.get(name), about[name])]
        for name in shown
        for place, cell in enumerate(cells)
    ]
    optional = ("answered only", "bounds", "unscored", "no data")
    heads = columns(("", "method"), ("mean", "95% interval", "questions", "failed", *optional))
    empty = [name for name in names if name not in shown]
    notes = [f"no data: {', '.join(empty)}"] if empty else []
    if any(TOO_FEW in fields for fields in means):
        why = f"fewer than {MIN_QUESTIONS}, or so few that the interval of a share would be wider than {MAX_WIDTH}"
        notes.append(f"{TOO_FEW}: {why}; scores.json has every interval")
    yield Table(heads, rows(means), notes=tuple(notes)).without_empty(optional)


def _value_of(cell: Cell, name: str) -> float | None:
    mean = cell.means.get(name)
    return mean.value if mean is not None else None


def _has_data(mean: Mean | None) -> bool:
    """Whether there is something to say: a mean, or a metric that failed."""
    return mean is not None and (mean.value is not None or mean.num_unscored > 0)


def _mean_fields(mean: Mean | None, column: Column) -> list[str]:
    from hopweave.evaluation.reports.numbers import TOO_FEW, is_share, is_telling

    if mean is None:
        return ["no data", "", "0", "0", "", "", "0", "0"]
    bounds = _between(mean.bounds) if mean.bounds is not None else ""
    answered = decimal(mean.answered) if mean.num_failed else ""
    counts = [str(mean.num_scored), str(mean.num_failed), answered, bounds, str(mean.num_unscored), str(mean.num_no_data)]
    is_told = mean.interval is None or is_telling(mean.interval, mean.num_scored, is_share=is_share(column))
    return [decimal(mean.value), _between(mean.interval) if is_told else TOO_FEW, *counts]


def _between(interval: Interval | None) -> str:
    return between(interval.low, interval.high) if interval is not None else "-"
