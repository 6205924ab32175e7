"""Keep an index in line with changing folders."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from hopweave.apps.cli._declared import with_options
from hopweave.apps.cli._indexing import ReadingOptions, report
from hopweave.apps.cli._stale_answers import say_stale
from hopweave.apps.cli._terminal import say
from hopweave.core.catalog import require
from hopweave.core.errors import DataError, RunError
from hopweave.show.plain import one_line

app = typer.Typer(add_completion=False)

_LOOK_MILLISECONDS = 500
"""Delay before the first sync, after which the watcher already notices changes."""


@app.command()
@with_options(ReadingOptions, "id_field", "title_field", "text_field", "max_row_mib", "max_file_mib", "max_seconds")
def watch(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", help="Files or folders, as for `hopweave index`.", readable=False)
    ],
    *,
    to: Annotated[Path, typer.Option(metavar="INDEX", help="The index, a folder; it is built if missing.")],
    answers: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="Records to check, as for `hopweave stale`; may be repeated."),
    ] = None,
    reading: ReadingOptions,
) -> None:
    """Do `hopweave index --sync` and `hopweave stale` now and after every change, until Ctrl-C.

    Only answers over this index are checked. Give the same options as to `hopweave index`: a file that was read with other
    options is read again.
    """
    watchfiles = require("watchfiles", "watch")
    for path in paths:
        if not path.exists():
            raise DataError(f"there is nothing at {path}; give a folder to watch")
    last, is_first = "", True
    try:
        for has_changed in _changes(watchfiles, paths, to):
            if has_changed or is_first:
                last = _sync(paths, to, reading, answers or [], last, is_first=is_first)
                is_first = False
    except KeyboardInterrupt:
        say("stopped; the index is complete")


def _changes(watchfiles: Any, paths: list[Path], to: Path) -> Iterator[bool]:
    """Whether something has changed in the folders, again and again.

    The system watches a folder, not its path: a watch on a folder that is moved away or unmounted notices neither its
    replacement nor the return of the disk. So watching starts over as soon as another folder is there.
    """
    from hopweave.ingest.vanished import Standing

    def is_looked_at(_: object, path: str) -> bool:
        return not _is_of_index(Path(path), to)

    is_new, is_told = False, False
    while True:
        standing = Standing(paths)
        watched = watchfiles.watch(*paths, watch_filter=is_looked_at, rust_timeout=_LOOK_MILLISECONDS, yield_on_timeout=True)
        try:
            for changes in watched:
                if standing.are_others:
                    break
                yield is_new or bool(changes)  # what changed before the folder was watched went unnoticed
                is_new = is_told = False
        except FileNotFoundError:
            if is_new and not is_told:
                yield True  # which says that the folder is gone
                is_told = True
            time.sleep(_LOOK_MILLISECONDS / 1000)
        is_new = True


def _is_of_index(path: Path, to: Path) -> bool:
    """Whether a file is in the index, or next to it under its name with a dot, as files of an unfinished build are."""
    path, to = path.resolve(), to.resolve()
    name = path.relative_to(to.parent).parts[0] if path.is_relative_to(to.parent) and path != to.parent else ""
    return name == to.name or name.startswith(f".{to.name}.")


def _sync(
    paths: list[Path],
    to: Path,
    reading: ReadingOptions,
    answers: list[Path],
    last: str,
    *,
    is_first: bool,
) -> str:
    """Brings the index in line and lists what is stale if it changed; returns its fingerprint.

    The first time, errors are raised; later they are printed, and watching continues.
    """
    from hopweave.ingest.intake import Intake
    from hopweave.ingest.tally import Tally
    from hopweave.retrieval.engines.bm25 import BM25
    from hopweave.retrieval.index.index_folder import is_index
    from hopweave.run.settings import read_settings
    from hopweave.run.staleness import Checked, stale_answers

    started, language = time.monotonic(), reading.known_language
    options, tally = reading.corpus_options(lenient=True), Tally(names_all=reading.verbose)
    intake = Intake(paths, sync=True, options=options, tally=tally)
    try:
        summary = BM25.take_in(to, intake, update=is_index(to), language=language)
        if summary.fingerprint == last:
            return last
        report(str(to), "synced", summary, intake, started)
        if answers:
            checked = Checked()
            say_stale(stale_answers(answers, read_settings(), over=to, checked=checked), checked)
    except (DataError, RunError) as error:
        if is_first:
            raise
        say(f"hopweave: {one_line(str(error))}", err=True)
        return last
    return summary.fingerprint
