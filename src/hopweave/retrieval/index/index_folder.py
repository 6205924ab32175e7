"""The folder of an index, whatever the engine: a manifest, and one folder with the engine's data.

    my-index/
      manifest.json             its contents, with the size and SHA-256 of each data file
      data-3/                   the engine's files
      .hopweave-index.lock      held by the process that writes

A new state is built next to the old one, as `data-4`, and becomes current when the manifest is replaced, which is atomic in the
file system. A reader has the old files open and keeps its state. A crash leaves the old state and a folder that the next write
removes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from hopweave.core.errors import DataError
from hopweave.core.files import file_name, read_json, read_whole, refuse_links_out, sha256_of, write_whole
from hopweave.core.indexing import how_to_rebuild
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Passage

FORMAT_VERSION = 2
LABELS_SINCE = 2
"""The format of indexes that hold access labels, so that a hopweave without support for them refuses it; others have 1."""

MANIFEST = "manifest.json"
DATA_NAME = lazy_pattern(r"data-(\d+)")
FULL_CHECK_MAX_BYTES = 512 * 2**20
"""Up to this size, opening an index verifies every byte; above it, only file sizes."""

_FINGERPRINT_BITS = 128

Loaded = TypeVar("Loaded")


@dataclass(frozen=True, slots=True)
class DataFile:
    """Size and SHA-256 (hex) of a data file."""

    num_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of an index folder.

    Attributes:
        format_version: version of the folder's layout.
        engine: name of the retriever that built it.
        analyzer: how it turns text into terms.
        num_passages: number of passages.
        fingerprint: of its corpus; see `Fingerprint`.
        created_at: when it was built, UTC, ISO 8601.
        updated_at: when passages were last added or deleted.
        hopweave_version: the version that wrote it.
        data: name of the folder with the engine's files.
        files: the engine's files by name.
        state: numbers that the engine carries over between updates.
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


class Fingerprint:
    """Identifies a set of passages, regardless of order: by id, title and text, and by metadata, labels and sections if any.

    The sum of the passages' 128-bit BLAKE2b hashes, modulo 2^128, so that adding and deleting change it without reading the
    rest.
    """

    def __init__(self, hex_digits: str = "0") -> None:
        self._sum = int(hex_digits, 16)

    def add(self, passage: Passage) -> None:
        """Adds a passage."""
        self._sum = (self._sum + _passage_hash(passage)) % (1 << _FINGERPRINT_BITS)

    def remove(self, passage: Passage) -> None:
        """Removes a passage."""
        self._sum = (self._sum - _passage_hash(passage)) % (1 << _FINGERPRINT_BITS)

    def __str__(self) -> str:
        return f"{self._sum:032x}"


def _passage_hash(passage: Passage) -> int:
    # The lengths prevent collisions when text moves from one field to the next.
    content = f"{len(passage.id)} {len(passage.title)} {passage.id}{passage.title}{passage.text}"
    hashed = hashlib.blake2b(content.encode(), digest_size=_FINGERPRINT_BITS // 8)
    if passage.metadata or passage.access:
        kept = json.dumps([hashed.hexdigest(), sorted(passage.metadata.items()), sorted(passage.access)])
        hashed = hashlib.blake2b(kept.encode(), digest_size=_FINGERPRINT_BITS // 8, person=b"labels")
    if passage.sections:
        kept = json.dumps([hashed.hexdigest(), passage.sections])
        hashed = hashlib.blake2b(kept.encode(), digest_size=_FINGERPRINT_BITS // 8, person=b"sections")
    return int.from_bytes(hashed.digest(), "big")


def is_index(folder: Path) -> bool:
    """Whether a folder is an index, as far as can be told without reading its manifest."""
    return (folder / MANIFEST).is_file()


def read_manifest(folder: Path, engine: str | None = None) -> Manifest:
    """Reads the manifest of an index folder.

    Args:
        folder: the index.
        engine: the required engine, if any.

    Raises:
        DataError: if there is no index, it is of a newer format or another engine, or its manifest is damaged.
    """
    path = folder / MANIFEST
    try:
        if not path.is_file():  # reading a pipe would block
            raise FileNotFoundError
        values = read_json(read_whole(path))
        found_version = int(values["format_version"])
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(f"there is no index in {folder}; make one with: hopweave index PATH... --to {folder}") from None
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}; check its permissions") from None
    except (ValueError, TypeError, KeyError):
        raise damaged(folder, MANIFEST, "cannot be read") from None
    if found_version > FORMAT_VERSION:
        from importlib.metadata import version

        raise DataError(
            f"index {folder} has format version {found_version} and this hopweave ({version('hopweave')}) reads up to "
            f"{FORMAT_VERSION}; it was written by hopweave {values.get('hopweave_version', 'unknown')}: install that or newer"
        )
    if values.pop("checksum", None) != _checksum(values):
        raise damaged(folder, MANIFEST, "does not match its checksum")
    try:
        manifest = Manifest(**values | {"files": {name: DataFile(**file) for name, file in values["files"].items()}})
        names_no_folder = DATA_NAME.fullmatch(manifest.data) is None
    except (TypeError, KeyError, AttributeError):
        raise damaged(folder, MANIFEST, "does not have the fields of a manifest") from None
    if names_no_folder:
        raise damaged(folder, MANIFEST, f"names {manifest.data!r} as its data folder")
    for name in manifest.files:
        file_name(name.removeprefix("."), str(path))  # engines have hidden files
    refuse_links_out(folder)
    if engine is not None and manifest.engine != engine:
        raise DataError(
            f"index {folder} was built by {manifest.engine}, not {engine}; choose that retriever or build another index"
        )
    return manifest


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Makes a state of an index the current one; it is on disk when this returns.

    Raises:
        OSError: if it cannot be written. Then the previous state stays current.
    """
    values = asdict(manifest)
    content = json.dumps(values | {"checksum": _checksum(values)}, indent=1, ensure_ascii=False)
    write_whole(folder / MANIFEST, content + "\n", is_durable=True)


