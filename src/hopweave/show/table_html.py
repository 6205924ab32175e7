"""A table as HTML, in its own scrolling box; a narrow screen may show the cells of a table of texts one below the other."""

from __future__ import annotations

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.show.markup import Markup, folded, joined, tag
from hopweave.show.table import Number, Row, Table, TableCell, Words, plain_text

_PARTS = lazy_pattern(r"[^_/+]*[_/+]+|[^_/+]+")


def table_html(table: Table) -> Markup:
    """The table with its caption and notes, collapsed to its title if that is allowed."""
    is_measured = any(column.align == "right" for column in table.columns)
    heads = [
        tag("th", _name(column.head), scope="col", class_="number" if column.align == "right" else "")
        for column in table.columns
    ]
    rows = [_heading(row, len(heads)) if row.heading else _row(row, table, with_heads=not is_measured) for row in table.rows]
    inner = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="measured" if is_measured else "")
    kind = "wide table" if is_measured else "wide table texts"
    box = tag("div", inner, class_=kind, tabindex="0", role="region", aria_label=table.title or "table")
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


def _row(row: Row, table: Table, *, with_heads: bool) -> Markup:
    """A row; its cells name their column if they may be shown below each other."""
    first, *others = row.cells
    cells = [tag("th", *_cell(first, is_name=True), scope="row", dir="auto")]
    for cell, column in zip(others, table.columns[1:], strict=True):
        is_absent = any(isinstance(part, Number) and part.value is None for part in cell.words)
        classes = [*(["number"] if column.align == "right" else []), *(["absent"] if is_absent else [])]
        head = column.head if with_heads else ""
        cells.append(tag("td", *_cell(cell), class_=" ".join(classes), dir="" if classes else "auto", data_head=head))
    return tag("tr", *cells)


def _cell(cell: TableCell, *, is_name: bool = False) -> list[Markup]:
    said = _name(plain_text(cell.words)) if is_name else words_html(cell.words)
    said = tag("code", said) if cell.is_code else said
    return [said, *(tag("span", words_html(line), class_="below") for line in cell.below if line)]


def _name(name: str) -> Markup:
    """A name with possible line breaks after the characters that separate its words."""
    return joined(_PARTS.findall(name), Markup("<wbr>"))
