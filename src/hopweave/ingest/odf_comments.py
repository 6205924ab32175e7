"""Comments in OpenDocument (ISO/IEC 26300, 14.1): who wrote one, and its paragraphs."""

from __future__ import annotations

from hopweave.ingest.comments import Comment
from hopweave.ingest.superscripts import raised

_CREATOR = "http://purl.org/dc/elements/1.1/ creator"
_PARAGRAPHS = frozenset({"text:p", "text:h"})
_SIGNS = frozenset({"text:s", "text:tab", "text:line-break"})
"""What stands for white space, which a comment has on one line."""


class OdfComment:
    """A comment that is being read, by the names of its elements with the last part of their namespace.

    Its text is all that is in its paragraphs, also in links and the like.

    >>> comment = OdfComment()
    >>> for element in ("text:p", "text:a"):
    ...     comment.start(element)
    >>> comment.add("See the page")
    >>> comment.end("text:a")
    >>> comment.add(" above.")
    >>> comment.end("text:p")
    >>> comment.told().shown(), comment.is_open
    ('Note: See the page above.', False)
    """

    def __init__(self) -> None:
        self._open: list[str] = []
        self._num_paragraphs = 0
        self._spans: list[bool] = []  # of the open ones, whether they are superscripts
        self._who: list[str] = []
        self._pieces: list[str] = []

    @property
    def is_open(self) -> bool:
        """Whether an element in it has begun and not ended."""
        return bool(self._open)

    def start(self, element: str, *, is_raised: bool = False) -> None:
        """An element in it begins.

        Args:
            element: its name.
            is_raised: whether it is a superscript, if it is a span.
        """
        self._open.append(element)
        self._num_paragraphs += element in _PARAGRAPHS
        if element == "text:span":
            self._spans.append(is_raised)
        elif element in _SIGNS:
            self.add(" ")

    def add(self, text: str) -> None:
        """Text in it."""
        if self._num_paragraphs:
            self._pieces.append(raised(text, self._pieces) if any(self._spans[-1:]) else text)
        elif self._open == [_CREATOR]:
            self._who.append(text)

    def end(self, element: str) -> None:
        """The element that began last ends."""
        del self._open[-1]
        if element == "text:span":
            del self._spans[-1]
        elif element in _PARAGRAPHS:
            self._num_paragraphs -= 1
            self._pieces.append(" ")

    def told(self) -> Comment:
        """The comment as it was read."""
        return Comment("".join(self._who), "".join(self._pieces))
