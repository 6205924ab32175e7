"""Shows the progress of a run: bars with rate, cost so far and time left on a terminal, nothing anywhere else."""

from __future__ import annotations

import time
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING

from hopweave.evaluation.runs.progress import Cell
from hopweave.evaluation.runs.run import Watcher, Work
from hopweave.record import Record

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

_WINDOW = 200  # records over which the rate is averaged
_LABEL_WIDTH = 40


class Bars(Watcher):
    """A bar for the run and one for each running cell.

    Args:
        console: where to draw; nothing is drawn if it is not a terminal.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress: Progress | None = None
        self._work: Work | None = None
        self._tasks: dict[Cell, TaskID] = {}
        self._whole: TaskID | None = None
        self._num_new = 0
        self._times: deque[float] = deque(maxlen=_WINDOW)

    def __enter__(self) -> Bars:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._progress is not None:
            self._progress.stop()

    def started(self, work: Work) -> None:
        """See `Watcher.started`."""
        for note in work.notes:
            self._console.print(f"note: {note}", markup=False, highlight=False, soft_wrap=True)
        if not self._console.is_terminal:
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        self._work = work
        self._times.append(time.monotonic())
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[said]}", markup=False),
            console=self._console,
            transient=True,
            refresh_per_second=4,
        )
        progress = work.progress
        self._whole = self._progress.add_task("all", total=progress.num_planned, completed=progress.num_done, said="")
        self._progress.start()

    def answered(self, cell: Cell, record: Record) -> None:
        """See `Watcher.answered`."""
        if self._progress is None or self._work is None or self._whole is None:
            return
        self._num_new += 1
        self._times.append(time.monotonic())
        progress = self._work.progress.cells[cell]
        if cell not in self._tasks:
            name = f"{cell.dataset} x {cell.method}"[:_LABEL_WIDTH]
            self._tasks[cell] = self._progress.add_task(name, total=progress.num_planned, said="")
        failed = f"{len(progress.failed):,} failed" if progress.failed else ""
        self._progress.update(self._tasks[cell], completed=len(progress.done), said=failed)
        if len(progress.done) >= progress.num_planned and not progress.failed:
            self._progress.update(self._tasks[cell], visible=False)
        self._progress.update(self._whole, completed=self._work.progress.num_done, said=self.line())

    def line(self) -> str:
        """Rate, cost or tokens so far, failures, calls allowed, and time left, in one line."""
        if self._work is None:
            return ""
        progress, calls = self._work.progress, self._work.calls
        rate = (len(self._times) - 1) / max(1e-9, self._times[-1] - self._times[0])
        said = [f"{rate * 60:,.1f}/min"]
        said.append(
            f"cost {progress.spent('cost'):,.4g}" if progress.price is not None else f"{progress.spent('tokens'):,.0f} tokens"
        )
        if progress.num_failed:
            said.append(f"{progress.num_failed:,} failed")
        if calls.limit < calls.ceiling:
            said.append(f"{calls.limit} of {calls.ceiling} calls at a time")
        left = self._work.num_left - self._num_new
        said.append(f"{duration(left / rate)} left" if left and rate > 0 else "")
        return ", ".join(filter(None, said))


def duration(seconds: float) -> str:
    """A readable duration.

    >>> duration(42.4), duration(200), duration(8000)
    ('42 s', '3 min', '2.2 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
