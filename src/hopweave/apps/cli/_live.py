"""The reasoning tree while it grows: redrawn in place on a terminal, one line per decision anywhere else.

It is drawn from the steps so far by the code that draws the finished tree, with the same words and signs. Running calls are
shown with the model's words so far and the time they have taken.
"""

from __future__ import annotations

import threading
import time
from types import TracebackType

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.text import Text

from hopweave.apps.cli._console import console
from hopweave.record import AnyStep, Decision, Event, ModelCall, ParseFailure, Read, Search, Started, TextPiece
from hopweave.show.outline import Outline, outline_of, step_line
from hopweave.show.plain import cut, one_line, seconds_text
from hopweave.show.terminal import draw_outline

_MAX_CHARACTERS = 160


class _Tail:
    """The last lines of a tree that fit the screen: current activity is at the end."""

    def __init__(self, tree: RenderableType) -> None:
        self._tree = tree

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self._tree, options.update(height=None), pad=False)
        for line in lines[-max(1, console.height - 1) :]:
            yield from line
            yield Segment.line()


class LiveTree:
    """An observer that shows progress on standard error, so that standard output contains only the answer.

    Args:
        title: the text at the root.
    """

    def __init__(self, title: str) -> None:
        self._console = console(stderr=True)
        self._title = cut(one_line(title), _MAX_CHARACTERS)
        self._began = time.monotonic()
        self._lock = threading.Lock()  # a separate thread draws it
        self._steps: dict[int, AnyStep] = {}
        self._running: dict[int, tuple[Started, float]] = {}
        self._said: dict[int, str] = {}
        self._live = Live(_Tail(self), console=self._console, transient=True, refresh_per_second=8)

    def __enter__(self) -> LiveTree:
        self._began = time.monotonic()
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield draw_outline(self.outline(time.monotonic()))

    def __call__(self, event: Event) -> None:
        """Handles an event."""
        with self._lock:
            self._take(event)
        if isinstance(event, Decision | ParseFailure) and not self._console.is_terminal:
            self._console.print(Text(cut(step_line(event), _MAX_CHARACTERS)), soft_wrap=True)

    def outline(self, now: float) -> Outline:
        """The tree so far, with the time since the question was asked.

        Args:
            now: by the monotonic clock.
        """
        with self._lock:
            running = [self._running_step(started, now - began) for started, began in self._running.values()]
            steps = sorted([*self._steps.values(), *running], key=lambda step: step.id)
        question = f"{self._title}  ({seconds_text(max(0.0, now - self._began))})"
        return outline_of(question, steps, {}, calls=False)

    def _take(self, event: Event) -> None:
        match event:
            case Started():
                self._running[event.id] = (event, time.monotonic())
            case TextPiece():
                self._said[event.id] = (self._said.get(event.id, "") + event.text)[-_MAX_CHARACTERS:]
            case ModelCall() | Search() | Read() | Decision() | ParseFailure():
                self._running.pop(event.id, None)
                self._said.pop(event.id, None)
                self._steps[event.id] = event

    def _running_step(self, started: Started, seconds: float) -> Decision:
        """A call that has not ended, as a step that can be drawn: its kind, the words so far, the time it has taken."""
        label = started.label if started.kind == "model_call" else started.kind
        about = self._said.get(started.id, "") if started.kind == "model_call" else started.label
        text = f"{cut(one_line(about), _MAX_CHARACTERS)} ... {seconds_text(seconds)}"
        return Decision(started.id, started.parent, label, text.strip())
