"""Compound files ([MS-CFB], version 3), which hold the documents of old Office programs and messages of Outlook."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SECTOR, _MINI_SECTOR, _SMALL = 512, 64, 4096
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_NUM_IN_HEADER, _NUM_IN_SECTOR = 109, _SECTOR // 4
_STORAGE, _STREAM, _ROOT = 1, 2, 5


@dataclass(slots=True)
class _Entry:
    """An entry of the directory: a storage, or a stream; a storage has others within it."""

    name: str
    kind: int = _STORAGE
    content: bytes = b""
    within: dict[str, _Entry] = field(default_factory=dict)
    left: int = _FREE
    right: int = _FREE
    child: int = _FREE
    is_red: bool = False
    start: int = 0


def compound_file(streams: Mapping[str, bytes]) -> bytes:
    """A compound file of up to 6 MB.

    Args:
        streams: their contents by their paths, such as `WordDocument` or `attachment/text`; the storages are made for them.
    """
    entries = _directory(streams)
    mini, mini_fat = _mini_stream(entries)
    entries[0].content = mini
    large = [entry for entry in entries if entry.kind == _ROOT or len(entry.content) >= _SMALL]
    num_directory = _num_sectors(len(entries) * 128)
    chains = [num_directory, _num_sectors(len(mini_fat) * 4), *(_num_sectors(len(entry.content)) for entry in large)]
    num_fat = 1
    while num_fat * _NUM_IN_SECTOR < num_fat + sum(chains):
        num_fat += 1
    if num_fat > _NUM_IN_HEADER:
        raise ValueError("more than such a file holds without a further list of sectors")
    fat = [_FAT] * num_fat
    starts = []
    for length in chains:
        starts.append(len(fat) if length else _END)
        fat += [*range(len(fat) + 1, len(fat) + length), _END][:length]
    fat += [_FREE] * (num_fat * _NUM_IN_SECTOR - len(fat))
    for entry, start in zip(large, starts[2:], strict=True):
        entry.start = start
    header = struct.pack(
        "<8s16x5H6x9L",
        *(_SIGNATURE, 0x3E, 3, 0xFFFE, 9, 6),
        *(0, num_fat, starts[0], 0, _SMALL, starts[1], chains[1], _END, 0),
    ) + _numbers([*range(num_fat), *[_FREE] * (_NUM_IN_HEADER - num_fat)])
    pieces = [_numbers(fat), b"".join(map(_written, entries)), _numbers(mini_fat), *(entry.content for entry in large)]
    return header + b"".join(map(_padded, pieces))


def _directory(streams: Mapping[str, bytes]) -> list[_Entry]:
    """All entries, the root first; those within each storage are a balanced tree."""
    root = _Entry("Root Entry", _ROOT)
    for path, content in streams.items():
        *storages, name = path.split("/")
        storage = root
        for one in storages:
            storage = storage.within.setdefault(one, _Entry(one))
        storage.within[name] = _Entry(name, _STREAM, content)
    entries = [root]
    for entry in entries:  # which grows meanwhile
        ordered = sorted(entry.within.values(), key=lambda one: (len(_utf_16(one.name)), one.name.upper()))
        entry.child = _tree(ordered, len(entries))
        entries += ordered
    return entries


def _tree(ordered: Sequence[_Entry], first: int) -> int:
    """Makes a tree of entries; returns the number of its top, of which `first` is that of the first entry."""
    deepest = len(ordered).bit_length()
    waiting: list[tuple[int, int, int, _Entry | None, str]] = [(0, len(ordered), 1, None, "")]
    top = _FREE
    while waiting:
        start, end, depth, above, side = waiting.pop()
        if start == end:
            continue
        middle = (start + end) // 2
        if above is None:
            top = first + middle
        else:
            setattr(above, side, first + middle)
        ordered[middle].is_red = 1 < depth == deepest
        waiting += [(start, middle, depth + 1, ordered[middle], "left"), (middle + 1, end, depth + 1, ordered[middle], "right")]
    return top


def _mini_stream(entries: Sequence[_Entry]) -> tuple[bytes, list[int]]:
    """The contents of all short streams, and the chains of their sectors."""
    pieces: list[bytes] = []
    fat: list[int] = []
    for entry in entries:
        if entry.kind == _STREAM and len(entry.content) < _SMALL:
            length = -(-len(entry.content) // _MINI_SECTOR)
            entry.start = len(fat) if length else _END
            fat += [*range(len(fat) + 1, len(fat) + length), _END][:length]
            pieces.append(entry.content.ljust(length * _MINI_SECTOR, b"\0"))
    return b"".join(pieces), fat


def _written(entry: _Entry) -> bytes:
    name = _utf_16(entry.name) + b"\0\0"
    if len(name) > 64:
        raise ValueError(f"a name of more than 31 characters: {entry.name}")
    return struct.pack(
        "<64sHBB3L36xLQ",
        *(name, len(name), entry.kind, 0 if entry.is_red else 1, entry.left, entry.right, entry.child),
        *(entry.start, len(entry.content)),
    )


def _utf_16(text: str) -> bytes:
    return text.encode("utf-16-le")


def _numbers(numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}L", *numbers)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % _SECTOR)


def _num_sectors(num_bytes: int) -> int:
    return -(-num_bytes // _SECTOR)
