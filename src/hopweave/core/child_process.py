"""Processes that this one starts and asks over pipes.

`Child` is one as seen from an event loop, `BlockingChild` as seen from a thread; `asked` is for what runs in it.

Messages are pickled, each after its length in bytes. A child is a new interpreter, not a fork, and has no terminal, whose
Ctrl-C would reach it. It shares no lock with other processes, so what a dead one owes is known exactly; and when the process
that started it ends, however it does, it reads the end of its input and ends, too.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from threading import Lock
from typing import IO, TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:  # what runs in a child imports this module, too, and starts without asyncio
    import asyncio

_LENGTH = struct.Struct("<Q")
# The path is that of this process, so that the same hopweave is imported; -P keeps the working directory out of it.
_PROGRAM = "import sys; name, *sys.path[:] = sys.argv[1:]; __import__(name); sys.modules[name].main()"
_APART: Mapping[str, Any] = {
    "stdin": subprocess.PIPE,
    "stdout": subprocess.PIPE,
    "start_new_session": True,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
}
_BUFFER_BYTES = 2**20
_NOTICE_SECONDS = 5.0


class Died(Exception):
    """A process ended before it replied."""


class Child:
    """A process that was started. It belongs to the event loop in which it was started."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def started(cls, module: str) -> Child:
        """A new process, which runs the function `main` of a module.

        Raises:
            OSError, NotImplementedError: if no process can be started here.
        """
        import asyncio

        return cls(await asyncio.create_subprocess_exec(*_command(module), limit=_BUFFER_BYTES, **_APART))

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether the process is known to have ended."""
        return self._process.returncode is not None or self._process.stdout is None or self._process.stdout.at_eof()

    def send(self, message: object) -> None:
        """Sends a message; one to a process that has ended is lost."""
        if self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(_framed(message))

    async def receive(self) -> Any:
        """The next message of the process.

        Raises:
            Died: if there is none, because the process has ended.
        """
        from asyncio import IncompleteReadError

        stream = self._process.stdout
        if stream is None:
            raise Died
        try:
            [length] = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
            return pickle.loads(await stream.readexactly(length))  # noqa: S301 - from a process of ours
        except IncompleteReadError as error:
            raise Died from error
        except Exception as error:
            self.kill()
            raise Died from error

    def send_end(self) -> None:
        """Tells the process that nothing more will be asked, upon which it ends."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def end(self) -> None:
        """Ends the process at once. Nobody may be waiting for its messages."""
        import asyncio

        if self.has_ended:  # a signal to a process that has ended is taken for its end, before asyncio has noted that
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), _NOTICE_SECONDS)
        self.kill()
        await self._process.communicate()

    def kill(self) -> None:
        """Ends the process at once."""
        if self._process.returncode is None:
            with suppress(OSError, RuntimeError):  # it has ended, or its event loop has
                self._process.kill()


class BlockingChild:
    """A process that was started, for one thread, which waits for each reply.

    Args:
        module: whose function `main` it runs.

    Raises:
        OSError, NotImplementedError: if no process can be started here.
    """

    def __init__(self, module: str) -> None:
        self._process = subprocess.Popen(_command(module), **_APART)  # noqa: S603 - this interpreter, with a module of ours

    def ask(self, message: object) -> Any:
        """Sends a message, and returns the reply.

        Raises:
            Died: if there is none, because the process has ended.
        """
        messages, replies = self._process.stdin, self._process.stdout
        assert messages is not None and replies is not None  # noqa: S101, PT018 - they are pipes
        framed = _framed(message)
        try:
            messages.write(framed)
            messages.flush()
            return next(_messages(replies))
        except Exception as error:  # a reply may be cut off anywhere
            self.end()
            raise Died from error

    def kill(self) -> None:
        """Kills the process, from any thread: the one that waits for a reply gets none."""
        self._process.kill()

    def end(self) -> None:
        """Ends the process at once. Nobody may be waiting for its reply."""
        self.kill()
        with suppress(OSError), self._process:  # what was not sent yet cannot be
            pass


def asked() -> tuple[Iterator[Any], Callable[[object], None]]:
    """Makes this process one that is asked.

    Signals to stop are left to the process that asks, since a terminal and a service manager send them to both, and it may
    still have something to finish.

    Returns:
        The messages as they arrive, until the process that asks ends; and a function that replies, from any thread.

    Raises:
        BrokenPipeError: by that function, if nobody reads the replies any more.
    """
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)
    messages, replies = _private_streams()
    replying = Lock()

    def reply(message: object) -> None:
        with replying:
            replies.write(_framed(message))
            replies.flush()

    return _messages(messages), reply


def _command(module: str) -> list[str]:
    if not sys.executable or getattr(sys, "frozen", False):
        raise NotImplementedError("there is no interpreter to start")
    return [sys.executable, "-P", "-c", _PROGRAM, module, *map(str, sys.path)]


def _framed(message: object) -> bytes:
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content


def _messages(stream: IO[bytes]) -> Iterator[Any]:
    while head := stream.read(_LENGTH.size):
        yield pickle.loads(stream.read(*_LENGTH.unpack(head)))  # noqa: S301 - from the process that started this one


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output under other numbers, so that nothing that a library prints gets between the replies."""
    asked, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no standard error
        os.dup2(nowhere, 1)
    return asked, replies
