"""Tables of plain text whose cells stand below each other: which column a word is in is told by its place in the line.

Unlike in a table whose lines all have as many cells, cells may be empty here, and a name may stand above several columns.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hopweave.ingest.office_tables import Table
from hopweave.ingest.table_heads import TableRow, head_of, is_value

_WORDS = re.compile(r"\S+(?: \S+)*")
"""What two blanks or more set apart."""
_LEADERS = re.compile(r"(?<=\s)(?:\.\s?){3,}(?=\s)|(?<=\w)\.{3,}(?=\s)")
_SIGN_APART = re.compile(r"(?P<sign>[$£€])(?P<blanks> +)(?=[\d(])")
_FEWEST_COLUMNS, _FEWEST_ROWS, _FEWEST_VALUES = 3, 2, 2
_MOST_NAME_LINES = 4
_MOST_LINES = 2_000
_MOST_INDENT = 8
"""Blanks before what stands above rows of its own."""


class _Words(NamedTuple):
    """Words of a line that single blanks join: where they begin and end, and what they are."""

    start: int
    end: int
    text: str


def rows_by_place(lines: Sequence[str]) -> list[str]:
    r"""The rows of a table, with the names of their columns; none if lines are no table.

    The columns are what no row with numbers has anything in between. At least two of them have names and numbers, and all rows
    have something in the first.

    >>> rows_by_place(["Pier   2021  2024", "P1     0.12  0.15", "P2           0.31"])
    ['Pier: P1; 2021: 0.12; 2024: 0.15.', 'Pier: P2; 2024: 0.31.']
    """
    if not _FEWEST_ROWS < len(lines) <= _MOST_LINES or sum(map(_has_cells, lines)) <= _FEWEST_ROWS:
        return []
    told = [_words_of(line) for line in lines]
    with_values = [number for number, words in enumerate(told) if _has_value(words)]
    if len(with_values) < _FEWEST_ROWS or not 0 < with_values[0] <= _MOST_NAME_LINES:
        return []
    starts, ends = _columns([told[number] for number in with_values])
    rows = [row for words in told if (row := _row(words, starts, ends)) is not None]
    if len(starts) < _FEWEST_COLUMNS or len(rows) < len(lines) or not _is_table(rows, with_values[0]):
        return []
    table = Table()
    for row in rows:
        table.add(row.cells, widths=row.widths)
    return [*table.texts()]


def _is_table(rows: Sequence[TableRow], first: int) -> bool:
    """Whether names of columns end above the first row with numbers, and name columns of them."""
    head = head_of(rows)
    body = [row.cells for row in rows[first:]]
    values = Counter(at for row in body for at, cell in row.items() if is_value(cell))
    num_values = [values[at] for at in head.names if at]
    return (
        head.num_titles + head.num_rows == first
        and all(name[0].isalnum() for name in head.names.values())
        and all(0 in row for row in body)
        and sum(map(bool, num_values)) >= _FEWEST_COLUMNS - 1
        and max(num_values) >= _FEWEST_VALUES
    )


def are_rows(lines: Sequence[str]) -> bool:
    """Whether lines may be further rows of a table above them: each has two cells or more, and a number in one of them."""
    return all(_has_cells(line) and _has_value(_words_of(line)) for line in lines)


def _has_cells(line: str) -> bool:
    said = line.strip()
    return "  " in said or "\t" in said


def _words_of(line: str) -> list[_Words]:
    shown = _LEADERS.sub(lambda found: " " * len(found[0]), line.expandtabs())
    shown = _SIGN_APART.sub(lambda found: f"{found['blanks']}{found['sign']}", shown)
    return [_Words(*match.span(), match[0]) for match in _WORDS.finditer(shown)]


def _has_value(words: Sequence[_Words]) -> bool:
    return len(words) > 1 and any(is_value(one.text) for one in words)


def _columns(rows: Iterable[Sequence[_Words]]) -> tuple[list[int], list[int]]:
    """Where the columns begin and end: what words of the rows cover without a gap."""
    starts: list[int] = []
    ends: list[int] = []
    for start, end, _ in sorted(words for row in rows for words in row):
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)
    return starts, ends


def _row(words: Sequence[_Words], starts: Sequence[int], ends: Sequence[int]) -> TableRow | None:
    """The words of a line by columns; `None` if two of them are in one. Words without a column below are in the nearest."""
    cells: dict[int, str] = {}
    widths: dict[int, int] = {}
    for one in words:
        first, last = bisect_right(ends, one.start), bisect_right(starts, one.end - 1) - 1
        if len(words) == 1 and one.start <= starts[0] + _MOST_INDENT:
            first = last = 0  # a title, or what stands above some rows
        elif first > last:  # between two columns, or beside the outermost
            is_nearer_left = first == len(starts) or (last >= 0 and one.start - ends[last] < starts[first] - one.end)
            first = last = last if is_nearer_left else first
        if first in cells:
            return None
        cells[first], widths[first] = one.text, last - first + 1
    return TableRow(cells, widths)
