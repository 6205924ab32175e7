"""Tables as text: each row with the names of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from hopweave.ingest.row_text import row_text
from hopweave.ingest.table_heads import TableRow, groups_of, head_of

_LONGEST_NAME = 100
"""Characters of the name of a column."""
_LONGEST_REPEATED = 100
"""Characters of a cell that is repeated in the rows below that it covers."""
_MOST_COLUMNS = 1_000
_FEWEST_COLUMNS = 3
"""Of a table in which a row with its first cell alone is above those that follow it."""
_MOST_TIMES_LONGER = 20
"""With names, a table gets no more than this many times as long."""


class Cell(NamedTuple):
    """A cell.

    Attributes:
        text: white space in it does not matter.
        is_header: whether it names its row or its column.
        num_columns: that it covers.
        num_rows: that it covers.
    """

    text: str
    is_header: bool = False
    num_columns: int = 1
    num_rows: int = 1


def rows_as_text(rows: Sequence[Sequence[Cell]], num_head: int = 0) -> list[str] | None:
    """The text of each row, empty for those that name the columns; `None` if none do, or there is only one column.

    Args:
        rows: of the table.
        num_head: those at its beginning that name columns; 0 for those in which all cells are headers, or without these, those
            with names above numbers.
    """
    num_head = num_head or sum(1 for _ in takewhile(lambda row: row and all(cell.is_header for cell in row), rows))
    width = max((sum(cell.num_columns for cell in row) for row in rows), default=0)
    if not num_head < len(rows) or not 1 < width <= _MOST_COLUMNS:
        return None
    placed = list(_placed(rows))
    num_titles, num_head = (0, num_head) if num_head else _unmarked(placed)
    names = _names(placed[num_titles:num_head], width)
    if not any(names) or max(map(len, names)) > _LONGEST_NAME:
        return None
    lines = [_across(row, width) if at >= num_titles else _said(row) for at, row in enumerate(placed[:num_head])]
    room = _MOST_TIMES_LONGER * sum(len(cell.text) + len(": ") for row in rows for cell in row)
    for row in _with_groups(placed[num_head:]):
        lines.append(_across(row, width) or _alone(row, width) or _named(names, row))
        room -= len(lines[-1])
        if room < 0:
            return None
    return lines


def plain_rows(rows: Sequence[Sequence[Cell]]) -> list[str]:
    """The text of each row without names of columns."""
    return [" ".join(_on_a_line(cell) for cell in row) for row in rows]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A cell with the number of its first column."""

    column: int
    cell: Cell


def _placed(rows: Sequence[Sequence[Cell]]) -> Iterator[list[_Placed]]:
    """The cells of each row, with those of rows above that reach into it."""
    from_above: dict[int, Cell] = {}
    for row in rows:
        placed, column = [], 0
        waiting = sorted(from_above.items(), reverse=True)
        for cell in row:
            while waiting and waiting[-1][0] <= column:
                at, above = waiting.pop()
                placed.append(_Placed(at, above))
                column = at + above.num_columns
            placed.append(_Placed(column, cell))
            column += cell.num_columns
        placed += [_Placed(at, above) for at, above in reversed(waiting)]
        from_above = {one.column: _continued(one.cell) for one in placed if one.cell.num_rows > 1}
        yield placed


def _unmarked(rows: Sequence[Sequence[_Placed]]) -> tuple[int, int]:
    """How many rows of a table without header cells are its title, and how many these and those that name its columns; 0, 0 if
    that is not plain.
    """
    told = [TableRow(_told(row), {placed.column: placed.cell.num_columns for placed in row}) for row in rows]
    if not all(row.cells for row in told):
        return 0, 0
    head = head_of(told, needs_numbers=True)
    return head.num_titles, head.num_titles + head.num_rows


def _told(row: Sequence[_Placed]) -> dict[int, str]:
    """The text of the cells that have one, by the number of the column."""
    return {placed.column: text for placed in row if (text := _on_a_line(placed.cell))}


def _with_groups(rows: Sequence[Sequence[_Placed]]) -> Iterator[Sequence[_Placed]]:
    """Rows below the names of the columns, each with the first cell that it belongs to."""
    for group, row in zip(groups_of([_told(row) for row in rows]), rows, strict=True):
        yield [_Placed(0, Cell(group)), *(placed for placed in row if placed.column)] if group else row


def _said(row: Sequence[_Placed]) -> str:
    return " ".join(filter(None, (_on_a_line(placed.cell) for placed in row)))


def _continued(cell: Cell) -> Cell:
    return cell._replace(num_rows=cell.num_rows - 1, text=cell.text if len(cell.text) <= _LONGEST_REPEATED else "")


def _names(head: Sequence[Sequence[_Placed]], width: int) -> list[str]:
    """The name of each column: what stands above it, from top to bottom, but not across the whole table."""
    names: list[list[str]] = [[] for _ in range(width)]
    for row in head:
        for placed in () if _across(row, width) else row:
            text = _on_a_line(placed.cell)
            for above in names[placed.column : placed.column + placed.cell.num_columns]:
                if text and text not in above:
                    above.append(text)
    return [" ".join(above) for above in names]


def _across(row: Sequence[_Placed], width: int) -> str:
    """The text of a row that is one cell across the whole table."""
    return _on_a_line(row[0].cell) if len(row) == 1 and row[0].cell.num_columns >= width else ""


def _alone(row: Sequence[_Placed], width: int) -> str:
    """The text of the first cell of a row if all others are empty: it is above the rows that follow, such as `Assets`."""
    said = [placed for placed in row if _on_a_line(placed.cell)]
    is_alone = len(said) == 1 and said[0].column == 0 and width >= _FEWEST_COLUMNS
    return _on_a_line(said[0].cell) if is_alone else ""


def _named(names: Sequence[str], row: Sequence[_Placed]) -> str:
    """A row with the names of its columns, and with what names the row first."""
    ordered = sorted(row, key=lambda placed: not placed.cell.is_header)
    told = [(name, _on_a_line(placed.cell)) for placed in ordered for name in _names_above(names, placed)]
    return row_text([name for name, _ in told], [text for _, text in told])


def _names_above(names: Sequence[str], placed: _Placed) -> Sequence[str]:
    """The names of the columns that a cell is a value of: of several that it covers all, unless it names the row or is long."""
    covered = list(dict.fromkeys(names[placed.column : placed.column + placed.cell.num_columns])) or [""]
    is_value = placed.column > 0 and not placed.cell.is_header and 0 < len(placed.cell.text) <= _LONGEST_REPEATED
    return covered if is_value else covered[:1]


def _on_a_line(cell: Cell) -> str:
    return " ".join(cell.text.split())
