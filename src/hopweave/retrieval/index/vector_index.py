"""What all vector indexes share besides the vectors: a table of passages, builds that resume after a kill, updates.

    passages.sqlite    number, id, document, and the passage as JSON
    numbers.i64        the number of each passage, in ascending order; the vector files have the same order

How the vectors themselves are stored is up to `VectorFiles`.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hopweave.core.characters import check_whole
from hopweave.core.errors import DataError
from hopweave.core.indexing import IndexSummary
from hopweave.core.types import Passage
from hopweave.core.visibility import Visible
from hopweave.ingest.lookup import MAX_ID_BYTES, document_id_of
from hopweave.retrieval.index.arrays import mapped
from hopweave.retrieval.index.filter_table import TABLE as FILTER_TABLE
from hopweave.retrieval.index.filter_table import forget, has_labels, note, shown_rows
from hopweave.retrieval.index.index_folder import Fingerprint, Manifest, damaged, verify
from hopweave.retrieval.index.index_writing import Staging, replace_index
from hopweave.retrieval.index.passage_rows import passage_of_row, row_of_passage
from hopweave.retrieval.index.vector_source import VectorSource, encoded_text

NUMBERS = "numbers.i64"
_PASSAGES = "passages.sqlite"
_CHUNK = 256
_BLOCK = 1 << 16
_SCHEMA = """
    CREATE TABLE passages (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL, row TEXT NOT NULL);
    CREATE INDEX documents ON passages (document);
"""


class VectorFiles(ABC):
    """The vectors of one state of an index, while it is written.

    Args:
        source: where the vectors come from.
        folder: the index.
    """

    def __init__(self, source: VectorSource, folder: Path) -> None:
        self.source = source
        self._folder = folder
        self._dimension = 0

    @abstractmethod
    def add(self, data: Path, passages: Sequence[Passage]) -> None:
        """Writes the vectors of further passages into a file in `data`."""

    @abstractmethod
    def finish(self, data: Path, previous: Previous | None) -> Mapping[str, int]:
        """Puts the remaining vectors before the added ones; returns their entries for the manifest."""

    def _agree(self, new: int, there: int) -> None:
        """Checks that added vectors have the dimension of the existing ones, and returns it.

        Args:
            new: numbers in each vector; 0 if none is added.
            there: numbers in the existing ones.

        Raises:
            DataError: if they differ.
        """
        if new not in (0, there):
            raise DataError(f"vectors of {new} numbers do not match those in index {self._folder}; use one model for all")
        self._dimension = there


@dataclass(frozen=True, slots=True)
class Previous:
    """The state that is being updated.

    Attributes:
        data: its folder.
        manifest: its manifest.
        gone: numbers of the removed passages, ascending.
    """

    data: Path
    manifest: Manifest
    gone: NDArray[np.int64]

    def blocks(self, size: int = _BLOCK) -> Iterator[tuple[slice, NDArray[np.bool_]]]:
        """All its passages in blocks of a given size, by their rows, and which of each block stay."""
        numbers = mapped(self.data / NUMBERS, np.int64, 1)[:, 0]
        for first in range(0, len(numbers), size):
            part = slice(first, min(first + size, len(numbers)))
            yield part, ~np.isin(numbers[part], self.gone)


class Passages:
    """The passages of an index opened for reading.

    Args:
        data: the data folder.
        manifest: of the index.

    Raises:
        DataError: if a file of it is damaged.
    """

    def __init__(self, data: Path, manifest: Manifest) -> None:
        self._table = _reading(data / _PASSAGES)
        self._numbers = np.asarray(mapped(data / NUMBERS, np.int64, 1)[:, 0])
        if len(self._numbers) != manifest.num_passages:
            raise damaged(data.parent, manifest.data, f"does not hold {manifest.num_passages} vectors")

    def at(self, row: int) -> Passage:
        """The passage whose vectors are at a position."""
        number = int(self._numbers[row])
        return _passage(*self._table.execute("SELECT row FROM passages WHERE number = ?", (number,)).fetchone())

    def row_of(self, passage: Passage) -> int | None:
        """The position of a passage's vectors; `None` if it is missing or has another title or text."""
        try:
            found = self._table.execute("SELECT number, row FROM passages WHERE id = ?", (passage.id,)).fetchone()
        except UnicodeEncodeError:  # an unpaired surrogate, which no id contains
            return None
        if found is None or encoded_text(_passage(found[1])) != encoded_text(passage):
            return None
        return int(np.searchsorted(self._numbers, found[0]))

    def of(self, any_ids: Iterable[str], *, documents: bool) -> list[Passage]:
        """The passages with one of these ids, or cut from a document with one, in the order of their numbers."""
        by_id = "SELECT number, row FROM passages WHERE id = ?1"
        select = f"{by_id} OR document = ?1" if documents else by_id
        rows: dict[int, str] = {}
        for any_id in any_ids:
            with suppress(UnicodeEncodeError):  # an unpaired surrogate, which no id contains
                rows |= self._table.execute(select, (any_id,))
        return [_passage(rows[number]) for number in sorted(rows)]

    def shown(self, visible: Visible, folder: Path) -> NDArray[np.int64] | None:
        """The positions of the visible passages; `None` if all are.

        Raises:
            DataError: if the index, `folder`, has no such data.
        """
        return shown_rows(self._table, self._numbers, visible, folder)

    def __iter__(self) -> Iterator[Passage]:
        for (row,) in self._table.execute("SELECT row FROM passages ORDER BY number"):
            yield _passage(row)

    def close(self) -> None:
        """Closes the files."""
        self._table.close()
        del self._numbers


