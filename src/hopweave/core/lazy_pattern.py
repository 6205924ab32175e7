"""Regular expressions that are compiled when they are first used, or while there is nothing else to do.

Compiling the rules of `hopweave.text` and `hopweave.citations` takes longer than the rest of their import, and nothing needs
them before a model has replied; many commands need hardly any.
"""

from __future__ import annotations

import re
import threading
import time
from functools import cache, cached_property
from typing import Any, AnyStr, cast

_BEFORE_SECONDS = 0.5
_BETWEEN_SECONDS = 0.001


def lazy_pattern(expression: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern for a constant of a module, like `re.compile` but compiled when it is first used.

    Args:
        expression: the regular expression, as text or bytes.
        flags: those of `re`, such as `re.IGNORECASE`.

    Returns:
        What has every attribute of the compiled pattern. An expression that is wrong raises `re.error` at its first use.
    """
    pattern = _LazyPattern(expression, flags)
    _ALL.append(pattern)
    return cast("re.Pattern[AnyStr]", pattern)


@cache
def compile_soon() -> None:
    """Compiles, once in a process, all patterns that are there in half a second, by when a first question waits for its model.

    Otherwise the questions that end first would compile them, and all others would wait for that.
    """
    soon = threading.Timer(_BEFORE_SECONDS, _compile_all)
    soon.daemon = True
    soon.start()


def _compile_all() -> None:
    for pattern in _ALL:
        if pattern.compile():
            time.sleep(_BETWEEN_SECONDS)  # or the thread of the event loop would have to wait for this one to be interrupted


class _LazyPattern:
    def __init__(self, expression: str | bytes, flags: int) -> None:
        self.pattern = expression
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[Any]:
        return re.compile(self.pattern, self._flags)

    def compile(self) -> bool:
        """Compiles it unless it is, and returns whether it did."""
        return "_compiled" not in vars(self) and self._compiled is not None

    def __getattr__(self, name: str) -> Any:
        """Gets an attribute of the compiled pattern and keeps it, so that the next use finds it without this function."""
        if name.startswith("_"):  # `copy` and `pickle` look for such before there is an expression
            raise AttributeError(name)
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found


_ALL: list[_LazyPattern] = []
