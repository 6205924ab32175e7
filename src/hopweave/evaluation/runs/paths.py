"""Where a run finds the files that it names: relative paths are taken from a base that the run remembers.

A path in a plan or a manifest is written as it was given. What it was relative to, the working directory of the session, is
kept twice: as an absolute path, for a run that is looked at from another folder or was moved by itself, and as it is seen from
the run's own folder, for a project that was moved or copied as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Base:
    """A working directory: its absolute path, and the way to it from the folder of the run (empty if there is none)."""

    absolute: str = ""
    from_run: str = ""


def base_of(run: Path) -> Base:
    """The working directory as a run of that folder remembers it."""
    here = Path.cwd()
    try:
        way = Path(os.path.relpath(here, run.resolve())).as_posix()
    except ValueError:  # on another drive
        way = ""
    return Base(str(here), way)


def find(given: str, base: Base, run: Path) -> Path | None:
    """The file or folder that a path of a run means; `None` if it is nowhere to be found.

    Args:
        given: the path as it was written.
        base: that the run remembers.
        run: its folder, as it is now.
    """
    return next((place for place in _candidates(Path(given), base, run) if place.exists()), None)


def _candidates(given: Path, base: Base, run: Path) -> Iterator[Path]:
    """Of a project that was copied, the copy's own files come first."""
    moved = run / base.from_run if base.from_run else None
    if given.is_absolute():
        yield given
        if moved is not None and base.absolute and given.is_relative_to(base.absolute):
            yield moved / given.relative_to(base.absolute)
        return
    if moved is not None:
        yield moved / given
    if base.absolute:
        yield Path(base.absolute) / given
    yield given
