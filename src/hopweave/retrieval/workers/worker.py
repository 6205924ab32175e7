"""A worker process, as seen from the process that asks it."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.core.child_process import Child
from hopweave.core.types import Hit
from hopweave.retrieval.workers.process import Ask, Close, Failed, Open, hits_of


class Worker:
    """A worker process. It belongs to the event loop in which it was started.

    Attributes:
        engines: the numbers of the engines that it has open.
    """

    def __init__(self, child: Child) -> None:
        self._child = child
        self.engines: set[int] = set()

    @classmethod
    async def started(cls) -> Worker:
        """A new process. Errors as in `Child.started`."""
        return cls(await Child.started("hopweave.retrieval.workers.process"))

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._child.pid

    @property
    def has_ended(self) -> bool:
        """Whether the process is known to have ended."""
        return self._child.has_ended

    async def open(self, number: int, elsewhere: bytes, folder: str) -> str:
        """Opens an engine; returns why that failed, or an empty text. Errors as in `found`."""
        self._child.send(Open(number, elsewhere, folder))
        failure = str(await self._child.receive())
        if not failure:
            self.engines.add(number)
        return failure

    def ask(self, number: int, queries: Sequence[str], max_hits: int) -> None:
        """Asks for the hits of queries, which `found` returns one after another."""
        self._child.send(Ask(number, tuple(queries), max_hits))

    async def found(self) -> list[Hit] | Exception:
        """The hits of the next query that was asked, or the error of its search.

        Raises:
            Died: if the process has ended.
        """
        reply = await self._child.receive()
        return reply.error() if isinstance(reply, Failed) else hits_of(reply)

    def close(self, number: int) -> None:
        """Closes an engine, once the process has answered what it was asked before."""
        if number in self.engines:
            self.engines.remove(number)
            self._child.send(Close(number))

    async def end(self) -> None:
        """Ends the process at once: it has nothing to finish."""
        await self._child.end()

    def kill(self) -> None:
        """Ends the process at once."""
        self._child.kill()
