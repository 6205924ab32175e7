"""Tables of plain text, whose columns are set apart by blanks or bars: rows become texts with the names of their columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, groupby, takewhile

from hopweave.ingest.document import PARAGRAPH, row_text
from hopweave.ingest.table_heads import TableRow, head_of, is_period

_GAP = re.compile(r"\s{2,}|\t")
_RULE = re.compile(r"[\s=+|:_–—-]+")
_HAS_DIGIT = re.compile(r"\d")
_FEWEST_COLUMNS, _FEWEST_ROWS = 3, 2
"""Of a table: two columns, or a single row below the names, may as well be anything else that is set apart."""


def with_rows(text: str) -> str:
    r"""A text in which each row of a table is a paragraph with the names of its columns.

    A table is lines without an empty one between them that all have as many cells, the first of which names columns with
    numbers below it. All other lines are as they were.

    >>> print(with_rows("Pier   2021   2024\nP1     0.12   0.15\nP2     0.26   0.31"))
    Pier: P1; 2021: 0.12; 2024: 0.15.
    <BLANKLINE>
    Pier: P2; 2021: 0.26; 2024: 0.31.
    """
    blocks = ([*lines] for _, lines in groupby(text.split("\n"), key=lambda line: bool(line.strip())))
    return "\n".join(chain.from_iterable(_read(block) for block in blocks))


def _read(block: Sequence[str]) -> Sequence[str]:
    """The lines of a block, or what is read of them if they are a table."""
    lines = [line for line in block if not _RULE.fullmatch(line)]
    if len(lines) < _FEWEST_ROWS + 1 or not _HAS_DIGIT.search(lines[-1]):
        return block
    cells = [_cells(line) for line in lines]
    title = [line.strip() for line, _ in takewhile(lambda one: len(one[1]) == 1, zip(lines, cells, strict=True))]
    rows = cells[len(title) :]
    if len(rows) < _FEWEST_ROWS + 1 or len(rows[-1]) < _FEWEST_COLUMNS or len(title) > 1:
        return block
    if len(rows[0]) == len(rows[-1]) - 1:
        rows[0] = ["", *rows[0]]  # the first column has no name
    if any(len(row) != len(rows[-1]) for row in rows):
        return block
    told = [TableRow({at: cell for at, cell in enumerate(row) if cell}) for row in rows]
    head = head_of(told)
    has_names = all(cell[0].isalpha() or is_period(cell) for cell in filter(None, rows[0]))
    if head.num_titles or head.num_rows != 1 or not has_names or not any(_HAS_DIGIT.match(cell) for cell in rows[-1]):
        return block
    names = [head.names.get(at, "") for at in range(len(rows[0]))]
    return PARAGRAPH.join([*title, *(row_text(names, row) for row in rows[1:])]).split("\n")


def _cells(line: str) -> list[str]:
    said = line.strip()
    if said.count("|") > 1:
        return [cell.strip() for cell in said.strip("|").split("|")]
    return _GAP.split(said)