class VectorStore:
    """An index opened for reading.

    Args:
        data: the data folder.
        manifest: of the index.

    Attributes:
        dimension: of the vectors.

    Raises:
        DataError: if a file of it is damaged.
    """

    def __init__(self, data: Path, manifest: Manifest) -> None:
        self.dimension: int = manifest.state["dimension"]
        self._passages = Passages(data, manifest)

    def passages(self) -> Iterator[Passage]:
        """All passages, in the order in which they were added."""
        return iter(self._passages)

    def passages_of(self, any_ids: Iterable[str], *, documents: bool) -> list[Passage]:
        """The passages with one of these ids, or cut from a document with one, regardless of access labels."""
        return self._passages.of(any_ids, documents=documents)

    def close(self) -> None:
        """Closes the files."""
        self._passages.close()


def other_model(folder: Path, engine: str, there: str, named: str) -> DataError:
    """The error for an index with the vectors of a model other than the one in the settings."""
    return DataError(
        f"index {folder} holds vectors of {there}, and the settings name {named}; "
        f"set retrievers.{engine}.model to the one that made them, or rebuild the index"
    )


def build(
    folder: Path, engine: str, files: VectorFiles, passages: Iterable[Passage], on_passage: Callable[[int], None] | None
) -> IndexSummary:
    """Builds an index, replacing an existing one, which stays in use until the new one is complete.

    Raises:
        DataError: for an id that occurs twice, no passage at all, a folder that is not an index, another writer, or a full
            disk. Existing data is untouched.
        SearchError: if the encoder fails.
    """
    with _writing_to(folder, engine, files, update=False) as writing:
        writing.add_all(passages, on_passage)
        if not writing.num_added:
            raise DataError(f"there is no passage to index in {folder}; give at least one")
        return writing.publish()


def update(
    folder: Path,
    engine: str,
    files: VectorFiles,
    *,
    upsert: Iterable[Passage],
    delete: Iterable[str],
    missing_ok: bool,
    on_passage: Callable[[int], None] | None,
) -> IndexSummary:
    """Deletes passages, then adds and replaces passages, without encoding the rest again; see `BM25.update`.

    Raises:
        DataError: for an id to delete that does not exist, an id added twice, a model other than the index's, no index,
            another writer, or a full disk. The index is untouched.
        SearchError: if the encoder fails.
    """
    with _writing_to(folder, engine, files, update=True) as writing:
        for passage_id in delete:
            if not writing.delete(passage_id) and not missing_ok:
                raise DataError(f"index {folder} has no passage or document {passage_id!r} to delete; check the id")
        writing.add_all(upsert, on_passage)
        return writing.publish()


@contextmanager
def _writing_to(folder: Path, engine: str, files: VectorFiles, *, update: bool) -> Iterator[_Writing]:
    """Opens a new state of an index for writing; it is current once `_Writing.publish` returns."""
    with replace_index(folder, engine=engine, update=update) as staging:
        previous = staging.previous
        if previous is not None and previous.analyzer != files.source.identity:
            raise other_model(folder, engine, previous.analyzer, files.source.identity)
        table = _new_table(staging)
        with closing(table):
            yield _Writing(staging, engine, files, table)


