"""The folder that an index is kept in, whatever the engine: a manifest, and one folder with the engine's data.

    my-index/
      manifest.json             what is in it, with the size and SHA-256 of each data file
      data-3/                   the engine's files
      .hopweave-index.lock      held by the process that writes

A new state is built beside the old one, as `data-4`, and becomes current when the manifest is replaced, which is one step for
the file system. A reader has the old files open and keeps its state. A crash leaves the old state, and a folder that the next
write takes away.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from hopweave.errors import DataError
from hopweave.file_names import file_name, refuse_links_out
from hopweave.plain_data import read_json
from hopweave.types import Passage

FORMAT_VERSION = 1
FULL_CHECK_MAX_BYTES = 512 * 2**20
"""Up to this size, opening an index verifies every byte; above it, only the sizes of the files."""

_MANIFEST = "manifest.json"
_NEW_MANIFEST = "manifest.json.new"
_LOCK = ".hopweave-index.lock"
_DATA_NAME = re.compile(r"data-(\d+)")
_FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT})
_FINGERPRINT_BITS = 128

Loaded = TypeVar("Loaded")


@dataclass(frozen=True, slots=True)
class DataFile:
    """Size and SHA-256 (hex) of a data file."""

    num_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an index folder holds.

    Attributes:
        format_version: of the folder.
        engine: name of the retriever that built it.
        analyzer: how it turns text into terms.
        num_passages: passages in it.
        fingerprint: of its corpus; see `Fingerprint`.
        created_at: when it was built, UTC, ISO 8601.
        updated_at: when passages were last added or deleted.
        hopweave_version: that wrote it.
        data: name of the folder with the engine's files.
        files: the engine's files by name.
        state: numbers that the engine carries from one update to the next.
    """

    format_version: int
    engine: str
    analyzer: str
    num_passages: int
    fingerprint: str
    created_at: str
    updated_at: str
    hopweave_version: str
    data: str
    files: Mapping[str, DataFile]
    state: Mapping[str, int] = field(default_factory=dict)

    @property
    def num_bytes(self) -> int:
        """Size of the data on disk."""
        return sum(file.num_bytes for file in self.files.values())


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """What a write did, and what there is now.

    Attributes:
        num_passages: passages in the index.
        num_added: passages written, those that replace another included.
        num_deleted: passages taken out, those that were replaced included.
        num_bytes: size on disk.
        fingerprint: of the corpus.
    """

    num_passages: int
    num_added: int
    num_deleted: int
    num_bytes: int
    fingerprint: str


class Fingerprint:
    """Identifies a set of passages (by id, title and text) in whatever order they came.

    The sum of the passages' 128-bit BLAKE2b hashes, modulo 2^128, so that adding and deleting change it without reading the
    rest.
    """

    def __init__(self, hex_digits: str = "0") -> None:
        self._sum = int(hex_digits, 16)

    def add(self, passage: Passage) -> None:
        """Takes a passage in."""
        self._sum = (self._sum + _passage_hash(passage)) % (1 << _FINGERPRINT_BITS)

    def remove(self, passage: Passage) -> None:
        """Takes a passage out that is in."""
        self._sum = (self._sum - _passage_hash(passage)) % (1 << _FINGERPRINT_BITS)

    def __str__(self) -> str:
        return f"{self._sum:032x}"


