"""Tables of plain text that are drawn with lines, as databases, terminals and RFCs print them: each row becomes a text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.row_text import row_text

_BORDER = lazy_pattern(r"\+(?:[-=]+\+){2,}")
_FEWEST_BORDERS = 3
"""Around the names, and at the end."""
_SPLIT_WORD = lazy_pattern(r"(?<=[^\W_])- (?=[^\W\d_])")
_BOXES = str.maketrans(
    {
        **dict.fromkeys("│┃║", "|"),
        **dict.fromkeys("─━┄┅╌", "-"),
        "═": "=",
        **dict.fromkeys(map(chr, range(0x250C, 0x254C)), "+"),
    }
)
"""How signs for drawing boxes look on a typewriter."""
_BOXES.update(dict.fromkeys(range(0x2552, 0x256D), "+"))
_CORNERS = frozenset({"+", *(chr(sign) for sign, plain in _BOXES.items() if plain == "+")})


def rows_of_grid(block: Sequence[str]) -> list[str]:
    """A block of lines in which each row of a drawn table is a text with the names of its columns; nothing if it has no such.

    All lines of the table have the same columns, which a drawing has not, and the first row names them. Between two lines
    across stands one row, or all of them if there are lines across only around the names and at the end; there, a row whose
    first cell is empty goes on with the one above.

    >>> rows_of_grid(["+----+------+", "| id | lamp |", "+----+------+", "| 1  | lit  |", "| 2  | out  |", "+----+------+"])
    ['id: 1; lamp: lit.', 'id: 2; lamp: out.']
    """
    if sum(1 for line in block if line.lstrip()[:1] in _CORNERS) < _FEWEST_BORDERS:
        return []
    drawn = [line.strip().translate(_BOXES) for line in block]
    borders = [at for at, line in enumerate(drawn) if _BORDER.fullmatch(line)]
    if len(borders) < _FEWEST_BORDERS:
        return []
    first, last = borders[0], borders[-1]
    shape = _shape(drawn[first])
    cells = [_cells(line) for line in drawn[first : last + 1]]
    are_borders = set(borders)
    is_regular = all(
        _shape(line) == shape if at in are_borders else len(row) == len(shape) - 1
        for at, (line, row) in enumerate(zip(drawn[first : last + 1], cells, strict=True), start=first)
    )
    if not is_regular:
        return []
    between = [cells[above + 1 - first : below - first] for above, below in pairwise(borders)]
    num_head = next((number for number, at in enumerate(borders) if number and "=" in drawn[at]), 1)
    names = _joined([row for rows in between[:num_head] for row in rows])
    body = between[num_head:]
    rows = _in_one(body[0]) if len(body) == 1 else [_joined(rows) for rows in body if rows]
    if not rows or sum(map(bool, names)) < len(names) - 1 or not all(map(any, rows)):
        return []
    around = ["\n".join(lines) for lines in (block[:first], block[last + 1 :])]
    return [*filter(None, around[:1]), *(row_text(names, row) for row in rows), *filter(None, around[1:])]


def _shape(border: str) -> list[int]:
    """Where its columns end."""
    return [at for at, mark in enumerate(border) if mark == "+"]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line[1:-1].split("|")] if line[:1] == line[-1:] == "|" else []


def _joined(lines: Sequence[Sequence[str]]) -> list[str]:
    """The cells of a row of several lines; a word that ends one with a hyphen goes on in the next."""
    return [_SPLIT_WORD.sub("-", " ".join(filter(None, column))) for column in zip(*lines, strict=True)]


def _in_one(lines: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows without lines across between them: one in each line, or set apart by empty ones, or with empty first cells."""
    groups = [list(rows) for has_text, rows in groupby(lines, key=any) if has_text]
    if len(groups) > 1:
        return [_joined(rows) for rows in groups]
    rows: list[list[Sequence[str]]] = []
    for line in lines:
        if rows and not line[0]:
            rows[-1].append(line)
        elif any(line):
            rows.append([line])
    return [_joined(row) for row in rows]
