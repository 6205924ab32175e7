"""Checks the inputs of a run against its manifest (data, indexes, plan, examples), and the manifest against its seal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hopweave.core.catalog import entries, load
from hopweave.core.errors import DataError, HopweaveError
from hopweave.core.indexing import IndexedRetriever
from hopweave.evaluation.integrity import manifest
from hopweave.evaluation.integrity.diff import Problem, Verification
from hopweave.evaluation.integrity.manifest import FileHash, Manifest, Source, hash_file, hash_source
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.paths import find
from hopweave.run.trust import PLAN


def check_inputs(run: RunFolder, found: Verification) -> Manifest | None:
    """Checks everything but records; returns the manifest, if it can be read."""
    try:
        known = Manifest.read(run.path)
        changes = manifest.alterations(run.path) if known is not None else []
    except DataError as error:
        found.differs(manifest.NAME, None, str(error))
        return None
    if known is None:
        found.differs(manifest.NAME, None, "it is missing, so the data of the run cannot be checked; restore it")
        return None
    if changes:
        found.differs(manifest.NAME, None, f"it was altered after it was written: {'; '.join(changes)}")
    if not hash_of_run_file(run.path / PLAN, known.plan, PLAN, found):
        found.altered.add(PLAN)  # the report is made from it, too
    for label, drawn in known.datasets.items():
        for source in drawn.sources:
            _check_source(run, known, source, f"the data of {label}", found)
        if not hash_of_run_file(run.examples_path(label), drawn.sha256, f"examples/{label}.jsonl", found):
            found.altered |= {f"{label}/{method}" for method in run.plan.methods}
    for corpus, source in known.indexes.items():
        _check_source(run, known, source, f"the index {corpus}", found, known.retrievers.get(corpus, ""))
    for path, sha256 in run.plan.files.items():
        source = Source(path, (FileHash(Path(path).name, 0, 0, sha256),))
        _check_source(run, known, source, "the code of a part", found)
    if not is_settled(known):
        found.notes.append("the last session of the run has not ended, so manifest.json does not cover its records yet")
    if any(session.code != manifest.hash_code() for session in known.sessions):
        found.notes.append("the run was made with other code of hopweave; numbers are from this code")
    return known


def is_settled(known: Manifest) -> bool:
    """Whether the last session ended, so that the manifest covers the records."""
    return bool(known.sessions) and bool(known.sessions[-1].ended_at)


def hash_of_run_file(place: Path, expected: str, name: str, found: Verification) -> bool:
    """Checks a file within the run against its hash; returns whether it is unchanged."""
    found.count("files")
    try:
        now = hash_file(place)
    except DataError as error:
        found.differs(name, None, str(error))
        return False
    if now != expected:
        found.differs(name, None, f"its SHA-256 was {expected}, is now {now}")
    return now == expected


def _check_source(run: RunFolder, known: Manifest, source: Source, what: str, found: Verification, retriever: str = "") -> None:
    """Checks a file or folder outside the run against its hashes, and an index against its checksums, wherever it is now."""
    place = find(source.path, known.base, run.path)
    if place is None:
        found.unchecked.append(f"{what}: {source.path} is not here; put it back, or verify where it is")
        return
    try:
        problems = list(_changed(source, hash_source(place), what))
    except DataError as error:
        found.unchecked.append(f"{what}: {error}")
        return
    found.count("files", len(source.files))
    broken = _index_problem(place, retriever)
    if broken:
        line, said = problems[0] if problems else (None, what)
        problems[:1] = [(line, f"{said}; {broken}")]
    found.hold(source.path, problems)


def _changed(source: Source, now: Source, what: str) -> Iterator[Problem]:
    if manifest.is_one_file(source) and manifest.is_one_file(now):
        before_file, now_file = source.files[0], now.files[0]
        if before_file.sha256 != now_file.sha256:
            yield None, f"{what}: SHA-256 was {before_file.sha256}, is now {now_file.sha256}"
        return
    before, after = ({file.path: file for file in each.files} for each in (source, now))
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            yield None, f"{what}: the file {name} was {_hashed(old)}, is now {_hashed(new)}"
        elif old.sha256 != new.sha256:
            yield None, f"{what}: the file {name} changed, its SHA-256 was {old.sha256}, is now {new.sha256}"


def _hashed(file: FileHash | None) -> str:
    return "absent" if file is None else f"there ({file.num_bytes:,} bytes)"


def _index_problem(folder: Path, identity: str) -> str:
    """The problems found by an engine that can check its own index; empty if there are none or it cannot."""
    name = identity.partition(" ")[0]
    if name not in entries("retrievers"):
        return ""
    try:
        part = load("retrievers", name)
        if isinstance(part, IndexedRetriever):
            part.check(folder)
    except HopweaveError as error:
        return str(error)
    return ""
