"""Which files a corpus consists of, in a fixed order, and their bytes: counted, unzipped and checked to be UTF-8."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from hopweave.errors import DataError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

RECORD_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".tsv", ".csv"})
"""Files that hold many records."""

DOCUMENT_SUFFIXES = frozenset({".txt", ".md", ".markdown", ".html", ".htm"})
"""Files that are one document each."""

_BUFFER_BYTES = 1 << 17


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of the corpus.

    Attributes:
        path: where it is.
        source: how passages name it: the path as given, or relative to the folder that was given.
        document_id: the id of the document in it, if it is one: relative to the folder that was given, or its bare name.
    """

    path: Path
    source: str
    document_id: str

    @property
    def suffix(self) -> str:
        """What says its format: the last suffix in lower case, the one before it for a `.gz` file."""
        path = Path(self.path.stem) if self.path.suffix.lower() == ".gz" else self.path
        return path.suffix.lower()

    @property
    def stem(self) -> str:
        """Its name without suffixes that say its format."""
        path = Path(self.path.stem) if self.path.suffix.lower() == ".gz" else self.path
        return path.stem

    @property
    def is_readable(self) -> bool:
        """Whether its format is known."""
        return self.suffix in RECORD_SUFFIXES or self.suffix in DOCUMENT_SUFFIXES

    @property
    def num_bytes(self) -> int:
        """Its size on disk.

        Raises:
            DataError: if it cannot be looked at.
        """
        with _reading(self.source):
            return self.path.stat().st_size


def find_files(paths: Sequence[Path]) -> Iterator[CorpusFile]:
    """The files at the given paths: folders are walked, each in the order of its names, hidden entries left out.

    Files of unknown formats are among them, so that they can be counted.

    Raises:
        DataError: for a path that does not exist or a folder that may not be listed.
    """
    for path in paths:
        if path.is_dir():
            yield from _walk(path, path, ())
        elif path.exists():
            yield CorpusFile(path, _shown(path.as_posix()), _shown(path.name))
        else:
            raise DataError(f"there is no file or folder {path}; check the path")


def _walk(folder: Path, top: Path, above: tuple[tuple[int, int], ...]) -> Iterator[CorpusFile]:
    with _reading(str(folder)):
        stat = folder.stat()
        # The list is closed before anything is yielded: a corpus of nested folders does not hold a descriptor for each level.
        with os.scandir(folder) as entries:
            found = sorted((entry.name, entry.is_dir()) for entry in entries if not entry.name.startswith("."))
    here = (stat.st_dev, stat.st_ino)
    if here in above:  # a link that leads back up
        return
    for name, is_folder in found:
        path = folder / name
        if is_folder:
            yield from _walk(path, top, (*above, here))
        else:
            relative = _shown(path.relative_to(top).as_posix())
            yield CorpusFile(path, relative, relative)


def _shown(name: str) -> str:
    """A file name as text: bytes in it that are not UTF-8 are replaced."""
    return os.fsencode(name).decode("utf-8", "replace")


@contextmanager
def open_bytes(file: CorpusFile, on_bytes: Callable[[int], None] | None = None) -> Iterator[BinaryIO]:
    """Opens a file for reading, unzipped if it is a `.gz`.

    Args:
        file: the file.
        on_bytes: told how many bytes were read from the disk, piece by piece.

    Raises:
        DataError: now or while reading: no permission, not a regular file, a broken zip, bytes that are not UTF-8.
    """
    with _reading(file.source), file.path.open("rb") as raw:
        counted: BinaryIO = raw
        if on_bytes is not None:
            tell = on_bytes
            counted = io.BufferedReader(_Watched(raw, lambda piece: tell(len(piece))), _BUFFER_BYTES)
        if file.path.suffix.lower() == ".gz":
            with gzip.open(counted, "rb") as unzipped:
                yield io.BufferedReader(_Watched(unzipped, _Utf8Check(file.source)), _BUFFER_BYTES)
        else:
            yield io.BufferedReader(_Watched(counted, _Utf8Check(file.source)), _BUFFER_BYTES)


@contextmanager
def open_text(file: CorpusFile, on_bytes: Callable[[int], None] | None = None) -> Iterator[io.TextIOWrapper]:
    """Opens a file as text, a byte order mark left out and line ends left alone. Same errors as `open_bytes`."""
    with open_bytes(file, on_bytes) as stream:
        yield io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")


class _Watched(io.RawIOBase):
    """Passes bytes on and shows each piece to a callback."""

    def __init__(self, stream: BinaryIO | gzip.GzipFile, on_piece: Callable[[bytes], None]) -> None:
        self._stream = stream
        self._on_piece = on_piece

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        piece = self._stream.read(len(view))
        self._on_piece(piece)
        view[: len(piece)] = piece
        return len(piece)


class _Utf8Check:
    """Checks bytes to be UTF-8 as they pass; an empty piece is the end."""

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
        raise DataError(f"{source} does not exist, or is a link to nothing; check the path") from None
    except PermissionError:
        raise DataError(f"no permission to read {source}; change its mode or leave it out") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{source} is not a whole gzip file ({error}); fetch or compress it again") from None
    except OSError as error:
        raise DataError(f"cannot read {source}: {error.strerror}; check the file and the disk") from None
