"""A connection to PostgreSQL, for data that several machines share: the store, kept answers, and daily counts.

An address is one that PostgreSQL itself reads (`postgres://USER@HOST:5432/DATABASE`, with `?host=FOLDER` for a Unix socket and
any other parameter of libpq), but it contains no password: that comes from the variable PGPASSWORD or from `~/.pgpass`. A
connection to another machine is encrypted, and the server's certificate is verified, unless the address says otherwise
(`?sslmode=disable`).

A server that accepts connections but never replies does not time out either, so the client enforces deadlines: for connecting,
and for each statement. A thread that was waiting for the same connection meanwhile fails at once instead of waiting as long.
"""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock, Timer
from typing import Any
from urllib.parse import urlsplit

from hopweave.core.catalog import require
from hopweave.core.errors import DatabaseError, DataError, SettingsError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.redaction import Secrets, public_address

_SCHEMES = ("postgres://", "postgresql://")
_LOOPBACK = lazy_pattern(r"localhost|127(\.\d+){3}|::1|/.*|@.*|")
_CONNECT_SECONDS = 10
_SILENT_SECONDS = 35.0
"""How long to wait for a statement: longer than the session's `statement_timeout`, which an unresponsive server may ignore."""
_CLOSING_SECONDS = 1.0
_PAUSES = (0.1, 0.4, 1.5)
"""The pauses, in seconds, before each attempt to restore a lost connection."""
_MAX_REASON = 300
_LAYOUTS = "hopweave_layouts"
_MAKING = 0x686F7077
"""The key of the advisory lock under which tables are created: of several processes that start at once, one creates them."""
# So that neither side waits for hours for a machine that is gone, and its locks are released after half a minute.
_ALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 30_000}
_SESSION = "-c statement_timeout=30s -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 " + "-c tcp_keepalives_count=3"


def is_address(place: object) -> bool:
    """Whether a location is a database, not a file or folder."""
    return isinstance(place, str) and place.startswith(_SCHEMES)


def checked_address(address: str) -> str:
    """The address, if it contains no password.

    Raises:
        SettingsError: if it does, or is invalid. The message does not repeat the address.
    """
    try:
        parts = urlsplit(address)
        has_password = parts.password is not None or re.search(r"(?:^|&)password=", parts.query) is not None
    except ValueError:
        raise SettingsError("what was given is no address of a database; give postgres://USER@HOST:5432/DATABASE") from None
    if has_password:
        raise SettingsError(
            "the address of the database contains a password, which would show up in shell histories and process lists; put it "
            "into the environment variable PGPASSWORD, or into ~/.pgpass"
        )
    return address


