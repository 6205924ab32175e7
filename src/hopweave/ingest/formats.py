"""The files of a corpus: their formats, and their bytes: counted, decompressed and checked to be UTF-8."""

from __future__ import annotations

import bz2
import codecs
import errno
import gzip
import io
import os
import re
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, cast

from hopweave.core import files
from hopweave.core.errors import DataError
from hopweave.core.files import shown_name
from hopweave.ingest.ahead import Ahead, Pieces
from hopweave.ingest.deadline import Check, Deadline, no_check
from hopweave.ingest.reasons import Reason, Unreadable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

RECORD_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".tsv", ".csv"})
"""Files that contain many records."""

TEXT_SUFFIXES = frozenset({".txt", ".md", ".markdown", ".html", ".htm", ".rst"})
"""Files that are one text document each."""

IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp"})
"""Pictures, which are read if their text can be recognised."""

_OCR_LIBRARIES = ("onnxruntime", "PIL", "pypdfium2", "rapidocr")
CAN_RECOGNISE = all(map(find_spec, _OCR_LIBRARIES))
"""Whether the extra `ocr` is installed."""

BOOK_SUFFIXES = frozenset({".pdf", ".docx", ".epub", ".pptx", ".xlsx", ".odt", ".ods", ".odp"}) | (
    IMAGE_SUFFIXES if CAN_RECOGNISE else frozenset()
)
"""Files that are one document each, but not text."""

DOCUMENT_SUFFIXES = TEXT_SUFFIXES | BOOK_SUFFIXES
"""Files that are one document each."""

ARCHIVE_SUFFIXES = frozenset({".tar"})
"""Files that hold others."""

_COMPRESSIONS: Mapping[str, tuple[str, Callable[[BinaryIO, str], BinaryIO]]] = {
    ".gz": ("gzip", cast("Callable[[BinaryIO, str], BinaryIO]", gzip.open)),
    ".bz2": ("bzip2", cast("Callable[[BinaryIO, str], BinaryIO]", bz2.open)),
}
_SHORT = {".tgz": ".tar.gz", ".tbz2": ".tar.bz2"}
_WIKI = re.compile(r"wiki_\d+")
"""Files of JSON lines as WikiExtractor names them; HotpotQA's Wikipedia consists of such."""

OnBytes = Callable[[int], None] | None
"""Called with the number of bytes read from disk, piece by piece."""

MAX_FILE_MIB = 64 * 1024
"""Maximum file size, unless the user sets another."""

MAX_ROW_MIB = 32
"""Maximum size of a document, line or row, unless the user sets another."""

MAX_SECONDS = 300
"""Maximum time for reading a document, unless the user sets another."""

