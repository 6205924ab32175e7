"""A table as HTML, in its own scrolling box."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hopweave.show.markup import Markup, folded, joined, tag
from hopweave.show.table import Number, Row, Table, TableCell, Words, plain_text

_PARTS = re.compile(r"[^_/+]*[_/+]+|[^_/+]+")


def table_html(table: Table) -> Markup:
    """The table with its caption and notes, collapsed to its title if that is allowed."""
    is_number = [column.align == "right" for column in table.columns]
    heads = [
        tag("th", _name(column.head), scope="col", class_="number" if right else "")
        for column, right in zip(table.columns, is_number, strict=True)
    ]
    rows = [_heading(row, len(heads)) if row.heading else tag("tr", *_cells(row, is_number)) for row in table.rows]
    inner = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="measured" if any(is_number) else "")
    box = tag("div", inner, class_="wide table", tabindex="0", role="region", aria_label=table.title or "table")
    below = [tag("p", words_html(table.caption), class_="caption")] if table.caption else []
    below += [tag("ul", *(tag("li", note) for note in table.notes), class_="bullets")] if table.notes else []
    if table.is_folded:
        return folded(table.title, box, *below, class_="folded")
    return joined([*([tag("h3", table.title, dir="auto")] if table.title else []), box, *below])


def words_html(words: Words) -> Markup:
    """A text with numbers in it."""
    return joined(part if isinstance(part, str) else part.text for part in words)


def _heading(row: Row, num_columns: int) -> Markup:
    return tag("tr", tag("th", tag("span", row.heading), colspan=str(num_columns), scope="colgroup"), class_="group")


def _cells(row: Row, is_number: Sequence[bool]) -> Iterator[Markup]:
    first, *others = row.cells
    yield tag("th", *_cell(first, is_name=True), scope="row", dir="auto")
    for cell, right in zip(others, is_number[1:], strict=True):
        is_absent = any(isinstance(part, Number) and part.value is None for part in cell.words)
        classes = [*(["number"] if right else []), *(["absent"] if is_absent else [])]
        yield tag("td", *_cell(cell), class_=" ".join(classes), dir="" if classes else "auto")


def _cell(cell: TableCell, *, is_name: bool = False) -> list[Markup]:
    said = _name(plain_text(cell.words)) if is_name else words_html(cell.words)
    said = tag("code", said) if cell.is_code else said
    return [said, *(tag("span", words_html(line), class_="below") for line in cell.below if line)]


def _name(name: str) -> Markup:
    """A name with possible line breaks after the characters that separate its words."""
    return joined(_PARTS.findall(name), Markup("<wbr>"))
