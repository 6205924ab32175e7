"""Passages of documents whose text another document has: the same manual as HTML, PDF and plain text is indexed once.

A passage is a copy if its letters and digits (NFKC, case folded), at least 100 of them, stand in the same order and without a
gap in those of one document that was read before. So nothing is lost, and passages that differ in a digit are all kept.

Only documents with the same access labels are compared: who sees one of them sees the text and the names of all that have it.

What the manuals of two models, or the price lists of two years, have in common is kept for each of them: a question about one
of them is about its passage. Of what more than a few such documents share, as newsletters do, one is kept.

Candidates are found by winnowing (Schleimer, Wilkerson and Aiken, 2003): of every 64 consecutive windows of 37 characters, the
one with the smallest hash is an anchor. A text of 100 characters that stands in a document has one of its anchors, so one
look-up for each passage suffices; each candidate is then compared with the text itself.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate, chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hopweave.text.alike_names import are_of_alike_things

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WINDOW = 37
_RUN = 64
FEWEST_LETTERS = _WINDOW + _RUN - 1
"""Of a text that may be a copy."""

_BLOCK = 1 << 16
"""Characters whose hashes are computed at once."""
_MAX_LIKE_IT = 8
"""Anchors with the same hash: so many are kept of a document, and so many are compared."""
_MOST_ALIKE = 5
"""So many documents about alike things may each have a passage of the same text."""
_CACHED_TEXTS = 4

_FACTOR = 0x9E3779B97F4A7C15
_INVERSE = pow(_FACTOR, -1, 1 << 64)
_TABLES = """
CREATE TABLE texts (number INTEGER PRIMARY KEY, access TEXT, title TEXT, letters BLOB, ends TEXT, held_by TEXT);
CREATE TABLE anchors (hash INTEGER, text INTEGER, position INTEGER, PRIMARY KEY (hash, text, position)) WITHOUT ROWID;
"""


class Holder(NamedTuple):
    """A passage of the index that has a text, or a part of it, and the absolute path of its file."""

    passage_id: str
    path: str


class Copy(NamedTuple):
    """A passage that was left out: its source, and where the index has its text."""

    source: str
    holders: tuple[Holder, ...]


class Copies:
    """The texts of the documents that were read, to compare later ones with.

    Args:
        table: a temporary database, which keeps them on the disk.
    """

    def __init__(self, table: sqlite3.Connection) -> None:
        for statement in _TABLES.split(";"):
            table.execute(statement)
        self._table = table
        self._num_texts = 0
        self._text = lru_cache(_CACHED_TEXTS)(self._stored)

    def holders_of(self, letters: str, title: str, access: Sequence[str] = ()) -> tuple[Holder, ...]:
        """The passages that have a text between them, in order; none if it is too short, or no document has all of it.

        Documents about alike things do not count, unless many of them have it.

        Args:
            letters: of the text, from `hopweave.text.matching.letters_of`.
            title: of its document.
            access: the labels of its document.
        """
        if len(letters) < FEWEST_LETTERS:
            return ()
        hashes = _hashes(letters[:FEWEST_LETTERS])
        at = int(hashes.argmin())
        found = self._table.execute(
            "SELECT text, position FROM anchors JOIN texts ON number = text WHERE hash = ? AND access = ? "
            "ORDER BY text, position LIMIT ?",
            (int(hashes.view("int64")[at]), json.dumps(access), _MAX_LIKE_IT),
        )
        alike: list[tuple[Holder, ...]] = []
        for number, position in found.fetchall():
            other, text, ends, held_by = self._text(number)
            start = position - at
            if start >= 0 and text.startswith(letters, start):
                among = held_by[bisect_right(ends, start) : bisect_right(ends, start + len(letters) - 1) + 1]
                holders = tuple(dict.fromkeys(chain.from_iterable(among)))
                if not are_of_alike_things(title, other):
                    return holders
                alike.append(holders)
        return alike[0] if len(alike) >= _MOST_ALIKE else ()

    def add(self, title: str, letters: Sequence[str], held_by: Sequence[Sequence[Holder]], access: Sequence[str] = ()) -> None:
        """Adds a document.

        Args:
            title: its title.
            letters: of its passages, in order, copies included.
            held_by: for each of them, the passages of the index that have its text.
            access: its labels.
        """
        text = "".join(letters)
        if len(text) < FEWEST_LETTERS:
            return
        self._num_texts += 1
        row = (zlib.compress(text.encode("utf-8", "surrogatepass"), 1), json.dumps([*accumulate(map(len, letters))]))
        values = (self._num_texts, json.dumps(access), title, *row, json.dumps(held_by))
        self._table.execute("INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?)", values)
        rows = ((anchor, self._num_texts, position) for anchor, position in _anchors(text))
        self._table.executemany("INSERT OR IGNORE INTO anchors VALUES (?, ?, ?)", rows)

    def _stored(self, number: int) -> tuple[str, str, list[int], list[list[Holder]]]:
        title, letters, ends, held_by = self._table.execute(
            "SELECT title, letters, ends, held_by FROM texts WHERE number = ?", (number,)
        ).fetchone()
        holders = [[Holder(*one) for one in each] for each in json.loads(held_by)]
        return title, zlib.decompress(letters).decode("utf-8", "surrogatepass"), json.loads(ends), holders


def holder(passage_id: str, path: Path) -> Holder:
    """A passage of the index, and its file."""
    return Holder(passage_id, os.fspath(path))


@cache
def _powers(factor: int) -> NDArray[np.uint64]:
    import numpy as np

    factors = np.full(_BLOCK + FEWEST_LETTERS, factor, np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


def _hashes(text: str) -> NDArray[np.uint64]:
    """A hash for each window of a text of at most a block; sums of powers modulo 2^64, mixed."""
    import numpy as np

    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(codes * _powers(_FACTOR)[: len(codes)], dtype=np.uint64)))
    windows: NDArray[np.uint64] = (sums[_WINDOW:] - sums[:-_WINDOW]) * _powers(_INVERSE)[: len(codes) - _WINDOW + 1]
    windows ^= windows >> np.uint64(31)
    windows *= np.uint64(_FACTOR)
    windows ^= windows >> np.uint64(29)
    return windows


def _anchors(text: str) -> Iterator[tuple[int, int]]:
    """The anchors of a text: their hashes, as SQLite stores them, and where their windows start."""
    import numpy as np

    for first in range(0, len(text) - FEWEST_LETTERS + 1, _BLOCK):
        hashes = _hashes(text[first : first + _BLOCK + FEWEST_LETTERS - 1])
        smallest = hashes
        width = 1
        while width < _RUN:
            smallest = np.minimum(smallest[:-width], smallest[width:])
            width *= 2
        positions = np.flatnonzero(np.isin(hashes, np.unique(smallest)))
        positions = positions[np.argsort(hashes[positions], kind="stable")]
        chosen = hashes[positions]
        is_kept = np.arange(len(chosen)) - np.searchsorted(chosen, chosen) < _MAX_LIKE_IT
        yield from zip(chosen[is_kept].view(np.int64).tolist(), (positions[is_kept] + first).tolist(), strict=True)
