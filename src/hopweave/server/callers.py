"""Who asks: keys, what their holders may see, and how much they may ask."""

from __future__ import annotations

import hmac
import json
import logging
import math
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hopweave.files import read_json, write_whole
from hopweave.server.refusals import Refused
from hopweave.server.settings import KeySettings, hash_of

LOCAL = "local"
"""Whoever asks a server without keys."""
USAGE = "usage.json"
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever made a request.

    Attributes:
        name: of the key; `local` where there are no keys.
        access: the access labels that they hold.
        corpora: the names of the corpora that they may search; `None` for all.
        limits: of the key; `None` for none.
    """

    name: str
    access: tuple[str, ...] = ()
    corpora: frozenset[str] | None = None
    limits: KeySettings | None = None

    def may_search(self, corpus: str) -> bool:
        """Whether a corpus is theirs to search."""
        return self.corpora is None or corpus in self.corpora


class Callers:
    """All who may ask.

    Args:
        keys: by name; without any, everyone is the caller `local`.
        access: the labels of that caller.
    """

    def __init__(self, keys: Mapping[str, KeySettings], access: tuple[str, ...] = ()) -> None:
        self._local = Caller(LOCAL, access)
        self._by_hash = {
            key.sha256: Caller(name, key.access, frozenset(key.corpora) if key.corpora is not None else None, key)
            for name, key in keys.items()
        }

    def find(self, authorization: str) -> Caller:
        """The caller of a request, by its header `Authorization: Bearer KEY`.

        Raises:
            Refused: without a key that is known.
        """
        if not self._by_hash:
            return self._local
        scheme, _, key = authorization.partition(" ")
        given = hash_of(key.strip())
        found = None
        for known, caller in self._by_hash.items():  # all of them, so that the time says nothing about which one came near
            if hmac.compare_digest(known, given):
                found = caller
        if scheme.lower() != "bearer" or found is None:
            said = "the API key is not known" if authorization else "an API key is needed, as Authorization: Bearer KEY"
            raise Refused(401, "invalid_api_key", said, headers={"WWW-Authenticate": "Bearer"})
        return found


@dataclass
class _Used:
    """What a caller used on a day, and what is left of the minute's requests."""

    day: str
    questions: int = 0
    tokens: int = 0
    requests_left: float = math.inf
    asked_at: float = field(default_factory=time.monotonic)


class Allowance:
    """Counts what callers use, and refuses what is beyond their limits. Daily counts outlive the server.

    Args:
        folder: the counts of a caller lie in a folder of theirs in it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._used: dict[str, _Used] = {}

    def request(self, caller: Caller) -> None:
        """Counts a request.

        Raises:
            Refused: if the minute's requests are spent, with the seconds until there is one again.
        """
        if caller.limits is None:
            return
        most = caller.limits.requests_per_minute
        used, now = self._of(caller), time.monotonic()
        refilled = used.requests_left + (now - used.asked_at) * most / 60
        used.requests_left, used.asked_at = min(float(most), refilled), now
        if used.requests_left < 1:
            raise _too_many("rate_limit", f"more than {most} requests a minute", (1 - used.requests_left) * 60 / most)
        used.requests_left -= 1

    def question(self, caller: Caller) -> None:
        """Counts a question before it is asked.

        Raises:
            Refused: if the day's budget is spent, with the seconds until the next day.
        """
        if caller.limits is None:
            return
        used = self._of(caller)
        for name, limit, spent in _daily(caller.limits, used):
            if spent >= limit:
                raise _too_many("daily_budget", f"the day's {limit:,} {name} are spent", _seconds_to_midnight())
        used.questions += 1
        self._keep(caller, used)

    def spent(self, caller: Caller, tokens: int) -> None:
        """Counts the tokens of a question that ended."""
        if caller.limits is not None:
            used = self._of(caller)
            used.tokens += tokens
            self._keep(caller, used)

    def _of(self, caller: Caller) -> _Used:
        today = _today()
        used = self._used.get(caller.name)
        if used is None:
            used = self._used[caller.name] = self._read(caller, today)
        if used.day != today:
            used.day, used.questions, used.tokens = today, 0, 0
        return used

    def _read(self, caller: Caller, today: str) -> _Used:
        with suppress(OSError, ValueError, KeyError, TypeError):
            kept = read_json((self._folder / caller.name / USAGE).read_bytes())
            return _Used(str(kept["day"]), int(kept["questions"]), int(kept["tokens"]))
        return _Used(today)

    def _keep(self, caller: Caller, used: _Used) -> None:
        kept = {"day": used.day, "questions": used.questions, "tokens": used.tokens}
        try:
            (self._folder / caller.name).mkdir(parents=True, exist_ok=True)
            write_whole(self._folder / caller.name / USAGE, json.dumps(kept))
        except OSError as error:
            _LOG.warning("the daily counts of %s cannot be kept: %s", caller.name, error.strerror)


def _daily(limits: KeySettings, used: _Used) -> Iterator[tuple[str, int, int]]:
    if limits.questions_per_day is not None:
        yield "questions", limits.questions_per_day, used.questions
    if limits.tokens_per_day is not None:
        yield "tokens", limits.tokens_per_day, used.tokens


def _too_many(code: str, why: str, seconds: float) -> Refused:
    wait = max(1, math.ceil(seconds))
    return Refused(429, code, f"{why}; ask again in {wait} s", headers={"Retry-After": str(wait)})


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _seconds_to_midnight() -> float:
    now = datetime.now(UTC)
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight - now).total_seconds()
