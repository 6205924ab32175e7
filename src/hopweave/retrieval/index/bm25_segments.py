"""Decides when additions to a new BM25 index are written as a segment, so that few segments are left at the end.

A query looks each of its words up in every segment: at 5 million passages `weave` takes a tenth less time with 6 segments than
with 11. The engine merges eight segments of about the same size into one, and not on request. Left alone it writes a segment
whenever its memory is full, and everything since the last eight stays in up to seven small ones. If the total is known, the
segments are cut so that they all merge in groups of eight. Merging more of them would leave still fewer, but the engine holds
everything that it merges in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable

AT_ONCE = 64_000_000
"""The most characters of passages in one segment: somewhat fewer than fill the engine's memory (`bm25_index._HEAP_BYTES`)."""

_MERGED = 8
"""How many segments of about the same size the engine merges into one (LogMergePolicy's minimum)."""

_KNOWN_AFTER = AT_ONCE // 16
"""Characters after which the total is estimated: before the first of eight segments has to end."""

_MARGIN = 1.05
"""A margin, since the share read is of files or of passages, which differ in length."""


ShareRead = Callable[[int], float]
"""Given the number of passages added, returns their share of the total, from 0 to 1."""


class Segments:
    """Decides when to write additions as a segment.

    Args:
        share_read: `None` if the total cannot be known.
    """

    def __init__(self, share_read: ShareRead | None) -> None:
        self._share_read = share_read
        self._num_characters = 0
        self._num_segments = 0  # in total; 0 until it is known
        self._num_ended = 0

    def is_full(self, num_added: int, num_characters: int) -> bool:
        """Whether a segment ends with a passage.

        Args:
            num_added: passages so far, with this one.
            num_characters: characters of this one.
        """
        self._num_characters += num_characters
        if self._share_read is None or self._num_characters < _KNOWN_AFTER:
            return False
        share = self._share_read(num_added)
        if not self._num_segments and share > 0:
            self._num_segments = num_segments(_MARGIN * self._num_characters / share)
        # The last segment ends with the last passage.
        num_ended = min(int(share * self._num_segments), self._num_segments - 1)
        if num_ended <= self._num_ended:
            return False
        self._num_ended = num_ended
        return True


def num_segments(num_characters: float) -> int:
    """The number of segments for a number of characters: one, or as many as the engine merges into at most seven.

    >>> [num_segments(AT_ONCE * size) for size in (1, 2, 9, 60)]
    [1, 8, 16, 64]
    """
    if num_characters <= AT_ONCE:
        return 1
    merged = _MERGED
    while num_characters > (_MERGED - 1) * merged * AT_ONCE:
        merged *= _MERGED
    return merged * math.ceil(num_characters / (merged * AT_ONCE))
