"""A bar for work whose length is known, on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Draws a bar for the duration of the block if standard error is a terminal.

    Args:
        what: is done.
        total: how many there are to do.

    Yields:
        A function to call when one more is done.
    """
    if not (sys.stderr.isatty() or os.environ.get("FORCE_COLOR")):  # the library of bars takes a while to import
        yield lambda: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from hopweave.apps.cli._console import console

    drawn = console(stderr=True)
    parts = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*parts, console=drawn, transient=True, disable=not drawn.is_terminal, refresh_per_second=4) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)
