"""Tables of reStructuredText, as rows of cells: grid tables, simple tables, lists of rows, and comma-separated values."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.tables import Cell

_GRID = lazy_pattern(r"\+[-=+]+\+")
_SIMPLE = lazy_pattern(r"=+(?: +=+)+")
_ITEM = lazy_pattern(r"(?P<row>\*[ ]+)?-(?:[ ]+(?P<said>.*))?")


class Table(NamedTuple):
    """A table: its rows, how many of them name columns, and the number of the line after it.

    Without names of columns, or if cells cover several rows, it has no rows, and is read line by line.
    """

    rows: list[list[Cell]]
    num_head: int
    end: int


def grid_table(lines: Sequence[str], at: int) -> Table | None:
    """The grid table that begins in a line, if one does."""
    if not _GRID.fullmatch(lines[at].strip()):
        return None
    block = [line.strip() for line in takewhile(lambda line: line.strip()[:1] in {"+", "|"}, _from(lines, at))]
    borders = [number for number, line in enumerate(block) if line.startswith("+")]
    if not all(_GRID.fullmatch(block[number]) for number in borders) or borders[-1] != len(block) - 1:
        return Table([], 0, at + len(block))
    columns = [number for number, mark in enumerate(block[0]) if mark == "+"]
    rows = [_grid_row(block[above + 1 : below], columns) for above, below in pairwise(borders)]
    num_head = next((number for number, border in enumerate(borders) if "=" in block[border]), 0)
    return Table(rows, num_head, at + len(block))


def simple_table(lines: Sequence[str], at: int) -> Table | None:
    """The simple table that begins in a line, if one does."""
    if not _SIMPLE.fullmatch(lines[at].strip()):
        return None
    border = lines[at].rstrip()
    parts: list[list[str]] = [[]]
    for line in takewhile(str.strip, _from(lines, at + 1)):
        if line.rstrip() != border:
            parts[-1].append(line)
        elif len(parts) == 1:
            parts.append([])
        else:
            columns = [match.span() for match in re.finditer("=+", border)]
            head, body = (_simple_rows(part, columns) for part in parts)
            return Table(head + body, len(head), at + sum(map(len, parts)) + 3)
    return Table([], 0, at + sum(map(len, parts)) + len(parts))


def list_table(lines: Sequence[str], num_head: int) -> Table:
    """The rows of a list of lists.

    Args:
        lines: of the list.
        num_head: rows at its beginning that name columns.
    """
    rows: list[list[list[str]]] = []
    for line in lines:
        match = _ITEM.fullmatch(line.strip())
        if match and match["row"]:
            rows.append([])
        if match and rows:
            rows[-1].append([match["said"] or ""])
        elif rows:
            rows[-1][-1].append(line.strip())
    return Table([[Cell(" ".join(cell)) for cell in row] for row in rows], num_head, len(lines))


def csv_table(lines: Sequence[str], num_head: int, header: str, delimiter: str) -> Table:
    """The rows of comma-separated values; none if they cannot be told apart.

    Args:
        lines: of the rows.
        num_head: rows at their beginning that name columns.
        header: a row that names them, too.
        delimiter: a character, or `tab` or `space`.
    """
    between = {"tab": "\t", "space": " "}.get(delimiter, delimiter)
    if len(between) != 1:
        return Table([], 0, len(lines))
    written = [header] * bool(header) + [line.strip() for line in lines if line.strip()]
    try:
        rows = list(csv.reader(written, delimiter=between, skipinitialspace=True))
    except (csv.Error, ValueError):
        return Table([], 0, len(lines))
    return Table([[Cell(" ".join(cell.split())) for cell in row] for row in rows], num_head + bool(header), len(lines))


def _from(lines: Sequence[str], at: int) -> Iterator[str]:
    return (lines[number] for number in range(at, len(lines)))


def _grid_row(lines: Sequence[str], columns: Sequence[int]) -> list[Cell]:
    """The cells of a row, which end where all its lines have a bar."""
    ends = [number for number, column in enumerate(columns) if all(line[column : column + 1] == "|" for line in lines)]
    return [
        Cell(" ".join(line[columns[left] + 1 : columns[right]].strip() for line in lines), num_columns=right - left)
        for left, right in pairwise(ends)
    ]


def _simple_rows(lines: Sequence[str], columns: Sequence[tuple[int, int]]) -> list[list[Cell]]:
    """The rows; one that begins with an empty cell continues the one above, and text across columns is one cell."""
    rows: list[list[list[str]]] = []
    for line in lines:
        if not line.strip("- "):
            continue
        starts = [start for start, _ in columns]
        is_parted = all(not line[end:start].strip() for (_, end), start in zip(columns, starts[1:], strict=False))
        cells = [line[start:end].strip() for start, end in pairwise([*starts, None])] if is_parted else [line.strip()]
        if rows and len(rows[-1]) == len(cells) and not cells[0]:
            for above, cell in zip(rows[-1], cells, strict=True):
                above.append(cell)
        else:
            rows.append([[cell] for cell in cells])
    return [[Cell(" ".join(cell), num_columns=1 if len(row) == len(columns) else len(columns)) for cell in row] for row in rows]
