"""An unfinished download: the bytes so far, a description of them, and how more are added."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from hopweave.core.errors import DataError
from hopweave.core.files import OnProgress, digest_of
from hopweave.models.weights.file_checksums import read_note, write_note
from hopweave.models.weights.known import KnownModel

OnNote = Callable[[str], None]
"""Called with one line on what is being done."""

_CHUNK_BYTES = 1 << 20


class SourceFailed(Exception):
    """One source failed; the next one may work."""

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(reason)
        self.source = source


class TooMuch(SourceFailed):
    """The source sent more bytes than expected."""


class Download:
    """An unfinished download: the bytes so far, and a note that describes them."""

    def __init__(self, path: Path, source: str) -> None:
        self.partial = path.with_name(f"{path.name}.{source}.partial")
        self.note = path.with_name(f"{path.name}.{source}.partial.json")
        self.files = (self.partial, self.note)

    def resume(self) -> Mapping[str, Any]:
        """The content of the note, with the file truncated to the length that the note vouches for."""
        noted = read_note(self.note)
        size = size_of(self.partial)
        vouched = noted.get("size", size)
        if not noted or size < vouched:
            self.discard()
            return {}
        if size > vouched:
            os.truncate(self.partial, vouched)
        return noted

    def vouch(self, **facts: Any) -> None:
        """Writes the note; with `size`, only that many bytes are valid."""
        write_note(self.note, facts)

    def discard(self) -> None:
        """Forgets it."""
        for file in self.files:
            file.unlink(missing_ok=True)


def check_space(folder: Path, num_bytes: int) -> None:
    """Makes sure that a folder, which is created if missing, has enough space.

    Raises:
        DataError: if it does not.
    """
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < num_bytes:
        raise DataError(
            f"{folder} has {free / 1e9:.2f} GB free and {num_bytes / 1e9:.2f} GB are needed; make room there, or set the "
            "environment variable HOPWEAVE_MODELS to a folder on another disk"
        )


def disk_full(download: Download) -> DataError:
    """The error for a disk that filled up during a download."""
    folder = download.partial.parent
    return DataError(f"the disk of {folder} is full; make room there and fetch again: it resumes where it stopped")


class Writing:
    """The unfinished file, open at its end; tracks the SHA-256 of its content, and accepts no more than the expected bytes."""

    def __init__(self, file: BinaryIO, digest: hashlib._Hash, num_bytes: int, source: str) -> None:
        self._file, self._digest, self._room, self._source = file, digest, num_bytes, source

    def write(self, chunk: bytes) -> int:
        """Writes a piece."""
        self._room -= len(chunk)
        if self._room < 0:
            raise TooMuch(self._source, "sent more bytes than the file has; the download was deleted")
        self._digest.update(chunk)
        return self._file.write(chunk)


@contextmanager
def appending(download: Download, digest: hashlib._Hash, known: KnownModel, source: str) -> Iterator[Writing]:
    """Opens an unfinished download to resume it; one that gets too long is deleted.

    Args:
        download: the unfinished file.
        digest: of its content; updated with what is added.
        known: the expected model.
        source: where it comes from, for messages.

    Raises:
        SourceFailed: if the source sends more bytes than expected.
    """
    try:
        with download.partial.open("ab") as file:
            yield Writing(file, digest, known.num_bytes - file.tell(), source)
    except TooMuch:
        download.discard()
        raise


def checked_sha256(digest: hashlib._Hash, known: KnownModel, download: Download, source: str) -> str:
    """The SHA-256 of a complete download.

    Raises:
        SourceFailed: if it is not the model's. The download is deleted.
    """
    sha256 = digest.hexdigest()
    if sha256 != known.sha256:
        download.discard()
        raise SourceFailed(source, f"sent a file whose SHA-256 is {sha256}, expected {known.sha256}; it was deleted")
    return sha256


def pour(source: Any, file: Writing, done: int, num_bytes: int, on_progress: OnProgress) -> None:
    """Appends what a source sends to the unfinished file, which has `done` of its `num_bytes`."""
    while chunk := source.read(_CHUNK_BYTES):
        file.write(chunk)
        done += len(chunk)
        on_progress(done, num_bytes)


def size_of(path: Path) -> int:
    """The size of a file in bytes; 0 if it is missing."""
    return path.stat().st_size if path.is_file() else 0


def digest_so_far(path: Path) -> hashlib._Hash:
    """The hash of a file's content, to be continued; that of nothing if it is missing."""
    return digest_of(path) if path.is_file() else hashlib.sha256()