class _Writing:
    """Writes one new state of an index."""

    def __init__(self, staging: Staging, engine: str, files: VectorFiles, table: sqlite3.Connection) -> None:
        self._staging = staging
        self._engine = engine
        self._files = files
        self._table = table
        previous = staging.previous
        self._fingerprint = Fingerprint(previous.fingerprint) if previous is not None else Fingerprint()
        self._first_number = self._next_number = previous.state["next_number"] if previous is not None else 0
        self._gone: set[str] = set()
        self._gone_numbers: set[int] = set()
        self.num_added = 0

    def add_all(self, passages: Iterable[Passage], on_passage: Callable[[int], None] | None) -> None:
        """Adds passages with their vectors; each replaces the one with its id, and the document it was cut from."""
        for chunk in self._begun(iter(passages)):
            for passage in chunk:
                self._replace(passage)
            self._files.add(self._staging.data, chunk)
            for _ in chunk:
                self.num_added += 1
                if on_passage is not None:
                    on_passage(self.num_added)

    def _begun(self, left: Iterator[Passage]) -> Iterator[list[Passage]]:
        """Passages in pieces. Later ones are read, and their vectors begun, as far ahead as their source wants."""
        waiting: deque[list[Passage]] = deque()
        while chunk := list(islice(left, _CHUNK)):
            self._files.source.begin(chunk)
            waiting.append(chunk)
            if len(waiting) > self._files.source.num_ahead:
                yield waiting.popleft()
        yield from waiting

    def delete(self, any_id: str) -> bool:
        """Deletes the passage and the document of that id from the previous state; returns whether there was one."""
        try:
            rows = self._table.execute(
                "DELETE FROM passages WHERE (id = ?1 OR document = ?1) AND number < ?2 RETURNING number, row",
                (any_id, self._first_number),
            ).fetchall()
        except UnicodeEncodeError:  # an unpaired surrogate, which no id contains
            return False
        for number, row in rows:
            self._gone_numbers.add(number)
            self._fingerprint.remove(_passage(row))
        forget(self._table, [number for number, _ in rows])
        if rows:
            self._gone.add(any_id)
        return any_id in self._gone

    def publish(self) -> IndexSummary:
        """Publishes the new state as the current one."""
        self._table.execute("COMMIT")
        are_labelled = has_labels(self._table)
        self._table.close()
        self._write_numbers()
        state = {"next_number": self._next_number, **self._files.finish(self._staging.data, self._previous())}
        manifest = self._staging.publish(
            engine=self._engine,
            analyzer=self._files.source.identity,
            num_passages=(self._staging.data / NUMBERS).stat().st_size // 8,
            fingerprint=self._fingerprint,
            state=state,
            has_labels=are_labelled,
        )
        self._files.source.forget()
        return IndexSummary(
            manifest.num_passages, self.num_added, len(self._gone_numbers), manifest.num_bytes, manifest.fingerprint
        )

    def _replace(self, passage: Passage) -> None:
        document_id = document_id_of(passage)
        if self._staging.previous is not None:
            for any_id in {document_id, passage.id}:
                self.delete(any_id)
        if not passage.id or len(passage.id.encode("utf-8", "replace")) > MAX_ID_BYTES:
            raise DataError(f"a passage cannot have the id {passage.id[:40]!r}; give it one of 1 to {MAX_ID_BYTES:,} bytes")
        row = json.dumps(row_of_passage(passage), ensure_ascii=False)
        check_whole(row, f"passage {passage.id!r}")
        try:
            self._table.execute("INSERT INTO passages VALUES (?, ?, ?, ?)", (self._next_number, passage.id, document_id, row))
        except sqlite3.IntegrityError:
            raise self._occurs_twice(passage) from None
        note(self._table, self._next_number, passage)
        self._fingerprint.add(passage)
        self._next_number += 1

    def _occurs_twice(self, passage: Passage) -> DataError:
        number, row = self._table.execute("SELECT number, row FROM passages WHERE id = ?", (passage.id,)).fetchone()
        first = (number - self._first_number + 1, _passage(row).source)
        second = (self._next_number - self._first_number + 1, passage.source)
        places = " and ".join(f"passage {place} ({source or 'no source'})" for place, source in (first, second))
        return DataError(f"the id {passage.id!r} occurs twice, as {places}; make the ids unique")

    def _write_numbers(self) -> None:
        """The numbers of the remaining passages, followed by those of the new ones."""
        previous = self._previous()
        with (self._staging.data / NUMBERS).open("wb") as numbers:
            if previous is not None:
                old = mapped(previous.data / NUMBERS, np.int64, 1)[:, 0]
                for part, stays in previous.blocks():
                    numbers.write(old[part][stays].astype("<i8").tobytes())
            numbers.write(np.arange(self._first_number, self._next_number, dtype="<i8").tobytes())

    def _previous(self) -> Previous | None:
        manifest = self._staging.previous
        if manifest is None:
            return None
        gone = np.array(sorted(self._gone_numbers), dtype=np.int64)
        return Previous(self._staging.folder / manifest.data, manifest, gone)


def _new_table(staging: Staging) -> sqlite3.Connection:
    """The table of the new state: a copy of the previous one, or an empty one."""
    path = staging.data / _PASSAGES
    if staging.previous is not None:
        verify(staging.folder, staging.previous)
        shutil.copyfile(staging.folder / staging.previous.data / _PASSAGES, path)
    table = sqlite3.connect(path, isolation_level=None)
    # The state is discarded unless it is published completely, so no journal is needed.
    table.execute("PRAGMA journal_mode = OFF")
    table.execute("PRAGMA synchronous = OFF")
    if staging.previous is None:
        table.executescript(_SCHEMA)
    table.executescript(FILTER_TABLE)
    table.execute("BEGIN")
    return table


def _reading(path: Path) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    table = sqlite3.connect(uri, uri=True, check_same_thread=False)
    try:
        table.execute("SELECT number FROM passages LIMIT 1").fetchone()
    except sqlite3.DatabaseError as error:
        table.close()
        raise damaged(path.parent.parent, f"{path.parent.name}/{path.name}", f"cannot be read ({error})") from error
    return table


def append(new: Path, whole: Path) -> None:
    """Appends a file, which is missing if nothing was added, to another, and removes it."""
    if new.exists():
        with new.open("rb") as source, whole.open("ab") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        new.unlink()


def _passage(row: str) -> Passage:
    return passage_of_row(json.loads(row))
