"""Files that are gone: whether a folder may have been emptied on purpose, or a disk was disconnected.

A disconnected disk leaves a folder that is missing, a different one (a mount point without its mount), or empty. None of this
may empty an index: missing files are removed only if they are few.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hopweave.core.errors import DataError
from hopweave.core.files import shown_name
from hopweave.ingest.reasons import Unreachable

_MANY = 10
"""This many files may vanish from a folder of any size."""
_MAX_SHARE_VANISHING = 0.1
"""The share of the listed files that may vanish while they are read."""
_MAX_SHARE_GONE = 0.5
"""The share of an index's files from a folder that may be gone when the folder is read the next time."""

_TO_TAKE_OUT = "check the disk; to remove them from the index, run: hopweave index PATH... --to INDEX --sync --gone-ok"


class Standing:
    """The folders among some paths, in their current state.

    Args:
        paths: files and folders.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._folders = {path: _identity(path) for path in paths if os.path.isdir(path)}  # noqa: PTH112

    def check(self) -> None:
        """Makes sure that they have not been replaced.

        Raises:
            Unreachable: names the first that is not.
        """
        for path, identity in self._folders.items():
            if _identity(path) != identity:
                raise Unreachable(
                    f"the folder {_shown(path)} vanished while it was read, so nothing was changed; check the disk, and run "
                    "the same command again"
                )

    @property
    def are_others(self) -> bool:
        """Whether all exist, and one of them has been replaced by another folder."""
        now = {path: _identity(path) for path in self._folders}
        return None not in now.values() and now != self._folders


def is_missing(path: Path) -> bool:
    """Whether there is nothing at a path; an inaccessible path is not missing."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def has_vanished(path: Path, error: DataError) -> bool:
    """Whether a listed file cannot be read because it, or its disk, is gone; not for a link that was dangling before."""
    return isinstance(error, Unreachable) and not path.is_symlink()


def check_vanishing(names: Sequence[str], num_listed: int) -> None:
    """Makes sure that only a few files vanished while they were read.

    Args:
        names: of the vanished files.
        num_listed: how many files there were.

    Raises:
        Unreachable: names the first of them.
    """
    if len(names) > max(_MANY, _MAX_SHARE_VANISHING * num_listed):
        raise Unreachable(
            f"{len(names):,} of {num_listed:,} files vanished while they were read, {names[0]} first, so nothing was changed; "
            "check the disk, and run the same command again"
        )


def check_gone(paths: Sequence[Path], num_known: Mapping[Path, int], num_listed: Mapping[Path, int]) -> None:
    """Makes sure that the files that a folder no longer has may have been removed on purpose.

    Args:
        paths: of those files, which were not found under another name either; without those that a pattern now excludes.
        num_known: how many files the index has from each given path.
        num_listed: how many there are now.

    Raises:
        DataError: if a given path has no files any more, more than half of its files are gone, or a folder below it is now
            empty. Up to ten files may be gone from anywhere, but not the last one of a path.
    """
    gone = [path for path in paths if is_missing(path)]
    for given, num in num_known.items():
        num_gone = sum(path == given or given in path.parents for path in gone)
        if num_gone and not num_listed[given]:
            raise DataError(f"{_shown(given)} is empty, and the index has {_files(num)} from there; {_TO_TAKE_OUT}")
        if num_gone > max(_MANY, _MAX_SHARE_GONE * num):
            raise DataError(f"{num_gone:,} of {_files(num)} that the index has from {_shown(given)} are gone; {_TO_TAKE_OUT}")
    for folder, num in Counter(_empty_above(gone)).items():
        if num > _MANY:
            raise DataError(f"{_shown(folder)} is empty, and the index has {_files(num)} from there; {_TO_TAKE_OUT}")


def _empty_above(paths: Sequence[Path]) -> Iterator[Path]:
    """For each path, its existing parent folder if that is empty; a link whose target is gone counts as such a folder."""
    found: dict[Path, Path | None] = {}
    for path in paths:
        if path.parent not in found:
            found[path.parent] = _empty_at(path.parent)
        empty = found[path.parent]
        if empty is not None:
            yield empty


def _empty_at(folder: Path) -> Path | None:
    for above in (folder, *folder.parents):
        try:
            with os.scandir(above) as entries:
                return above if next(entries, None) is None else None
        except (FileNotFoundError, NotADirectoryError):
            if above.is_symlink():
                return above
        except OSError:
            return None
    return None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _files(num: int) -> str:
    return f"{num:,} file{'s' * (num != 1)}"


def _shown(path: Path) -> str:
    return shown_name(path.as_posix())