BUFFER_BYTES = 1 << 17
_AHEAD = 64
"""The maximum number of decompressed pieces that wait to be read."""

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on reading a file, so that none fills the memory or the disk. They apply to decompressed bytes.

    Attributes:
        max_file_mib: of a whole file, in MiB.
        max_row_mib: of what is held in memory at once, in MiB: a document, a line, a row.
        max_seconds: for reading one file; by default `MAX_SECONDS` for a document, and no limit for a file of records, which
            may hold a whole Wikipedia.
        are_options: whether the user can raise them by these names.
    """

    max_file_mib: int = MAX_FILE_MIB
    max_row_mib: int = MAX_ROW_MIB
    max_seconds: int | None = None
    are_options: bool = False

    def too_long(self, what: str, name: Literal["max_file_mib", "max_row_mib"]) -> DataError:
        """The error for a file, or a part of it, beyond one of the limits."""
        return Unreadable(f"{what} is longer than {getattr(self, name):,} MiB; split it{self._raised(name)}", Reason.TOO_LARGE)

    def seconds_for(self, file: CorpusFile) -> int | None:
        """The time for reading a file; `None` for no limit."""
        return MAX_SECONDS if self.max_seconds is None and file.is_document else self.max_seconds

    def deadline(self, file: CorpusFile) -> Deadline:
        """The time for reading a file, counted from now."""
        seconds = self.seconds_for(file)
        return Deadline(seconds, lambda: self.too_slow(file.source, seconds or 0))

    def too_slow(self, what: str, seconds: int) -> DataError:
        """The error for a file that takes too long to read."""
        return Unreadable(
            f"{what} took longer than {seconds:,} seconds to read; leave it out{self._raised('max_seconds')}", Reason.TOO_SLOW
        )

    def _raised(self, name: str) -> str:
        return f", or raise {name} (--{name.replace('_', '-')})" if self.are_options else ""


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of the corpus.

    Attributes:
        path: where it is.
        source: how passages name it: the path as given, or relative to the folder that was given.
        document_id: the id of the document in it, if it is one: its path below the root that it belongs to; see `find.Roots`.
        special: its kind if it is not a regular file, such as `FIFO`; else empty.
        at: its absolute path, which identifies it from one update of an index to the next; empty if not needed.
        content: its content, if it is a member of an archive that is being read.
    """

    path: Path
    source: str
    document_id: str
    special: str = ""
    at: Path = Path()
    content: BinaryIO | None = None

    @property
    def compression(self) -> str:
        """`.gz` or `.bz2`; empty if it is not compressed."""
        last = self._name.suffix.lower()
        return last if last in _COMPRESSIONS else ""

    @property
    def suffix(self) -> str:
        """The suffix that determines its format: the last one in lower case, or the one before that of its compression."""
        return ".jsonl" if self.is_wiki else self._plain_name.suffix.lower()

    @property
    def stem(self) -> str:
        """Its name without the suffixes of its format."""
        return shown_name(self._plain_name.stem)

    @property
    def is_wiki(self) -> bool:
        """Whether it is named as by WikiExtractor, such as `wiki_00.bz2`."""
        return _WIKI.fullmatch(self._plain_name.name) is not None

    @property
    def _name(self) -> Path:
        last = self.path.suffix.lower()
        return self.path.with_suffix(_SHORT[last]) if last in _SHORT else self.path

    @property
    def _plain_name(self) -> Path:
        return Path(self._name.stem) if self.compression else self._name

    @property
    def is_readable(self) -> bool:
        """Whether it is a regular file of a known format."""
        return not self.special and self.suffix in RECORD_SUFFIXES | DOCUMENT_SUFFIXES | ARCHIVE_SUFFIXES

    @property
    def is_document(self) -> bool:
        """Whether it is one document; else it holds many records."""
        return self.suffix in DOCUMENT_SUFFIXES

    @property
    def is_archive(self) -> bool:
        """Whether it holds other files."""
        return self.suffix in ARCHIVE_SUFFIXES

    @property
    def num_bytes(self) -> int:
        """Its size on disk.

        Raises:
            DataError: if it cannot be accessed.
        """
        with reading(self.source):
            return self.path.stat().st_size


@contextmanager
def open_text(
    file: CorpusFile,
    on_bytes: OnBytes = None,
    limits: Limits | None = None,
    *,
    unit: Literal["line", "file", "row"] = "line",
    check: Check = no_check,
) -> Iterator[io.TextIOWrapper]:
    """Opens a file as text, decompressed if it is compressed, without a byte-order mark and with line ends unchanged.

    Args:
        file: the file.
        on_bytes: called with the number of bytes read from disk, piece by piece; from another thread if it is compressed.
        limits: how much is read.
        unit: what is held in memory at once: each line, the whole file, or a row, whose length the caller checks.
        check: called for every piece that is read.

    Raises:
        DataError: now or while reading: no permission, not a regular file, a corrupt gzip or bzip2 file, bytes that are not
            UTF-8, more than the limits.
    """
    checks = (_Utf8Check(file.source), _LengthCheck(file.source, limits or Limits(), unit), lambda _: check())
    with reading(file.source), _content_of(file, on_bytes) as content:
        stream = io.BufferedReader(_Watched(content, *checks), BUFFER_BYTES)
        yield io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")


