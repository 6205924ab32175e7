"""Counts what each key has used of its daily budget: in a folder, for one machine, or in a database that servers share.

Days are in UTC; with a database they follow its clock, so that all servers start a day at the same moment.

The cost of a question is known only when it has ended, so tokens are reserved for it when it starts: otherwise concurrent
questions would all find the budget unspent. A reservation that is never settled, because its process died, expires.
"""

from __future__ import annotations

import json
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from hopweave.core.files import lock, read_json, read_whole, write_whole
from hopweave.core.postgres_connection import Database, is_address

USAGE = "usage.json"
LOCK = "usage.lock"
_LOG = logging.getLogger(__name__)
_NAME = "daily_counts"
_LAYOUT = 2
_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS hopweave_daily_counts (
        name text COLLATE "C" PRIMARY KEY, day date NOT NULL, questions bigint NOT NULL, tokens bigint NOT NULL
    )
    """,
    # By id: the tokens, and until when they are reserved, in seconds since 1970. They are part of the row because a statement
    # that waited for the row sees its newest version, but sees other tables as they were when it started.
    "ALTER TABLE hopweave_daily_counts ADD COLUMN IF NOT EXISTS reserved jsonb NOT NULL DEFAULT '{}'",
)
_RESERVED = """
    (SELECT coalesce(sum((held.value->>0)::bigint), 0) FROM jsonb_each(used.reserved) AS held
        WHERE (held.value->>1)::float8 > extract(epoch FROM now()))
"""
# A statement that waited for another one past midnight carries the previous day, which must not be started again.
_TAKE = f"""
    INSERT INTO hopweave_daily_counts AS used (name, day, questions, tokens, reserved)
    SELECT %(name)s, (now() AT TIME ZONE 'UTC')::date, 1, 0, CASE WHEN %(id)s::text = '' THEN '{{}}'::jsonb ELSE
        jsonb_build_object(%(id)s, jsonb_build_array(%(reserve)s::bigint, extract(epoch FROM now()) + %(seconds)s::float8)) END
    WHERE (%(questions)s::bigint IS NULL OR %(questions)s > 0) AND (%(tokens)s::bigint IS NULL OR %(tokens)s > 0)
    ON CONFLICT (name) DO UPDATE SET day = greatest(used.day, excluded.day),
        questions = CASE WHEN excluded.day > used.day THEN 1 ELSE used.questions + 1 END,
        tokens = CASE WHEN excluded.day > used.day THEN 0 ELSE used.tokens END,
        reserved = excluded.reserved || (SELECT coalesce(jsonb_object_agg(held.key, held.value), '{{}}')
            FROM jsonb_each(used.reserved) AS held WHERE (held.value->>1)::float8 > extract(epoch FROM now()))
    WHERE (excluded.day > used.day OR %(questions)s::bigint IS NULL OR used.questions < %(questions)s)
        AND (%(tokens)s::bigint IS NULL
            OR CASE WHEN excluded.day > used.day THEN 0 ELSE used.tokens END + {_RESERVED} < %(tokens)s)
    RETURNING 1
"""  # noqa: S608 - a part of the statement, not a value
_ADD = """
    INSERT INTO hopweave_daily_counts AS used (name, day, questions, tokens)
    VALUES (%(name)s, (now() AT TIME ZONE 'UTC')::date, 0, %(tokens)s)
    ON CONFLICT (name) DO UPDATE SET day = greatest(used.day, excluded.day),
        questions = CASE WHEN excluded.day > used.day THEN 0 ELSE used.questions END,
        tokens = CASE WHEN excluded.day > used.day THEN 0 ELSE used.tokens END + excluded.tokens,
        reserved = used.reserved - %(id)s::text
"""
_READ = f"SELECT questions, tokens, {_RESERVED} FROM hopweave_daily_counts AS used WHERE name = %s"  # noqa: S608 - as above


class Daily(NamedTuple):
    """The limits for a day; `None` means no limit."""

    questions: int | None = None
    tokens: int | None = None


class Spent(NamedTuple):
    """A limit of a daily budget that is used up: its name in `Daily`, and its value.

    Attributes:
        is_reserved: whether it is not spent yet, but running questions have reserved the rest of it.
    """

    name: str
    most: int
    is_reserved: bool = False


class Reservation(NamedTuple):
    """Tokens that are reserved for a question while it runs.

    Attributes:
        id: a unique id.
        tokens: an estimate of what it will use.
        seconds: how long the reservation lasts if it is not settled.
    """

    id: str
    tokens: int
    seconds: float


_NOTHING = Reservation("", 0, 0.0)


class DailyCounts(ABC):
    """The usage of today, by the name of the key."""

    @abstractmethod
    def take(self, name: str, budget: Daily, reservation: Reservation | None = None) -> Spent | None:
        """Counts a question, unless a limit is spent or reserved: then returns that limit.

        A question whose reservation exceeds the rest of the budget is let through; otherwise the last tokens could never be
        used.

        Raises:
            DataError: if it cannot be counted.
        """

    @abstractmethod
    def add(self, name: str, tokens: int, reservation: Reservation | None = None) -> None:
        """Counts the tokens of a question that ended, and releases its reservation. Errors as in `take`."""

    @abstractmethod
    def check(self) -> None:
        """Makes sure that counts can be stored. Errors as in `take`."""

    @abstractmethod
    def close(self) -> None:
        """Closes whatever is open."""


@dataclass
class _Used:
    """A key's usage on a day, and its reservations by id: the tokens, and until when, in seconds since 1970."""

    day: str
    questions: int = 0
    tokens: int = 0
    reserved: dict[str, tuple[int, float]] = field(default_factory=dict)


