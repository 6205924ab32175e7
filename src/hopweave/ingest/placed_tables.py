"""Tables of plain text whose cells stand below each other: which column a word is in is told by its place in the line.

Unlike in a table whose lines all have as many cells, cells may be empty here, and a name may stand above several columns.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.office_tables import Table
from hopweave.ingest.row_text import row_text
from hopweave.ingest.table_heads import TableRow, head_of, is_value

_WORDS = lazy_pattern(r"\S+(?: \S+)*")
"""What two blanks or more set apart."""
_LEADERS = lazy_pattern(r"(?<=\s)(?:\.\s?){3,}(?=\s)|(?<=\w)\.{3,}(?=\s)")
_SIGN_APART = lazy_pattern(r"(?P<sign>[$£€])(?P<blanks> +)(?=[\d(])")
_FEWEST_COLUMNS, _FEWEST_ROWS, _FEWEST_VALUES = 3, 2, 2
_MOST_NAME_LINES = 4
_IS_OF_CODE = lazy_pattern(r"^[#*/{}<>=;|&]|[;{}\\]$")
_MOST_LINES = 2_000
_MOST_INDENT = 8
"""Blanks before what stands above rows of its own."""


class Words(NamedTuple):
    """Words of a line that single blanks join: where they begin and end, and what they are."""

    start: int
    end: int
    text: str


def rows_by_place(lines: Sequence[str], num_head: int = 0) -> list[str]:
    r"""The rows of a table, with the names of their columns if it has any; none if lines are no table.

    The columns are what no row with numbers has anything in between. At least two of them have names and numbers, and all rows
    have something in the first; if no line names them, all rows have something in each.

    Args:
        lines: without rules.
        num_head: the first lines, which a rule below each column marks as its names; 0 without one.

    >>> rows_by_place(["Pier   2021  2024", "P1     0.12  0.15", "P2           0.31"])
    ['Pier: P1; 2021: 0.12; 2024: 0.15.', 'Pier: P2; 2024: 0.31.']
    >>> rows_by_place(["Ulm    101", "P1   08:15"], num_head=1)
    ['Ulm: P1; 101: 08:15.']
    >>> rows_by_place(["T300   300 kg    £890", "T600   600 kg  £1,090", "T900   900 kg  £1,490"])
    ['T300; 300 kg; £890.', 'T600; 600 kg; £1,090.', 'T900; 900 kg; £1,490.']
    """
    least = num_head or _FEWEST_ROWS
    if not least < len(lines) <= _MOST_LINES or sum(map(_has_cells, lines)) <= (0 if num_head else least):
        return []
    told = _with_columns_apart([words_of_line(line) for line in lines])
    with_values = [number for number, words in enumerate(told) if _has_value(words)]
    if num_head:
        with_values = [number for number in range(num_head, len(told)) if len(told[number]) > 1]
    if not with_values or with_values[0] > _MOST_NAME_LINES or (len(with_values) < _FEWEST_ROWS and not num_head):
        return []
    starts, ends = _columns([told[number] for number in with_values])
    rows = [row for words in told if (row := _row(words, starts, ends)) is not None]
    if len(rows) < len(lines) or len(starts) < _FEWEST_COLUMNS - bool(num_head):  # two columns need a rule
        return []
    if not num_head and not _is_table(rows, with_values[0]):
        return _without_names(rows, len(starts))
    table = Table()
    for number, row in enumerate(rows):
        table.add(row.cells, widths=row.widths, is_header=number < num_head)
    return [*table.texts()]


def _without_names(rows: Sequence[TableRow], num_columns: int) -> list[str]:
    """The rows of a table that has no names of columns, but all cells, and below a title at most."""
    num_titles = int(bool(rows) and len(rows[0].cells) < num_columns and not any(map(is_value, rows[0].cells.values())))
    body = [[*row.cells.values()] for row in rows[num_titles:]]
    if len(body) <= _FEWEST_ROWS or any(len(cells) != num_columns or not any(map(is_value, cells)) for cells in body):
        return []
    if any(map(is_of_code, (cell for cells in body for cell in cells))):
        return []
    return [*(" ".join(row.cells.values()) for row in rows[:num_titles]), *(row_text([], cells) for cells in body)]


def is_of_code(cell: str) -> bool:
    """Whether a cell looks like a piece of a program: a comment, a sign, or the end of a statement."""
    return _IS_OF_CODE.search(cell) is not None


def _with_columns_apart(told: Sequence[list[Words]]) -> list[list[Words]]:
    """Lines of words, with those cut where a column of numbers begins after a single blank: `Builders (Ulm) 780`."""
    most = max(map(len, told), default=0)
    full = [words for words in told if len(words) == most and _has_value(words)]
    if most < _FEWEST_COLUMNS or len(full) < _FEWEST_VALUES:
        return [*told]
    places = [[words[at] for words in full] for at in range(1, most)]
    numbers = [min(one.start for one in column) for column in places if all(is_value(one.text) for one in column)]
    return [[piece for one in words for piece in _cut(one, numbers)] for words in told]


def _cut(words: Words, starts: Iterable[int]) -> list[Words]:
    for start in starts:
        at = start - words.start
        if 0 < at < len(words.text) and words.text[at - 1] == " " and is_value(words.text[at:].partition(" ")[0]):
            before = words.text[: at - 1]
            return [Words(words.start, words.start + len(before), before), Words(start, words.end, words.text[at:])]
    return [words]


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
    return all(_has_cells(line) and _has_value(words_of_line(line)) for line in lines)


def _has_cells(line: str) -> bool:
    said = line.strip()
    return "  " in said or "\t" in said


def words_of_line(line: str) -> list[Words]:
    """What two blanks or more set apart in a line, with tabs as blanks, and without dots that lead to a number."""
    shown = _LEADERS.sub(lambda found: " " * len(found[0]), line.expandtabs())
    shown = _SIGN_APART.sub(lambda found: f"{found['blanks']}{found['sign']}", shown)
    return [Words(*match.span(), match[0]) for match in _WORDS.finditer(shown)]


def _has_value(words: Sequence[Words]) -> bool:
    return len(words) > 1 and any(is_value(one.text) for one in words)


def _columns(rows: Iterable[Sequence[Words]]) -> tuple[list[int], list[int]]:
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


def _row(words: Sequence[Words], starts: Sequence[int], ends: Sequence[int]) -> TableRow | None:
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
