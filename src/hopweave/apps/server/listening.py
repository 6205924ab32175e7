"""Runs the application: it listens, and on a signal to stop takes no more questions and lets running ones finish."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import cast

import uvicorn
from fastapi import FastAPI

from hopweave.apps.server.connections import ACCEPTED_AT_ONCE, KEEP_ALIVE_SECONDS, Connection, Connections
from hopweave.apps.server.server_settings import ServerSettings
from hopweave.apps.server.service import Service
from hopweave.core.errors import SettingsError

BACKLOG = 2048
"""How many connections may wait to be accepted."""


class Listening(uvicorn.Server):
    """On a signal to stop, reports at once that it is no longer ready, and ends without an error.

    Args:
        app: as `create_app` makes it.

    Raises:
        SettingsError: if there may be more connections than the process may open files.
    """

    def __init__(self, app: FastAPI) -> None:
        self._service: Service = app.state.service
        self._connections = Connections(self._service.server, self._service.metrics)
        super().__init__(config_of(app, self._connections))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listens."""
        asyncio.get_running_loop().set_exception_handler(self._connections.on_loop_error)
        await super().startup(sockets)
        # For asyncio the number that may wait is also the number that it accepts at once, which has to be small.
        for server in self.servers:
            for listener in server.sockets:
                with listener.dup() as same:
                    same.listen(BACKLOG)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._service.is_draining = True
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


def config_of(app: FastAPI, connections: Connections) -> uvicorn.Config:
    """How an application listens."""
    server: ServerSettings = app.state.service.server
    return uvicorn.Config(
        app,
        host=server.host.strip("[]"),
        port=server.port,
        http=cast("type[asyncio.Protocol]", partial(Connection, connections)),
        ws="none",
        lifespan="off",  # it is opened here, so that an error is told in one line
        access_log=False,
        server_header=False,
        log_config=None,  # its own would shut down the handlers of whatever else runs in this process
        log_level="error",
        backlog=ACCEPTED_AT_ONCE,
        forwarded_allow_ips=[str(proxy) for proxy in server.networks_of_proxies],
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=max(1, round(server.limits.grace_seconds)),
    )


def listen(app: FastAPI, on_start: Callable[[], None]) -> None:
    """Serves until a signal to stop.

    Args:
        app: as `create_app` makes it.
        on_start: called once what it needs is open.

    Raises:
        SettingsError: if it cannot listen at the address, or not with so many connections.
        HopweaveError: for anything else that the operator has to fix first.
    """
    service: Service = app.state.service
    server = service.server
    listening = Listening(app)

    async def run() -> None:
        async with service.started():
            on_start()
            await listening.serve()

    try:
        asyncio.run(run())
    except SystemExit:
        raise SettingsError(f"cannot listen at {server.host}:{server.port}, as said above; choose another --port") from None
