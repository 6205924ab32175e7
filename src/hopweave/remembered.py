"""Remembers what pure functions made of short texts: the same passages and demonstrations come by again and again in a run."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_MOST = 4096
_LONGEST = 4_000


def remembered(make: Callable[P, T]) -> Callable[P, T]:
    """Remembers the last 4,096 results of a pure function.

    What is made of texts of more than 4,000 characters in all is made anew each time, so that a corpus of long texts cannot
    fill the memory.

    Args:
        make: a function of texts and other hashable arguments, given by position. What it returns is shared, and so must not
            change.
    """
    known = lru_cache(_MOST)(make)

    @wraps(make)
    def recalled(*args: P.args, **kwargs: P.kwargs) -> T:
        length = 0
        for value in args:
            if isinstance(value, str):
                length += len(value)
        return make(*args, **kwargs) if length > _LONGEST else known(*args, **kwargs)  # type: ignore[arg-type]

    return recalled


class Kept(Generic[T]):
    """The last so many results that were put in, by their keys."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._kept: dict[Hashable, T] = {}

    def get(self, key: Hashable) -> T | None:
        """The result under a key; `None` if there is none any more."""
        return self._kept.get(key)

    def keep(self, key: Hashable, result: T) -> T:
        """Puts a result in; the oldest has to make room."""
        if len(self._kept) >= self._most:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = result
        return result
