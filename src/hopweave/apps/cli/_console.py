"""Coloured terminal output, with control characters in all external text made visible."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from hopweave.apps.cli._terminal import PlainStream
from hopweave.show.plain import visible


class _PlainConsole(Console):
    """A coloured console that makes control characters in all external text visible."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


def console(*, stderr: bool = False, file: TextIO | None = None, **options: Any) -> Console:
    """A console on standard output, standard error, or a file."""
    stream = file or (sys.stderr if stderr else sys.stdout)
    return _PlainConsole(file=stream.under if isinstance(stream, PlainStream) else stream, **options)
