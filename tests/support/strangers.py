"""`hopweave serve` as a process that may open few files, and strangers without a key who keep their connections to it open."""

from __future__ import annotations

import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
from support.killed_runs import COMMAND
from support.served_app import free_port, index_of

_GET = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
_POST = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 90000\r\n"

WAYS: Mapping[str, Callable[[random.Random], bytes]] = {
    "silent": lambda _: b"",
    "headers": lambda drawn: _GET[: drawn.randrange(1, len(_GET))],
    "long headers": lambda drawn: _GET + b"X-Slow: " + b"x" * drawn.randrange(40_000),
    "body": lambda drawn: _POST % drawn.choice([b"/", b"/healthz", b"/v1/answers"]) + b"\r\n{",
    "chunks": lambda _: b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
    "waits to go on": lambda _: _POST % b"/" + b"Expect: 100-continue\r\n\r\n",
    "asked before": lambda drawn: (_GET + b"\r\n") * drawn.randint(1, 3),
    "asked, and asks on": lambda drawn: _GET + b"\r\n" + _GET[: drawn.randrange(1, len(_GET))],
    "reads nothing": lambda drawn: b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * drawn.randint(50, 150),
    "noise": lambda drawn: drawn.randbytes(drawn.randrange(1, 300)),
}
"""What a stranger sends at once; what comes then are single bytes, or nothing."""


class Served:
    """A server that runs.

    Attributes:
        port: on which it listens, at 127.0.0.1.
        pid: of its process.
    """

    def __init__(self, port: int, pid: int, log: Path) -> None:
        self.port = port
        self.pid = pid
        self._log = log

    @property
    def num_files(self) -> int:
        """The files that it has open (Linux)."""
        return len([*Path(f"/proc/{self.pid}/fd").iterdir()])

    @property
    def log(self) -> list[str]:
        """The lines that it has written."""
        return self._log.read_text(encoding="utf-8", errors="replace").splitlines()


@contextmanager
def served(folder: Path, num_files: int, *, limits: str = "", more: tuple[str, ...] = ()) -> Iterator[Served]:
    """A server over a small corpus.

    Args:
        folder: for all that it writes.
        num_files: that its process may open.
        limits: lines of its settings under `[limits]`.
        more: arguments of the command.
    """
    port = free_port()
    (folder / "server.toml").write_text(f"[limits]\n{limits}\n", encoding="utf-8")
    command = [sys.executable, "-c", COMMAND, "serve", f"light={index_of(folder / 'light')}", "--port", str(port)]
    command += ["--server", str(folder / "server.toml"), "--answers", str(folder / "answers"), "--set", "store.mode=off"]
    command += more or ("--llm", "scripted")
    log = folder / "log"
    with (
        log.open("wb") as said,
        subprocess.Popen(["sh", "-c", f'ulimit -Sn {num_files} && exec "$@"', "sh", *command], stderr=said) as process,
    ):
        try:
            while not is_healthy(port):
                assert process.poll() is None, log.read_text(encoding="utf-8")
                time.sleep(0.05)
            yield Served(port, process.pid, log)
        finally:
            process.kill()


def is_healthy(port: int, seconds: float = 10.0) -> bool:
    """Whether a client that comes now is answered."""
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=seconds, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def stranger(port: int, sends: bytes) -> socket.socket:
    """A connection over which something was sent, as far as the server takes it. It does not block."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    one.settimeout(20)
    one.connect(("127.0.0.1", port))
    one.setblocking(False)
    _send(one, sends)
    return one


def drip(one: socket.socket) -> None:
    """Sends one byte more."""
    _send(one, b"x")


def is_closed(one: socket.socket) -> bool:
    """Whether the server has closed a connection; nothing of a reply is read."""
    try:
        one.send(b"x")
    except BlockingIOError:
        return False
    except OSError:
        return True
    return False


def _send(one: socket.socket, what: bytes) -> None:
    with suppress(OSError):  # full, or closed by now
        one.send(what)
