"""Files: external names, untrusted JSON and TOML, checksums, atomic writes, and locks between processes.

Labels of a plan, files in an index manifest, names of profiles and models were chosen by whoever wrote the file. Each goes
through `file_name` before it is joined to a folder, so that none leads out of it. Any problem with untrusted JSON or TOML is a
`ValueError`, never another error: the parsers of the standard library raise `RecursionError` if brackets are nested too
deeply.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
import tomllib
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

from hopweave.errors import DataError

MAX_BYTES = 200
"""Of a name, in bytes; file systems allow 255, and suffixes are added."""

WHAT_MAY_BE = "letters, digits, the signs - _ . + = , @ (no dot first) and spaces within, 200 bytes at most"

OnProgress = Callable[[int, int], None]
"""Called with the number of bytes done and the total."""

_NAME = re.compile(r"[\w+=,@-](?:[\w.+=,@ -]*[\w.+=,@-])?")
_TOO_DEEP = "its brackets are nested too deeply"
_CHUNK_BYTES = 1 << 20
_IS_WINDOWS = os.name == "nt"
_BINARY = getattr(os, "O_BINARY", 0)  # otherwise Windows writes line ends as two characters
_NO_LOCKS = frozenset({errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK})


def is_file_name(name: str) -> bool:
    """Whether a name is valid as a file name in any folder: see `WHAT_MAY_BE`."""
    return _NAME.fullmatch(name) is not None and len(name.encode("utf-8", "surrogatepass")) <= MAX_BYTES


def file_name(name: str, where: str) -> str:
    """The name, if it is a valid file name.

    Args:
        name: from an external source.
        where: the file or option that contains it, for the message.

    Raises:
        DataError: if it is not.
    """
    if not is_file_name(name):
        raise DataError(f"{where} names {name!r}, which cannot be a file name: use {WHAT_MAY_BE}; restore or rename it")
    return name


def refuse_links_out(folder: Path) -> None:
    """Makes sure that a folder contains only regular files and folders: no link out of it, no pipe, no device.

    Raises:
        DataError: names the first entry that is neither.
    """
    root = folder.resolve()
    below = [folder]
    while below:
        try:
            found = sorted(below.pop().iterdir())
        except OSError:  # missing or unreadable: whoever opens it reports that
            continue
        for path in found:
            is_link = path.is_symlink()
            if is_link and not path.resolve().is_relative_to(root):
                raise DataError(f"{path} is a link that leads out of {folder}; replace it with its target")
            try:
                mode = path.stat().st_mode
            except OSError:  # a dangling link, or removed in the meantime
                continue
            if stat.S_ISDIR(mode):
                below += [] if is_link else [path]
            elif not stat.S_ISREG(mode):
                raise DataError(f"{path} is neither a file nor a folder; remove it")


def read_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: for invalid JSON or UTF-8, nesting that is too deep, or a number that is too long to parse.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def read_toml(content: str | bytes) -> dict[str, Any]:
    """The table of a TOML text; a byte-order mark at the start of bytes is ignored.

    Raises:
        ValueError: for invalid TOML or UTF-8, nesting that is too deep, or a number that is too long to parse.
    """
    text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def sha256_of(path: Path, on_progress: OnProgress | None = None) -> str:
    """The SHA-256 of a file's content, in hexadecimal.

    Raises:
        OSError: if the file cannot be read.
    """
    return digest_of(path, on_progress).hexdigest()


def digest_of(path: Path, on_progress: OnProgress | None = None) -> hashlib._Hash:
    """The SHA-256 of a file's content, as an object to update when the file grows. Errors as in `sha256_of`."""
    with path.open("rb") as file:
        if on_progress is None:
            return hashlib.file_digest(file, "sha256")
        digest = hashlib.sha256()
        done, total = 0, os.fstat(file.fileno()).st_size
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            done += len(chunk)
            on_progress(done, total)
        return digest


def write_whole(path: Path, content: str | bytes, *, is_durable: bool = False, is_private: bool = False) -> None:
    """Writes a file atomically: readers, even after a crash at any moment, see either the old content or the new.

    Args:
        path: the file. Its old content is replaced.
        content: text is written in UTF-8, its line ends as they are.
        is_durable: return only once the content would survive a power loss.
        is_private: keep other users from reading it.

    Raises:
        OSError: if it cannot be written. The old file is kept.
    """
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    # Create a new file, never open an existing one: a planted link is not followed.
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600 if is_private else 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            if is_durable:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
    if is_durable:
        sync(path.parent)


def sync(path: Path) -> None:
    """Returns once a file's content, or a folder's listing, would survive a power loss.

    Raises:
        OSError: if the disk refuses.
    """
    if _IS_WINDOWS and path.is_dir():  # Windows cannot open folders and does not need to
        return
    descriptor = os.open(path, os.O_RDWR if _IS_WINDOWS else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class LockTaken(Exception):
    """A lock is held by another process or elsewhere in this one.

    Attributes:
        holder: the id of that process; `None` if unknown.
    """

    def __init__(self, holder: int | None) -> None:
        super().__init__(f"held by process {holder or 'unknown'}")
        self.holder = holder


def lock(path: Path, *, wait: bool = False) -> AbstractContextManager[object]:
    """Takes a lock between processes, and releases it at the end of the `with` block that uses the result.

    The system releases the lock when the process ends, however it ends, so a killed process leaves none behind. The file stays,
    with the id of the last process that held it.

    Args:
        path: the lock file; it is created if missing, and a link in its place is not followed.
        wait: wait until the lock is free instead of raising `LockTaken`.

    Raises:
        LockTaken: if it is held.
        OSError: if the file cannot be written to, or the file system has no locks.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # raised by a Python without system locks: see below
        import filelock
    timeout = -1 if wait else 0
    try:
        if filelock.FileLock is not filelock.SoftFileLock:
            # Plain lock files would stay behind after a kill, so a file system without locks is reported instead.
            return filelock.FileLock(
                path, timeout, thread_local=False, fallback_to_soft=False, preserve_lock_file=True, on_acquired=_note_holder
            ).acquire()
        # A Python without system locks. A file that names its holder replaces the lock, and whoever finds it checks whether
        # that process is alive; it lies next to the file that exists on every system.
        held = filelock.SoftFileLock(path.with_name(f"{path.name}.held"), timeout, thread_local=False).acquire()
        write_whole(path, _note_of_holder())
        return held
    except filelock.Timeout:
        raise LockTaken(_holder_of(path)) from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        raise OSError(error.errno, "the file system has no locks", str(path)) from None


def _note_of_holder() -> bytes:
    # On Windows nobody else can read the locked byte, which is the first: the id is written after it.
    return f"\n{os.getpid()}\n".encode("ascii")


def _note_holder(descriptor: int) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.ftruncate(descriptor, os.write(descriptor, _note_of_holder()))


def _holder_of(path: Path) -> int | None:
    try:
        with path.open("rb", buffering=0) as file:
            file.seek(1)
            return int(file.read(20))
    except (OSError, ValueError):
        return None