class FolderCounts(DailyCounts):
    """A file for each key, in a folder named after it; processes of one machine may share the folder.

    Args:
        folder: the parent folder; it is created when needed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._unkept: dict[str, _Used] = {}
        """Counts that could not be written, and so are known only to this process."""
        self._lock = Lock()

    def take(self, name: str, budget: Daily, reservation: Reservation | None = None) -> Spent | None:
        with self._alone(name):
            used = self._of(name)
            reserved = sum(tokens for tokens, _ in used.reserved.values())
            spent = next(_spent(budget, used.questions, used.tokens, reserved), None)
            if spent is None:
                used.questions += 1
                if reservation is not None:
                    used.reserved[reservation.id] = (reservation.tokens, time.time() + reservation.seconds)
                self._keep(name, used)
            return spent

    def add(self, name: str, tokens: int, reservation: Reservation | None = None) -> None:
        with self._alone(name):
            used = self._of(name)
            used.tokens += tokens
            if reservation is not None:
                used.reserved.pop(reservation.id, None)
            self._keep(name, used)

    def check(self) -> None:
        """Does nothing: the first count creates the folder; if that fails, it is logged, and counts are kept in memory."""

    def close(self) -> None:
        """Does nothing: no file stays open."""

    @contextmanager
    def _alone(self, name: str) -> Iterator[None]:
        """Keeps other threads and processes away from the counts of a key, or only threads if files cannot be locked."""
        with self._lock:
            try:
                (self._folder / name).mkdir(parents=True, exist_ok=True)
                held = lock(self._folder / name / LOCK, wait=True)
            except OSError as error:
                _warn(name, error)
                yield
                return
            with held:
                yield

    def _of(self, name: str) -> _Used:
        today, now = _today(), time.time()
        used = self._unkept.get(name) or self._read(name, today)
        if used.day != today:
            used.day, used.questions, used.tokens = today, 0, 0
        used.reserved = {key: held for key, held in used.reserved.items() if held[1] > now}
        return used

    def _read(self, name: str, today: str) -> _Used:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            kept = read_json(read_whole(self._folder / name / USAGE))
            reserved = {str(key): (int(tokens), float(until)) for key, (tokens, until) in kept.get("reserved", {}).items()}
            return _Used(str(kept["day"]), int(kept["questions"]), int(kept["tokens"]), reserved)
        return _Used(today)

    def _keep(self, name: str, used: _Used) -> None:
        try:
            write_whole(self._folder / name / USAGE, json.dumps(asdict(used)))
            self._unkept.pop(name, None)
        except OSError as error:
            self._unkept[name] = used
            _warn(name, error)


class PostgresCounts(DailyCounts):
    """A table of counts. Each is changed by a single statement, so servers that share it never exceed the budget.

    If the connection is lost meanwhile, a statement may run twice, and then counts twice.

    Args:
        address: see `hopweave.core.postgres_connection`.

    Raises:
        SettingsError: for an invalid address, or one with a password.
        MissingExtra: without psycopg.
    """

    def __init__(self, address: str) -> None:
        self._database = Database(address, "the daily counts at")

    def take(self, name: str, budget: Daily, reservation: Reservation | None = None) -> Spent | None:
        kept = reservation or _NOTHING
        values = {"name": name, "questions": budget.questions, "tokens": budget.tokens}
        if self._made().run(_TAKE, {**values, "id": kept.id, "reserve": kept.tokens, "seconds": kept.seconds}):
            return None
        rows = self._made().run(_READ, [name]) or [(0, 0, 0)]
        # By now it may be another day, or a question may have ended; this one was refused all the same.
        usual = (
            Spent("questions", budget.questions or 0)
            if budget.tokens is None
            else Spent("tokens", budget.tokens, is_reserved=True)
        )
        return next(_spent(budget, *map(int, rows[0])), usual)

    def add(self, name: str, tokens: int, reservation: Reservation | None = None) -> None:
        self._made().run(_ADD, {"name": name, "tokens": tokens, "id": (reservation or _NOTHING).id})

    def check(self) -> None:
        self._made()

    def close(self) -> None:
        self._database.close()

    def _made(self) -> Database:
        return self._database.with_tables(_NAME, _LAYOUT, _TABLES)


def open_counts(places: tuple[Path | str, ...], folder: Path) -> DailyCounts:
    """The counts in the first of some places that is a database; in a folder if none is. Errors as in the classes above."""
    databases = [str(place) for place in places if is_address(place)]
    return PostgresCounts(databases[0]) if databases else FolderCounts(folder)


def _spent(budget: Daily, questions: int, tokens: int, reserved: int) -> Iterator[Spent]:
    if budget.questions is not None and questions >= budget.questions:
        yield Spent("questions", budget.questions)
    if budget.tokens is not None and tokens + reserved >= budget.tokens:
        yield Spent("tokens", budget.tokens, is_reserved=tokens < budget.tokens)


def _warn(name: str, error: OSError) -> None:
    _LOG.warning("the daily counts of %s cannot be kept: %s", name, error.strerror)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
