"""The files of a corpus: their formats, and their bytes: counted, decompressed and checked to be UTF-8."""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, BinaryIO, Literal, cast

from hopweave.core import files
from hopweave.core.errors import DataError
from hopweave.core.files import shown_name
from hopweave.ingest import decompression
from hopweave.ingest.ahead import Ahead, Pieces
from hopweave.ingest.deadline import Check, Deadline, no_check
from hopweave.ingest.reasons import Reason, Unreadable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

RECORD_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".tsv", ".csv"})
"""Files that contain many records."""

TEXT_SUFFIXES = frozenset(
    {".txt", ".log", ".md", ".markdown", ".html", ".htm", ".xhtml", ".rst", ".man", ".ipynb", ".srt", ".vtt", ".eml"}
)
"""Files that are one text document each, by their names; others are recognised by their content, see `recognise`."""

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

ARCHIVE_SUFFIXES = frozenset({".tar", ".zip", ".mbox"})
"""Files that hold others."""

SOURCE_CODE_SUFFIXES = frozenset(
    f".{name}"
    for name in re.findall(
        r"\w+",
        "ada adb ads asm awk bash bat c cc cfc cgi cjs clj cljs cmake cmd coffee cpp cr cs csh css cu cxx d dart diff ejs el "
        "elm erb erl ex exs f f03 f77 f90 f95 fish for fs fsx geojson go gradle graphql groovy h haml hbs hcl hh hpp hs hxx in "
        "ino j2 java jinja jl js json5 jsonld jsx kt kts less lisp lock lua m m4 map mjs mk ml mli mm mustache nim nix pas "
        "patch php pl plist pm po pot proto ps1 psm1 pxd py pyi pyw pyx r rb rdf rkt rs s sass scala scm scss sed sh sln sql "
        "sty sv svelte svg swift t tcl tf thrift tmpl toc ts tsx v vb vbs vcxproj vhd vim vue wgsl wsdl xml xsd xsl xslt y "
        "zig zsh",
    )
)
"""Files that are text, but for programs: source code, markup and data. They are read only if they are asked for."""

_COMPRESSIONS: Mapping[str, str] = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
"""Names of compressions by suffix; any known format may be compressed."""

_SHORT = {
    ".tgz": ".tar.gz", ".taz": ".tar.gz", ".tbz": ".tar.bz2", ".tbz2": ".tar.bz2", ".txz": ".tar.xz", ".tzst": ".tar.zst"
}  # fmt: skip
_LIBRARIES = {".pdf": "pypdf", ".zst": "zstandard"}
"""Optional libraries by the suffix of the format or compression that needs them."""
_READABLE = RECORD_SUFFIXES | DOCUMENT_SUFFIXES | ARCHIVE_SUFFIXES
_OTHER_NAMES = frozenset({".markdown", ".htm", ".xhtml", ".ndjson"})

FORMATS = " ".join(
    suffix
    for suffixes in (TEXT_SUFFIXES, BOOK_SUFFIXES, RECORD_SUFFIXES, ARCHIVE_SUFFIXES)
    for suffix in sorted(suffixes - _OTHER_NAMES)
)
"""The formats that are known by name, for messages and help."""

READ = f"{FORMATS}, also compressed ({' '.join(_COMPRESSIONS)}), and other text"
"""All that is read, for messages and help."""

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