@contextmanager
def _content_of(file: CorpusFile, on_bytes: OnBytes) -> Iterator[BinaryIO]:
    """The content of a file, decompressed ahead of its reader."""
    if file.content is not None:
        yield file.content
        return
    with open_regular(file) as raw:
        counted = watched(raw, on_bytes)
        if not file.compression:
            yield counted
            return
        with closing(Ahead(decompressed(file, counted), _AHEAD)) as pieces:
            yield cast("BinaryIO", Pieces(pieces))


def watched(raw: BinaryIO, on_bytes: OnBytes) -> BinaryIO:
    """The same stream; its bytes are reported as they pass."""
    return raw if on_bytes is None else io.BufferedReader(_Watched(raw, _length_to(on_bytes)), BUFFER_BYTES)


def decompressed(file: CorpusFile, raw: BinaryIO) -> Generator[bytes, None, None]:
    """The bytes of a file, piece by piece.

    Args:
        file: its name says how it is compressed.
        raw: its bytes, not decompressed.

    Raises:
        DataError: if it is damaged or cut off.
    """
    name, opens = _COMPRESSIONS.get(file.compression, ("", None))
    try:
        with opens(raw, "rb") if opens is not None else nullcontext(raw) as stream:
            while piece := stream.read(BUFFER_BYTES):
                yield piece
    except (EOFError, zlib.error, OSError) as error:
        if not name or (isinstance(error, OSError) and error.errno is not None):
            raise
        raise DataError(f"{file.source} is not a complete {name} file ({error}); fetch or compress it again") from None


def open_regular(file: CorpusFile) -> BinaryIO:
    """Opens a file for its bytes.

    Raises:
        DataError: if it is not a regular file.
        OSError: if it cannot be opened.
    """
    try:
        return files.open_regular(file.path)
    except files.NotRegular as error:
        message = f"{file.source} is a {error.kind}, not a regular file; give a file, or leave it out"
        raise Unreadable(message, Reason.SPECIAL) from None


def _length_to(tell: Callable[[int], None]) -> Callable[[bytes], None]:
    return lambda piece: tell(len(piece))


class _Watched(io.RawIOBase):
    """Passes bytes on and calls some functions with each piece."""

    def __init__(self, stream: BinaryIO, *on_piece: Callable[[bytes], None]) -> None:
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
            raise Unreadable(
                f"{self._source} is not UTF-8: byte 0x{error.object[error.start]:02x} at offset {offset}; "
                "convert the file to UTF-8, for example with iconv",
                Reason.NOT_UTF8,
            ) from None
        self._num_bytes += len(piece)


class Unreachable(Unreadable):
    """A file that does not exist, or whose disk does not respond."""

    kind = Reason.UNREACHABLE


_UNREACHABLE = frozenset(
    {
        *(errno.ENOENT, errno.ENOTDIR, errno.ESTALE),
        *(errno.EIO, errno.ENXIO, errno.ENODEV, errno.ENOTCONN, errno.ETIMEDOUT, errno.EHOSTDOWN),
    }
)
"""Error numbers for a removed file, an unplugged disk, and a file system whose server is gone."""


@contextmanager
def reading(source: str) -> Iterator[None]:
    """Turns an error of the system into a `DataError` about the file or folder; `Unreachable` if it may come back."""
    try:
        yield
    except FileNotFoundError:
        raise Unreachable(f"{source} does not exist, or is a dangling link; check the path") from None
    except PermissionError:
        raise Unreadable(f"no permission to read {source}; change its mode or leave it out", Reason.UNREACHABLE) from None
    except OSError as error:
        kind = Unreachable if error.errno in _UNREACHABLE else Unreadable
        raise kind(f"cannot read {source}: {error.strerror}; check the file and the disk") from None
