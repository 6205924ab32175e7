"""Files: names from outside, JSON and TOML of strangers, checksums, writing as a whole, and locks between processes.

Labels of a plan, files in the manifest of an index, names of profiles and models: whoever wrote the file chose them. Each goes
through `file_name` before it is joined to a folder, so that none leads out of it. Whatever is wrong with the JSON or TOML that
somebody else wrote is a `ValueError`, never another error: the readers of the standard library end in `RecursionError` where
brackets are nested too deeply.
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
"""Of a name; file systems take 255, and endings are added."""

WHAT_MAY_BE = "letters, digits, the signs - _ . + = , @ (no dot first) and spaces within, 200 bytes at most"

OnProgress = Callable[[int, int], None]
"""Told of the bytes done and the bytes in all."""

_NAME = re.compile(r"[\w+=,@-](?:[\w.+=,@ -]*[\w.+=,@-])?")
_TOO_DEEP = "its brackets are nested too deeply"
_CHUNK_BYTES = 1 << 20
_IS_WINDOWS = os.name == "nt"
_BINARY = getattr(os, "O_BINARY", 0)  # else Windows writes two characters for the end of a line
_NO_LOCKS = frozenset({errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK})


def is_file_name(name: str) -> bool:
    """Whether a name can be that of a file, in any folder: see `WHAT_MAY_BE`."""
    return _NAME.fullmatch(name) is not None and len(name.encode("utf-8", "surrogatepass")) <= MAX_BYTES


def file_name(name: str, where: str) -> str:
    """The name, if it can be that of a file.

    Args:
        name: from outside.
        where: what names it, for the message: a file, or an option.

    Raises:
        DataError: if it cannot.
    """
    if not is_file_name(name):
        raise DataError(f"{where} names {name!r}, which cannot be the name of a file: use {WHAT_MAY_BE}; restore or rename it")
    return name


def refuse_links_out(folder: Path) -> None:
    """Makes sure that whatever is in a folder is a file or folder of its own: no link out of it, no pipe, no device.

    Raises:
        DataError: names the first that is not.
    """
    root = folder.resolve()
    below = [folder]
    while below:
        try:
            found = sorted(below.pop().iterdir())
        except OSError:  # not there yet, or not ours to read: whoever opens it says so
            continue
        for path in found:
            is_link = path.is_symlink()
            if is_link and not path.resolve().is_relative_to(root):
                raise DataError(f"{path} is a link that leads out of {folder}; put there what it leads to")
            try:
                mode = path.stat().st_mode
            except OSError:  # a link to nothing, or taken away meanwhile
                continue
            if stat.S_ISDIR(mode):
                below += [] if is_link else [path]
            elif not stat.S_ISREG(mode):
                raise DataError(f"{path} is neither a file nor a folder; take it away")


def read_json(text: str | bytes) -> Any:
    """The value that a JSON text holds.

    Raises:
        ValueError: for what is no JSON in UTF-8, nested too deeply, or a number too long to read.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def read_toml(content: str | bytes) -> dict[str, Any]:
    """The table that a TOML text holds; a byte-order mark at the beginning of bytes is left out.

    Raises:
        ValueError: for what is no TOML in UTF-8, nested too deeply, or a number too long to read.
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
    """The SHA-256 of a file's content, to go on from where more is added to the file. Errors as `sha256_of`."""
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
    """Writes a file as a whole or not at all: readers, and a process killed at any moment, leave the old one or the new one.

    Args:
        path: of the file. What it held is replaced.
        content: text is written in UTF-8, its line ends as they are.
        is_durable: return only once the content would survive a loss of power.
        is_private: keep other users from reading it.

    Raises:
        OSError: if it cannot be written. The old file stays.
    """
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    # A file that is made, never one that is there: a link that lies in wait is not followed.
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
    """Returns once a file's content, or what a folder lists, would survive a loss of power.

    Raises:
        OSError: if the disk refuses.
    """
    if _IS_WINDOWS and path.is_dir():  # which cannot open a folder, and needs not
        return
    descriptor = os.open(path, os.O_RDWR if _IS_WINDOWS else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class LockTaken(Exception):
    """Another process holds a lock, or another part of this one.

    Attributes:
        holder: the id of that process; `None` where it cannot be told.
    """

    def __init__(self, holder: int | None) -> None:
        super().__init__(f"held by process {holder or 'unknown'}")
        self.holder = holder


def lock(path: Path, *, wait: bool = False) -> AbstractContextManager[object]:
    """Takes a lock between processes, and gives it back at the end of the `with` that the result is used in.

    The system lets go of the lock when the process ends, however it ends, so that no kill leaves one behind. The file stays,
    with the id of the process that held it last.

    Args:
        path: of the file that stands for the lock; it is made if it is not there, and a link in its place is not followed.
        wait: until the lock is free, instead of raising `LockTaken`.

    Raises:
        LockTaken: if it is held.
        OSError: if the file cannot be written to, or the file system has no locks.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # which a Python that has no locks of the system is given: see below
        import filelock
    timeout = -1 if wait else 0
    try:
        if filelock.FileLock is not filelock.SoftFileLock:
            # Locks that are no more than files stay behind after a kill: a file system without locks is told instead.
            return filelock.FileLock(
                path, timeout, thread_local=False, fallback_to_soft=False, preserve_lock_file=True, on_acquired=_note_holder
            ).acquire()
        # A Python that has no locks of the system. A file that names its holder stands for one, and whoever finds it looks
        # whether that process lives; it lies beside the file that is there on every system.
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
    # Windows lets nobody else read the byte that is locked, which is the first: the id stands behind it.
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
