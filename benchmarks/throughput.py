"""How close a run comes to what the endpoint allows, and what a model call costs in CPU.

300 questions by SearChain, 64 side by side, against an OpenAI-compatible server in another process that answers after 1 s.
Each question has six calls in a row (two chains, three readings, tracing), so its critical path is 6 s of waiting; with 64
places, 300 questions cannot end before 5 rounds of it. Printed are that limit as a share of the time taken, and the CPU
milliseconds of this process for each call, with trace, record, store and BM25 search included, also as a multiple of what a
bare aiohttp client takes that then sends the same requests, as many side by side, and parses the replies.

    python benchmarks/throughput.py [--questions 300] [--parallel 64] [--delay 1.0]
"""

from __future__ import annotations

import argparse
import asyncio
import math
import tempfile
import time
from pathlib import Path
from typing import Any

from _server import bodies_of, send_bare, serve, server

from hopweave import Question, Weaver, read_settings

CALLS_PER_QUESTION = 6
FIRST_CHAIN = """[Query 1]: In which city was Frederic Chopin's heart buried, case {n}?
[Answer 1]: Warsaw
[Unsolved Query]: Which river runs through Warsaw, case {n}?"""
SECOND_CHAIN = """[Query 1]: In which city was Frederic Chopin's heart buried, case {n}?
[Answer 1]: Warsaw
[Query 2]: Which river runs through Warsaw, case {n}?
[Answer 2]: the Vistula
[Query 3]: Into which sea does the Vistula flow, case {n}?
[Answer 3]: the Baltic Sea
[Final Content]: His heart is in Warsaw [1]. The Vistula runs through it [2]. So the final answer is the Baltic Sea."""
TRACED = (
    "His heart is in Warsaw [1]. The Vistula runs through it [2]. It flows into the Baltic Sea [3]. So the final answer is it."
)


def main() -> None:
    """Runs the server in a process of its own, then the questions, and prints the two figures."""
    options = _options()
    if options.serve:
        serve(_text, options.delay)
        return
    with server(__file__, options.delay) as base_url, tempfile.TemporaryDirectory() as folder:
        seconds, cpu_seconds, records = asyncio.run(_run(options, base_url, Path(folder)))
        bare_cpu_seconds = asyncio.run(send_bare(bodies_of(records), base_url, options.parallel))
    num_calls = sum(record.totals().llm_calls for record in records)
    failed = sum(record.error is not None for record in records)
    limit = math.ceil(options.questions / options.parallel) * CALLS_PER_QUESTION * options.delay
    print(f"questions {len(records)}, failed {failed}, calls {num_calls}, seconds {seconds:.1f}, limit {limit:.1f}")
    print(f"share of the limit {limit / seconds:.3f}")
    print(f"CPU milliseconds per call {1000 * cpu_seconds / num_calls:.2f}")
    print(f"CPU milliseconds per call of a bare client {1000 * bare_cpu_seconds / num_calls:.2f}")
    print(f"times a bare client {cpu_seconds / bare_cpu_seconds:.2f}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--parallel", type=int, default=64)
    parser.add_argument("--delay", type=float, default=1.0, help="seconds that the server takes for a reply")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


async def _run(options: argparse.Namespace, base_url: str, folder: Path) -> tuple[float, float, list[Any]]:
    settings = read_settings(
        {
            "llm": "openai_compatible",
            "llms": {"openai_compatible": {"model": "scripted", "base_url": base_url, "max_connections": options.parallel}},
            "store": {"path": str(folder / "store.sqlite"), "mode": "on"},
        }
    )
    questions = [
        Question(str(n), f"Into which sea flows the river of the city of Chopin's heart, case {n}?")
        for n in range(options.questions)
    ]
    records = []
    async with Weaver(settings) as weaver:
        with (folder / "run.jsonl").open("w", encoding="utf-8") as file:
            started, cpu_started = time.perf_counter(), time.process_time()
            async for record in weaver.answer_all(questions, max_parallel=options.parallel):
                file.write(record.to_json() + "\n")
                file.flush()
                records.append(record)
            return time.perf_counter() - started, time.process_time() - cpu_started, records


def _text(turns: list[dict[str, Any]]) -> str:
    last = turns[-1]["content"]
    if "Does the passage state the answer" in last or "[Question]" not in last:
        return "no"
    if "Use nothing else" in last:
        return TRACED
    number = last.rstrip().removesuffix("?").rsplit(" ", 1)[-1]
    return (FIRST_CHAIN if len(turns) == 1 else SECOND_CHAIN).replace("{n}", number)


if __name__ == "__main__":
    main()
