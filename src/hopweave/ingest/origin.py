"""The exact file that a passage was read from, if it still exists."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Protocol, runtime_checkable

from hopweave.core.errors import DataError


@dataclass(frozen=True, slots=True)
class Origin:
    """The file that a passage comes from.

    Attributes:
        path: absolute.
        root: the indexed folder that contains it.
        size: in bytes, when it was read.
        sha256: of its bytes then, hexadecimal.
        also_in: sources of passages of other documents that have the same text, and were left out for that.
    """

    path: Path
    root: Path
    size: int
    sha256: str
    also_in: tuple[str, ...] = ()

    @contextmanager
    def opened(self) -> Iterator[BufferedReader]:
        """The file, open at its beginning, if it is exactly the one that was read.

        Raises:
            DataError: if it is missing or not the same, or a link leads to it from elsewhere.
        """
        real = Path(os.path.realpath(self.path))
        if not real.is_relative_to(os.path.realpath(self.root)):
            raise DataError("the file is behind a link that leads out of the indexed folder; index it where it is")
        try:
            raw = open(real, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW))  # noqa: SIM115
        except OSError:
            raise DataError("the file cannot be read where it was indexed; bring it back, or index it again") from None
        with raw:
            found = os.fstat(raw.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_size != self.size or _sha256(raw) != self.sha256:
                raise DataError("the file has changed since it was indexed; index it again, with --sync")
            raw.seek(0)
            yield raw

    @property
    def seen(self) -> tuple[int, ...]:
        """Values that differ once the file is replaced or modified; none if it is missing."""
        try:
            found = self.path.stat()
        except OSError:
            return ()
        return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


@runtime_checkable
class KnowsOrigins(Protocol):
    """A retriever over an index that stores which files it was built from."""

    def origin_of(self, passage_id: str) -> Origin | None:
        """The file of a passage; `None` if the passage was not read from a given file.

        Raises:
            DataError: if there is no such passage.
        """


def _sha256(raw: BufferedReader) -> str:
    return hashlib.file_digest(raw, "sha256").hexdigest()
