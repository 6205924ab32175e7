"""The names of the columns of a table in a PDF, from the rows at its top, some of which name groups of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

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
    """

    text: str
    column: int
    width: int
    left: float
    right: float


def names_above(
    rows: Sequence[Sequence[Name]], columns: Sequence[tuple[float, float]], *, is_grid: bool = False
) -> tuple[str, ...]:
    """What stands above each column, from top to bottom, each text once.

    A name stands above several columns if it is merged or touches them, or if the names below it would otherwise not differ.

    Args:
        rows: of names, from the top.
        columns: the left and right of each.
        is_grid: whether rules show which cells are merged.
    """
    plain = _joined([[(name, name.column, name.width) for name in row] for row in rows], len(columns))
    told = [name for name in plain if name]
    is_plain = len(set(told)) == len(told) and all(name.width == 1 for row in rows for name in row)
    if is_grid or is_plain:
        return plain
    groups = [[*_spread(row, below, columns)] for row, below in zip(rows, rows[1:], strict=False)]
    return _joined([*groups, [(name, name.column, name.width) for name in rows[-1]]], len(columns))


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
    lefts = {one.column: one.left for one in below}
    rights = {one.column: one.right for one in below}
    edges = [column[1] for column in columns]
    end = len(columns)
    if all(abs(name.left - lefts.get(name.column, columns[name.column][0])) <= _ALIGNED for name in row):
        for name in reversed(row):
            yield name, name.column, max(end - name.column, 1)
            end = name.column
        return
    if all(abs(name.right - rights.get(_last(name), edges[_last(name)])) <= _ALIGNED for name in row):
        start = 0 if row[0].column == 0 else 1
        for name in row:
            yield name, start, _last(name) + 1 - start
            start = _last(name) + 1
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
