"""Staggers the starts of concurrent questions slightly."""

from __future__ import annotations

import asyncio
import time

APART_SECONDS = 0.003
"""The seconds between the starts of concurrent questions. If all started at once, their replies would arrive at once, and in
every round each would wait until all the others had been processed."""

_AT_ONCE = 1e-6
"""Seconds of a sleep that only lets those begin whose time has come before."""


class Starts:
    """The starts of the questions of one process, or of one run.

    Args:
        seconds_apart: the minimum time between two starts; 0 or more.
    """

    def __init__(self, seconds_apart: float = APART_SECONDS) -> None:
        self._seconds_apart = seconds_apart
        self._next = 0.0
        self._num_waiting = 0

    async def turn(self) -> None:
        """Waits for the next start, in the order of the calls; a lone question does not wait."""
        now = time.monotonic()
        start = max(now, self._next)
        self._next = start + self._seconds_apart
        if start == now and not self._num_waiting:
            return
        self._num_waiting += 1
        try:  # where the loop was busy, those that wait may be due but not begun
            await asyncio.sleep(max(start - now, _AT_ONCE))
        finally:
            self._num_waiting -= 1
