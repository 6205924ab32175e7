"""Lines of a reply."""

from __future__ import annotations

from hopweave.core.lazy_pattern import lazy_pattern

_LINE_BREAK = lazy_pattern(r"\r\n?")


def with_line_feeds(text: str) -> str:
    r"""A text in which each line ends in a line feed, also where it ended in a carriage return.

    >>> with_line_feeds("Action: Search[Orlau]\r\nThought: It is a town.\rIt has a mayor.")
    'Action: Search[Orlau]\nThought: It is a town.\nIt has a mayor.'
    """
    return _LINE_BREAK.sub("\n", text)
