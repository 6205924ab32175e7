"""How close a run comes to the endpoint's limit, and how much CPU a model call costs, by method.

Three-hop questions, 64 concurrently, against an OpenAI-compatible server in another process that answers after 1 s. The
calls of a question depend on one another, so its critical path is that many seconds; with 64 slots, 300 questions need at least
5 rounds. For each method it prints

- that limit as a share of the time taken, from the start of the process (interpreter, imports, index, store and connections);
- the CPU milliseconds of the process per call, from the first question to the last record on disk, with trace, record,
  store and search (by BM25, unless `--retriever` says otherwise), and as a multiple of a bare aiohttp client that then, in the
  same process, sends the same requests with the same concurrency and parses the replies; `apart` is the multiple of a client
  that staggers its requests like the questions, which costs it more CPU;
- the CPU seconds of startup (imports, index, store, client), and the CPU milliseconds per call of the server and of the search
  workers, their start included.

With `--latency lognormal` the server takes 1 s on average (sigma 0.6), and the limit is the total waiting time, spread evenly
over the slots: nothing is subtracted for slots that stay empty at the end.

    python benchmarks/throughput.py [--method ircot] [--retriever bm25] [--questions 192] [--parallel 64] [--delay 1.0]
        [--latency lognormal]

With `--peers`, a table of shares and CPU in one run: a bare aiohttp client, a loop over the openai SDK, LangGraph and DSPy, all
doing the loop of `ircot` with the same number of calls and the same passages (which cost them nothing: their searches are in no
figure), then every method with `bm25` and with `weave`. Their environments are made on first use, by pip, in the user's cache.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from _plays import CALLS, OPTIONS, QUESTION, play


def main() -> None:
    """Runs each method in its own process against a server in another, and prints a row for each."""
    options = _options()
    if options.serve:
        from _server import serve

        replies = play(options.method)
        serve(lambda turns: options.reply.replace("{text}", replies(turns)), options.delay, sigma=options.sigma)
    elif options.base_url:
        print(json.dumps(asyncio.run(_ask(options))))
    elif options.peers:
        _compare(options)
    else:
        print(
            "method     questions failed  calls  seconds  limit  share  ms a call  bare  times bare apart  start CPU  server ms"
            "  workers ms"
        )
        for method in [options.method] if options.method else CALLS:
            print(_measured(options, method), flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--method", choices=sorted(CALLS), default="", help="one method; default: all")
    parser.add_argument("--questions", type=int, default=192)
    parser.add_argument("--parallel", type=int, default=64)
    parser.add_argument("--delay", type=float, default=1.0, help="seconds that the server takes for a reply, on average")
    parser.add_argument("--latency", choices=("constant", "lognormal"), default="constant")
    parser.add_argument("--retriever", default="bm25", help="whose CPU is in the figures, too")
    parser.add_argument("--workers", default="auto", help="the setting search_workers")
    parser.add_argument("--peers", action="store_true", help="compare with other frameworks")
    parser.add_argument("--reply", default="{text}", help=argparse.SUPPRESS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--sigma", type=float, default=0.0, help=argparse.SUPPRESS)
    parser.add_argument("--base-url", default="", help=argparse.SUPPRESS)
    parser.add_argument("--begun", type=float, default=0.0, help=argparse.SUPPRESS)
    return parser.parse_args()


def _compare(options: argparse.Namespace) -> None:
    from _peers import PEERS, task_for
    from _server import server

    print("who                    seconds  limit  share  CPU ms a call  start CPU  failed")
    limit = math.ceil(options.questions / options.parallel) * CALLS["ircot"] * options.delay
    num_calls = options.questions * CALLS["ircot"]
    with server(__file__, 0.0, "--method", "ircot") as running:
        task = task_for(running.base_url, options.questions, options.parallel)
    for peer in PEERS:
        with server(__file__, options.delay, "--method", "ircot", "--reply", peer.reply) as running:
            found = peer.measured({**task, "base_url": running.base_url})
        _tell(f"{peer.name} ({peer.versions()})" if peer.packages else peer.name, limit, num_calls, found)
    for retriever in ("bm25", "weave"):
        for method in [options.method] if options.method else CALLS:
            found, limit = _found(argparse.Namespace(**{**vars(options), "retriever": retriever}), method)
            _tell(f"{method}, {retriever}", limit, found["calls"], found)


def _tell(who: str, limit: float, num_calls: float, found: Mapping[str, float]) -> None:
    share, cpu_ms = limit / found["seconds"], 1000 * found["cpu_seconds"] / num_calls
    figures = f"{found['seconds']:>7.1f} {limit:>6.1f} {share:>6.3f} {cpu_ms:>14.2f} {found['start_cpu_seconds']:>10.2f}"
    print(f"{who:<22} {figures} {found['failed']:>7.0f}", flush=True)


def _measured(options: argparse.Namespace, method: str) -> str:
    found, limit = _found(options, method)
    of_one = 1000 / found["calls"]
    own, bare, apart = (of_one * found[name] for name in ("cpu_seconds", "bare_cpu_seconds", "bare_apart_cpu_seconds"))
    return (
        f"{method:<10} {options.questions:>9} {found['failed']:>6} {found['calls']:>6} {found['seconds']:>8.1f} {limit:>6.1f} "
        f"{limit / found['seconds']:>6.3f} {own:>10.2f} {bare:>5.2f} {own / bare:>11.2f} {own / apart:>5.2f} "
        f"{found['start_cpu_seconds']:>10.2f} {of_one / 3 * found['server_cpu_seconds']:>10.2f} "
        f"{of_one * found['workers_cpu_seconds']:>11.2f}"
    )


def _found(options: argparse.Namespace, method: str) -> tuple[dict[str, Any], float]:
    """The figures of a method, and the seconds that its calls need at least."""
    from _server import server

    sigma = 0.6 if options.latency == "lognormal" else 0.0
    with server(__file__, options.delay, "--method", method, "--sigma", str(sigma)) as running:
        said = {"--method": method, "--base-url": running.base_url, "--questions": options.questions}
        said |= {"--parallel": options.parallel, "--retriever": options.retriever, "--workers": options.workers}
        said["--begun"] = time.monotonic()
        command = [sys.executable, __file__, *(str(word) for pair in said.items() for word in pair)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
        server_cpu_seconds = running.cpu_seconds()
    found = json.loads(done.stdout) | {"server_cpu_seconds": server_cpu_seconds}
    if found["calls"] != CALLS[method] * options.questions:
        raise SystemExit(f"{method} made {found['calls']} calls, not {CALLS[method]} per question: the limit is unknown")
    rounds = options.questions / options.parallel
    return found, (rounds if sigma else math.ceil(rounds)) * CALLS[method] * options.delay


async def _ask(options: argparse.Namespace) -> dict[str, float]:
    gc.set_threshold(50_000)  # before anything else is imported, as the command line does
    from hopweave import Question, Weaver, read_settings
    from hopweave.core.protocols import Opens

    started_at = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        settings = read_settings(
            {
                "method": options.method,
                "retriever": options.retriever,
                "search_workers": options.workers if options.workers == "auto" else int(options.workers),
                "methods": {options.method: OPTIONS.get(options.method, {})},
                "llm": "openai_compatible",
                "llms": {
                    "openai_compatible": {
                        "model": "scripted",
                        "base_url": options.base_url,
                        "max_connections": options.parallel,
                    }
                },
                "store": {"path": str(Path(folder) / "store.sqlite"), "mode": "on"},
            }
        )
        questions = [Question(str(n), QUESTION.replace("{n}", str(n))) for n in range(options.questions)]
        records = []
        async with Weaver(settings) as weaver:
            if isinstance(weaver.components.llm, Opens):  # as `hopweave evaluate` does
                await weaver.components.llm.open()
            with (Path(folder) / "run.jsonl").open("w", encoding="utf-8") as file:
                started_at = time.process_time()
                async for record in weaver.answer_all(questions, max_parallel=options.parallel):
                    file.write(record.to_json() + "\n")
                    file.flush()
                    records.append(record)
        seconds, cpu_seconds = time.monotonic() - options.begun, time.process_time() - started_at
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "workers_cpu_seconds": ended.ru_utime + ended.ru_stime,
        "start_cpu_seconds": started_at,
        **await _bare(options, records),
    }


async def _bare(options: argparse.Namespace, records: list[Any]) -> dict[str, float]:
    from _server import bodies_of, send_bare

    from hopweave.run.starts import APART_SECONDS

    return {
        "calls": sum(record.totals().llm_calls for record in records),
        "failed": sum(record.error is not None for record in records),
        "bare_cpu_seconds": await send_bare(bodies_of(records), options.base_url, options.parallel),
        "bare_apart_cpu_seconds": await send_bare(bodies_of(records), options.base_url, options.parallel, APART_SECONDS),
    }


if __name__ == "__main__":
    main()
