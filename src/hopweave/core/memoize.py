"""Memoizes pure functions of texts: the same passages and demonstrations recur throughout a run."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from threading import Lock
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

_MOST = 4096
_LONG = 4_000
_MOST_CHARACTERS = 1_000_000


def remembered(make: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Memoizes the last 4,096 results of a pure function of a text.

    Of texts of more than 4,000 characters only the last that have 1,000,000 in all, so that they cannot fill the memory.

    Args:
        make: a function of a text and other hashable arguments, given by position. Its results are shared, so they must not
            be modified.
    """
    known = lru_cache(_MOST)(make)
    known_of_long = _OfLong(make)

    def recalled(text: str, *args: P.args, **kwargs: P.kwargs) -> T:
        return (known_of_long if len(text) > _LONG else known)(text, *args, **kwargs)  # type: ignore[arg-type]

    def recalled_of_text(text: str) -> T:  # the same without the cost of further arguments: a question makes a thousand calls
        return known_of_long(text) if len(text) > _LONG else known(text)

    is_of_text_alone = make.__code__.co_argcount == 1
    return cast("Callable[Concatenate[str, P], T]", wraps(make)(recalled_of_text if is_of_text_alone else recalled))


class _OfLong(Generic[T]):
    """A function of long texts with its latest results. Threads may call it at the same time.

    Judging an answer comes back to each of its passages hundreds of times, so those of a question have to be kept together.
    """

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make
        self._kept: OrderedDict[Hashable, tuple[int, T]] = OrderedDict()
        self._num_characters = 0
        self._lock = Lock()

    def __call__(self, text: str, *args: Any, **kwargs: Any) -> T:
        key = (text, args, tuple(kwargs.items()))
        with self._lock:
            if (known := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return known[1]
        result = self._make(text, *args, **kwargs)
        if len(text) <= _MOST_CHARACTERS:
            self._keep(key, len(text), result)
        return result

    def _keep(self, key: Hashable, num_characters: int, result: T) -> None:
        with self._lock:
            if key in self._kept:  # another thread was faster
                return
            self._kept[key] = num_characters, result
            self._num_characters += num_characters
            while self._num_characters > _MOST_CHARACTERS:
                self._num_characters -= self._kept.popitem(last=False)[1][0]


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
