"""Texts of records as one text: those in pieces, such as sentences or words with links between them, in HTML, or in objects.

Programs for conversations with a model keep the messages of one as a tree, with a branch for each that was asked once more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import PARAGRAPH
from hopweave.ingest.html_page import read_html
from hopweave.ingest.row import TEXT_FIELDS, TITLE_FIELDS, text_in

_TREE, _LAST = "mapping", "current_node"
_RENDERED = "rendered"
"""The field of a text that a program for web sites has made."""
_IS_HTML = lazy_pattern(
    r"(?i)\s*<(?:!doctype|html|body|div|p|h[1-6]|ul|ol|table|article|section|blockquote|pre|span|br|en-note)\b[^<>]{0,1000}>"
)
_TAG = lazy_pattern(r"(?i)</[a-z][a-z0-9]{0,20}>|<br\s{0,5}/?>")


def plain_text(value: str, check: Check) -> str:
    """A text of a record; one in HTML without its markup.

    Args:
        value: the text.
        check: called for every piece of the HTML.

    Raises:
        DataError: as in `read_html`.
    """
    if not _IS_HTML.match(value) or not _TAG.search(value):
        return value
    return PARAGRAPH.join(part.text for part in read_html(value, "the record", check).parts)


def with_whole_text(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record whose text is one text, and whose tree of messages is the list of those that were shown last.

    Args:
        values: the fields of the record.
    """
    in_pieces = {name: text for name in (*TEXT_FIELDS, *TITLE_FIELDS) if (text := _whole(values.get(name))) is not None}
    if isinstance(values.get(_TREE), Mapping) and isinstance(values.get(_LAST), str):
        messages = [*_messages(values[_TREE], values[_LAST])][::-1]
        values = {**{name: value for name, value in values.items() if name not in (_TREE, _LAST)}, "messages": messages}
    return {**values, **in_pieces} if in_pieces else values


def _whole(value: object) -> str | None:
    """A text that is in pieces (sentences, paragraphs, words with links between them) or within an object, else `None`."""
    if isinstance(value, Mapping):
        rendered = value.get(_RENDERED)
        return (rendered if isinstance(rendered, str) else text_in(value)) or None
    if not isinstance(value, list) or not all(isinstance(one, str | Mapping) for one in value):
        return None
    is_object = [isinstance(one, Mapping) for one in value]
    pieces = (one.get("text") if isinstance(one, Mapping) else one for one in value)
    texts = [piece for piece in pieces if isinstance(piece, str)]
    if any(is_object) and not all(is_object):
        return "".join(texts)
    are_paragraphs = any(is_object) or any(text.endswith("\n") for text in texts)
    return (PARAGRAPH if are_paragraphs else " ").join(stripped for text in texts if (stripped := text.strip()))


def _messages(tree: Mapping[str, Any], last: str) -> Iterator[Mapping[str, Any]]:
    """The messages from the last one up to the first."""
    seen = set()
    at: object = last
    while isinstance(at, str) and at not in seen and isinstance(node := tree.get(at), Mapping):
        seen.add(at)
        at = node.get("parent")
        message = node.get("message")
        if not isinstance(message, Mapping):
            continue
        content = message.get("content")
        parts = content.get("parts") if isinstance(content, Mapping) else None
        if isinstance(parts, list) and (text := PARAGRAPH.join(part for part in parts if isinstance(part, str)).strip()):
            yield {"author": message.get("author"), "create_time": message.get("create_time"), "text": text}
