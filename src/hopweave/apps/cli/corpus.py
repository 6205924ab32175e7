"""Make one corpus of the passages of a dataset."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopweave.apps.cli._terminal import say, standard_output
from hopweave.core.catalog import key_of, load
from hopweave.core.errors import DataError, SettingsError
from hopweave.core.part_files import allow
from hopweave.show.plain import counted, plain_json

if TYPE_CHECKING:
    from hopweave.core.types import Passage

app = typer.Typer(add_completion=False)


@app.command()
def corpus(
    dataset: Annotated[str, typer.Argument(help="One of the datasets; hopweave list datasets lists them; or FILE.py:CLASS.")],
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH", help="Its files (or folders), pooled together; none with --set hub=true.", readable=False
        ),
    ] = None,
    *,
    options: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the dataset; may be repeated.", metavar="KEY=VALUE")
    ] = None,
    also: Annotated[
        list[Path] | None, typer.Option(help="Passages from other files, as read by hopweave index.", metavar="PATH")
    ] = None,
) -> None:
    """Print a corpus as JSON lines of id, title and text, pooling the paragraphs of all questions as IRCoT does.

    Passages keep the ids that the dataset's gold refers to, so index it with --max-words 0: splitting a passage renames it.
    """
    kept, repeated, empty = 0, 0, 0
    out = standard_output()
    with closing(sqlite3.connect("", isolation_level=None)) as seen:
        # A temporary SQLite database without a name moves to a file once it outgrows its cache, so memory use stays constant.
        seen.execute("PRAGMA journal_mode = OFF")
        seen.execute("CREATE TABLE passages (id TEXT PRIMARY KEY, content TEXT) WITHOUT ROWID")
        seen.execute("BEGIN")
        for passage in _passages(dataset, paths or [], options or [], also or []):
            if not passage.text.strip():
                empty += 1
            elif _is_new(seen, passage):
                row: dict[str, Any] = {"id": passage.id, "title": passage.title, "text": passage.text}
                row |= {"metadata": dict(passage.metadata)} if passage.metadata else {}
                row |= {"access": passage.access} if passage.access else {}
                out.write(plain_json(json.dumps(row, ensure_ascii=False)).encode() + b"\n")
                kept += 1
            else:
                repeated += 1
    out.flush()
    if not kept:
        raise DataError(f"{dataset} has no passages with text; check its files")
    say(f"{counted(kept, 'passage')}; left out: {repeated:,} repeated, {empty:,} empty", err=True)
    say("index them with: hopweave index FILE --to FOLDER --max-words 0", err=True)


def _passages(dataset: str, paths: list[Path], options: list[str], also: list[Path]) -> Iterator[Passage]:
    from hopweave.core.building import build
    from hopweave.core.protocols import PassageSource
    from hopweave.ingest.read import CorpusOptions, read_corpus
    from hopweave.ingest.tally import Tally
    from hopweave.run.nested_settings import assignments

    allow(dataset)
    part = load("datasets", dataset)
    if not issubclass(part, PassageSource):
        raise SettingsError(f"the rows of {dataset} contain no passages; index a corpus that contains its evidence")
    chosen = assignments(options)
    given: list[dict[str, Any]] = [{**chosen, "path": str(path)} for path in paths] or [chosen]
    for values in given:
        yield from build(part, values, f"datasets.{key_of('datasets', dataset)}").passages()
    if also:
        tally = Tally()
        yield from read_corpus(also, options=CorpusOptions(max_words=0), tally=tally)
        for line in tally.skipped_lines():
            say(f"not read: {line}", err=True)


def _is_new(seen: sqlite3.Connection, passage: Passage) -> bool:
    """Whether the id is new.

    Raises:
        DataError: if it exists with different content, since gold that refers to it would be ambiguous.
    """
    from hopweave.ingest.lookup import content_id

    content = content_id(passage.title, passage.text)
    if seen.execute("INSERT OR IGNORE INTO passages VALUES (?, ?)", (passage.id, content)).rowcount == 1:
        return True
    (before,) = seen.execute("SELECT content FROM passages WHERE id = ?", (passage.id,)).fetchone()
    if before != content:
        raise DataError(f"two passages have the id {passage.id!r} and differ in title or text; pool their files separately")
    return False
