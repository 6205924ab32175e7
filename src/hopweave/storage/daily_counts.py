"""What each key has used of its daily budget: in a folder, for one server, or in a database that several servers share.

A day is one of UTC; in a database it is that of the database's clock, so that all servers begin it at the same moment.
"""

from __future__ import annotations

import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from hopweave.files import read_json, read_whole, write_whole
from hopweave.storage.postgres import Database, is_address

USAGE = "usage.json"
_LOG = logging.getLogger(__name__)
_NAME = "daily_counts"
_LAYOUT = 1
_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS hopweave_daily_counts (
        name text COLLATE "C" PRIMARY KEY, day date NOT NULL, questions bigint NOT NULL, tokens bigint NOT NULL
    )
    """,
)
# A statement that waited for another one over midnight comes with the day before, which must not begin anew.
_TAKE = """
    INSERT INTO hopweave_daily_counts AS used (name, day, questions, tokens)
    SELECT %(name)s, (now() AT TIME ZONE 'UTC')::date, 1, 0
    WHERE (%(questions)s::bigint IS NULL OR %(questions)s > 0) AND (%(tokens)s::bigint IS NULL OR %(tokens)s > 0)
    ON CONFLICT (name) DO UPDATE SET day = greatest(used.day, excluded.day),
        questions = CASE WHEN excluded.day > used.day THEN 1 ELSE used.questions + 1 END,
        tokens = CASE WHEN excluded.day > used.day THEN 0 ELSE used.tokens END
    WHERE excluded.day > used.day
        OR ((%(questions)s::bigint IS NULL OR used.questions < %(questions)s)
            AND (%(tokens)s::bigint IS NULL OR used.tokens < %(tokens)s))
    RETURNING 1
"""
_ADD = """
    INSERT INTO hopweave_daily_counts AS used (name, day, questions, tokens)
    VALUES (%(name)s, (now() AT TIME ZONE 'UTC')::date, 0, %(tokens)s)
    ON CONFLICT (name) DO UPDATE SET day = greatest(used.day, excluded.day),
        questions = CASE WHEN excluded.day > used.day THEN 0 ELSE used.questions END,
        tokens = CASE WHEN excluded.day > used.day THEN 0 ELSE used.tokens END + excluded.tokens
"""


class Daily(NamedTuple):
    """What may be used in a day; `None`: as much as one likes."""

    questions: int | None = None
    tokens: int | None = None


class Spent(NamedTuple):
    """A part of a daily budget that is spent: its name in `Daily`, and how much it was."""

    name: str
    most: int


class DailyCounts(ABC):
    """What has been used today, by the name of the key."""

    @abstractmethod
    def take(self, name: str, budget: Daily) -> Spent | None:
        """Counts a question, unless the budget is spent: then what of it is.

        Raises:
            DataError: if it cannot be counted.
        """

    @abstractmethod
    def add(self, name: str, tokens: int) -> None:
        """Counts the tokens of a question that ended. Errors as `take`."""

    @abstractmethod
    def check(self) -> None:
        """Makes sure that there is a place for the counts. Errors as `take`."""

    @abstractmethod
    def close(self) -> None:
        """Lets go of what is open."""


@dataclass
class _Used:
    """What a key used on a day."""

    day: str
    questions: int = 0
    tokens: int = 0


class FolderCounts(DailyCounts):
    """A file for each key, in a folder of its name. It is for one server: others do not see what this one counts.

    Args:
        folder: made when it is needed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._used: dict[str, _Used] = {}
        self._lock = Lock()

    def take(self, name: str, budget: Daily) -> Spent | None:
        with self._lock:
            used = self._of(name)
            spent = next(_spent(budget, used.questions, used.tokens), None)
            if spent is None:
                used.questions += 1
                self._keep(name, used)
            return spent

    def add(self, name: str, tokens: int) -> None:
        with self._lock:
            used = self._of(name)
            used.tokens += tokens
            self._keep(name, used)

    def check(self) -> None:
        """The folder is made with the first count; where it cannot be, that is logged, and the server counts without it."""

    def close(self) -> None:
        """There is nothing open."""

    def _of(self, name: str) -> _Used:
        today = _today()
        used = self._used.get(name)
        if used is None:
            used = self._used[name] = self._read(name, today)
        if used.day != today:
            used.day, used.questions, used.tokens = today, 0, 0
        return used

    def _read(self, name: str, today: str) -> _Used:
        with suppress(OSError, ValueError, KeyError, TypeError):
            kept = read_json(read_whole(self._folder / name / USAGE))
            return _Used(str(kept["day"]), int(kept["questions"]), int(kept["tokens"]))
        return _Used(today)

    def _keep(self, name: str, used: _Used) -> None:
        kept = {"day": used.day, "questions": used.questions, "tokens": used.tokens}
        try:
            (self._folder / name).mkdir(parents=True, exist_ok=True)
            write_whole(self._folder / name / USAGE, json.dumps(kept))
        except OSError as error:
            _LOG.warning("the daily counts of %s cannot be kept: %s", name, error.strerror)


class PostgresCounts(DailyCounts):
    """A table of counts. Each is changed by one statement, so servers that share it let no more through than the budget.

    When the connection is lost on the way, a statement may be run twice, and what it counts is then counted twice.

    Args:
        address: see `hopweave.storage.postgres`.

    Raises:
        SettingsError: for an address that cannot be, or holds a password.
        MissingExtra: without psycopg.
    """

    def __init__(self, address: str) -> None:
        self._database = Database(address, "the daily counts at")

    def take(self, name: str, budget: Daily) -> Spent | None:
        if self._made().run(_TAKE, {"name": name, "questions": budget.questions, "tokens": budget.tokens}):
            return None
        rows = self._made().run("SELECT questions, tokens FROM hopweave_daily_counts WHERE name = %s", [name]) or [(0, 0)]
        # Should it be another day by now, the question was refused all the same.
        return next(_spent(budget, *map(int, rows[0])), Spent("questions", budget.questions or 0))

    def add(self, name: str, tokens: int) -> None:
        self._made().run(_ADD, {"name": name, "tokens": tokens})

    def check(self) -> None:
        self._made()

    def close(self) -> None:
        self._database.close()

    def _made(self) -> Database:
        return self._database.with_tables(_NAME, _LAYOUT, _TABLES)


def open_counts(places: tuple[Path | str, ...], folder: Path) -> DailyCounts:
    """The counts in the first of some places that is a database; in a folder if none is. Errors as the kinds of counts."""
    databases = [str(place) for place in places if is_address(place)]
    return PostgresCounts(databases[0]) if databases else FolderCounts(folder)


def _spent(budget: Daily, questions: int, tokens: int) -> Iterator[Spent]:
    if budget.questions is not None and questions >= budget.questions:
        yield Spent("questions", budget.questions)
    if budget.tokens is not None and tokens >= budget.tokens:
        yield Spent("tokens", budget.tokens)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
