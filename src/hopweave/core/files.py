"""Files: reading them, walking folders, external names, untrusted JSON and TOML, checksums, atomic writes, locks, and where
models are.

Every file that a user gives is read by `read_whole` or `read_lines`, and every folder walked by `walk`, so the same limits
apply to all of them: only regular files, at most `MAX_HELD_BYTES` in memory at once, folders of any depth.

Labels of a plan, files in an index manifest, and names of profiles and models are untrusted: each is checked by `file_name`
before it is joined to a folder, so that none leads out of it. Any problem with untrusted JSON or TOML is a `ValueError`, never
another error: the parsers of the standard library raise `RecursionError` if brackets are nested too deeply.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
import tomllib
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO

from platformdirs import user_cache_path

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern

MAX_BYTES = 200
"""The longest file name, in bytes; file systems allow 255, and suffixes are added."""

WHAT_MAY_BE = "letters, digits, the signs - _ . + = , @ (no dot first) and spaces within, 200 bytes at most"

MAX_HELD_BYTES = 32 << 20
"""The most that is held in memory at once: a line of a file read line by line, or all of any other file. A record takes some
tens of kilobytes, and not much more than a megabyte after many searches; the records of a corpus have the same limit."""

FOLDER = "folder"
SPECIAL = {stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket", stat.S_IFCHR: "device", stat.S_IFBLK: "device"}
"""Kinds of special files, by the file type in their mode."""

KERNEL_FOLDERS = (Path("/proc"), Path("/sys"))
"""Folders in which the kernel shows as files what is on no disk, such as the environment of a process."""

OnProgress = Callable[[int, int], None]
"""Called with the number of bytes done and the total."""

_NAME = lazy_pattern(r"[\w+=,@-](?:[\w.+=,@ -]*[\w.+=,@-])?")
_TOO_DEEP = "its brackets are nested too deeply"
_CHUNK_BYTES = 1 << 20
_MIB = 1 << 20
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
        raise DataError(f"{where} names {name!r}, which is not a valid file name: use {WHAT_MAY_BE}; restore or rename it")
    return name


def shown_name(name: str) -> str:
    """A file name as text: bytes that are not UTF-8 are replaced."""
    return os.fsencode(name).decode("utf-8", "replace")


class NotRegular(OSError):
    """A path that does not lead to a regular file; `kind` is what it is instead, such as `FIFO`."""

    def __init__(self, path: Path, kind: str) -> None:
        super().__init__(errno.EINVAL, f"it is a {kind}, not a regular file", str(path))
        self.kind = kind


class LeadsOut(OSError):
    """A path that a link leads out of the folder or file that it is confined to, or to what only the kernel shows as a file."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EPERM, "a link leads from it to where links are not followed", str(path))


def open_confined(path: Path, place: Path | None) -> BufferedReader:
    """Opens a file as `open_regular` does, unless a link leads from its path to where it may not.

    What is opened is what was looked at: no link is followed that replaced a part of the path since, as far as the system lets
    this be said.

    Args:
        path: the file.
        place: the folder that it must be in, or the file that it must be, once all links are followed; `None` for any.

    Raises:
        LeadsOut: if it is elsewhere, or if a link leads to it from outside of `KERNEL_FOLDERS` and it is in one of these.
        OSError: as `open_regular`.
    """
    real = Path(os.path.realpath(path))
    is_elsewhere = place is not None and not real.is_relative_to(os.path.realpath(place))
    if is_elsewhere or (is_of_kernel(real) and not is_of_kernel(path.absolute())):
        path.stat()  # a link that leads nowhere is an error of its own
        raise LeadsOut(path)
    return open_regular(real, _open_without_links)


def is_of_kernel(path: Path) -> bool:
    """Whether an absolute path is in one of `KERNEL_FOLDERS`."""
    return any(path.is_relative_to(folder) for folder in KERNEL_FOLDERS)


def _open_without_links(path: str, flags: int) -> int:
    """Opens an absolute path of which no part may be a link: folder by folder, or at once where the system can do that."""
    if not hasattr(os, "O_PATH"):
        without_links: int = getattr(os, "O_NOFOLLOW_ANY", getattr(os, "O_NOFOLLOW", 0))
        return os.open(path, flags | without_links)
    base, *folders = Path(path).parts
    name = folders.pop() if folders else "."
    here = os.open(base, os.O_PATH | os.O_DIRECTORY)
    try:
        for folder in folders:
            below = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = below
        return os.open(name, flags | os.O_NOFOLLOW, dir_fd=here)
    finally:
        os.close(here)


def open_regular(path: Path, opener: Callable[[str, int], int] = os.open) -> BufferedReader:
    """Opens a file for reading bytes, without ever blocking.

    Args:
        path: the file.
        opener: opens a path with flags, as `os.open` does.

    Raises:
        NotRegular: if it is a folder, FIFO, socket or device.
        OSError: if it cannot be opened.
    """
    # Without O_NONBLOCK, opening a FIFO waits for a writer. The kind is that of the open file, since whatever was at the path
    # may have been replaced since an earlier check.
    flags = getattr(os, "O_NONBLOCK", 0)
    raw = open(path, "rb", opener=lambda name, given: opener(name, given | flags))  # noqa: SIM115
    kind = SPECIAL.get(stat.S_IFMT(os.fstat(raw.fileno()).st_mode))
    if kind is not None:
        raw.close()
        raise NotRegular(path, kind)
    return raw


