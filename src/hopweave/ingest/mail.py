"""A message of e-mail (RFC 5322): its subject as title, who wrote it to whom and when, and its text; attachments are named.

All of its passages have the sender and the date above them; earlier messages that it quotes at its end are parts of their own,
which have whoever wrote those above them (`hopweave.ingest.quoted`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesFeedParser
from email.policy import Compat32

from hopweave.core.errors import DataError
from hopweave.ingest.aligned_tables import with_rows
from hopweave.ingest.deadline import Check, no_check
from hopweave.ingest.document import PARAGRAPH, Blocks, Document, Part
from hopweave.ingest.html_page import read_html
from hopweave.ingest.quoted import QUOTE, Quote, without_quotes

_PIECE_BYTES = 1 << 17
_MAX_FIELD = 1_000
"""Characters of a field of the head that are shown."""
_MAX_PARSED_FIELD = 8_000
_MAX_PARTS = 1_000
_SHOWN = ("From", "To", "Cc", "Date")
_BLOCK_QUOTE = re.compile(r"<(/?)blockquote\b[^<>]{0,2000}>", re.IGNORECASE)
_BEGINS, _ENDS = "\ue000", "\ue001"
"""Stand where a quote of a page begins and ends while it is read: no text has these, since they are of private use."""


class _ShortFields(Compat32):
    """Cuts the fields of a head: the library takes time quadratic in the number of their parameters."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """See `email.policy.Policy`."""
        name, value = super().header_source_parse(sourcelines)
        return name, str(value)[:_MAX_PARSED_FIELD]

    def header_fetch_parse(self, name: str, value: str) -> str:
        """See `email.policy.Policy`. Letters that a program wrote without encoding them stay; the library gives them up."""
        return value


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
    read = [_plain(_text(leaf), check) for leaf in texts]
    if not any(part.text or quotes for part, quotes in read):
        read = [_page(part, check) for leaf in pages for part in read_html(_marked(_text(leaf)), source, check).parts]
    for part, _ in read:
        blocks.add_part(part)
    names = [name for leaf in leaves if (name := _decoded(leaf.get_filename() or ""))]
    if names:
        blocks.add("Attachments: " + ", ".join(names))
    whose = ", ".join(filter(None, [_field(message, "From"), _field(message, "Date")]))
    own = replace(blocks.part(), within=(whose,) if whose else ())
    quotes = [quote for _, found in read for quote in found]
    return Document(_field(message, "Subject"), (own, *(_part(quote, number) for number, quote in enumerate(quotes, start=1))))


def _part(quote: Quote, number: int) -> Part:
    return Part(
        with_rows(quote.text), place=f"{QUOTE}{number}", within=(f"Quoted: {quote.whose}" if quote.whose else "Quoted",)
    )


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
    shown = " ".join(_unencoded(value[:_MAX_FIELD]).split())
    try:
        pieces = [
            _as_text(piece, charset or "ascii") if isinstance(piece, bytes) else piece
            for piece, charset in decode_header(shown)
        ]
    except (MessageError, ValueError):
        return _valid(shown)
    return _valid(" ".join("".join(pieces).split()))


def _unencoded(value: str) -> str:
    """A field with the letters that stand in it as bytes, which the parser keeps as surrogates."""
    try:
        return value if value.isascii() else _as_text(value.encode("ascii", "surrogateescape"), "utf-8")
    except UnicodeEncodeError:  # decoded already
        return value


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


def _plain(text: str, check: Check) -> tuple[Part, list[Quote]]:
    own, quotes = without_quotes(text.replace("\r\n", "\n"), check)
    blocks = Blocks()
    for paragraph in with_rows(own).split(PARAGRAPH):
        blocks.add(paragraph)
    return blocks.part(), quotes


def _marked(page: str) -> str:
    """A page with a paragraph of its own where a quote begins or ends."""
    page = page.replace(_BEGINS, "").replace(_ENDS, "")
    return _BLOCK_QUOTE.sub(lambda tag: f"<p>{_ENDS}</p>{tag[0]}" if tag[1] else f"{tag[0]}<p>{_BEGINS}</p>", page)


def _page(part: Part, check: Check) -> tuple[Part, list[Quote]]:
    """What a page says, and its quotes, which are found as in plain text."""
    starts = {heading.start: heading for heading in part.headings}
    depth, at = 0, 0
    lines: list[str] = []
    kept: list[tuple[str, int]] = []
    for paragraph in part.text.split(PARAGRAPH):
        heading = starts.get(at)
        at += len(paragraph) + len(PARAGRAPH)
        said = paragraph.replace(_BEGINS, "").replace(_ENDS, "").strip()
        depth = max(0, depth + paragraph.count(_BEGINS) - paragraph.count(_ENDS))
        if said:
            lines += [f"{'>' * depth} {line}" if depth else line for line in said.split("\n")] + [">" * depth]
            kept.append((said, heading.level if heading is not None and not depth else 0))
    own, quotes = without_quotes("\n".join(lines), check)
    blocks = Blocks()
    levels = {said: level for said, level in kept if level}
    for paragraph in own.split(PARAGRAPH):
        if level := levels.get(paragraph, 0):
            blocks.add_heading(paragraph, level)
        else:
            blocks.add(paragraph)
    return blocks.part(), quotes
