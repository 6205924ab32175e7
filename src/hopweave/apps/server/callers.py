"""Callers: keys, what their holders may see, and how much they may ask."""

from __future__ import annotations

import hmac
import logging
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from secrets import token_hex

from hopweave.apps.server.daily_counts import Daily, DailyCounts, Reservation
from hopweave.apps.server.refusals import Refused
from hopweave.apps.server.server_settings import KeySettings, hash_of
from hopweave.core.errors import DataError
from hopweave.record import Event, ModelCall

LOCAL = "local"
"""The name of every caller of a server without keys."""
_LATE_SECONDS = 60.0
"""If tokens are never settled, they stay reserved this much longer than a question may take."""
_RETRY_SECONDS = 5.0
"""When to ask again if the budget is reserved: running questions end all the time."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request.

    Attributes:
        name: of the key; `local` where there are no keys.
        access: the access labels that they hold.
        corpora: the names of the corpora that they may search; `None` for all.
        limits: of the key; `None` for none.
        is_operator: whether it is the operator of the server, who is its only user then.
    """

    name: str
    access: tuple[str, ...] = ()
    corpora: frozenset[str] | None = None
    limits: KeySettings | None = None
    is_operator: bool = False

    def may_search(self, corpus: str) -> bool:
        """Whether they may search a corpus."""
        return self.corpora is None or corpus in self.corpora


class Callers:
    """All callers.

    Args:
        keys: by name; without any, everyone is the caller `local`.
        access: the labels of that caller.
        is_private: whether that caller is the operator.
    """

    def __init__(self, keys: Mapping[str, KeySettings], access: tuple[str, ...] = (), *, is_private: bool = False) -> None:
        self._local = Caller(LOCAL, access, is_operator=is_private)
        self._by_hash = {
            key.sha256: Caller(name, key.access, frozenset(key.corpora) if key.corpora is not None else None, key)
            for name, key in keys.items()
        }

    def find(self, authorization: str) -> Caller:
        """The caller of a request, by its header `Authorization: Bearer KEY`.

        Raises:
            Refused: without a known key.
        """
        if not self._by_hash:
            return self._local
        scheme, _, key = authorization.partition(" ")
        given = hash_of(key.strip())
        found = None
        for known, caller in self._by_hash.items():  # all of them, so that the time does not reveal a near match
            if hmac.compare_digest(known, given):
                found = caller
        if scheme.lower() != "bearer" or found is None:
            said = "the API key is not known" if authorization else "an API key is needed, as Authorization: Bearer KEY"
            raise Refused(401, "invalid_api_key", said, headers={"WWW-Authenticate": "Bearer"})
        return found


@dataclass
class _Minute:
    """What is left of a caller's requests of the minute."""

    requests_left: float = math.inf
    asked_at: float = field(default_factory=time.monotonic)


class Spending:
    """Observes a question, and sums the tokens of its calls: one that is cut off leaves no record to count.

    Attributes:
        tokens: prompt and completion tokens so far.
        largest_call: those of the call that took the most.
    """

    def __init__(self) -> None:
        self.tokens = self.largest_call = 0

    def __call__(self, event: Event) -> None:
        """Counts a call of the model."""
        if isinstance(event, ModelCall):
            tokens = event.usage.prompt_tokens + event.usage.completion_tokens
            self.tokens += tokens
            self.largest_call = max(self.largest_call, tokens)


class Allowance:
    """Counts what callers use, and refuses what is beyond their limits.

    Args:
        counts: of the day, which survive a restart. Requests per minute are counted in memory only.
    """

    def __init__(self, counts: DailyCounts) -> None:
        self._counts = counts
        self._minutes: dict[str, _Minute] = {}

    def request(self, caller: Caller) -> None:
        """Counts a request.

        Raises:
            Refused: if the minute's requests are spent, with the seconds until there is one again.
        """
        if caller.limits is None:
            return
        most = caller.limits.requests_per_minute
        used, now = self._minutes.setdefault(caller.name, _Minute()), time.monotonic()
        refilled = used.requests_left + (now - used.asked_at) * most / 60
        used.requests_left, used.asked_at = min(float(most), refilled), now
        if used.requests_left < 1:
            raise _too_many("rate_limit", f"more than {most} requests a minute", (1 - used.requests_left) * 60 / most)
        used.requests_left -= 1

    def question(self, caller: Caller, tokens: int, *, max_seconds: float = 300.0) -> Reservation | None:
        """Counts a question before it is asked, and reserves tokens for it. It may wait for a database.

        Args:
            caller: who asks.
            tokens: that the question is expected to use; see `Estimates`.
            max_seconds: the limit of the question.

        Returns:
            What was reserved, which `spent` settles; nothing for callers without a budget of tokens.

        Raises:
            Refused: if the day's budget is spent, with the seconds until the next day; or if running questions have reserved
                the rest of it.
            DataError: if it cannot be counted.
        """
        if caller.limits is None:
            return None
        budget = Daily(caller.limits.questions_per_day, caller.limits.tokens_per_day)
        reservation = None
        if budget.tokens is not None:
            reservation = Reservation(token_hex(8), tokens, max_seconds + _LATE_SECONDS)
        spent = self._counts.take(caller.name, budget, reservation)
        if spent is None:
            return reservation
        if spent.is_reserved:
            why = f"running questions have reserved the rest of the day's {spent.most:,} {spent.name}"
            raise _too_many("daily_budget_reserved", why, _RETRY_SECONDS)
        raise _too_many("daily_budget", f"the day's {spent.most:,} {spent.name} are spent", _seconds_to_midnight())

    def spent(self, caller: Caller, tokens: int, reservation: Reservation | None = None) -> None:
        """Counts the tokens of a question that ended, if possible. It may wait for a database.

        Args:
            caller: who asked.
            tokens: that it used.
            reservation: for it, which is settled.
        """
        if caller.limits is None:
            return
        try:
            self._counts.add(caller.name, tokens, reservation)
        except DataError as error:
            _LOG.error("%s tokens of %s cannot be counted: %s", tokens, caller.name, error)

    def check(self) -> None:
        """Makes sure that counts can be kept.

        Raises:
            DataError: if not.
        """
        self._counts.check()

    def close(self) -> None:
        """Closes what is open."""
        self._counts.close()


def _too_many(code: str, why: str, seconds: float) -> Refused:
    wait = max(1, math.ceil(seconds))
    said = f"{wait} s" if wait < 120 else f"{math.ceil(wait / 60)} min" if wait < 7200 else f"{math.ceil(wait / 3600)} h"
    return Refused(429, code, f"{why}; ask again in {said}", headers={"Retry-After": str(wait)})


def _seconds_to_midnight() -> float:
    now = datetime.now(UTC)
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight - now).total_seconds()
