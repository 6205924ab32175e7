"""Reads ahead in a thread, so that decompressing and indexing take place at the same time."""

from __future__ import annotations

import io
import queue
import threading
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

T = TypeVar("T")

_WAIT_SECONDS = 0.1


class Ahead(Generic[T]):
    """Goes through items in a thread, a few ahead of their consumer, in the same order.

    An error of theirs is raised where the next item is taken. Closing it, as Ctrl-C does, ends the thread.

    Args:
        items: are gone through in the thread alone.
        num_ahead: at most so many wait to be taken.
    """

    def __init__(self, items: Generator[T, None, None], num_ahead: int) -> None:
        self._waiting: queue.Queue[tuple[T] | BaseException | None] = queue.Queue(num_ahead)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(items,), name="hopweave-read-ahead", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        if self._is_over.is_set():
            raise StopIteration
        found = self._taken()
        if isinstance(found, tuple):
            return found[0]
        self.close()
        if found is not None:
            raise found
        raise StopIteration

    def close(self) -> None:
        """Ends the thread; what waits is lost."""
        self._is_over.set()
        self._thread.join()

    def _taken(self) -> tuple[T] | BaseException | None:
        while True:
            with suppress(queue.Empty):
                return self._waiting.get(timeout=_WAIT_SECONDS)
            if not self._thread.is_alive() and self._waiting.empty():
                return RuntimeError("the thread that reads ahead ended without a word; please report this")

    def _run(self, items: Generator[T, None, None]) -> None:
        ended: BaseException | None = None
        try:
            with closing(items):
                for item in items:
                    if not self._put((item,)):
                        return
        except BaseException as error:  # noqa: BLE001 - it is raised in the other thread
            ended = error
        self._put(ended)

    def _put(self, item: tuple[T] | BaseException | None) -> bool:
        while not self._is_over.is_set():
            with suppress(queue.Full):
                self._waiting.put(item, timeout=_WAIT_SECONDS)
                return True
        return False


class Pieces(io.RawIOBase):
    """Pieces of bytes as a stream; an empty one does not end it.

    Args:
        pieces: one after the other.
    """

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._held = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self._held:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._held = memoryview(piece)
        view = memoryview(buffer).cast("B")
        taken = self._held[: len(view)]
        view[: len(taken)] = taken
        self._held = self._held[len(taken) :]
        return len(taken)
