"""The keys of entities, in an SQLite table: the number of each, and which words they consist of."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from hopweave.retrieval.index.index_folder import damaged

_SCHEMA = """
    CREATE TABLE entities (entity INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
    CREATE TABLE words (word TEXT, entity INTEGER, PRIMARY KEY (word, entity)) WITHOUT ROWID;
"""
_MOST_KNOWN = 1 << 16
_AFTER_A_SPACE = "!"
"""The character after the space: what begins with some words and a space comes before those words and this."""


class EntityKeys:
    """The keys of the entities of an index.

    An entity keeps its number as long as a passage mentions it.

    Args:
        table: the table.
    """

    def __init__(self, table: sqlite3.Connection) -> None:
        self._table = table
        self._known = lru_cache(_MOST_KNOWN)(self._number_of)

    @classmethod
    def reading(cls, path: Path) -> EntityKeys:
        """Opens a table for reading.

        Raises:
            DataError: if it is damaged.
        """
        table = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
        try:
            table.execute("SELECT entity FROM entities LIMIT 1").fetchone()
        except sqlite3.DatabaseError as error:
            table.close()
            raise damaged(path.parent.parent, f"{path.parent.name}/{path.name}", f"cannot be read ({error})") from error
        return cls(table)

    @classmethod
    def writing(cls, path: Path) -> EntityKeys:
        """Opens a table for writing; it is created if missing. Nothing is kept before `keep`."""
        is_new = not path.exists()
        table = sqlite3.connect(path, isolation_level=None)
        # The state is discarded unless it is published completely, so no journal is needed.
        table.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {_SCHEMA if is_new else ''} BEGIN;")
        return cls(table)

    def entity(self, key: str) -> int | None:
        """The number of the entity with a key; `None` if there is none."""
        row = self._table.execute("SELECT entity FROM entities WHERE key = ?", (key,)).fetchone()
        return None if row is None else int(row[0])

    def key(self, entity: int) -> str:
        """The key of an entity that there is."""
        [key] = self._table.execute("SELECT key FROM entities WHERE entity = ?", (entity,)).fetchone()
        return str(key)

    def numbered(self, key: str) -> int:
        """The number of the entity with a key, which is added if it is new."""
        return self._known(key)

    def num_beginning(self, words: str) -> int:
        """How many keys begin with some words."""
        between = (words, f"{words} ", f"{words}{_AFTER_A_SPACE}")
        statement = "SELECT COUNT(*) FROM entities WHERE key = ? OR (key > ? AND key < ?)"
        return int(self._table.execute(statement, between).fetchone()[0])

    def with_word(self, word: str, most: int) -> list[tuple[int, str]]:
        """The entities whose keys contain a word, with these keys; of more, the first by key."""
        statement = "SELECT entity, key FROM words JOIN entities USING (entity) WHERE word = ? ORDER BY key LIMIT ?"
        return self._table.execute(statement, (word, most)).fetchall()

    def remove(self, entities: Iterable[int]) -> None:
        """Removes entities."""
        for entity in map(int, entities):
            for (key,) in self._table.execute("DELETE FROM entities WHERE entity = ? RETURNING key", (entity,)).fetchall():
                words = [(word, entity) for word in set(key.split())]
                self._table.executemany("DELETE FROM words WHERE word = ? AND entity = ?", words)

    def keep(self) -> None:
        """Writes what was changed."""
        self._table.execute("COMMIT")

    def close(self) -> None:
        """Closes the table."""
        self._table.close()

    def _number_of(self, key: str) -> int:
        found = self.entity(key)
        if found is not None:
            return found
        entity = self._table.execute("INSERT INTO entities (key) VALUES (?)", (key,)).lastrowid or 0
        self._table.executemany("INSERT INTO words VALUES (?, ?)", [(word, entity) for word in sorted(set(key.split()))])
        return entity
