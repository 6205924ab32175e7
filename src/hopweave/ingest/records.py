"""Rows of files with many records: JSON, JSON lines, tab- or comma-separated."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from itertools import chain, islice, repeat, zip_longest
from typing import Any, NamedTuple, TypeGuard

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.visibility import ACCESS, METADATA
from hopweave.ingest.deadline import Check, no_check
from hopweave.ingest.file_bytes import OnGuess, open_text
from hopweave.ingest.formats import CorpusFile, Limits, OnBytes
from hopweave.ingest.json_stream import Item, JsonStream, load_json
from hopweave.ingest.office_tables import MAX_COLUMNS
from hopweave.ingest.table_heads import LONGEST_NAME, TableRow, are_names, head_of

TEXT_FIELDS = ("text", "contents", "content", "body", "passage", "paragraph_text")
"""The fields that hold the text of a record, unless another one is named."""

TITLE_FIELDS = ("title", "name")
"""The fields that hold the title of a record, unless another one is named."""
_FEWEST_CELLS = 2
_LONGEST_VALUE = 300
"""Characters of a text that is a cell of a table; a longer one is most likely the text of its record."""
_SEPARATORS = ",;\t|"
_SEPARATOR_LINE = lazy_pattern(r'"?sep=([,;\t|])"?\s*', re.IGNORECASE)
_LONGEST_HEAD = 1 << 20
"""Characters of the first line that separators are looked for in."""
_MAX_CELL_CHARACTERS = 1 << 24
_MOST_LOOKED_AT = 30
"""Lines below the first one by which the names of columns are told, if that looks like none."""


@dataclass(frozen=True, slots=True)
class Row:
    """A record as read from its file.

    Attributes:
        place: names it within its file, such as `line 3`.
        values: by the names of the fields.
        is_table: whether it is a row of a table whose columns have names, as far as can be told: those that the first lines
            of a CSV file give; in JSON, the fields of flat records, if the first one is flat and has no text.
        title: of the table, which stands above the names of its columns.
        num_records: how many records of the file it is; see `messages.conversations`.
    """

    place: str
    values: Mapping[str, Any]
    is_table: bool = False
    title: str = ""
    num_records: int = 1


def read_rows(
    file: CorpusFile, on_bytes: OnBytes, limits: Limits, check: Check = no_check, on_guess: OnGuess = None
) -> Iterator[Row]:
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
    return _told_tables((_read_json if file.suffix == ".json" else _read_json_lines)(file, on_bytes, limits, check))


def _told_tables(rows: Iterator[Row]) -> Iterator[Row]:
    """Rows of JSON, told whether they are those of a table."""
    is_table = None
    for row in rows:
        is_flat = _is_flat(row.values)
        if is_table is None:
            is_table = is_flat and not any(row.values.get(name) is not None for name in TEXT_FIELDS)
        yield replace(row, is_table=is_table and is_flat)


def _is_flat(values: Mapping[str, Any]) -> bool:
    """Whether a record has fields as a row of a table has cells: several, short, and none with fields of its own."""
    cells = [value for name, value in values.items() if name not in {METADATA, ACCESS} and value is not None]
    is_short = all(isinstance(cell, int | float) or (isinstance(cell, str) and len(cell) <= _LONGEST_VALUE) for cell in cells)
    return len(cells) >= _FEWEST_CELLS and is_short


def _read_json_lines(file: CorpusFile, on_bytes: OnBytes, limits: Limits, check: Check) -> Iterator[Row]:
    with open_text(file, on_bytes, limits, check=check) as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                row = _row(file, f"line {number}", load_json(line, f"{file.source}, line {number}"))
                yield _with_whole_text(row) if file.is_wiki else row


def _with_whole_text(row: Row) -> Row:
    """A row of HotpotQA's Wikipedia, whose text is a list of sentences, with the sentences as one text."""
    sentences = row.values.get("text")
    if not isinstance(sentences, list) or not all(isinstance(one, str) for one in sentences):
        return row
    return Row(row.place, {**row.values, "text": " ".join(stripped for one in sentences if (stripped := one.strip()))})


def _read_json(file: CorpusFile, on_bytes: OnBytes, limits: Limits, check: Check) -> Iterator[Row]:
    with open_text(file, on_bytes, limits, unit="row", check=check) as content:
        stream = JsonStream(content, file.source, limits)
        match stream.first():
            case "[":
                for item in stream.rows():
                    yield _row(file, f"record {item.number}", item.value)
            case "{":
                yield from _of_object(file, stream, limits)
            case "":
                return
            case _:
                raise DataError(f"{file.source} is neither a list nor an object; give a list of objects with a text each")
        stream.end()


