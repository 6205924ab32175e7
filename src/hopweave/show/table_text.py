"""A table as plain text: the same bytes on every terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from hopweave.show.plain import flat
from hopweave.show.table import Table, plain_text

TERMINAL_WIDTH = 118
_GAP = "  "


def table_lines(
    table: Table, *, rule: Literal["head", "title"] = "title", max_width: int | None = TERMINAL_WIDTH, indent: str = ""
) -> Iterator[str]:
    """Yields the lines of a table: title, head, rows, caption and notes.

    Args:
        table: the table to write.
        rule: what is underlined.
        max_width: the maximum width of a line, in characters; a wider table continues below, with the columns that name the row
            repeated. `None` sets no limit.
        indent: the text before each line of the head and the rows.
    """
    if table.title:
        yield from title_lines(table.title) if rule == "title" else (flat(table.title), "")
    lines = [[flat(cell.text) for cell in row.cells] if row.cells else flat(row.heading) for row in table.rows]
    heads = [flat(column.head) for column in table.columns]
    filled = [line for line in (heads, *lines) if not isinstance(line, str)]
    widths = [max(len(line[place]) for line in filled) for place in range(len(heads))]
    ruled = [heads, ["-" * width for width in widths]][: 2 if rule == "head" else 1] if any(heads) else []
    for number, places in enumerate(_parts(widths, table.num_labels, max_width)):
        if number:
            yield ""
        for line in (*ruled, *lines):
            yield f"{indent}{line if isinstance(line, str) else _padded(table, line, widths, places)}".rstrip()
    below = [*([flat(plain_text(table.caption))] if table.caption else []), *map(flat, table.notes)]
    if below:
        yield ""
        yield from (f"{_GAP}{line}" for line in below)


def title_lines(title: str) -> tuple[str, str]:
    """A title, underlined."""
    return flat(title), "-" * len(flat(title))


def _parts(widths: Sequence[int], num_labels: int, max_width: int | None) -> list[list[int]]:
    """The columns of each part: as many as fit next to each other."""
    every = list(range(len(widths)))
    if max_width is None or num_labels == len(widths):
        return [every]
    labels, room = every[:num_labels], max_width - sum(widths[place] + len(_GAP) for place in every[:num_labels])
    parts, left = [list(labels)], room
    for place in every[num_labels:]:
        needed = widths[place] + len(_GAP)
        if len(parts[-1]) > num_labels and needed > left:
            parts.append(list(labels))
            left = room
        parts[-1].append(place)
        left -= needed
    return parts


def _padded(table: Table, line: Sequence[str], widths: Sequence[int], places: Sequence[int]) -> str:
    return _GAP.join(
        line[place].ljust(widths[place]) if table.columns[place].align == "left" else line[place].rjust(widths[place])
        for place in places
    )
