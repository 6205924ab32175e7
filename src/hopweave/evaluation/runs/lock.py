"""Keeps two processes from working on the same run."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hopweave.errors import DataError

_NAME = ".lock"


@contextmanager
def lock(path: Path) -> Iterator[None]:
    """Keeps other processes from working on the run in a folder, which is made if it is not there.

    The system lets go of the lock when the process ends, however it ends, so that none is left behind by a kill.

    Raises:
        DataError: if another process works on it, with its id; or if the folder cannot be written to.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        # Not through a link: whoever left it there would have us empty what it leads to.
        lock_file = os.open(path / _NAME, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise DataError(f"cannot write to {path}: {error.strerror}; take another folder") from None
    with os.fdopen(lock_file, "r+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise DataError(
                f"another process (id {holder}) works on the run in {path}; wait until it ends, or end it"
            ) from None
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield
