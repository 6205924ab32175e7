"""Stores answers by id: in a folder, or in a database that several servers share.

An answer has an owner, an entry (JSON, what a list of answers shows) and a record (the line of JSON that `hopweave ask --out`
writes). The caller chooses the ids, which are file names and sort by time: `ANSWER_ID`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hopweave.core.errors import DataError
from hopweave.core.files import file_name, is_file_name, read_whole, write_whole
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.postgres_connection import Database, is_address

ANSWER_ID = lazy_pattern(r"[0-9a-f]{12}-[0-9a-f]{16}")
"""The milliseconds since 1970, and a random part that cannot be guessed."""

_NAME = "answers"
_LAYOUT = 1
_ROWS_AT_ONCE = 100
_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS hopweave_answers (
        owner text COLLATE "C", id text COLLATE "C", entry bytea NOT NULL, record bytea NOT NULL, PRIMARY KEY (owner, id)
    )
    """,
)


class Page(NamedTuple):
    """A part of a list of answers.

    Attributes:
        entries: ids and entries, newest first.
        following: the value of `before` for the next page; `None` on the last one.
    """

    entries: Sequence[tuple[str, str]]
    following: str | None


class AnswerStore(ABC):
    """Kept answers of several owners."""

    @abstractmethod
    def check(self) -> None:
        """Makes sure that answers can be kept.

        Raises:
            DataError: if not.
        """

    @abstractmethod
    def keep(self, owner: str, answer_id: str, entry: str, record: str) -> None:
        """Keeps an answer durably: once this returns, it survives the end of this process.

        Raises:
            DataError: if it cannot be written.
        """

    @abstractmethod
    def entry(self, owner: str, answer_id: str) -> str | None:
        """The entry of an answer; `None` if the owner has none with that id.

        Raises:
            DataError: if it cannot be read.
        """

    @abstractmethod
    def record(self, owner: str, answer_id: str) -> str | None:
        """The record of an answer, as its line of JSON. Everything else as for `entry`."""

    @abstractmethod
    def page(self, owner: str, *, before: str | None, limit: int) -> Page:
        """Entries of an owner, newest first.

        Args:
            owner: whose answers.
            before: only ids that sort before this one; `None` starts with the newest.
            limit: the maximum number of entries, above 0.

        Raises:
            DataError: if one of them cannot be read.
        """

    @abstractmethod
    def delete(self, owner: str, answer_id: str) -> bool:
        """Deletes an answer for good; returns whether the owner had one with that id.

        Raises:
            DataError: if it cannot be deleted.
        """

    @abstractmethod
    def expire(self, before: str) -> int:
        """Deletes the answers of all owners with ids before this one; returns how many there were. Errors as in `delete`."""

    @abstractmethod
    def close(self) -> None:
        """Closes whatever is open."""


