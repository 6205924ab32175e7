"""What the formats of Office Open XML (ISO/IEC 29500) share: short names, relations between parts, and the title."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import NamedTuple

from hopweave.ingest.zipped import Archive

_CORE = "docProps/core.xml"
_CORE_TITLE = "http://purl.org/dc/elements/1.1/ title"
_SCHEMAS = {"w": "wordprocessingml", "p": "presentationml", "s": "spreadsheetml", "a": "drawingml", "m": "officeDocument"}
_PREFIXES = {
    **{f"http://schemas.openxmlformats.org/{schema}/2006/main": prefix for prefix, schema in _SCHEMAS.items()},
    **{f"http://purl.oclc.org/ooxml/{schema}/main": prefix for prefix, schema in _SCHEMAS.items()},
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
}


class Relation(NamedTuple):
    """A part that another one refers to.

    Attributes:
        kind: such as `slide`.
        target: the name of the part.
    """

    kind: str
    target: str


def short(name: str) -> str:
    """The name of an element with the usual prefix of its namespace, such as `w:p`; of a foreign one, the full name."""
    namespace, _, local = name.partition(" ")
    prefix = _PREFIXES.get(namespace)
    return f"{prefix}:{local}" if prefix else name


def value_of(attributes: Mapping[str, str], name: str = "val") -> str:
    """An attribute, with or without a namespace; empty if it is missing."""
    if name in attributes:
        return attributes[name]
    return next((value for key, value in attributes.items() if key.endswith(f" {name}")), "")


def relations(archive: Archive, part: str) -> dict[str, Relation]:
    """The parts that a part refers to, by their ids there.

    Args:
        archive: the file.
        part: its name; empty for the file as a whole.

    Raises:
        DataError: as `Archive.parse`.
    """
    folder, name = posixpath.split(part)
    found: dict[str, Relation] = {}

    def start(_: str, attributes: Mapping[str, str]) -> None:
        if "Target" in attributes and attributes.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, attributes["Target"])).lstrip("/")
            found[attributes.get("Id", "")] = Relation(attributes.get("Type", "").rpartition("/")[2], target)

    listed = posixpath.join(folder, "_rels", f"{name}.rels")
    if listed in archive:
        archive.parse(listed, start)
    return found


def main_part(archive: Archive, usual: str) -> str:
    """The name of the part that the others belong to; the usual one if the file does not say.

    Raises:
        DataError: as in `relations`.
    """
    found = (one.target for one in relations(archive, "").values() if one.kind == "officeDocument")
    return next(found, usual)


def title_of(archive: Archive) -> str:
    """The title in the properties of the file; empty if there is none."""
    within: list[str] = []
    pieces: list[str] = []
    if _CORE in archive:
        archive.parse(
            _CORE,
            lambda name, _: within.append(name),
            lambda _: within.clear(),
            lambda text: pieces.append(text) if within[-1:] == [_CORE_TITLE] else None,
        )
    return " ".join("".join(pieces).split())