def _passage_hash(passage: Passage) -> int:
    # The lengths keep apart what moves from one field into the next.
    content = f"{len(passage.id)} {len(passage.title)} {passage.id}{passage.title}{passage.text}"
    return int.from_bytes(hashlib.blake2b(content.encode(), digest_size=_FINGERPRINT_BITS // 8).digest(), "big")


def read_manifest(folder: Path, engine: str | None = None) -> Manifest:
    """Reads what an index folder holds.

    Args:
        folder: the index.
        engine: the engine that it must be of, if that matters.

    Raises:
        DataError: if there is no index, it is of a newer format or another engine, or its manifest is damaged.
    """
    path = folder / _MANIFEST
    try:
        if not path.is_file():  # a pipe would be waited for
            raise FileNotFoundError
        values = read_json(path.read_bytes())
        found_version = int(values["format_version"])
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(f"there is no index in {folder}; build it with: hopweave index PATH... --to {folder}") from None
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}; check its permissions") from None
    except (ValueError, TypeError, KeyError):
        raise damaged(folder, _MANIFEST, "cannot be read") from None
    if found_version > FORMAT_VERSION:
        raise DataError(
            f"index {folder} has format version {found_version} and this hopweave ({version('hopweave')}) reads up to "
            f"{FORMAT_VERSION}; it was written by hopweave {values.get('hopweave_version', 'unknown')}: install that or newer"
        )
    if values.pop("checksum", None) != _checksum(values):
        raise damaged(folder, _MANIFEST, "does not match its checksum")
    try:
        manifest = Manifest(**values | {"files": {name: DataFile(**file) for name, file in values["files"].items()}})
        names_no_folder = _DATA_NAME.fullmatch(manifest.data) is None
    except (TypeError, KeyError, AttributeError):
        raise damaged(folder, _MANIFEST, "does not hold what a manifest holds") from None
    if names_no_folder:
        raise damaged(folder, _MANIFEST, f"names {manifest.data!r} as its data folder")
    for name in manifest.files:
        file_name(name.removeprefix("."), str(path))  # engines have hidden files
    refuse_links_out(folder)
    if engine is not None and manifest.engine != engine:
        raise DataError(
            f"index {folder} was built by {manifest.engine}, not {engine}; choose that retriever or build another index"
        )
    return manifest


def verify(folder: Path, manifest: Manifest, *, full: bool = False) -> None:
    """Checks that every data file is there and unchanged.

    Args:
        folder: the index.
        manifest: of it.
        full: verify every byte whatever the size; else only up to `FULL_CHECK_MAX_BYTES` in all.

    Raises:
        DataError: names the first file that is not as it was written.
    """
    is_full = full or manifest.num_bytes <= FULL_CHECK_MAX_BYTES
    for name, expected in manifest.files.items():
        path = folder / manifest.data / name
        try:
            num_bytes = path.stat().st_size
            if num_bytes != expected.num_bytes:
                raise damaged(folder, f"{manifest.data}/{name}", f"has {num_bytes} bytes instead of {expected.num_bytes}")
            if is_full and _sha256(path) != expected.sha256:
                raise damaged(folder, f"{manifest.data}/{name}", "does not match its checksum")
        except FileNotFoundError:
            raise damaged(folder, f"{manifest.data}/{name}", "is missing") from None
        except OSError as error:
            raise DataError(f"cannot read {path}: {error.strerror}; check its permissions and the disk") from None


def damaged(folder: Path, name: str, how: str) -> DataError:
    """The error for an index that is not as it was written."""
    return DataError(f"index {folder} is damaged: file {name} {how}; rebuild it with: hopweave index PATH... --to {folder}")


def open_index(
    folder: Path, engine: str, load: Callable[[Path, Manifest], Loaded], *, full: bool = False
) -> tuple[Manifest, Loaded]:
    """Verifies an index and lets an engine load it.

    Args:
        folder: the index.
        engine: that it must be of.
        load: is given the data folder; raises `DataError` if it cannot read it.
        full: verify every byte whatever the size.

    Raises:
        DataError: see `read_manifest` and `verify`.
    """
    manifest = read_manifest(folder, engine)
    while True:
        try:
            verify(folder, manifest, full=full)
            return manifest, load(folder / manifest.data, manifest)
        except DataError:
            # A writer may have put a new state in place, and taken this one away, since the manifest was read.
            current = read_manifest(folder, engine)
            if current.data == manifest.data:
                raise
            manifest = current


@dataclass(frozen=True, slots=True)
class Staging:
    """A new state of an index, being built.

    Attributes:
        folder: the index.
        data: the new data folder.
        scratch: a path for a temporary file; it is taken away at the end.
        previous: the state that is being updated; `None` if all is built anew.
    """

    folder: Path
    data: Path
    scratch: Path
    previous: Manifest | None

    def clone_previous(self, *, rewritten: Collection[str]) -> None:
        """Brings the previous state's files into the new one, as hard links where the file system has them.

        Args:
            rewritten: names of files that the engine writes to again; these are copied.
        """
        with _disk_errors(self.folder):
            for name in self.previous.files if self.previous is not None else ():
                old, new = self._previous_path(name), self.data / name
                if name in rewritten or not _link(old, new):
                    shutil.copyfile(old, new)

    def publish(
        self, *, engine: str, analyzer: str, num_passages: int, fingerprint: Fingerprint, state: Mapping[str, int]
    ) -> Manifest:
        """Makes the new state the current one. All files in `data` belong to it."""
        with _disk_errors(self.folder):
            now = datetime.now(UTC).isoformat(timespec="seconds")
            manifest = Manifest(
                format_version=FORMAT_VERSION,
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
            _sync(self.data)
            _write_manifest(self.folder, manifest)
            return manifest

    def _describe(self, path: Path) -> DataFile:
        """Size and checksum of a file, which is on the disk when this returns."""
        known = self.previous.files.get(path.name) if self.previous is not None else None
        if known is not None and path.samefile(self._previous_path(path.name)):
            return known
        _sync(path)
        return DataFile(path.stat().st_size, _sha256(path))

    def _previous_path(self, name: str) -> Path:
        return self.folder / (self.previous.data if self.previous is not None else "") / name


@contextmanager
def replace_index(folder: Path, *, engine: str, update: bool) -> Iterator[Staging]:
    """Builds a new state of an index beside the current one, which stays until `Staging.publish`, and for good if that fails.

    Args:
        folder: the index; it is made if there is none.
        engine: that writes.
        update: begin with what the index holds, which must be there; else it is replaced, whatever it held.

    Raises:
        DataError: if another process writes to it, the folder holds something else, the disk is full or refuses.
    """
    with full_disk_is_an_error(folder), ExitStack() as stack:
        with _disk_errors(folder):
            if update:
                read_manifest(folder, engine)
            else:
                _refuse_foreign_folder(folder)
            stack.enter_context(_write_lock(folder))
            # Read again: only now is nobody else writing.
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
    """The error for a disk that has no room for the new state of an index."""
    free_mib = shutil.disk_usage(_existing(folder)).free / 2**20
    return DataError(
        f"the disk is full ({free_mib:.0f} MiB free) while writing index {folder}, which stays as it was; "
        "free some space, or give another folder with --to"
    )


def _existing(path: Path) -> Path:
    return next(folder for folder in (path, *path.absolute().parents) if folder.exists())


@contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    """Turns what the file system refuses into one clear `DataError`; a full disk is told apart further out."""
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
    """Holds the right to write; a folder that this call made, and that holds nothing in the end, is taken away again."""
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder) as path:
        try:
            yield
        finally:
            if is_new and not (folder / _MANIFEST).exists():
                path.unlink()
                with suppress(OSError):  # something else was put there meanwhile
                    folder.rmdir()


@contextmanager
def _locked(folder: Path) -> Iterator[Path]:
    path = folder / _LOCK
    is_held = False
    while not is_held:
        with path.open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise DataError(f"another process is writing index {folder}; try again when it has finished") from None
            # The holder before us may have unlinked the file that we opened: then somebody else can lock the new one.
            is_held = path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino
            if is_held:
                yield path


def _refuse_foreign_folder(folder: Path) -> None:
    if not folder.exists() or (folder / _LOCK).exists() or _is_manifest(folder / _MANIFEST):
        return
    if any(folder.iterdir()):
        raise DataError(f"{folder} is not empty and not an index; give another folder, or empty this one")


def _is_manifest(path: Path) -> bool:
    try:
        values = read_json(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(values, dict) and {"format_version", "engine", "hopweave_version"} <= values.keys()


def _current_data(folder: Path) -> str:
    """Name of the data folder that the manifest points to; a name that no folder has if it cannot be read."""
    try:
        name = read_json((folder / _MANIFEST).read_bytes())["data"]
    except (OSError, ValueError, TypeError, KeyError):
        return "data-0"
    return name if isinstance(name, str) and _DATA_NAME.fullmatch(name) else "data-0"


def _next_data(folder: Path) -> Path:
    numbers = [int(match[1]) for path in folder.iterdir() if (match := _DATA_NAME.fullmatch(path.stem))]
    return folder / f"data-{max(numbers, default=0) + 1}"


def _sweep(folder: Path) -> None:
    """Takes away every state but the current one, and what else a crash may have left.

    What cannot be taken away now is taken away by the next write.
    """
    current = _current_data(folder)
    for path in folder.iterdir():
        if path.name != current and _DATA_NAME.fullmatch(path.stem) and path.suffix in {"", ".scratch"}:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
    (folder / _NEW_MANIFEST).unlink(missing_ok=True)


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


def _write_manifest(folder: Path, manifest: Manifest) -> None:
    values = asdict(manifest)
    content = json.dumps(values | {"checksum": _checksum(values)}, indent=1, ensure_ascii=False)
    new = folder / _NEW_MANIFEST
    new.write_text(content + "\n", encoding="utf-8")
    _sync(new)
    new.replace(folder / _MANIFEST)
    _sync(folder)


def _checksum(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
