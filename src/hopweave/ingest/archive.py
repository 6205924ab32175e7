"""Archives (tar) of documents and records, read as a stream: nothing is unpacked to the disk, whatever the members' names are.

HotpotQA's Wikipedia has this form: a `.tar.bz2` of folders with files `wiki_00.bz2`, each of JSON lines.
"""

from __future__ import annotations

import stat
import tarfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import PurePosixPath
from tarfile import InvalidHeaderError, ReadError, TruncatedHeaderError  # type: ignore[attr-defined]
from typing import IO, BinaryIO, NamedTuple, cast

from hopweave.core.errors import DataError
from hopweave.core.files import shown_name
from hopweave.ingest.ahead import Ahead, Pieces
from hopweave.ingest.formats import (
    ARCHIVE_SUFFIXES,
    BOOK_SUFFIXES,
    CorpusFile,
    Limits,
    OnBytes,
    decompressed,
    open_regular,
    reading,
    watched,
)

_AHEAD = 64
"""Pieces of at most 128 KiB that wait to be taken."""

_MAX_HEADER_BYTES = 1 << 20
_HEADERS = frozenset(
    {tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE}
)
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
    with reading(archive.source), open_regular(archive) as raw:
        stream = Pieces(total.counted(decompressed(archive, watched(raw, on_bytes))))
        with _tar(archive.source), tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|", tarinfo=_Header) as tar:
            while (found := tar.next()) is not None:
                tar.members.clear()  # type: ignore[attr-defined]  # all of them would be kept
                if found.isdir():
                    continue
                member = _member(archive, found)
                yield _Opens(member)
                if member.is_readable:
                    yield from _content(member, tar, found, total)


def _content(member: CorpusFile, tar: tarfile.TarFile, found: tarfile.TarInfo, total: _Total) -> Iterator[_Event]:
    opened = tar.extractfile(found)
    if opened is None:
        yield _Ends(DataError(f"{member.source} has no content; leave it out"))
        return
    try:
        yield from total.counted(decompressed(member, cast("BinaryIO", opened)))
    except DataError as error:
        if total.is_spent:
            raise
        yield _Ends(error)
    else:
        yield _Ends(None)


def _member(archive: CorpusFile, found: tarfile.TarInfo) -> CorpusFile:
    """A member as a file of the corpus; its name is never used as a path."""
    parts = [part for part in PurePosixPath(shown_name(found.name)).parts if part not in ("/", "..")]
    below = PurePosixPath(*parts)
    kind = _KINDS.get(found.type, "" if found.isreg() else stat.filemode(found.mode))
    member = CorpusFile(archive.path.joinpath(below), f"{archive.source}/{below}", f"{archive.document_id}/{below}", kind)
    has_to_be_unpacked = not kind and member.suffix in BOOK_SUFFIXES | ARCHIVE_SUFFIXES
    return replace(member, special=f"{member.suffix} to be unpacked first") if has_to_be_unpacked else member


class _Total:
    """Limits what is decompressed: the archive, and separately the contents of its members."""

    def __init__(self, source: str, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        self._num_left = 2 * (limits.max_file_mib << 20)
        self.is_spent = False

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