_MARKS = (
    *((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32")),
    *((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")),
)
"""Byte-order marks, the longer ones first."""


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
        looks: its format as a suffix, if its content shows what its name does not; see `recognise`.
    """

    path: Path
    source: str
    document_id: str
    special: str = ""
    at: Path = Path()
    content: BinaryIO | None = None
    looks: str = ""

    @property
    def compression(self) -> str:
        """The suffix of its compression, such as `.gz`; empty if it is not compressed."""
        last = self._name.suffix.lower()
        return last if last in _COMPRESSIONS else ""

    @property
    def suffix(self) -> str:
        """The suffix that determines its format: the last one in lower case, or the one before that of its compression."""
        return self.looks or self.named_suffix

    @property
    def named_suffix(self) -> str:
        """The same, by its name alone."""
        return ".jsonl" if self.is_wiki else self._plain_name.suffix.lower()

    @property
    def stem(self) -> str:
        """Its name without the suffixes of its format; a suffix that says nothing, such as that of `README.first`, is kept."""
        return shown_name(self._plain_name.name if self.looks else self._plain_name.stem)

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
        return not self.special and self.suffix in _READABLE

    @property
    def is_source_code(self) -> bool:
        """Whether it is source code, or data for programs, which is read only if it is asked for."""
        return not self.is_readable and self.suffix in SOURCE_CODE_SUFFIXES

    @property
    def libraries(self) -> list[str]:
        """The optional libraries that are needed to read it."""
        return [_LIBRARIES[suffix] for suffix in (self.suffix, self.compression) if suffix in _LIBRARIES]

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
        DataError: now or while reading: no permission, not a regular file, a damaged compressed file, bytes that are neither
            UTF-8 nor UTF-16 or UTF-32 with a byte-order mark, more than the limits.
    """
    checks = (_Utf8Check(file.source), _LengthCheck(file.source, limits or Limits(), unit), lambda _: check())
    with reading(file.source), _content_of(file, on_bytes) as content:
        stream = io.BufferedReader(_Watched(_as_utf8(content, file.source), *checks), BUFFER_BYTES)
        yield io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")


def encoding_of(head: bytes) -> str:
    """The encoding that a byte-order mark shows, other than UTF-8; empty without one."""
    return next((name for mark, name in _MARKS if head.startswith(mark)), "")


def _as_utf8(content: BinaryIO, source: str) -> BinaryIO:
    """The same stream, in UTF-8 if a byte-order mark says that it is in another encoding."""
    stream = (
        content if isinstance(content, io.BufferedReader) else io.BufferedReader(cast("io.RawIOBase", content), BUFFER_BYTES)
    )
    encoding = encoding_of(stream.peek(4)[:4])
    if not encoding:
        return stream
    return cast("BinaryIO", Pieces(_recoded(iter(lambda: stream.read(BUFFER_BYTES), b""), encoding, source)))


def _recoded(pieces: Iterable[bytes], encoding: str, source: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for piece in pieces:
            yield decoder.decode(piece).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError:
        said = f"{source} is not {encoding.upper()}, as it says at its beginning"
        raise DataError(f"{said}; convert the file to UTF-8, for example with iconv") from None


def bytes_of(file: CorpusFile, on_bytes: OnBytes, limits: Limits, check: Check) -> bytes:
    """The whole content of a file that is not all text. Arguments and errors as of `open_text`."""
    length = _LengthCheck(file.source, limits, "file")
    pieces = []
    with reading(file.source), _content_of(file, on_bytes) as content:
        while piece := content.read(BUFFER_BYTES):
            check()
            length(piece)
            pieces.append(piece)
    return b"".join(pieces)


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
        DataError: if it is damaged or cut off, or a library is missing.
    """
    if not file.compression:
        while piece := raw.read(BUFFER_BYTES):
            yield piece
        return
    library = _LIBRARIES.get(file.compression)
    if library is not None and find_spec(library) is None:
        message = f"{file.source} needs the library {library} to be read; install it with: pip install 'hopweave[documents]'"
        raise Unreadable(message, Reason.NEEDS_LIBRARY)
    try:
        yield from decompression.pieces(raw, file.compression)
    except decompression.Damaged as error:
        name = _COMPRESSIONS[file.compression]
        raise DataError(f"{file.source} is not a complete {name} file ({error}); fetch or compress it again") from None


def head_of(file: CorpusFile, num_bytes: int) -> bytes:
    """The first bytes of a file on the disk, decompressed.

    Raises:
        DataError: if they cannot be read.
    """
    with reading(file.source), open_regular(file) as raw, closing(decompressed(file, raw)) as pieces:
        head = b""
        while len(head) < num_bytes and (piece := next(pieces, b"")):
            head += piece
        return head[:num_bytes]


@contextmanager
def unpacked(file: CorpusFile, limits: Limits, on_bytes: OnBytes = None) -> Iterator[CorpusFile]:
    """The same file as one that is neither compressed nor in an archive: if it is, in a temporary file, deleted at the end.

    Raises:
        DataError: as `open_text`.
    """
    if file.content is None and not file.compression:
        yield file
        return
    check, length = limits.deadline(file).check, _LengthCheck(file.source, limits, "whole")
    with reading(file.source), _content_of(file, on_bytes) as content, NamedTemporaryFile(suffix=file.suffix) as held:
        while piece := content.read(BUFFER_BYTES):
            check()
            length(piece)
            held.write(piece)
        held.flush()
        yield replace(file, path=Path(held.name), content=None, looks="")


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

    def __init__(self, source: str, limits: Limits, unit: Literal["line", "file", "row", "whole"]) -> None:
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
