"""What the server adds to a question: many clients at once, each question a chain of calls to a model that waits.

    python benchmarks/serve.py --clients 200 --calls 10 --seconds 1 --rounds 3

Each client asks one question after another. A question is a chain of `--calls` calls of `--seconds` each, with a search before
each call, so it cannot take less than their product. The share of the limit is that time divided by the mean time of a question
as its client sees it. The server runs in a process of its own; the clients in this one.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import mean, quantiles

import aiohttp
from _waiting_model import name, sentence

from hopweave.core.types import Passage
from hopweave.retrieval.engines.bm25 import BM25

METHOD = "ircot"
"""Its questions take as many calls as they are told; any other method takes as many as it does."""
MODEL = Path(__file__).with_name("_waiting_model.py")
WARM_UP = 5
_KIB = 1024


def passage(number: int) -> Passage:
    """A passage of 12 to 60 words, as unlike the others as those of a real corpus: few have equal scores."""
    others = " ".join(name(number * other) for other in range(2, 2 + number * 7 % 49))
    return Passage(f"p{number}", f"{sentence(number)} {others}", f"{name(number)} Head")


def start(folder: Path, options: argparse.Namespace) -> subprocess.Popen[bytes]:
    """The server in a process of its own."""
    BM25.build(folder / "light", [passage(number) for number in range(1000)])
    (folder / "server.toml").write_text(f"[limits]\nmax_running = {options.clients + 10}\n")
    command = [sys.executable, "-c", "from hopweave.apps.cli import main; main()", "serve", f"light={folder}/light"]
    command += ["--llm", f"{MODEL}:Waiting", "--set", f"llms.Waiting.seconds={options.seconds}", "--method", options.method]
    command += ["--retriever", options.retriever, "--set", f"search_workers={options.workers}"]
    command += ["--set", "store.mode=off", "--answers", f"{folder}/answers", "--server", f"{folder}/server.toml"]
    return subprocess.Popen([*command, "--port", str(options.port)])


@asynccontextmanager
async def server(folder: Path, options: argparse.Namespace) -> AsyncIterator[tuple[str, int]]:
    """The server once it is ready; its address and process id."""
    process = start(folder, options)
    address = f"http://127.0.0.1:{options.port}"
    try:
        async with aiohttp.ClientSession() as session:
            while not await is_ready(session, address):
                if process.poll() is not None:
                    raise SystemExit("the server ended before it was ready")
                await asyncio.sleep(0.2)
        yield address, process.pid
    finally:
        process.terminate()
        process.wait(60)


async def is_ready(session: aiohttp.ClientSession, address: str) -> bool:
    """Whether the server takes questions."""
    try:
        async with session.get(f"{address}/readyz") as reply:
            return reply.status == 200
    except aiohttp.ClientError:
        return False


async def ask(session: aiohttp.ClientSession, address: str, number: int, calls: int, method: str) -> tuple[float, int, str]:
    """Asks one question: the seconds it took, the calls of its record, and what went wrong, if anything did.

    A chain of so many sentences, the reader, and the reader once more, since it never says what the answer is.
    """
    question = (
        f"Which river runs through the town in which the designer of the light of {name(abs(number))} Head was born? ({number})"
    )
    body = {"question": question, "options": {"max_steps": calls - 2} if method == METHOD else {}}
    began = time.perf_counter()
    try:
        async with session.post(f"{address}/v1/answers", json=body) as reply:
            said = await reply.json()
    except (aiohttp.ClientError, TimeoutError) as error:
        return time.perf_counter() - began, 0, f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - began
    if reply.status != 200 or said["record"]["error"]:
        return seconds, 0, str(said)[:200]
    return seconds, sum(step["kind"] == "model_call" for step in said["record"]["steps"]), ""


def mebibytes(process: int) -> float:
    """The memory that a process holds."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / _KIB


def children(process: int) -> list[int]:
    """The processes that a process started, which are its search workers."""
    return [int(pid) for task in Path(f"/proc/{process}/task").iterdir() for pid in (task / "children").read_text().split()]


def cpu_seconds(process: int) -> float:
    """The CPU time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure(options: argparse.Namespace) -> None:
    """Prints a line for each round, and the sum of them."""
    at_best = options.calls * options.seconds
    every: list[float] = []
    errors: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        async with (
            server(Path(folder), options) as (address, process),
            aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(600)) as session,
        ):
            await asyncio.gather(*(ask(session, address, -number, 3, options.method) for number in range(1, WARM_UP + 1)))
            print(f"{platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, no GPU")
            print(f"memory before: {mebibytes(process):.0f} MiB")
            before = cpu_seconds(process)
            for turn in range(options.rounds):
                numbers = range(turn * options.clients, (turn + 1) * options.clients)
                asked = [ask(session, address, number, options.calls, options.method) for number in numbers]
                took = await asyncio.gather(*asked)
                seconds = [one for one, _, _ in took]
                every += seconds
                errors += [error for _, _, error in took if error]
                calls = {num for _, num, _ in took}
                print(
                    f"round {turn + 1}: share {at_best / mean(seconds):.3f}, p50 {_p(seconds, 50):.2f} s, "
                    f"p95 {_p(seconds, 95):.2f} s, calls {sorted(calls)}, memory {mebibytes(process):.0f} MiB"
                )
            num = options.rounds * options.clients
            workers = children(process)
            print(f"CPU: {(cpu_seconds(process) - before) / num * 1000:.0f} ms of a question, load {os.getloadavg()[0]:.1f}")
            print(f"{len(workers)} search workers: {sum(map(cpu_seconds, workers)) / num * 1000:.0f} ms of a question")
    print(f"{num} questions of {options.clients} clients: {len(errors)} errors, share of the limit {at_best / mean(every):.3f}")
    print(f"p50 {_p(every, 50):.2f} s, p95 {_p(every, 95):.2f} s, at best {at_best:.2f} s")
    for error in errors[:3]:
        print(f"  {error}")


def _p(seconds: list[float], percent: int) -> float:
    return quantiles(seconds, n=100)[percent - 1]


def main() -> None:
    """Reads the options and measures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--clients", type=int, default=200, help="clients at once")
    parser.add_argument("--calls", type=int, default=10, help="calls of a question, one after the other")
    parser.add_argument("--seconds", type=float, default=1.0, help="that a call takes")
    parser.add_argument("--rounds", type=int, default=3, help="questions of each client")
    parser.add_argument("--method", default=METHOD, help="other than ircot: with --calls as many as it makes")
    parser.add_argument("--retriever", default="bm25")
    parser.add_argument("--workers", default="auto", help="the setting search_workers")
    parser.add_argument("--port", type=int, default=8765)
    asyncio.run(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
