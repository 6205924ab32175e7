"""Archives of documents and records (tar, zip, mailboxes, exported notes), read member by member.

No member is unpacked under its own name.

HotpotQA's Wikipedia has this form: a `.tar.bz2` of folders with files `wiki_00.bz2`, each of JSON lines.
"""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from tarfile import InvalidHeaderError, ReadError, TruncatedHeaderError  # type: ignore[attr-defined]
from typing import IO, BinaryIO, NamedTuple, cast

from hopweave.core.errors import DataError
from hopweave.core.files import shown_name
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.ahead import Ahead, Pieces
from hopweave.ingest.enex import SUFFIX as NOTES
from hopweave.ingest.enex import notes_of
from hopweave.ingest.file_bytes import BUFFER_BYTES, decompressed, open_regular, unpacked, watched
from hopweave.ingest.formats import CorpusFile, Limits, OnBytes
from hopweave.ingest.reasons import reading
from hopweave.ingest.recognise import HEAD_BYTES, MAILBOX, TEXT, is_left_closed, told_by
from hopweave.ingest.zipped import BROKEN, refuse_long_list

_AHEAD = 64
"""Pieces of at most 128 KiB that wait to be taken."""

_IS_ENCRYPTED = 1
_ZIP_COMPRESSIONS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2})
_MAX_HEADER_BYTES = 1 << 20
_HEADERS = frozenset(
    {tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE}
)
_BEGINS = lazy_pattern(rb"From \S.*\d\d:\d\d")
_FIELD = lazy_pattern(rb">?From |[!-9;-~]+:")
_KINDS = {
    tarfile.SYMTYPE: "symbolic link", tarfile.LNKTYPE: "hard link", tarfile.CHRTYPE: "device", tarfile.BLKTYPE: "device",
    tarfile.FIFOTYPE: "FIFO", tarfile.GNUTYPE_SPARSE: "sparse file",
}  # fmt: skip


class _Opens(NamedTuple):
    """A member begins; its pieces follow if it can be read."""

    member: CorpusFile


class _Ends(NamedTuple):
    """A member ends, complete or not."""

    error: DataError | None


_Event = _Opens | _Ends | bytes


def members(archive: CorpusFile, on_bytes: OnBytes, limits: Limits) -> Generator[CorpusFile, None, None]:
    """The members of an archive, in order, including those that cannot be read.

    A member's content must be read before the next member is taken. All members are decompressed in a thread.

    Args:
        archive: the file.
        on_bytes: called, in that thread, with the number of bytes read from disk, piece by piece.
        limits: `max_file_mib` applies to all members together.

    Raises:
        DataError: for a file that is not an archive, is damaged or is too long.
    """
    with closing(Ahead(_events(archive, on_bytes, limits), _AHEAD)) as events, reading(archive.source):
        for event in events:
            if not isinstance(event, _Opens):
                continue  # of a member that was not read to its end
            yield replace(event.member, content=cast("BinaryIO", Pieces(_pieces(events))))


def _pieces(events: Iterator[_Event]) -> Iterator[bytes]:
    """The pieces of the member that was taken last."""
    for event in events:
        if isinstance(event, _Ends):
            if event.error is not None:
                raise event.error
            return
        if isinstance(event, bytes):
            yield event


def _events(archive: CorpusFile, on_bytes: OnBytes, limits: Limits) -> Generator[_Event, None, None]:
    """Goes through an archive: each member, its pieces, its end."""
    total = _Total(archive.source, limits)
    with reading(archive.source):
        if archive.suffix == ".zip":
            yield from _of_zip(archive, on_bytes, limits, total)
            return
        with open_regular(archive) as raw:
            stream = Pieces(total.counted(decompressed(archive, watched(raw, on_bytes))))
            if archive.suffix == MAILBOX:
                yield from _of_mailbox(archive, stream)
            elif archive.suffix == NOTES:
                yield from _of_notes(archive, stream, limits)
            else:
                yield from _of_tar(archive, stream, total)


