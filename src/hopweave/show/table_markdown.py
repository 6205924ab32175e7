"""A table as GitHub Flavored Markdown, and the escaping of any text for it."""

from __future__ import annotations

from collections.abc import Iterator

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.show.plain import one_line
from hopweave.show.table import Row, Table, TableCell, Words, plain_text

_SPECIAL = lazy_pattern(
    r"\\(?=[!-/:-@\[-`{-~]|$)|[`{}$\[\]]"
    r"|(?<!\s)\*|\*(?!\s)|(?<![^\W_])_|_(?![^\W_])|(?<=\S)~|~(?=~)"  # around words, these are marks of emphasis
    r"|<(?=\S)|^>|&(?=#?\w+;)|(?<!\S)#"
)
"""What Markdown takes for more than the sign that it is, by what is around it: `a < b & c` is text as it is."""

_IN_BRACKETS = lazy_pattern(r"\[(?![ xX]\]|\^)[^\[\]]*\](?![\[(:])")
"""Brackets that are text, such as `[0.2, 0.4]` and `hopweave[eval]`: no link, no name of one, no box to tick, no footnote."""
_MARK = lazy_pattern(r"^(\d+)([.)])(?=\s|$)|^([-+](?=\s|$)|[-=](?=[-=\s]*$))")
"""The start of a list item, or a line that turns the line above it into a heading; a sign before a number is neither."""

_BAR = "&#124;"
"""A bar always ends a cell, in some dialects even after a backslash."""


def escape(text: str) -> str:
    """A text on one line, with Markdown and HTML escaped where it would be taken for such."""
    line = one_line(text)
    plain = {at for pair in _IN_BRACKETS.finditer(line) for at in (pair.start(), pair.end() - 1)}
    said = _SPECIAL.sub(lambda sign: sign[0] if sign.start() in plain else rf"\{sign[0]}", line).replace("|", _BAR)
    return _MARK.sub(lambda mark: rf"{mark[1]}\{mark[2]}" if mark[1] else rf"\{mark[3]}", said)


def escape_words(words: Words) -> str:
    """A text with numbers, escaped in the same way."""
    return escape(plain_text(words))


def table_markdown(table: Table) -> Iterator[str]:
    """Yields the lines of a table: title, head, rows, caption and notes."""
    if table.title:
        yield from (f"{escape(table.title)}:" if table.is_folded else f"## {escape(table.title)}", "")
    yield _line([escape(column.head) for column in table.columns])
    yield f"|{'|'.join('---:' if column.align == 'right' else '---' for column in table.columns)}|"
    yield from (_line(_cells(row, len(table.columns))) for row in table.rows)
    if table.caption:
        yield from ("", escape_words(table.caption))
    if table.notes:
        yield from ("", *(f"- {escape(note)}" for note in table.notes))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(row: Row, num_columns: int) -> list[str]:
    if row.heading:
        return [f"**{escape(row.heading)}**", *[""] * (num_columns - 1)]
    return [_cell(cell) for cell in row.cells]


def _cell(cell: TableCell) -> str:
    said = _code(plain_text(cell.words)) if cell.is_code else escape_words(cell.words)
    return "<br>".join([said, *(escape_words(line) for line in cell.below if line)])


def _code(text: str) -> str:
    """Code in a table: a bar would end the cell, and a backtick the code."""
    return f"`{one_line(text)}`" if not set("`|") & set(text) and text.strip() else escape(text)
