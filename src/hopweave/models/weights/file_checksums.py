"""The checksums of model files, stored next to them so that later starts need not read whole files again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hopweave.core.errors import DataError
from hopweave.core.files import read_json, read_whole, sha256_of, write_whole
from hopweave.models.weights.known import KNOWN_MODELS, KnownModel, model_path


def model_identity(name: str) -> str:
    """Identifies a model's weights by checksum: that of the file in use or, for a known model that is absent, the known one.

    Raises:
        SettingsError: for an unknown name.
        DataError: for a file that cannot be read, or a known model's file with the wrong content.
    """
    path, known = model_path(name), KNOWN_MODELS.get(name)
    if known is not None and not path.is_file():
        return f"gguf:sha256:{known.sha256}"
    return f"gguf:sha256:{checked(known, path) if known is not None else checksum(path)}"


def checksum(path: Path) -> str:
    """The SHA-256 of a model file, from the note next to it if they still match, else computed and noted.

    They match while size, inode, and the times of the last change of content and of the inode are as noted. The first of these
    times can be forged, the second cannot.

    Raises:
        DataError: if the file cannot be read.
    """
    try:
        facts = facts_of(path)
        noted = read_note(note_beside(path))
        if noted.get("sha256") and {key: noted.get(key) for key in facts} == facts:
            return str(noted["sha256"])
        sha256 = sha256_of(path)
    except OSError as error:
        raise DataError(f"cannot read the model file {path}: {error.strerror}; fetch it with: hopweave models fetch") from None
    note_checksum(path, sha256, facts, source=str(noted.get("source", "")))
    return sha256


def checked(known: KnownModel, path: Path) -> str:
    """The checksum of a known model's file.

    Raises:
        DataError: if it is not the known one, or cannot be read.
    """
    sha256 = checksum(path)
    if sha256 != known.sha256:
        raise DataError(
            f"{path} is not {known.name}: its SHA-256 is {sha256}, expected {known.sha256}; it was modified on disk: run "
            f"hopweave models remove {known.name}, then hopweave models fetch {known.name}"
        )
    return sha256


def facts_of(path: Path) -> dict[str, int]:
    """Properties of a file that stay the same as long as nobody writes to it or replaces it."""
    status = path.stat()
    return {
        "size": status.st_size,
        "mtime_ns": status.st_mtime_ns,
        "ctime_ns": status.st_ctime_ns,
        "inode": status.st_ino,
    }


def note_beside(path: Path) -> Path:
    """The path of the note with a model file's checksum."""
    return path.with_name(f"{path.name}.json")


def note_checksum(path: Path, sha256: str, facts: Mapping[str, int], source: str) -> None:
    """Notes the checksum of a model file, and its source, for as long as the file has these properties."""
    try:
        write_note(note_beside(path), {"sha256": sha256, **facts, "source": source})
    except OSError:  # the folder is not writable: the file is hashed again next time
        return


def read_note(path: Path) -> Mapping[str, Any]:
    """The content of a small JSON file; empty if it is missing or cannot be read."""
    try:
        data = read_json(read_whole(path))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def write_note(path: Path, data: Mapping[str, Any]) -> None:
    """Writes a small JSON file.

    Raises:
        OSError: if it cannot be written.
    """
    write_whole(path, json.dumps(data, indent=1) + "\n")
