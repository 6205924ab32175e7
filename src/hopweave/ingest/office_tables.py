"""Tables of documents: each row becomes a text that can be read without the others, with the names of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, takewhile
from typing import NamedTuple

from hopweave.ingest.row_text import row_text
from hopweave.ingest.table_heads import LONGEST_NAME, Head, TableRow, goes_on_below, groups_of, has_groups, head_of, names_of

MAX_COLUMNS = 16_384
"""Maximum columns of a table, fields of a record, and values of its metadata: the width of a sheet in Excel and LibreOffice."""

_FEWEST_COLUMNS = 3
"""Of a table in which a row with its first cell alone is above those that follow it."""
_LONGEST_TITLE = 120
_MOST_TITLES = 4
"""Lines of a title."""
_MAX_MERGED = 1 << 20
"""Rows of all merged cells of a sheet, which has as many rows."""
_ENDS_A_SENTENCE = (".", "!", "?", ";")
_BEGIN_A_NOTE = ("*", "¹", "²", "³", "†", "‡", "(", "[")

ROW, TITLE_APART, TITLE, GROUP = 0, 2, 3, 4


class Line(NamedTuple):
    """A line of a table.

    Attributes:
        text: of a row with the names of its columns, or of what is above several rows.
        level: of what stands above rows, as that of a heading: `TITLE_APART` of a sheet, `TITLE` of a table, `GROUP` of rows;
            `ROW` for all others.
    """

    text: str
    level: int = ROW


class Table:
    """A table that is being read, row by row.

    The first rows name the columns if they are marked as a header; also if they look like names and there are more than two
    columns, or numbers below them: a table of two columns of words may as well be a list of terms.

    Args:
        names: of the columns of a table that this one goes on with, unless it names its own.

    Attributes:
        names: of its columns, once its texts have been taken.
    """

    def __init__(self, names: Mapping[int, str] | None = None) -> None:
        self.names = dict(names or {})
        self._rows: list[TableRow] = []
        self._num_headers = 0

    def add(self, cells: Mapping[int, str], *, widths: Mapping[int, int] | None = None, is_header: bool = False) -> None:
        """Adds a row.

        Args:
            cells: their text by the number of the column, from 0; those without text are left out.
            widths: how many columns a cell covers that is merged with those to its right.
            is_header: whether it is marked as naming the columns.
        """
        row = {at: shown for at, cell in sorted(cells.items()) if (shown := " ".join(cell.split()))}
        self._num_headers += is_header and self._num_headers == len(self._rows)
        self._rows.append(TableRow(row, widths or {}))

    def above(self, column: int) -> str:
        """The text of a column in the last row, which a merged cell continues; empty if it is long."""
        text = self._rows[-1].cells.get(column, "") if self._rows else ""
        return text if len(text) <= LONGEST_NAME else ""

    def texts(self) -> Iterator[str]:
        """The text of each row that has one, and of what is above it; the names of columns are in those of the rows."""
        return (line.text for line in self.lines())

    def lines(self) -> Iterator[Line]:
        """The same, with what is above other rows told apart."""
        rows = [row for row in self._rows if row.cells]
        head = self._marked(rows) or head_of(rows, is_further=bool(self.names))
        if any(len(name) > LONGEST_NAME for row in rows[: head.num_rows] for name in row.cells.values()):
            head = Head()
        num_titles = head.num_titles or (0 if head.names else _num_alone(rows))
        titles, body = rows[:num_titles], [row.cells for row in rows[num_titles + head.num_rows :]]
        rest = [{0: group, **cells} if group else cells for group, cells in zip(groups_of(body), body, strict=True)]
        yield from _title([" ".join(row.cells.values()) for row in titles], TITLE if rest else ROW)
        if titles or head.names or not all(row.keys() <= self.names.keys() for row in rest):
            self.names = dict(head.names)
        columns = {*self.names, *map(min, rest)}
        last = max((number for number, row in enumerate(rest) if len(row) > 1), default=-1)
        for number, row in enumerate(rest):
            cells = list(row.values())
            if self.names and len(columns) >= _FEWEST_COLUMNS and len(cells) == 1 and min(row) == min(columns):
                yield Line(cells[0], GROUP if number < last and _may_be_title(cells[0]) else ROW)
            elif self.names:
                yield Line(row_text([self.names.get(at, "") for at in row], cells))
            else:
                yield Line(" ".join(cells))

    def _marked(self, rows: Sequence[TableRow]) -> Head | None:
        """The head that is marked, if there is one, and a row below it."""
        num_rows = self._num_headers
        if not 0 < num_rows < len(rows):
            return None
        num_titles = _num_alone(rows[:num_rows]) % num_rows
        if num_rows + 1 < len(rows) and goes_on_below(rows[num_rows - 1], rows[num_rows]):
            num_rows += 1
        return Head(num_titles, num_rows - num_titles, names_of(rows[num_titles:num_rows]))


class SheetRow(NamedTuple):
    """A row of a sheet with text.

    Attributes:
        number: of it in the sheet; between numbers that do not follow each other are empty rows.
        row: its cells.
    """

    number: int
    row: TableRow


def edges_apart(edges: Iterable[int], least: int) -> list[int]:
    """The edges between the columns or rows of a table whose cells say where they are, in order.

    Args:
        edges: of all cells.
        least: those that are as close, or closer, are one.
    """
    apart: list[int] = []
    for edge in sorted(set(edges)):
        if not apart or edge - apart[-1] > least:
            apart.append(edge)
    return apart


class SheetCells:
    """The cells of a sheet that is being read."""

    def __init__(self) -> None:
        self._rows: dict[int, dict[int, str]] = {}
        self._widths: dict[int, dict[int, int]] = {}
        self._num_merged = 0

    def add(self, row: int, column: int, text: str) -> None:
        """Adds a cell with text; its column is counted from 0."""
        self._rows.setdefault(row, {})[column] = text

    def value(self, row: int, column: int) -> str:
        """The text of a cell; empty if it has none."""
        return self._rows.get(row, {}).get(column, "")

    def first(self, row: int) -> str:
        """The text of the first cell of a row that has any, which as a rule names the row."""
        cells = self._rows.get(row, {})
        return cells[min(cells)] if cells else ""

    def merge(self, first: int, last: int, column: int, num_columns: int) -> None:
        """Repeats the text of a cell in those below that are merged with it; all cells have been added before.

        Args:
            first: the row of the cell.
            last: the last row that it covers.
            column: of the cell.
            num_columns: that it covers.
        """
        if column in self._rows.get(first, {}) and num_columns > 1:
            self._widths.setdefault(first, {})[column] = num_columns
        text = self._rows.get(first, {}).get(column, "")
        self._num_merged += last - first
        if not text or len(text) > LONGEST_NAME or self._num_merged > _MAX_MERGED:
            return
        for number in range(first + 1, last + 1):
            if number in self._rows:
                self._rows[number].setdefault(column, text)

    def rows(self) -> Iterator[SheetRow]:
        """The rows with text, in order."""
        return (SheetRow(at, TableRow(self._rows[at], self._widths.get(at, {}))) for at in sorted(self._rows))


def sheet_lines(rows: Iterable[SheetRow]) -> Iterator[Line]:
    """The lines of a sheet: of the tables in it, which empty rows separate, and of what stands alone above them.

    Args:
        rows: in order.
    """
    names: Mapping[int, str] = {}
    block: list[TableRow] = []
    apart: list[str] = []
    level = TITLE_APART
    last: int | None = None
    for number, row in chain(rows, [SheetRow(-1, TableRow({}))]):
        if last is not None and number != last + 1:
            if _num_alone(block) == len(block) and number >= 0:
                apart += (" ".join(cell.split()) for one in block for cell in one.cells.values())
                names = {}
            else:
                table = Table(names)
                for one in block:
                    table.add(one.cells, widths=one.widths)
                yield from _title(apart, level)
                yield from table.lines()
                names, apart, level = table.names, [], TITLE
            block = []
        block.append(row)
        last = number
    yield from map(Line, apart)


def _num_alone(rows: Sequence[TableRow]) -> int:
    """How many rows at the beginning have a single cell, which is above no group of columns."""
    return sum(1 for _ in takewhile(lambda row: len(row.cells) == 1 and not has_groups(row), rows))


def _title(lines: Sequence[str], level: int) -> Iterator[Line]:
    """The lines of a title as one; sentences and long lists are none."""
    title = [line for line in lines if _may_be_title(line)] if level and len(lines) <= _MOST_TITLES else []
    if title:
        yield Line(", ".join(title), level)
    yield from (Line(line) for line in lines if line not in title)


def _may_be_title(text: str) -> bool:
    return len(text) <= _LONGEST_TITLE and not text.endswith(_ENDS_A_SENTENCE) and not text.startswith(_BEGIN_A_NOTE)
