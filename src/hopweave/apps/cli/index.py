"""Build, update or inspect an index of documents."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopweave.apps.cli._declared import with_options
from hopweave.apps.cli._indexing import ReadingOptions, report
from hopweave.apps.cli._options import Profile
from hopweave.apps.cli._terminal import say
from hopweave.core.errors import SettingsError
from hopweave.ingest.formats import CAN_RECOGNISE, IMAGE_SUFFIXES, READ
from hopweave.show.plain import flat

if TYPE_CHECKING:
    from hopweave.core.indexing import IndexSummary, IndexWriter
    from hopweave.ingest.intake import Intake, TakesInFiles
    from hopweave.ingest.whole_document import ReadsElsewhere

app = typer.Typer(add_completion=False)

_PICTURES = "" if CAN_RECOGNISE else f"; with the extra ocr, pictures ({' '.join(sorted(IMAGE_SUFFIXES))})"

Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATH",
        help=f"Files or folders: {READ}{_PICTURES}.",
        readable=False,  # not checked here: our own message says what to do
    ),
]

To = Annotated[
    str,
    typer.Option(metavar="INDEX", help="The index: a folder, or on a server: postgres://HOST/DATABASE#NAME."),
]
Sync = Annotated[
    bool, typer.Option("--sync", help="Add what is new in the folders, replace what changed, remove what is gone.")
]
GoneOk = Annotated[bool, typer.Option("--gone-ok", help="With --sync: even if a whole folder, or most of its files, are gone.")]
Delete = Annotated[list[str] | None, typer.Option(help="Delete a passage or document by id; may be repeated.", metavar="ID")]
Engine = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Engine of the index: bm25, linear_rag, or dense or late_interaction with options of the settings."
    ),
]
List = Annotated[bool, typer.Option("--list", help="Print id, number of passages and title of each document; change nothing.")]


Processes = Annotated[
    int | None,
    typer.Option(
        help="Processes that read documents; default: one for each core, up to 8, if there are 16 MB to read.",
        show_default=False,
        min=1,
    ),
]
MUCH = 16_000_000
"""Bytes of files that are worth processes: to start one takes as long as reading half a megabyte of HTML."""
MOST_PROCESSES = 8
"""By default: what follows the order of files is done in one process, which more of them would only wait for."""

Cluster = Annotated[
    str,
    typer.Option(help="Let the workers of a Dask cluster read documents and encode: tcp://HOST:8786.", metavar="ADDRESS"),
]


@app.command()
@with_options(ReadingOptions)
def index(
    context: typer.Context,
    paths: Paths = None,
    *,
    to: To,
    add: Annotated[bool, typer.Option("--add", help="Add to the index, replacing passages with the same id.")] = False,
    sync: Sync = False,
    gone_ok: GoneOk = False,
    delete: Delete = None,
    missing_ok: Annotated[bool, typer.Option("--missing-ok", help="Ignore ids to delete that do not exist.")] = False,
    engine: Engine = "bm25",
    profile: Profile = "",
    verify: Annotated[bool, typer.Option("--verify", help="Verify every byte of the index; change nothing.")] = False,
    stats: Annotated[bool, typer.Option("--stats", help="Print statistics of the index; change nothing.")] = False,
    list_: List = False,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first file that cannot be read.")] = False,
    reading: ReadingOptions,
    processes: Processes = None,
    cluster: Cluster = "",
) -> None:
    """Build a searchable index from files and folders, or update one.

    Without --add, --sync or --delete the index is rebuilt; an existing one stays in use until the new one is complete.
    """
    from hopweave.ingest.intake import Intake
    from hopweave.ingest.tally import Tally
    from hopweave.retrieval.index.index_folder import is_index

    looks = [name for name, is_asked in (("--verify", verify), ("--stats", stats), ("--list", list_)) if is_asked]
    changes = {"is_add": add, "is_sync": sync, "is_delete": bool(delete), "has_language": reading.language is not None}
    _refuse_without_effect(paths or [], processes, cluster, gone_ok=gone_ok, is_sync=sync)
    _refuse_contradictions(paths or [], looks, **changes)
    started = time.monotonic()
    client = _client(context, cluster, is_work=bool(paths))
    place, writer = _writer(context, to, engine, client, profile)
    more = reading.for_writer(writer)
    if (sync or list_ or stats) and _takes_in_files(writer) is None:
        raise SettingsError(f"--sync, --list and --stats need an index of bm25 in a folder, not {place}; use --add or --delete")
    if list_:
        _list(Path(to))
    elif stats:
        _stats(Path(to))
    elif verify:
        report(place, "verified", writer.check(), None, started)
    elif not paths:
        report(place, "updated", writer.update(delete=delete or (), missing_ok=missing_ok, **more), None, started)
    else:
        options, tally = reading.corpus_options(lenient=not strict), Tally(names_all=reading.verbose)
        intake = Intake(paths, sync, options, tally, gone_ok=gone_ok)
        intake.elsewhere = _elsewhere(context, client, processes, intake)
        is_update = add or (sync and is_index(Path(to)))
        summary = _write(Path(to), writer, intake, delete=delete or [], is_update=is_update, missing_ok=missing_ok, more=more)
        report(place, "synced" if sync else "updated" if add else "built", summary, intake, started)


def _client(context: typer.Context, cluster: str, *, is_work: bool) -> Any:
    """A client of the cluster, which is closed when the command ends; `None` without one."""
    if not cluster:
        return None
    if not is_work:
        raise SettingsError("--cluster reads files and encodes what is in them; give files or folders, or leave it out")
    from hopweave.core.dask_client import connected_now

    return context.with_resource(connected_now(cluster))


def _elsewhere(context: typer.Context, client: Any, processes: int | None, intake: Intake) -> ReadsElsewhere | None:
    """What reads documents instead of this process, which is closed when the command ends."""
    from hopweave.core.cores import num_usable_cores
    from hopweave.ingest.cluster_reading import ClusterReading
    from hopweave.ingest.process_reading import ProcessReading

    if client is not None:
        return ClusterReading(client)
    if processes is None:
        processes = min(MOST_PROCESSES, num_usable_cores()) if intake.num_bytes() >= MUCH else 1
    return context.with_resource(closing(ProcessReading(processes))) if processes > 1 else None


def _refuse_without_effect(paths: list[Path], processes: int | None, cluster: str, *, gone_ok: bool, is_sync: bool) -> None:
    if processes is not None and cluster:
        raise SettingsError("with --cluster its workers read documents; leave out --processes")
    if processes is not None and not paths:
        raise SettingsError("--processes is about reading files; give files or folders, or leave it out")
    if gone_ok and not is_sync:
        raise SettingsError("--gone-ok is about what --sync removes; add --sync, or leave it out")


def _refuse_contradictions(
    paths: list[Path], looks: list[str], *, is_add: bool, is_sync: bool, is_delete: bool, has_language: bool
) -> None:
    if looks and (paths or is_add or is_sync or is_delete or has_language or len(looks) > 1):
        raise SettingsError(f"{looks[0]} changes nothing; use it alone, with --to")
    if is_sync and is_add:
        raise SettingsError("--sync adds as well; give it without --add")
    if is_sync and is_delete:
        raise SettingsError("--sync would bring back what --delete removes; delete the file, or leave it out with --exclude")
    if is_sync and not paths:
        raise SettingsError("--sync needs something to go by; give files or folders")
    if is_add and not paths:
        raise SettingsError("--add needs something to add; give files or folders")
    if paths and is_delete and not is_add:
        raise SettingsError("--delete with files would rebuild the index it deletes from; add --add, or give no files")
    if not (paths or is_delete or looks):
        raise SettingsError("there is nothing to do; give files or folders to index, or --delete, --verify, --stats or --list")


def _list(to: Path) -> None:
    from hopweave.retrieval.engines.bm25 import BM25

    with closing(BM25(to)) as opened:
        for document_id, title, num_passages, also_in in opened.documents():
            others = f"\talso in {flat(', '.join(also_in))}" if also_in else ""
            typer.echo(f"{flat(document_id)}\t{num_passages}\t{flat(title)}{others}")


def _stats(to: Path) -> None:
    from hopweave.retrieval.engines.bm25 import BM25

    for name, value in BM25.stats(to).items():
        say(f"{name:<12} {value:,}" if isinstance(value, int) else f"{name:<12} {value}")


def _writer(context: typer.Context, to: str, engine: str, client: Any, profile: str) -> tuple[str, IndexWriter]:
    """The place of an index in the form for messages, and what builds, updates and checks the index there."""
    from hopweave.core.redaction import public_address
    from hopweave.run.opening import index_writer, open_server
    from hopweave.run.settings import server_of

    if server_of(to):
        return public_address(to), context.with_resource(closing(open_server(to, profile)))
    return str(Path(to)), index_writer(Path(to), engine, client, profile)


def _takes_in_files(writer: IndexWriter) -> TakesInFiles | None:
    """The class of the writer's index, if such an index stores which files it was built from."""
    from hopweave.ingest.intake import TakesInFiles
    from hopweave.run.opening import FolderWriter

    return writer.engine if isinstance(writer, FolderWriter) and isinstance(writer.engine, TakesInFiles) else None


