"""Retries calls that may succeed later, and classifies failures by the boundary that they crossed."""

from __future__ import annotations

import logging
import math
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from hopweave.core.errors import HopweaveError, RunError, SettingsError

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
_NO_LOG = logging.NullHandler()


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how patiently a call is retried.

    Attributes:
        max_attempts: attempts in all; 1 is no retry.
        max_wait_seconds: the longest wait between two, in seconds.

    Raises:
        SettingsError: for `max_attempts` below 1, or `max_wait_seconds` that is negative or not finite.
    """

    max_attempts: int = 4
    max_wait_seconds: float = 30.0

    def __post_init__(self) -> None:
        if self.max_attempts < 1:
            raise SettingsError(f"retries max_attempts must be at least 1, which is no retry, not {self.max_attempts}")
        if not 0 <= self.max_wait_seconds < math.inf:
            raise SettingsError(f"retries max_wait_seconds must be a number from 0 up, not {self.max_wait_seconds}")


async def again(once: Callable[[], Awaitable[T]], first: RunError, retries: Retries) -> T:
    """The result of a call that has failed once, retried while that may help.

    Args:
        once: makes the call.
        first: the first failure.
        retries: how often and how patiently.

    Raises:
        RunError: of the last attempt.
    """
    # stamina is only imported, and only costs its milliseconds, once something has gone wrong.
    import stamina

    # Every attempt is in the record. With no logging set up, stamina's warnings would go to the terminal all the same.
    logging.getLogger("stamina").addHandler(_NO_LOG)
    failed: RunError | None = first
    usual_seconds = 0.0

    def wait(error: Exception) -> bool | float:
        if not isinstance(error, RunError) or not error.retryable:
            return False
        asked = error.retry_after_seconds
        # The other side may ask for a longer wait than is usual; "0", or a date that is past, is no reason to hurry.
        return asked is None or not asked > usual_seconds or min(asked, retries.max_wait_seconds)

    policy = stamina.retry_context(
        on=wait, attempts=retries.max_attempts, timeout=None, wait_initial=0.5, wait_max=retries.max_wait_seconds
    )
    async for attempt in policy:
        usual_seconds = attempt.next_wait
        with attempt:
            if failed is not None:  # the call that already failed counts as the first attempt
                error, failed = failed, None
                raise error
            return await once()
    raise first


async def outcome_of(once: Callable[[], Awaitable[T]], retries: Retries) -> T | RunError:
    """The result of a call, retried if that can help: the result, or the final error."""
    try:
        try:
            return await once()
        except RunError as error:
            if not error.retryable or retries.max_attempts < 2:
                raise
            return await again(once, error, retries)
    except RunError as error:
        return error


@contextmanager
def boundary(kind: type[RunError], part: object = None) -> Iterator[None]:
    """Converts errors outside our hierarchy to the error of the boundary that they crossed.

    A cancellation is one of them, unless the running task itself is being cancelled: the part waited for something of its own
    that was cancelled, such as a connection that another task closed.

    Args:
        kind: the error of the boundary.
        part: what is called; messages name its class.
    """
    named = f"{type(part).__name__}: " if part is not None else ""
    try:
        yield
    except HopweaveError:
        raise
    except TimeoutError as error:
        raise kind(f"timed out: {error}" if str(error) else "timed out", retryable=True) from error
    except Exception as error:
        _LOG.debug("%sfailed", named, exc_info=error)
        raise kind(f"{named}{type(error).__name__}: {error}") from error
    except BaseException as error:
        if not is_stray_cancellation(error):
            raise
        raise kind(f"{named}what it waited for was cancelled") from error


def is_stray_cancellation(error: BaseException) -> bool:
    """Whether an error is a cancellation, although nobody cancelled the running task."""
    import asyncio  # without which a process that searches starts sooner

    if not isinstance(error, asyncio.CancelledError):
        return False
    task = asyncio.current_task()
    return task is not None and not task.cancelling()
