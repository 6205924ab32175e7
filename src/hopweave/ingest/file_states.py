"""What an index knows about the files that it was built from: their state when they were read, and their passages.

It is an SQLite table in the index's data folder, so it is replaced together with the passages, or not at all.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from hopweave.core.errors import DataError
from hopweave.core.files import sha256_of
from hopweave.core.indexing import how_to_rebuild
from hopweave.ingest.copies import Copy
from hopweave.ingest.find import Roots
from hopweave.ingest.formats import CorpusFile
from hopweave.ingest.origin import Origin
from hopweave.ingest.reasons import Reason, reading

_COPIES = "copies"

_TABLES = """
PRAGMA trusted_schema = OFF;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS roots (path BLOB PRIMARY KEY, label TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS files (
    path BLOB PRIMARY KEY, size INTEGER, mtime_ns INTEGER, sha256 TEXT, reading TEXT, num_passages INTEGER, leans INTEGER,
    unread TEXT, kind TEXT
);
CREATE TABLE IF NOT EXISTS spans (first INTEGER PRIMARY KEY, end INTEGER, path BLOB);
CREATE INDEX IF NOT EXISTS spans_of_files ON spans (path);
CREATE TABLE IF NOT EXISTS copies (passage_id TEXT, holder BLOB, source TEXT, path BLOB);
CREATE INDEX IF NOT EXISTS copies_of_passages ON copies (passage_id);
CREATE INDEX IF NOT EXISTS copies_of_holders ON copies (holder);
CREATE INDEX IF NOT EXISTS copies_in_files ON copies (path);
CREATE TEMP TABLE met (path BLOB PRIMARY KEY, given BLOB, source TEXT, document_id TEXT, looks TEXT, place BLOB);
CREATE TEMP TABLE to_read (path BLOB PRIMARY KEY);
BEGIN;
"""

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class FileState:
    """The state of a file when it was read.

    Attributes:
        size: in bytes, on disk.
        mtime_ns: when it was last changed, in nanoseconds.
        sha256: of its bytes, hexadecimal; empty if it has to be read again.
        reading: the options that its passages depend on; see `read.CorpusOptions.reading`.
        num_passages: the number of its passages.
        leans: whether something in it was left out because of another file's content.
        unread: why it, or which part of it, could not be read; empty if everything was.
        kind: the reason for that.
    """

    size: int
    mtime_ns: int
    sha256: str = ""
    reading: str = ""
    num_passages: int = 0
    leans: bool = False
    unread: str = ""
    kind: Reason = Reason.DAMAGED

    @property
    def is_in(self) -> bool:
        """Whether it is in the index, at least in part; a file without words is."""
        return bool(self.num_passages) or not self.unread


def look_at(file: CorpusFile) -> FileState:
    """Size and time of a file.

    Raises:
        DataError: if it cannot be accessed.
    """
    with reading(file.source):
        found = file.path.stat()
    return FileState(found.st_size, found.st_mtime_ns)


def hash_of(file: CorpusFile) -> str:
    """The SHA-256 of a file.

    Raises:
        DataError: if it cannot be read.
    """
    with reading(file.source):
        return sha256_of(file.path)


def count_files(path: Path) -> int | None:
    """The number of files in a table, which may be in a read-only place; `None` if there is no table.

    Raises:
        DataError: if it is damaged.
    """
    return _looked_up(path, lambda table: int(table.execute("SELECT COUNT(*) FROM files").fetchone()[0]))


def origin_of(path: Path, number: int, passage_id: str) -> Origin | None:
    """The file that the passage with a number comes from, according to a table; `None` if it has none.

    Args:
        path: of the table, which may be in a read-only place or missing.
        number: of the passage.
        passage_id: its id.

    Raises:
        DataError: if the table is damaged.
    """
    return _looked_up(path, lambda table: _origin_in(table, number, passage_id))


def _origin_in(table: sqlite3.Connection, number: int, passage_id: str) -> Origin | None:
    row = table.execute(
        "SELECT files.path, size, sha256, end FROM spans JOIN files ON files.path = spans.path WHERE first <= ? "
        "ORDER BY first DESC LIMIT 1",
        (number,),
    ).fetchone()
    if row is None or number >= row[3] or not row[2]:
        return None
    file = Path(os.fsdecode(row[0]))
    roots = {Path(os.fsdecode(folder)) for (folder,) in table.execute("SELECT path FROM roots")}
    root = next((above for above in file.parents if above in roots), None)
    return Origin(file, root, int(row[1]), str(row[2]), _also_in(table, passage_id)) if root is not None else None


def copies_in(path: Path, passage_ids: Iterable[str] | None = None) -> dict[str, tuple[str, ...]]:
    """The sources of other documents that have the text of passages, by the passages' ids, as far as there are any.

    Args:
        path: as in `origin_of`.
        passage_ids: of the passages; by default all.

    Raises:
        DataError: if the table is damaged.
    """

    def found_in(table: sqlite3.Connection) -> dict[str, tuple[str, ...]]:
        found = {one: _also_in(table, one) for one in (_held(table) if passage_ids is None else passage_ids)}
        return {passage_id: sources for passage_id, sources in found.items() if sources}

    return _looked_up(path, found_in) or {}


def _looked_up(path: Path, look_up: Callable[[sqlite3.Connection], _Found]) -> _Found | None:
    """What is found in a table; `None` if there is none, also if a writer removes it while it is opened."""
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as table:
            table.execute("PRAGMA trusted_schema = OFF")
            return look_up(table)
    except (sqlite3.DatabaseError, TypeError, ValueError) as error:
        if not path.exists():
            return None
        raise _damaged(path, error) from error


def _held(table: sqlite3.Connection) -> list[str]:
    is_there = table.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (_COPIES,)).fetchone()  # not in older indexes
    return [str(one) for (one,) in table.execute("SELECT DISTINCT passage_id FROM copies")] if is_there else []


def _also_in(table: sqlite3.Connection, passage_id: str) -> tuple[str, ...]:
    if table.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (_COPIES,)).fetchone() is None:
        return ()
    found = table.execute("SELECT DISTINCT source FROM copies WHERE passage_id = ? ORDER BY source", (passage_id,))
    return tuple(str(source) for (source,) in found)


class FileStates:
    """The files of one state of an index, while it is being written.

    Args:
        path: of the table; created if it is missing.

    Raises:
        DataError: if it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.is_changed = False
        self._path = path
        self._table = sqlite3.connect(path, isolation_level=None)
        with self._damage():
            self._table.executescript(_TABLES)
            if "kind" not in [column[1] for column in self._table.execute("PRAGMA table_info(files)")]:  # of an earlier version
                self._table.execute(f"ALTER TABLE files ADD COLUMN kind TEXT DEFAULT '{Reason.DAMAGED.name}'")
            labels = self._table.execute("SELECT path, label FROM roots").fetchall()
        self.roots = Roots({Path(os.fsdecode(folder)): label for folder, label in labels})

    def close(self) -> None:
        """Writes everything to the disk, and closes the table."""
        with self._damage():
            for folder, label in self.roots.labels.items():
                self._change("INSERT OR IGNORE INTO roots VALUES (?, ?)", _key(folder), label)
            self._table.execute("COMMIT")
        self._table.close()

    def of(self, path: Path) -> FileState | None:
        """The state of a file when it was read; `None` if it never was."""
        with self._damage():
            row = self._table.execute(
                "SELECT size, mtime_ns, sha256, reading, num_passages, leans, unread, kind FROM files WHERE path = ?",
                (_key(path),),
            ).fetchone()
            return (
                None if row is None else FileState(row[0], row[1], row[2], row[3], row[4], bool(row[5]), row[6], Reason[row[7]])
            )

    def note(self, path: Path, state: FileState, numbers: range = range(0)) -> None:
        """Notes the state of a file, and the numbers of its passages."""
        with self._damage():
            values = (state.size, state.mtime_ns, state.sha256, state.reading, state.num_passages, state.leans)
            said = (state.unread, state.kind.name)
            self._change("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", _key(path), *values, *said)
            if numbers:
                self._change("INSERT OR REPLACE INTO spans VALUES (?, ?, ?)", numbers.start, numbers.stop, _key(path))

    def note_copies(self, path: Path, copies: Iterable[Copy]) -> None:
        """Notes the passages of a file that were left out, each with the passages that have its text."""
        with self._damage():
            for source, holders in copies:
                for passage_id, holder in holders:
                    self._change("INSERT INTO copies VALUES (?, ?, ?, ?)", passage_id, os.fsencode(holder), source, _key(path))

    def has_copies(self, path: Path) -> bool:
        """Whether passages of a file were left out because another one has their text."""
        with self._damage():
            return self._table.execute("SELECT 1 FROM copies WHERE path = ?", (_key(path),)).fetchone() is not None

    def take_copies(self, path: Path) -> list[Path]:
        """The files with passages that were left out because of a file, which is taken out or read again.

        They lack these passages until they are read again, so their hashes are forgotten until then.
        """
        with self._damage():
            found = self._table.execute(
                "SELECT DISTINCT path FROM copies WHERE holder = ? AND path <> holder ORDER BY path", (_key(path),)
            ).fetchall()
            self._change("DELETE FROM copies WHERE holder = ? OR path = ?", _key(path), _key(path))
            for one in found:
                self._change("UPDATE files SET sha256 = '' WHERE path = ?", *one)
        return [Path(os.fsdecode(one)) for (one,) in found]

    def take_numbers(self, path: Path) -> list[range]:
        """The numbers of a file's passages, which it loses."""
        with self._damage():
            found = self._table.execute("SELECT first, end FROM spans WHERE path = ? ORDER BY first", (_key(path),)).fetchall()
            if found:
                self._change("DELETE FROM spans WHERE path = ?", _key(path))
        return [range(first, end) for first, end in found]

    def owner(self, number: int) -> Path | None:
        """The file that the passage with a number comes from, if known."""
        with self._damage():
            row = self._table.execute(
                "SELECT path, end FROM spans WHERE first <= ? ORDER BY first DESC LIMIT 1", (number,)
            ).fetchone()
        return Path(os.fsdecode(row[0])) if row is not None and number < row[1] else None

    def note_to_read(self, path: Path) -> None:
        """Notes that a file is read, or will be, so that its passages give way to those that are read."""
        with self._damage():
            self._table.execute("INSERT OR IGNORE INTO to_read VALUES (?)", (_key(path),))

    def is_to_read(self, path: Path) -> bool:
        """Whether that was noted of a file."""
        with self._damage():
            return self._table.execute("SELECT 1 FROM to_read WHERE path = ?", (_key(path),)).fetchone() is not None

    def distrust(self, numbers: Iterable[int]) -> None:
        """Marks the files of some passages to be read again, because passages of them were removed."""
        for number in numbers:
            path = self.owner(number)
            if path is not None:
                with self._damage():
                    leaning = "SELECT path FROM copies WHERE holder = ?"
                    self._change(f"UPDATE files SET sha256 = '' WHERE path = ? OR path IN ({leaning})", _key(path), _key(path))  # noqa: S608

    def meet(self, file: CorpusFile) -> bool:
        """Notes that a file exists; returns whether this is the first time."""
        place = None if file.confined_to is None else _key(file.confined_to)
        values = (_key(file.at), _key(file.path), file.source, file.document_id, file.looks, place)
        with self._damage():
            return self._table.execute(_MEET, values).rowcount == 1

    def met(self) -> Iterator[CorpusFile]:
        """The files that exist, each once, in the order in which they were noted."""
        last = 0
        while True:
            with self._damage():
                found = self._table.execute(_MET, (last,)).fetchall()
            if not found:
                return
            for _, at, given, source, document_id, looks, place in found:
                where = Path(os.fsdecode(given)), source, document_id
                confined_to = None if place is None else Path(os.fsdecode(place))
                yield CorpusFile(*where, at=Path(os.fsdecode(at)), looks=looks, confined_to=confined_to)
            last = found[-1][0]

    def num_met(self, path: Path) -> int:
        """The number of files at a path or below it."""
        return self._count(f"met WHERE {_AT}", path)

    def num_in(self, path: Path) -> int:
        """The number of files from a path, or from below it, in the index."""
        return self._count(f"files WHERE {_AT} AND (num_passages > 0 OR unread = '')", path)

    def meet_below(self, folder: Path) -> None:
        """Treats all files of a folder as existing, because it cannot be listed."""
        with self._damage():
            self._table.execute(f"INSERT OR IGNORE INTO met (path) SELECT path FROM files WHERE {_BELOW}", _below(folder))  # noqa: S608

    def vanished(self, folders: Iterable[Path]) -> Iterator[tuple[Path, FileState]]:
        """The files in some folders, or the files themselves, that are known and were not noted as existing."""
        for folder in folders:
            with self._damage():
                found = self._table.execute(
                    f"SELECT path FROM files WHERE {_AT} AND path NOT IN (SELECT path FROM met)",  # noqa: S608
                    (*_below(folder), _key(folder)),
                ).fetchall()
            for (key,) in found:
                path = Path(os.fsdecode(key))
                if (state := self.of(path)) is not None:
                    yield path, state

    def forget(self, path: Path) -> None:
        """Removes a file."""
        with self._damage():
            self._change("DELETE FROM files WHERE path = ?", _key(path))

    def _count(self, which: str, path: Path) -> int:
        with self._damage():
            (number,) = self._table.execute(f"SELECT COUNT(*) FROM {which}", (*_below(path), _key(path))).fetchone()  # noqa: S608
        return int(number)

    def _change(self, statement: str, *values: object) -> None:
        if self._table.execute(statement, values).rowcount:
            self.is_changed = True

    @contextmanager
    def _damage(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_FULL:  # the writer of the index says what to do
                raise
            raise _damaged(self._path, error) from error
        except (sqlite3.DatabaseError, TypeError, ValueError, KeyError) as error:
            raise _damaged(self._path, error) from error


_BELOW = "path >= ? AND path < ?"
_AT = f"({_BELOW} OR path = ?)"
_MEET = """
INSERT INTO met VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (path) DO UPDATE SET
    given = excluded.given, source = excluded.source, document_id = excluded.document_id, looks = excluded.looks,
    place = excluded.place
WHERE given IS NULL
"""
_MET = """
SELECT rowid, path, given, source, document_id, looks, place FROM met
WHERE rowid > ? AND given IS NOT NULL ORDER BY rowid LIMIT 1000
"""


def _damaged(path: Path, error: Exception) -> DataError:
    folder = path.parent.parent
    return DataError(f"index {folder} is damaged: its list of files ({error}); {how_to_rebuild(folder)}")


def _key(path: Path) -> bytes:
    return os.fsencode(path.as_posix())


def _below(folder: Path) -> tuple[bytes, bytes]:
    key = _key(folder).rstrip(b"/")
    return key + b"/", key + b"0"  # the character behind the slash
