"""Writes a new state of an index next to the current one, one process at a time; see `index_folder`."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hopweave.core.errors import DataError
from hopweave.core.files import LockTaken, lock, read_json, read_whole, sha256_of, sync
from hopweave.retrieval.index.index_folder import (
    DATA_NAME,
    LABELS_SINCE,
    MANIFEST,
    DataFile,
    Fingerprint,
    Manifest,
    is_index,
    read_manifest,
    write_manifest,
)

_LOCK = ".hopweave-index.lock"
_FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT})


@dataclass(frozen=True, slots=True)
class Staging:
    """A new state of an index under construction.

    Attributes:
        folder: the index.
        data: the new data folder.
        scratch: a path for a temporary file, which is deleted at the end.
        previous: the state that is being updated; `None` for a new build.
    """

    folder: Path
    data: Path
    scratch: Path
    previous: Manifest | None

    def clone_previous(self, *, rewritten: Collection[str]) -> None:
        """Copies the previous state's files into the new one, as hard links if the file system supports them.

        Args:
            rewritten: names of files that the engine modifies; these are really copied.

        Raises:
            DataError: if they cannot be copied.
            OSError: if the disk is full.
        """
        with _disk_errors(self.folder):
            for name in self.previous.files if self.previous is not None else ():
                old, new = self._previous_path(name), self.data / name
                if name in rewritten or not _link(old, new):
                    shutil.copyfile(old, new)

    def publish(
        self,
        *,
        engine: str,
        analyzer: str,
        num_passages: int,
        fingerprint: Fingerprint,
        state: Mapping[str, int],
        has_labels: bool = False,
    ) -> Manifest:
        """Makes the new state current. All files in `data` belong to it.

        Raises:
            DataError: if it cannot be written.
            OSError: if the disk is full.
        """
        from importlib.metadata import version  # no search needs it, and it takes long to import

        with _disk_errors(self.folder):
            now = datetime.now(UTC).isoformat(timespec="seconds")
            manifest = Manifest(
                format_version=LABELS_SINCE if has_labels else 1,
                engine=engine,
                analyzer=analyzer,
                num_passages=num_passages,
                fingerprint=str(fingerprint),
                created_at=now if self.previous is None else self.previous.created_at,
                updated_at=now,
                hopweave_version=version("hopweave"),
                data=self.data.name,
                files={path.name: self._describe(path) for path in sorted(self.data.iterdir())},
                state=dict(state),
            )
            sync(self.data)
            write_manifest(self.folder, manifest)
            return manifest

    def _describe(self, path: Path) -> DataFile:
        """Size and checksum of a file, which is on disk when this returns."""
        known = self.previous.files.get(path.name) if self.previous is not None else None
        if known is not None and path.samefile(self._previous_path(path.name)):
            return known
        sync(path)
        return DataFile(path.stat().st_size, sha256_of(path))

    def _previous_path(self, name: str) -> Path:
        return self.folder / (self.previous.data if self.previous is not None else "") / name


@contextmanager
def replace_index(folder: Path, *, engine: str, update: bool) -> Iterator[Staging]:
    """Builds a new state of an index next to the current one, which stays until `Staging.publish`, and for good on failure.

    Args:
        folder: the index; created if missing.
        engine: the engine that writes.
        update: start from the existing index, which must exist; otherwise it is replaced, whatever it contains.

    Raises:
        DataError: if another process writes to it, the folder contains something else, or the disk is full or fails.
    """
    with full_disk_is_an_error(folder), ExitStack() as stack:
        with _disk_errors(folder):
            if update:
                read_manifest(folder, engine)
            else:
                _refuse_foreign_folder(folder)
            stack.enter_context(_write_lock(folder))
            # Read again: only now is it certain that no other process is writing.
            previous = read_manifest(folder, engine) if update else None
            _sweep(folder)
            data = _next_data(folder)
            data.mkdir()
        stack.callback(_sweep, folder)
        yield Staging(folder, data, data.with_suffix(".scratch"), previous)


@contextmanager
def full_disk_is_an_error(folder: Path) -> Iterator[None]:
    """Turns a full disk, or quota, into one clear `DataError`."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_FULL:
            raise
        raise full_disk(folder) from error
    except OSError as error:
        if error.errno not in _FULL_DISK:
            raise
        raise full_disk(folder) from error


def full_disk(folder: Path) -> DataError:
    """The error for a disk without room for the new state of an index."""
    free_mib = shutil.disk_usage(_existing(folder)).free / 2**20
    return DataError(
        f"the disk is full ({free_mib:.0f} MiB free) while writing index {folder}, which stays as it was; "
        "free some space, or give another folder with --to"
    )


def _existing(path: Path) -> Path:
    return next(folder for folder in (path, *path.absolute().parents) if folder.exists())


@contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    """Turns file-system errors into one clear `DataError`; a full disk is handled further out."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL_DISK:
            raise
        where = error.filename or folder
        raise DataError(
            f"cannot write index {folder}: {error.strerror} ({where}); check its permissions, or give another folder with --to"
        ) from error


@contextmanager
def _write_lock(folder: Path) -> Iterator[None]:
    """Holds the write lock; a folder that this call created, and that is still empty at the end, is removed again."""
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        held = lock(folder / _LOCK)
    except LockTaken:
        raise DataError(f"another process is writing index {folder}; try again when it has finished") from None
    with held:
        try:
            yield
        finally:
            if is_new and not is_index(folder):
                with suppress(OSError):  # something else was put there meanwhile, or Windows keeps open files
                    (folder / _LOCK).unlink()
                    folder.rmdir()


def _refuse_foreign_folder(folder: Path) -> None:
    if not folder.exists() or (folder / _LOCK).exists() or _is_manifest(folder / MANIFEST):
        return
    if any(folder.iterdir()):
        raise DataError(f"{folder} is not empty and not an index; give another folder, or empty this one")


def _is_manifest(path: Path) -> bool:
    try:
        values = read_json(read_whole(path))
    except (OSError, ValueError):
        return False
    return isinstance(values, dict) and {"format_version", "engine", "hopweave_version"} <= values.keys()


def _current_data(folder: Path) -> str:
    """Name of the current data folder according to the manifest; a name that no folder has if it cannot be read."""
    try:
        name = read_json(read_whole(folder / MANIFEST))["data"]
    except (OSError, ValueError, TypeError, KeyError):
        return "data-0"
    return name if isinstance(name, str) and DATA_NAME.fullmatch(name) else "data-0"


def _next_data(folder: Path) -> Path:
    numbers = [int(match[1]) for path in folder.iterdir() if (match := DATA_NAME.fullmatch(path.stem))]
    return folder / f"data-{max(numbers, default=0) + 1}"


def _sweep(folder: Path) -> None:
    """Removes every state except the current one, and anything else that a crash may have left.

    What cannot be removed now is removed by the next write.
    """
    current = _current_data(folder)
    for path in folder.iterdir():
        if path.name != current and DATA_NAME.fullmatch(path.stem) and path.suffix in {"", ".scratch"}:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _link(old: Path, new: Path) -> bool:
    try:
        new.hardlink_to(old)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in _FULL_DISK:
            raise
        return False  # the file system has no hard links
    return True
