"""The operations that an engine on a server must provide; `server_engine` does the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from hopweave.core.visibility import Condition
from hopweave.retrieval.servers.server_rows import Found, Row, State

STATES = "hopweave_collections"
"""Where an engine keeps the states of its collections."""

Shown = Sequence[Condition]
"""The conditions that rows must meet to be found; empty if all may be shown."""


class Server(Protocol):
    """One connection to an engine. Its methods raise the exceptions of the engine's library."""

    def state(self, collection: str) -> str | None:
        """The state of a collection; `None` if there is none."""

    def put_state(self, collection: str, state: str) -> None:
        """Stores the state of a collection."""

    def create(self, state: State, *, exact: bool) -> None:
        """Creates an empty data set, replacing any with that name."""

    def put(self, state: State, rows: Sequence[Row]) -> None:
        """Stores rows; the same rows may be stored again."""

    def held(self, state: State, keys: Sequence[str], documents: Sequence[str]) -> list[str]:
        """The contents of the rows with one of the keys, or from one of the documents.

        In a state that is not ready because it is being updated, this includes rows that were just written.
        """

    def remove(self, state: State, keys: Sequence[str]) -> None:
        """Deletes rows."""

    def finish(self, state: State) -> int:
        """Makes everything that was written visible to searches; returns the number of rows."""

    def drop(self, state: State) -> None:
        """Deletes a data set."""

    def between(self, state: State, first: str, end: str) -> list[str]:
        """The contents of the rows with keys in a half-open range; keys are evenly distributed."""

    def by_terms(
        self, state: State, queries: Sequence[Counter[str]], max_hits: int, title_weight: float, shown: Shown
    ) -> list[Found]:
        """The best rows for the terms of each query, among those that meet all conditions. None of the queries is empty."""

    def by_vectors(
        self, state: State, vectors: Sequence[Sequence[float]], max_hits: int, shown: Shown, *, exact: bool
    ) -> list[Found]:
        """The rows whose vectors have the highest cosine with each vector, among those that meet all conditions."""

    def close(self) -> None:
        """Closes the connection."""
