"""The lists and tables that a model writes, in Markdown or plainly: their items, and the cells of their rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.matching import is_yes_or_no

_ITEM = lazy_pattern(
    r"(?P<blanks>[ \t]*+)(?:(?P<number>\d{1,2})[.)]|\([a-z\d]{1,2}\)|[a-z]\)|(?P<bullet>[-*+•◦▪‣–]))[ \t]++(?P<words>\S.*+)"
)
_CELL_END = lazy_pattern(r"(?<!\\)\|")
_SMALL_WORDS = "a an and at by de del der des di du for from in la le of on the to van von"
_SMALL = frozenset(_SMALL_WORDS.split())
"""Words in small letters that names have."""
_FEWEST_OF_A_SENTENCE = 4
_LONGEST_LINE = 6
"""The most words of a line that is an item though it has no mark."""


class TableLine(NamedTuple):
    """A line of a table in a text.

    Attributes:
        span: where it is, without white space around it.
        said: what it says, as `city: Ulm; river: Danube.`; empty for the header and the rule below it.
        end: where its last cell ends in the text.
    """

    span: Span
    said: str
    end: int


def rows_in(text: str) -> tuple[tuple[str, ...], ...]:
    r"""The rows of the table, or the items of the list, with which a text begins, or which its first line announces.

    An item is a row of one cell. The header of a table is left out, and so is what stands below an item of a list, unless that
    ends with a colon. If the first item is no sentence and others are, they are its reasons, and it is the only one. A single
    item has a bullet or is announced: a number is part of a name (`1. FC Köln`). A name with a colon announces nothing.

    >>> rows_in("Two lamps:\n1. Sula\n2. Orlau"), rows_in("| lamp | year |\n|---|---|\n| Sula | 1887 |")
    ((('Sula',), ('Orlau',)), (('Sula', '1887'),))
    >>> rows_in("Sula\n- It is the oldest lamp."), rows_in("- Sula\n- It is the oldest lamp.")
    ((), (('Sula',),))
    """
    lines = [line.replace("**", "").rstrip() for line in text.splitlines() if line.strip()]
    for is_announced in (False, True):
        rest = lines[is_announced:]
        rows = tuple(_rows_of_table(rest)) or tuple((item,) for item in _items(rest, is_announced=is_announced))
        if rows:
            return rows if not is_announced or _announces(lines[0], len(rows)) else ()
    return ()


def short_lines(text: str) -> tuple[str, ...]:
    r"""The lines of a text of several short ones, none of which is a sentence or announces others; none of any other text.

    >>> short_lines("Sula\nOrlau"), short_lines("Sula\nIt is the oldest lamp.")
    (('Sula', 'Orlau'), ())
    """
    lines = tuple(line.strip() for line in text.splitlines() if line.strip())
    are_short = all(len(line.split()) <= _LONGEST_LINE and not line.endswith((".", "!", "?", ":")) for line in lines)
    return lines if len(lines) > 1 and are_short else ()


def _announces(line: str, num_rows: int) -> bool:
    """Whether a line announces a list: it ends with a colon, and is no name or value, nor a yes or a no with its reasons."""
    said = line.strip("*_# \t")
    head = said[:-1]
    if not said.endswith((":", "：")) or is_yes_or_no(head):
        return False
    first, *others = head.split() or [""]
    if first.isdigit():
        return int(first) == num_rows and bool(others)
    return any(word[0].islower() and word not in _SMALL for word in (first, *others) if word)


def _items(lines: Sequence[str], *, is_announced: bool) -> list[str]:
    first = _ITEM.match(lines[0]) if lines else None
    if first is None or first["number"] not in {None, "1"}:
        return []
    items = list(_items_like(first, lines))
    if len(items) == 1 and not is_announced and (first["bullet"] is None or items[0][0].isdigit()):
        return []
    has_reasons = not _is_sentence(items[0]) and any(map(_is_sentence, items[1:]))
    return items[:1] if has_reasons else items


def _items_like(first: re.Match[str], lines: Sequence[str]) -> Iterator[str]:
    """Yields the items of the list that begins with a first one, and what is below an item that ends with a colon.

    Numbered ones count up, and may have any other lines between them.
    """
    depth, is_numbered, num, leads = len(first["blanks"]), first["number"] is not None, 0, False
    for line in lines:
        one = _ITEM.match(line)
        if one is not None and len(one["blanks"]) <= depth and is_numbered == (one["number"] is not None):
            if is_numbered and int(one["number"]) != num + 1:
                return
            num, leads = num + 1, one["words"].endswith(":")
            yield one["words"]
        elif one is not None and (is_numbered or len(one["blanks"]) > depth):
            if leads:
                yield one["words"]
        elif not is_numbered and not line[0].isspace():
            return


def _is_sentence(item: str) -> bool:
    return item.endswith(".") and len(item.split()) >= _FEWEST_OF_A_SENTENCE


def _rows_of_table(lines: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yields the rows of the table that begins with a line, without its header and without empty cells."""
    num = next((number for number, line in enumerate(lines) if "|" not in line), len(lines))
    if not _is_table(lines[:num]):
        return
    begin = 2 if _is_rule(lines[1]) and num > 2 else 0
    for line in lines[begin:num]:
        if not _is_rule(line) and (cells := tuple(filter(None, _cells(line)))):
            yield cells


def table_lines(text: str) -> list[TableLine]:
    r"""The lines of the tables in a text, in order.

    >>> [line.said for line in table_lines("It is so:\n\n| city | river |\n|---|---|\n| Ulm | Danube |\n\nThat is all.")]
    ['', '', 'city: Ulm; river: Danube.']
    """
    found: list[TableLine] = []
    spans: list[Span] = []
    start = 0
    for line in [*(text.splitlines(keepends=True) if "|" in text else ()), "\n"]:
        begin = start + len(line) - len(line.lstrip())
        if "|" in line:
            spans.append(Span(begin, begin + len(line.strip())))
        else:
            found += _lines_of_table(text, spans)
            spans = []
        start += len(line)
    return found


def _lines_of_table(text: str, spans: Sequence[Span]) -> Iterator[TableLine]:
    lines = [text[span.start : span.end] for span in spans]
    if not _is_table(lines):
        return
    names = _cells(lines[0]) if _is_rule(lines[1]) else []
    for number, (span, line) in enumerate(zip(spans, lines, strict=True)):
        is_row = not _is_rule(line) and (number > 0 or not names)
        yield TableLine(span, _named(names, _cells(line)) if is_row else "", span.start + len(line.rstrip("| \t")))


def _named(names: Sequence[str], cells: Sequence[str]) -> str:
    """The cells of a row, each after the name of its column if there is one."""
    if not names:
        return " | ".join(filter(None, cells))
    columns = [*names, *[""] * (len(cells) - len(names))]
    said = (f"{name}: {cell}" if name else cell for name, cell in zip(columns, cells, strict=False) if cell)
    return f"{'; '.join(said).rstrip('.')}."


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELL_END.split(line.strip().removeprefix("|").removesuffix("|"))]


def _is_table(lines: Sequence[str]) -> bool:
    """Whether lines with bars are a table: the second is a rule, or all begin and end with a bar."""
    return len(lines) > 1 and (
        _is_rule(lines[1]) or all(line.lstrip().startswith("|") and line.rstrip().endswith("|") for line in lines)
    )


def _is_rule(line: str) -> bool:
    """Whether a line is what separates the header of a table from its rows: `|:---|---|`."""
    said = line.strip()
    return "-" in said and "|" in said and set(said) <= set("|:- \t")
