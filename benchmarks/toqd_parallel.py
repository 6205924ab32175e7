"""How close ToQD comes to its critical path, and what parallel execution saves.

One question with two independent branches, each a bridge of two sub-questions, against an OpenAI-compatible server in another
process that answers after 500 ms. It prints the wall time and the seconds on the critical path, in parallel and sequentially.

    python benchmarks/toqd_parallel.py [--delay 0.5] [--runs 3]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from _server import serve, server

from hopweave import Record, Weaver, read_settings
from hopweave.record.critical_path import critical_path

QUESTION = "Which is further north, the birthplace of the painter of Blue Hill or that of the painter of Red Lake?"
SUB_QUESTIONS = """1. Who painted Blue Hill?
2. Who painted Red Lake?
3. Where was the painter of Blue Hill born?
4. Where was the painter of Red Lake born?"""
REPLIES = {
    "Break the question down": SUB_QUESTIONS,
    "should be dropped?": "Drop: none",
    "Which answers are needed for which?": "1 -> 3 -> Q\n2 -> 4 -> Q",
    "Rewrite the sub-question": "Where was that painter born?",
    "If you know the answer": "NO!",
    "If the passages above answer": "Otto Falk",
    "These sub-questions are answered": "Otto Falk painted it [1]. So the final answer is Blue Hill.",
}
PASSAGES = ["Blue Hill was painted by Otto Falk.", "Red Lake was painted by Otto Falk, the painter who was born in Orlau."]


def main() -> None:
    """Runs the server in a separate process, then the question both ways, and prints the measurements."""
    options = _options()
    if options.serve:
        serve(_text, options.delay)
        return
    seconds: dict[bool, list[float]] = {}
    with server(__file__, options.delay) as running, tempfile.TemporaryDirectory() as folder:
        for parallel in (True, False):
            records = asyncio.run(_run(running.base_url, Path(folder), parallel=parallel, num_runs=options.runs))
            seconds[parallel] = [record.seconds for record in records]
            for record in records:
                _print(record, parallel=parallel)
    print(f"in parallel it takes {min(seconds[True]) / min(seconds[False]):.2f} of the sequential time")


def _print(record: Record, *, parallel: bool) -> None:
    path = critical_path(record)
    how = "in parallel" if parallel else "sequentially"
    print(
        f"{how}: {record.totals().llm_calls} calls, {record.seconds:.3f} s, critical path {path.seconds:.3f} s "
        f"({len(path.steps)} of 4 nodes), {record.seconds / path.seconds:.3f} times it"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--delay", type=float, default=0.5, help="seconds that the server takes for a reply")
    parser.add_argument("--runs", type=int, default=3, help="number of runs each way")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


async def _run(base_url: str, folder: Path, *, parallel: bool, num_runs: int) -> list[Record]:
    settings = read_settings(
        {
            "method": "toqd",
            "methods": {"toqd": {"parallel": parallel}},
            "llm": "openai_compatible",
            "llms": {"openai_compatible": {"model": "scripted", "base_url": base_url}},
            "corpus": str(_index(folder)),
            "store": {"mode": "off"},
        }
    )
    async with Weaver(settings) as weaver:
        await weaver.answer(QUESTION)  # opens the connections and the index
        return [await weaver.answer(QUESTION) for _ in range(num_runs)]


def _index(folder: Path) -> Path:
    from hopweave.ingest.read import read_corpus
    from hopweave.retrieval.engines.bm25 import BM25

    index = folder / "index"
    if not index.exists():
        source = folder / "passages.jsonl"
        source.write_text("".join(json.dumps({"id": str(n), "text": text}) + "\n" for n, text in enumerate(PASSAGES)))
        BM25.build(index, read_corpus([source]))
    return index


def _text(turns: list[dict[str, Any]]) -> str:
    return next((text for words, text in REPLIES.items() if words in turns[-1]["content"]), "no")


if __name__ == "__main__":
    main()