def _of_tar(archive: CorpusFile, stream: Pieces, total: _Total) -> Iterator[_Event]:
    with _tar(archive.source), tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|", tarinfo=_Header) as tar:
        while (found := tar.next()) is not None:
            tar.members.clear()  # type: ignore[attr-defined]  # all of them would be kept
            if not found.isdir():
                kind = _KINDS.get(found.type, "" if found.isreg() else stat.filemode(found.mode))
                yield from _of_member(member_of(archive, found.name, kind), partial(tar.extractfile, found), total)


def _of_zip(archive: CorpusFile, on_bytes: OnBytes, limits: Limits, total: _Total) -> Iterator[_Event]:
    with unpacked(archive, limits) as plain, open_regular(plain) as raw, _zip(archive.source):
        refuse_long_list(raw)
        with zipfile.ZipFile(raw) as opened:
            for found in opened.infolist():
                if not found.is_dir():
                    kind = "symbolic link" if stat.S_ISLNK(found.external_attr >> 16) else ""
                    member = member_of(archive, found.filename, kind)
                    yield from _of_member(member, partial(_opened, archive, opened, found), total)
    if on_bytes is not None:
        on_bytes(archive.num_bytes)


def _opened(archive: CorpusFile, opened: zipfile.ZipFile, found: zipfile.ZipInfo) -> BinaryIO:
    name = f"{archive.source}/{shown_name(found.filename)}"
    if found.flag_bits & _IS_ENCRYPTED:
        raise DataError(f"{name} is encrypted; unpack it with its password, or leave it out")
    if found.compress_type not in _ZIP_COMPRESSIONS:
        raise DataError(f"{name} is compressed in an unusual way; unpack it, or leave it out")
    return cast("BinaryIO", Pieces(_of_part(name, opened, found)))


def _of_part(name: str, opened: zipfile.ZipFile, found: zipfile.ZipInfo) -> Iterator[bytes]:
    try:
        with opened.open(found) as part:
            while piece := part.read(BUFFER_BYTES):
                yield piece
    except BROKEN as error:
        said = " ".join(str(error).split())[:200]
        raise DataError(f"{name} is damaged ({said}); fetch the archive again, or leave it out") from None


def _of_mailbox(archive: CorpusFile, stream: Pieces) -> Iterator[_Event]:
    """The messages, which begin with a line `From `, as members of the names `1.eml`, `2.eml` and so on (RFC 4155)."""
    number = 0
    held = bytearray()
    for line, begins in _beginnings(io.BufferedReader(stream, BUFFER_BYTES)):
        if len(held) >= BUFFER_BYTES or (begins and held):
            yield bytes(held)
            held.clear()
        if begins:
            if number:
                yield _Ends(None)
            number += 1
            yield _Opens(member_of(archive, f"{number}.eml", ""))
        elif not number and line.strip():
            raise DataError(
                f"{archive.source} is not a mailbox: it begins with no line 'From ...'; correct it, or leave it out"
            )
        else:
            held += line[1:] if line.startswith(b">From ") else line
    if number:
        yield bytes(held)
        yield _Ends(None)


def _of_notes(archive: CorpusFile, stream: Pieces, limits: Limits) -> Iterator[_Event]:
    """The notes of an export, as members of the names `1.html`, `2.html` and so on."""
    pieces = iter(partial(stream.read, BUFFER_BYTES), b"")
    for number, note in enumerate(notes_of(pieces, archive.source, limits), start=1):
        yield _Opens(member_of(archive, f"{number}.html", ""))
        if isinstance(note, bytes):
            yield note
        yield _Ends(None if isinstance(note, bytes) else note)


def _beginnings(lines: io.BufferedReader) -> Iterator[tuple[bytes, bool]]:
    """Each line, and whether a message begins with it.

    Not every program quotes a paragraph that begins with `From `, so all messages but the first begin with a time in that line
    and a field of the head below it.
    """
    is_first = is_after_blank = True
    line = lines.readline(BUFFER_BYTES)
    while line:
        following = lines.readline(BUFFER_BYTES)
        is_begin = line.startswith(b"From ") if is_first else _BEGINS.match(line) and _FIELD.match(following)
        yield line, bool(is_after_blank and is_begin)
        is_first, is_after_blank = is_first and not line.strip(), not line.strip()
        line = following


