"""Clippings of a Kindle (`My Clippings.txt`): what was marked or noted, below its book and its place there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Blocks, Document

_END = "=========="
_PLACE = lazy_pattern(r"- \S[^\n|]{0,200}(?:\|[^\n|]{0,200}){1,3}")
"""Such as `- Your Highlight on page 12 | Location 170-172 | Added on Sunday, 3 March 2024 21:14:05`, in any language."""
_MARK = "\ufeff"
"""Stands before each title, since the device adds each clipping as a file of its own."""


class _Clipping(NamedTuple):
    book: str
    place: str
    text: str


def is_clippings(content: str) -> bool:
    """Whether a text begins with a clipping."""
    first, end, _ = content.partition(_END)
    return bool(end) and any(_clippings(first + end))


def read_clippings(content: str, check: Check) -> Document:
    """Reads clippings; those without a text, such as bookmarks, are left out.

    Args:
        content: the file.
        check: called for every clipping.
    """
    blocks, book = Blocks(), ""
    for clipping in _clippings(content):
        check()
        if not clipping.text:
            continue
        if clipping.book != book:
            book = clipping.book
            blocks.add_heading(book, 1)
        blocks.add_heading(clipping.place, 2)
        blocks.add(clipping.text)
    return Document("", (blocks.part(),))


def _clippings(content: str) -> Iterator[_Clipping]:
    """The clippings of a text, as far as they have a book and a place."""
    held: list[str] = []
    for line in content.split("\n"):
        if line.strip() != _END:
            held.append(line.strip().strip(_MARK).strip())
            continue
        lines, held = held, []
        while lines and not lines[0]:
            del lines[0]
        if len(lines) > 1 and lines[0] and _PLACE.fullmatch(lines[1]):
            yield _Clipping(" ".join(lines[0].split()), lines[1].removeprefix("- "), "\n".join(lines[2:]).strip())
