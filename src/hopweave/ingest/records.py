"""Rows of files with many records: JSON, JSON lines, tab- or comma-separated."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from io import BufferedReader
from itertools import chain, groupby, islice, repeat, zip_longest
from typing import NamedTuple, cast

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.file_bytes import OnGuess, open_text
from hopweave.ingest.formats import CorpusFile, Limits, OnBytes
from hopweave.ingest.json_records import read_json, read_json_lines
from hopweave.ingest.office_tables import MAX_COLUMNS
from hopweave.ingest.reasons import Unreadable
from hopweave.ingest.row import Row, too_wide
from hopweave.ingest.table_heads import LONGEST_NAME, TableRow, are_names, head_of

_FEWEST_CELLS = 2
_SEPARATORS = ",;\t|"
_SEPARATOR_LINE = lazy_pattern(r'"?sep=([,;\t|])"?\s*', re.IGNORECASE)
_RETURN_FIRST = lazy_pattern(rb'(?:[^"\r\n]++|"[^"]*+")*+\r++[^\n]')
"""The first line, which ends with a carriage return alone, as of the classic Mac OS: so do all others."""
_OF_RETURN = "new-line"
"""In what the parser says of a carriage return within a line."""
_LONGEST_HEAD = 1 << 20
"""Characters of the first line that separators are looked for in."""
_MAX_CELL_CHARACTERS = 1 << 24
_MOST_LOOKED_AT = 30
"""Lines below the first one by which the names of columns are told, if that looks like none."""


def read_rows(file: CorpusFile, on_bytes: OnBytes, limits: Limits, check: Check, on_guess: OnGuess = None) -> Iterator[Row]:
    """The rows of a file, one at a time.

    Args:
        file: the file.
        on_bytes: see `open_text`.
        limits: on its length and that of its rows.
        check: called for every piece of the file.
        on_guess: for tables, as for `open_text`; records of JSON are always in Unicode.

    Raises:
        DataError: for a file that cannot be read, has the wrong format, contains something other than objects, or has more
            than `MAX_COLUMNS` in one of them.
    """
    if file.suffix in {".tsv", ".csv"}:
        return _read_table(file, on_bytes, limits, check, on_guess)
    return (read_json if file.suffix == ".json" else read_json_lines)(file, on_bytes, limits, check)


def _read_table(file: CorpusFile, on_bytes: OnBytes, limits: Limits, check: Check, on_guess: OnGuess) -> Iterator[Row]:
    # The limit applies to the whole process and is only ever raised. It bounds a quote that was opened by mistake.
    csv.field_size_limit(max(_MAX_CELL_CHARACTERS, csv.field_size_limit()))
    with open_text(file, on_bytes, limits, unit="row", check=check, on_guess=on_guess) as content:
        if _RETURN_FIRST.match(cast("BufferedReader", content.buffer).peek()):
            content.reconfigure(newline="\r")
        lines = iter(
            partial(content.readline, (limits.max_row_mib << 20) + 1), ""
        )  # of which `_HeldLines` refuses a longer one
        num_blank, first = 0, next(lines, "")
        while first and not first.strip():
            num_blank, first = num_blank + 1, next(lines, "")
        below = list(islice(lines, _MOST_LOOKED_AT))
        separator = _separator_of(first, below) if file.suffix == ".csv" else "\t"
        if _SEPARATOR_LINE.fullmatch(first):
            num_blank, first = num_blank + 1, ""
        held = _HeldLines(chain(repeat("\n", num_blank), filter(None, [first]), below, lines), file, limits)
        lines_of_cells = _lines_of_cells(held, separator, file)
        opening: list[_Cells] = []
        failure: DataError | None = None
        try:
            opening += _opening(lines_of_cells)
        except DataError as error:  # the rows before it come first
            failure = error
        head = _head_of(opening, file) if opening else _CsvHead(0, [], is_table=False)
        width = len(head.header)
        for number, cells in chain(opening[head.num_lines :], lines_of_cells):
            # Some programs leave out empty cells at the end of a row. A single one is rather a line that was broken in two.
            if not min(_FEWEST_CELLS, width) <= len(cells) <= width:
                raise DataError(
                    f"{file.source}, line {number} has {len(cells)} columns and the header has {width}; "
                    "correct the line, or quote a text that contains the separator"
                )
            yield Row(f"line {number}", _by_name(head.header, cells), head.is_table, head.titles)
        if failure is not None:
            raise failure


def _by_name(header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """The cells of a line by the names of their columns; those of columns of one name are joined."""
    if len(set(header)) == len(header):
        return dict(zip_longest(header, cells, fillvalue=""))
    joined: dict[str, str] = dict.fromkeys(header, "")
    for name, cell in zip_longest(header, cells, fillvalue=""):
        joined[name] = "; ".join(filter(None, [joined[name], cell.strip()]))
    return joined


class _Cells(NamedTuple):
    """A line of a table in cells, with the number of the line at which it ends."""

    number: int
    cells: list[str]


def _lines_of_cells(held: _HeldLines, separator: str, file: CorpusFile) -> Iterator[_Cells]:
    reader = csv.reader(held, delimiter=separator, strict=True)
    try:
        for cells in reader:
            held.row_ends()
            if cells:
                yield _Cells(reader.line_num, cells)
    except csv.Error as error:
        what = f"{file.source}, line {reader.line_num} cannot be split into columns"
        if _OF_RETURN in str(error):
            raise Unreadable(f"{what}: a carriage return stands in it; remove it, or quote the text that contains it") from None
        raise Unreadable(f"{what}: {error}; a text with quotation marks must be quoted, and its own marks doubled") from None


class _CsvHead(NamedTuple):
    """The first lines of a CSV file: how many they are, the names of the columns, and the title above these."""

    num_lines: int
    header: list[str]
    is_table: bool
    titles: tuple[str, ...] = ()


def _opening(lines: Iterator[_Cells]) -> Iterator[_Cells]:
    """The lines by which the names of columns are told: the first one, if it looks like them, else those below it as well."""
    for at, line in enumerate(lines):
        yield line
        if at >= _MOST_LOOKED_AT or (at == 0 and are_names([name for name, _ in groupby(map(str.strip, line.cells))])):
            return


def _head_of(opening: Sequence[_Cells], file: CorpusFile) -> _CsvHead:
    number, cells = opening[0]
    if len(cells) > MAX_COLUMNS:
        remedy = "leave out columns that hold no text, or split the table"
        raise too_wide(f"{file.source}, line {number}", cells, "columns", remedy)
    first = [name.strip() for name in cells]
    if are_names([name for name, _ in groupby(first)]):  # trackers of tasks give each comment a column of its own
        return _CsvHead(1, first, is_table=True)
    rows = [TableRow({at: " ".join(cell.split()) for at, cell in enumerate(line.cells) if cell.strip()}) for line in opening]
    told = [at for at, row in enumerate(rows) if row.cells]
    head = head_of([rows[at] for at in told])
    if not head.names:
        return _CsvHead(1, first, is_table=False)
    num_lines = told[head.num_titles + head.num_rows]
    width = max(len(line.cells) for line in opening[:num_lines])
    # Only the first column may go without a name; of any other, nothing that may stand there further down is lost.
    header = [head.names.get(at, f"column {at + 1}" if at else "") for at in range(width)]
    title = ", ".join(cell for at in told[: head.num_titles] for cell in rows[at].cells.values())
    return _CsvHead(num_lines, header, is_table=True, titles=(title[:LONGEST_NAME],) if title else ())


def _separator_of(first: str, below: Sequence[str]) -> str:
    """What separates the columns: what a line `sep=;` of Excel says, else what makes most columns of the first line.

    Where a comma stands in numbers, programs write semicolons. A first line without any of them is a title.
    """
    if said := _SEPARATOR_LINE.fullmatch(first):
        return said[1]
    for line in (first, *below):
        nums = {separator: _num_columns(line[:_LONGEST_HEAD], separator) for separator in _SEPARATORS}
        if max(nums.values()) > 1:
            return max(nums, key=lambda separator: nums[separator])
    return _SEPARATORS[0]


def _num_columns(line: str, separator: str) -> int:
    """How many columns a line has; none if it cannot be split into columns, which reading it says."""
    try:
        return len(next(csv.reader([line], delimiter=separator), []))
    except csv.Error:
        return 0


class _HeldLines:
    """Lines, limited to the length of a row: quoted cells may span any number of lines."""

    def __init__(self, lines: Iterable[str], file: CorpusFile, limits: Limits) -> None:
        self._lines = iter(lines)
        self._file = file
        self._limits = limits
        self._length = self._line = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._line += 1
        self._length += len(line)
        if self._length > self._limits.max_row_mib << 20:
            raise self._limits.too_long(f"{self._file.source}, the row up to line {self._line}", "max_row_mib")
        return line

    def row_ends(self) -> None:
        """The next line starts a row."""
        self._length = 0
