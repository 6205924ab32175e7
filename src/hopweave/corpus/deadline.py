"""The time that a file may take to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopweave.corpus.files import CorpusFile, Limits

Check = Callable[[], None]
"""Raises `DataError` once a file has taken too long. Called in every loop that grows with the file."""


def no_check() -> None:
    """For text that is held to no time."""


class Deadline:
    """The time that is left for a file, from now on.

    A reader is not interrupted from outside: it calls `check` itself, so it never stops halfway through a passage. What a
    library does in a single call (parsing one row as JSON or CSV, decompressing a part of a DOCX) ends first; each such call
    takes time linear in at most `max_row_mib` of text.

    Args:
        file: that is read.
        limits: a document has `seconds_for` it; a file of records has no limit unless one was given.
    """

    def __init__(self, file: CorpusFile, limits: Limits) -> None:
        self._source = file.source
        self._limits = limits
        self._seconds = limits.seconds_for(file)
        self._end = inf if self._seconds is None else monotonic() + self._seconds

    def check(self) -> None:
        """Raises `DataError` if the time is up."""
        if self._seconds is not None and monotonic() > self._end:
            raise self._limits.too_slow(self._source, self._seconds)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stops the clock while something other than reading goes on, such as writing a passage to the index."""
        began = monotonic()
        try:
            yield
        finally:
            self._end += monotonic() - began
