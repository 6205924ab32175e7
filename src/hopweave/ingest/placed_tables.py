"""Tables of plain text whose cells stand below each other: which column a word is in is told by its place in the line.

Unlike in a table whose lines all have as many cells, cells may be empty here, and a name may stand above several columns.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hopweave.ingest.office_tables import Table
from hopweave.ingest.table_heads import TableRow, head_of, is_value

_WORDS = re.compile(r"\S+(?: \S+)*")
"""What two blanks or more set apart."""
_LEADERS = re.compile(r"(?<=\s)(?:\.\s?){3,}(?=\s)|(?<=\w)\.{3,}(?=\s)")
_SIGN_APART = re.compile(r"(?P<sign>[$£€])(?P<blanks> +)(?=[\d(])")
_FEWEST_COLUMNS, _FEWEST_ROWS, _FEWEST_VALUES = 3, 2, 2
_MOST_HEAD_LINES = 4
_MOST_LINES = 2_000


def are_rows(lines: Sequence[str]) -> bool:
    """Whether lines may be further rows of a table above them: each has two cells or more, and a number in one of them."""
    return all(len(words) > 1 and any(is_value(one.text) for one in words) for words in map(_words_of, lines))


class _Words(NamedTuple):
    """Words of a line that single blanks join: where they begin and end, and what they are."""

    start: int
    end: int
    text: str


def rows_by_place(lines: Sequence[str]) -> list[str]:
    r"""The rows of a table, with the names of their columns; none if lines are no table.

    The columns are what no row with numbers has anything in between. At least two of them have names and numbers.

    >>> rows_by_place(["Pier   2021  2024", "P1     0.12  0.15", "P2           0.31"])
    ['Pier: P1; 2021: 0.12; 2024: 0.15.', 'Pier: P2; 2024: 0.31.']
    """
    if not _FEWEST_ROWS < len(lines) <= _MOST_LINES:
        return []
    told = [_words_of(line) for line in lines]
    with_values = [number for number, words in enumerate(told) if len(words) > 1 and any(is_value(one.text) for one in words)]
    if len(with_values) < _FEWEST_ROWS or not 0 < with_values[0] <= _MOST_HEAD_LINES:
        return []
    starts, ends = _columns([told[number] for number in with_values])
    if len(starts) < _FEWEST_COLUMNS:
        return []
    rows = [_row(words, starts, ends) for words in told]
    if any(row is None for row in rows):
        return []
    placed = [row for row in rows if row is not None]
    head = head_of(placed)
    body = [row.cells for row in placed[head.num_titles + head.num_rows :]]
    num_values = [sum(is_value(row.get(at, "")) for row in body) for at in head.names if at]
    if head.num_titles + head.num_rows != with_values[0] or max(num_values, default=0) < _FEWEST_VALUES:
        return []
    if len(list(filter(None, num_values))) < _FEWEST_COLUMNS - 1 or not all(name[0].isalnum() for name in head.names.values()):
        return []
    if not all(0 in row for row in body):
        return []
    table = Table()
    for row in placed:
        table.add(row.cells, widths=row.widths)
    return [*table.texts()]


def _words_of(line: str) -> list[_Words]:
    shown = _LEADERS.sub(lambda found: " " * len(found[0]), line.expandtabs())
    shown = _SIGN_APART.sub(lambda found: f"{found['blanks']}{found['sign']}", shown)
    return [_Words(*match.span(), match[0]) for match in _WORDS.finditer(shown)]


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
        if first > last:  # between two columns
            last = first = _nearest(one, starts, ends)
        if len(words) == 1 and one.start <= starts[0] + _MOST_INDENT:
            first = last = 0  # a title, or what stands above some rows
        if first in cells:
            return None
        cells[first], widths[first] = one.text, last - first + 1
    return TableRow(cells, widths)


def _nearest(one: _Words, starts: Sequence[int], ends: Sequence[int]) -> int:
    return min(range(len(starts)), key=lambda at: max(starts[at] - one.end, one.start - ends[at]))


_MOST_INDENT = 8
"""Blanks before what stands above rows of its own."""
