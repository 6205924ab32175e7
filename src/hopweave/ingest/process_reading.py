"""Reads documents in several processes of this machine: HTML, PDF and the like take far more time to read than to index."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Lock, local

from hopweave.core.child_process import BlockingChild, Died, asked
from hopweave.core.errors import DataError
from hopweave.ingest.file_states import FileState, look_at
from hopweave.ingest.formats import CorpusFile, Limits
from hopweave.ingest.whole_document import WholeDocument, read_whole

_PER_PROCESS = 4
"""Files in progress for each process: one that is being read, and some that wait, since files differ much in size."""

Read = tuple[FileState | None, WholeDocument | None, DataError | None]
"""The state of a file before it was read, and what it holds or why it cannot be read; no state if that cannot be told."""


class ProcessReading:
    """Reads files in other processes, which are started as they are needed; see `whole_document.ReadsElsewhere`.

    A file whose process dies is read by this one, and so is a file that has changed since: the index notes the state in which
    this process finds it.

    Args:
        num_processes: how many at most.
    """

    def __init__(self, num_processes: int) -> None:
        self.num_ahead = _PER_PROCESS * num_processes
        self._threads = ThreadPoolExecutor(num_processes, thread_name_prefix="hopweave-read")  # each waits for one process
        self._mine = local()
        self._children: set[BlockingChild] = set()
        self._is_closed = False
        self._changing = Lock()
        self._begun: dict[Path, Future[Read | None]] = {}

    def close(self) -> None:
        """Ends the processes."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._changing:
            self._is_closed = True
            for child in self._children:
                child.kill()
        self._threads.shutdown()
        for child in self._children:
            child.end()

    def begin(self, file: CorpusFile, limits: Limits, max_words: int) -> None:
        """See `ReadsElsewhere`."""
        if file.is_document and file.content is None and file.path not in self._begun:
            sent = replace(file, path=file.path.absolute())
            self._begun[file.path] = self._threads.submit(self._asked, (sent, limits, max_words))

    def read(self, file: CorpusFile) -> WholeDocument | None:
        """See `ReadsElsewhere`."""
        future = self._begun.pop(file.path, None) if file.content is None else None
        found = future.result() if future is not None else None
        if found is None:
            return None
        state, document, error = found
        if state is None or look_at(file) != state:
            return None
        if error is not None:
            raise error
        return document

    def _asked(self, order: tuple[CorpusFile, Limits, int]) -> Read | None:
        """What a process says about a file; nothing if there is no process, or it dies."""
        child = getattr(self._mine, "child", None)
        try:
            if child is None:
                child = self._mine.child = self._started()
            found: Read = child.ask(order)
        except (Died, OSError, NotImplementedError):
            self._mine.child = None
            with self._changing:
                self._children.discard(child)
            return None
        return found

    def _started(self) -> BlockingChild:
        with self._changing:
            if self._is_closed:
                raise Died
            child = BlockingChild(__name__)
            self._children.add(child)
            return child


def main() -> None:
    """What runs in each process: it reads the files that it is asked for."""
    orders, reply = asked()
    for order in orders:
        reply(_read(*order))


def _read(file: CorpusFile, limits: Limits, max_words: int) -> Read:
    try:
        state = look_at(file)
    except DataError:
        return None, None, None
    try:
        return state, read_whole(file, limits, max_words, check=limits.deadline(file).check), None
    except DataError as error:
        return state, None, error
    except Exception:  # noqa: BLE001 - the process that asks meets it as well, and can say where
        return None, None, None
