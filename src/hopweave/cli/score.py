"""Score the records of a run with every metric; no model is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.cli._options import MetricAssignments, Run, listed
from hopweave.cli._terminal import say

if TYPE_CHECKING:
    from hopweave.evaluation.scoring.summary import Summary
    from hopweave.evaluation.scoring.tables import Cell, Interval, Mean

app = typer.Typer(add_completion=False)

_COUNTS = ("questions", "records", "failed", "unparsed", "abstained")


@app.command()
def score(
    run: Run,
    *,
    metrics: Annotated[
        str,
        typer.Option(
            help="Metrics, parted by commas; all that fit if left out. `hopweave list metrics` lists them; or FILE.py:CLASS."
        ),
    ] = "",
    set_: MetricAssignments = None,
    by: Annotated[
        list[str] | None, typer.Option(help="Also by a trait of the questions, such as type, hops or level; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
) -> None:
    """Score every record with every metric, and print a table for each dataset.

    Means are over all questions that were asked. One that failed counts as wrong; the mean over the answered ones stands beside
    it. What a metric broke on, or has no data for, is left out and counted. The 95% intervals are of a bootstrap over
    questions; bounds are the means if all that failed or could not be scored were the worst, or the best, that can be.
    """
    from hopweave.cli._metric_options import options_of
    from hopweave.evaluation.runs.folder import RunFolder
    from hopweave.evaluation.scoring.score import open_metrics, score_run, write_scores
    from hopweave.evaluation.scoring.summary import columns_of, summarize
    from hopweave.part_files import allow

    folder = RunFolder.open(run)
    names = listed(metrics)
    for name in names:
        allow(name)
    opened, left_out = open_metrics(names, options_of(set_ or []))
    scores = score_run(folder, opened)
    summary = summarize(folder, scores, opened, left_out=left_out, by=by or (), seed=seed)
    write_scores(folder, scores)
    summary.write(folder)
    for line in _lines(summary, list(columns_of(opened))):
        say(line)
    say(f"written to {run / 'scores.jsonl'} and scores.json")


def _lines(summary: Summary, columns: Sequence[str]) -> Iterator[str]:
    for dataset in dict.fromkeys(cell.dataset for cell in summary.cells):
        yield from _table(dataset, [cell for cell in summary.cells if cell.dataset == dataset], columns)
        groups = [group for group in summary.groups if group.cell.dataset == dataset]
        for trait, value in dict.fromkeys((group.trait, group.value) for group in groups):
            title = f"{dataset}, {trait} {value if value != '' else '(none)'}"
            cells = [group.cell for group in groups if (group.trait, group.value) == (trait, value)]
            yield from _table(title, cells, columns)
    yield from _over_datasets(summary)
    yield from _over_seeds(summary)
    for failure in summary.failures:
        num = f"{len(failure.question_ids)} records" if failure.question_ids else "the whole cell"
        yield f"failed: {failure.where} on {num} of {failure.dataset}, {failure.method}: {failure.kind}: {failure.message}"
    for dataset, of_metric in summary.official.items():
        for name, options in of_metric.items():
            said = ", ".join(f"{key} = {value}" for key, value in options.items())
            yield f"{name} on {dataset} is by {said}, as its official script"
    for name, reason in summary.left_out.items():
        yield f"left out: {name}: {reason}"


def _over_datasets(summary: Summary) -> Iterator[str]:
    from hopweave.cli._plain_table import lines_of, number, short_names

    if not summary.macro:
        return
    names = short_names([one.method for one in summary.macro])
    first = summary.macro[0]
    over = ", ".join(f"{column} on {dataset}" for dataset, column in zip(first.datasets, first.columns, strict=True))
    title = "All datasets: the mean of their means"
    yield title
    yield "-" * len(title)
    rows = [
        [
            names[one.method],
            number(one.value),
            _between(one.interval),
            f"no data on {', '.join(one.missing)}" * bool(one.missing),
        ]
        for one in summary.macro
    ]
    yield from lines_of(["method", "macro mean", "95% interval", ""], rows)
    yield f"each counts the same: {over}"
    yield ""


def _over_seeds(summary: Summary) -> Iterator[str]:
    from hopweave.cli._plain_table import lines_of, number

    for one in summary.seeds:
        title = f"{one.dataset}: {one.method} under the seeds {', '.join(map(str, one.seeds))}"
        yield title
        yield "-" * len(title)
        rows = [
            [name, number(of.mean), number(of.standard_deviation), number(of.lowest), number(of.highest), str(of.num_seeds)]
            for name, of in one.spreads.items()
        ]
        yield from lines_of(["", "mean over seeds", "standard deviation", "lowest", "highest", "seeds"], rows)
        yield ""


def _table(title: str, cells: Sequence[Cell], columns: Sequence[str]) -> Iterator[str]:
    from hopweave.cli._plain_table import lines_of, short_names, without_empty

    names = short_names([cell.method for cell in cells])
    shown = [column for column in columns if any(_has_data(cell.means.get(column)) for cell in cells)]
    yield title
    yield "-" * len(title)
    counts = [
        [str(one) for one in (cell.num_questions, cell.num_records, cell.num_failed, cell.num_unparsed, cell.num_abstained)]
        for cell in cells
    ]
    yield from lines_of(["", *_COUNTS], [[names[cell.method], *count] for cell, count in zip(cells, counts, strict=True)])
    yield ""
    head = ["", "method", "mean", "95% interval", "questions", "failed", "answered only", "bounds", "unscored", "no data"]
    rows = []
    for column in shown:
        for place, cell in enumerate(cells):
            rows.append([column if not place else "", names[cell.method], *_cells_of(cell.means.get(column))])
    shown_head, *shown_rows = without_empty(head, rows, ("answered only", "bounds", "unscored", "no data"))
    yield from lines_of(shown_head, shown_rows, num_fixed=2)
    empty = [column for column in columns if column not in shown]
    if empty:
        yield ""
        yield f"no data: {', '.join(empty)}"
    yield ""


def _has_data(mean: Mean | None) -> bool:
    """Whether there is something to say: a mean, or a metric that failed."""
    return mean is not None and (mean.value is not None or mean.num_unscored > 0)


def _cells_of(mean: Mean | None) -> list[str]:
    from hopweave.cli._plain_table import number

    if mean is None:
        return ["no data", "", "0", "0", "", "", "0", "0"]
    between = _between(mean.interval)
    bounds = _between(mean.bounds) if mean.bounds is not None else ""
    answered = number(mean.answered) if mean.num_failed else ""
    counts = [str(mean.num_scored), str(mean.num_failed), answered, bounds, str(mean.num_unscored), str(mean.num_no_data)]
    return [number(mean.value), between, *counts]


def _between(interval: Interval | None) -> str:
    from hopweave.cli._plain_table import number

    return f"{number(interval.low)} to {number(interval.high)}" if interval is not None else "-"
