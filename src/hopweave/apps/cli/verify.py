"""Recompute the numbers of a run from its records."""

from __future__ import annotations

from typing import Annotated

import typer

from hopweave.apps.cli._options import Run
from hopweave.apps.cli._terminal import say
from hopweave.show.plain import counted

app = typer.Typer(add_completion=False)


@app.command()
def verify(
    run: Run,
    *,
    store: Annotated[
        str,
        typer.Option(help="The store that the run used, if it is on a server: postgres://HOST/DATABASE.", metavar="ADDRESS"),
    ] = "",
) -> None:
    """Check the data, the index, the records and every printed number of a run.

    Differences are reported by file, line and value, one line per cause; the exit status is 1 if there are any. What cannot be
    checked here, such as data stored elsewhere, is listed separately. No model is called, nothing is changed.
    """
    from hopweave.evaluation.integrity.verify import verify as verify_run

    found = verify_run(run, store)
    for note in found.notes:
        say(f"note: {note}")
    for what in found.unchecked:
        say(f"could not be checked: {what}")
    for difference in found.differences:
        say(f"differs: {difference}")
    if found.follows:
        files = ", ".join(f"{num:,} in {file}" for file, num in found.follows.items())
        say(f"follows from it: {found.follows.total():,} lines and values that the records do not give now: {files}")
    looked_at = ", ".join(f"{num:,} {what}" for what, num in found.counts.items())
    if found.differences:
        say(f"differs in {counted(len(found.differences), 'place')}; fix what differs and verify again; looked at {looked_at}")
        raise typer.Exit(1)
    say(f"{'no differences in what could be checked' if found.unchecked else 'verified, no differences'}: {looked_at}")
