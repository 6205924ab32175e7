"""Coalesces identical concurrent calls: a later one waits for the call in progress."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")

OnText = Callable[[str], None]


class Call(Generic[T]):
    """A call in progress. It ends when it is done, or is cancelled when no task waits for it any more.

    Attributes:
        attempts: the number of attempts, counted by the code that makes the call.
    """

    def __init__(self) -> None:
        self.attempts = 0
        self._task: asyncio.Task[T] | None = None
        self._num_waiting = 0
        self._heard: list[str] = []
        self._listeners: list[OnText] = []

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Starts the call in its own task, so that cancelling one waiting task does not affect it."""
        self._task = asyncio.create_task(work)
        return self._task

    def tell(self, piece: str) -> None:
        """Passes a piece of the result on to all listeners."""
        self._heard.append(piece)
        for listener in tuple(self._listeners):
            listener(piece)

    async def result(self, on_text: OnText | None = None) -> T:
        """Waits for the result.

        Args:
            on_text: called with each piece as it arrives, and at once with those that arrived before.
        """
        assert self._task is not None  # noqa: S101 - `InFlight.join` has started it
        if on_text is not None:
            if self._heard:
                on_text("".join(self._heard))
            self._listeners.append(on_text)
        self._num_waiting += 1
        try:
            await asyncio.wait([self._task])
        finally:
            self._num_waiting -= 1
            if on_text is not None:
                self._listeners.remove(on_text)
            if not self._num_waiting and not self._task.done():
                await self._abandon(self._task)
        return self._task.result()

    @property
    def is_abandoned(self) -> bool:
        """Whether it is being cancelled because no task waits for it any more."""
        return self._task is not None and self._task.cancelling() > 0

    @staticmethod
    async def _abandon(task: asyncio.Task[T]) -> None:
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # marks it as retrieved, since no task is left to receive it


class InFlight(Generic[T]):
    """The calls in progress, by key; each event loop has its own."""

    def __init__(self) -> None:
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Hashable, Call[Any]]] = WeakKeyDictionary()

    def join(self, key: Hashable, make: Callable[[Call[T]], Coroutine[Any, Any, T]]) -> tuple[Call[T], bool]:
        """The call with a key, and whether it was started just now.

        Args:
            key: the same for identical calls. A call with an empty key is always made.
            make: starts the call if no identical one is in progress.
        """
        calls = self._loops.setdefault(asyncio.get_running_loop(), {})
        known = calls.get(key) if key else None
        if known is not None and not known.is_abandoned:
            return known, False
        call: Call[T] = Call()
        task = call.start(make(call))
        if key:
            calls[key] = call
            task.add_done_callback(lambda _: calls.pop(key, None) if calls.get(key) is call else None)
        return call, True


class Once(Generic[T]):
    """Results that are computed once and kept; failures are not kept."""

    def __init__(self) -> None:
        self._in_flight: InFlight[T] = InFlight()
        self._kept: dict[Hashable, T] = {}

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """The result for a key, computed if there is none yet."""
        if key not in self._kept:

            async def made(_: Call[T]) -> T:
                return await make()

            call, _ = self._in_flight.join(key, made)
            self._kept[key] = await call.result()
        return self._kept[key]
