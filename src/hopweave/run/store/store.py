"""Every reply of a language model, kept under a hash of what was asked: cache, record and replay in one SQLite file.

The key covers the model's identity, the messages, the sampling and the sample's number. With the store `on`, an identical call
is answered from it, so a killed run can resume where it stopped. In `replay`, the store is the only source: a call that it does
not contain is an error, and failures and cancellations are replayed as they happened. Several processes may share one file.
Each row ends with a checksum, so that a reply corrupted on disk is requested again instead of being used.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from hopweave.core.errors import DataError, ModelError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.preparation import prepared
from hopweave.core.types import Message, Reply, Sampling
from hopweave.record import Failure

Mode = Literal["on", "off", "replay"]

_log = logging.getLogger(__name__)

_LAYOUT = 2
"""The rows of layout 1 have no checksum; they are read without a check, and are not rewritten."""
_CHECKSUM = lazy_pattern(rb',"([0-9a-f]{32})"\]\Z')
_BUSY_SECONDS = 30.0
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_AGAIN_SECONDS = (0.002, 0.05)
# In one transaction, so that only one of several processes that open a new file creates the table, and none sees half of it.
_MAKE = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, outcome TEXT NOT NULL, is_reply INTEGER NOT NULL, seconds REAL NOT NULL, attempts INTEGER NOT NULL
) WITHOUT ROWID;
PRAGMA user_version = {_LAYOUT};
COMMIT;
"""
KEEP = """
    INSERT INTO {table} AS kept (key, outcome, is_reply, seconds, attempts) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET outcome = excluded.outcome, is_reply = excluded.is_reply, seconds = excluded.seconds,
        attempts = excluded.attempts
    WHERE NOT kept.is_reply OR kept.outcome = excluded.outcome
"""
"""A row that is there already, as it is, was written by this statement before the connection to a server was lost."""
_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Stored:
    """The outcome of a call: the reply, or the failure. If the question's time ran out, the kind of failure is `BudgetReached`.

    Attributes:
        seconds: how long the call took when it was made.
        attempts: the number of attempts then; 0 if there was no time left to try.
    """

    reply: Reply | None
    failure: Failure | None
    seconds: float
    attempts: int


def key_of(identity: str, messages: Sequence[Message], sampling: Sampling, sample: int) -> str:
    """The hash (SHA-256, hex) under which a reply is kept."""
    limits = [
        float(sampling.temperature),
        float(sampling.top_p),
        sampling.max_tokens,
        sampling.stop,
        sampling.seed,
        sampling.top_logprobs,
    ]
    # The schema is not sorted: the order of its keys is that of the reply. Tools are added only if there are any, so that calls
    # without them keep the keys that they had before tools existed.
    tools = [[[tool.name, tool.description, tool.parameters] for tool in sampling.tools]] if sampling.tools else []
    rest = [_json_of(one) for one in (limits, sampling.json_schema, sample, *tools)]
    return hashlib.sha256(b"[" + b",".join([_json_of(identity), _json_of_messages(messages), *rest]) + b"]").hexdigest()


def _json_of(value: object) -> bytes:
    # An unpaired surrogate is not a character, but a message may contain one.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _json_of_messages(messages: Sequence[Message]) -> bytes:
    """The same JSON as `_json_of`. Messages are most of the input, and pydantic serialises them faster."""
    asked = [_parts_of(message) for message in messages]
    try:
        return to_json(asked)
    except PydanticSerializationError:  # an unpaired surrogate
        return _json_of(asked)


def _parts_of(message: Message) -> list[Any]:
    if not (message.tool_calls or message.result_of or message.thoughts):
        return [message.role, message.text]
    calls = [[call.id, call.name, call.arguments] for call in message.tool_calls]
    return [message.role, message.text, calls, message.result_of, message.thoughts]


