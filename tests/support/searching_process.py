"""A process whose workers search until it is told to end: prints the ids of its workers first.

python -m support.searching_process INDEX
"""

import asyncio
import signal
import sys
from pathlib import Path

from hopweave.models.llms.scripted import Scripted
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.workers.search_workers import SearchWorkers
from hopweave.run.components import Components


def ids_of(workers: SearchWorkers) -> list[int]:
    """The process ids of the workers that can search."""
    return sorted(worker.pid for worker in workers._workers)


async def fill(workers: SearchWorkers, parts: Components) -> None:
    """Waits until there are as many workers as there may be."""
    while len(ids_of(workers)) < workers.max_workers:
        workers.note_waiting(parts._shared, 1.0)
        await asyncio.sleep(0.01)


async def main(index: str) -> None:
    """Searches for ever."""
    workers = SearchWorkers(2)
    parts = Components(Scripted(), retriever=BM25(Path(index)), workers=workers)
    try:
        await fill(workers, parts)
        print(*ids_of(workers), flush=True)
        while True:
            await asyncio.gather(*(parts.search([f"town {n}"], 5) for n in range(20)))
    finally:
        await parts.close()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by what a shell started in the background
    asyncio.run(main(sys.argv[1]))