def _of_object(file: CorpusFile, stream: JsonStream, limits: Limits) -> Iterator[Row]:
    """The rows of a JSON object: each member by its key, or the object itself, or those of the one list that it is around."""
    held: list[Item] = []
    length, is_record = 0, False
    members = stream.members()
    for item in members:
        held.append(item)
        length += len(item.text)
        is_record = is_record or not isinstance(item.value, Mapping)
        if length > limits.max_row_mib << 20:
            break
    if not is_record:
        for item in chain(held, members):
            yield _row(file, f"record {item.key!r}", item.value, item.key)
        return
    if length > limits.max_row_mib << 20:
        raise limits.too_long(f"the record of {file.source}", "max_row_mib")
    values = {item.key: item.value for item in held if item.key is not None}
    lists = [(key, value) for key, value in values.items() if is_list_of_objects(value)]
    if len(lists) == 1 and not any(values.get(name) for name in TEXT_FIELDS):
        [(key, rows)] = lists
        title = next((name for name in map(values.get, TITLE_FIELDS) if isinstance(name, str)), "")
        for number, row in enumerate(rows, start=1):
            yield replace(_row(file, f"record {number} of {key!r}", row), title=title.strip())
    else:
        yield _row(file, "the record", values)


def is_list_of_objects(value: object) -> TypeGuard[list[Mapping[str, Any]]]:
    """Whether a field of a record is a list of records, such as comments."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _row(file: CorpusFile, place: str, values: object, key: str | None = None) -> Row:
    if not isinstance(values, Mapping):
        raise DataError(f"{file.source}, {place} is {_kind(values)}, not an object; each record must be an object with a text")
    for what, fields in (("fields", values), ("values of metadata", values.get(METADATA))):
        if isinstance(fields, Mapping) and len(fields) > MAX_COLUMNS:
            raise _too_wide(f"{file.source}, {place}", fields, what, "leave out fields that hold no text, or split the record")
    return Row(place, values if key is None else {"id": key, **values})


def _too_wide(where: str, fields: Sized, what: str, remedy: str) -> DataError:
    return DataError(f"{where} has {len(fields):,} {what}, more than {MAX_COLUMNS:,}; {remedy}")


def _kind(value: object) -> str:
    names = {str: "a text", list: "a list", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


def _read_table(file: CorpusFile, on_bytes: OnBytes, limits: Limits, check: Check, on_guess: OnGuess) -> Iterator[Row]:
    # The limit applies to the whole process and is only ever raised. It bounds a quote that was opened by mistake.
    csv.field_size_limit(max(_MAX_CELL_CHARACTERS, csv.field_size_limit()))
    with open_text(file, on_bytes, limits, check=check, on_guess=on_guess) as content:
        lines = iter(content)
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
            yield Row(f"line {number}", dict(zip_longest(head.header, cells, fillvalue="")), head.is_table, head.title)
        if failure is not None:
            raise failure


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
        what = f"{file.source}, line {reader.line_num} cannot be split into columns: {error}"
        raise DataError(f"{what}; a text with quotation marks must be quoted, and its own marks doubled") from None


class _CsvHead(NamedTuple):
    """The first lines of a CSV file: how many they are, the names of the columns, and the title above these."""

    num_lines: int
    header: list[str]
    is_table: bool
    title: str = ""


def _opening(lines: Iterator[_Cells]) -> Iterator[_Cells]:
    """The lines by which the names of columns are told: the first one, if it looks like them, else those below it as well."""
    for at, line in enumerate(lines):
        yield line
        if at >= _MOST_LOOKED_AT or (at == 0 and are_names([name.strip() for name in line.cells])):
            return


def _head_of(opening: Sequence[_Cells], file: CorpusFile) -> _CsvHead:
    number, cells = opening[0]
    if len(cells) > MAX_COLUMNS:
        remedy = "leave out columns that hold no text, or split the table"
        raise _too_wide(f"{file.source}, line {number}", cells, "columns", remedy)
    first = [name.strip() for name in cells]
    if are_names(first):
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
    return _CsvHead(num_lines, header, is_table=True, title=title[:LONGEST_NAME])


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
    return len(next(csv.reader([line], delimiter=separator), []))


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
