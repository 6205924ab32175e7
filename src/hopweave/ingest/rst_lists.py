"""Numbers of items of lists of reStructuredText that are numbered automatically (`#.`)."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.item_numbers import ItemNumbers

_ITEM = lazy_pattern(r"[(]?(?:(?P<auto>#)|(?P<digits>[0-9]{1,6})|(?P<letter>[A-Za-z]))[.)][ ]+(?=\S)")


class RstLists:
    """The lists of a page, line by line: an item that is written `#.` gets its number, and others keep theirs.

    A list ends with a line that is indented less than its items, or as far and is none.
    """

    def __init__(self) -> None:
        self._numbers = ItemNumbers()
        self._indents: list[int] = []

    def numbered(self, line: str) -> str:
        """The next line of the page, its indentation included."""
        if not line.strip():
            return line
        indent = len(line) - len(line.lstrip())
        said = line.strip()
        item = _ITEM.match(said)
        while self._indents and (self._indents[-1] > indent or (self._indents[-1] == indent and item is None)):
            self._numbers.end_list()
            self._indents.pop()
        if item is None:
            return line
        if not self._indents or self._indents[-1] < indent:
            first, style = _first(item)
            self._numbers.begin_list(first, style)
            self._indents.append(indent)
        self._numbers.begin_item(int(item["digits"]) if item["digits"] else None)
        rest = said[item.end() :]
        written = self._numbers.numbered(rest)
        return f"{line[:indent]}{written}" if item["auto"] else line


def _first(item: re.Match[str]) -> tuple[int, str]:
    """The number of the first item of a list, and the style of its numbers, as for `item_numbers.numeral`."""
    letter = item["letter"]
    if letter is None:
        return int(item["digits"] or 1), "1"
    return (1, letter) if letter in "iI" else (ord(letter.casefold()) - ord("a") + 1, "A" if letter.isupper() else "a")
