"""Tables of documents: each row becomes a text that can be read without the others, with the names of its columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, takewhile

from hopweave.ingest.document import row_text

MAX_COLUMNS = 16_384
"""Maximum columns of a table, fields of a record, and values of its metadata: the width of a sheet in Excel and LibreOffice."""

LONGEST_NAME = 200
"""Characters of what several rows repeat: the name of a column, and the text of a cell that is merged with those below."""
_NO_NAME = re.compile(r"|[\d.,:/+%-]+|.{100,}", re.DOTALL)
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"[-+(]?\s?[$£€]?\s?\d[\d.,:/\s-]*[%$£€]?\)?")


def are_names(cells: Sequence[str]) -> bool:
    """Whether the first row of a table looks like names of columns, and not like its first row of values."""
    return len(cells) > 1 and len(set(cells)) == len(cells) and not any(_NO_NAME.fullmatch(cell) for cell in cells)


class Table:
    """A table that is being read, row by row.

    The first row names the columns if it is marked as a header; also if it looks like names and there are more than two
    columns, or numbers below it: a table of two columns of words may as well be a list of terms.

    Args:
        names: of the columns of a table that this one goes on with, unless it names its own.

    Attributes:
        names: of its columns, once its texts have been taken.
    """

    def __init__(self, names: Mapping[int, str] | None = None) -> None:
        self.names = dict(names or {})
        self._rows: list[dict[int, str]] = []
        self._num_headers = 0

    def add(self, cells: Mapping[int, str], *, is_header: bool = False) -> None:
        """Adds a row.

        Args:
            cells: their text by the number of the column, from 0; those without text are left out.
            is_header: whether it is marked as naming the columns.
        """
        row = {at: shown for at, cell in sorted(cells.items()) if (shown := " ".join(cell.split()))}
        self._num_headers += is_header and self._num_headers == len(self._rows)
        self._rows.append(row)

    def above(self, column: int) -> str:
        """The text of a column in the last row, which a merged cell continues; empty if it is long."""
        text = self._rows[-1].get(column, "") if self._rows else ""
        return text if len(text) <= LONGEST_NAME else ""

    def texts(self) -> Iterator[str]:
        """The text of each row that has one; the header is in those of the others."""
        rows = list(filter(None, self._rows))
        num_headers = self._num_headers or int(_names_columns(rows, is_further=bool(self.names)))
        if num_headers >= len(rows) or any(len(name) > LONGEST_NAME for row in rows[:num_headers] for name in row.values()):
            num_headers = 0
        if num_headers or not all(row.keys() <= self.names.keys() for row in rows):
            self.names.clear()
        for row in rows[:num_headers]:
            for at, name in row.items():
                self.names[at] = f"{self.names[at]} {name}"[:LONGEST_NAME] if at in self.names else name
        for row in rows[num_headers:]:
            cells = list(row.values())
            yield row_text([self.names.get(at, "") for at in row], cells) if self.names else " ".join(cells)


def sheet_texts(rows: Iterable[tuple[int, Mapping[int, str]]]) -> Iterator[str]:
    """The texts of a sheet: of the tables in it, which empty rows separate, and of what stands alone above them.

    Args:
        rows: with text, in order, each with its number.
    """
    names: Mapping[int, str] = {}
    last: int | None = None
    block: list[Mapping[int, str]] = []
    for number, row in chain(rows, [(-1, {})]):
        if last is not None and number != last + 1:
            alone = list(takewhile(lambda one: len(one) == 1, block))
            yield from (" ".join(cell.split()) for one in alone for cell in one.values())
            table = Table({} if alone else names)
            for one in block[len(alone) :]:
                table.add(one)
            yield from table.texts()
            names = table.names
            block = []
        block.append(row)
        last = number


def _names_columns(rows: Sequence[Mapping[int, str]], *, is_further: bool) -> bool:
    """Whether the first of some rows looks like the names of their columns; the first column may be without one.

    Args:
        rows: of a table.
        is_further: whether there is a table with names above it, which words may go on with.
    """
    if len(rows) < 2:
        return False
    first, *others = rows
    if not set().union(*others) <= {0, *first}:
        return False
    has_numbers = any(_are_numbers([row[at] for row in others if at in row]) for at in first)
    words = [name for name in first.values() if not _YEAR.fullmatch(name)]
    if len(words) < len(first):  # such as `town, 2023, 2024` above numbers
        return has_numbers and (0 not in first or first[0] in words) and len(set(first.values())) == len(first)
    return are_names(words) and (has_numbers or (len(first) > 2 and not is_further))


def _are_numbers(cells: Sequence[str]) -> bool:
    """Whether all cells of a column are numbers or dates, and not all of them years."""
    return all(map(_NUMBER.fullmatch, cells)) and not all(map(_YEAR.fullmatch, cells))