def _of_member(member: CorpusFile, opens: Callable[[], IO[bytes] | None], total: _Total) -> Iterator[_Event]:
    """A member, its pieces and its end; one whose name does not say its format is recognised by its first pieces."""
    if is_left_closed(member):
        yield _Opens(member)
        return
    head, error = b"", None
    pieces: Iterator[bytes] = iter(())
    try:
        opened = opens()
        if opened is None:
            raise DataError(f"{member.source} has no content; leave it out")
        pieces = total.counted(decompressed(member, cast("BinaryIO", opened)))
        while len(head) < HEAD_BYTES and (piece := next(pieces, b"")):
            head += piece
    except DataError as found:
        error = total.refused(found)
    if error is None:
        member = told_by(head[:HEAD_BYTES], member)
    elif not member.is_readable:
        member = replace(member, looks=TEXT)
    member = not_nested(member)
    yield _Opens(member)
    if not member.is_readable:
        return
    yield head
    try:
        yield from () if error else pieces
    except DataError as found:
        error = total.refused(found)
    yield _Ends(error)


def member_of(archive: CorpusFile, name: str, kind: str) -> CorpusFile:
    """A member as a file of the corpus; its name is never used as a path.

    Args:
        archive: which holds it.
        name: of the member.
        kind: why it is not to be read; empty if it is.
    """
    parts = [part for part in PurePosixPath(shown_name(name)).parts if part not in ("/", "..")]
    below = PurePosixPath(*parts)
    member = CorpusFile(archive.path.joinpath(below), f"{archive.source}/{below}", f"{archive.document_id}/{below}", kind)
    return not_nested(member)


def not_nested(member: CorpusFile) -> CorpusFile:
    """The same member; if it is an archive, as one that is not to be read."""
    is_nested = not member.special and member.is_archive
    return replace(member, special=f"{member.suffix} to be unpacked first") if is_nested else member


class _Total:
    """Limits what is decompressed: the archive, and separately the contents of its members."""

    def __init__(self, source: str, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        self._num_left = 2 * (limits.max_file_mib << 20)
        self.is_spent = False

    def refused(self, error: DataError) -> DataError:
        """The error of a member.

        Raises:
            DataError: the error, if it is about the whole archive.
        """
        if self.is_spent:
            raise error
        return error

    def counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Passes pieces on.

        Raises:
            DataError: beyond the limit.
        """
        for piece in pieces:
            self._num_left -= len(piece)
            if self._num_left < 0:
                self.is_spent = True
                raise self._limits.too_long(self._source, "max_file_mib")
            yield piece


class _Header(tarfile.TarInfo):
    """A header; refused if its extended data, which are read at once, are longer than in any honest archive."""

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> _Header:
        """See `tarfile.TarInfo.fromtarfile`. After the first member, the library takes any non-header for the end."""
        try:
            return super().fromtarfile(tarfile)
        except (TruncatedHeaderError, InvalidHeaderError) as error:
            raise ReadError(str(error)) from None

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Header:
        """See `tarfile.TarInfo.frombuf`."""
        header = super().frombuf(buf, encoding, errors)
        if header.type in _HEADERS and not 0 <= header.size <= _MAX_HEADER_BYTES:
            raise ReadError(f"a header of {header.size:,} bytes")
        return header


@contextmanager
def _tar(source: str) -> Iterator[None]:
    try:
        yield
    except tarfile.TarError as error:
        raise DataError(f"{source} is not a complete tar archive ({error}); fetch it again, or leave it out") from None


@contextmanager
def _zip(source: str) -> Iterator[None]:
    try:
        yield
    except BROKEN as error:
        said = " ".join(str(error).split())[:200]
        raise DataError(f"{source} is not a complete zip archive ({said}); fetch it again, or leave it out") from None
