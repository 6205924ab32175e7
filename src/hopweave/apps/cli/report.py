"""Write the report of a run, with tables and plots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopweave.apps.cli._terminal import say

app = typer.Typer(add_completion=False)


@app.command()
def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, scored by: hopweave score.")],
    *,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write it to this folder; default: RUN/report.")] = None,
) -> None:
    """Write which method is better and by how much, then what was run, tables, comparisons, plots, failures and missing data.

    The comparisons are those of `hopweave compare`; groups by type, hops or level are those of `hopweave score --by`. Every
    number is also in numbers.json, which `hopweave verify` recomputes if the report is in RUN/report.
    """
    from hopweave.evaluation.reports.input import read_report_data
    from hopweave.evaluation.reports.report import make_report, write_report
    from hopweave.evaluation.runs.folder import RunFolder

    data = read_report_data(RunFolder.open(run))
    if not data.comparisons and len(data.methods) > 1:
        say(f"the tables of comparisons are missing; for a report with them, first run: hopweave compare {run}", err=True)
    made = make_report(data)
    folder = out or run / "report"
    write_report(made, folder)
    say(f"{len(made.numbers):,} numbers in {len(made.files) + 1} files; open {folder / 'report.html'}")
