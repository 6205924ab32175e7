"""White space in texts."""

from __future__ import annotations


def evenly_spaced(text: str) -> str:
    r"""A text with one space for each run of white space, and none at its ends.

    >>> evenly_spaced(" The light\n of  Carrow Head ")
    'The light of Carrow Head'
    """
    return " ".join(text.split())
