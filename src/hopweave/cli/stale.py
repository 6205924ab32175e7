"""List kept answers that cite words of the corpus which have changed or gone since."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopweave.cli._options import Assignments, Config, settings_of
from hopweave.cli._stale_answers import say_stale

app = typer.Typer(add_completion=False)

STALE = 3
"""The exit status if there are stale answers."""


@app.command()
def stale(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="Records: files written by `hopweave ask --out`, runs of `hopweave evaluate`, or folders of such files.",
            readable=False,
        ),
    ],
    *,
    corpus: Annotated[str, typer.Option(help="The corpus to compare with; default: the one that each record names.")] = "",
    set_: Assignments = None,
    config: Config = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a line of JSON for each stale answer and nothing else.")
    ] = False,
) -> None:
    """List answers whose cited words were edited or deleted, after `hopweave index --sync`, and check their claims again.

    Only claims with such citations are checked, by the same rule as before; no model is called and nothing is changed. Words
    that only moved are not stale. The exit status is 3 if an answer is stale, 1 if something could not be checked, and else 0.
    """
    from hopweave.staleness import Checked, stale_answers

    checked = Checked()
    settings = settings_of(set_, config, replay=False)
    num_stale = say_stale(stale_answers(paths, settings, corpus=corpus, checked=checked), checked, as_json=as_json)
    if num_stale or checked.unchecked:
        raise typer.Exit(STALE if num_stale else 1)
