"""An OpenAI-compatible server with scripted replies, in a process of its own, that takes its time, and a bare client for it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hopweave.llms._wire import Wire, request_body
from hopweave.trace import ModelCall, Record

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


def bodies_of(records: Sequence[Record]) -> list[bytes]:
    """What was sent for the calls of some records, in order."""
    return [_body_of(record, step) for record in records for step in record.steps if isinstance(step, ModelCall)]


def _body_of(record: Record, call: ModelCall) -> bytes:
    asked = [record.messages[place] for place in call.messages]
    return json.dumps(request_body(Wire("scripted", ""), asked, call.sampling, frozenset(), is_streamed=False)).encode()


async def send_bare(bodies: Sequence[bytes], base_url: str, num_parallel: int) -> float:
    """CPU seconds of this process for sending requests with nothing but aiohttp, and parsing the replies."""
    import aiohttp

    waiting = iter(bodies)
    headers = {"Authorization": "Bearer no-key-needed", "Content-Type": "application/json"}
    connector = aiohttp.TCPConnector(limit=num_parallel)
    async with aiohttp.ClientSession(connector=connector, headers=headers, cookie_jar=aiohttp.DummyCookieJar()) as session:

        async def send() -> None:
            for body in waiting:
                async with session.post(f"{base_url}/chat/completions", data=body) as response:
                    json.loads(await response.read())

        started = time.process_time()
        await asyncio.gather(*(send() for _ in range(num_parallel)))
        return time.process_time() - started
