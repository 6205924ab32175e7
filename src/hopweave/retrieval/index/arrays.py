"""Arrays of numbers in files, mapped into memory, and lists of numbers of different lengths in such arrays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[Any]
"""An array of integers of any size, with one dimension."""


def mapped(path: Path, kind: type[Any], width: int) -> NDArray[Any]:
    """A file of numbers, row after row, mapped into memory."""
    if not path.exists() or not path.stat().st_size or not width:
        return np.zeros((0, max(width, 1)), dtype=kind)  # an empty file cannot be mapped
    return np.memmap(path, dtype=np.dtype(kind).newbyteorder("<"), mode="r").reshape(-1, width)


def column(path: Path, kind: type[Any]) -> NDArray[Any]:
    """A file of numbers, one in each row, mapped into memory."""
    return np.asarray(mapped(path, kind, 1)[:, 0])


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists of numbers, one after the other in one array.

    Attributes:
        ends: for each list, the place after its last number.
        values: the numbers.
    """

    ends: Integers
    values: Integers

    @property
    def are_whole(self) -> bool:
        """Whether the array has as many numbers as the lists."""
        return len(self.values) == (int(self.ends[-1]) if len(self.ends) else 0)

    def of(self, one: int) -> Integers:
        """The numbers of one list."""
        return self.values[int(self.ends[one - 1]) if one else 0 : int(self.ends[one])]

    def of_all(self, lists: Integers) -> tuple[Integers, Integers]:
        """The numbers of some of the lists, in their order, and how many each of them has."""
        starts = starts_of(self.ends, lists)
        counts = self.ends[lists] - starts
        return self.values[places(starts, counts)], counts


def starts_of(ends: Integers, lists: Integers) -> Integers:
    """Where some lists start, given where all of them end."""
    return np.where(lists > 0, ends[lists - 1], 0) if len(ends) else np.zeros(0, dtype=np.int64)


def places(starts: Integers, counts: Integers) -> Integers:
    """The places in ranges that have a start and a length, range after range.

    >>> places(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(counts) - counts
    return np.repeat(starts - before, counts) + np.arange(int(counts.sum()))
