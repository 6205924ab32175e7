"""Compound files ([MS-CFB]), which the Office programs of 1997 to 2003 save: named streams of bytes in one file.

They come from strangers, so what the library that opens them may read is limited: it follows chains of sectors, which can go in
circles, for as long as the file says.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from typing import Any

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.formats import Limits
from hopweave.ingest.reasons import Reason, Unreadable

SUMMARY = "\x05SummaryInformation"
"""The stream with the properties of a document."""

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SLACK_BYTES = 1 << 16
_MAX_DIRECTORY_BYTES = 2 << 20
"""Of the list of streams, in entries of 128 bytes; the library looks for each one among all before it."""
_FAT_SHARE = 64
"""The tables of sectors are less than a 64th of a file."""
_KINDS = {
    "WordDocument": ("a document of Word", ".doc"),
    "Workbook": ("a workbook of Excel", ".xls"),
    "Book": ("a workbook of Excel", ".xls"),
    "PowerPoint Document": ("a presentation of PowerPoint", ".ppt"),
    "__properties_version1.0": ("a message of Outlook", ".msg"),
}
"""What files are by the name of their main stream."""

_PACKAGES = {
    b"word/": ".docx",
    b"ppt/": ".pptx",
    b"xl/": ".xlsx",
    b"opendocument.text": ".odt",
    b"opendocument.spreadsheet": ".ods",
    b"opendocument.presentation": ".odp",
}
_SOUGHT_BYTES = 1 << 16
_STARTS = {"{\\rtf": ".rtf", "%PDF-": ".pdf", "MIME-Version:": ".eml"}
_HTML = lazy_pattern(
    r"\s*+(?:<(?:!--[^>]{0,2000}>|\?xml[^>]{0,2000}>)\s*+)*+<(?:!doctype html|html|head|meta|style|table|body|div|title)\b",
    re.IGNORECASE,
)
_NOT_TEXT = lazy_pattern(r"[^\x20-\x7e\x80-\U0010ffff\t\n\r\f]")
_SHOWN_KINDS = {
    ".csv": "a table in plain text",
    ".eml": "a web page in a message",
    ".html": "a web page",
    ".txt": "plain text",
}

_CODE_PAGE, _TITLE = 1, 2
_SHORT, _STRING, _WIDE_STRING = 2, 30, 31
_UTF_16 = 1200
_MAX_PROPERTIES = 1_000


def streams_of(
    content: bytes, source: str, mains: Sequence[str], others: Sequence[str] = (), *, check: Check
) -> dict[str, bytes]:
    """Those of some streams that a file has.

    Args:
        content: the file.
        source: its name in messages.
        mains: the streams of which it must have one.
        others: further ones, which it may have.
        check: called for each sector that is read.

    Raises:
        DataError: for a file that is damaged, encrypted, or of another kind; the message says what it looks like.
        Unreadable: if the library is missing.
    """
    found: dict[str, bytes] = {}
    with opened(content, source, _KINDS[mains[0]][1], check) as file:
        names = [*mains, *others] if any(map(file.exists, mains)) else []
        for name in filter(file.exists, names):
            found[name] = file.openstream([name]).read()
        is_encrypted = file.exists("EncryptedPackage")
        kinds = [kind for name, kind in _KINDS.items() if file.exists(name)]
    if found:
        return found
    if is_encrypted:
        raise encrypted(source)
    if kinds:
        what, suffix = kinds[0]
        raise DataError(f"{source} is {what} by its content; rename it to NAME{suffix}, or leave it out")
    raise damaged(source, f"it has no stream {mains[0]}")


@contextmanager
def opened(content: bytes, source: str, suffix: str, check: Check) -> Iterator[Any]:
    """A compound file opened by the library, which may read each byte of it once; what it raises is damage.

    Args:
        content: the file.
        source: its name in messages.
        suffix: of the format that its name says.
        check: called for each sector that is read.

    Raises:
        DataError: for a file that is damaged, or no compound file; the message says what it looks like.
        Unreadable: if the library is missing.
    """
    if not content.startswith(SIGNATURE):
        raise _not_compound(content, source, suffix)
    if find_spec("olefile") is None:
        message = f"{source} needs the library olefile to be read; install it with: pip install 'hopweave[documents]'"
        raise Unreadable(message, Reason.NEEDS_LIBRARY)
    raw = _Limited(content, check)
    try:
        raw.num_left = len(content) // _FAT_SHARE + _MAX_DIRECTORY_BYTES
        with import_module("olefile").OleFileIO(raw) as file:
            raw.num_left = len(content) + _SLACK_BYTES  # each byte is in one stream at most
            yield file
    except DataError:
        raise
    except Exception as error:  # noqa: BLE001 - the library raises whatever damaged numbers lead to
        said = str(error) if isinstance(error, OSError) else "its sectors do not fit together"
        raise damaged(source, " ".join(said.split())[:200]) from None


def encrypted(source: str) -> Unreadable:
    """The error for a file under a password."""
    return Unreadable(f"{source} is encrypted; save it without a password, or leave it out", Reason.ENCRYPTED)


def damaged(source: str, what: str) -> DataError:
    """The error for a file that says something impossible."""
    return DataError(f"{source} is damaged ({what}); save it again, or leave it out")


def _looks_like(content: bytes, text: str = ".txt") -> str:
    """The format of a file that is no compound file although its name says so, as a suffix; empty if it is not known.

    Programs on the web call tables in HTML or CSV `.xls`, and people call all documents `.doc`.

    Args:
        content: the file.
        text: what plain text is to be called.
    """
    head = content[:_SOUGHT_BYTES]
    if head.startswith(b"PK\x03\x04"):
        ends = head + content[-_SOUGHT_BYTES:]
        return next((suffix for mark, suffix in _PACKAGES.items() if mark in ends), ".zip")
    is_utf_16 = head[:2] in {b"\xff\xfe", b"\xfe\xff"}
    shown = head[: len(head) & ~1].decode("utf-16", "replace") if is_utf_16 else head.decode("latin-1")
    shown = shown.removeprefix("\xef\xbb\xbf").lstrip()
    for start, suffix in _STARTS.items():
        if shown.startswith(start):
            return suffix
    if _HTML.match(shown):
        return ".html"
    return text if shown and not _NOT_TEXT.search(shown) else ""


def _not_compound(content: bytes, source: str, suffix: str) -> DataError:
    found = _looks_like(content, ".csv" if suffix == ".xls" else ".txt")
    if not found:
        return damaged(source, "it is not of the format that its name says")
    what = _SHOWN_KINDS.get(found, f"{'an' if found[1] in 'orx' else 'a'} {found[1:].upper()} file")
    return DataError(f"{source} is {what} by its content; rename it to NAME{found}, or leave it out")


class _Limited(BytesIO):
    """A file that is read up to a limit.

    Attributes:
        num_left: how many more bytes may be asked for.
    """

    def __init__(self, content: bytes, check: Check) -> None:
        super().__init__(content)
        self.num_left = _SLACK_BYTES
        self._length = len(content)
        self._check = check

    def read(self, size: int | None = -1, /) -> bytes:
        self._check()
        self.num_left -= self._length if size is None or size < 0 else size
        if self.num_left < 0:
            raise OSError("it names more than there is, or far too many streams")
        return super().read(size)


def summary_title(stream: bytes) -> str:
    """The title in the properties of a document ([MS-OLEPS]); empty if there is none.

    The library that opens the file would read the other ones too, and takes the lengths of lists in them at their word.
    """
    values: dict[int, tuple[int, int]] = {}  # the kind of each property, and where its value is
    try:
        (start,) = struct.unpack_from("<L", stream, 44)
        (count,) = struct.unpack_from("<L", stream, start + 4)
        for at in range(min(count, _MAX_PROPERTIES)):
            identity, offset = struct.unpack_from("<LL", stream, start + 8 + 8 * at)
            if identity in {_CODE_PAGE, _TITLE}:
                values[identity] = struct.unpack_from("<H", stream, start + offset)[0], start + offset + 4
        kind, at = values.get(_TITLE, (0, 0))
        if kind not in {_STRING, _WIDE_STRING}:
            return ""
        kind_of_page, at_page = values.get(_CODE_PAGE, (0, 0))
        (page,) = struct.unpack_from("<H", stream, at_page) if kind_of_page == _SHORT else (1252,)
        (length,) = struct.unpack_from("<L", stream, at)
    except struct.error:
        return ""
    is_wide = kind == _WIDE_STRING
    written = stream[at + 4 : at + 4 + (2 * length if is_wide else length)]
    encoding = "utf-16-le" if is_wide or page == _UTF_16 else "utf-8" if page == 65001 else f"cp{page}"
    try:
        shown = written.decode(encoding, "replace")
    except LookupError:
        shown = written.decode("cp1252", "replace")
    return " ".join(shown.partition("\0")[0].split())


class TextCount:
    """Counts the text that is made of a file, which may be far longer: rows repeat the names of columns, cells share texts.

    Args:
        source: how messages name the file.
        limits: of which that on a document counts.
        check: called each time.
    """

    def __init__(self, source: str, limits: Limits, check: Check) -> None:
        self._source = source
        self._limits = limits
        self._check = check
        self._num_left = limits.max_row_mib << 20

    def count(self, num_characters: int) -> None:
        """Notes some text.

        Raises:
            DataError: if it is beyond the limit.
        """
        self._check()
        self._num_left -= num_characters
        if self._num_left < 0:
            raise self._limits.too_long(f"the text of {self._source}", "max_row_mib")

    def counted(self, texts: Iterable[str]) -> Iterator[str]:
        """Passes texts on, and counts them.

        Raises:
            DataError: as in `count`.
        """
        for text in texts:
            self.count(len(text))
            yield text
