"""The files of a corpus, in a fixed order, and their bytes: counted, decompressed and checked to be UTF-8."""

from __future__ import annotations

import codecs
import errno
import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from hopweave.errors import DataError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

RECORD_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".tsv", ".csv"})
"""Files that contain many records."""

DOCUMENT_SUFFIXES = frozenset({".txt", ".md", ".markdown", ".html", ".htm"})
"""Files that are one document each."""

OnBytes = Callable[[int], None] | None
"""Called with the number of bytes read from disk, piece by piece."""

MAX_FILE_MIB = 64 * 1024
"""Maximum file size, unless the user sets another."""

MAX_ROW_MIB = 32
"""Maximum size of a document, line or row, unless the user sets another."""

_BUFFER_BYTES = 1 << 17
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a file is read, so that none fills the memory or the disk. Decompressed bytes count.

    Attributes:
        max_file_mib: for a whole file, in MiB.
        max_row_mib: for what is held in memory at once, in MiB: a document, a line, a row.
        are_options: whether the user can raise them by these names.
    """

    max_file_mib: int = MAX_FILE_MIB
    max_row_mib: int = MAX_ROW_MIB
    are_options: bool = False

    def too_long(self, what: str, name: Literal["max_file_mib", "max_row_mib"]) -> DataError:
        """The error for a file, or a part of it, beyond a limit."""
        raised = f", or raise {name} (--{name.replace('_', '-')})" if self.are_options else ""
        return DataError(f"{what} is longer than {getattr(self, name):,} MiB; split it{raised}")


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of the corpus.

    Attributes:
        path: its path.
        source: its name in passages: the path as given, or relative to the given folder.
        document_id: the id of its document, if it contains just one: relative to the given folder, or its bare name.
        special: its kind if it is not a regular file, such as `FIFO`; empty for a regular one.
    """

    path: Path
    source: str
    document_id: str
    special: str = ""

    @property
    def suffix(self) -> str:
        """The suffix that determines its format: the last one in lower case, or the one before `.gz`."""
        path = Path(self.path.stem) if self.path.suffix.lower() == ".gz" else self.path
        return path.suffix.lower()

    @property
    def stem(self) -> str:
        """Its name without the suffixes of its format."""
        path = Path(self.path.stem) if self.path.suffix.lower() == ".gz" else self.path
        return shown_name(path.stem)

    @property
    def is_readable(self) -> bool:
        """Whether it is a regular file of a known format."""
        return not self.special and self.suffix in RECORD_SUFFIXES | DOCUMENT_SUFFIXES

    @property
    def num_bytes(self) -> int:
        """Its size on disk.

        Raises:
            DataError: if it cannot be accessed.
        """
        with _reading(self.source):
            return self.path.stat().st_size


def find_files(paths: Sequence[Path]) -> Iterator[CorpusFile]:
    """The files at the given paths: folders are walked, each in the order of its names, without hidden entries.

    Files of unknown formats and anything that is not a regular file (FIFOs, sockets, devices and links to them) are included,
    so that they can be counted.

    Raises:
        DataError: for a path that does not exist or a folder that cannot be listed.
    """
    for path in paths:
        shown = shown_name(path.as_posix())
        with _reading(shown):
            is_folder, is_there = path.is_dir(), path.exists()
        if is_folder:
            yield from _walk(path)
        elif is_there:
            yield CorpusFile(path, shown, shown_name(path.name), _special(path))
        else:
            raise DataError(f"there is no file or folder {shown}; check the path")


def _walk(top: Path) -> Iterator[CorpusFile]:
    # A stack instead of recursion: folders may nest deeper than Python's recursion limit.
    waiting: list[tuple[Path, str, tuple[_Identity, ...]]] = [(top, _FOLDER, ())]
    while waiting:
        path, kind, above = waiting.pop()
        if kind == _FOLDER:
            here, entries = _listed(path)
            if here not in above:  # otherwise it is a link that leads back up
                waiting += ((path / name, inner, (*above, here)) for name, inner in reversed(entries))
        else:
            relative = shown_name(path.relative_to(top).as_posix())
            yield CorpusFile(path, relative, relative, kind)


