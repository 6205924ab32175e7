"""CSV that no spreadsheet takes for a program: a text that would be read as a formula gets an apostrophe before it.

Numbers stay what they are; only texts are looked at.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TypeVar

# The last four are the first four as East Asian keyboards write them, which some spreadsheets take for the same.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")

Cell = TypeVar("Cell")


def harmless(cell: Cell) -> Cell | str:
    """A cell that no spreadsheet takes for a formula, nor for the end of its row: `csv` quotes one line end, not the other."""
    if not isinstance(cell, str):
        return cell
    text = f"'{cell}" if cell.startswith(_FORMULA) else cell
    return text.replace("\r\n", "\n").replace("\r", "\n")


def csv_text(rows: Iterable[Sequence[object]], *, line_end: str = "\n") -> str:
    """The rows as CSV (RFC 4180, but for its line ends, which are plain unless said otherwise)."""
    file = io.StringIO()
    csv.writer(file, lineterminator=line_end).writerows([harmless(cell) for cell in row] for row in rows)
    return file.getvalue()
