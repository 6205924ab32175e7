"""Numbers of items of lists and of headings in ODT (ISO/IEC 26300, 5.3, 16.30 and 16.34), which it does not hold as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hopweave.ingest.item_numbers import ItemNumbers, given_number, numeral

_LEVELS = 10
_LONGEST_AROUND = 30
"""Characters of what is around the number of a heading, such as `Chapter `."""
_ID = "http://www.w3.org/XML/1998/namespace id"


@dataclass(frozen=True, slots=True)
class _Level:
    """A level of a style of lists.

    Attributes:
        first: the number of the first item; `None` if items have none.
        form: as for `item_numbers.numeral`.
        num_shown: how many levels a number shows: 2 for `3.1`.
    """

    first: int | None = None
    form: str = "1"
    num_shown: int = 1


@dataclass(frozen=True, slots=True)
class _HeadingLevel(_Level):
    """A level of headings, with what is around its numbers."""

    before: str = ""
    after: str = ""


@dataclass(slots=True)
class OdfHeadings:
    """The numbers of the headings of a document, by its outline style."""

    _levels: dict[int, _HeadingLevel] = field(default_factory=dict)
    _reached: dict[int, int] = field(default_factory=dict)

    def start_style(self, element: str, given: Mapping[str, str]) -> None:
        """An element begins that may be of the style, as for `OdfLists`."""
        if element == "text:outline-level-style":
            level = _level_of(given)
            around = [given.get(f"style:num-{name}", "")[:_LONGEST_AROUND] for name in ("prefix", "suffix")]
            self._levels[given_number(given.get("text:level", ""), 1)] = _HeadingLevel(
                level.first, level.form, level.num_shown, *around
            )

    def begin(self, at: int, given: Mapping[str, str]) -> str:
        """The number of the next heading with a space, such as `2.1 `; empty if it has none.

        Args:
            at: its level, from 1.
            given: its attributes.
        """
        level = self._levels.get(at, _HeadingLevel())
        if given.get("text:is-list-header") == "true":
            return ""
        number = self._reached[at] + 1 if at in self._reached else level.first if level.first is not None else 1
        if given.get("text:restart-numbering") == "true":
            number = given_number(given.get("text:start-value", ""), 1)
        self._reached = {depth: num for depth, num in self._reached.items() if depth < at} | {at: number}
        if level.first is None:
            return ""
        lowest = at - min(level.num_shown, _LEVELS) + 1
        shown = [(depth, self._levels[depth]) for depth in range(lowest, at + 1) if depth in self._levels]
        numbers = ".".join(
            numeral(self._reached.get(depth, one.first), one.form) for depth, one in shown if one.first is not None
        )
        return f"{level.before}{numbers}{level.after.rstrip()} "


def _level_of(given: Mapping[str, str]) -> _Level:
    """A level of a style, from its attributes."""
    form = given.get("style:num-format", "")
    first = given_number(given.get("text:start-value", ""), 1) if form else None
    return _Level(first, form, given_number(given.get("text:display-levels", ""), 1))


@dataclass(slots=True)
class _List:
    """An open list.

    Attributes:
        style: the name of its style.
        names: by which a later list may go on with it: its id and its style, each with the level.
        is_waiting: whether an item began of which no paragraph came yet.
        given: the number that this item has instead of the next.
    """

    style: str
    names: list[tuple[str, int]]
    is_waiting: bool = False
    given: int | None = None


@dataclass(slots=True)
class OdfLists:
    """The lists of a document, from the names of its elements with the last part of their namespace, and their attributes.

    An item within which another list comes first has no number: only a paragraph shows one.
    """

    numbers: ItemNumbers = field(default_factory=ItemNumbers)
    _styles: dict[str, dict[int, _Level]] = field(default_factory=dict)
    _levels: dict[int, _Level] = field(default_factory=dict)
    _open: list[_List] = field(default_factory=list)
    _next: dict[tuple[str, int], int] = field(default_factory=dict)

    def start_style(self, element: str, given: Mapping[str, str]) -> None:
        """An element begins that may be of a style."""
        if element == "text:list-style":
            self._levels = self._styles[given.get("style:name", "")] = {}
        elif element == "text:list-level-style-number":
            self._levels[given_number(given.get("text:level", ""), 1)] = _level_of(given)

    def start(self, element: str, given: Mapping[str, str]) -> None:
        """An element of the text begins that is no paragraph."""
        if element == "text:list":
            self._begin_list(given)
        elif element == "text:list-item" and self._open:
            written = given.get("text:start-value", "")
            self._open[-1].is_waiting, self._open[-1].given = True, given_number(written, 1) if written else None

    def start_paragraph(self) -> None:
        """A paragraph begins that is not within another."""
        if self._open and self._open[-1].is_waiting:
            self.numbers.begin_item(self._open[-1].given)
            self._open[-1].is_waiting = False

    def end(self, element: str) -> None:
        """An element of the text ends."""
        if not self._open:
            return
        if element == "text:list-item":
            self.numbers.end_item()
            self._open[-1].is_waiting = False
        elif element == "text:list":
            reached = self.numbers.end_list()
            names = self._open.pop().names
            if reached is not None:
                self._next.update(dict.fromkeys(names, reached))

    def _begin_list(self, given: Mapping[str, str]) -> None:
        at = len(self._open) + 1
        style = given.get("text:style-name", "") or (self._open[-1].style if self._open else "")
        level = self._styles.get(style, {}).get(min(at, _LEVELS), _Level())
        first = level.first
        if first is not None and given.get("text:continue-numbering") == "true":
            first = self._next.get((style, at), first)
        elif first is not None and (earlier := given.get("text:continue-list")):
            first = self._next.get((earlier, at), first)
        self.numbers.begin_list(first, level.form, num_shown=level.num_shown)
        self._open.append(_List(style, [(name, at) for name in (style, given.get(_ID, "")) if name]))
