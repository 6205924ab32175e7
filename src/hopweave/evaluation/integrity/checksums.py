"""The proof of a file of records: `METHOD.proof`, next to `METHOD.jsonl`, which reveals a single altered digit.

A line of the proof belongs to the line of records with the same number: the SHA-256 of the line together with the one before
it, where the line ends, and a short hash of each part of the record (`answer.short`, `steps.12`), which shows what was altered.
The proof of a line is on disk before the line, so no record lacks one; leftovers of a kill are cut off again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path
from typing import Any

from hopweave.core.errors import DataError
from hopweave.core.files import MAX_HELD_BYTES, read_json, read_lines

_LAST_LINE_BYTES = 1 << 16
_START = "0" * 64
_SHOWN_CHARACTERS = 60
_MAX_CHANGES = 5


def path_of(records: Path) -> Path:
    """The proof of a file of records."""
    return records.with_suffix(".proof")


def add(records: Path, lines: Sequence[bytes]) -> None:
    """Writes the proof of lines that are about to be added to a file of records; it is on disk when this returns.

    Args:
        records: the file, which need not exist yet. All lines in it end with a newline.
        lines: each with its newline.

    Raises:
        OSError: if it cannot be written.
        DataError: if the existing proof cannot be read.
    """
    place = path_of(records)
    end = records.stat().st_size if records.exists() else 0
    with place.open("a+b") as file:
        chain = _cut(file, place, end)
        for line in lines:
            end += len(line)
            chain = _chained(chain, line)
            file.write(json.dumps(_proof_of(line, end, chain)).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def repair(records: Path) -> None:
    """Cuts off the proofs of lines that were not written because of a kill.

    Raises:
        DataError: if the last line of the proofs is not one.
    """
    place = path_of(records)
    if place.exists():
        with place.open("r+b") as file:
            _cut(file, place, records.stat().st_size if records.exists() else 0)


def problems(records: Path, question_ids: Iterable[str] = ()) -> Iterator[tuple[int, str]]:
    """Yields the number of each line that is not as it was written, and what is wrong with it.

    A record that was removed, inserted or moved is one problem, however many lines follow it.

    Args:
        records: the file.
        question_ids: used to name the question of a missing record.

    Raises:
        DataError: if either file cannot be read, or a line of one is longer than any in a run.
    """
    lines, proofs = lines_in(records), lines_in(path_of(records))
    chain, number, end = _START, 0, 0
    for line, proof in zip_longest(lines, proofs):
        expected = _sha256_of(proof)
        if line is None or expected is None or _chained(chain, line) != expected:
            rest = ([one for one in (line, *lines) if one is not None], [one for one in (proof, *proofs) if one is not None])
            names = {_short_hash(one): one for one in question_ids}
            yield from _Aligned(path_of(records).name, *rest, chain, number, names).problems()
            return
        chain, number, end = expected, number + 1, end + len(line)
        if proof is None or read_json(proof) != _proof_of(line, end, chain):
            yield number, f"its proof in {path_of(records).name} was altered, the record was not"


def parts_of(document: Mapping[str, Any]) -> dict[str, str]:
    """A short hash of each part of a JSON object: of each value at its top, and of each one in the mappings and lists there."""
    return {name: _short_hash(value) for name, value in _named(document)}


def changes(document: Mapping[str, Any], parts: Mapping[str, str]) -> list[str]:
    """The changes since `parts_of` was computed, at most five."""
    now = dict(_named(document))
    changed = [f"{name} is now {_shown(value)}" for name, value in now.items() if parts.get(name) != _short_hash(value)]
    return [*changed, *(f"{name} is missing" for name in parts if name not in now)][:_MAX_CHANGES]


@dataclass(slots=True)
class _Aligned:
    """Lines of a file and lines of its proof, from the first mismatch on.

    Attributes:
        name: of the proof.
        chain: the hash that the first proof continues.
        num_before: lines before these.
        names: ids of questions, by their short hash.
    """

    name: str
    lines: list[bytes]
    proofs: list[bytes]
    chain: str
    num_before: int
    names: Mapping[str, str]

    def problems(self) -> Iterator[tuple[int, str]]:
        """See the function of that name."""
        self._drop_what_holds_at_the_end()
        there, proved = [_question_of(line) for line in self.lines], [_proved_question(proof) for proof in self.proofs]
        matcher = SequenceMatcher(None, there, proved, autojunk=False)
        for kind, first, last, first_proof, last_proof in matcher.get_opcodes():
            num_pairs = min(last - first, last_proof - first_proof) if kind in ("equal", "replace") else 0
            for offset in range(num_pairs):
                what = self._altered(self.lines[first + offset], first_proof + offset)
                if what:
                    yield self.num_before + first + offset + 1, what
            for place in range(first + num_pairs, last):
                what = f"it has no proof in {self.name}: it was added, doubled or moved by hand, or the proof was cut"
                yield self.num_before + place + 1, what
            for place in range(first_proof + num_pairs, last_proof):
                question = self.names.get(proved[place])
                of = f" of question {question!r}" if question is not None else ""
                yield self.num_before + place + 1, f"the record{of} that was written here is missing"

    def _drop_what_holds_at_the_end(self) -> None:
        while self.lines and self.proofs and not self._altered(self.lines[-1], len(self.proofs) - 1):
            self.lines.pop()
            self.proofs.pop()

    def _altered(self, line: bytes, place: int) -> str:
        expected = _sha256_of(self.proofs[place])
        before = _sha256_of(self.proofs[place - 1]) if place else self.chain
        if expected is None or before is None:
            return f"its proof in {self.name} cannot be read"
        found = _chained(before, line)
        if found == expected:
            return ""
        said = "".join(f"{text}; " for text in _changes_of(line, read_json(self.proofs[place])["parts"]))
        return f"it was altered after it was written: {said}SHA-256 was {expected}, is now {found}"


def _sha256_of(proof: bytes | None) -> str | None:
    """The hash in a line of a proof; `None` if there is none or it is unreadable."""
    try:
        held = read_json(proof or b"")
        return str(held["sha256"]) if isinstance(held["parts"], dict) else None
    except (ValueError, KeyError, TypeError):
        return None


def _question_of(line: bytes) -> str:
    """The short hash of the id of a record's question; for a line that is not a record, of the line itself."""
    try:
        return _short_hash(read_json(line)["question"]["id"])
    except (ValueError, KeyError, TypeError):
        return repr(line)


