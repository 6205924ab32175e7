"""Check what works here, and what to install."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from hopweave.apps.cli._terminal import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hopweave.run.settings import Settings

app = typer.Typer(add_completion=False)


@app.command()
def doctor() -> None:
    """Check components, embedded model, folders and settings; the exit status is 1 if the default settings cannot work."""
    is_well = True
    for is_fine, is_needed, line in _findings():
        sign = "ok     " if is_fine else "missing" if is_needed else "-      "
        say(f"{sign}  {line}")
        is_well = is_well and (is_fine or not is_needed)
    if not is_well:
        raise typer.Exit(1)


def _findings() -> Iterator[tuple[bool, bool, str]]:
    """Yields whether a thing works, whether the settings need it, and a line about it."""
    import platform
    import sys

    from hopweave.core.errors import HopweaveError
    from hopweave.run.settings import read_settings

    yield sys.version_info >= (3, 11), True, f"Python {platform.python_version()} (3.11 or newer)"
    try:
        settings = read_settings()
    except HopweaveError as error:
        yield False, True, f"settings: {error}"
        return
    yield True, True, f"settings: profile {settings.profile}, method {settings.method}, llm {settings.llm}"
    yield from _parts(settings)
    yield from _model(settings.llms.get("llama_cpp", {}).get("model"), is_needed=settings.llm == "llama_cpp")
    yield from _corpus(settings)
    yield from _store(settings)


def _parts(settings: Settings) -> Iterator[tuple[bool, bool, str]]:
    from hopweave.core.catalog import ROLES, asks_the_model, check_extra, entries, entry, load
    from hopweave.core.errors import HopweaveError, SettingsError
    from hopweave.run.opening import engine_of

    chosen = {
        "methods": settings.method,
        "llms": settings.llm,
        "retrievers": settings.retriever,
        "readers": settings.reader,
        "duplicate_detectors": settings.duplicate_detector,
    }
    needed = set(chosen.items())
    for role, name in chosen.items():
        try:
            if entry(role, name).is_foreign:  # type: ignore[arg-type]
                load(role, name)  # type: ignore[arg-type]
            if role == "retrievers":
                if asks_the_model(
                    name
                ):  # named before it is looked at, so that one that cannot be imported is needed all the same
                    needed.add((role, settings.part("retrievers", name).engine))
                needed.add((role, engine_of(settings)))
        except SettingsError as error:
            yield False, True, str(error)
        except Exception:  # noqa: BLE001, S110 - import failures are reported below
            pass
    for role in ROLES:
        for name in entries(role):
            is_needed = (role, name) in needed
            try:
                load(role, name)
                check_extra(role, name)
            except HopweaveError as error:
                yield False, is_needed, f"{role} {name}: {error}"
            except Exception as error:  # noqa: BLE001 - a broken library may raise anything, and reporting it is the purpose here
                yield False, is_needed, f"{role} {name}: {type(error).__name__}: {' '.join(str(error).split())}"
            else:
                yield True, is_needed, f"{role} {name}"


def _model(name: str | None, *, is_needed: bool) -> Iterator[tuple[bool, bool, str]]:
    from hopweave.core.errors import HopweaveError
    from hopweave.models.weights import DEFAULT_MODEL, is_present, model_path

    name = name or DEFAULT_MODEL
    try:
        is_here, path = is_present(name), model_path(name)
    except HopweaveError as error:
        yield False, is_needed, f"embedded model {name}: {error}"
        return
    fetch = "hopweave models fetch" if name == DEFAULT_MODEL else f"hopweave models fetch {name}"
    yield is_here, is_needed, f"embedded model {name}: {path if is_here else f'fetch it with: {fetch}'}"


def _corpus(settings: Settings) -> Iterator[tuple[bool, bool, str]]:
    from hopweave.core.errors import HopweaveError
    from hopweave.run.opening import STARTER, index_folder
    from hopweave.run.settings import server_of

    try:
        if server := server_of(settings.corpus):  # its address may hold a password
            yield True, True, f"corpus: on a server of {server}, which was not asked"
            return
        place = "comes with the package" if settings.corpus == STARTER else str(index_folder(settings))
    except HopweaveError as error:
        yield False, True, f"corpus: {error}"
    else:
        yield True, True, f"corpus {settings.corpus}: {place}"


def _store(settings: Settings) -> Iterator[tuple[bool, bool, str]]:
    from pathlib import Path

    from hopweave.core.errors import HopweaveError
    from hopweave.run.store.stores import open_store

    path = settings.store.path
    if isinstance(path, Path):
        yield from _folders(path.parent)
        return
    try:
        store = open_store(path, settings.store.mode)
        yield True, True, f"store: {len(store):,} replies at {store.path}"
        store.close()
    except HopweaveError as error:
        yield False, True, f"store: {error}"


def _folders(store: object) -> Iterator[tuple[bool, bool, str]]:
    import os
    import shutil
    from pathlib import Path

    folder = Path(str(store))
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    is_usable = existing.is_dir() and os.access(existing, os.W_OK)
    yield (
        is_usable,
        True,
        f"cache folder {folder}: {free / 1e9:.1f} GB free"
        if is_usable
        else f"cache folder {folder}: no folder can be made there",
    )
