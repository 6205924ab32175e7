"""Names of files on the hub, `hf:OWNER/REPO[@REVISION]/FILE.gguf`, the names that they are stored under, and files in parts.

A large model may be split into parts, `NAME-00001-of-00003.gguf` and so on; llama.cpp is given the first and finds the others
next to it. Here the first part stands for the whole, whichever part was named.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path

from hopweave.core.errors import SettingsError
from hopweave.core.lazy_pattern import lazy_pattern

PREFIX = "hf:"

_FORM = "hf:OWNER/REPO/FILE.gguf, or hf:OWNER/REPO@REVISION/FILE.gguf"
# As the hub allows; two dots in a row would lead out of a folder.
_WORD = lazy_pattern(r"[A-Za-z0-9](?!.*\.\.)[A-Za-z0-9._-]{0,95}")
_PLACE = lazy_pattern(r"[^\x00-\x1f\x7f\\?#:*\"<>|]{1,200}")
_PART = lazy_pattern(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<total>\d{5})\.gguf", re.IGNORECASE)
_MAX_PARTS = 500
_MAX_STEM = 120
_MAIN = "main"


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file on the Hugging Face hub."""

    repository: str
    revision: str
    file_name: str


def is_hub_name(name: str) -> bool:
    """Whether a name means a file on the hub."""
    return name.startswith(PREFIX)


def hub_file(name: str) -> HubFile:
    """The file that a name means; the first part of a file in several.

    Raises:
        SettingsError: if it is not of the form `hf:OWNER/REPO/FILE.gguf`, or leads anywhere else.
    """
    owner, _, rest = name.removeprefix(PREFIX).partition("/")
    repository, _, place = rest.partition("/")
    repository, at, revision = repository.partition("@")
    revision = revision if at else _MAIN
    steps = place.split("/")
    is_valid = all(_WORD.fullmatch(word) for word in (owner, repository, revision))
    if not is_valid or not all(_PLACE.fullmatch(step) and step.strip(". ") for step in steps):
        raise SettingsError(f"{name!r} is not the name of a file on the hub; write it as {_FORM}")
    if not place.lower().endswith(".gguf"):
        raise SettingsError(f"{name!r} does not end in .gguf, and llama.cpp runs no other file; write it as {_FORM}")
    return parts_of(HubFile(f"{owner}/{repository}", revision, place))[0]


def name_of(hub: HubFile) -> str:
    """The name of a file on the hub."""
    at = "" if hub.revision == _MAIN else f"@{hub.revision}"
    return f"{PREFIX}{hub.repository}{at}/{hub.file_name}"


def parts_of(hub: HubFile) -> tuple[HubFile, ...]:
    """All parts of a file on the hub, in order; the file itself if it is whole.

    Raises:
        SettingsError: for a part that cannot be.
    """
    return tuple(replace(hub, file_name=name) for name in _part_names(hub.file_name))


def stored_as(hub: HubFile) -> str:
    """The name under which a file on the hub, or a part of one, is stored: readable, and unlike that of any other file.

    It contains a hash of the whole name: repositories often have files of the same name, and some file systems ignore case.

    Raises:
        SettingsError: for a part that cannot be.
    """
    first = _part_names(hub.file_name)[0]
    code = hashlib.sha256(name_of(replace(hub, file_name=first)).encode()).hexdigest()[:16]
    last = hub.file_name.rpartition("/")[2]
    part = _PART.fullmatch(last)
    stem = re.sub(r"[^\w.+=,@-]", "-", part["stem"] if part else last[: -len(".gguf")], flags=re.ASCII).lstrip(".")
    ending = f"-{part['number']}-of-{part['total']}" if part else ""
    return f"{stem[:_MAX_STEM]}.{code}{ending}.gguf"


def first_part(path: Path) -> Path:
    """The first part of a file in several; the path itself if the file is whole."""
    return parts_beside(path)[0]


def parts_beside(path: Path) -> tuple[Path, ...]:
    """The paths of all parts of a file, in order, whether or not they exist; the path itself if the file is whole."""
    try:
        return tuple(path.with_name(name) for name in _part_names(path.name))
    except SettingsError:  # a file may have any name
        return (path,)


def _part_names(name: str) -> list[str]:
    part = _PART.fullmatch(name)
    if part is None:
        return [name]
    number, total = int(part["number"]), int(part["total"])
    if not 1 <= number <= total <= _MAX_PARTS:
        raise SettingsError(f"{name!r} is not a part of a file: part {number} of {total}; check the name")
    ending = name[-len(".gguf") :]
    return [f"{part['stem']}-{one:05}-of-{total:05}{ending}" for one in range(1, total + 1)]
