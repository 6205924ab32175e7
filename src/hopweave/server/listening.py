"""Runs the application: it listens, and on a signal to stop takes no more questions and lets those that run come to an end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI

from hopweave.errors import SettingsError
from hopweave.server.service import Service
from hopweave.server.settings import ServerSettings

KEEP_ALIVE_SECONDS = 75
"""How long an idle connection stays open: longer than clients and proxies keep theirs (up to 60 s), so that they close it
first. A server that does may close it while the next question is on its way, and that question is lost."""


class _Listening(uvicorn.Server):
    """Says at once that it is not ready any more, and ends without an error when it is told to stop."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._service.is_draining = True
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


def config_of(app: FastAPI) -> uvicorn.Config:
    """How an application listens."""
    server: ServerSettings = app.state.service.server
    return uvicorn.Config(
        app,
        host=server.host.strip("[]"),
        port=server.port,
        ws="none",
        lifespan="off",  # it is opened here, so that an error is told in one line
        access_log=False,
        server_header=False,
        log_config=None,  # its own would shut down the handlers of whatever else runs in this process
        log_level="error",
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=max(1, round(server.limits.grace_seconds)),
    )


def listen(app: FastAPI, on_start: Callable[[], None]) -> None:
    """Serves until a signal to stop.

    Args:
        app: as `create_app` makes it.
        on_start: called once what it needs is open.

    Raises:
        SettingsError: if it cannot listen at the address.
        HopweaveError: for anything else that the operator has to fix first.
    """
    service: Service = app.state.service
    server = service.server
    config = config_of(app)

    async def run() -> None:
        async with service.started():
            on_start()
            await _Listening(config, service).serve()

    try:
        asyncio.run(run())
    except SystemExit:
        raise SettingsError(f"cannot listen at {server.host}:{server.port}, as said above; choose another --port") from None
