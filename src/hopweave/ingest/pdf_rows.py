"""Puts the tables of a page of a PDF into its text: each row is a paragraph with the names of its columns.

The words of a page and its text come from two libraries. They have the same letters in the same order, but for a few pages; a
table stays as it is in the text if it stands where they differ.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, takewhile
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.document import PARAGRAPH
from hopweave.ingest.office_tables import Table
from hopweave.ingest.page_breaks import FULL_LINE
from hopweave.ingest.pdf_layout import Rule, Word
from hopweave.ingest.pdf_tables import Found, tables_on
from hopweave.ingest.running_lines import MOST_LINES

_HYPHENS = frozenset("\xad\x02\ufffe\u2010\u2011")
_LONGEST_CAPTION = 150
_CAPTION = lazy_pattern(r"(?:table|tab\.|tabelle|tableau|tabla|tabela|tabella|таблица|表)\s*[\dIVX]", re.IGNORECASE)


class Open(NamedTuple):
    """A table that the next page may go on with: its place, and the names of its columns."""

    table: Found
    names: Mapping[int, str]


def with_rows(text: str, words: Sequence[Word], rules: Iterable[Rule], before: Open | None) -> tuple[str, Open | None]:
    """The text of a page with its tables as rows, and the table at its end.

    Args:
        text: of the page, a line of it on each line.
        words: of the page, in the order of the text.
        rules: of the page.
        before: the table at the end of the page before.
    """
    tables = tables_on(words, rules, before.table if before is not None else None)
    places = _places(text, words) if tables else []
    last: Open | None = None
    written: list[tuple[list[int], Sequence[str]]] = []
    for table in tables:
        goes_on = before is not None and not table.names
        if goes_on and (table is not tables[0] or _num_lines(words, table, is_above=True) > MOST_LINES):
            continue
        letters = [at for number in table.words for at in places[number]]
        if not letters or -1 in letters:
            continue
        read = Table(before.names if before is not None and goes_on else None)
        if table.names:
            read.add({at: name.rstrip(": ") for at, name in enumerate(table.names)}, is_header=True)
        for row in table.rows:
            read.add(row)
        written.append((letters, list(read.texts())))
        last = Open(table, read.names)
    if last is not None and _num_lines(words, last.table, is_above=False) > MOST_LINES:
        last = None
    return _replaced(text, written), last


def _num_lines(words: Sequence[Word], table: Found, *, is_above: bool) -> int:
    """The lines above or below a table."""
    tops = sorted(
        word.top
        for word in words
        if word.right > word.left and (word.bottom <= table.top if is_above else word.top >= table.bottom)
    )
    return sum(1 for number, top in enumerate(tops) if not number or top - tops[number - 1] > 2.0)


def _replaced(text: str, written: Sequence[tuple[list[int], Sequence[str]]]) -> str:
    """A text in which some letters are replaced by paragraphs, at the first of them."""
    rows_at = {min(letters): rows for letters, rows in written}
    dropped = {at for letters, _ in written for at in letters}
    if not dropped:
        return text
    longest = max(map(len, text.split("\n")))
    pieces: list[str] = []
    line, is_emptied = "", False
    for at, character in enumerate(text):
        if at in rows_at:
            pieces.append(line)
            line = ""
            _part_caption(pieces, longest)
            pieces += ["", *PARAGRAPH.join(rows_at[at]).split("\n"), ""]
        if character == "\n":
            pieces += [] if is_emptied and not line.strip() else [line]
            line, is_emptied = "", False
        elif at in dropped:
            is_emptied = True
        else:
            line += character
    return "\n".join(pieces if is_emptied and not line.strip() else [*pieces, line])


def _part_caption(lines: list[str], longest: int) -> None:
    """Makes the last line a paragraph of its own, unless the one before goes on in it."""
    while lines and not lines[-1].strip():
        lines.pop()
    if len(lines) < 2 or len(lines[-1]) > _LONGEST_CAPTION:
        return
    before = lines[-2].strip()
    goes_on = before and before[-1] not in ".:;!?" and len(before) >= FULL_LINE * longest
    if before and (not goes_on or _CAPTION.match(lines[-1].strip())):
        lines.insert(-1, "")


def _places(text: str, words: Sequence[Word]) -> list[list[int]]:
    """Where the letters of each word stand in a text; -1 for those that it does not have at this place."""
    there = [(one, at) for at, character in enumerate(text) for one in _letters(character)]
    drawn = [one for word in words for character in word.text for one in _letters(character)]
    num_alike = sum(1 for _ in takewhile(lambda pair: pair[0][0] == pair[1], zip(there, drawn, strict=False)))
    pairs = zip(reversed(there), reversed(drawn), strict=False)
    num_alike_at_end = sum(1 for _ in takewhile(lambda pair: pair[0][0] == pair[1], pairs))
    further = len(there) - len(drawn)
    between = slice(num_alike, len(drawn) - num_alike_at_end)
    is_shuffled = not further and sorted(one for one, _ in there[between]) == sorted(drawn[between])
    if is_shuffled:  # the libraries differ in the order of pieces that overlap
        num_alike = len(drawn)

    def place(number: int) -> int:
        if number < num_alike:
            return there[number][1]
        return there[number + further][1] if number >= len(drawn) - num_alike_at_end else -1

    ends = [*accumulate(sum(len(_letters(character)) for character in word.text) for word in words)]
    return [[place(number) for number in range(start, end)] for start, end in zip([0, *ends], ends, strict=False)]


@lru_cache(maxsize=4096)
def _letters(character: str) -> str:
    """What a character is in both libraries."""
    if character in _HYPHENS:
        return "-"
    return "".join(unicodedata.normalize("NFKC", character).split())
