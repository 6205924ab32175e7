"""Coloured terminal output, with control characters in all external text made visible."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from hopweave.apps.cli._terminal import PlainStream
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.show.plain import visible

_FILLED = lazy_pattern(r"(?<! ) +$", re.MULTILINE)


class _PlainConsole(Console):
    """A coloured console that makes control characters in all external text visible."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


class _Trimmed:
    """A stream that gets lines without the spaces at their ends, with which a console fills them up to its width.

    Args:
        under: the stream; everything but writing is delegated to it.
    """

    def __init__(self, under: TextIO) -> None:
        self._under = under

    def __getattr__(self, name: str) -> Any:
        return getattr(self._under, name)

    def write(self, text: str) -> int:
        """Writes whole lines."""
        return self._under.write(_FILLED.sub("", text))


def console(*, stderr: bool = False, file: TextIO | None = None, **options: Any) -> Console:
    """A console on standard output, standard error, or a file."""
    given = file or (sys.stderr if stderr else sys.stdout)
    stream = given.under if isinstance(given, PlainStream) else given
    return _PlainConsole(file=stream if stream.isatty() else cast("TextIO", _Trimmed(stream)), **options)