_Identity = tuple[int, int]
_FOLDER = "folder"
_SPECIAL = {stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket", stat.S_IFCHR: "device", stat.S_IFBLK: "device"}


def _listed(folder: Path) -> tuple[_Identity, list[tuple[str, str]]]:
    """The identity of a folder, and the names and kinds of its entries in the order of their names."""
    with _reading(shown_name(folder.as_posix())):
        found = folder.stat()
        # The listing is closed before anything is yielded: nested folders do not hold a file descriptor per level.
        with os.scandir(folder) as entries:
            kinds = sorted((entry.name, _kind(entry)) for entry in entries if not entry.name.startswith("."))
    return (found.st_dev, found.st_ino), kinds


def _kind(entry: os.DirEntry[str]) -> str:
    try:
        return "" if entry.is_file() else _FOLDER if entry.is_dir() else _special(Path(entry))
    except OSError:  # a link to itself: opening it reports that
        return ""


def _special(path: Path) -> str:
    """The kind of a path's target if it is not a regular file; empty if it has none, which opening it reports."""
    try:
        return _SPECIAL.get(stat.S_IFMT(path.stat().st_mode), "")
    except OSError:
        return ""


def shown_name(name: str) -> str:
    """A file name as text: bytes that are not UTF-8 are replaced."""
    return os.fsencode(name).decode("utf-8", "replace")


@contextmanager
def open_text(
    file: CorpusFile, on_bytes: OnBytes = None, limits: Limits | None = None, *, unit: Literal["line", "file", "row"] = "line"
) -> Iterator[io.TextIOWrapper]:
    """Opens a file as text, decompressed if it is a `.gz`, without a byte-order mark and with line ends unchanged.

    Args:
        file: the file.
        on_bytes: called with the number of bytes read from disk, piece by piece.
        limits: how much is read.
        unit: what is held in memory at once: each line, the whole file, or a row, whose length the caller checks.

    Raises:
        DataError: now or while reading: no permission, not a regular file, a corrupt gzip file, bytes that are not UTF-8, more
            than the limits.
    """
    checks = (_Utf8Check(file.source), _LengthCheck(file.source, limits or Limits(), unit))
    with _reading(file.source), _open_regular(file) as raw:
        counted = raw if on_bytes is None else io.BufferedReader(_Watched(raw, _length_to(on_bytes)), _BUFFER_BYTES)
        with gzip.open(counted, "rb") if file.path.suffix.lower() == ".gz" else nullcontext(counted) as unzipped:
            stream = io.BufferedReader(_Watched(unzipped, *checks), _BUFFER_BYTES)
            yield io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")


def _open_regular(file: CorpusFile) -> BinaryIO:
    # Without O_NONBLOCK, opening a FIFO blocks until somebody writes to it. The kind is checked on the open file, since the
    # path may have been replaced after the folder was listed.
    raw = open(file.path, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK))  # noqa: SIM115
    kind = _SPECIAL.get(stat.S_IFMT(os.fstat(raw.fileno()).st_mode))
    if kind is not None:
        raw.close()
        raise DataError(f"{file.source} is a {kind}, not a regular file; give a file, or leave it out")
    return raw


def _length_to(tell: Callable[[int], None]) -> Callable[[bytes], None]:
    return lambda piece: tell(len(piece))


class _Watched(io.RawIOBase):
    """Passes bytes on and calls some functions with each piece."""

    def __init__(self, stream: BinaryIO | gzip.GzipFile, *on_piece: Callable[[bytes], None]) -> None:
        self._stream = stream
        self._on_piece = on_piece

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        piece = self._stream.read(len(view))
        if piece is None:  # a kernel file that would block
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        for tell in self._on_piece:
            tell(piece)
        view[: len(piece)] = piece
        return len(piece)


class _LengthCheck:
    """Checks bytes against limits as they pass: in total, and per line or document."""

    def __init__(self, source: str, limits: Limits, unit: Literal["line", "file", "row"]) -> None:
        self._source = source
        self._limits = limits
        self._unit = unit
        self._num_bytes = 0
        self._line = 1
        self._line_bytes = 0

    def __call__(self, piece: bytes) -> None:
        self._num_bytes += len(piece)
        if self._num_bytes > self._limits.max_file_mib * _MIB:
            raise self._limits.too_long(self._source, "max_file_mib")
        if self._unit == "file" and self._num_bytes > self._limits.max_row_mib * _MIB:
            raise self._limits.too_long(self._source, "max_row_mib")
        if self._unit == "line":
            self._line += piece.count(b"\n")
            last = piece.rfind(b"\n")
            self._line_bytes = len(piece) - last - 1 if last >= 0 else self._line_bytes + len(piece)
            if self._line_bytes > self._limits.max_row_mib * _MIB:
                raise self._limits.too_long(f"{self._source}, line {self._line}", "max_row_mib")


class _Utf8Check:
    """Checks that bytes are UTF-8 as they pass; an empty piece is the end."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._num_bytes = 0

    def __call__(self, piece: bytes) -> None:
        waiting = len(self._decoder.getstate()[0])
        try:
            self._decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            offset = self._num_bytes - waiting + error.start
            raise DataError(
                f"{self._source} is not UTF-8: byte 0x{error.object[error.start]:02x} at offset {offset}; "
                "convert the file to UTF-8, for example with iconv"
            ) from None
        self._num_bytes += len(piece)


@contextmanager
def _reading(source: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"{source} does not exist, or is a dangling link; check the path") from None
    except PermissionError:
        raise DataError(f"no permission to read {source}; change its mode or leave it out") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{source} is not a complete gzip file ({error}); fetch or compress it again") from None
    except OSError as error:
        raise DataError(f"cannot read {source}: {error.strerror}; check the file and the disk") from None
