"""Connections: how long each may keep the server waiting, how many there may be, and which one to close.

A connection needs no key, and each takes one of the files that a process may have open. So a client that opens many and sends
almost nothing could lock out all others. Therefore each wait for a client has a time limit, and a new connection replaces the
one that has kept the server waiting the longest: among those without a request so far, or among the others, whichever are more.
A request that the server is working on is never cut off for another.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import os
import time
from collections import Counter
from collections.abc import Callable
from enum import Enum
from typing import Any, cast

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from hopweave.apps.server.prometheus import Metrics
from hopweave.apps.server.refusals import error_of
from hopweave.apps.server.server_settings import Limits, ServerSettings
from hopweave.core.errors import SettingsError

KEEP_ALIVE_SECONDS = 75
"""How long an idle connection stays open: longer than clients and proxies keep theirs (up to 60 s), so that they close it
first. A server that does may close it while the next question is on its way, and that question is lost."""
UNREAD_SECONDS = 60
"""How long a client may go without reading from a reply."""
MAX_CONNECTIONS = 4096
"""Unless the operator sets another number; a connection takes about 20 KB."""
ACCEPTED_AT_ONCE = 16
"""Between two checks of the limits: few enough that there are files for them before other connections are closed."""
_RESERVED_FILES = 128
"""For the index, the store, the answers and logs, and for connections that are about to be closed."""
_LOG_SECONDS = 60.0
_LOG = logging.getLogger(__name__)


class _Wait(Enum):
    """What a connection waits for: its client, or the server."""

    HEADERS = "the headers of a request"
    BODY = "its body"
    SERVER = "the server"
    READER = "the client that is to read the reply"
    NEXT = "another request"


class Connections:
    """The open connections of a server.

    Args:
        server: its limits and proxies.
        metrics: which count them.

    Raises:
        SettingsError: if there may be more than the process may open files.

    Attributes:
        most: how many may be open.
        most_of_peer: how many may be open from one address.
    """

    def __init__(self, server: ServerSettings, metrics: Metrics) -> None:
        self.seconds = {
            _Wait.HEADERS: server.limits.max_header_seconds,
            _Wait.READER: UNREAD_SECONDS,
            _Wait.NEXT: KEEP_ALIVE_SECONDS,
        }
        self.most = _most(server.limits, max_files())
        self.most_of_peer = server.limits.max_connections_per_peer or max(1, self.most // 2)
        self._proxies = server.networks_of_proxies
        self._metrics = metrics
        self._open: set[Connection] = set()
        self._of_peer: Counter[str] = Counter()
        # Those that wait for their client, the one that has waited the longest first, by whether something was asked over them.
        self._waiting: dict[bool, dict[Connection, None]] = {False: {}, True: {}}
        self._since_told: Counter[str] = Counter()
        self._told_at = -_LOG_SECONDS

    def opened(self, connection: Connection) -> None:
        """Registers a connection; if there are too many, cuts off the one that kept the server waiting the longest."""
        self._open.add(connection)
        self._waiting[False][connection] = None
        self._of_peer[connection.peer] += 1
        self._metrics.connections.set(len(self._open))
        if connection.peer and self._of_peer[connection.peer] > self.most_of_peer:
            self._make_room("peer", lambda one: one.peer == connection.peer)
        elif len(self._open) > self.most:
            self._make_room("full")

    def closed(self, connection: Connection) -> None:
        """Forgets a closed connection."""
        self._waiting[connection.has_asked].pop(connection, None)
        if connection in self._open:
            self._open.discard(connection)
            self._of_peer[connection.peer] -= 1
            if not self._of_peer[connection.peer]:
                del self._of_peer[connection.peer]
            self._metrics.connections.set(len(self._open))

    def waits(self, connection: Connection, wait: _Wait) -> None:
        """Notes whether a connection waits for its client; a wait that has begun is not extended."""
        if wait is _Wait.SERVER:
            self._waiting[connection.has_asked].pop(connection, None)
            connection.has_asked = True
        elif connection in self._open:
            self._waiting[connection.has_asked].setdefault(connection)

    def cut(self, connection: Connection, why: str) -> None:
        """Counts a connection that is cut off, by the reason: see `Metrics.cut`."""
        self.closed(connection)
        self._metrics.cut(why)

    def peer_of(self, address: object) -> str:
        """The address that connections are counted by: for IPv6 a network of 64 bits, of which a client has all addresses.

        Empty for a proxy, and for a Unix socket.
        """
        try:
            ip = ipaddress.ip_address(str(address[0]).partition("%")[0]) if isinstance(address, tuple) else None
        except ValueError:
            ip = None
        if isinstance(ip, ipaddress.IPv6Address):
            ip = ip.ipv4_mapped or ip
        if ip is None or any(ip in proxy for proxy in self._proxies):
            return ""
        return str(ipaddress.ip_network((ip, 64), strict=False)) if ip.version == 6 else str(ip)

    def on_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handles errors of the event loop, which would log each connection that cannot be accepted, with a traceback.

        The loop tries again after a second.
        """
        if not str(context.get("message", "")).startswith("socket.accept()"):
            loop.default_exception_handler(context)
            return
        self._make_room("files")

    def _make_room(self, why: str, fits: Callable[[Connection], bool] = lambda _: True) -> None:
        groups = sorted(self._waiting.values(), key=len, reverse=True)
        chosen = next((one for group in groups for one in group if fits(one)), None)
        if chosen is not None:
            chosen.cut(why, 503, "too_many_connections", "too many connections; try again in 1 s")
        self._since_told[why] += 1
        if time.monotonic() - self._told_at >= _LOG_SECONDS:
            self._tell()

    def _tell(self) -> None:
        peers = self._of_peer.most_common(1)
        _LOG.warning(
            "too many connections: %s are open, at most %s may be, and %s from one address%s; those that kept the server "
            "waiting the longest were closed: %s for the limit of all, %s for that of an address, and %s as no file could be "
            "opened. This is said once a minute at most; docs/server.md says what to do",
            *(len(self._open), self.most, self.most_of_peer),
            f" (most come from {peers[0][0]}: {peers[0][1]})" if peers and peers[0][0] else "",
            *(self._since_told[why] for why in ("full", "peer", "files")),
        )
        self._told_at = time.monotonic()
        self._since_told.clear()


