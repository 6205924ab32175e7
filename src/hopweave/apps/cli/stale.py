"""List answers whose cited words have changed."""

from __future__ import annotations

from typing import Annotated

import typer

from hopweave.apps.cli._options import Assignments, Config, settings_of
from hopweave.apps.cli._stale_answers import say_stale
from hopweave.core.errors import SettingsError
from hopweave.core.lazy_pattern import lazy_pattern

app = typer.Typer(add_completion=False)

_NAMED = lazy_pattern(r"[^/:=]*=")
"""The beginning of a corpus that is given with its name; an address may contain an equals sign further on."""
STALE = 3
"""The exit status if there are stale answers."""


@app.command()
def stale(
    places: Annotated[
        list[str],
        typer.Argument(
            metavar="PLACE",
            help="Records: files written by `hopweave ask --out`, runs of `hopweave evaluate`, folders of such files, or the "
            "folder or database of `hopweave serve --answers`.",
        ),
    ],
    *,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            metavar="INDEX",
            help="The corpus to compare with; default: the one that each record names. NAME=INDEX, which may be repeated, "
            "is the one that a server offers as NAME.",
        ),
    ] = None,
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
    from hopweave.core.postgres_connection import place_of
    from hopweave.run.staleness import Checked, stale_answers

    checked = Checked()
    settings = settings_of(set_, config)
    of_all, by_name = _corpora(corpus or [])
    found = stale_answers(list(map(place_of, places)), settings, corpus=of_all, corpora=by_name, checked=checked)
    num_stale = say_stale(found, checked, as_json=as_json)
    if num_stale or checked.unchecked:
        raise typer.Exit(STALE if num_stale else 1)


def _corpora(given: list[str]) -> tuple[str, dict[str, str]]:
    """The corpus for all answers, empty if there is none, and those for the answers of a server, by name.

    Raises:
        SettingsError: for two corpora for all answers, or for one without a name or an index.
    """
    from hopweave.apps.cli._options import named

    of_all = [one for one in given if not _NAMED.match(one)]
    if len(of_all) > 1:
        raise SettingsError("--corpus is given twice; give one, or NAME=INDEX for each corpus of the server")
    return (of_all[0] if of_all else ""), named([one for one in given if _NAMED.match(one)])
