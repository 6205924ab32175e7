"""The proof of a file of records: beside `METHOD.jsonl` stands `METHOD.proof`, by which an altered digit is found.

A line of the proof belongs to the line of records of the same number: the SHA-256 of the line together with the one before it,
where the line ends, and a short hash of each part of the record (`answer.short`, `steps.12`), which tells what was altered. The
proof of a line is on disk before the line is, so no record is ever without; what a kill leaves over is cut off again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from hopweave.errors import DataError

_LAST_LINE_BYTES = 1 << 16
_START = "0" * 64
_SHOWN_CHARACTERS = 60


def path_of(records: Path) -> Path:
    """The proof of a file of records."""
    return records.with_suffix(".proof")


def add(records: Path, lines: Sequence[bytes]) -> None:
    """Proves lines that are about to be added to a file of records; the proof is on disk when this returns.

    Args:
        records: the file, which need not be there yet. All lines in it end with a newline.
        lines: each with its newline.

    Raises:
        OSError: if it cannot be written.
        DataError: if the proof that is there cannot be read.
    """
    place = path_of(records)
    end = records.stat().st_size if records.exists() else 0
    with place.open("a+b") as file:
        chain = _cut(file, place, end)
        for line in lines:
            end += len(line)
            chain = _chained(chain, line)
            file.write(json.dumps({"end": end, "sha256": chain, "parts": _parts(line)}).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def mend(records: Path) -> None:
    """Cuts off the proofs of lines that a kill kept from being written."""
    place = path_of(records)
    if place.exists():
        with place.open("r+b") as file:
            _cut(file, place, records.stat().st_size if records.exists() else 0)


def problems(records: Path) -> Iterator[tuple[int, str]]:
    """Yields the number of each line that is not as it was written, and what is wrong with it."""
    lines = _lines(records)
    proofs = _lines(path_of(records))
    chain = _START
    for number, (line, proof) in enumerate(zip_longest(lines, proofs), start=1):
        if line is None:
            yield number, "the record that was written here is missing"
            return
        if proof is None:
            yield number, f"it has no proof in {path_of(records).name}: it was added by hand, or the proof was cut"
            return
        try:
            held = json.loads(proof)
            expected, parts = str(held["sha256"]), dict(held["parts"])
        except (ValueError, KeyError, TypeError):
            yield number, f"its proof in {path_of(records).name} cannot be read"
            return
        found = _chained(chain, line)
        if found != expected:
            yield number, f"it was altered after it was written: {_altered(line, parts)}SHA-256 was {expected}, is now {found}"
        chain = expected


def _cut(file: Any, place: Path, end: int) -> str:
    """Cuts off what belongs to no line up to `end`, and returns the hash that the next line goes on from."""
    while True:
        size = file.seek(0, os.SEEK_END)
        if not size:
            return _START
        data = _tail(file, size)
        if data.endswith(b"\n"):
            try:
                held = json.loads(data)
                if held["end"] <= end:
                    return str(held["sha256"])
            except (ValueError, KeyError, TypeError):
                raise DataError(f"the last line of {place} is no proof of a record; restore it") from None
        file.truncate(size - len(data))


def _tail(file: Any, size: int) -> bytes:
    """The last line, with its newline if it has one."""
    block = _LAST_LINE_BYTES
    while True:
        start = max(0, size - block)
        file.seek(start)
        data: bytes = file.read(size - start)
        before = data.rfind(b"\n", 0, len(data) - 1)
        if before >= 0 or not start:
            return data[before + 1 :]
        block *= 2


def _lines(path: Path) -> Iterator[bytes]:
    if path.exists():
        with path.open("rb") as file:
            yield from file


def _chained(chain: str, line: bytes) -> str:
    return hashlib.sha256(chain.encode() + line).hexdigest()


def _parts(line: bytes) -> dict[str, str]:
    return {name: _short_hash(value) for name, value in _named(json.loads(line))}


def _named(record: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in record.items():
        match value:
            case dict():
                yield from ((f"{key}.{inner}", item) for inner, item in value.items())
            case list():
                yield from ((f"{key}.{place}", item) for place, item in enumerate(value))
            case _:
                yield key, value


def _short_hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def _altered(line: bytes, parts: dict[str, str]) -> str:
    try:
        now = dict(_named(json.loads(line)))
    except (ValueError, AttributeError):
        return "it is no JSON any more; "
    changed = [f"{name} is now {_shown(value)}" for name, value in now.items() if parts.get(name) != _short_hash(value)]
    gone = [f"{name} is missing" for name in parts if name not in now]
    return "".join(f"{text}; " for text in (changed + gone)[:5])


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."
