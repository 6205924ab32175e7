"""Remembers what pure functions made of short texts: the same passages and demonstrations come by again and again in a run."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from typing import Concatenate, Generic, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

_MOST = 4096
_LONGEST = 4_000


def remembered(make: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Remembers the last 4,096 results of a pure function of a text.

    What is made of a text of more than 4,000 characters is made anew each time, so that long ones cannot fill the memory.

    Args:
        make: a function of a text and other hashable arguments, given by position. What it returns is shared, and so must not
            change.
    """
    known = lru_cache(_MOST)(make)

    def recalled(text: str, *args: P.args, **kwargs: P.kwargs) -> T:
        return make(text, *args, **kwargs) if len(text) > _LONGEST else known(text, *args, **kwargs)  # type: ignore[arg-type]

    return cast("Callable[Concatenate[str, P], T]", wraps(make)(recalled))


class Kept(Generic[T]):
    """The last so many results that were put in, by their keys."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, T] = OrderedDict()  # a dict looks for its first key ever longer

    def get(self, key: Hashable) -> T | None:
        """The result under a key; `None` if there is none any more."""
        return self._kept.get(key)

    def keep(self, key: Hashable, result: T) -> T:
        """Puts a result in; the oldest has to make room."""
        if len(self._kept) >= self._most:
            self._kept.popitem(last=False)
        self._kept[key] = result
        return result
