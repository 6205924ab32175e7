"""How far lines are indented."""

from __future__ import annotations


def indent_of(line: str) -> int:
    """The number of characters of white space that a line begins with.

    >>> indent_of("    return"), indent_of("return")
    (4, 0)
    """
    return len(line) - len(line.lstrip())
