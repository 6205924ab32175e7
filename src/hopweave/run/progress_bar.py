"""A progress bar for many questions, on standard error, shown in a terminal or a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec


@contextmanager
def progress(total: int | None, *, is_shown: bool | None = None) -> Iterator[Callable[[], None]]:
    """Shows a bar for the duration of the block.

    Args:
        total: the number of items; `None` if unknown.
        is_shown: whether to show it; `None` shows it in a terminal and in a notebook.

    Yields:
        A function to call when one more is done.
    """
    if is_shown is False or (is_shown is None and not _may_be_watched()):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, force_terminal=True if is_shown and not _is_notebook() else None)
    columns = (TextColumn("questions"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, refresh_per_second=4) as bar:
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)


def _may_be_watched() -> bool:
    return _is_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def _is_notebook() -> bool:
    """Whether this runs in a notebook that can draw a bar, which takes ipywidgets."""
    return "ipykernel" in sys.modules and find_spec("ipywidgets") is not None
