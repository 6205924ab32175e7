"""How close `hopweave evaluate` comes to the endpoint's limit, how much memory it needs, and whether it counts every failure.

2,000 questions with direct_retrieval, 128 concurrently, against an OpenAI-compatible server in another process that answers
after 1 s and permanently refuses every hundredth question. Each question has one call, so with 128 slots the run needs at least
16 rounds. It prints that limit as a share of the time from the first question to the last record on disk, and as a share of
that time plus importing the endpoint's client; the resident memory of this process when the first question is asked and when
the run has ended; the number of failures injected and counted; and the CPU milliseconds per question of this process and of
those that it started, their start included: search workers, and with `--processes` those that answer.

    python benchmarks/evaluate_at_scale.py [--questions 2000] [--parallel 128] [--delay 1.0] [--method direct_retrieval]
        [--processes 1]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hopweave import read_settings
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.progress import Cell
from hopweave.evaluation.runs.run import Outcome, RunOptions, Watcher, Work, evaluate
from hopweave.evaluation.runs.run_plan import Flags, in_full, read_plan
from hopweave.record import Record

sys.path.append(str(Path(__file__).parents[1] / "tests"))

EVERY = 100
"""One in this many questions is refused."""


class Meter(Watcher):
    """Reads clock and memory when the first question is about to be asked, and as records arrive."""

    def __init__(self) -> None:
        self.first = self.most = 0.0
        self.seconds = 0.0
        self._begun = time.perf_counter()
        self._num = 0

    def started(self, work: Work) -> None:
        """See `Watcher.started`."""
        self.first = self.most = resident_mb()
        self._begun = time.perf_counter()

    def answered(self, cell: Cell, record: Record) -> None:
        """See `Watcher.answered`."""
        self._num += 1
        self.seconds = time.perf_counter() - self._begun
        if self._num % EVERY == 0:
            self.most = max(self.most, resident_mb())


def main() -> None:
    """Runs the server in a separate process, then the questions, and prints the figures."""
    options = _options()
    if options.serve:
        asyncio.run(_serve(options.delay))
        return
    meter = Meter()
    with _server(options.delay) as base_url, tempfile.TemporaryDirectory() as folder:
        cpu = time.process_time()
        outcome, num_records, num_failed = asyncio.run(_run(options, base_url, Path(folder), meter))
        cpu = time.process_time() - cpu
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)  # the server has not
    limit = math.ceil(options.questions / options.parallel) * options.delay
    print(f"questions {options.questions}, records {num_records}")
    print(f"seconds to start {outcome.seconds - meter.seconds:.2f}, to answer {meter.seconds:.2f}, limit {limit:.2f}")
    print(f"share of the limit {limit / meter.seconds:.3f}, with startup {limit / outcome.seconds:.3f}")
    print(f"RSS at the start {meter.first:.0f} MB, maximum {meter.most:.0f} MB, at the end {resident_mb():.0f} MB")
    injected = len(range(0, options.questions, EVERY))
    counted = sum(num for _, _, num, _ in outcome.progress.failures())
    print(f"failures injected {injected}, counted {counted}, in the records {num_failed}")
    own, others = (1000 * seconds / options.questions for seconds in (cpu, ended.ru_utime + ended.ru_stime))
    print(f"CPU milliseconds per question {own:.2f}, of other processes {others:.2f}")


def resident_mb() -> float:
    """Resident memory of this process, in millions of bytes (Linux)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--parallel", type=int, default=128)
    parser.add_argument("--delay", type=float, default=1.0, help="seconds that the server takes for a reply")
    parser.add_argument("--method", default="direct_retrieval", help="a method with one call")
    parser.add_argument("--processes", type=int, default=1, help="how many answer")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


async def _run(options: argparse.Namespace, base_url: str, folder: Path, meter: Meter) -> tuple[Outcome, int, int]:
    data, run = folder / "questions.jsonl", folder / "run"
    rows = (
        {"id": str(n), "question": f"Which river runs through town {n}?", "answer": "the Nith"}
        for n in range(options.questions)
    )
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    given = {
        "llm": "openai_compatible",
        "llms": {"openai_compatible": {"model": "scripted", "base_url": base_url, "max_connections": options.parallel}},
    }
    plan = read_plan(None, Flags(["jsonl"], [options.method], data, settings=given))
    settings = read_settings(plan.settings)
    outcome = await evaluate(run, in_full(plan, settings), settings, RunOptions(processes=options.processes), meter)
    num_records = num_failed = 0
    for record in RunFolder.open(run).records("jsonl", options.method):
        num_records += 1
        num_failed += record.error is not None
    return outcome, num_records, num_failed


@contextmanager
def _server(delay: float) -> Iterator[str]:
    command = [sys.executable, __file__, "--serve", "--delay", str(delay)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip() if process.stdout else ""
        finally:
            process.terminate()


async def _serve(delay: float) -> None:
    from support.scripted_server import Behaviour, Request, ScriptedServer

    def reply(request: Request) -> Behaviour:
        prompt = request.body["messages"][-1]["content"]
        if int(re.findall(r"runs through town (\d+)\?", prompt)[-1]) % EVERY == 0:
            return Behaviour(status=400, text="refused on purpose")
        title = re.search(r"<passage>\n(.+)", prompt)  # the answer is in a passage, as it usually is
        return Behaviour(text=title[1] if title else "the Nith")

    async with ScriptedServer(reply, delay=delay) as server:
        server.keeps_requests = False
        print(server.base_url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    main()
