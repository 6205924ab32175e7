"""Compare the methods of a run, with tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.apps.cli._options import MetricAssignments, Run, listed, metric_options
from hopweave.apps.cli._terminal import say
from hopweave.core.errors import DataError
from hopweave.show.table import Table, between, columns, decimal, plain_text, probability, rows, short_names
from hopweave.show.table_text import table_lines, title_lines

if TYPE_CHECKING:
    from hopweave.evaluation.scoring.comparisons import Comparisons
    from hopweave.evaluation.scoring.results import Comparison

app = typer.Typer(add_completion=False)


@app.command()
def compare(
    run: Run,
    *,
    with_: Annotated[
        list[Path] | None,
        typer.Option("--with", metavar="RUN", help="Another run, whose methods are added as RUN:METHOD; may be repeated."),
    ] = None,
    metrics: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="Metrics (or FILE.py:CLASS), columns, or METRIC.COLUMN, separated by commas; default: the usual one of each "
            "dataset.",
        ),
    ] = "",
    baseline: Annotated[
        str, typer.Option(metavar="NAME", help="The method that the others are compared with; default: the first.")
    ] = "",
    methods: Annotated[
        str, typer.Option(metavar="NAME,...", help="The methods to compare with it, separated by commas; default: all.")
    ] = "",
    set_: MetricAssignments = None,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap and the permutations.")] = 0,
    resamples: Annotated[int, typer.Option(help="Resamples of the bootstrap and of the permutation test.")] = 10_000,
) -> None:
    """Compare methods with a baseline, question by question: which is better, by how much, and whether that may be chance.

    A failed question counts as wrong. With additional runs, such as those of another model, the pairs are the questions that
    both asked. Intervals are 95% paired-bootstrap intervals (BCa). The test is McNemar's exact test if all values are 0 or 1,
    else a paired permutation test; p (Holm) is corrected for the number of methods. The detectable difference is the smallest
    that this many pairs would show with a power of 80% at the strictest level that Holm requires.
    """
    from hopweave.evaluation.reports.reproduce import compare_command
    from hopweave.evaluation.runs.folder import RunFolder
    from hopweave.evaluation.scoring.compare import compare as compare_methods
    from hopweave.evaluation.scoring.comparisons import keep_comparisons

    folder = RunFolder.open(run)
    tables = compare_methods(
        folder,
        listed(metrics),
        baseline=baseline,
        methods=listed(methods),
        options=metric_options(set_ or []),
        further=[RunFolder.open(path) for path in with_ or ()],
        seed=seed,
        num_resamples=resamples,
    )
    if not tables:
        raise DataError(f"{run} has no value of any usual column yet; name one with --metrics, or run: hopweave evaluate")
    dropped = keep_comparisons(folder, tables)
    for table in tables:
        for line in _lines(table):
            say(line)
    for command in dict.fromkeys(compare_command(folder, table) for table in dropped):
        say(f"dropped from compare.json, since the records have changed; to make it again, run: {command}")
    say(f"written to {run / 'compare.json'}")


def _lines(table: Comparisons) -> Iterator[str]:
    from hopweave.evaluation.reports.conclusions import comparison_sentence

    better = f"; {table.better} is better" if table.better else ""
    yield from title_lines(f"{table.dataset}: {table.column} against {table.baseline}")
    yield f"{table.meaning}{f' ({table.unit})' if table.unit else ''}{better}"
    for run in table.runs:
        yield f"{f'{run.name}:...' if run.name else 'the others'} answered by {run.llm or 'no model'}"
    yield ""
    yield from (plain_text(comparison_sentence(row, table.better, table.unit)) for row in table.rows)
    for made in _tables(table):
        yield ""
        yield from table_lines(made)
    yield ""


def _tables(table: Comparisons) -> tuple[Table, Table]:
    """The differences, and the tests."""
    names = short_names([table.baseline, *table.methods])
    heads = ("pairs", "failed", "left out", "mean", names[table.baseline], "difference", "95% interval", "answered only")
    numbers = rows([names[one.method], *_numbers(one)] for one in table.rows)
    differences = Table(columns(("method",), (*heads, "bounds", "wins", "losses")), numbers)
    ways = columns(("method",), ("test", "p", "mid-p", "p (Holm)", "effect d_z", "detectable"))
    tests = Table(ways, rows([names[one.method], *_tests(one)] for one in table.rows))
    return differences.without_empty(("failed", "left out", "answered only", "bounds")), tests


def _numbers(row: Comparison) -> list[str]:
    interval, bounds = (between(ends.low, ends.high) if ends is not None else "" for ends in (row.interval, row.bounds))
    counts = [str(row.num_pairs), str(row.num_failed), str(row.num_left_out)]
    means = [decimal(row.mean), decimal(row.baseline_mean), decimal(row.difference)]
    answered = decimal(row.difference_answered) if row.num_failed else ""
    return [*counts, *means, interval or "-", answered, bounds, str(row.num_wins), str(row.num_losses)]


def _tests(row: Comparison) -> list[str]:
    ps = [probability(row.p), probability(row.p_mid), probability(row.p_holm)]
    sizes = ["-" if value is None else decimal(value) for value in (row.effect_size, row.minimum_detectable)]
    return [row.test or "-", *ps, *sizes]