class Store:
    """A file of replies.

    Args:
        path: the SQLite file; created with its folder if absent. Ignored when `mode` is `"off"`.
        mode: `on` answers from it and adds to it, `off` does neither, `replay` only answers.

    Raises:
        DataError: if the file is not a store, has a newer layout, or (in replay) is absent. A replay changes nothing in the
            file, which may be read-only.

    Attributes:
        shares_claims: whether `claim` keeps other processes from making a call.
        num_unreadable: how many of the requested rows could not be read, and so were not used.
    """

    shares_claims: ClassVar[bool] = False
    # As bytes and numbers, whatever is there: SQLite itself would stop at a text that is not UTF-8.
    _names: ClassVar[Mapping[str, str]] = {
        "table": "replies",
        "outcome": "CAST(outcome AS BLOB)",
        "row": "CAST(outcome AS BLOB), CAST(seconds AS REAL), CAST(attempts AS INTEGER)",
    }

    def __init__(self, path: Path, mode: Mode = "on") -> None:
        self.path: Path | str = path
        self.mode = mode
        self.num_unreadable = 0
        self._place = path
        self._file: sqlite3.Connection | None = None
        if mode != "off":
            self._file = self._open()

    def get(self, key: str) -> Stored | None:
        """The outcome kept under a key. With the store `on`, only replies are returned: a call that failed may succeed now.

        Raises:
            DataError: if the store fails, or is closed.
        """
        if self.mode == "off":
            return None
        row = self._row(key)
        if row is None:
            return None
        try:
            stored = _read(_unsealed(key, *row), *row[1:])
        except (ValidationError, ValueError):
            self._set_aside(key, row[0])
            return None
        return None if stored.reply is None and self.mode == "on" else stored

    def put(self, key: str, stored: Stored) -> Stored:
        """Keeps the outcome of a call and returns what is now kept under the key: later replies never replace the first one.

        Raises:
            ModelError: for an outcome that `get` could not read back; it is not kept.
            DataError: as in `get`.
        """
        if self.mode != "on":
            return stored
        try:
            outcome = _outcome_adapter().dump_json((stored.reply, stored.failure), warnings="error")
            _read(outcome, stored.seconds, stored.attempts)
        except (PydanticSerializationError, ValidationError, ValueError) as error:
            why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error).splitlines()[-1].strip()
            raise ModelError(f"the reply cannot be kept: {why}") from None
        outcome = _sealed(key, outcome, stored.seconds, stored.attempts)
        is_kept = self._keep(key, outcome, stored)
        return stored if is_kept else self.get(key) or stored

    def items(self) -> Iterator[tuple[str, Stored]]:
        """Yields everything that is kept, with its key; a row that cannot be read is counted and left out.

        Raises:
            DataError: as in `get`.
        """
        if self.mode == "off":
            return
        for key, outcome, seconds, attempts in self._rows():
            try:
                yield key, _read(_unsealed(key, outcome, seconds, attempts), seconds, attempts)
            except (ValidationError, ValueError):
                self._count_unreadable(key)

    def __len__(self) -> int:
        return 0 if self.mode == "off" else self._count()

    def claim(self, key: str) -> bool:
        """Claims a call, so that other processes with the same store do not make it; returns whether it was free.

        A file always grants the claim: several processes may make the same call at the same time, and the first reply is kept.
        """
        del key
        return True

    def release(self, key: str) -> None:
        """Releases the claim, once the reply is kept."""

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _count_unreadable(self, key: str) -> None:
        if not self.num_unreadable:
            _log.warning("the store %s has a reply that cannot be read, at key %s; it is not used", self.path, key)
        self.num_unreadable += 1

    def _set_aside(self, key: str, outcome: bytes) -> None:
        """Counts a row that cannot be read and, if replies are kept, lets the next reply replace it."""
        self._count_unreadable(key)
        if self.mode == "on":
            self._disown(key, outcome)

    def _row(self, key: str) -> tuple[bytes, float, int] | None:
        """Outcome, seconds and attempts of a row."""
        rows = self._ask("SELECT {row} FROM {table} WHERE key = ?", key)
        return rows[0] if rows else None

    def _rows(self) -> Iterator[tuple[str, bytes, float, int]]:
        """Each row with its key, in the order of the keys."""
        key = ""
        while True:
            rows = self._ask("SELECT key, {row} FROM {table} WHERE key > ? ORDER BY key LIMIT ?", key, _ROWS_AT_ONCE)
            yield from rows
            if len(rows) < _ROWS_AT_ONCE:
                return
            key = rows[-1][0]

    def _keep(self, key: str, outcome: bytes, stored: Stored) -> bool:
        """Writes a row, unless there already is a reply; returns whether it was written."""
        row = (key, outcome.decode(), stored.reply is not None, stored.seconds, stored.attempts)
        return bool(self._run(KEEP.format(**self._names), row).rowcount)

    def _disown(self, key: str, outcome: bytes) -> None:
        """Lets the next reply replace a row, if it is still the one that was read."""
        self._ask("UPDATE {table} SET is_reply = FALSE WHERE key = ? AND {outcome} = ?", key, outcome)

    def _count(self) -> int:
        return int(self._ask("SELECT count(*) FROM {table} WHERE is_reply")[0][0])

    def _ask(self, statement: str, *values: object) -> list[Any]:
        """The rows that a statement returns; it has a name in braces for each of `_names`, and `?` for each value."""
        return self._run(statement.format(**self._names), values).fetchall()

    def _open(self) -> sqlite3.Connection:
        try:
            return _when_free(self._open_to_read if self.mode == "replay" else self._open_to_write)
        except OSError as error:
            raise DataError(f"cannot reach the store {self.path}: {error.strerror}; choose another path") from None
        except sqlite3.Error as error:
            raise DataError(f"cannot use the store {self.path}: {error}; move the file away or choose another path") from None

    def _open_to_write(self) -> sqlite3.Connection:
        self._place.parent.mkdir(parents=True, exist_ok=True)
        file = _connect(self._place, "rwc")
        try:
            self._check_is_ours(file)
            file.execute("PRAGMA journal_mode = WAL")
            # With WAL, nothing is lost if the process is killed; at most the last replies are lost if the machine crashes.
            file.execute("PRAGMA synchronous = NORMAL")
            if not _tables(file):
                file.executescript(_MAKE)
            elif _layout(file) < _LAYOUT:
                file.execute(f"PRAGMA user_version = {_LAYOUT}")
        except BaseException:
            file.close()
            raise
        return file

    def _open_to_read(self) -> sqlite3.Connection:
        if not self._place.is_file():
            raise DataError(f"there is nothing to replay: {self.path} does not exist; run once with the store on")
        file = _connect(self._place, "rw")
        try:
            try:
                self._check_is_ours(file)
            except sqlite3.OperationalError:
                # In a read-only folder, SQLite cannot create the files for WAL, and no other process can write.
                file.close()
                file = _connect(self._place, "ro&immutable=1")
                self._check_is_ours(file)
            if not _tables(file):
                raise DataError(f"there is nothing to replay: {self.path} is empty; run once with the store on")
        except BaseException:
            file.close()
            raise
        return file

    def _check_is_ours(self, file: sqlite3.Connection) -> None:
        layout, tables = _layout(file), _tables(file)
        if tables and "replies" not in tables:
            raise DataError(f"{self.path} is some other database; choose another path for the store")
        if layout > _LAYOUT:
            raise DataError(f"the store {self.path} has layout {layout}, newer than this version of hopweave; upgrade it")

    def _run(self, statement: str, values: tuple[object, ...]) -> sqlite3.Cursor:
        if self._file is None:
            raise DataError(f"the store {self.path} is closed")
        try:
            return self._file.execute(statement, values)
        except sqlite3.Error as error:
            raise DataError(f"the store {self.path} failed: {error}; free space or choose another path") from None