def _write(
    to: Path,
    writer: IndexWriter,
    intake: Intake,
    *,
    delete: list[str],
    is_update: bool,
    missing_ok: bool,
    more: Mapping[str, str],
) -> IndexSummary:
    from hopweave.ingest.read import read_corpus

    with _progress(intake.num_bytes()) as (on_bytes, on_passage):  # also finds a mistyped path before anything is written
        if engine := _takes_in_files(writer):
            intake.on_bytes = on_bytes
            return engine.take_in(
                to, intake, update=is_update, delete=delete, missing_ok=missing_ok, on_passage=on_passage, **more
            )
        passages = read_corpus(
            intake.paths, options=intake.options, tally=intake.tally, on_bytes=on_bytes, elsewhere=intake.elsewhere
        )
        if is_update:
            return writer.update(upsert=passages, delete=delete, missing_ok=missing_ok, on_passage=on_passage, **more)
        return writer.build(passages, on_passage=on_passage, **more)


@contextmanager
def _progress(num_bytes: int) -> Iterator[tuple[Callable[[int], None], Callable[[int], None]]]:
    """A bar on standard error, if that is a terminal: bytes read and total, time left, passages so far and their rate."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    from hopweave.apps.cli._console import console

    columns = (
        TextColumn("indexing"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[passages]:,} passages, {task.fields[rate]:,.0f}/s"),
    )
    with Progress(*columns, console=console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("indexing", total=num_bytes, passages=0, rate=0.0)
        started = time.monotonic()

        def on_passage(number: int) -> None:
            if number % 1000 == 0:
                progress.update(task, passages=number, rate=number / max(time.monotonic() - started, 1e-3))

        yield lambda piece: progress.advance(task, piece), on_passage