def _proved_question(proof: bytes) -> str:
    try:
        return str(read_json(proof)["parts"]["question.id"])
    except (ValueError, KeyError, TypeError):
        return ""


def _cut(file: Any, place: Path, end: int) -> str:
    """Cuts off what belongs to no line up to `end`, and returns the hash that the next line continues."""
    while True:
        size = file.seek(0, os.SEEK_END)
        if not size:
            return _START
        data = _tail(file, place, size)
        if data.endswith(b"\n"):
            try:
                held = json.loads(data)
                if held["end"] <= end:
                    return str(held["sha256"])
            except (ValueError, KeyError, TypeError):
                raise DataError(f"the last line of {place} is not the proof of a record; restore it") from None
        file.truncate(size - len(data))


def _tail(file: Any, place: Path, size: int) -> bytes:
    """The last line, with its newline if it has one."""
    block = _LAST_LINE_BYTES
    while True:
        start = max(0, size - block)
        file.seek(start)
        data: bytes = file.read(size - start)
        before = data.rfind(b"\n", 0, len(data) - 1)
        if before >= 0 or not start:
            return data[before + 1 :]
        if block > MAX_HELD_BYTES:
            raise DataError(f"the last line of {place} is longer than any proof of a record; restore it")
        block *= 2


def lines_in(path: Path) -> Iterator[bytes]:
    """The lines of a file of a run, each with its newline; none if it does not exist.

    Raises:
        DataError: if it cannot be read, or a line is longer than any in a run.
    """
    try:
        yield from read_lines(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}; restore the file") from None


def _proof_of(line: bytes, end: int, chain: str) -> dict[str, Any]:
    return {"end": end, "sha256": chain, "parts": parts_of(json.loads(line))}


def _chained(chain: str, line: bytes) -> str:
    return hashlib.sha256(chain.encode() + line).hexdigest()


def _named(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
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


def _changes_of(line: bytes, parts: Mapping[str, str]) -> list[str]:
    try:
        return changes(read_json(line), parts)
    except (ValueError, AttributeError):
        return ["it is not JSON any more"]


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."
