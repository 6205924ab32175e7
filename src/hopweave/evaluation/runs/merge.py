"""Merges the shards of a plan into one run, equal record by record to the run that one process makes.

Records are copied byte by byte, in the order of the questions, and get new checksums. So a shard is first verified against
its own checksums and hashes; otherwise an altered record of a shard would look genuine.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.files import open_regular
from hopweave.evaluation.integrity import checksums, manifest
from hopweave.evaluation.integrity.manifest import DrawnExamples, KeptRecords, Manifest, RunSession, hash_file
from hopweave.evaluation.runs.folder import RunFolder, differences_in_full, id_in
from hopweave.evaluation.runs.paths import Base
from hopweave.evaluation.runs.shard import Shard, rejoined
from hopweave.evaluation.runs.writing import alone
from hopweave.run.store.store import Store
from hopweave.run.trust import PLAN, is_trusted, trust_own

_LINES_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Merged:
    """The number of merged records, and of replies merged from the shards' own stores."""

    num_records: int
    num_replies: int


@dataclass(frozen=True, slots=True)
class _Part:
    """A complete shard."""

    shard: Shard
    folder: RunFolder
    known: Manifest

    @property
    def named(self) -> str:
        return f"shard {self.shard} in {self.folder.path}"


def merge(shards: Sequence[Path], out: Path) -> Merged:
    """Merges the shards of a plan.

    Args:
        shards: the folders of all of them, in any order.
        out: of the merged run; missing or empty.

    Raises:
        DataError: if a folder is not a shard, is incomplete, was altered or cannot be read; if two folders are of one shard,
            one is missing, or they are not of the same plan and data; or if `out` cannot be written.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir()) or out.samefile(Path.cwd())):
        raise DataError(f"{out} already exists; use another folder for the merged run")
    parts = _all_of_one_plan([_opened(path) for path in shards])
    are_trusted = all(is_trusted(part.folder.found) or not part.folder.found.guarded for part in parts)
    draft = out.with_name(f".{out.name}.merging")
    with alone(draft):
        _empty(draft)
        folder = RunFolder.create(draft, replace(parts[0].folder.plan, shard=""), is_trusted=False)
        _merge_examples(parts, folder)
        records = {cell: _merge_records(parts, folder, *cell) for cell in _cells(folder)}
        num_replies = _merge_stores(parts, folder)
        _manifest_of(parts, folder, records, out).write(draft)
    try:
        if out.exists():
            out.rmdir()
        draft.rename(out)
    except OSError as error:
        raise DataError(f"cannot write {out}: {error.strerror}; use another folder") from None
    if are_trusted:
        trust_own(RunFolder.open(out).found)
    return Merged(sum(kept.num_records for kept in records.values()), num_replies)


def _opened(path: Path) -> _Part:
    folder = RunFolder.open(path)
    if not folder.plan.shard:
        raise DataError(
            f"{path} is a run of all questions, not a shard; make shards with: hopweave evaluate --shard NUMBER/COUNT"
        )
    shard, known = Shard.of(folder.plan.shard), Manifest.read(path)
    num_planned = sum(len(folder.examples(label)) for label in folder.plan.datasets if folder.has_examples(label))
    num_planned *= len(folder.plan.methods)
    num_done = sum(kept.num_records for kept in known.records.values()) if known is not None else 0
    if known is None or not known.is_complete or not known.sessions[-1].ended_at:
        raise DataError(
            f"shard {shard} in {path} is not complete ({num_done:,} of {num_planned:,} records when it last ended); finish it "
            f"with: hopweave evaluate --out {path}"
        )
    part = _Part(shard, folder, known)
    problem = next(_alterations(part), None)
    if problem is not None:
        raise DataError(f"{part.named} is not as it was written: {problem}; see: hopweave verify {path}")
    return part


def _alterations(part: _Part) -> Iterator[str]:
    yield from manifest.alterations(part.folder.path)
    if hash_file(part.folder.path / PLAN) != part.known.plan:
        yield f"{PLAN} changed"
    for label in part.folder.plan.datasets:
        if hash_file(part.folder.examples_path(label)) != part.known.datasets[label].sha256:
            yield f"the examples of {label} changed"
    for dataset, method in _cells(part.folder):
        place = part.folder.records_path(dataset, method)
        kept = part.known.records.get(f"{dataset}/{method}")
        if kept is None or hash_file(place) != kept.sha256:
            yield f"{place.name} of {dataset} changed"
        yield from (f"{place.name} of {dataset}, line {number}: {what}" for number, what in checksums.problems(place))


def _all_of_one_plan(found: Sequence[_Part]) -> list[_Part]:
    """The shards in the order of their numbers."""
    if not found:
        raise SettingsError("no shards to merge; name the folder of each")
    parts = sorted(found, key=lambda part: part.shard)
    first = parts[0]
    for one, other in pairwise(parts):
        if one.shard.count != other.shard.count:
            counts = f"{one.folder.path} is one of {one.shard.count} shards, {other.folder.path} one of {other.shard.count}"
            raise DataError(f"{counts}; name the shards of one plan")
        if one.shard == other.shard:
            raise DataError(f"{one.folder.path} and {other.folder.path} are both shard {one.shard}; name one of them")
    missing = sorted({*range(1, first.shard.count + 1)} - {part.shard.number for part in parts})
    if missing:
        named = ", ".join(f"{number}/{first.shard.count}" for number in missing[:5]) + " and more" * (len(missing) > 5)
        raise DataError(f"shard{'s' * (len(missing) > 1)} {named} missing; name the folders of all shards")
    for part in parts[1:]:
        changed = [
            *differences_in_full(replace(first.folder.plan, shard=""), replace(part.folder.plan, shard="")),
            *manifest.differences(first.known, part.known),
            *(
                f"other questions of {label} were drawn"
                for label, drawn in part.known.datasets.items()
                if label in first.known.datasets and first.known.datasets[label].whole != drawn.whole
            ),
        ]
        if changed:
            raise DataError(
                f"{first.named} and {part.named} are not of one plan: {'; '.join(changed)}; make them again with the same plan "
                "and data"
            )
    return parts


def _empty(draft: Path) -> None:
    """Removes everything that a killed merge has left except the lock."""
    for path in draft.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != ".lock":
            path.unlink()


def _cells(folder: RunFolder) -> Iterator[tuple[str, str]]:
    return ((dataset, method) for method in folder.plan.methods for dataset in folder.plan.datasets)


def _merge_examples(parts: Sequence[_Part], folder: RunFolder) -> None:
    for label in folder.plan.datasets:
        folder.keep_examples(label, rejoined([part.folder.examples(label) for part in parts]))
        if hash_file(folder.examples_path(label)) != parts[0].known.datasets[label].whole:
            raise DataError(f"the shards together do not have the questions that were drawn from {label!r}; make them again")


def _merge_records(parts: Sequence[_Part], folder: RunFolder, dataset: str, method: str) -> KeptRecords:
    """Copies the records of a cell; the records of a question that was asked again stay together."""
    places = [part.folder.records_path(dataset, method) for part in parts]
    lines = [_places_of_lines(place) for place in places]
    batch: list[bytes] = []
    names = [example.question.id for example in folder.examples(dataset)]
    files = [open_regular(place) for place in places]
    try:
        for number, name in enumerate(names):
            shard = number % len(parts)
            if name not in lines[shard]:
                raise DataError(
                    f"{parts[shard].named} has no record of question {name!r}; see: hopweave verify {parts[shard].folder.path}"
                )
            for start, size in lines[shard][name]:
                files[shard].seek(start)
                batch.append(files[shard].read(size))
            if len(batch) >= _LINES_AT_ONCE or number + 1 == len(names):
                folder.add_lines(dataset, method, batch)
                batch.clear()
    finally:
        for file in files:
            file.close()
    num_failed = sum(part.known.records[f"{dataset}/{method}"].num_failed for part in parts)
    return KeptRecords(hash_file(folder.records_path(dataset, method)), len(names), num_failed)


def _places_of_lines(place: Path) -> dict[str, list[tuple[int, int]]]:
    """Where the records of each question are in a file: first byte and length."""
    found: dict[str, list[tuple[int, int]]] = {}
    start = 0
    for line in checksums.lines_in(place):
        found.setdefault(id_in(line) or "", []).append((start, len(line)))
        start += len(line)
    return found


def _merge_stores(parts: Sequence[_Part], folder: RunFolder) -> int:
    """Copies the replies that shards kept in separate stores; returns how many the run's store then has."""
    own = [part for part in parts if any(session.store == "" for session in part.known.sessions)]
    if not own:
        return 0
    merged = Store(folder.store_path)
    try:
        for part in own:
            store = Store(part.folder.store_path, "replay")
            try:
                for key, stored in store.items():
                    standing = merged.put(key, stored)
                    if standing.reply is not None and stored.reply is not None and standing.reply.text != stored.reply.text:
                        raise DataError(
                            f"{part.named} made the same call as a shard before it and got a different reply, which "
                            "cannot happen in one process; run the shards again with one store for all"
                        )
            finally:
                store.close()
        return len(merged)
    finally:
        merged.close()


