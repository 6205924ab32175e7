"""A message of e-mail (RFC 5322): its subject as title, who wrote it to whom and when, and its text; attachments are named."""

from __future__ import annotations

from collections.abc import Iterator
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesFeedParser
from email.policy import Compat32

from hopweave.core.errors import DataError
from hopweave.ingest.deadline import Check, no_check
from hopweave.ingest.document import Blocks, Document, Part
from hopweave.ingest.html_page import read_html

_PIECE_BYTES = 1 << 17
_MAX_FIELD = 1_000
"""Characters of a field of the head that are shown."""
_MAX_PARSED_FIELD = 8_000
_MAX_PARTS = 1_000
_SHOWN = ("From", "To", "Cc", "Date")


class _ShortFields(Compat32):
    """Cuts the fields of a head: the library takes time quadratic in the number of their parameters."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """See `email.policy.Policy`."""
        name, value = super().header_source_parse(sourcelines)
        return name, str(value)[:_MAX_PARSED_FIELD]


def read_mail(content: bytes, source: str = "the message", check: Check = no_check) -> Document:
    """Reads a message. Of alternatives it takes the plain text, or else the HTML page.

    Args:
        content: the message as it is sent.
        source: its name in messages.
        check: called for each piece.

    Raises:
        DataError: if its parts are nested too deeply.
    """
    parser = BytesFeedParser(policy=_ShortFields())
    try:
        for start in range(0, len(content), _PIECE_BYTES):
            check()
            parser.feed(content[start : start + _PIECE_BYTES])
        message = parser.close()
        leaves = list(_leaves(message, check))
    except RecursionError:
        raise DataError(f"{source} is nested too deeply; leave it out") from None
    blocks = Blocks()
    fields = ((name, _field(message, name)) for name in _SHOWN)
    blocks.add("\n".join(f"{name}: {value}" for name, value in fields if value))
    texts = [leaf for leaf in leaves if leaf.get_content_type() == "text/plain" and not leaf.get_filename()]
    pages = [leaf for leaf in leaves if leaf.get_content_type() == "text/html" and not leaf.get_filename()]
    parts = [_plain(_text(leaf)) for leaf in texts]
    if not any(part.text for part in parts):
        parts = [part for leaf in pages for part in read_html(_text(leaf), source, check).parts]
    for part in parts:
        blocks.add_part(part)
    names = [name for leaf in leaves if (name := _decoded(leaf.get_filename() or ""))]
    if names:
        blocks.add("Attachments: " + ", ".join(names))
    return Document(_field(message, "Subject"), (blocks.part(),))


def _leaves(message: Message, check: Check) -> Iterator[Message]:
    """The parts that are not made of others, in order; those of attached messages too."""
    for number, part in enumerate(message.walk()):
        check()
        if number >= _MAX_PARTS:
            return
        if not part.is_multipart():
            yield part


def _field(message: Message, name: str) -> str:
    return _decoded(str(message.get(name, "")))


def _decoded(value: str) -> str:
    """A field as text: on one line, with its encoded words (RFC 2047) decoded where that is possible."""
    shown = " ".join(value[:_MAX_FIELD].split())
    try:
        pieces = [
            _as_text(piece, charset or "ascii") if isinstance(piece, bytes) else piece
            for piece, charset in decode_header(shown)
        ]
    except (MessageError, ValueError):
        return _valid(shown)
    return _valid(" ".join("".join(pieces).split()))


def _text(part: Message) -> str:
    payload = part.get_payload(decode=True)
    return _as_text(payload, part.get_content_charset("utf-8")) if isinstance(payload, bytes) else ""


def _as_text(content: bytes, charset: str) -> str:
    for name in (charset, "utf-8"):
        try:
            return _valid(content.decode(name))
        except (LookupError, ValueError):
            continue
    return content.decode("cp1252", "replace")


def _valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def _plain(text: str) -> Part:
    blocks = Blocks()
    for paragraph in text.replace("\r\n", "\n").split("\n\n"):
        blocks.add(paragraph)
    return blocks.part()
