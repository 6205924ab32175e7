"""A scripted server in a thread of its own, for engines whose calls block the thread that they are made in."""

from __future__ import annotations

import asyncio
import threading

from support.scripted_server import Script, ScriptedServer


class Served:
    """Serves a script while the `with` lasts."""

    def __init__(self, script: Script) -> None:
        self.server = ScriptedServer(script)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.server.__aenter__(), self._loop).result(10)
        return self.server

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self.server.__aexit__(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()