class Connection(H11Protocol):
    """A connection that cannot keep the server waiting forever.

    Args:
        connections: all of them.
        config, server_state, app_state, _loop: as uvicorn passes them.

    Attributes:
        peer: see `Connections.peer_of`.
        has_asked: it has carried a complete request.
    """

    def __init__(
        self,
        connections: Connections,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._connections = connections
        self._wait = _Wait.HEADERS
        self._timer: asyncio.TimerHandle | None = None
        self._unread = 0
        self.peer = ""
        self.has_asked = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.peer = self._connections.peer_of(transport.get_extra_info("peername"))
        self._start()
        self._connections.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._timer is not None:
            self._timer.cancel()
        self._connections.closed(self)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._look()

    def cut(self, why: str, status: int, code: str, message: str) -> None:
        """Ends the connection, with a reply that gives the reason if it can still be sent."""
        self._connections.cut(self, why)
        is_asking = self._wait is _Wait.HEADERS and self.conn.their_state is h11.IDLE
        if is_asking or (self._wait is _Wait.BODY and not self.cycle.response_started):
            self.transport.write(_reply(status, code, message))
        if self.transport.get_write_buffer_size():
            self.transport.abort()  # the client would have to read it first
        else:
            self.transport.close()

    def _look(self) -> None:
        """Starts the timer of a new wait. Bytes that do not end a wait do not extend it."""
        wait = self._now()
        if wait is self._wait:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._wait, self._timer = wait, None
        self._connections.waits(self, wait)
        self._start()

    def _now(self) -> _Wait:
        if self.flow.write_paused or self.transport.is_closing():
            return _Wait.READER
        cycle = cast("RequestResponseCycle | None", self.cycle)  # there is none until the first request
        if cycle is None:
            return _Wait.HEADERS
        if cycle.response_complete:
            is_between = self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]
            return _Wait.NEXT if is_between else _Wait.HEADERS
        return _Wait.BODY if cycle.more_body else _Wait.SERVER

    def _start(self) -> None:
        seconds = self._connections.seconds.get(self._wait)  # the gate limits that of a body
        self._unread = self.transport.get_write_buffer_size()
        if seconds is not None:
            self._timer = self.loop.call_later(seconds, self._on_time)

    def _on_time(self) -> None:
        if self._wait is _Wait.READER and self.transport.get_write_buffer_size() < self._unread:
            self._start()  # it reads, if slowly
            return
        has_begun = bool(self.conn.trailing_data[0]) and self._wait is _Wait.HEADERS
        if has_begun:
            seconds = self._connections.seconds[_Wait.HEADERS]
            self.cut("slow", 408, "headers_too_slow", f"the headers took longer than {seconds:g} s; send them faster")
        else:
            self._connections.cut(self, "slow" if self._wait is not _Wait.NEXT else "idle")
            self.transport.abort()


def max_files() -> int:
    """How many files, of which a connection is one, this process may have open."""
    num = os.sysconf("SC_OPEN_MAX") if hasattr(os, "sysconf") else -1  # Windows has no such limit
    return num if num > 0 else 2 * MAX_CONNECTIONS


def _most(limits: Limits, num_files: int) -> int:
    reserved = min(_RESERVED_FILES + limits.max_running, num_files // 2)
    left = num_files - reserved
    if limits.max_connections is None:
        return min(left, MAX_CONNECTIONS)
    if limits.max_connections > left:
        raise SettingsError(
            f"limits.max_connections is {limits.max_connections:,}, but this process may open {num_files:,} files, of which "
            f"{reserved:,} are kept for running questions, the index and the store; raise that limit (ulimit -n), or set "
            f"at most {left:,}"
        )
    return limits.max_connections


def _reply(status: int, code: str, message: str) -> bytes:
    body = json.dumps({"error": error_of(status, code, message)}).encode()
    headers = {
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **({"Retry-After": "1"} if status == 503 else {}),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    phrase = {408: "Request Timeout", 503: "Service Unavailable"}[status]
    return f"HTTP/1.1 {status} {phrase}\r\n{lines}\r\n".encode() + body
