"""Trust settings files, list them, or revoke trust."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.apps.cli._terminal import say
from hopweave.core.errors import DataError, SettingsError
from hopweave.core.files import sha256_of

if TYPE_CHECKING:
    from hopweave.run.trust import Found

app = typer.Typer(add_completion=False)


@app.command()
def trust(
    path: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="A folder, or one file of settings; default: the working directory.")
    ] = None,
    *,
    listing: Annotated[bool, typer.Option("--list", help="List the trusted files, and which of them have changed.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Revoke trust in the folder.")] = False,
) -> None:
    """Let a folder's hopweave.toml, plan.json, scores.json and compare.json say where questions are sent, and what is run.

    Read them first: their settings of this kind are printed. A file that is changed afterwards must be trusted again.
    """
    from hopweave.run.trust import distrust

    if listing and (remove or path is not None):
        raise SettingsError("--list lists all trusted files; use it alone")
    place = path or Path()
    if listing:
        _list()
    elif remove:
        gone = distrust(place)
        for known in gone or [f"nothing in {place.resolve()}"]:
            say(f"trusted no longer: {known}" if gone else f"{known} was trusted")
    else:
        _trust(place)


def _trust(place: Path) -> None:
    from hopweave.run.trust import TRUSTED_NAMES
    from hopweave.run.trust import trust as trust_file

    found = list(_found(place))
    if not found:
        raise DataError(f"{place.resolve()} has no {' and no '.join(TRUSTED_NAMES)}; name the folder of one, or a file")
    for file in found:
        sets = file.guarded
        if not sets:
            say(f"{file.path.resolve()} sets nothing that needs trust")
            continue
        say(f"{file.path.resolve()} sets:")
        for key, value in sets.items():
            say(f"  {key} = {_shown(key, value)}")
        trust_file(file)
        say("  trusted in its current state")


def _found(place: Path) -> Iterator[Found]:
    from hopweave.evaluation.runs.folder import RunFolder
    from hopweave.evaluation.scoring.comparisons import found_comparisons
    from hopweave.evaluation.scoring.summary import found_scores
    from hopweave.run.settings_files import FILE, found_toml
    from hopweave.run.trust import TRUSTED_NAMES

    if place.is_file() and (place.name == FILE or place.name not in TRUSTED_NAMES):
        yield found_toml(place)
        return
    folder = place.parent if place.is_file() else place
    if not place.is_file() and (folder / FILE).is_file():
        yield found_toml(folder / FILE)
    if RunFolder.is_at(folder):
        run = RunFolder.open(folder)
        yield run.found
        yield from filter(None, (found_scores(folder), found_comparisons(run)))


def _shown(key: str, value: object) -> str:
    import json

    from hopweave.run.settings import without_secrets

    return json.dumps(without_secrets(key, value), ensure_ascii=False)


def _list() -> None:
    from hopweave.run.trust import trusted

    known = trusted()
    for name, sha256 in known.items():
        path = Path(name)
        changed = "" if path.is_file() and sha256_of(path) == sha256 else "  (changed or gone)"
        say(f"{name}{changed}")
    if not known:
        say("nothing is trusted")
