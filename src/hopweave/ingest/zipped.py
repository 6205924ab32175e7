"""Documents that are zip files of XML, from strangers: each part is limited in length, and may not declare entities."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import BinaryIO
from xml.parsers import expat

from hopweave.core.errors import DataError
from hopweave.ingest.deadline import Check
from hopweave.ingest.formats import Limits
from hopweave.ingest.reasons import Reason, Unreadable

_MAX_LIST_BYTES = 4 << 20
"""Maximum size of the list of a file's parts; each entry takes about 50 bytes, and ten times that in memory."""

_MAX_DEPTH = 1_000
"""Maximum nesting of XML. Tables within tables take a DOCX to a few dozen levels, and libxml2, which many programs read it
with, stops at 256."""

_END = b"PK\x05\x06"
_END_BYTES = 22
_LARGE = b"PK\x06\x07"
_LARGE_BYTES = 20
_COMPOUND_FILE = b"\xd0\xcf\x11\xe0"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_SOUGHT_BYTES = 1 << 20
BROKEN = (
    zipfile.BadZipFile, NotImplementedError, zlib.error, EOFError, ValueError, RuntimeError, struct.error, OverflowError,
    KeyError, IndexError,
)  # fmt: skip
"""What the library raises for a damaged file."""

StartElement = Callable[[str, Mapping[str, str]], None]
EndElement = Callable[[str], None]
OnText = Callable[[str], None]


class Archive:
    """A zip file; one limit applies to everything that is read from it.

    Args:
        raw: the file.
        source: how messages name it.
        limits: on what is read from it.
        check: called for every element.

    Raises:
        DataError: for a file that is not a zip file, or a malicious one.
    """

    def __init__(self, raw: BinaryIO, source: str, limits: Limits, check: Check) -> None:
        self.source = source
        self.check = check
        self._limits = limits
        self._num_left = self._num_text_left = limits.max_row_mib << 20
        if raw.read(len(_COMPOUND_FILE)) == _COMPOUND_FILE:
            raise _refused_compound_file(raw, source)
        with self._broken():
            refuse_long_list(raw)
            self._zip = zipfile.ZipFile(raw)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def read(self, name: str) -> bytes:
        """The content of a part.

        Raises:
            DataError: if it is missing, damaged, or beyond the limits.
        """
        with self._broken():
            if self._zip.getinfo(name).compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
                raise zipfile.BadZipFile("an unusual compression")
            with self._zip.open(name) as part:
                content = part.read(self._num_left + 1)
        self._num_left -= len(content)
        if self._num_left < 0:
            raise self._limits.too_long(f"the text of {self.source}", "max_row_mib")
        return content

    def count(self, num_characters: int) -> None:
        """Notes text that is made of what was read, and may be far longer: what is repeated, and what several cells share.

        Raises:
            DataError: if it is beyond the limits.
        """
        self.check()
        self._num_text_left -= num_characters
        if self._num_text_left < 0:
            raise self._limits.too_long(f"the text of {self.source}", "max_row_mib")

    def counted(self, texts: Iterable[str]) -> Iterator[str]:
        """Passes texts on, such as rows that repeat the names of their columns, and counts them; see `count`.

        Raises:
            DataError: as in `count`.
        """
        for text in texts:
            self.count(len(text))
            yield text

    def parse(self, name: str, start: StartElement, end: EndElement | None = None, text: OnText | None = None) -> None:
        """Parses a part that is XML. Elements are named by namespace and name, with a space between.

        Raises:
            DataError: see `read`; also for a part that is not XML, declares entities, which can grow without limit, or nests
                too deeply.
        """
        content = self.read(name)
        depth = 0

        def opened(element: str, attributes: Mapping[str, str]) -> None:
            nonlocal depth
            depth += 1
            if depth > _MAX_DEPTH:
                what = f"{self.source} is nested too deeply: {name} has more than {_MAX_DEPTH:,} elements within each other"
                raise DataError(f"{what}; save it again, or leave it out")
            self.check()
            start(element, attributes)

        def closed(element: str) -> None:
            nonlocal depth
            depth -= 1
            if end is not None:
                end(element)

        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.EntityDeclHandler = self._refuse_entities
        parser.StartElementHandler = opened
        parser.EndElementHandler = closed
        parser.CharacterDataHandler = text
        try:
            parser.Parse(content, True)  # noqa: FBT003 - the library's signature
        except (expat.ExpatError, ValueError, LookupError) as error:
            raise DataError(f"{self.source} is damaged: {name} is not XML ({error}); save it again, or leave it out") from None

    def _refuse_entities(self, *_: object) -> None:
        raise DataError(f"{self.source} declares entities of XML, which no such document needs; save it again, or leave it out")

    @contextmanager
    def _broken(self) -> Iterator[None]:
        try:
            yield
        except BROKEN as error:
            said = " ".join(str(error).split()) or type(error).__name__
            raise DataError(f"{self.source} is damaged ({said[:200]}); save it again, or leave it out") from None


def _refused_compound_file(raw: BinaryIO, source: str) -> DataError:
    """The error for a file of the format that Office used before, and still uses around what it encrypts."""
    raw.seek(0)
    start = raw.read(_SOUGHT_BYTES)
    raw.seek(max(0, raw.seek(0, 2) - _SOUGHT_BYTES))
    if _ENCRYPTED in start or _ENCRYPTED in raw.read():
        return Unreadable(f"{source} is encrypted; save it without a password, or leave it out", Reason.ENCRYPTED)
    return DataError(f"{source} is of an older format, whatever its name says; save it in the present one, or leave it out")


def refuse_long_list(raw: BinaryIO) -> None:
    """Makes sure that the list of a file's parts is not long; the library reads it at once, whatever length it claims to be.

    Raises:
        BadZipFile: if it is, or there is none.
    """
    size = raw.seek(0, 2)
    raw.seek(max(0, size - (1 << 16) - _END_BYTES - _LARGE_BYTES))
    tail = raw.read()
    at = len(tail) - _END_BYTES
    if not (tail[-_END_BYTES:].startswith(_END) and tail.endswith(b"\0\0")):
        at = tail.rfind(_END)
    if at < 0 or len(tail) < at + _END_BYTES:
        raise zipfile.BadZipFile("not a zip file, or truncated")
    (num_bytes,) = struct.unpack_from("<L", tail, at + 12)
    if num_bytes > _MAX_LIST_BYTES or tail[max(0, at - _LARGE_BYTES) : at].startswith(_LARGE):
        raise zipfile.BadZipFile("a list of parts that is too long")
    raw.seek(0)
