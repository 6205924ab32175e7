"""Honest clients while strangers hold slow connections: how long they wait, before and during, and what the server logs.

    python benchmarks/slow_connections.py --strangers 2000 --clients 50 --files 1024 --seconds 30

The server is a process that may open `--files` files. Each honest client asks over a connection that it keeps, waits for a
moment and asks again: `/healthz`, or every fifth time a question, which takes a call of a model that waits for 0.05 s. After
`--seconds` the strangers, who are in a process of their own, open their connections and send headers a byte every 20 to 40 s;
where one is closed, another is opened, `--rate` of them a second at most. The clients go on for the same time. The two halves
of one run can be compared; the times themselves are those of the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

import aiohttp

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from support.strangers import Served, served

MODEL = Path(__file__).with_name("_waiting_model.py")
MODEL_SECONDS = 0.05
HEAD = b"POST /v1/answers HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
BYTE_SECONDS = (20.0, 40.0)
BETWEEN_SECONDS = 0.5
TIMEOUT_SECONDS = 20.0


@dataclass
class Half:
    """What honest clients saw: seconds by what they asked, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {"/healthz": [], "question": []})
    errors: Counter[str] = field(default_factory=Counter)

    def p95(self, what: str) -> float:
        """The 95th percentile, in seconds."""
        return quantiles(self.seconds[what], n=100)[94]


async def crowd(port: int, options: argparse.Namespace) -> None:
    """The strangers, until this process ends; prints how many connections they opened, lost and have open, each second."""
    drawn, opened, lost = random.Random(0), 0, 0
    held: set[asyncio.Task[None]] = set()
    addresses = [f"127.0.0.{number}" for number in range(2, 2 + options.addresses)]

    async def hold(address: str) -> None:
        nonlocal opened, lost
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            opened += 1
            writer.write(HEAD)
            gone = asyncio.ensure_future(reader.read())
            with suppress(OSError):
                while not (await asyncio.wait([gone], timeout=drawn.uniform(*BYTE_SECONDS)))[0]:
                    writer.write(b"x")
                await gone
            lost += 1
            writer.transport.abort()

    is_first = True
    while True:
        num = options.strangers - len(held)
        for number in range(num if is_first else min(num, options.rate)):
            task = asyncio.create_task(hold(addresses[number % len(addresses)]))
            held.add(task)
            task.add_done_callback(held.discard)
        is_first = False
        await asyncio.sleep(1)
        print(opened, lost, opened - lost, flush=True)


async def client(session: aiohttp.ClientSession, address: str, number: int, half: Half, until: float) -> None:
    """Asks until the time is over."""
    drawn, turn = random.Random(number), 0
    await asyncio.sleep(drawn.uniform(0, BETWEEN_SECONDS))
    while time.monotonic() < until:
        turn += 1
        what = "question" if turn % 5 == 0 else "/healthz"
        body = {"question": f"Which river runs through town {number}-{turn}?", "method": "direct"}
        asked = session.post(f"{address}/v1/answers", json=body) if what == "question" else session.get(f"{address}/healthz")
        began = time.perf_counter()
        try:
            async with asked as reply:
                await reply.read()
            if reply.status != 200:
                half.errors[f"{what}: status {reply.status}"] += 1
        except (aiohttp.ClientError, TimeoutError) as error:
            half.errors[f"{what}: {type(error).__name__}"] += 1
        half.seconds[what].append(time.perf_counter() - began)
        await asyncio.sleep(drawn.uniform(0, 2 * BETWEEN_SECONDS))


def cpu_seconds(process: int) -> float:
    """The CPU time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def clients(server: Served, num: int, seconds: float) -> Half:
    """So many clients for so long."""
    half, until = Half(), time.monotonic() + seconds
    timeout = aiohttp.ClientTimeout(TIMEOUT_SECONDS)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=timeout) as session:
        address = f"http://127.0.0.1:{server.port}"
        await asyncio.gather(*(client(session, address, number, half, until) for number in range(num)))
    return half


async def measure(options: argparse.Namespace, server: Served) -> None:
    """Prints what was seen before and during."""
    await clients(server, options.clients, 3)  # what is done once is done
    used = [cpu_seconds(server.pid)]
    before = await clients(server, options.clients, options.seconds)
    used.append(cpu_seconds(server.pid))
    command = [sys.executable, __file__, "--crowd", str(server.port), "--strangers", str(options.strangers)]
    command += ["--addresses", str(options.addresses), "--rate", str(options.rate)]
    strangers = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    during = await clients(server, options.clients, options.seconds)
    used.append(cpu_seconds(server.pid))
    num_files = server.num_files
    strangers.kill()
    said = [list(map(int, line.split())) for line in (await strangers.communicate())[0].splitlines()]
    opened, closed, most = said[-1][0], said[-1][1], max(line[2] for line in said)
    print(f"{platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, ulimit -Sn {options.files}")
    print(f"strangers: {opened} connections opened, {most} at most at a time, {closed} closed")
    print(f"server: CPU {used[1] - used[0]:.1f} s before, {used[2] - used[1]:.1f} s during; {num_files} files open at the end")
    for what in before.seconds:
        first, then = before.p95(what), during.p95(what)
        print(
            f"{what}: p95 {first * 1000:.0f} ms before ({len(before.seconds[what])}), {then * 1000:.0f} ms during "
            f"({len(during.seconds[what])}), ratio {then / first:.2f}"
        )
    print(f"errors: {dict(before.errors) or 'none'} before, {dict(during.errors) or 'none'} during")
    lines = server.log
    print(f"log: {len(lines) - 1} lines, {sum(map(len, lines[1:]))} characters, after the one that it serves")
    for line in lines[1:3]:
        print(f"  {line}")


def main() -> None:
    """Reads the options and measures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--strangers", type=int, default=2000, help="slow connections at a time")
    parser.add_argument("--addresses", type=int, default=100, help="that they come from, all of this machine")
    parser.add_argument("--rate", type=int, default=200, help="connections that are opened a second, in place of closed ones")
    parser.add_argument("--clients", type=int, default=50, help="honest ones")
    parser.add_argument("--files", type=int, default=1024, help="that the server may open")
    parser.add_argument("--seconds", type=float, default=30.0, help="before, and as long during")
    parser.add_argument("--crowd", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 2 * options.strangers + 1000), hard))
    if options.crowd:
        asyncio.run(crowd(options.crowd, options))
    model = ("--llm", f"{MODEL}:Waiting", "--set", f"llms.Waiting.seconds={MODEL_SECONDS}", "--retriever", "bm25")
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), options.files, more=model) as server:
        asyncio.run(measure(options, server))


if __name__ == "__main__":
    main()
