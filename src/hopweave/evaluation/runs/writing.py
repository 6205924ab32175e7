"""Writing into the folder of a run: one process at a time, and each file atomically."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hopweave.core.errors import DataError
from hopweave.core.files import LockTaken, lock, write_whole

_LOCK = ".lock"


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Keeps other processes from working on the run in a folder, which is made if it is not there.

    Raises:
        DataError: if another process works on it, with its id; or if the folder is not writable.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        held = lock(path / _LOCK)
    except LockTaken as taken:
        raise DataError(
            f"another process (id {taken.holder or 'unknown'}) works on the run in {path}; wait until it ends, or end it"
        ) from None
    except OSError as error:
        raise DataError(f"cannot write to {path}: {error.strerror}; use another folder") from None
    with held:
        yield


def write_file(place: Path, text: str) -> None:
    """Writes a file of a run atomically.

    Raises:
        DataError: if it cannot be written.
    """
    try:
        write_whole(place, text)
    except OSError as error:
        raise DataError(f"cannot write {place}: {error.strerror}; free some space and run the command again") from None
