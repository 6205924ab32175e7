"""The time that a file may take to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic

Check = Callable[[], None]
"""Raises `DataError` once a file has taken too long. Called in every loop that grows with the file."""


def no_check() -> None:
    """For text without a time limit."""


class Deadline:
    """The time left for a file, counted from now.

    A reader is not interrupted from outside: it calls `check` itself, so it never stops halfway through a passage. A single
    call of a library (parsing one row as JSON or CSV, decompressing a part of a DOCX) is not interrupted; each takes time
    linear in at most `max_row_mib` of text.

    Args:
        seconds: how many; `None` for no limit.
        too_slow: creates the error.
    """

    def __init__(self, seconds: float | None, too_slow: Callable[[], Exception]) -> None:
        self._too_slow = too_slow
        self._is_limited = seconds is not None
        self._end = inf if seconds is None else monotonic() + seconds

    def check(self) -> None:
        """Raises the error if the time is up."""
        if self._is_limited and monotonic() > self._end:
            raise self._too_slow()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stops the clock during anything but reading, such as writing a passage to the index."""
        began = monotonic()
        try:
            yield
        finally:
            self._end += monotonic() - began
