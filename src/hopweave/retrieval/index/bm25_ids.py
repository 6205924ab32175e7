"""Tracks the ids that were added, replaced and deleted in one write of an index."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from hopweave.core.types import Passage
from hopweave.ingest.reasons import TakenId


class Ids:
    """The ids of one write, in a temporary table, so that memory use stays constant."""

    def __init__(self, path: Path) -> None:
        self._table = sqlite3.connect(path, isolation_level=None)
        self._table.executescript(
            """
            PRAGMA journal_mode = OFF;
            PRAGMA synchronous = OFF;
            CREATE TABLE added (id TEXT PRIMARY KEY, position INTEGER, source TEXT) WITHOUT ROWID;
            CREATE TABLE documents (id TEXT PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE deleted (number INTEGER PRIMARY KEY);
            BEGIN;
            """
        )

    def add(self, passage: Passage, position: int) -> None:
        """Notes an id.

        Raises:
            DataError: if it was noted before; names both places.
        """
        try:
            self._table.execute("INSERT INTO added VALUES (?, ?, ?)", (passage.id, position, passage.source))
        except sqlite3.IntegrityError:
            (first,) = self._table.execute("SELECT position, source FROM added WHERE id = ?", (passage.id,))
            places = " and ".join(
                f"passage {number} ({source or 'no source'})" for number, source in (first, (position, passage.source))
            )
            raise TakenId(f"the id {passage.id!r} occurs twice, as {places}; make the ids unique") from None

    def is_new_document(self, document_id: str) -> bool:
        """Notes a document that is being replaced; returns whether it is the first time."""
        return self._note("INSERT OR IGNORE INTO documents VALUES (?)", document_id)

    def is_new_deletion(self, number: int) -> bool:
        """Notes a deleted passage, by its number; returns whether it is the first time."""
        return self._note("INSERT OR IGNORE INTO deleted VALUES (?)", number)

    def close(self) -> None:
        """Closes the table."""
        self._table.close()

    def _note(self, statement: str, value: str | int) -> bool:
        return self._table.execute(statement, (value,)).rowcount == 1
