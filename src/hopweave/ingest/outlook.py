"""Messages as Outlook saves them (`.msg`, [MS-OXMSG]), read as those of e-mail (`hopweave.ingest.mail`).

They are compound files, with a stream for every property that is a text, and a list of those that are numbers and times.
Appointments, tasks and contacts are saved in the same way; what these have besides a text stands in the head.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any
from uuid import UUID

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.code_pages import CODE_PAGES
from hopweave.ingest.compound_file import damaged, opened, streams_of
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Document
from hopweave.ingest.encodings import declared_encoding
from hopweave.ingest.mail import (
    MAX_FIELD,
    Body,
    as_text,
    bodies_of_page,
    body_of_part,
    body_of_text,
    fields_of,
    message_document,
)
from hopweave.ingest.reasons import Reason, Unreadable

_PROPERTIES = "__properties_version1.0"
_NAMES = "__nameid_version1.0"
_RECIPIENT, _ATTACHMENT = "__recip_version1.0_#", "__attach_version1.0_#"
_WANTED = lazy_pattern(
    r"__properties_version1\.0|__substg1\.0_(?:[\dA-F]{4}001[EF]|10(?:13|09)0102)"
    r"|__nameid_version1\.0/__substg1\.0_000[23]0102"
    r"|__recip_version1\.0_#000000[\dA-F]{2}/(?:__properties_version1\.0|__substg1\.0_(?:3001|3003|39FE)001[EF])"
    r"|__attach_version1\.0_#00000[\dA-F]{3}/(?:__properties_version1\.0|__substg1\.0_(?:(?:3001|3704|3707)001[EF]|37010102"
    r"|3701000D/__substg1\.0_0037001[EF]))",
    re.ASCII | re.IGNORECASE,
)
"""The streams that are read: texts of the message, whom it goes to, what is attached, and the names of further properties."""
_DEEPEST = 3

_MESSAGE_HEAD, _OTHER_HEAD = 32, 8
"""Bytes before the list of properties of a message, and of a recipient."""
_ENTRY, _NAMED = struct.Struct("<HH4x8s"), struct.Struct("<LHH")
_NUMBER, _TIME = 0x0003, 0x0040
_TO, _CC, _KIND_BITS = 1, 2, 0xF

_CLASS, _SUBJECT, _HEAD = "001A", "0037", "007D"
_TEXT, _PAGE, _RICH_TEXT = "1000", "1013", "1009"
_PAGE_CHARSET, _CHARSET = "3FDE", "3FFD"
_SENDER_NAME, _SENDER_ADDRESS = ("0C1A", "0042"), ("5D01", "5D02", "0C1F", "0065")
_SENT = ("0039", "0E06")
_SHOWN_TO, _SHOWN_CC = "0E04", "0E03"
_RECIPIENT_KIND, _RECIPIENT_NAME, _RECIPIENT_ADDRESS = "0C15", "3001", ("39FE", "3003")
_FILE_NAME, _CONTENT = ("3707", "3704", "3001"), "3701"
_ATTACHED_HOW, _ON_PAGE = "3714", 4
"""Flags of what is attached; one of them says that it is a picture of the page."""
_CONTACT = "ipm.contact"
_OF_CONTACTS = {
    "Job title": "3A17",
    "Company": "3A16",
    "Business telephone": "3A08",
    "Home telephone": "3A09",
    "Mobile telephone": "3A1C",
}

_APPOINTMENT, _TASK, _ADDRESS = (UUID(f"{{0006200{digit}-0000-0000-C000-000000000046}}").bytes_le for digit in (2, 3, 4))
_OF_OTHERS = {
    "Start": (_APPOINTMENT, 0x820D),
    "End": (_APPOINTMENT, 0x820E),
    "Location": (_APPOINTMENT, 0x8208),
    "Due": (_TASK, 0x8105),
    "E-mail": (_ADDRESS, 0x8083),
    "Address": (_ADDRESS, 0x801B),
}
"""Properties that have no fixed number, by the set that they are from and their number in it ([MS-OXPROPS])."""
_FIRST_NAMED, _NUM_KNOWN_SETS, _SET_BYTES = 0x8000, 3, 16

_CODE_PAGES = {
    **CODE_PAGES,
    **dict.fromkeys((50220, 50221, 50222), "iso-2022-jp"),
    **dict.fromkeys((936, 51936), "gb18030"),
    1200: "utf-16-le",
    1201: "utf-16-be",
    20127: "ascii",
    65000: "utf-7",
}
"""With the charsets of messages; a page that is not here has the name `cp` and its number."""
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_NEEDS_QUOTES = lazy_pattern(r"[,;:<>@\"]")

_COMPRESSED, _PLAIN = b"LZFu", b"MELA"
_DICTIONARY = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans SerifSymbolArial"
    rb"Times New RomanCourier{\colortbl\red0\green0\blue0" + b"\r\n" + rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_WINDOW, _PACKED_HEAD = 4096, 16
_MOST_UNPACKED = 64 << 20
"""Bytes of a text of RTF, whose pictures are not in it but attached."""


def read_msg(content: bytes, source: str, check: Check) -> Document:
    """Reads a message. Of its texts it takes the plain one, or else the HTML page, or else the RTF document.

    Args:
        content: the file.
        source: its name in messages.
        check: called for each piece.

    Raises:
        DataError: if it is damaged, or no such message.
        Unreadable: if the library that opens such files is missing.
    """
    storages = _storages(content, source, check)
    message = _Item(storages[""], _MESSAGE_HEAD)
    fields = _head(message, storages) | _of_others(message, storages.get(_NAMES, {}))
    return message_document(message.line(_SUBJECT), fields, _bodies(message, source, check), _attachments(message, storages))


def _storages(content: bytes, source: str, check: Check) -> dict[str, dict[str, bytes]]:
    """The streams that are read, by the storage that they are in; it has no name for those of the message itself."""
    found: dict[str, dict[str, bytes]] = {"": streams_of(content, source, [_PROPERTIES], check=check)}
    num_left = len(content)
    with opened(content, source, ".msg", check) as file:
        waiting: list[tuple[tuple[str, ...], Any]] = [((), file.root)]
        for above, storage in waiting:  # which grows meanwhile
            for entry in storage.kids:
                check()
                path = (*above, entry.name)
                waiting += [(path, entry)] if entry.kids and len(path) < _DEEPEST else []
                if entry.kids or not _WANTED.fullmatch("/".join(path)):
                    continue
                num_left -= entry.size
                if num_left < 0 or file.root.size > len(content):  # chains of sectors may go in circles
                    raise damaged(source, "its streams are longer than the file")
                found.setdefault("/".join(above), {})[entry.name] = file.openstream(path).read()
    return found


class _Item:
    """A message, or one of those that it goes to, or something attached: its properties by their tags, such as `0037`.

    Args:
        streams: of it, by their names.
        num_head: bytes before the list of those properties that are no texts.
        charset: of texts that are not in Unicode; by default, what the properties say.

    Attributes:
        charset: of texts that are not in Unicode.
    """

    def __init__(self, streams: Mapping[str, bytes], num_head: int, charset: str = "") -> None:
        self._streams = {name[-8:].upper(): content for name, content in streams.items()}
        listed = streams.get(_PROPERTIES, b"")[num_head:]
        entries = _ENTRY.iter_unpack(listed[: len(listed) // _ENTRY.size * _ENTRY.size])
        self._fixed = {(f"{tag:04X}", kind): value for kind, tag, value in entries}
        self.charset = charset or _charset(self.number(_CHARSET)) or "cp1252"

    def text(self, *tags: str) -> str:
        """The first of some texts that is not empty."""
        for tag in tags:
            wide, narrow = self._streams.get(f"{tag}001F", b""), self._streams.get(f"{tag}001E", b"")
            text = wide.decode("utf-16-le", "replace").replace("\0", "") or as_text(narrow, self.charset)
            if text.strip():
                return text
        return ""

    def line(self, *tags: str) -> str:
        """The same on one line, as much of it as a head has."""
        return " ".join(self.text(*tags)[:MAX_FIELD].split())

    def binary(self, tag: str) -> bytes:
        """Bytes; empty if it has none."""
        return self._streams.get(f"{tag}0102", b"")

    def number(self, tag: str) -> int:
        """A number; 0 if it has none."""
        return int.from_bytes(self._fixed.get((tag, _NUMBER), b"")[:4], "little")

    def time(self, *tags: str) -> str:
        """The first of some times that it has, in the form of the field `Date` of a mail."""
        for tag in tags:
            if value := int.from_bytes(self._fixed.get((tag, _TIME), b""), "little"):
                try:
                    return format_datetime(_EPOCH + timedelta(microseconds=value // 10))
                except OverflowError:
                    continue
        return ""


def _charset(code_page: int) -> str:
    """The name of a code page of Windows; empty for 0, which stands for none."""
    return _CODE_PAGES.get(code_page, f"cp{code_page}") if code_page else ""


def _head(message: _Item, storages: Mapping[str, Mapping[str, bytes]]) -> dict[str, str]:
    """The fields of the head, as they were sent if the message has kept that, or else from its properties."""
    sent = fields_of(message.text(_HEAD))
    people: dict[int, list[str]] = {_TO: [], _CC: []}
    for name, streams in storages.items():
        if name.startswith(_RECIPIENT):
            one = _Item(streams, _OTHER_HEAD, message.charset)
            person = _person(one.line(_RECIPIENT_NAME), (one.line(tag) for tag in _RECIPIENT_ADDRESS))
            people.get(one.number(_RECIPIENT_KIND) & _KIND_BITS, []).append(person)
    told = {
        "From": _person(message.line(*_SENDER_NAME), map(message.line, _SENDER_ADDRESS)),
        "To": ", ".join(filter(None, people[_TO]))[:MAX_FIELD] or message.line(_SHOWN_TO),
        "Cc": ", ".join(filter(None, people[_CC]))[:MAX_FIELD] or message.line(_SHOWN_CC),
        "Date": message.time(*_SENT),
    }
    return {name: sent.get(name, "") or value for name, value in told.items()}


def _person(name: str, addresses: Iterable[str]) -> str:
    """Somebody with the first address that is one of e-mail; in others, only the programs of one company know people."""
    address = next((one for one in addresses if "@" in one), "")
    name = name[1:-1] if len(name) > 1 and name[0] == name[-1] == "'" else name
    if not address or not name or name.casefold() == address.casefold():
        return name or address
    quoted = f'"{name}"' if _NEEDS_QUOTES.search(name) and not name.startswith('"') else name
    return f"{quoted} <{address}>"


def _of_others(message: _Item, names: Mapping[str, bytes]) -> dict[str, str]:
    """What stands in the head of an appointment, a task or a contact."""
    tags = _tags_by_name(_Item(names, 0))
    found = {label: tags.get(named, "") for label, named in _OF_OTHERS.items()}
    if message.text(_CLASS).casefold().startswith(_CONTACT):
        found |= _OF_CONTACTS
    return {label: message.time(tag) or message.line(tag) for label, tag in found.items() if tag}


def _tags_by_name(names: _Item) -> dict[tuple[bytes, int], str]:
    """The tags of the properties that have no fixed one."""
    sets, entries = names.binary("0002"), names.binary("0003")
    found: dict[tuple[bytes, int], str] = {}
    for number, kind, at in _NAMED.iter_unpack(entries[: len(entries) // _NAMED.size * _NAMED.size]):
        start = ((kind >> 1) - _NUM_KNOWN_SETS) * _SET_BYTES
        if start >= 0 and not kind & 1:  # which would be a name in letters
            found[sets[start : start + _SET_BYTES], number] = f"{_FIRST_NAMED + at:X}"
    return found


def _attachments(message: _Item, storages: Mapping[str, Mapping[str, bytes]]) -> Iterable[tuple[str, bytes]]:
    """The names of what is attached, and its content; a message without a name has its subject, and is not read."""
    found: dict[str, tuple[str, bytes]] = {}
    for place, streams in storages.items():
        if place.startswith(_ATTACHMENT):
            which = place.partition("/")[0]
            one = _Item(streams, _OTHER_HEAD, message.charset)
            name, content = found.get(which, ("", b""))
            if not one.number(_ATTACHED_HOW) & _ON_PAGE:
                found[which] = name or one.line(*_FILE_NAME, _SUBJECT), content or one.binary(_CONTENT)
    return found.values()


def _bodies(message: _Item, source: str, check: Check) -> list[Body]:
    """The texts of a message; one that keeps its page as RTF only has no other."""
    bodies = [body_of_text(message.text(_TEXT), check)]
    if not _say_something(bodies):
        page, charset = message.binary(_PAGE), _charset(message.number(_PAGE_CHARSET))
        written = as_text(page, charset or declared_encoding(page) or "utf-8") or message.text(_PAGE)
        bodies = bodies_of_page(written, source, check)
    if not _say_something(bodies) and (packed := message.binary(_RICH_TEXT)):
        from hopweave.ingest.rtf import read_rtf

        document = read_rtf(_unpacked(packed, source, check), source, check)
        bodies = [body_of_part(part, check) for part in document.parts]
    return bodies


def _say_something(bodies: Iterable[Body]) -> bool:
    return any(part.text or quotes for part, quotes in bodies)


def _unpacked(packed: bytes, source: str, check: Check) -> bytes:
    """A text of RTF without its compression ([MS-OXRTFCP])."""
    kind = packed[8:12]
    if kind == _PLAIN:
        return packed[_PACKED_HEAD:]
    if kind != _COMPRESSED:
        raise damaged(source, "its text is compressed in an unknown way")
    written = bytearray(_DICTIONARY)
    at = _PACKED_HEAD
    while at < len(packed):
        check()
        if len(written) > _MOST_UNPACKED:
            raise Unreadable(f"the text of {source} is longer than {_MOST_UNPACKED >> 20} MiB; leave it out", Reason.TOO_LARGE)
        control = packed[at]
        at += 1
        for bit in range(8):
            if not control >> bit & 1:
                written += packed[at : at + 1]
                at += 1
                continue
            reference = int.from_bytes(packed[at : at + 2].ljust(2, b"\0"), "big")
            at += 2
            distance, length = (len(written) - (reference >> 4)) % _WINDOW, (reference & 15) + 2
            if not distance or at > len(packed):  # the end
                return bytes(written[len(_DICTIONARY) :])
            if distance > len(written):
                raise damaged(source, "its text refers to what is not there")
            start = len(written) - distance
            piece = written[start : start + length]
            written += (piece * length)[:length]  # which may repeat what it writes
    return bytes(written[len(_DICTIONARY) :])