class FolderAnswerStore(AnswerStore):
    """A folder for each owner, with `ID.json` (the entry) and `ID.jsonl` (the record) for each answer.

    Files are written atomically, the record last: an answer is kept once its record exists.

    Args:
        folder: the parent folder; it is created when needed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._folder / ".writable", "")
            (self._folder / ".writable").unlink(missing_ok=True)
        except OSError as error:
            raise DataError(f"cannot keep answers in {self._folder}: {error.strerror}; name another folder") from None

    def keep(self, owner: str, answer_id: str, entry: str, record: str) -> None:
        folder = self._folder / file_name(owner, "an answer")
        name = file_name(answer_id, "an answer")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / f"{name}.json", entry, is_private=True)
            write_whole(folder / f"{name}.jsonl", record + "\n", is_private=True)
        except OSError as error:
            raise DataError(f"cannot keep answers in {folder}: {error.strerror}; free some space, or name another") from None

    def entry(self, owner: str, answer_id: str) -> str | None:
        if not is_file_name(owner) or not is_file_name(answer_id):
            return None
        return self._text(self._folder / owner / f"{answer_id}.json") if self._has(owner, answer_id) else None

    def record(self, owner: str, answer_id: str) -> str | None:
        if not is_file_name(owner) or not is_file_name(answer_id):
            return None
        text = self._text(self._folder / owner / f"{answer_id}.jsonl") if self._has(owner, answer_id) else None
        return None if text is None else text.removesuffix("\n")

    def delete(self, owner: str, answer_id: str) -> bool:
        if not is_file_name(owner) or not is_file_name(answer_id):
            return False
        record = self._folder / owner / f"{answer_id}.jsonl"
        try:
            record.unlink()  # first: without its record, an answer is not kept
        except FileNotFoundError:
            return False
        except OSError as error:
            raise DataError(f"the kept answer {record} cannot be deleted: {error.strerror}; delete it by hand") from None
        self._clear(record.with_suffix(".json"))
        return True

    def expire(self, before: str) -> int:
        num_deleted = 0
        for path in self._folder.glob("*/*.json*"):
            if ANSWER_ID.fullmatch(path.stem) and path.stem < before:  # other files in such a folder are not ours
                num_deleted += self.delete(path.parent.name, path.stem)
                if path.suffix == ".json":  # it may have been left behind by a killed process
                    self._clear(path)
        return num_deleted

    def close(self) -> None:
        """Does nothing: no file stays open."""

    def page(self, owner: str, *, before: str | None, limit: int) -> Page:
        folder = self._folder / file_name(owner, "a list of answers")
        names = (path.stem for path in folder.glob("*.jsonl") if is_file_name(path.stem))
        ids = sorted((name for name in names if before is None or name < before), reverse=True)
        entries = [(one, self.entry(owner, one)) for one in ids[:limit]]
        return Page([(one, entry) for one, entry in entries if entry is not None], ids[limit - 1] if len(ids) > limit else None)

    def _has(self, owner: str, answer_id: str) -> bool:
        return (self._folder / owner / f"{answer_id}.jsonl").is_file()

    @staticmethod
    def _clear(entry: Path) -> None:
        try:
            entry.unlink(missing_ok=True)
        except OSError as error:
            raise DataError(f"the kept answer {entry} cannot be deleted: {error.strerror}; delete it by hand") from None

    @staticmethod
    def _text(path: Path) -> str | None:
        try:
            return read_whole(path).decode()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"the kept answer {path} cannot be read: {error}; delete it") from None


class PostgresAnswerStore(AnswerStore):
    """A table of answers, which several servers share.

    Attributes:
        shown: its address as it may be shown: without the user.

    Args:
        address: see `hopweave.core.postgres_connection`.

    Raises:
        SettingsError: for an invalid address, or one with a password.
        MissingExtra: without psycopg.
    """

    def __init__(self, address: str) -> None:
        self._database = Database(address, "the answers at")
        self.shown = self._database.shown

    def check(self) -> None:
        self._made()

    def keep(self, owner: str, answer_id: str, entry: str, record: str) -> None:
        values = [owner, answer_id, entry.encode(), record.encode()]
        self._made().run(
            "INSERT INTO hopweave_answers (owner, id, entry, record) VALUES (%s, %s, %s, %s) "
            "ON CONFLICT (owner, id) DO UPDATE SET entry = excluded.entry, record = excluded.record",
            values,
        )

    def entry(self, owner: str, answer_id: str) -> str | None:
        return self._one("entry", owner, answer_id)

    def record(self, owner: str, answer_id: str) -> str | None:
        return self._one("record", owner, answer_id)

    def page(self, owner: str, *, before: str | None, limit: int) -> Page:
        rows = self._made().run(
            "SELECT id, entry FROM hopweave_answers WHERE owner = %s AND (%s::text IS NULL OR id < %s) "
            "ORDER BY id DESC LIMIT %s",
            [owner, before, before, limit + 1],
        )
        entries = [(str(one), bytes(entry).decode()) for one, entry in rows[:limit]]
        return Page(entries, entries[-1][0] if len(rows) > limit else None)

    def delete(self, owner: str, answer_id: str) -> bool:
        if not is_file_name(answer_id):
            return False
        # Checked first: the statement may run twice if the connection is lost before its result arrives.
        was_there = self.entry(owner, answer_id) is not None
        self._made().run("DELETE FROM hopweave_answers WHERE owner = %s AND id = %s", [owner, answer_id])
        return was_there

    def expire(self, before: str) -> int:
        num_deleted = 0
        while True:  # in parts, none of which takes long
            rows = self._made().run(
                "DELETE FROM hopweave_answers WHERE (owner, id) IN "
                "(SELECT owner, id FROM hopweave_answers WHERE id < %s LIMIT %s FOR UPDATE SKIP LOCKED) RETURNING 1",
                [before, _ROWS_AT_ONCE],
            )
            num_deleted += len(rows)
            if len(rows) < _ROWS_AT_ONCE:
                return num_deleted

    def records(self) -> Iterator[tuple[str, str, bytes]]:
        """Yields the owner, the id and the record of every answer, those of an owner in order of time.

        Raises:
            DataError: if the database cannot be read, or no server has kept answers there.
        """
        if not self._database.prepare(_NAME, _LAYOUT, _TABLES, make=False):
            raise DataError(f"no answers are kept at {self.shown}; give the address that hopweave serve --answers has")
        owner = answer_id = ""
        while True:
            rows = self._database.run(
                "SELECT owner, id, record FROM hopweave_answers WHERE (owner, id) > (%s, %s) ORDER BY owner, id LIMIT %s",
                [owner, answer_id, _ROWS_AT_ONCE],
            )
            for owner, answer_id, record in rows:
                yield owner, answer_id, bytes(record)
            if len(rows) < _ROWS_AT_ONCE:
                return

    def close(self) -> None:
        self._database.close()

    def _one(self, column: str, owner: str, answer_id: str) -> str | None:
        if not is_file_name(answer_id):  # such as one with a NUL, which the server would refuse
            return None
        rows = self._made().run(
            f"SELECT {column} FROM hopweave_answers WHERE owner = %s AND id = %s",  # noqa: S608 - the name of a column
            [owner, answer_id],
        )
        return bytes(rows[0][0]).decode() if rows else None

    def _made(self) -> Database:
        return self._database.with_tables(_NAME, _LAYOUT, _TABLES)


def open_answer_store(place: Path | str) -> AnswerStore:
    """The answers in a folder, or at an address such as `postgres://HOST/DATABASE`. Errors as in the classes above."""
    return PostgresAnswerStore(str(place)) if is_address(place) else FolderAnswerStore(Path(place))
