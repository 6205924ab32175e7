"""What is drawn on a page of a PDF, as far as tables show in it: words and rules, in lines and in grids.

Places are in points, from the left and the top of the page as it is shown.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import NamedTuple

_SAME_LINE = 0.6
"""Share of the lower of two words that is beside the other, from which on they are on one line."""
SAME_ROW = 0.3
"""Share of the height of a line that is beside the one above, from which on both are of one row."""
_GAP = 0.5
"""Between two cells of a line, as a share of its height, at least; words of running text are closer."""
_CLOSE, _FEWEST_CLOSE = 0.3, 3
"""Between two words of running text, as a share of their height, at most; and how many such must be seen."""
_NEAR = 2.5
"""Points within which rules are on one line, or touch."""
_OUTSIDE = 10.0
"""Points from which on rules go on beyond the last one across them, around a column or row that is open at the side."""
_MOST_RULES = 500
"""Of a page, in one direction; a drawing has more."""
_MOST_CELLS = 10_000
_FEWEST_COLUMNS = 2


class Word(NamedTuple):
    """A word.

    Attributes:
        text: without white space.
        left, top, right, bottom: its box.
        is_bold: whether it is set in bold type.
        is_fixed: whether all letters of its type are of one width.
        is_first: whether it is the first of words that the file writes together; `None` if that is not known.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    is_bold: bool = False
    is_fixed: bool = False
    is_first: bool | None = None

    @property
    def middle(self) -> float:
        """Halfway between its left and its right."""
        return (self.left + self.right) / 2


class Rule(NamedTuple):
    """A straight line along the page or down it, or an edge of a shaded area: its box, which is thin."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(slots=True)
class Segment:
    """Words of a line that follow each other closely, by their numbers on the page."""

    words: list[int]
    left: float
    right: float


@dataclass(slots=True)
class TextLine:
    """Words beside each other."""

    top: float
    bottom: float
    segments: list[Segment] = field(default_factory=list)

    @property
    def height(self) -> float:
        """In points."""
        return self.bottom - self.top

    @property
    def left(self) -> float:
        """Of its first word."""
        return self.segments[0].left

    @property
    def right(self) -> float:
        """Of its last word."""
        return max(segment.right for segment in self.segments)

    @property
    def numbers(self) -> Iterator[int]:
        """Its words."""
        return (number for segment in self.segments for number in segment.words)


def text_of(segment: Segment, words: Sequence[Word]) -> str:
    """The words of a segment as they are drawn, with blanks between them."""
    return " ".join(words[number].text for number in segment.words)


def told_apart(words: Sequence[Word]) -> Sequence[Word]:
    """Words, without what is written together if most close ones are not, as where a file writes word by word."""
    close = [
        word.is_first
        for before, word in pairwise(words)
        if 0 < word.left - before.right < _CLOSE * (word.bottom - word.top)
        and before.top < word.bottom
        and word.top < before.bottom
    ]
    is_known = len(close) >= _FEWEST_CLOSE and 2 * sum(map(bool, close)) < len(close)
    return words if is_known else [word._replace(is_first=None) for word in words]


def lines_of(words: Sequence[Word], which: Iterable[int]) -> list[TextLine]:
    """Some words of a page in lines, from the top, cut where a gap is wide.

    Args:
        words: of the page.
        which: their numbers.
    """
    lines: list[tuple[TextLine, list[int]]] = []
    for number in sorted(which, key=lambda one: (words[one].top + words[one].bottom, words[one].left)):
        word = words[number]
        line = lines[-1][0] if lines else None
        if line is None or _beside(word, line) < _SAME_LINE:
            lines.append((TextLine(word.top, word.bottom), [number]))
        else:
            lines[-1][1].append(number)
    for line, numbers in lines:
        line.top, line.bottom = (median(getattr(words[one], side) for one in numbers) for side in ("top", "bottom"))
        line.segments = list(_segments(words, sorted(numbers, key=lambda one: words[one].left)))
    return [line for line, _ in lines]


def _beside(word: Word, line: TextLine) -> float:
    shared = min(word.bottom, line.bottom) - max(word.top, line.top)
    return shared / max(min(word.bottom - word.top, line.height), 0.1)


def _segments(words: Sequence[Word], numbers: Sequence[int]) -> Iterator[Segment]:
    now: Segment | None = None
    for number in numbers:
        word = words[number]
        if now is None or word.left - now.right > _GAP * (word.bottom - word.top):
            if now is not None:
                yield now
            now = Segment([number], word.left, word.right)
        else:
            now.words.append(number)
            now.right = max(now.right, word.right)
    if now is not None:
        yield now


class Area(NamedTuple):
    """A cell of a grid, which may be merged: its first row and column, and how many of them it covers."""

    row: int
    column: int
    num_rows: int
    num_columns: int


@dataclass(frozen=True, slots=True)
class Grid:
    """Rules that cross each other.

    Attributes:
        columns: the places of the rules down the page, from the left.
        rows: those of the rules along it, from the top.
        areas: the cell that each of their crossings is in, by row and column.
    """

    columns: tuple[float, ...]
    rows: tuple[float, ...]
    areas: dict[tuple[int, int], Area]

    def area_at(self, word: Word) -> Area | None:
        """The cell that a word is in; `None` if it is outside."""
        row = bisect_right(self.rows, (word.top + word.bottom) / 2) - 1
        return self.areas.get((row, bisect_right(self.columns, word.middle) - 1))


def straight(rules: Iterable[Rule]) -> tuple[list[Rule], list[Rule]]:
    """The rules along a page and those down it, pieces of one line joined; none in a direction that has too many."""
    along: list[Rule] = []
    down: list[Rule] = []
    for rule in rules:
        is_along = rule.right - rule.left >= rule.bottom - rule.top
        (along if is_along else down).append(rule)
    joined = _joined([(one.top, one.left, one.right) for one in along])
    beside = _joined([(one.left, one.top, one.bottom) for one in down])
    return [Rule(start, y, end, y) for y, start, end in joined], [Rule(x, start, x, end) for x, start, end in beside]


def _joined(pieces: Iterable[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Pieces of lines, each with its place across, its start and its end, as lines."""
    levels: list[list[tuple[float, float, float]]] = []
    for piece in sorted(pieces):
        if not levels or piece[0] - levels[-1][0][0] > _NEAR:
            levels.append([])
        levels[-1].append(piece)
    lines: list[tuple[float, float, float]] = []
    for level in levels:
        at, start, end = level[0][0], None, 0.0
        for _, begin, after in sorted(level, key=lambda one: one[1]):
            if start is None:
                start, end = begin, after
            elif begin - end <= _NEAR:
                end = max(end, after)
            else:
                lines.append((at, start, end))
                start, end = begin, after
        if start is not None:
            lines.append((at, start, end))
    return lines if len(lines) <= _MOST_RULES else []


