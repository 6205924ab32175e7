"""Lets questions whose replies arrive together go on one by one, so that none of them holds up the rest."""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

_LOCKS: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


async def one_by_one() -> None:
    """Waits for its turn to go on; between two turns the event loop sends and receives what it can.

    What a reply leads to, such as judging the claims of an answer, can take ten milliseconds. If many replies arrive at once,
    all of it would otherwise be done in one go, before any further request is sent and any further reply is read.
    """
    async with _LOCKS.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        await asyncio.sleep(0)
