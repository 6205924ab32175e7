"""The error hierarchy. Nothing else is raised deliberately. Every error can be passed on to another process.

- `HopweaveError`

  - errors that the user can fix; the message ends with what to do

    - `SettingsError`: a setting, flag or name that does not exist, or an invalid value
    - `DataError`: a file, corpus, index or record that cannot be read

      - `DatabaseError`: a database with replies or answers that cannot be reached, or fails

    - `MissingExtra`: an optional library that is not installed

  - `RunError`: failures during a run; `retryable` says whether a retry can help

    - `ModelError`: the language model's endpoint
    - `SearchError`: the retriever
    - `ReadError`: the reader
    - `ParseError`: unparseable model output
    - `BudgetReached`: a limit of the question's budget; never a failure, always a reason to stop
    - `ReplayMiss`: a call that is missing from the store, in replay
    - `MethodError`: a method that broke its contract
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any


class HopweaveError(Exception):
    """Anything that hopweave raises deliberately."""


class SettingsError(HopweaveError):
    """A setting, flag or name that does not exist, or an invalid value."""


class DataError(HopweaveError):
    """A file, corpus, index or record that cannot be read."""


class DatabaseError(DataError):
    """A database with replies or answers that cannot be reached, or fails."""


class MissingExtra(HopweaveError):
    """An optional library that is not installed.

    Args:
        module: the module that could not be imported, or several, separated by commas.
        extra: the extra of this package that provides it.
    """

    def __init__(self, module: str, extra: str) -> None:
        missing = f"{module} are not installed; they come" if "," in module else f"{module} is not installed; it comes"
        super().__init__(f"{missing} with: pip install 'hopweave[{extra}]'")
        self.module = module
        self.extra = extra

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.module, self.extra), self.__dict__


class RunError(HopweaveError):
    """Something that failed while a question was being answered.

    Args:
        message: what happened, in one line.
        retryable: whether the same call may succeed later.
        retry_after_seconds: how long the server asked us to wait, if it did.
    """

    def __init__(self, message: str, *, retryable: bool = False, retry_after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after_seconds = retry_after_seconds


class ModelError(RunError):
    """The language model's endpoint failed, refused, or sent an invalid reply.

    Args:
        message: what happened, in one line.
        retryable: as in `RunError`.
        retry_after_seconds: as in `RunError`.
        is_refusal: whether the endpoint is up but accepts no more calls at the moment (429, 503).
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        retry_after_seconds: float | None = None,
        is_refusal: bool = False,
    ) -> None:
        super().__init__(message, retryable=retryable, retry_after_seconds=retry_after_seconds)
        self.is_refusal = is_refusal


class SearchError(RunError):
    """The retriever failed."""


class ReadError(RunError):
    """The reader failed."""


class ParseError(RunError):
    """Model output that cannot be parsed, where the method cannot continue without it."""


class ReplayMiss(RunError):
    """A call that is missing from the store, during replay."""


class MethodError(RunError):
    """A method broke its contract."""


class BudgetReached(RunError):
    """A limit of the question's budget was reached; `limit` is its name, and `allowed` how much of it was allowed."""

    def __init__(self, limit: str, allowed: float) -> None:
        super().__init__(f"{limit} = {allowed:g} reached")
        self.limit = limit
        self.allowed = allowed

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.limit, self.allowed), self.__dict__


def error_that_counts(errors: Iterable[Exception]) -> Exception:
    """The most important of several concurrent errors: one that the user has to fix, then a bug, then a failed call.

    A reached limit of the budget comes last. Among equally important errors, the first is returned.

    Args:
        errors: at least one; a group is replaced by the errors in it.
    """
    return min((leaf for error in errors for leaf in _leaves(error)), key=_weight)


def _leaves(error: Exception) -> Iterator[Exception]:
    if isinstance(error, ExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _weight(error: Exception) -> int:
    match error:
        case BudgetReached():
            return 3
        case RunError():
            return 2
        case HopweaveError():
            return 0
        case _:
            return 1


def suggest(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the closest known one, or all of them."""
    choices = sorted(known)
    near = get_close_matches(name, choices, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"choose one of: {', '.join(choices)}" if choices else "none is available"
