"""What a run depends on and what it produced, as hashes: written when the run starts, completed when it ends.

`hopweave verify` computes them again. A hash is a SHA-256 in hexadecimal digits.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, Field, TypeAdapter, ValidationError

from hopweave.core.errors import DataError
from hopweave.core.files import FOLDER, read_json, read_whole, sha256_of, walk
from hopweave.evaluation.integrity import checksums
from hopweave.evaluation.runs.paths import Base, find
from hopweave.evaluation.runs.writing import write_file

SCHEMA = "hopweave.manifest/1"
NAME = "manifest.json"

_PACKAGE = Path(__file__).parents[2]
_CODE = (".py", ".toml", ".jsonl", ".json")


@dataclass(frozen=True, slots=True)
class FileHash:
    """A file: its path (relative to its folder, if in one), its size, when it was last changed, and its hash."""

    path: str
    num_bytes: int
    modified_ns: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Source:
    """A file or a folder that the run read, with the hash of each file."""

    path: str
    files: tuple[FileHash, ...]


@dataclass(frozen=True, slots=True)
class DrawnExamples:
    """The examples of a dataset: the files they come from, how many there are, and their hash as the run keeps them.

    Attributes:
        whole: in a shard, the hash of the examples of all shards together, as the merged run keeps them.
    """

    sources: tuple[Source, ...]
    num_examples: int
    sha256: str
    whole: str = ""


@dataclass(frozen=True, slots=True)
class KeptRecords:
    """The records of a method on a dataset: the hash of their file, and how many of the questions failed."""

    sha256: str
    num_records: int
    num_failed: int


@dataclass(frozen=True, slots=True)
class RunSession:
    """A session of work on the run, from one start of the command to its end; a kill leaves no end.

    Attributes:
        started_at: UTC, ISO 8601; `ended_at` likewise, empty if it was killed.
        version: of hopweave, and `code` the hash of its files.
        ended_because: `finished`, or the limit that was reached.
        store: where its replies were kept: empty for the run's own store, else its path; `None` for nowhere.
        parallel: the most questions asked concurrently, 0 if none was left to ask; `None` in manifests without this field.
        shard: in a merged run, the shard that was worked on, as `2/3`.
    """

    started_at: str
    version: str
    code: str
    ended_at: str = ""
    ended_because: str = ""
    store: str | None = None
    parallel: int | None = None
    shard: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """See the module's docstring.

    Attributes:
        python: version of Python, and `libraries` those of the libraries that the package needs.
        plan: hash of `plan.json`.
        datasets: by label.
        indexes: the searched indexes, by the corpus as the plan names it.
        llm: identity of the model, `reader` of the reader, and `retrievers` of the retriever, by corpus.
        methods: the options of each method in full, by label.
        settings: shared by all cells.
        prompts: the fingerprints of each prompt that was filled; more than one if its wording changed during the run.
        records: by `DATASET/METHOD`.
        sessions: in order; `sittings` in manifests of hopweave before 0.3.
        is_complete: whether every question has a record.
        base: what paths are relative to.
        seal: a short hash of each part of this file, which reveals an altered setting.
    """

    plan: str
    datasets: Mapping[str, DrawnExamples]
    indexes: Mapping[str, Source]
    llm: str
    reader: str
    retrievers: Mapping[str, str]
    methods: Mapping[str, Mapping[str, Any]]
    settings: Mapping[str, Any]
    python: str = field(default_factory=platform.python_version)
    libraries: Mapping[str, str] = field(default_factory=lambda: dict(versions()))
    prompts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    records: Mapping[str, KeptRecords] = field(default_factory=dict)
    sessions: Annotated[tuple[RunSession, ...], Field(validation_alias=AliasChoices("sessions", "sittings"))] = ()
    is_complete: bool = False
    base: Base = field(default_factory=Base)
    seal: Mapping[str, str] = field(default_factory=dict)
    schema: str = SCHEMA

    def write(self, folder: Path) -> None:
        """Writes it atomically into the folder of a run.

        Raises:
            DataError: if it cannot be written.
        """
        document = _adapter().dump_python(self, mode="json")
        for of_shard, key in ((document["datasets"].values(), "whole"), (document["sessions"], "shard")):
            for one in of_shard:
                if not one[key]:
                    del one[key]
        document["seal"] = checksums.parts_of(_sealed(document))
        write_file(folder / NAME, json.dumps(document, indent=2, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, folder: Path) -> Manifest | None:
        """The manifest of a run; `None` if there is none yet.

        Raises:
            DataError: if it cannot be read.
        """
        place = folder / NAME
        try:
            found = _adapter().validate_json(read_whole(place))
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as error:
            raise DataError(f"{place} cannot be read: {str(error).splitlines()[0]}; restore it") from None
        if found.schema != SCHEMA:
            raise DataError(f"{place} has schema {found.schema!r}; this version of hopweave reads {SCHEMA!r}")
        return found


def alterations(folder: Path) -> list[str]:
    """The changes to the manifest of a run since it was written, at most five; none if it has no seal.

    Raises:
        DataError: if it cannot be read.
    """
    place = folder / NAME
    try:
        document = read_json(read_whole(place))
        seal = document.get("seal")
        return checksums.changes(_sealed(document), seal) if seal else []
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise DataError(f"{place} cannot be read: {error}; restore it") from None


def _sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != "seal"}


def hash_file(path: Path) -> str:
    """The hash of a file.

    Raises:
        DataError: if it cannot be read.
    """
    try:
        return sha256_of(path)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}; check the path") from None


def hash_source(path: Path, known: Source | None = None) -> Source:
    """The hashes of a file, or of all files of a folder but hidden ones, in the order of their names.

    Args:
        path: of the file or folder.
        known: as it was; a file with the same size and time of change as then is not read again. To be certain,
            leave it out.

    Raises:
        DataError: if something cannot be read.
    """
    hashes = {file.path: file for file in known.files} if known is not None else {}
    return Source(str(path), tuple(_hashed(file, name, hashes.get(name)) for name, file in _files_of(path)))


@cache
def hash_code() -> str:
    """The hash of this package's files: code, prompts, profiles and demonstrations.

    Raises:
        DataError: if one cannot be read.
    """
    found = walk(_PACKAGE, is_taken=lambda one: one.path.name != "__pycache__")
    files = (one.path for one in found if one.kind != FOLDER and one.path.suffix in _CODE)
    lines = (f"{hash_file(file)} {file.relative_to(_PACKAGE).as_posix()}\n" for file in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def versions() -> Iterator[tuple[str, str]]:
    """The versions of the libraries that the package needs or can use, where they are installed."""
    for requirement in sorted({re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in requires("hopweave") or ()}):
        try:
            yield requirement, version(requirement)
        except PackageNotFoundError:
            continue


def differences(old: Manifest, new: Manifest) -> list[str]:
    """What has changed that must not change in a resumed run: data, indexes, models and methods; a line for each.

    Data and indexes are compared by content: the same files under another path are the same. Options of methods are compared
    in full, since the defaults of a newer version may differ.
    """
    found = []
    for what in ("llm", "reader"):
        before, now = getattr(old, what), getattr(new, what)
        if before != now:
            found.append(f"{what} was {before or 'none'}, is now {now or 'none'}")
    for label, options in new.methods.items():
        was = {key: json.dumps(value, default=str) for key, value in old.methods.get(label, options).items()}
        now = {key: json.dumps(value, default=str) for key, value in options.items()}
        found += [
            f"option {key} of {label} was {was.get(key, 'not there')}, is now {value}"
            for key, value in now.items()
            if was.get(key) != value
        ]
    for corpus, source in new.indexes.items():
        found += _changed(f"index {corpus}", old.indexes.get(corpus), source)
    for corpus, identity in new.retrievers.items():
        if old.retrievers.get(corpus, identity) != identity:
            found.append(f"the retriever over {corpus} was {old.retrievers[corpus]}, is now {identity}")
    for label, drawn in new.datasets.items():
        sources = old.datasets[label].sources if label in old.datasets else drawn.sources
        if len(sources) != len(drawn.sources):
            found.append(f"data of {label}: there were {len(sources)} files, are now {len(drawn.sources)}")
        for before_source, source in zip(sources, drawn.sources, strict=False):
            found += _changed(f"data of {label}", before_source, source)
    return found


def known_files(manifest: Manifest, run: Path) -> dict[Path, Source]:
    """The files and folders of a manifest by where they are now, for `hash_source`."""
    sources = [*manifest.indexes.values(), *(source for drawn in manifest.datasets.values() for source in drawn.sources)]
    found = ((find(source.path, manifest.base, run), source) for source in sources)
    return {place.resolve(): source for place, source in found if place is not None}


def _changed(what: str, old: Source | None, new: Source) -> list[str]:
    if old is None:
        return []
    before, now = ({_name_in(file, source): file.sha256 for file in source.files} for source in (old, new))
    names = [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
    shown = [name or new.files[0].path for name in names[:3]]
    return [f"{what}: {', '.join(shown)}{' and more' if len(names) > 3 else ''} changed"] if names else []


def _name_in(file: FileHash, source: Source) -> str:
    """The name of a file within a source; a source that is one file may have another name now."""
    return "" if is_one_file(source) else file.path


def is_one_file(source: Source) -> bool:
    """Whether a source is a file, not a folder."""
    return len(source.files) == 1 and Path(source.path).name == source.files[0].path


def _files_of(path: Path) -> Iterator[tuple[str, Path]]:
    if not path.is_dir():
        yield path.name, path
        return
    try:
        for found in walk(path):
            if found.path.is_file():
                yield found.path.relative_to(path).as_posix(), found.path
    except OSError as error:
        raise DataError(f"cannot read {error.filename}: {error.strerror}; check the folder") from None


def _hashed(file: Path, name: str, known: FileHash | None) -> FileHash:
    try:
        status = file.stat()
    except OSError as error:
        raise DataError(f"cannot read {file}: {error.strerror}; check the path") from None
    if known is not None and (known.num_bytes, known.modified_ns) == (status.st_size, status.st_mtime_ns):
        return known
    return FileHash(name, status.st_size, status.st_mtime_ns, hash_file(file))


@cache
def _adapter() -> TypeAdapter[Manifest]:
    return TypeAdapter(Manifest)
