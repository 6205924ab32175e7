"""A question or an answer within a line of a prompt."""

from __future__ import annotations

from hopweave.core.prompt import escape


def inline(text: str) -> str:
    r"""A text on one line, with its markers escaped.

    >>> inline("Who built\n the  tower?")
    'Who built the tower?'
    """
    return escape(" ".join(text.split()))
