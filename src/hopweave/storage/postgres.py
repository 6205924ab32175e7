"""A connection to PostgreSQL, for what several machines share: the store, and kept answers.

An address is one that PostgreSQL itself reads (`postgres://USER@HOST:5432/DATABASE`, with `?host=FOLDER` for a Unix socket and
any other parameter of libpq), but it holds no password: that comes from the variable PGPASSWORD or from `~/.pgpass`. To a
server that is not on this machine the connection is encrypted and its certificate is verified, unless the address says
otherwise (`?sslmode=disable`).
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from threading import RLock
from typing import Any
from urllib.parse import urlsplit

from hopweave.catalog import require
from hopweave.errors import DataError, SettingsError
from hopweave.security.redaction import Secrets, public_address

_SCHEMES = ("postgres://", "postgresql://")
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1|/.*|@.*|")
_CONNECT_SECONDS = 10
_PAUSES = (0.1, 0.4, 1.5)
"""Before a connection that was lost is made again, and once more."""
_MAX_REASON = 300
_LAYOUTS = "hopweave_layouts"
_MAKING = 0x686F7077
"""The number of the lock under which tables are made: of processes that begin at the same moment, one makes them."""
# So that neither side waits for hours for a machine that is gone, and what it has locked is free after half a minute.
_ALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 30_000}
_SESSION = "-c statement_timeout=30s -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 " + "-c tcp_keepalives_count=3"


def is_address(place: object) -> bool:
    """Whether a place is a database, not a file or folder."""
    return isinstance(place, str) and place.startswith(_SCHEMES)


def checked_address(address: str) -> str:
    """The address, if it holds no password.

    Raises:
        SettingsError: if it does, or is no address. It is not repeated then.
    """
    try:
        parts = urlsplit(address)
        has_password = parts.password is not None or re.search(r"(?:^|&)password=", parts.query) is not None
    except ValueError:
        raise SettingsError("what was given is no address of a database; give postgres://USER@HOST:5432/DATABASE") from None
    if has_password:
        raise SettingsError(
            "the address of the database holds a password, which would be seen in histories and lists of processes; put it "
            "into the environment variable PGPASSWORD, or into ~/.pgpass"
        )
    return address


class Database:
    """A connection, made when it is first used, and again when it is lost. Threads may share it.

    Args:
        address: see above.
        what: it is used for, for messages, such as `the store`.

    Raises:
        SettingsError: for an address that cannot be, or holds a password.
        MissingExtra: without psycopg.

    Attributes:
        shown: the address as it may be shown: without the user.
        num_made: how often the connection was made; what a session holds, such as locks, is gone with the session.
    """

    def __init__(self, address: str, what: str) -> None:
        self._library = require("psycopg", "postgres")
        self._what = what
        self.shown = public_address(checked_address(address))
        self.num_made = 0
        self._given = self._parameters(address)
        self._connection: Any = None
        self._is_closed = False
        self._lock = RLock()

    def prepare(self, name: str, layout: int, tables: Sequence[str], *, make: bool) -> bool:
        """Makes sure that there are tables of a layout that this version knows.

        Args:
            name: of what they are for.
            layout: number of their form.
            tables: what makes them.
            make: whether to make them if they are not there.

        Returns:
            Whether they are there.

        Raises:
            DataError: if they are of a newer version; and as in `run`.
        """
        found = self._layout(name)
        if found is None and make:
            self._make(name, layout, tables)
            found = self._layout(name)
        if found is not None and found > layout:
            raise DataError(
                f"{self._what} {self.shown} has layout {found}, newer than this version of hopweave; upgrade hopweave"
            )
        return found is not None

    def run(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows that a statement returns. It may be run twice, when the connection is lost on the way.

        Raises:
            DataError: if the server cannot be reached, or refuses.
        """
        with self._lock:
            for pause in (*_PAUSES, None):
                try:
                    cursor = self._connected().execute(statement, values)
                    return list(cursor.fetchall()) if cursor.description is not None else []
                except self._library.Error as error:
                    is_lost = self._connection is not None and self._connection.closed
                    if not is_lost or pause is None:
                        raise self._failed(error) from None
                    time.sleep(pause)
        raise AssertionError  # not reached

    def close(self) -> None:
        """Closes the connection for good."""
        with self._lock:
            self._is_closed = True
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _make(self, name: str, layout: int, tables: Sequence[str]) -> None:
        with self._lock:
            connection = self._connected()
            try:
                with connection.transaction():
                    connection.execute("SELECT pg_advisory_xact_lock(%s)", [_MAKING])
                    connection.execute(f"CREATE TABLE IF NOT EXISTS {_LAYOUTS} (name text PRIMARY KEY, layout int NOT NULL)")
                    for statement in tables:
                        connection.execute(statement)
                    connection.execute(f"INSERT INTO {_LAYOUTS} VALUES (%s, %s) ON CONFLICT DO NOTHING", [name, layout])  # noqa: S608
            except self._library.Error as error:
                raise self._failed(error) from None

    def _layout(self, name: str) -> int | None:
        if self.run("SELECT to_regclass(%s)", [_LAYOUTS]) == [(None,)]:
            return None
        rows = self.run(f"SELECT layout FROM {_LAYOUTS} WHERE name = %s", [name])  # noqa: S608 - the name of our own table
        return int(rows[0][0]) if rows else None

    def _connected(self) -> Any:
        if self._is_closed:
            raise DataError(f"{self._what} {self.shown} is closed")
        if self._connection is None or self._connection.closed:
            try:
                self._connection = self._library.connect(**self._given, autocommit=True)
                self.num_made += 1
            except self._library.Error as error:
                if self._connection is None:
                    raise DataError(
                        f"cannot reach {self._what} {self.shown}: {self._reason(error)}; start the server, or check the "
                        "address, the user (PGUSER) and the password (PGPASSWORD)"
                    ) from None
                raise
        return self._connection

    def _failed(self, error: Exception) -> DataError:
        return DataError(
            f"{self._what} {self.shown} failed: {self._reason(error)}; see to the server, and run the same command again"
        )

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


def place_of(text: str) -> Path | str:
    """A place as it was given: an address of a database, or a file or folder.

    Raises:
        SettingsError: for an address with a password.
    """
    return checked_address(text) if is_address(text) else Path(text)
