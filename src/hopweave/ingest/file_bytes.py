"""The bytes of a corpus file: counted, decompressed, and as UTF-8."""

from __future__ import annotations

import codecs
import errno
import io
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, BinaryIO, Literal, cast

from hopweave.core import files
from hopweave.core.errors import DataError
from hopweave.ingest import decompression
from hopweave.ingest.ahead import Ahead, Pieces
from hopweave.ingest.deadline import Check, no_check
from hopweave.ingest.encodings import (
    DECLARED_WITHIN,
    declared_encoding,
    guessed_encoding,
    is_utf8,
    marked_encoding,
    shown_encoding,
)
from hopweave.ingest.formats import COMPRESSIONS, LIBRARIES, CorpusFile, Limits, OnBytes
from hopweave.ingest.reasons import Reason, Unreadable, reading

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

OnGuess = Callable[[str], None] | None
"""Called with an encoding that is guessed."""

BUFFER_BYTES = 1 << 17
_AHEAD = 64
"""The maximum number of decompressed pieces that wait to be read."""

_MIB = 1 << 20


@contextmanager
def open_text(
    file: CorpusFile,
    on_bytes: OnBytes = None,
    limits: Limits | None = None,
    *,
    unit: Literal["line", "file", "row"] = "line",
    check: Check = no_check,
    on_guess: OnGuess = None,
) -> Iterator[io.TextIOWrapper]:
    """Opens a file as text, decompressed if it is compressed, without a byte-order mark and with line ends unchanged.

    Args:
        file: the file.
        on_bytes: called with the number of bytes read from disk, piece by piece; from another thread if it is compressed.
        limits: how much is read.
        unit: what is held in memory at once: each line, the whole file, or a row, whose length the caller checks.
        check: called for every piece that is read.
        on_guess: called with the encoding of a text that is not in Unicode and declares none, by its name in Python: it is
            guessed. By default such a text is an error.

    Raises:
        DataError: now or while reading: no permission, not a regular file, a damaged compressed file, bytes that are neither
            UTF-8, nor UTF-16 or UTF-32 with a byte-order mark, nor what the file declares or what is guessed; more than the
            limits.
    """
    checks = (_Utf8Check(file.source), _LengthCheck(file.source, limits or Limits(), unit), lambda _: check())
    with reading(file.source), _content_of(file, on_bytes) as content:
        stream = io.BufferedReader(_Watched(_as_utf8(content, file.source, on_guess), *checks), BUFFER_BYTES)
        yield io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")


def _as_utf8(content: BinaryIO, source: str, on_guess: OnGuess) -> BinaryIO:
    """The same stream, in UTF-8 if the file is in another encoding and says so, or if that may be guessed."""
    stream = (
        content if isinstance(content, io.BufferedReader) else io.BufferedReader(cast("io.RawIOBase", content), BUFFER_BYTES)
    )
    pieces = iter(lambda: stream.read(BUFFER_BYTES), b"")
    marked = marked_encoding(stream.peek(4)[:4])
    if marked:
        return cast("BinaryIO", Pieces(_recoded(pieces, marked, f"{source} is not {shown_encoding(marked)}, as it says")))
    declared = declared_encoding(stream.peek(DECLARED_WITHIN))
    if declared or on_guess is not None:
        return cast("BinaryIO", Pieces(_recoded_if_needed(pieces, declared, source, on_guess)))
    return stream


def _recoded_if_needed(pieces: Iterator[bytes], declared: str, source: str, on_guess: OnGuess) -> Iterator[bytes]:
    """The pieces in UTF-8. Many pages in UTF-8 declare something else, so the first piece that is not ASCII decides."""
    for piece in pieces:
        if piece.isascii() and b"\x1b" not in piece:  # with which ISO-2022-JP begins other letters
            yield piece
            continue
        rest = chain([piece], pieces)
        if declared:
            is_other = b"\x1b" in piece or not is_utf8(piece)
            yield from _recoded(rest, declared, f"{source} is not {shown_encoding(declared)}, as it says") if is_other else rest
        elif on_guess is not None and (guessed := guessed_encoding(piece)):
            on_guess(guessed)
            yield from _recoded(rest, guessed, f"{source} is not {shown_encoding(guessed)}, as it seems")
        else:
            yield from rest
        return


def _recoded(pieces: Iterable[bytes], encoding: str, otherwise: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for piece in pieces:
            yield decoder.decode(piece).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError:
        message = f"{otherwise} at its beginning; convert the file to UTF-8, for example with iconv"
        raise Unreadable(message, Reason.NOT_UTF8) from None


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
    library = LIBRARIES.get(file.compression)
    if library is not None and find_spec(library) is None:
        message = f"{file.source} needs the library {library} to be read; install it with: pip install 'hopweave[documents]'"
        raise Unreadable(message, Reason.NEEDS_LIBRARY)
    try:
        yield from decompression.pieces(raw, file.compression)
    except decompression.Damaged as error:
        name = COMPRESSIONS[file.compression]
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
        yield replace(file, path=Path(held.name), content=None, looks="", confined_to=None)


def open_regular(file: CorpusFile) -> BinaryIO:
    """Opens a file for its bytes.

    Raises:
        DataError: if it is not a regular file, or a link leads from it to where it may not.
        OSError: if it cannot be opened.
    """
    try:
        return files.open_confined(file.path, file.confined_to)
    except files.LeadsOut:
        message = f"{file.source} is behind a link to where links are not followed; give the path of what it leads to"
        raise Unreadable(message, Reason.LEADS_OUT) from None
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
