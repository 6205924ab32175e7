"""An OpenAI-compatible server with scripted, delayed replies, in a separate process, and a bare client for it."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopweave.record import ModelCall, Record

sys.path.append(str(Path(__file__).parents[1] / "tests"))


@dataclass(frozen=True)
class Running:
    """A running server."""

    base_url: str
    process: subprocess.Popen[str]

    def cpu_seconds(self) -> float:
        """CPU time used so far (Linux)."""
        times = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[11:13]
        return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def server(script: str, delay: float, *more: str) -> Iterator[Running]:
    """Runs a script with `--serve` and further options; the script must call `serve`."""
    command = [sys.executable, script, "--serve", "--delay", str(delay), *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            base_url = process.stdout.readline().strip() if process.stdout else ""
            if not base_url:
                raise SystemExit("the server of the benchmark ended before it listened; what it said is above")
            yield Running(base_url, process)
        finally:
            process.terminate()


def serve(text_for: Callable[[list[dict[str, Any]]], str], delay: float, *, sigma: float = 0.0) -> None:
    """Replies to each request with a text after a delay, until the process ends.

    Args:
        text_for: returns the reply to the turns of a request.
        delay: mean delay in seconds.
        sigma: of its logarithm, for a lognormal delay; the same in every run.
    """
    asyncio.run(_serve(text_for, delay, sigma))


async def _serve(text_for: Callable[[list[dict[str, Any]]], str], delay: float, sigma: float) -> None:
    from support.scripted_server import Behaviour, Request, ScriptedServer

    drawn = random.Random(0)

    def reply(request: Request) -> Behaviour:
        own_delay = delay * drawn.lognormvariate(-sigma * sigma / 2, sigma) if sigma else 0.0
        return Behaviour(text=text_for(request.body["messages"]), delay=own_delay)

    async with ScriptedServer(reply, delay=delay) as running:
        running.keeps_requests = False
        print(running.base_url, flush=True)
        await asyncio.Event().wait()


def bodies_of(records: Sequence[Record]) -> list[bytes]:
    """The requests that were sent for the calls of some records, in order."""
    from hopweave.record import ModelCall

    return [_body_of(record, step) for record in records for step in record.steps if isinstance(step, ModelCall)]


def _body_of(record: Record, call: ModelCall) -> bytes:
    from hopweave.models.llms._address import Wire
    from hopweave.models.llms._request_body import request_body

    asked = [record.messages[place] for place in call.messages]
    return json.dumps(request_body(Wire("scripted", ""), asked, call.sampling, frozenset(), is_streamed=False)).encode()


async def send_bare(bodies: Sequence[bytes], base_url: str, num_parallel: int, apart_seconds: float = 0.0) -> float:
    """CPU seconds of this process for sending requests with plain aiohttp and parsing the replies.

    Args:
        bodies: the request bodies.
        base_url: the server's address.
        num_parallel: number of concurrent requests.
        apart_seconds: stagger between the starts of the first requests; without it, sending takes less CPU.
    """
    import aiohttp

    waiting = iter(bodies)
    headers = {"Authorization": "Bearer no-key-needed", "Content-Type": "application/json"}
    connector = aiohttp.TCPConnector(limit=num_parallel)
    async with aiohttp.ClientSession(connector=connector, headers=headers, cookie_jar=aiohttp.DummyCookieJar()) as session:

        async def send(place: int) -> None:
            await asyncio.sleep(place * apart_seconds)
            for body in waiting:
                async with session.post(f"{base_url}/chat/completions", data=body) as response:
                    json.loads(await response.read())

        started = time.process_time()
        await asyncio.gather(*map(send, range(num_parallel)))
        return time.process_time() - started
