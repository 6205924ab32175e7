"""A worker process, as seen from the process that asks it."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from hopweave.core.types import Hit
from hopweave.retrieval.workers.process import LENGTH, Ask, Close, Failed, Open, framed, hits_of

# The path is that of this process, so that the same hopweave is imported; -P keeps the working directory out of it.
_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from hopweave.retrieval.workers.process import main; main()"
_BUFFER_BYTES = 2**20


class Died(Exception):
    """A worker process ended before it replied."""


class Worker:
    """A worker process. It belongs to the event loop in which it was started.

    Attributes:
        engines: the numbers of the engines that it has open.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.engines: set[int] = set()

    @classmethod
    async def started(cls) -> Worker:
        """A new process. It is a new interpreter, not a fork, and has no terminal, whose Ctrl-C would reach it.

        Raises:
            OSError, NotImplementedError: if no process can be started here.
        """
        if not sys.executable or getattr(sys, "frozen", False):
            raise NotImplementedError("there is no interpreter to start")
        return cls(
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-c", _PROGRAM, *map(str, sys.path)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                limit=_BUFFER_BYTES,
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
            )
        )

    @property
    def has_ended(self) -> bool:
        """Whether the process is known to have ended."""
        return self._process.returncode is not None or self._process.stdout is None or self._process.stdout.at_eof()

    async def open(self, number: int, elsewhere: bytes, folder: str) -> str:
        """Opens an engine; returns why that failed, or an empty text. Errors as in `found`."""
        self._send(Open(number, elsewhere, folder))
        failure = str(await self._reply())
        if not failure:
            self.engines.add(number)
        return failure

    def ask(self, number: int, queries: Sequence[str], max_hits: int) -> None:
        """Asks for the hits of queries, which `found` returns one after another."""
        self._send(Ask(number, tuple(queries), max_hits))

    async def found(self) -> list[Hit] | Exception:
        """The hits of the next query that was asked, or the error of its search.

        Raises:
            Died: if the process has ended.
        """
        reply = await self._reply()
        return reply.error() if isinstance(reply, Failed) else hits_of(reply)

    def close(self, number: int) -> None:
        """Closes an engine, once the process has answered what it was asked before."""
        if number in self.engines:
            self.engines.remove(number)
            self._send(Close(number))

    async def end(self) -> None:
        """Ends the process at once: it has nothing to finish."""
        self.kill()
        await self._process.communicate()

    def kill(self) -> None:
        """Ends the process at once."""
        with suppress(OSError, RuntimeError):  # it has ended, or its event loop has
            self._process.kill()

    def _send(self, message: Open | Ask | Close) -> None:
        if self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(framed(message))

    async def _reply(self) -> Any:
        stream = self._process.stdout
        if stream is None:
            raise Died
        try:
            [length] = LENGTH.unpack(await stream.readexactly(LENGTH.size))
            return pickle.loads(await stream.readexactly(length))  # noqa: S301 - from a process of ours
        except Exception as error:
            self.kill()
            raise Died from error
