"""One test of many cases: each is looked at, and all that fail are listed at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def of_each(cases: Iterable[Any], name: Callable[[Any], str]) -> Callable[[Callable[[Any], None]], Callable[[], None]]:
    """Turns a test of one case into one of all; what is asserted of a case stays as it stands.

    Args:
        cases: that the test takes, one at a time.
        name: of a case, for the list of those that fail.
    """
    every = list(cases)
    assert every, "a test of nothing"

    def decorated(test: Callable[[Any], None]) -> Callable[[], None]:
        def of_all() -> None:
            offenders = []
            for case in every:
                try:
                    test(case)
                except AssertionError as error:
                    offenders.append(f"{name(case)}: {error}")
            if offenders:
                raise AssertionError("\n".join(offenders))

        of_all.__name__, of_all.__doc__, of_all.__module__ = test.__name__, test.__doc__, test.__module__
        return of_all

    return decorated
