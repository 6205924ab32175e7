"""What an engine on a server has to be able to do; `_server_engine` does the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from hopweave.core.visibility import Condition
from hopweave.retrieval.servers.server_rows import Found, Row, State

STATES = "hopweave_collections"
"""Where an engine keeps the states of its collections."""

Shown = Sequence[Condition]
"""What rows have to meet so that they are found; nothing, where all are shown."""


class Server(Protocol):
    """One connection to an engine. Its methods raise what the engine's library raises."""

    def state(self, collection: str) -> str | None:
        """The state of a collection; `None` if there is none."""

    def put_state(self, collection: str, state: str) -> None:
        """Stores the state of a collection."""

    def create(self, state: State, *, exact: bool) -> None:
        """Makes an empty data set, in place of one of that name."""

    def put(self, state: State, rows: Sequence[Row]) -> None:
        """Stores rows; the same ones may come again."""

    def held(self, state: State, keys: Sequence[str], documents: Sequence[str]) -> list[str]:
        """Contents of the rows that have one of the keys, or are of one of the documents.

        In a state that is not ready, as it is being updated, those that were written just now count, too.
        """

    def remove(self, state: State, keys: Sequence[str]) -> None:
        """Deletes rows."""

    def finish(self, state: State) -> int:
        """Makes all that was written visible to searches; returns the number of rows."""

    def drop(self, state: State) -> None:
        """Deletes a data set."""

    def between(self, state: State, first: str, end: str) -> list[str]:
        """Contents of the rows whose keys are at least the one and below the other; keys are evenly spread."""

    def by_terms(
        self, state: State, queries: Sequence[Counter[str]], max_hits: int, title_weight: float, shown: Shown
    ) -> list[Found]:
        """The best rows for the terms of each query, of those alone that meet all conditions. None of the queries is empty."""

    def by_vectors(
        self, state: State, vectors: Sequence[Sequence[float]], max_hits: int, shown: Shown, *, exact: bool
    ) -> list[Found]:
        """The rows whose vectors have the highest cosine with each vector, of those alone that meet all conditions."""

    def close(self) -> None:
        """Ends the connection."""
