"""Memoizes pure functions of short texts: the same passages and demonstrations recur throughout a run."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from typing import Concatenate, Generic, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

_MOST = 4096
_LONG = 4_000
_FEW = 8
_LONGEST = 40_000


def remembered(make: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Memoizes the last 4,096 results of a pure function of a text.

    Of texts of more than 4,000 characters only the last 8, and of more than 40,000 none, so that they cannot fill the memory.

    Args:
        make: a function of a text and other hashable arguments, given by position. Its results are shared, so they must not
            be modified.
    """
    known = lru_cache(_MOST)(make)
    known_of_long = lru_cache(_FEW)(make)

    def told(text: str) -> Callable[..., T]:
        return make if len(text) > _LONGEST else known_of_long

    def recalled(text: str, *args: P.args, **kwargs: P.kwargs) -> T:
        return (told(text) if len(text) > _LONG else known)(text, *args, **kwargs)  # type: ignore[arg-type]

    def recalled_of_text(text: str) -> T:  # the same without the cost of further arguments: a question makes a thousand calls
        return told(text)(text) if len(text) > _LONG else known(text)

    is_of_text_alone = make.__code__.co_argcount == 1
    return cast("Callable[Concatenate[str, P], T]", wraps(make)(recalled_of_text if is_of_text_alone else recalled))


class Kept(Generic[T]):
    """A bounded cache of the most recently added results, by key."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, T] = OrderedDict()  # in a plain dict, finding the first key gets slower and slower

    def get(self, key: Hashable) -> T | None:
        """The result for a key; `None` if it is no longer there."""
        return self._kept.get(key)

    def keep(self, key: Hashable, result: T) -> T:
        """Adds a result, evicting the oldest if necessary."""
        if len(self._kept) >= self._most:
            self._kept.popitem(last=False)
        self._kept[key] = result
        return result
