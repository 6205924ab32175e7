"""An OpenAI-compatible server with scripted replies, in a process of its own, that takes its time for each reply."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests"))


@contextmanager
def server(script: str, delay: float) -> Iterator[str]:
    """Runs a script with `--serve`, which is to call `serve`, and gives the URL that it serves at."""
    command = [sys.executable, script, "--serve", "--delay", str(delay)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip() if process.stdout else ""
        finally:
            process.terminate()


def serve(text_for: Callable[[list[dict[str, Any]]], str], delay: float) -> None:
    """Replies to the turns of each request with a text, after so many seconds, until the process ends."""
    asyncio.run(_serve(text_for, delay))


async def _serve(text_for: Callable[[list[dict[str, Any]]], str], delay: float) -> None:
    from support.scripted_server import Behaviour, Request, ScriptedServer

    def reply(request: Request) -> Behaviour:
        return Behaviour(text=text_for(request.body["messages"]))

    async with ScriptedServer(reply, delay=delay) as running:
        running.keeps_requests = False
        print(running.base_url, flush=True)
        await asyncio.Event().wait()
