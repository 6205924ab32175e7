"""A question while it runs: its events as they happen, and its cancellation when its client goes away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any, Generic, TypeVar

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from hopweave.record import Event, Observer

T = TypeVar("T")

KEEP_ALIVE_SECONDS = 15.0
"""After this long without an event, a comment is sent, so that no proxy considers the connection dead."""
KEEP_ALIVE = ": still at work\n\n"


class ClientGone(Exception):
    """The client closed its connection."""


async def unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of some work, which is cancelled if its client goes away.

    Raises:
        ClientGone: if it did.
    """
    task, gone = asyncio.create_task(work), asyncio.create_task(_gone(request.receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGone
        return task.result()
    finally:
        await _ended(task, gone)


class Watched(StreamingResponse):
    """A streamed response that ends when its client goes away, even while nothing is being sent."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends it."""
        sending, gone = asyncio.create_task(self.stream_response(send)), asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            await _ended(sending, gone)


class Done(Generic[T]):
    """The end of the work: the result, or why there is none."""

    def __init__(self, task: asyncio.Task[T]) -> None:
        self._task = task

    def result(self) -> T:
        """The result; raises what the work raised."""
        return self._task.result()


async def followed(work: Callable[[Observer], Awaitable[T]]) -> AsyncIterator[Event | Done[T] | None]:
    """The events of a question as they happen, then its end; `None` where nothing happened for a while.

    Closing the iterator cancels the question.
    """
    events: asyncio.Queue[Event | Done[T]] = asyncio.Queue()
    task: asyncio.Task[T] = asyncio.ensure_future(_run(work, events.put_nowait))
    task.add_done_callback(lambda done: events.put_nowait(Done(done)))
    try:
        while True:
            try:
                # Not `wait_for`: in Python 3.11 it loses a cancellation that comes at the same moment as an event.
                async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                    event = await events.get()
            except TimeoutError:
                yield None
                continue
            yield event
            if isinstance(event, Done):
                return
    finally:
        await _ended(task)


async def _run(work: Callable[[Observer], Awaitable[T]], observer: Observer) -> T:
    return await work(observer)


async def _gone(receive: Callable[[], Awaitable[Any]]) -> None:
    """Returns when the client has gone away. The body was read before, so nothing else comes."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _ended(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
