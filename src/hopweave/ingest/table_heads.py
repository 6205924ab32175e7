"""Which rows of a table without marks name its columns, and which ones above them are its title.

Reports have a title and a unit above the names (`Sales 2024`, `EUR thousand`), and names in two rows: `Q1 2024` above `Budget`
and `Actual`, whether or not the cell is merged with those to its right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.currencies import CODES, SIGN

LONGEST_NAME = 200
"""Characters of what several rows repeat: the name of a column, and the text of a cell that is merged with those below."""
_MOST_TITLES = 8
"""Rows above those that name the columns."""
_NO_NAME = lazy_pattern(r"|[\d.,:/+%-]+|.{100,}", re.DOTALL)
_PERIOD = lazy_pattern(r"(?:19|20)\d\d(?:[/-]\d{2,4}){0,2}|\d{1,2}\.\d{1,2}\.(?:19|20)\d\d")
_UNIT = (
    r"(?:[kKmMp]|[bm]n|pp|pts?|ms|s|min|h|[kmµ]?g|[kcm]m|m?l|dB|[kMG]?Hz|[kMGT]?i?B|[km]?[WVA]|°C"
    r"|(?:minute|hour|day|week|month|year)s?)"
)
_MONEY = rf"(?:{SIGN}|{'|'.join(CODES)})"
_NUMBER = lazy_pattern(rf"[-+(−–]?\s?{_MONEY}?\s?\d[\d.,:/\s-]*(?:{_UNIT}|%|{_MONEY})?\)?")
"""A number with its sign, unit or scale: `-£8.7m`, `60 days`."""
_NOTHING = lazy_pattern(r"[-–—]|n\.?/?a\.?", re.IGNORECASE)
"""What stands in a cell that has no value."""
_LEAST_SHARE_OF_NUMBERS = 0.5
_FEWEST_COLUMNS = 3
"""Of a table in which not all cells of a column of numbers need be numbers."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row.

    Attributes:
        cells: their text by the number of the column, from 0; those without text are left out.
        widths: how many columns each cell covers that is merged with those to its right.
    """

    cells: Mapping[int, str]
    widths: Mapping[int, int] = field(default_factory=dict)


class Head(NamedTuple):
    """What the first rows of a table are.

    Attributes:
        num_titles: rows of its title, which come first.
        num_rows: rows after them that name the columns.
        names: of the columns; none if no row names them.
    """

    num_titles: int = 0
    num_rows: int = 0
    names: Mapping[int, str] = {}


def are_names(cells: Sequence[str]) -> bool:
    """Whether the first row of a table looks like names of columns, and not like its first row of values."""
    return len(cells) > 1 and len(set(cells)) == len(cells) and not any(_NO_NAME.fullmatch(cell) for cell in cells)


def is_period(cell: str) -> bool:
    """Whether a cell has a year or a day and nothing else, which may be the name of a column."""
    return _PERIOD.fullmatch(cell) is not None


def groups_of(rows: Sequence[Mapping[int, str]]) -> list[str]:
    """For each row of a table without a first cell, the first cell above that it belongs to; empty for all others.

    An empty cell may as well have no value. It belongs to the one above only if all rows have words in the second column which
    several of them share, and which are told apart by the first cell: `North, apples`, `, pears`, `South, apples`, `, pears`.

    Args:
        rows: below the names of the columns; the text of cells by the number of the column.
    """
    above = [""] * len(rows)
    for number, row in enumerate(rows):
        if len(row) > 1:
            above[number] = row.get(0) or (above[number - 1] if number else "")
    named = [(first, row.get(1, "")) for first, row in zip(above, rows, strict=True) if len(row) > 1]
    seconds = {second for _, second in named}
    are_words = all(first and second and not is_value(second) for first, second in named)
    is_told = are_words and len(seconds) < len(set(named)) == len(named)
    return ["" if 0 in row or not is_told else first for first, row in zip(above, rows, strict=True)]


def is_value(cell: str) -> bool:
    """Whether a cell is a number and nothing else, which is no year and no day."""
    return _NUMBER.fullmatch(cell) is not None and not is_period(cell)


def head_of(rows: Sequence[TableRow], *, is_further: bool = False, needs_numbers: bool = False) -> Head:
    """What the first rows of a table are, none of which is marked.

    Rows of a title have fewer cells than the table has columns. The names of columns are told by what stands below them.

    Args:
        rows: with text.
        is_further: whether there is a table with names above it, which words may go on with.
        needs_numbers: whether names of columns are only told by numbers below them, and there are three or more.
    """
    for at in range(min(len(rows) - 1, _MOST_TITLES + 1)):
        has_values = any(map(is_value, rows[at].cells.values()))
        is_grouped = at > 0 and not has_values and _is_above_several(rows[at - 1], rows[at])
        names = names_of(rows[at - is_grouped : at + 1])
        num_titles = at - is_grouped
        if any(len(row.cells) >= len(names) for row in rows[:num_titles]):
            continue
        below = [row.cells for row in rows[at + 1 :]]
        if needs_numbers and (len(names) < _FEWEST_COLUMNS or not _have_numbers(names, below)):
            continue
        if _name_columns(names, below, is_further=is_further and not at):
            return Head(num_titles, 1 + is_grouped, names)
    return Head()


def names_of(rows: Sequence[TableRow]) -> dict[int, str]:
    """The names of columns in some rows: what stands above each column, from top to bottom, each word once."""
    names: dict[int, list[str]] = {}
    for number, row in enumerate(rows):
        cells = _spread(row, rows[number + 1]) if number + 1 < len(rows) else row.cells
        for at, name in cells.items():
            above = names.setdefault(at, [])
            if name not in above:
                above.append(name)
    return {at: " ".join(above)[:LONGEST_NAME] for at, above in sorted(names.items())}


def goes_on_below(row: TableRow, below: TableRow) -> bool:
    """Whether a marked row of names has cells across columns which the row below it, without a mark, names one by one."""
    return has_groups(row) and len(below.cells) > 1 and not any(map(is_value, below.cells.values()))


def _is_above_several(row: TableRow, below: TableRow) -> bool:
    """Whether a row names groups of the columns that the row below it names."""
    if has_groups(row):
        return any(width > 1 and at in below.cells for at, width in row.widths.items())
    if not set(row.cells) & set(below.cells) or len(row.cells) < 2:
        return False
    names = list(below.cells.values())
    return 0 not in row.cells or len(set(names)) < len(names)


def has_groups(row: TableRow) -> bool:
    """Whether a row has a cell that is merged with those to its right, and is not the title of the whole table."""
    return any(width > 1 for at, width in row.widths.items() if at in row.cells) and (len(row.cells) > 1 or 0 not in row.cells)


def _spread(row: TableRow, below: TableRow) -> dict[int, str]:
    """The cells of a row of names, each above all columns that it covers; without merged cells, up to the next name."""
    spread, is_merged = dict(row.cells), has_groups(row)
    for at, name in row.cells.items():
        width = row.widths.get(at, 1)
        columns = range(at, at + width) if is_merged else sorted(one for one in below.cells if one > at)
        for column in columns:
            if column != at and column in row.cells:
                break
            spread.setdefault(column, name)
    return spread


def _name_columns(names: Mapping[int, str], below: Sequence[Mapping[int, str]], *, is_further: bool) -> bool:
    """Whether some cells look like the names of columns of the rows below; the first column may be without one."""
    if not below or not set().union(*below) <= {0, *names}:
        return False
    has_numbers = _have_numbers(names, below)
    words = [name for name in names.values() if not is_period(name)]
    if len(words) < len(names):  # such as `town, 2023, 2024` above numbers
        return has_numbers and (0 not in names or names[0] in words) and len(set(names.values())) == len(names)
    return are_names(words) and (has_numbers or (len({0, *names}) > 2 and not is_further))


def _have_numbers(names: Iterable[int], below: Sequence[Mapping[int, str]]) -> bool:
    """Whether some column has numbers below its name; in a table of two columns, nothing else."""
    least = _LEAST_SHARE_OF_NUMBERS if len(set(names)) >= _FEWEST_COLUMNS else 1.0
    return any(_are_numbers([row[at] for row in below if at in row], least) for at in names)


def _are_numbers(cells: Sequence[str], least: float) -> bool:
    """Whether at least a share of the cells of a column are numbers or dates, and not all of them years."""
    told = [cell for cell in cells if not _NOTHING.fullmatch(cell)]
    numbers = [cell for cell in told if _NUMBER.fullmatch(cell)]
    return bool(told) and not all(map(is_period, told)) and len(numbers) >= least * len(told)
