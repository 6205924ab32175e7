"""The store on PostgreSQL, for processes on many machines: like the file, and no two processes make the same call.

A process that is about to make a call takes an advisory lock on its key. The lock belongs to the connection, so the server
releases it when the process ends, however it ends. A process that waited for the lock looks for the reply again, and makes the
call if there is still none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, ClassVar

from hopweave.core.errors import DataError
from hopweave.core.postgres_connection import Database
from hopweave.run.store.store import KEEP, Mode, Store, Stored

_NAME = "replies"
_LAYOUT = 1
_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS hopweave_replies (
        key text COLLATE "C" PRIMARY KEY, outcome bytea NOT NULL, is_reply boolean NOT NULL, seconds float8 NOT NULL,
        attempts int NOT NULL
    )
    """,
)


class PostgresStore(Store):
    """A database of replies; see `Store`.

    Args:
        address: see `hopweave.core.postgres_connection`.
        mode: as in `Store`.

    Raises:
        SettingsError: for an invalid address, or one with a password.
        DataError: if the server cannot be reached, or (in replay) has no store.
        MissingExtra: without psycopg.
    """

    shares_claims: ClassVar[bool] = True
    _names: ClassVar[Mapping[str, str]] = {
        "table": "hopweave_replies",
        "outcome": "outcome",
        "row": "outcome, seconds, attempts",
    }

    def __init__(self, address: str, mode: Mode = "on") -> None:
        self._database = Database(address, "the store")
        # Replies are written in a thread, over a separate connection, so that nothing else waits until they are committed.
        self._keeping = Database(address, "the store")
        self._claims: set[str] = set()
        self._claimed_on = 0
        self.path = self._database.shown
        self.mode = mode
        self.num_unreadable = 0
        try:
            if mode != "off" and not self._database.prepare(_NAME, _LAYOUT, _TABLES, make=mode == "on"):
                raise DataError(f"there is nothing to replay: {self.path} holds no replies; run once with the store on")
        except BaseException:
            self.close()
            raise

    def claim(self, key: str) -> bool:
        """Claims a call; returns whether it was free. This process holds the claim until `release`, or until it ends."""
        with self._database.alone():
            if self._claimed_on != self._database.num_made:  # a connection's locks are released when it is lost
                self._claims.clear()
            if key in self._claims:
                return False
            is_free = bool(self._database.run("SELECT pg_try_advisory_lock(%s)", [_number_of(key)])[0][0])
            self._claimed_on = self._database.num_made
            if is_free:
                self._claims.add(key)
            return is_free

    def release(self, key: str) -> None:
        with self._database.alone():
            is_held = key in self._claims and self._claimed_on == self._database.num_made
            self._claims.discard(key)
            if is_held:
                self._database.run("SELECT pg_advisory_unlock(%s)", [_number_of(key)])

    def close(self) -> None:
        self._database.close()
        self._keeping.close()

    def _keep(self, key: str, outcome: bytes, stored: Stored) -> bool:
        values = (key, outcome, stored.reply is not None, stored.seconds, stored.attempts)
        return bool(self._keeping.run(self._in_dialect(KEEP + "RETURNING 1"), values))

    def _ask(self, statement: str, *values: object) -> list[Any]:
        return self._database.run(self._in_dialect(statement), values)

    def _in_dialect(self, statement: str) -> str:
        return statement.format(**self._names).replace("?", "%s")


def _number_of(key: str) -> int:
    """The number under which the server locks a key: 64 bits, signed."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big", signed=True)
