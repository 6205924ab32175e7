"""The filters of passages, in an SQLite table next to them: the labels and metadata of each number."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hopweave.core.errors import DataError
from hopweave.core.indexing import how_to_rebuild
from hopweave.core.types import Passage
from hopweave.core.visibility import ACCESS, Visible, filter_values

TABLE = """
    CREATE TABLE IF NOT EXISTS filters (
        field TEXT, value TEXT, number INTEGER, PRIMARY KEY (field, value, number)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS filters_of ON filters (number);
"""
"""Creates the table if missing; an index of an earlier version has none, so all its passages are for everyone."""


def note(table: sqlite3.Connection, number: int, passage: Passage) -> None:
    """Notes the filters of a passage; one that is for everyone has no entry for labels.

    Raises:
        DataError: for invalid labels or metadata.
    """
    values = filter_values(passage)
    values[ACCESS] = passage.access
    rows = [(field, value, number) for field, several in values.items() for value in several]
    table.executemany("INSERT INTO filters VALUES (?, ?, ?)", rows)


def forget(table: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Removes passages."""
    table.executemany("DELETE FROM filters WHERE number = ?", [(number,) for number in numbers])


def has_labels(table: sqlite3.Connection) -> bool:
    """Whether a passage has access labels."""
    return table.execute("SELECT 1 FROM filters WHERE field = ? LIMIT 1", (ACCESS,)).fetchone() is not None


def shown_rows(
    table: sqlite3.Connection, numbers: NDArray[np.int64], visible: Visible, folder: Path
) -> NDArray[np.int64] | None:
    """The places, among numbers in ascending order, of the passages that are shown; `None` if all are.

    Raises:
        DataError: if metadata are queried in an index built before metadata were stored.
    """
    if not table.execute("SELECT 1 FROM sqlite_master WHERE name = 'filters'").fetchone():
        if visible.where:
            raise DataError(
                f"index {folder} was built before there were metadata and access labels, so they cannot be queried; "
                f"{how_to_rebuild(folder)}"
            )
        return None
    labelled = _numbers(table, "SELECT DISTINCT number FROM filters WHERE field = ?", ACCESS)
    conditions = visible.conditions(len(labelled))
    if not conditions:
        return None
    is_shown = np.ones(len(numbers), dtype=bool)
    for field, values in conditions:
        marks = ",".join("?" * len(values))
        held = _numbers(table, f"SELECT number FROM filters WHERE field = ? AND value IN ({marks})", field, *values)  # noqa: S608
        has_value = np.isin(numbers, held)
        is_shown &= has_value | ~np.isin(numbers, labelled) if field == ACCESS else has_value
    return np.flatnonzero(is_shown)


def _numbers(table: sqlite3.Connection, statement: str, *values: str) -> NDArray[np.int64]:
    return np.fromiter((number for (number,) in table.execute(statement, values)), dtype=np.int64)