def read_whole(path: Path) -> bytes:
    """The content of a file that is read into memory all at once: settings, a plan, a manifest.

    Raises:
        NotRegular: if it is not a regular file.
        OSError: if it cannot be read, or is longer than `MAX_HELD_BYTES`.
    """
    with open_regular(path) as file:
        content = file.read(MAX_HELD_BYTES + 1)
    if len(content) > MAX_HELD_BYTES:
        raise too_long("it", path)
    return content


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file of any length, one by one, each with its line end.

    Raises:
        NotRegular: if it is not a regular file.
        OSError: if it cannot be read, or a line is longer than `MAX_HELD_BYTES`.
    """
    with open_regular(path) as file:
        for number, line in enumerate(lines_within(file), start=1):
            if line is None:
                raise too_long(f"line {number}", path)
            yield line


def lines_within(file: BinaryIO) -> Iterator[bytes | None]:
    """The lines of an open file, each with its line end; `None` in place of one that is longer than `MAX_HELD_BYTES`."""
    while line := file.readline(MAX_HELD_BYTES + 1):
        if len(line) <= MAX_HELD_BYTES:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(_CHUNK_BYTES)
        yield None


def too_long(what: str, path: Path) -> OSError:
    """The error for a file, or a line of one, that is longer than `MAX_HELD_BYTES`."""
    return OSError(errno.EFBIG, f"{what} is longer than {MAX_HELD_BYTES // _MIB} MiB", str(path))


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a folder.

    Attributes:
        path: the entry's path.
        kind: `FOLDER`, a value of `SPECIAL`, or empty for a file. Also empty for a broken link: opening it raises the error.
        is_link: whether it is a symbolic link.
        above: device and inode of each folder that was walked to reach it.
    """

    path: Path
    kind: str
    is_link: bool = False
    above: tuple[tuple[int, int], ...] = ()


def walk(
    top: Path,
    *,
    is_taken: Callable[[Entry], bool] | None = None,
    on_unlisted: Callable[[Path, OSError], None] | None = None,
    into_links: bool = False,
    with_hidden: bool = False,
) -> Iterator[Entry]:
    """Everything below a folder, at any depth, in the order of the names; folders come before their content.

    Args:
        top: the folder; it is not yielded itself.
        is_taken: if false, an entry is skipped, a folder with everything in it. It is called for all entries of a folder in
            turn, before those of its subfolders. An `OSError` that it raises is treated like a failure to list that folder.
        on_unlisted: called with a folder that cannot be listed (it is unreadable, or has vanished) and the error, which is then
            not raised.
        into_links: also walk the folders that links lead to, except the ones that contain the link.
        with_hidden: also yield entries whose names begin with a dot.

    Raises:
        OSError: if a folder cannot be listed.
    """
    # A stack instead of recursion: folders may nest deeper than Python's recursion limit.
    waiting = [Entry(top, FOLDER)]
    while waiting:
        found = waiting.pop()
        if found.path != top:
            yield found
        if found.kind == FOLDER and (into_links or not found.is_link or found.path == top):
            try:
                below = [one for one in _listed(found, with_hidden=with_hidden) if is_taken is None or is_taken(one)]
            except OSError as error:
                if on_unlisted is None:
                    raise
                on_unlisted(found.path, error)
            else:
                waiting += reversed(below)


def _listed(folder: Entry, *, with_hidden: bool) -> list[Entry]:
    """The entries of a folder, sorted by name; none if a link led back to it."""
    status = folder.path.stat()
    here = status.st_dev, status.st_ino
    if here in folder.above:
        return []
    above = (*folder.above, here)
    # The listing is closed before anything is yielded, so that nested folders do not keep one descriptor open per level.
    with os.scandir(folder.path) as entries:
        found = sorted(
            (entry.name, _kind(entry), entry.is_symlink()) for entry in entries if with_hidden or not entry.name.startswith(".")
        )
    return [Entry(folder.path / name, kind, is_link, above) for name, kind, is_link in found]


def _kind(entry: os.DirEntry[str]) -> str:
    try:
        return "" if entry.is_file() else FOLDER if entry.is_dir() else special_kind(Path(entry))
    except OSError:  # a link that leads to itself: opening it raises the error
        return ""


def special_kind(path: Path) -> str:
    """The kind of special file that a path leads to; empty for a regular file or folder, and for a path that leads nowhere."""
    try:
        return SPECIAL.get(stat.S_IFMT(path.stat().st_mode), "")
    except OSError:
        return ""


def refuse_links_out(folder: Path) -> None:
    """Makes sure that a folder contains only regular files and folders: no link out of it, no pipe, no device.

    Raises:
        DataError: names the first entry that is neither.
    """
    root = os.path.realpath(folder)  # `resolve` raises for a link that leads to itself
    # Missing and unreadable files are reported when they are opened.
    for found in walk(folder, on_unlisted=lambda _folder, _error: None, with_hidden=True):
        if found.is_link and not Path(os.path.realpath(found.path)).is_relative_to(root):
            raise DataError(f"{found.path} is a link that leads out of {folder}; replace it with its target")
        if found.kind in SPECIAL.values():
            raise DataError(f"{found.path} is neither a file nor a folder; remove it")


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
        OSError: if the file cannot be read, or is not a regular file.
    """
    return digest_of(path, on_progress).hexdigest()


def digest_of(path: Path, on_progress: OnProgress | None = None) -> hashlib._Hash:
    """The SHA-256 of a file's content, as an object to update when the file grows. Errors as in `sha256_of`."""
    with open_regular(path) as file:
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
        # A Python without system locks. A file that names its holder replaces the lock, and a process that finds it checks
        # whether the holder is alive; it is next to the lock file, which exists on every system.
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
    # On Windows, no other process can read the locked byte, which is the first: the id is written after it.
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


def models_folder() -> Path:
    """The folder of model files: `HOPWEAVE_MODELS`, or one in the user's cache folder."""
    chosen = os.environ.get("HOPWEAVE_MODELS")
    return Path(chosen).expanduser() if chosen else user_cache_path("hopweave") / "models"
