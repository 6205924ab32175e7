"""Export marks for people to judge, or read sheets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.apps.cli._options import Run
from hopweave.apps.cli._terminal import say
from hopweave.core.errors import SettingsError

if TYPE_CHECKING:
    from hopweave.evaluation.judging.annotation import Agreement, Row
    from hopweave.evaluation.runs.folder import RunFolder

app = typer.Typer(add_completion=False)


@app.command()
def annotate(
    run: Run,
    *,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an empty sheet (CSV) to this file.")] = None,
    read: Annotated[list[Path] | None, typer.Option(metavar="FILE", help="A completed sheet; one per person.")] = None,
    limit: Annotated[int | None, typer.Option(help="At most this many answers per method, sampled at random.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sample and of the order of rows.")] = 0,
) -> None:
    """Write a sheet on which people judge each mark of the answers with yes or no, or summarise completed sheets.

    The sheet shows fragment, mark and passage, shuffled and without the method. AMP is the share of marks that people judge
    well placed, averaged over answers; Fleiss' kappa measures their agreement.
    """
    from hopweave.evaluation.judging.annotation import agreement, read_sheet, write_sheet
    from hopweave.evaluation.runs.folder import RunFolder

    if (out is None) == (not read):
        raise SettingsError("give --out FILE to write an empty sheet, or --read FILE for each filled one")
    folder = RunFolder.open(run)
    if out is not None:
        number = write_sheet(_rows(folder, limit, seed), out, seed=seed)
        say(f"wrote {out}: {number:,} marks to judge; fill is_correct with yes or no")
        return
    _show(agreement(_rows(folder, None, seed), [read_sheet(path) for path in read or ()]))


def _rows(folder: RunFolder, limit: int | None, seed: int) -> list[Row]:
    import random

    from hopweave.evaluation.judging.annotation import rows_of

    rows: list[Row] = []
    for dataset in folder.plan.datasets:
        for method in folder.plan.methods:
            of_answers = [found for record in folder.records(dataset, method) if (found := rows_of((dataset, method), record))]
            of_answers.sort(key=lambda found: found[0].question_id)
            if limit is not None and limit < len(of_answers):
                of_answers = random.Random(seed).sample(of_answers, limit)  # noqa: S311 - a draw, not a secret
            rows += [row for found in of_answers for row in found]
    return rows


def _show(found: Agreement) -> None:
    kappa = "no data" if found.kappa is None else f"{found.kappa:.3f}"
    say(f"{found.num_rows:,} marks judged by all of {found.num_raters}; {found.num_open:,} left open; kappa {kappa}")
    for (dataset, method), value in sorted(found.amp.items()):
        say(f"  {dataset}  {method}  AMP {value:.3f}  over {found.num_answers[dataset, method]:,} answers")