def _checksum(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def verify(folder: Path, manifest: Manifest, *, full: bool = False) -> None:
    """Checks that every data file exists and is unchanged.

    Args:
        folder: the index.
        manifest: its manifest.
        full: verify every byte whatever the size; otherwise only up to `FULL_CHECK_MAX_BYTES` in total.

    Raises:
        DataError: with the first file that has changed.
    """
    is_full = full or manifest.num_bytes <= FULL_CHECK_MAX_BYTES
    for name, expected in manifest.files.items():
        path = folder / manifest.data / name
        try:
            num_bytes = path.stat().st_size
            if num_bytes != expected.num_bytes:
                raise damaged(folder, f"{manifest.data}/{name}", f"has {num_bytes} bytes instead of {expected.num_bytes}")
            if is_full and sha256_of(path) != expected.sha256:
                raise damaged(folder, f"{manifest.data}/{name}", "does not match its checksum")
        except FileNotFoundError:
            raise damaged(folder, f"{manifest.data}/{name}", "is missing") from None
        except OSError as error:
            raise DataError(f"cannot read {path}: {error.strerror}; check its permissions and the disk") from None


def damaged(folder: Path, name: str, how: str) -> DataError:
    """The error for a corrupt index."""
    return DataError(f"index {folder} is damaged: file {name} {how}; {how_to_rebuild(folder)}")


def open_index(
    folder: Path, engine: str, load: Callable[[Path, Manifest], Loaded], *, full: bool = False
) -> tuple[Manifest, Loaded]:
    """Verifies an index and has an engine load it.

    Args:
        folder: the index.
        engine: the engine that it must have been built by.
        load: called with the data folder; raises `DataError` if it cannot be read.
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
            # A writer may have published a new state, and removed this one, since the manifest was read.
            current = read_manifest(folder, engine)
            if current.data == manifest.data:
                raise
            manifest = current
