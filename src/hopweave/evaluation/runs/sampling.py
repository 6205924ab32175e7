"""Draws a fixed sample of a dataset's examples, identified by seed and limit; the drawn ids are stored in the run.

A seed gives every id a rank, independent of the file and of the order of its lines. So the same seed and limit draw the
same ids from a reordered file, and the draw of a larger limit begins with that of a smaller one.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable
from itertools import islice

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.types import Example


def draw(examples: Iterable[Example], limit: int | None = None, seed: int | None = None) -> list[Example]:
    """A sample of the examples.

    Args:
        examples: of a dataset; their ids must differ.
        limit: how many, above 0; all if there are no more than that, or if it is `None`.
        seed: of the draw, which also gives the order; `None` takes the first ones in the dataset's own order.

    Raises:
        SettingsError: for a limit below 1.
        DataError: for a duplicate id, or no example at all; and whatever the dataset raises.
    """
    if limit is not None and limit < 1:
        raise SettingsError(f"a limit of {limit} draws nothing; give a number above 0, or none to take all")
    if seed is None:
        drawn = list(islice(examples, limit))
    elif limit is None:
        drawn = sorted(examples, key=lambda example: _rank(example, seed))
    else:
        drawn = heapq.nsmallest(limit, examples, key=lambda example: _rank(example, seed))
    if not drawn:
        raise DataError("no examples to draw from; check the dataset's file and its options")
    ids: set[str] = set()
    for example in drawn:
        if example.question.id in ids:
            raise DataError(f"the id {example.question.id!r} occurs twice in the dataset; give each example a unique id")
        ids.add(example.question.id)
    return drawn


def _rank(example: Example, seed: int) -> tuple[bytes, str]:
    name = example.question.id
    return hashlib.blake2b(f"{seed}\0{name}".encode(), digest_size=16).digest(), name