def _sealed(key: str, outcome: bytes, seconds: float, attempts: int) -> bytes:
    """An outcome, which is a list in JSON, with the checksum of its row as the last item."""
    checksum = hashlib.blake2b(f"{key} {float(seconds)!r} {attempts} ".encode() + outcome, digest_size=16)
    return outcome[:-1] + f',"{checksum.hexdigest()}"]'.encode()


def _unsealed(key: str, outcome: bytes, seconds: float, attempts: int) -> bytes:
    """The outcome without its checksum, if it has one.

    Raises:
        ValueError: if the row differs from the one that was written.
    """
    found = _CHECKSUM.search(outcome)
    if found is None:
        return outcome
    bare = outcome[: found.start()] + b"]"
    if _sealed(key, bare, seconds, attempts) != outcome:
        raise ValueError("it does not match its checksum")
    return bare


def _read(outcome: bytes, seconds: float, attempts: int) -> Stored:
    """The outcome in a row.

    Raises:
        ValidationError, ValueError: if it is invalid.
    """
    reply, failure = _outcome_adapter().validate_json(outcome)
    if (reply is None) == (failure is None) or not 0 <= seconds < math.inf or attempts < 0:
        raise ValueError("it is neither a reply nor a failure, or its duration is invalid")
    return Stored(reply, failure, seconds, attempts)


def _when_free(open_file: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
    """The opened file; opening is retried while other processes are in the way.

    Statements wait for each other automatically. The switch to WAL does not: if two processes switch at the same time, SQLite
    refuses one of them immediately, since each holds the lock that the other waits for.
    """
    give_up = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            return open_file()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() > give_up:
                raise
        time.sleep(random.uniform(*_AGAIN_SECONDS))  # noqa: S311 - so that the two do not collide again


def _connect(path: Path, access: str) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode={access}"
    return sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)


def _layout(file: sqlite3.Connection) -> int:
    return int(file.execute("PRAGMA user_version").fetchone()[0])


def _tables(file: sqlite3.Connection) -> set[str]:
    return {name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


@prepared
@cache
def _outcome_adapter() -> TypeAdapter[tuple[Reply | None, Failure | None]]:
    # The log-probability of an impossible token is minus infinity, which JSON cannot represent.
    return TypeAdapter(tuple[Reply | None, Failure | None], config=ConfigDict(ser_json_inf_nan="strings"))