class Database:
    """A connection that is opened on first use, and reopened when it is lost. Threads may share it.

    Args:
        address: see above.
        what: its purpose, for messages, such as `the store`.

    Raises:
        SettingsError: for an invalid address, or one with a password.
        MissingExtra: without psycopg.

    Attributes:
        shown: the address as it may be shown: without the user.
        num_made: how often the connection was opened; whatever belongs to a session, such as locks, is lost with it.
    """

    def __init__(self, address: str, what: str) -> None:
        self._library = require("psycopg", "postgres")
        self._what = what
        self.shown = public_address(checked_address(address))
        self.num_made = 0
        self._given = self._parameters(address)
        self._connection: Any = None
        self._is_closed = False
        self._lost_at = -1.0
        self._lost: DatabaseError | None = None
        self._lock = RLock()
        self._made: set[str] = set()

    def with_tables(self, name: str, layout: int, tables: Sequence[str]) -> Database:
        """This database, with missing tables created before their first use. See `prepare`.

        Raises:
            DataError: as in `prepare`.
        """
        if name not in self._made:
            self.prepare(name, layout, tables, make=True)
            self._made.add(name)
        return self

    def prepare(self, name: str, layout: int, tables: Sequence[str], *, make: bool) -> bool:
        """Makes sure that the tables have the layout of this version. Tables with an older layout are upgraded.

        Args:
            name: what the tables are for.
            layout: the number of their current layout.
            tables: the statements that create them, or upgrade them from an older layout.
            make: whether to create them if they are missing, or upgrade them if they are older.

        Returns:
            Whether they exist.

        Raises:
            DataError: if their layout is newer than this version; and as in `run`.
        """
        found = self._layout(name)
        if make and (found is None or found < layout):
            self._make(name, layout, tables)
            found = self._layout(name)
        if found is not None and found > layout:
            raise DataError(
                f"{self._what} {self.shown} has layout {found}, newer than this version of hopweave; upgrade hopweave"
            )
        return found is not None

    def run(self, statement: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[tuple[Any, ...]]:
        """The rows that a statement returns. The statement may run twice if the connection is lost meanwhile.

        Raises:
            DatabaseError: if the server cannot be reached, does not reply, or reports an error.
            DataError: if it is closed.
        """
        with self.alone():
            for pause in (*_PAUSES, None):
                asked_at = time.monotonic()
                try:
                    return self._rows(statement, values)
                except self._library.Error as error:
                    is_lost = self._connection is None or self._connection.closed
                    is_unreached = self._connection is None or isinstance(error, self._library.errors.ConnectionTimeout)
                    is_silent = is_lost and not is_unreached and time.monotonic() - asked_at >= _SILENT_SECONDS
                    if not is_lost or is_silent or is_unreached or pause is None:
                        raise self._failed(error, is_lost=is_lost, is_silent=is_silent) from None
                    time.sleep(pause)
        raise AssertionError  # not reached

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps other threads away from the connection.

        Raises:
            DatabaseError: if it was lost while this thread waited for its turn, since another attempt would take as long again.
        """
        began = time.monotonic()
        with self._lock:
            if self._lost is not None and self._lost_at > began:
                raise DatabaseError(str(self._lost))
            yield

    def close(self) -> None:
        """Closes the connection for good. A statement that is still running ends with an error."""
        self._is_closed = True
        if not self._lock.acquire(timeout=_CLOSING_SECONDS):
            with suppress(self._library.Error, AttributeError):  # it may be gone by now
                _cut(self._connection.fileno())
            self._lock.acquire()
        try:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
        finally:
            self._lock.release()

    def _rows(self, statement: str, values: Sequence[object] | Mapping[str, object]) -> list[tuple[Any, ...]]:
        connection = self._connected()
        with cut_if_silent(connection, _SILENT_SECONDS):
            cursor = connection.execute(statement, values)
            return list(cursor.fetchall()) if cursor.description is not None else []

    def _make(self, name: str, layout: int, tables: Sequence[str]) -> None:
        with self.alone():
            try:
                connection = self._connected()
                with cut_if_silent(connection, _SILENT_SECONDS), connection.transaction():
                    connection.execute("SELECT pg_advisory_xact_lock(%s)", [_MAKING])
                    connection.execute(f"CREATE TABLE IF NOT EXISTS {_LAYOUTS} (name text PRIMARY KEY, layout int NOT NULL)")
                    for statement in tables:
                        connection.execute(statement)
                    connection.execute(
                        f"INSERT INTO {_LAYOUTS} AS found VALUES (%s, %s) ON CONFLICT (name) "  # noqa: S608 - our own table
                        "DO UPDATE SET layout = greatest(found.layout, excluded.layout)",
                        [name, layout],
                    )
            except self._library.Error as error:
                raise self._failed(error, is_lost=self._connection is None or self._connection.closed) from None

    def _layout(self, name: str) -> int | None:
        if self.run("SELECT to_regclass(%s)", [_LAYOUTS]) == [(None,)]:
            return None
        rows = self.run(f"SELECT layout FROM {_LAYOUTS} WHERE name = %s", [name])  # noqa: S608 - the name of our own table
        return int(rows[0][0]) if rows else None

    def _connected(self) -> Any:
        if self._is_closed:
            raise DataError(f"{self._what} {self.shown} is closed")
        if self._connection is None or self._connection.closed:
            self._connection = self._library.connect(**self._given, autocommit=True)
            self.num_made += 1
        return self._connection

    def _failed(self, error: Exception, *, is_lost: bool, is_silent: bool = False) -> DatabaseError:
        if self._connection is None:
            failed = DatabaseError(
                f"cannot reach {self._what} {self.shown}: {self._reason(error)}; start the server, or check the "
                "address, the user (PGUSER) and the password (PGPASSWORD)"
            )
        else:
            why = f"it did not reply for {_SILENT_SECONDS:g} s" if is_silent else self._reason(error)
            failed = DatabaseError(f"{self._what} {self.shown} failed: {why}; check the server, and run the same command again")
        if is_lost:
            self._lost, self._lost_at = failed, time.monotonic()
        return failed

    def _reason(self, error: Exception) -> str:
        said = " ".join(str(error).split()) or type(error).__name__
        return Secrets([os.environ.get("PGPASSWORD", "")]).out_of(said)[:_MAX_REASON]

    def _parameters(self, address: str) -> dict[str, Any]:
        try:
            given: dict[str, Any] = self._library.conninfo.conninfo_to_dict(address)
        except self._library.Error:
            raise SettingsError("what was given is no address of a database; give postgres://USER@HOST:5432/DATABASE") from None
        hosts = str(given.get("host", os.environ.get("PGHOST", ""))).split(",")
        is_here = all(_LOOPBACK.fullmatch(host) for host in hosts)
        if not is_here and "sslmode" not in given and "PGSSLMODE" not in os.environ:
            given |= {"sslmode": "verify-full", "sslrootcert": given.get("sslrootcert", "system")}
        options = " ".join(filter(None, [_SESSION, given.pop("options", "")]))
        return {"connect_timeout": _CONNECT_SECONDS, "application_name": "hopweave", **_ALIVE, **given, "options": options}


@contextmanager
def cut_if_silent(connection: Any, seconds: float | None) -> Iterator[None]:
    """Closes a connection whose server exceeds even its own time limit, since psycopg itself waits without one.

    Args:
        connection: a connection of psycopg.
        seconds: how long the block may take; `None` for no limit.
    """
    if seconds is None:
        yield
        return
    timer = Timer(seconds, _cut, [connection.fileno()])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _cut(file_number: int) -> None:
    with suppress(OSError), socket.fromfd(file_number, socket.AF_INET, socket.SOCK_STREAM) as doubled:
        doubled.shutdown(socket.SHUT_RDWR)


def place_of(text: str) -> Path | str:
    """A location as the user gave it: an address of a database, or the path of a file or folder.

    Raises:
        SettingsError: for an address with a password.
    """
    return checked_address(text) if is_address(text) else Path(text)