def _manifest_of(
    parts: Sequence[_Part], folder: RunFolder, records: Mapping[tuple[str, str], KeptRecords], out: Path
) -> Manifest:
    prompts: dict[str, set[str]] = {}
    for part in parts:
        for name, prints in part.known.prompts.items():
            prompts.setdefault(name, set()).update(prints)
    return replace(
        parts[0].known,
        plan=hash_file(folder.path / PLAN),
        datasets={
            label: DrawnExamples(drawn.sources, len(folder.examples(label)), hash_file(folder.examples_path(label)))
            for label, drawn in parts[0].known.datasets.items()
        },
        prompts={name: tuple(sorted(prints)) for name, prints in sorted(prompts.items())},
        records={f"{dataset}/{method}": kept for (dataset, method), kept in records.items()},
        sessions=tuple(_sessions(parts)),
        base=_base_of(parts[0], out),
    )


def _sessions(parts: Sequence[_Part]) -> Iterator[RunSession]:
    for part in parts:
        for session in part.known.sessions:
            yield replace(session, shard=str(part.shard))


def _base_of(part: _Part, out: Path) -> Base:
    """The working directory of a shard, as the merged run stores it."""
    base = part.known.base
    if not base.from_run:
        return base
    try:
        way = os.path.relpath((part.folder.path / base.from_run).resolve(), out.resolve())
    except ValueError:  # on another drive
        way = ""
    return replace(base, from_run=Path(way).as_posix() if way else "")
