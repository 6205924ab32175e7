"""Files that are gone: whether a folder can have been emptied on purpose, or a disk dropped.

A disk that drops leaves a folder that is not there, that is another one (a mount point without its mount), or that is empty.
None of this may empty an index: what is gone is taken out only as long as it is little.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hopweave.core.errors import DataError
from hopweave.core.files import shown_name
from hopweave.ingest.formats import Unreachable

_MANY = 10
"""So many files may vanish from a folder of any size."""
_MAX_SHARE_VANISHING = 0.1
"""Of the files that were listed, the share that may vanish while they are read."""
_MAX_SHARE_GONE = 0.5
"""Of the files that an index has from a folder, the share that may be gone when the folder is read the next time."""

_TO_TAKE_OUT = "check the disk; to take them out of the index, run: hopweave index PATH... --to INDEX --sync --gone-ok"


class Standing:
    """The folders among some paths, as they are now.

    Args:
        paths: files and folders.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._folders = {path: _identity(path) for path in paths if os.path.isdir(path)}  # noqa: PTH112

    def check(self) -> None:
        """Makes sure that they are still the same.

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
        """Whether all are there, and one of them is another folder than before."""
        now = {path: _identity(path) for path in self._folders}
        return None not in now.values() and now != self._folders


def is_missing(path: Path) -> bool:
    """Whether there is nothing at a path; what cannot be looked at is not missing."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def has_vanished(path: Path, error: DataError) -> bool:
    """Whether a file that was listed cannot be read because it, or its disk, is gone; a link may have led to nothing before."""
    return isinstance(error, Unreachable) and not path.is_symlink()


def check_vanishing(names: Sequence[str], num_listed: int) -> None:
    """Makes sure that only few files vanished while they were read.

    Args:
        names: of those that did.
        num_listed: how many there were.

    Raises:
        Unreachable: names the first of them.
    """
    if len(names) > max(_MANY, _MAX_SHARE_VANISHING * num_listed):
        raise Unreachable(
            f"{len(names):,} of {num_listed:,} files vanished while they were read, {names[0]} first, so nothing was changed; "
            "check the disk, and run the same command again"
        )


def check_gone(paths: Sequence[Path], num_known: Mapping[Path, int], num_listed: Mapping[Path, int]) -> None:
    """Makes sure that the files that an index has and a folder has not any more can have been removed on purpose.

    Args:
        paths: of those files, which were not found under another name either; those that a pattern leaves out now are ignored.
        num_known: how many files the index has from each path that was given.
        num_listed: how many there are now.

    Raises:
        DataError: if there is no file any more at a path that was given, more than half of its files are gone, or a folder
            below it is empty now. Ten files may be gone from anywhere, but not the last one of a path.
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
    """Of each path, the folder above it that is there and empty, if it is; a link whose target is gone is such a folder."""
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
