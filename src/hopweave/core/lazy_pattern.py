"""Regular expressions that are compiled when they are first used, or while there is nothing else to do.

Compiling the rules of `hopweave.text` and `hopweave.citations` takes longer than the rest of their import, and nothing needs
them before a model has replied; many commands need hardly any.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, AnyStr, cast

from hopweave.core.preparation import prepared


def lazy_pattern(expression: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern for a constant of a module, like `re.compile` but compiled when it is first used or `prepared`.

    Args:
        expression: the regular expression, as text or bytes.
        flags: those of `re`, such as `re.IGNORECASE`.

    Returns:
        What has every attribute of the compiled pattern. An expression that is wrong raises `re.error` at its first use.
    """
    pattern = _LazyPattern(expression, flags)
    prepared(pattern.compile)
    return cast("re.Pattern[AnyStr]", pattern)


class _LazyPattern:
    def __init__(self, expression: str | bytes, flags: int) -> None:
        self.pattern = expression
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[Any]:
        return re.compile(self.pattern, self._flags)

    def compile(self) -> None:
        """Compiles it, unless it is."""
        _ = self._compiled

    def __getattr__(self, name: str) -> Any:
        """Gets an attribute of the compiled pattern and keeps it, so that the next use finds it without this function."""
        if name.startswith("_"):  # `copy` and `pickle` look for such before there is an expression
            raise AttributeError(name)
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found
