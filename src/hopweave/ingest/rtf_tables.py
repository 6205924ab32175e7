"""Tables of RTF, whose cells are told by where their right edges are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, repeat
from math import inf
from typing import NamedTuple

from hopweave.ingest.deadline import Check
from hopweave.ingest.office_tables import Table

_MOST_COLUMNS = 100
"""Of a table whose rows are given the names of its columns; programs that write the format stop at 63."""
_MOST_TIMES_LONGER = 20
"""With names, a long table gets no more than this many times as long."""
_SHORT_TABLE = 1_000_000
"""Characters of a table with names that is not long."""
_SAME_EDGE = 57
"""Twips: edges of cells in different rows that are a millimetre or less apart are the same."""


class Cell(NamedTuple):
    """How a cell of a row is defined: its right edge, and whether it is merged with the one to its left or above it."""

    edge: int | None = None
    is_merged_left: bool = False
    is_merged_above: bool = False


@dataclass(slots=True)
class RowFormat:
    """How a row is defined: its cells, and whether it names the columns."""

    cells: list[Cell] = field(default_factory=list)
    is_header: bool = False


class Row(NamedTuple):
    """A row: the text of its cells, and how it is defined."""

    texts: Sequence[str]
    format: RowFormat


def row_texts(rows: Sequence[Row], check: Check) -> list[str]:
    """The text of each row, with the names of its columns if it has some, and the table does not get too long by them."""
    numbers = _numbers_of_edges(rows)
    table = Table()
    for row in rows:
        check()
        cells: dict[int, list[str]] = {}
        widths: dict[int, int] = {}
        at = end = 0
        for text, cell in zip(row.texts, chain(row.format.cells, repeat(Cell())), strict=False):
            start, end = end, numbers.get(cell.edge, end + 1)
            if not (cell.is_merged_left and cells):
                at = start
            cells.setdefault(at, []).append(text or (table.above(at) if cell.is_merged_above else ""))
            if end - at > 1:
                widths[at] = end - at
        texts = {column: " ".join(filter(None, said)) for column, said in cells.items()}
        table.add(texts, widths=widths, is_header=row.format.is_header)
    plain = [" ".join(filter(None, row.texts)) for row in rows]
    if max(len(numbers), *(len(row.texts) for row in rows)) > _MOST_COLUMNS:
        return plain
    room = _SHORT_TABLE + _MOST_TIMES_LONGER * sum(map(len, plain))
    lines = []
    for line in table.texts():
        check()
        lines.append(line)
        room -= len(line)
        if room < 0:
            return plain
    return lines


def _numbers_of_edges(rows: Sequence[Row]) -> dict[int | None, int]:
    """The number, from 1, of each right edge of a cell; edges that are close to each other have the same.

    There are none if the cells of a row are not defined in order: those of the table are then told by how many are before them.
    """
    edges: set[int] = set()
    for row in rows:
        of_row = [cell.edge or 0 for cell, _ in zip(row.format.cells, row.texts, strict=False)]
        if any(left + _SAME_EDGE >= right for left, right in pairwise(of_row)):
            return {}
        edges.update(of_row)
    numbers: dict[int | None, int] = {}
    number, first = 0, -inf
    for edge in sorted(edges):
        if edge - first > _SAME_EDGE:
            number, first = number + 1, edge
        numbers[edge] = number
    return numbers
