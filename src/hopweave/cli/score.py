"""Score the records of a run with every metric; no model is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.cli._terminal import say

if TYPE_CHECKING:
    from hopweave.evaluation.summary import Summary
    from hopweave.evaluation.tables import Cell, Mean

app = typer.Typer(add_completion=False)

_COUNTS = ("questions", "records", "failed", "unparsed", "abstained")


@app.command()
def score(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, as made by: hopweave evaluate.")],
    *,
    metrics: Annotated[
        str, typer.Option(help="Metrics, parted by commas; all that fit if left out. `hopweave names metrics` lists them.")
    ] = "",
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="An option, as metrics.NAME.OPTION=value; may be repeated.")
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option(help="Also by a trait of the questions, such as type, hops or level; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
) -> None:
    """Score every record with every metric, and print a table for each dataset.

    Means are over the records that were scored. What failed is counted beside them and never scored as a wrong answer; what a
    metric has no data for is left out, and counted, too. The 95% intervals are of a bootstrap over questions; bounds are the
    means if every failed record were the worst, or the best, that can be.
    """
    from hopweave.cli._metric_options import options_of
    from hopweave.evaluation.run_folder import RunFolder
    from hopweave.evaluation.score import open_metrics, score_run, write_scores
    from hopweave.evaluation.summary import columns_of, summarize

    folder = RunFolder.open(run)
    names = [name.strip() for name in metrics.split(",") if name.strip()]
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
    for failure in summary.failures:
        num = f"{len(failure.question_ids)} records" if failure.question_ids else "the whole cell"
        yield f"failed: {failure.where} on {num} of {failure.dataset}, {failure.method}: {failure.kind}: {failure.message}"
    for name, reason in summary.left_out.items():
        yield f"left out: {name}: {reason}"


def _table(title: str, cells: Sequence[Cell], columns: Sequence[str]) -> Iterator[str]:
    from hopweave.cli._plain_table import lines_of, short_names

    names = short_names([cell.method for cell in cells])
    shown = [column for column in columns if any(_has_data(cell, column) for cell in cells)]
    yield title
    yield "-" * len(title)
    counts = [
        [str(one) for one in (cell.num_questions, cell.num_records, cell.num_failed, cell.num_unparsed, cell.num_abstained)]
        for cell in cells
    ]
    yield from lines_of(["", *_COUNTS], [[names[cell.method], *count] for cell, count in zip(cells, counts, strict=True)])
    yield ""
    head = ["", "method", "mean", "95% interval", "scored", "failed", "no data", "bounds"]
    rows = []
    for column in shown:
        for place, cell in enumerate(cells):
            rows.append([column if not place else "", names[cell.method], *_cells_of(cell.means.get(column))])
    yield from lines_of(head, rows, num_fixed=2)
    empty = [column for column in columns if column not in shown]
    if empty:
        yield ""
        yield f"no data: {', '.join(empty)}"
    yield ""


def _has_data(cell: Cell, column: str) -> bool:
    """Whether there is something to say: a mean, or a metric that failed."""
    mean = cell.means.get(column)
    return mean is not None and (mean.value is not None or mean.num_failed > cell.num_failed)


def _cells_of(mean: Mean | None) -> list[str]:
    from hopweave.cli._plain_table import number

    if mean is None:
        return ["no data", "", "0", "0", "0", ""]
    between = f"{number(mean.interval.low)} to {number(mean.interval.high)}" if mean.interval is not None else "-"
    bounds = f"{number(mean.bounds.low)} to {number(mean.bounds.high)}" if mean.bounds is not None else ""
    return [number(mean.value), between, str(mean.num_scored), str(mean.num_failed), str(mean.num_no_data), bounds]
