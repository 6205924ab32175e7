"""Where a run finds the files that it names: relative paths start from a base that the run stores.

A path in a plan or a manifest is written as it was given. Its base, the working directory of the session, is stored
twice: as an absolute path, for a run that is opened from another folder or was moved alone, and relative to the run's folder,
for a project that was moved or copied as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Base:
    """A working directory: its absolute path, and its path relative to the folder of the run (empty if there is none)."""

    absolute: str = ""
    from_run: str = ""


def base_of(run: Path) -> Base:
    """The working directory as a run in that folder stores it."""
    here = Path.cwd()
    try:
        way = Path(os.path.relpath(here, run.resolve())).as_posix()
    except ValueError:  # on another drive
        way = ""
    return Base(str(here), way)


def find(given: str, base: Base, run: Path) -> Path | None:
    """The file or folder that a path of a run refers to; `None` if it cannot be found.

    Args:
        given: the path as it was written.
        base: that the run stores.
        run: its folder, as it is now.
    """
    return next((place for place in _candidates(Path(given), base, run) if place.exists()), None)


def _candidates(given: Path, base: Base, run: Path) -> Iterator[Path]:
    """In a copied project, the copy's own files come first."""
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
