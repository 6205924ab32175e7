"""An index that is written and killed while it is read: no reader may fail, and none may see half an update.

Four processes search without a pause, each opening the index anew for every round. A fifth adds, replaces and deletes passages,
update after update, and is killed at random moments. Every update replaces the same 100 passages, which say the number of their
update: a reader that finds two numbers among them has seen a torn state. At the end every byte of the index is verified.

    python benchmarks/index_under_fire.py [--passages 50000] [--kills 20] [--readers 4] [--seed 7] [--out OUT]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from retrieval_scale import generated

from hopweave.core.catalog import load
from hopweave.core.types import Passage
from hopweave.retrieval.engines.bm25 import BM25

NUM_MARKED = 100
NUM_CHANGED = 1_000
MARK = "zymurgy"
STOP = "stop"


def main() -> None:
    """Builds, reads, writes and kills, and prints what happened; the exit status is 1 if anything broke."""
    options = _options()
    if options.role:
        ROLES[options.role](options.out, options.passages)
        return
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / STOP).unlink(missing_ok=True)
    index = options.out / "index"
    BM25.build(index, _first_state(options.passages))
    readers = [_started("reader", options) for _ in range(options.readers)]
    draw = random.Random(options.seed)
    for _ in range(options.kills):
        writer = _started("writer", options)
        time.sleep(draw.uniform(0.5, options.longest))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    (options.out / STOP).touch()
    said = [json.loads(reader.communicate()[0].splitlines()[-1]) for reader in readers]
    broken = [problem for one in said for problem in one["problems"]]
    summary = BM25.check(index)
    number = _number_in(BM25(index).search([MARK], NUM_MARKED)[0])
    searches = sum(one["searches"] for one in said)
    print(f"{options.kills} kills, {number} whole updates, {searches:,} searches by {options.readers} readers")
    print(f"{len(broken)} failures or torn states; every byte verified, {summary.num_passages:,} passages")
    for problem in broken[:10]:
        print(f"  {problem}")
    sys.exit(bool(broken))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--passages", type=int, default=50_000, help="in the index at the beginning")
    parser.add_argument("--kills", type=int, default=20, help="how often the writer is killed")
    parser.add_argument("--longest", type=float, default=8.0, help="seconds that a writer lives at most")
    parser.add_argument("--readers", type=int, default=4, help="processes that search")
    parser.add_argument("--seed", type=int, default=7, help="of the moments")
    parser.add_argument("--out", type=Path, default=Path("index-under-fire"), help="folder for the index")
    parser.add_argument("--role", choices=ROLES, help=argparse.SUPPRESS)
    return parser.parse_args()


def _started(role: str, options: argparse.Namespace) -> subprocess.Popen[str]:
    arguments = ["--role", role, "--out", str(options.out), "--passages", str(options.passages)]
    return subprocess.Popen([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True)


def _first_state(num_passages: int) -> Iterator[Passage]:
    yield from _marked(0)
    yield from generated(num_passages)


def _marked(number: int) -> list[Passage]:
    return [Passage(f"marked{at}", f"{MARK} of update {number}, passage {at}.", f"Mark {at}") for at in range(NUM_MARKED)]


def _number_in(hits: Sequence[object]) -> str:
    """The one update that passages speak of; several, joined, where the state is torn."""
    numbers = {str(getattr(hit, "passage").text).split("update ")[1].split(",")[0] for hit in hits}  # noqa: B009
    return "+".join(sorted(numbers))


def _write(out: Path, num_passages: int) -> None:
    """Updates until it is killed: new passages come, as many go, and the marked ones get the next number."""
    index = out / "index"
    while True:
        [hits] = BM25(index).search([MARK], 1)
        number = int(_number_in(hits)) + 1
        fresh = [Passage(f"u{number}-{at}", f"update {number} brings word{at}", "") for at in range(NUM_CHANGED)]
        gone = [f"u{number - 2}-{at}" for at in range(NUM_CHANGED)]
        BM25.update(index, upsert=[*_marked(number), *fresh], delete=gone, missing_ok=True)


def _read(out: Path, num_passages: int) -> None:
    """Searches until it is told to stop, and prints how often, and what was wrong."""
    problems: list[str] = []
    searches = 0
    draw = random.Random(os.getpid())
    while not (out / STOP).exists():
        retriever = load("retrievers", draw.choice(["bm25", "weave"]))(index=out / "index")
        try:
            for _ in range(5):
                [hits] = retriever.search([MARK], NUM_MARKED)
                searches += 1
                number = _number_in(hits)
                if len(hits) != NUM_MARKED or "+" in number:
                    problems.append(f"{len(hits)} marked passages of updates {number}")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what this looks for
            problems.append(f"{type(error).__name__}: {error}")
        finally:
            retriever.close()
    print(json.dumps({"searches": searches, "problems": problems}))


ROLES: Mapping[str, Callable[[Path, int], None]] = {"writer": _write, "reader": _read}


if __name__ == "__main__":
    main()
