"""The reasoning tree while it grows: redrawn in place on a terminal, one line per decision anywhere else."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.text import Text
from rich.tree import Tree

from hopweave.cli._console import console
from hopweave.render.plain import cut, one_line
from hopweave.trace import Decision, Event, ModelCall, ParseFailure, Read, Search, Started, TextPiece

_TONES = {
    "supported": "green",
    "contradicted": "red",
    "unsupported": "yellow",
    "abandoned": "dim",
    "duplicate": "dim",
}
_MAX_CHARACTERS = 160


class _Tail:
    """The last lines of a tree that fit the screen: current activity is at the end."""

    def __init__(self, tree: Tree) -> None:
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
        self._root = Tree(Text(cut(one_line(title), _MAX_CHARACTERS), style="bold"))
        self._branches: dict[int, Tree] = {}
        self._said: dict[int, str] = {}
        self._live = Live(_Tail(self._root), console=self._console, transient=True, refresh_per_second=8)

    def __enter__(self) -> LiveTree:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def __call__(self, event: Event) -> None:
        """Handles an event."""
        match event:
            case Started():
                self._grow(event.id, event.parent, Text(f"{cut(one_line(event.label), _MAX_CHARACTERS)} ...", style="dim"))
            case TextPiece():
                self._said[event.id] = self._said.get(event.id, "") + event.text
                self._relabel(event.id, Text(one_line(self._said[event.id][-_MAX_CHARACTERS:]), style="dim"))
            case ModelCall() | Search() | Read():
                self._relabel(event.id, self._finished(event))
            case Decision() | ParseFailure():
                label = self._decided(event)
                self._grow(event.id, event.parent, label)
                if not self._console.is_terminal:
                    self._console.print(label, soft_wrap=True)

    def _grow(self, step: int, parent: int | None, label: Text) -> None:
        below = self._branches.get(parent, self._root) if parent is not None else self._root
        self._branches[step] = below.add(label)

    def _relabel(self, step: int, label: Text) -> None:
        if step in self._branches:
            self._branches[step].label = label

    def _finished(self, step: ModelCall | Search | Read) -> Text:
        if step.error is not None:
            return Text(cut(one_line(step.error.message), _MAX_CHARACTERS), style="red")
        seconds = f"{step.timing.seconds:.1f} s"
        match step:
            case ModelCall():
                words = f"{step.purpose}: {step.usage.completion_tokens} tokens"
            case Search():
                words = f"searched {len(step.queries)} queries" if len(step.queries) > 1 else "searched"
            case Read():
                found = step.reading.text if step.reading is not None else ""
                words = f'read: "{found}"' if found else "read: no answer"
        return Text(cut(f"{one_line(words)}, {seconds}", _MAX_CHARACTERS), style="dim")

    def _decided(self, step: Decision | ParseFailure) -> Text:
        if isinstance(step, ParseFailure):
            return Text(f"could not be read: {cut(one_line(step.reason), _MAX_CHARACTERS)}", style="red")
        tone = _TONES.get(str(step.data.get("support", step.label)), "")
        return Text.assemble((f"{one_line(step.label)} ", "dim"), (cut(one_line(step.text), _MAX_CHARACTERS), tone))
