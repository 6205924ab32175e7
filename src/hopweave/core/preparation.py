"""Prepares, while a first question waits for its model, what questions need after its reply."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

Make = TypeVar("Make", bound=Callable[[], object])

_BEFORE_SECONDS = 0.5
_BETWEEN_SECONDS = 0.001

_WAITING: list[Callable[[], object]] = []


def prepared(make: Make) -> Make:
    """Adds a cached function, which makes something that takes a while, to what is prepared. It can be a decorator.

    Without preparation it is made when it is first needed: by the question that ends first, for which all others wait.
    """
    _WAITING.append(make)
    return make


@cache
def prepare_soon() -> None:
    """Prepares everything, once in a process and in a thread: in half a second, by when a question waits for its model."""
    soon = threading.Timer(_BEFORE_SECONDS, _prepare)
    soon.daemon = True
    soon.start()


def _prepare() -> None:
    for make in _WAITING:
        make()
        time.sleep(_BETWEEN_SECONDS)  # or the thread of the event loop would have to wait for this one to be interrupted
