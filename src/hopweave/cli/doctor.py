"""Check what works here and say what to install."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

app = typer.Typer()


@app.command()
def doctor() -> None:
    """Check the parts, the embedded model, the folders and the settings; ends with 1 if the default settings cannot work."""
    is_well = True
    for is_fine, is_needed, line in _findings():
        sign = "ok     " if is_fine else "missing" if is_needed else "-      "
        typer.echo(f"{sign}  {line}")
        is_well = is_well and (is_fine or not is_needed)
    if not is_well:
        raise typer.Exit(1)


def _findings() -> Iterator[tuple[bool, bool, str]]:
    """Yields whether a thing works, whether the settings need it, and a line about it."""
    import platform
    import sys

    from hopweave.errors import HopweaveError
    from hopweave.settings import read_settings

    yield sys.version_info >= (3, 11), True, f"Python {platform.python_version()} (3.11 or newer)"
    try:
        settings = read_settings()
    except HopweaveError as error:
        yield False, True, f"settings: {error}"
        return
    yield True, True, f"settings: profile {settings.profile}, method {settings.method}, llm {settings.llm}"
    chosen = {settings.method, settings.llm, settings.retriever, settings.reader, settings.duplicate_detector}
    yield from _parts(chosen)
    yield from _model(is_needed=settings.llm == "llama_cpp")
    yield from _folders(settings.store.path.parent)


def _parts(chosen: set[str]) -> Iterator[tuple[bool, bool, str]]:
    from hopweave.catalog import ROLES, entries, load
    from hopweave.errors import MissingExtra

    for role in ROLES:
        for entry in entries(role).values():
            try:
                part = load(role, entry.name)
                check = getattr(part, "check_installed", None)
                if check is not None:
                    check()
            except MissingExtra as error:
                yield False, entry.name in chosen, f"{role} {entry.name}: {error}"
            else:
                yield True, entry.name in chosen, f"{role} {entry.name}"


def _model(*, is_needed: bool) -> Iterator[tuple[bool, bool, str]]:
    from hopweave.models import DEFAULT_MODEL, is_present, model_path

    if is_present(DEFAULT_MODEL):
        yield True, is_needed, f"embedded model {DEFAULT_MODEL}: {model_path(DEFAULT_MODEL)}"
    else:
        yield False, is_needed, f"embedded model {DEFAULT_MODEL}: fetch it with: hopweave models fetch"


def _folders(store: object) -> Iterator[tuple[bool, bool, str]]:
    import os
    import shutil
    from pathlib import Path

    folder = Path(str(store))
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    yield os.access(existing, os.W_OK), True, f"cache folder {folder}: {free / 1e9:.1f} GB free"
