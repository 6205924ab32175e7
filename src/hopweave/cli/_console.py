"""What draws on the terminal with colours, in which every word from outside is made visible."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from hopweave.cli._terminal import PlainStream
from hopweave.render.plain import visible


class _PlainConsole(Console):
    """Draws with colours, in which every word from outside is made visible."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


def console(*, stderr: bool = False, file: TextIO | None = None, **options: Any) -> Console:
    """What draws on standard output, standard error, or into a file."""
    stream = file or (sys.stderr if stderr else sys.stdout)
    return _PlainConsole(file=stream.under if isinstance(stream, PlainStream) else stream, **options)
