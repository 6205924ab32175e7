"""The checksums of model files, stored next to them so that later starts need not read whole files again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hopweave.core.errors import DataError
from hopweave.core.files import read_json, read_whole, sha256_of, write_whole
from hopweave.models.weights.hub_names import is_hub_name, parts_beside
from hopweave.models.weights.known import known_file, model_path


def model_identity(name: str) -> str:
    """Identifies a model's weights by checksum: that of the file in use or, for an absent model whose checksum is known, that.

    A file in several parts is identified by a hash of their checksums.

    Raises:
        SettingsError: for an unknown name.
        DataError: for a file that cannot be read, or that was modified since it was fetched.
    """
    path, known = model_path(name), known_file(name)
    if known is not None and known.sha256 and not path.is_file():
        return f"gguf:sha256:{known.sha256}"
    checksums = [checked(name, part) for part in parts_beside(path)]
    if len(checksums) == 1:
        return f"gguf:sha256:{checksums[0]}"
    return f"gguf-parts:sha256:{hashlib.sha256(' '.join(checksums).encode()).hexdigest()}"


def checksum(path: Path, *, how_to_get: str = "hopweave models fetch") -> str:
    """The SHA-256 of a model file, from the note next to it if they still match, else computed and noted.

    They match while size, inode, and the times of the last change of content and of the inode are as noted. The first of these
    times can be forged, the second cannot.

    Args:
        path: the file.
        how_to_get: the command that fetches it, for the message.

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
        raise DataError(f"cannot read the model file {path}: {error.strerror}; fetch it with: {how_to_get}") from None
    note_checksum(path, sha256, facts, source=str(noted.get("source", "")), published=str(noted.get("published", "")))
    return sha256


def checked(name: str, path: Path) -> str:
    """The checksum of a model's file, or of a part of one.

    Args:
        name: of the model.
        path: the file.

    Raises:
        DataError: if it is not the known one or, for a model without one, the one that the hub published; or if the file cannot
            be read.
    """
    known = known_file(name)
    sha256 = checksum(
        path, how_to_get=f"hopweave models fetch {name}" if known or is_hub_name(name) else "hopweave models fetch"
    )
    expected = known.sha256 if known and known.sha256 else read_note(note_beside(path)).get("published") or sha256
    if sha256 != expected:
        raise DataError(
            f"{path} is not {name}: its SHA-256 is {sha256}, expected {expected}; it was modified on disk: run "
            f"hopweave models remove {name}, then hopweave models fetch {name}"
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


def note_checksum(path: Path, sha256: str, facts: Mapping[str, int], source: str, published: str = "") -> None:
    """Notes the checksum of a model file, for as long as the file has these properties.

    Args:
        path: the file.
        sha256: its checksum.
        facts: its properties.
        source: where it came from.
        published: the checksum that it must have, if that is known from the hub alone.
    """
    known_from_hub = {"published": published} if published else {}
    try:
        write_note(note_beside(path), {"sha256": sha256, **facts, "source": source, **known_from_hub})
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
