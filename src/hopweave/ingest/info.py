"""Manuals in GNU's Info format: nodes with underlined headings; menus, indexes and tags are for the programs that show them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Blocks, Document
from hopweave.ingest.plain_text import read_plain

NODE = "\x1f"
"""Stands before each node."""
_HEAD = lazy_pattern(r"File: (?P<file>[^,\t]{1,200})[,\t]\s*Node: (?P<name>[^,\t\n]{1,200})")
_UNDERLINE = lazy_pattern(r"(?P<sign>[*=\-.])(?P=sign){2,199}")
_LEVELS = "*=-."
"""What underlines chapters, sections, subsections and those below them."""
_SHORTER = 2
"""Characters by which the line below a heading may be shorter, as for accents."""
_MENU = lazy_pattern(r"^\* Menu:", re.MULTILINE)
_REFERENCE = lazy_pattern(r"\*[Nn]ote\s+(?P<name>[^:]{1,200}):(?::|\s+(?:\([^()]{1,100}\))?[^.,]{0,200}(?=[.,]))")
_INDEX = "\0\b[index"
_IMAGE = lazy_pattern("\0\b\\[image[^\0]{0,2000}\0\b\\]")
_END_OF_DIRECTORY = "END-INFO-DIR-ENTRY"
_BLANK_LINES = lazy_pattern(r"\n\s*\n")


class _Node(NamedTuple):
    """A node: the name of its manual, its own, and its text."""

    file: str
    name: str
    text: str


def read_info(content: str, check: Check) -> Document:
    """Reads a manual, or a part of one; its title is the heading of its top node, or else the name of its file.

    A node without a heading has its name as one. What has no node is plain text.

    Args:
        content: the file.
        check: called for every paragraph.
    """
    nodes = list(_nodes(content))
    if not nodes:
        return read_plain(_without_directory(content), check)
    blocks, title = Blocks(), ""
    for node in nodes:
        paragraphs = [one for one in _BLANK_LINES.split(node.text.strip("\n")) if one.strip()]
        if node.name == "Top" and paragraphs and (found := _heading_of(paragraphs[0])):
            title, paragraphs = found[0], paragraphs[1:]
        elif paragraphs and _heading_of(paragraphs[0]) is None:
            blocks.add_heading(node.name, len(_LEVELS), is_shown=False)
        for paragraph in paragraphs:
            check()
            heading = _heading_of(paragraph)
            if heading is None:
                blocks.add(_plain(paragraph))
            else:
                text, level, rest = heading
                blocks.add_heading(_plain(text), level)
                blocks.add(_plain(rest))
    return Document(title or nodes[0].file.removesuffix(".info"), (blocks.part(),))


def _nodes(content: str) -> Iterator[_Node]:
    """The nodes with text. A menu ends a node; an index is nothing else."""
    for piece in content.split(NODE)[1:]:
        head, _, text = piece.lstrip("\n\f").partition("\n")
        found = _HEAD.match(head)
        menu = _MENU.search(text)
        text = _IMAGE.sub("", text[: menu.start()] if menu else text)
        if found and text.strip() and _INDEX not in text:
            yield _Node(found["file"], found["name"].strip(), text)


def _heading_of(paragraph: str) -> tuple[str, int, str] | None:
    """The text and level of a heading that begins a paragraph, and the lines below it; `None` if there is none."""
    first, _, below = paragraph.partition("\n")
    line, _, rest = below.partition("\n")
    underline = _UNDERLINE.fullmatch(line.strip())
    if underline is None or not first.strip() or len(underline[0]) < len(first.strip()) - _SHORTER:
        return None
    return first.strip(), 1 + _LEVELS.index(underline["sign"]), rest


def _plain(text: str) -> str:
    """A text without what marks references to other nodes, and without the indentation of all its lines."""
    return _REFERENCE.sub(lambda found: " ".join(found["name"].split()), dedent(text))


def _without_directory(content: str) -> str:
    """The beginning of a manual in several files, without its entries in the directory of all manuals and the list of files."""
    begun = content.split(NODE, 1)[0]
    start, end = begun.find("INFO-DIR-SECTION"), begun.rfind(_END_OF_DIRECTORY)
    return begun[:start] + begun[end + len(_END_OF_DIRECTORY) :] if 0 <= start < end else begun
