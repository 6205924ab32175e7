"""What runs in a worker process: it opens retrievers and answers queries, as it is asked.

Hits travel as tuples of plain values, which cost the process that reads them a fraction of what objects would.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from hopweave.core.child_process import asked
from hopweave.core.errors import HopweaveError, SearchError
from hopweave.core.indexing import Elsewhere
from hopweave.core.protocols import Retriever
from hopweave.core.retries import boundary
from hopweave.core.types import Hit, Passage, Via

_passage_values = attrgetter(*(one.name for one in fields(Passage)))
_via_values = attrgetter(*(one.name for one in fields(Via)))
Row = tuple[tuple[Any, ...], float, int, tuple[Any, ...] | None]


@dataclass(frozen=True, slots=True)
class Open:
    """Open an engine under a number; the reply is why that failed, or an empty text.

    Attributes:
        number: of the engine.
        elsewhere: how to open it (`Elsewhere`), pickled.
        folder: the working directory, from which the paths in it are taken.
    """

    number: int
    elsewhere: bytes
    folder: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Search with an engine; there is one reply for each query, in order: its hits, or a `Failed`."""

    number: int
    queries: tuple[str, ...]
    max_hits: int


@dataclass(frozen=True, slots=True)
class Close:
    """Close an engine; there is no reply."""

    number: int


@dataclass(frozen=True, slots=True)
class Failed:
    """An error of a search, taken apart, since not every error can be pickled."""

    kind: type[HopweaveError]
    text: str
    values: dict[str, Any]

    def error(self) -> HopweaveError:
        """The error."""
        error = self.kind.__new__(self.kind, self.text)
        error.__dict__.update(self.values)
        return error


def hits_of(rows: Sequence[Row]) -> list[Hit]:
    """The hits of a reply."""
    return [Hit(Passage(*passage), score, rank, Via(*via) if via is not None else None) for passage, score, rank, via in rows]


def main() -> None:
    """Answers until the process that asks ends."""
    messages, reply = asked()
    engines: dict[int, Retriever] = {}
    with suppress(BrokenPipeError):
        for message in messages:
            for one in _replies(engines, message):
                reply(one)


def _replies(engines: dict[int, Retriever], message: Open | Ask | Close) -> Iterator[object]:
    match message:
        case Open():
            yield _opened(engines, message)
        case Ask():
            for query in message.queries:
                yield _found(engines[message.number], query, message.max_hits)
        case Close():
            engines.pop(message.number).close()


def _opened(engines: dict[int, Retriever], message: Open) -> str:
    try:
        os.chdir(message.folder)
        elsewhere: Elsewhere = pickle.loads(message.elsewhere)  # noqa: S301 - as above
        engines[message.number] = elsewhere.opened()
    except Exception as error:  # noqa: BLE001 - whatever it is, the process that asks then searches itself
        return f"{type(error).__name__}: {error}"
    return ""


def _found(engine: Retriever, query: str, max_hits: int) -> list[Row] | Failed:
    try:
        with boundary(SearchError):
            [hits] = engine.search([query], max_hits)
            return [_row(hit) for hit in hits]
    except HopweaveError as error:
        return Failed(type(error), str(error), vars(error))


def _row(hit: Hit) -> Row:
    via = _via_values(hit.via) if hit.via is not None else None
    return _passage_values(hit.passage), hit.score, hit.rank, via
