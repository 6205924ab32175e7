"""CSV that is safe to open in a spreadsheet: a text that would be read as a formula gets an apostrophe before it.

Numbers are not changed.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TypeVar

from hopweave.show.table import Number, Table, TableCell

# The last four are full-width forms of the first four, which some spreadsheets treat alike.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")

Field = TypeVar("Field")


def harmless(cell: Field) -> Field | str:
    """A cell that no spreadsheet reads as a formula or as the end of its row: `csv` quotes only one kind of line end."""
    if not isinstance(cell, str):
        return cell
    text = f"'{cell}" if cell.startswith(_FORMULA) else cell
    return text.replace("\r\n", "\n").replace("\r", "\n")


def csv_text(rows: Iterable[Sequence[object]], *, line_end: str = "\n") -> str:
    """The rows as CSV (RFC 4180, except that lines end with LF by default)."""
    file = io.StringIO()
    csv.writer(file, lineterminator=line_end).writerows([harmless(cell) for cell in row] for row in rows)
    return file.getvalue()


def table_csv(table: Table) -> str:
    """The table as CSV, with a header row: a number with all its digits, no data as an empty field."""
    heads = [column.head for column in table.columns]
    return csv_text([heads, *([_field(cell) for cell in row.cells] for row in table.rows if row.cells)])


def _field(cell: TableCell) -> object:
    if len(cell.words) == 1 and isinstance(number := cell.words[0], Number):
        return number.value
    return cell.text
