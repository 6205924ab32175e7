"""Build an index from files and folders, add to it, delete from it, or check it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopweave.cli._terminal import say
from hopweave.errors import SettingsError

if TYPE_CHECKING:
    from hopweave.corpus import CorpusOptions, Tally
    from hopweave.retrievers._index_folder import IndexSummary

app = typer.Typer(add_completion=False)

Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATH",
        help="Files or folders: .json .jsonl .tsv .csv .txt .md .html, each also as .gz.",
        readable=False,  # not checked here: our own message says what to do
    ),
]


@app.command()
def index(
    paths: Paths = None,
    *,
    to: Annotated[
        str,
        typer.Option(help="The folder of the index, or a server: postgres://HOST/DATABASE#NAME.", metavar="FOLDER"),
    ],
    add: Annotated[bool, typer.Option("--add", help="Add to the index, replacing passages with the same id.")] = False,
    delete: Annotated[
        list[str] | None, typer.Option(help="Delete a passage or document by id; may be repeated.", metavar="ID")
    ] = None,
    missing_ok: Annotated[bool, typer.Option("--missing-ok", help="Ignore ids to delete that do not exist.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Verify every byte of the index; change nothing.")] = False,
    max_words: Annotated[
        int | None,
        typer.Option(help="Maximum passage length, in words; longer texts are split at sentences; 0: never."),
    ] = None,
    id_field: Annotated[str | None, typer.Option(help="Field of a record that contains its id.")] = None,
    title_field: Annotated[str | None, typer.Option(help="Field of a record that contains its title.")] = None,
    text_field: Annotated[str | None, typer.Option(help="Field of a record that contains its text.")] = None,
    max_row_mib: Annotated[int | None, typer.Option(help="Maximum size of a document or record, in MiB; default 32.")] = None,
    max_file_mib: Annotated[int | None, typer.Option(help="Maximum file size, in MiB, decompressed; default 65,536.")] = None,
) -> None:
    """Build a searchable index from files and folders, or update one.

    Without --add or --delete the index is rebuilt; an existing one stays in use until the new one is complete.
    """
    from hopweave.corpus import CorpusOptions, Tally

    _refuse_contradictions(paths or [], is_add=add, is_delete=bool(delete), is_check=check)
    started = time.monotonic()
    to, writer = _writer(to)
    if check:
        _report(to, "checked", writer.check(), None, started)
        return
    if not paths:
        _report(to, "updated", writer.update(delete=delete or (), missing_ok=missing_ok), None, started)
        return
    options = CorpusOptions(id_field=id_field, title_field=title_field, text_field=text_field)
    limits: dict[str, Any] = {"max_words": max_words, "max_row_mib": max_row_mib, "max_file_mib": max_file_mib}
    options = replace(options, **{name: limit for name, limit in limits.items() if limit is not None})
    tally = Tally()
    summary = _write(paths, writer, options, tally, delete=delete or [], is_add=add, missing_ok=missing_ok)
    _report(to, "updated" if add else "built", summary, tally, started)


def _refuse_contradictions(paths: list[Path], *, is_add: bool, is_delete: bool, is_check: bool) -> None:
    if is_check and (paths or is_add or is_delete):
        raise SettingsError("--check changes nothing; use it alone, with --to")
    if is_add and not paths:
        raise SettingsError("--add needs something to add; give files or folders")
    if paths and is_delete and not is_add:
        raise SettingsError("--delete with files would rebuild the index it deletes from; add --add, or give no files")
    if not (paths or is_delete or is_check):
        raise SettingsError("there is nothing to do; give files or folders to index, or --delete, or --check")


def _writer(to: str) -> tuple[str, Any]:
    """The place of an index as messages show it, and what builds, updates and checks the index there."""
    from hopweave.opening import open_server, server_of
    from hopweave.retrievers.bm25 import BM25
    from hopweave.security.redaction import public_address

    if server_of(to):
        return public_address(to), open_server(to)
    folder = Path(to)
    return str(folder), SimpleNamespace(
        build=partial(BM25.build, folder), update=partial(BM25.update, folder), check=partial(BM25.check, folder)
    )


def _write(
    paths: list[Path], writer: Any, options: CorpusOptions, tally: Tally, *, delete: list[str], is_add: bool, missing_ok: bool
) -> IndexSummary:
    from hopweave.corpus import find_files, read_corpus

    # This also finds a mistyped path before anything is written.
    num_bytes = sum(file.num_bytes for file in find_files(paths) if file.is_readable)
    with _progress(num_bytes) as (on_bytes, on_passage):
        passages = read_corpus(paths, options=options, tally=tally, on_bytes=on_bytes)
        if is_add:
            done = writer.update(upsert=passages, delete=delete, missing_ok=missing_ok, on_passage=on_passage)
        else:
            done = writer.build(passages, on_passage=on_passage)
    summary: IndexSummary = done
    return summary


@contextmanager
def _progress(num_bytes: int) -> Iterator[tuple[Callable[[int], None], Callable[[int], None]]]:
    """A bar on standard error, if that is a terminal: bytes read and total, their rate, and passages so far."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    from hopweave.cli._console import console

    columns = (
        TextColumn("indexing"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[passages]:,} passages"),
    )
    with Progress(*columns, console=console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("indexing", total=num_bytes, passages=0)

        def on_passage(number: int) -> None:
            if number % 1000 == 0:
                progress.update(task, passages=number)

        yield lambda piece: progress.advance(task, piece), on_passage


def _report(to: str, done: str, summary: IndexSummary, tally: Tally | None, started: float) -> None:
    size = f"{summary.num_bytes / 2**20:.1f} MiB, " if summary.num_bytes else ""  # a server does not say
    say(f"{done} {to}: {summary.num_passages:,} passages, {size}{time.monotonic() - started:.1f} s")
    if summary.num_deleted or done == "updated":
        say(f"  added {summary.num_added:,}, deleted or replaced {summary.num_deleted:,}")
    if tally is not None:
        say(f"  read {tally.num_files:,} file{'s' * (tally.num_files != 1)}")
        if tally.num_duplicates or tally.num_empty:
            say(f"  left out: {tally.num_duplicates:,} repeated without an id, {tally.num_empty:,} empty")
        if tally.skipped:
            counts = ", ".join(f"{suffix} ({number:,})" for suffix, number in sorted(tally.skipped.items()))
            say(f"  unknown formats, not read: {counts}")
        if tally.special:
            say(f"  no regular files, not read: {tally.special_names}")
    say(f"  fingerprint {summary.fingerprint}")
