"""A message of e-mail (RFC 5322): its subject as title, who wrote it to whom and when, its text, and what is attached.

All of its passages have the sender and the date above them; earlier messages that it quotes at its end are parts of their own,
which have whoever wrote those above them (`hopweave.ingest.quoted`).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesFeedParser
from email.policy import Compat32
from typing import NamedTuple

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.aligned_tables import with_rows
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import PARAGRAPH, Attachment, Blocks, Document, Part
from hopweave.ingest.encodings import guessed_encoding
from hopweave.ingest.entries import with_entries
from hopweave.ingest.html_page import read_html
from hopweave.ingest.quoted import QUOTE, Quote, without_quotes

_PIECE_BYTES = 1 << 17
MAX_FIELD = 1_000
"""Characters of a field of the head that are shown."""
_MAX_PARSED_FIELD = 8_000
_MAX_PARTS = 1_000
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_ATTACHED_MESSAGE, _CALENDAR = "message/rfc822", "text/calendar"
_INVITATION = "invitation.ics"
"""What an invitation is called that has no name."""
_SHOWN = ("From", "To", "Cc", "Date")
_FIRST_OF_QUOTED = lazy_pattern(r"\W{0,3}(?:From|Von|De)\W{0,2}[ \t]?:[^\n]*", re.IGNORECASE)
_FIELD = lazy_pattern(r"\W{0,3}\w[\w ]{0,30}\W{0,2}[ \t]?:[^\n]*")
_FIRST_FIELD = lazy_pattern(r"^[\w-]++:", re.MULTILINE)
_NO_CHARSETS = frozenset({"punycode", "idna", "unicode-escape", "raw-unicode-escape"})
"""Encodings of the library that are no charsets; the first one takes time quadratic in the length of a text."""
_BLOCK_QUOTE = lazy_pattern(r"<(/?)blockquote\b[^<>]{0,2000}>", re.IGNORECASE)
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


Body = tuple[Part, Sequence[Quote]]
"""What a text of a message says itself, and the quotes with which it ends."""


def read_mail(content: bytes, source: str, check: Check) -> Document:
    """Reads a message. Of alternatives it takes the plain text, or else the HTML page.

    Args:
        content: the message as it is sent.
        source: its name in messages.
        check: called for each piece.

    Raises:
        DataError: if its parts are nested too deeply.
    """
    message, *attached_messages = _parsed(content, source, check)
    bodies = _bodies(message.leaves, source, check)
    for one in attached_messages:
        head = {"Subject": _field(one.message, "Subject"), **_fields(one.message)}
        bodies.append((Part("\n".join(f"{name}: {value}" for name, value in head.items() if value)), ()))
        bodies += _bodies(one.leaves, source, check)
    leaves = [leaf for one in (message, *attached_messages) for leaf in one.leaves]
    files = [(_decoded(name), _content(leaf)) for leaf in leaves if (name := leaf.get_filename()) and not _is_of_page(leaf)]
    invited = (_content(leaf) for leaf in leaves if leaf.get_content_type() == _CALENDAR and not leaf.get_filename())
    known = [content for _, content in files]
    files += [(_INVITATION, content) for content in invited if content not in known]
    return message_document(_field(message.message, "Subject"), _fields(message.message), bodies, files)


def _bodies(leaves: Sequence[Message], source: str, check: Check) -> list[Body]:
    """What a message says: its plain texts, or else its pages."""
    texts = [leaf for leaf in leaves if leaf.get_content_type() == "text/plain" and not leaf.get_filename()]
    pages = [leaf for leaf in leaves if leaf.get_content_type() == "text/html" and not leaf.get_filename()]
    bodies = [body_of_text(_text(leaf), check) for leaf in texts]
    if not any(part.text or quotes for part, quotes in bodies):
        bodies = [body for leaf in pages for body in bodies_of_page(_text(leaf), source, check)]
    return bodies


def read_web_archive(content: bytes, source: str, check: Check) -> Document:
    """Reads a web page that was saved with its pictures as one file (MHTML, RFC 2557).

    Args:
        content: the file.
        source: its name in messages.
        check: called for each piece.

    Raises:
        DataError: if its parts are nested too deeply.
    """
    message, leaves = _parsed(content, source, check)[0]
    page = next((leaf for leaf in leaves if leaf.get_content_type() in _PAGES), None)
    read = read_html(_text(page) if page is not None else "", source, check)
    return replace(read, title=read.title or _field(message, "Subject"))


class _WithLeaves(NamedTuple):
    """A message, and its parts that are not made of others, without those of messages that are attached to it."""

    message: Message
    leaves: list[Message]


def _parsed(content: bytes, source: str, check: Check) -> list[_WithLeaves]:
    """A message, and the messages that are attached to it or to these."""
    parser = BytesFeedParser(policy=_ShortFields())
    try:
        for start in range(0, len(content), _PIECE_BYTES):
            check()
            parser.feed(content[start : start + _PIECE_BYTES])
        return _with_attached(parser.close(), check)
    except RecursionError:
        raise DataError(f"{source} is nested too deeply; leave it out") from None


def message_document(
    subject: str, fields: Mapping[str, str], bodies: Sequence[Body], attachments: Iterable[tuple[str, bytes]]
) -> Document:
    """A message as a document: its own text, with its head above and the names of what is attached below, and its quotes.

    Args:
        subject: the title.
        fields: of the head, in order; empty ones are left out.
        bodies: its texts.
        attachments: their names, and their content as far as it is to be read; those without a name are left out.
    """
    named = [(name, content) for name, content in attachments if name]
    blocks = Blocks()
    blocks.add("\n".join(f"{name}: {value}" for name, value in fields.items() if value))
    for part, _ in bodies:
        blocks.add_part(part)
    if named:
        blocks.add("Attachments: " + ", ".join(name for name, _ in named))
    whose = ", ".join(filter(None, [fields.get("From"), fields.get("Date")]))
    own = replace(blocks.part(), within=(whose,) if whose else ())
    quotes = [quote for _, found in bodies for quote in found]
    parts = (own, *(_part(quote, number) for number, quote in enumerate(quotes, start=1)))
    within = "Attached to: " + ", ".join(filter(None, [subject, whose]))
    return Document(subject, parts, attached=tuple(Attachment(name, content, within) for name, content in named))


def fields_of(head: str) -> dict[str, str]:
    """The fields that are shown of the head of a message, as it was sent; empty if it lacks them."""
    first = _FIRST_FIELD.search(head)
    written = head[first.start() :].replace("\r\n", "\n").partition("\n\n")[0] if first is not None else ""
    parser = BytesFeedParser(policy=_ShortFields())
    parser.feed(written.encode("utf-8", "replace"))
    return _fields(parser.close())


def body_of_text(text: str, check: Check) -> Body:
    """What a plain text says, with each row of a table as a paragraph."""
    own, quotes = without_quotes(text.replace("\r\n", "\n"), check)
    blocks = Blocks()
    for paragraph in with_entries(with_rows(own)).split(PARAGRAPH):
        blocks.add(paragraph)
    return blocks.part(), quotes


def bodies_of_page(page: str, source: str, check: Check) -> list[Body]:
    """What an HTML page says.

    Raises:
        DataError: as in `read_html`.
    """
    return [body_of_part(part, check) for part in read_html(_marked(page), source, check).parts]


def _part(quote: Quote, number: int) -> Part:
    return Part(
        with_entries(with_rows(quote.text)),
        place=f"{QUOTE}{number}",
        within=(f"Quoted: {quote.whose}" if quote.whose else "Quoted",),
    )


def _with_attached(message: Message, check: Check) -> list[_WithLeaves]:
    found = [_WithLeaves(message, [])]
    waiting: list[tuple[object, _WithLeaves]] = [(message, found[0])]
    for _ in range(_MAX_PARTS):
        if not waiting:
            break
        check()
        part, whole = waiting.pop()
        if not isinstance(part, Message):
            continue
        inner = part.get_payload()
        if not isinstance(inner, list):
            whole.leaves.append(part)
        elif part.get_content_type() == _ATTACHED_MESSAGE and inner and isinstance(inner[0], Message):
            found.append(_WithLeaves(inner[0], []))
            waiting.append((inner[0], found[-1]))
        else:
            waiting += ((one, whole) for one in reversed(inner))
    return found


def _fields(message: Message) -> dict[str, str]:
    return {name: _field(message, name) for name in _SHOWN}


def _field(message: Message, name: str) -> str:
    return _decoded(str(message.get(name, "")))


def _decoded(value: str) -> str:
    """A field as text: on one line, with its encoded words (RFC 2047) decoded where that is possible."""
    shown = " ".join(_unencoded(value[:MAX_FIELD]).split())
    try:
        pieces = [
            as_text(piece, charset or "ascii") if isinstance(piece, bytes) else piece for piece, charset in decode_header(shown)
        ]
    except (MessageError, ValueError):
        return _valid(shown)
    return _valid(" ".join("".join(pieces).split()))


def _unencoded(value: str) -> str:
    """A field with the letters that stand in it as bytes, which the parser keeps as surrogates."""
    try:
        return value if value.isascii() else as_text(value.encode("ascii", "surrogateescape"), "utf-8")
    except UnicodeEncodeError:  # decoded already
        return value


def _text(part: Message) -> str:
    content = _content(part)
    return as_text(content, part.get_content_charset("utf-8")) if content else ""


def _content(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _is_of_page(part: Message) -> bool:
    """Whether a part is a picture that the page of its message shows, such as a logo; it is not attached to the message."""
    is_shown = part["Content-ID"] is not None and part.get_content_disposition() != "attachment"
    return part.get_content_maintype() == "image" and is_shown


def as_text(content: bytes, charset: str) -> str:
    """Some bytes as text: in a charset, or else in UTF-8 or what they are probably in."""
    for name in (charset, "utf-8"):
        try:
            if codecs.lookup(name).name not in _NO_CHARSETS:
                return _valid(content.decode(name))
        except (LookupError, ValueError):
            continue
    return _valid(content.decode(guessed_encoding(content) or "cp1252", "replace"))


def _valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def _marked(page: str) -> str:
    """A page with a paragraph of its own where a quote begins or ends."""
    page = page.replace(_BEGINS, "").replace(_ENDS, "")
    return _BLOCK_QUOTE.sub(lambda tag: f"<p>{_ENDS}</p>{tag[0]}" if tag[1] else f"{tag[0]}<p>{_BEGINS}</p>", page)


def body_of_part(part: Part, check: Check) -> Body:
    """What a part of a page says; its quotes are found as in plain text."""
    starts = {heading.start: heading for heading in part.headings}
    depth, at = 0, 0
    is_in_head = False
    lines: list[str] = []
    kept: list[tuple[str, int]] = []
    for paragraph in part.text.split(PARAGRAPH):
        heading = starts.get(at)
        at += len(paragraph) + len(PARAGRAPH)
        said = paragraph.replace(_BEGINS, "").replace(_ENDS, "").strip()
        depth = max(0, depth + paragraph.count(_BEGINS) - paragraph.count(_ENDS))
        is_in_head = is_in_head and _FIELD.fullmatch(said) is not None
        if is_in_head:  # each field may be a paragraph of its own
            lines.pop()
        is_in_head = is_in_head or (not depth and _FIRST_OF_QUOTED.fullmatch(said) is not None)
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
