"""The names of the columns of a table in a PDF, from the rows at its top, some of which name groups of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

_SET_APART = 1.12
"""From the top of a row to that of the next, as a share of its height, if these are not lines of one name."""
_ALIGNED = 3.0
"""Points by which the edges of a name and of what is below it may differ."""


class Name(NamedTuple):
    """A cell of a row of names.

    Attributes:
        text: of it.
        column: the first one below it.
        width: how many columns it touches, or covers if it is merged.
        left: of the text, in points.
        right: of the text.
        top: of the text.
        height: of its first line.
    """

    text: str
    column: int
    width: int
    left: float
    right: float
    top: float = 0.0
    height: float = 0.0


def names_above(
    rows: Sequence[Sequence[Name]], columns: Sequence[tuple[float, float]], *, is_grid: bool = False
) -> tuple[str, ...]:
    """What stands above each column, from top to bottom, each text once.

    A name stands above several columns if it is merged or touches them, if the names below it would otherwise not differ, or if
    it is further above fewer names than the next line of a name is.

    Args:
        rows: of names, from the top.
        columns: the left and right of each.
        is_grid: whether rules show which cells are merged.
    """
    if not is_grid:
        rows = _with_halfway(rows)
    plain = _joined([[(name, name.column, name.width) for name in row] for row in rows], len(columns))
    told = [name for name in plain if name]
    is_plain = len(set(told)) == len(told) and all(name.width == 1 for row in rows for name in row)
    is_plain &= not any(
        0 < len(row) < len(below) and max(name.top for name in below) - row[0].top > _SET_APART * row[0].height
        for row, below in pairwise(rows)
    )
    if is_grid or is_plain:
        return plain
    groups = [[*_spread(row, below, columns)] for row, below in pairwise(rows)]
    return _joined([*groups, [(name, name.column, name.width) for name in rows[-1]]], len(columns))


def _with_halfway(rows: Sequence[Sequence[Name]]) -> list[list[Name]]:
    """Rows, those that stand halfway between two as part of the lower one, such as a name of two rows."""
    kept: list[list[Name]] = []
    for row in rows:
        above = kept[-1] if kept else []
        is_halfway = above and row and above[0].top + above[0].height > row[0].top
        if is_halfway and not {name.column for name in above} & {name.column for name in row} and len(kept) > 1:
            kept[-1] = sorted((*above, *row), key=lambda name: name.column)
        else:
            kept.append(list(row))
    return kept


def _joined(rows: Sequence[Sequence[tuple[Name, int, int]]], num_columns: int) -> tuple[str, ...]:
    names: list[list[str]] = [[] for _ in range(num_columns)]
    for row in rows:
        for name, column, width in row:
            for above in names[column : column + width]:
                if name.text not in above:
                    above.append(name.text)
    return tuple(" ".join(above) for above in names)


def _spread(
    row: Sequence[Name], below: Sequence[Name], columns: Sequence[tuple[float, float]]
) -> Iterator[tuple[Name, int, int]]:
    """The names of a row, each with the first of the columns that it is above, and their number.

    Groups are next to each other up to the right end of the table. A name is at the left of its group, at its right, or, if it
    is neither, in the middle.
    """
    named = {one.column for one in below}
    own = [name for name in row if name.column > 0 and named & {*range(name.column, _last(name) + 1)}]
    lefts, rights = {one.column: one.left for one in below}, {_last(one): one.right for one in below}
    end = len(columns)
    if own and all(abs(name.right - rights.get(_last(name), columns[_last(name)][1])) <= _ALIGNED for name in own):
        start = 1
        for name in row:
            first = min(start, name.column)
            yield name, first, _last(name) + 1 - first
            start = max(_last(name) + 1, 1)
        return
    if own and all(
        abs(name.left - lefts.get(name.column, columns[name.column][0])) <= _ALIGNED
        or (name.left <= columns[name.column][0] and name.right < columns[_last(name)][1] - _ALIGNED)
        for name in own
    ):
        for name in reversed(row):
            yield name, name.column, end - name.column if name.column else 1
            end = name.column
        return
    for name in reversed(row):
        middle, right = (name.left + name.right) / 2, columns[end - 1][1]
        first = name.column
        while first > 0 and (columns[first - 1][0] + columns[first - 1][1]) / 2 > 2 * middle - right - _ALIGNED:
            first -= 1
        yield name, first, max(end - first, 1)
        end = max(first, 1)


def _last(name: Name) -> int:
    return name.column + name.width - 1
