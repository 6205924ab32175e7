"""Staggers the starts of concurrent questions slightly."""

from __future__ import annotations

import asyncio
import time

APART_SECONDS = 0.003
"""The seconds between the starts of concurrent questions. If all started at once, their replies would arrive at once, and in
every round each would wait until all the others had been processed."""


class Starts:
    """The starts of the questions of one process, or of one run.

    Args:
        seconds_apart: the minimum time between two starts; 0 or more.
    """

    def __init__(self, seconds_apart: float = APART_SECONDS) -> None:
        self._seconds_apart = seconds_apart
        self._next = 0.0

    async def turn(self) -> None:
        """Waits for the next start, in the order of the calls; a lone question does not wait."""
        now = time.monotonic()
        start = max(now, self._next)
        self._next = start + self._seconds_apart
        if start > now:
            await asyncio.sleep(start - now)