def grids_of(along: Sequence[Rule], down: Sequence[Rule]) -> list[Grid]:
    """The grids that some rules are of, with two columns or more."""
    rules = [*along, *down]
    owner = list(range(len(rules)))

    def root(at: int) -> int:
        while owner[at] != at:
            owner[at] = owner[owner[at]]
            at = owner[at]
        return at

    for number, across in enumerate(along):
        for other, upright in enumerate(down, start=len(along)):
            if (
                across.left - _NEAR <= upright.left <= across.right + _NEAR
                and upright.top - _NEAR <= across.top <= upright.bottom + _NEAR
            ):
                owner[root(other)] = root(number)
    found: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for number, rule in enumerate(rules):
        found.setdefault(root(number), ([], []))[number >= len(along)].append(rule)
    grids = (_grid(along, down) for along, down in found.values())
    return [grid for grid in grids if grid is not None]


def _grid(along: Sequence[Rule], down: Sequence[Rule]) -> Grid | None:
    columns = _with_open_sides([rule.left for rule in down], [(rule.left, rule.right) for rule in along])
    rows = _with_open_sides([rule.top for rule in along], [(rule.top, rule.bottom) for rule in down])
    if len(columns) <= _FEWEST_COLUMNS or len(rows) < 2 or len(columns) * len(rows) > _MOST_CELLS:
        return None
    walls: set[tuple[int, int]] = set()
    floors: set[tuple[int, int]] = set()
    for rule in down:
        at = bisect_right(columns, rule.left) - 1
        walls.update((row, at) for row in _covered(rows, rule.top, rule.bottom))
    for rule in along:
        at = bisect_right(rows, rule.top) - 1
        floors.update((at, column) for column in _covered(columns, rule.left, rule.right))
    areas: dict[tuple[int, int], Area] = {}
    for row in range(len(rows) - 1):
        for column in range(len(columns) - 1):
            if (row, column) in areas:
                continue
            num_columns = num_rows = 1
            while column + num_columns < len(columns) - 1 and (row, column + num_columns) not in walls:
                num_columns += 1
            while row + num_rows < len(rows) - 1 and (row + num_rows, column) not in floors:
                num_rows += 1
            area = Area(row, column, num_rows, num_columns)
            for below in range(row, row + num_rows):
                areas.update({(below, column + right): area for right in range(num_columns)})
    return Grid(columns, rows, areas)


def _with_open_sides(places: Sequence[float], across: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    """The places of rules, and the ends of those across them that go on beyond the first or last one."""
    inner = _apart(places)
    if not inner or not across:
        return inner
    ends = median(start for start, _ in across), median(end for _, end in across)
    return _apart((*inner, *(end for end in ends if not inner[0] - _OUTSIDE <= end <= inner[-1] + _OUTSIDE)))


def _covered(places: Sequence[float], start: float, end: float) -> range:
    """The numbers of the gaps between some places that a rule covers to their middle."""
    middles = [(one + other) / 2 for one, other in pairwise(places)]
    return range(bisect_left(middles, start), bisect_right(middles, end))


def _apart(places: Iterable[float]) -> tuple[float, ...]:
    kept: list[float] = []
    for place in sorted(places):
        if not kept or place - kept[-1] > _NEAR:
            kept.append(place)
    return tuple(kept)
