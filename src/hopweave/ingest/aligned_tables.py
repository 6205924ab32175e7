"""Tables of plain text, with blanks, tabs or bars between columns: rows become texts with the names of their columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, pairwise, takewhile

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.document import PARAGRAPH
from hopweave.ingest.grid_tables import rows_of_grid
from hopweave.ingest.office_tables import Table
from hopweave.ingest.placed_tables import Words, are_rows, rows_by_place, words_of_line
from hopweave.ingest.row_text import row_text
from hopweave.ingest.table_heads import TableRow, head_of, is_period, is_value
from hopweave.ingest.term_lists import rows_without_names, terms_in

_GAP = lazy_pattern(r"\s{2,}|\t")
_LED = lazy_pattern(r"\s*+(?P<label>\w(?:.*?[^\s.])??)\s*+\.{4,}+\s*+(?P<value>(?=\D{0,20}\d)\S++(?: \S++){0,6})\s*+")
_NEARLY = 2
"""Characters between where a name begins or ends and its cells do."""
_RULE = lazy_pattern(r"[\s=+|:_–—-]+")
_COLUMN_RULE = lazy_pattern(r"\s*(?:[-=_]{2,}\s+)+[-=_]{2,}\s*")
_FULL_RULE = lazy_pattern(r"\s*[-=_]{10,}\s*")
"""Below a title that is as long as the page is wide."""
_MOST_MARKED = 3
_HAS_DIGIT = lazy_pattern(r"\d")
_MOST_JOINED = 2
"""Further blocks of lines that a table may have."""
_IS_OF_CODE = lazy_pattern(r"#\s?[a-z]{3}|[*/(\"'{<]")
"""How what is no name of a column begins: `#define`, a comment, a string."""
_FEWEST_VALUES = 3
_LEAST_SHARE_FILLED = 0.5
"""Of the cells of a column with a name."""
_FEWEST_COLUMNS, _FEWEST_ROWS = 3, 2
"""Of a table: two columns, or a single row below the names, may as well be anything else that is set apart."""


def with_rows(text: str) -> str:
    r"""A text in which each row of a table is a paragraph with the names of its columns.

    A table is lines without an empty one between them that all have as many cells, the first of which names columns with
    numbers below it; lines whose cells stand below each other, some of which may be empty; or lines in a row with tabs, one
    between each cell and the next, as a sheet is copied. All other lines are as they were.

    >>> print(with_rows("Pier   2021   2024\nP1     0.12   0.15\nP2     0.26   0.31"))
    Pier: P1; 2021: 0.12; 2024: 0.15.
    <BLANKLINE>
    Pier: P2; 2021: 0.26; 2024: 0.31.
    """
    blocks = [[*lines] for _, lines in groupby(text.split("\n"), key=lambda line: bool(line.strip()))]
    read: list[str] = []
    at = 0
    while at < len(blocks):
        num_blocks, lines = _joined(blocks[at : at + 2 * _MOST_JOINED + 1]) or (1, _read(blocks[at]))
        read += lines
        at += num_blocks
    return "\n".join(read)


def _joined(blocks: Sequence[Sequence[str]]) -> tuple[int, Sequence[str]] | None:
    """The lines of a table with an empty line below its names or above its last rows, and how many blocks it has."""
    if not blocks[0][0].strip():
        return None
    for last in range(len(blocks) - 1 - (len(blocks) - 1) % 2, 0, -2):
        if any(len(empty) > 1 for empty in blocks[1:last:2]) or not all(map(are_rows, blocks[2 : last + 1 : 2])):
            continue
        if rows := rows_by_place(_without_rules(chain.from_iterable(blocks[: last + 1 : 2]))):
            return last + 1, PARAGRAPH.join(rows).split("\n")
    return None


def _read(block: Sequence[str]) -> Sequence[str]:
    """The lines of a block, or what is read of them if they are a table or a list, with or without a title above a rule.

    What comes after the rule below the rows of a table is read by itself.
    """
    if drawn := rows_of_grid(block):
        return PARAGRAPH.join(drawn).split("\n")
    rules = [at for at, line in enumerate(block) if _FULL_RULE.fullmatch(line)]
    if len(rules) > 1 and 0 < rules[0] == _num_marked(block) and (after := block[rules[1] + 1 :]):
        return [*_read(block[: rules[1]]), "", *_read(after)]
    for num_titles in (0, 2) if len(block) > 2 and _FULL_RULE.fullmatch(block[1]) else (0,):
        body = block[num_titles:]
        lines = _without_rules(body)
        if (
            rows := _of_same_length(lines)
            or _labelled(lines)
            or _dated(lines)
            or rows_by_place(lines, _num_marked(body))
            or terms_in(lines)
            or rows_without_names(lines)
        ):
            return PARAGRAPH.join([*filter(None, ["\n".join(block[:num_titles])]), *rows]).split("\n")
    if paragraphs := _led(block):
        return PARAGRAPH.join(paragraphs).split("\n")
    runs = [(has_tabs, [*lines]) for has_tabs, lines in groupby(block, key=lambda line: "\t" in line)]
    read = [_of_tabs(lines) if has_tabs else [] for has_tabs, lines in runs]
    if not any(read):
        return block
    texts = (PARAGRAPH.join(rows) or "\n".join(lines) for rows, (_, lines) in zip(read, runs, strict=True))
    return PARAGRAPH.join(texts).split("\n")


def _num_marked(block: Sequence[str]) -> int:
    """The lines above a rule below each column, or below several names, which name these; 0 without one."""
    has_names = len(words_of_line(block[0])) >= _FEWEST_COLUMNS
    head = enumerate(block[: _MOST_MARKED + 1])
    return next((at for at, line in head if _COLUMN_RULE.fullmatch(line) or (has_names and _FULL_RULE.fullmatch(line))), 0)


def _without_rules(lines: Iterable[str]) -> list[str]:
    return [line for line in lines if not _RULE.fullmatch(line)]


def _of_tabs(lines: Sequence[str]) -> list[str]:
    """The rows of tables whose cells are set apart by a tab each, and the lines between; nothing without a table."""
    told = (line.split("\t") for line in _without_rules(lines))
    found = [*_tables_in([{at: cell.strip() for at, cell in enumerate(cells) if cell.strip()} for cells in told])]
    tables = [_with_split_names(rows) for rows in found]
    are_sheets = [*map(_is_sheet, tables)]
    if not any(are_sheets):
        return []
    texts: list[str] = []
    for rows, is_sheet in zip(tables, are_sheets, strict=True):
        table = Table()
        for row in rows:
            table.add(row)
        as_they_were = ("\t".join(row.get(at, "") for at in range(max(row) + 1)) for row in rows)
        texts += table.texts() if is_sheet else ["\n".join(as_they_were)]
    return texts


def _is_sheet(rows: Sequence[Mapping[int, str]]) -> bool:
    """Whether rows are a table as it is copied from a sheet, and not lines of code, or words that tabs only align."""
    head = head_of([*map(TableRow, rows)], needs_numbers=True)
    body = [row for row in rows[head.num_titles + head.num_rows :] if len(row) > 1]
    if not head.names or sum(map(_num_values, body)) < _FEWEST_VALUES or any(map(_IS_OF_CODE.match, head.names.values())):
        return False
    num_filled = Counter(chain.from_iterable(body))
    return all(num_filled[at] >= _LEAST_SHARE_FILLED * len(body) for at in head.names if at)


def _tables_in(rows: Sequence[Mapping[int, str]]) -> Iterator[Sequence[Mapping[int, str]]]:
    """The tables below one another: each begins with names, above which the first column is empty, and with its title."""
    start, has_values = 0, False
    for number, (row, below) in enumerate(pairwise(rows)):
        is_of_values = _num_values(row) > 0
        if has_values and len(row) > 1 and 0 not in row and not is_of_values and len(row) >= _num_values(below):
            first = number
            while first > start and len(rows[first - 1]) == 1:
                first -= 1
            yield rows[start:first]
            start, has_values = first, False
        has_values = has_values or (is_of_values and len(row) > 1)
    yield rows[start:]


def _num_values(row: Mapping[int, str]) -> int:
    return sum(map(is_value, row.values()))


def _with_split_names(rows: Sequence[Mapping[int, str]]) -> list[Mapping[int, str]]:
    """Rows whose first ones have each name in its own column: text that was taken from a page may have several in one cell.

    >>> _with_split_names([{1: "HotpotQA MuSiQue"}, {0: "React", 1: "17", 2: "15"}])[0]
    {1: 'HotpotQA', 2: 'MuSiQue'}
    """
    told = [*rows]
    for number, (row, below) in enumerate(pairwise(rows)):
        if _num_values(row) or not _num_values(below):
            continue
        ends = [*row, max(below) + 1][1:]
        names: dict[int, str] = {}
        for (at, name), end in zip(row.items(), ends, strict=True):
            words = name.split()
            is_split = len(words) == end - at and all(is_value(below.get(column, "")) for column in range(at, end))
            names |= dict(zip(range(at, end), words, strict=True)) if is_split else {at: name}
        told[number] = names
    return told


def _of_same_length(lines: Sequence[str]) -> list[str]:
    """The rows of a table of lines with as many cells; none if it is none."""
    if len(lines) < _FEWEST_ROWS + 1 or not _HAS_DIGIT.search(lines[-1]):
        return []
    cells = [_cells(line) for line in lines]
    title = [line.strip() for line, _ in takewhile(lambda one: len(one[1]) == 1, zip(lines, cells, strict=True))]
    rows = cells[len(title) :]
    if len(rows) < _FEWEST_ROWS + 1 or len(rows[-1]) < _FEWEST_COLUMNS or len(title) > 1:
        return []
    if len(rows[0]) == len(rows[-1]) - 1:
        rows[0] = ["", *rows[0]]  # the first column has no name
    if any(len(row) != len(rows[-1]) for row in rows):
        return []
    told = [TableRow({at: cell for at, cell in enumerate(row) if cell}) for row in rows]
    head = head_of(told)
    has_names = all(cell[0].isalpha() or is_period(cell) for cell in filter(None, rows[0]))
    if head.num_titles or head.num_rows != 1 or not has_names or not any(_HAS_DIGIT.match(cell) for cell in rows[-1]):
        return []
    names = [head.names.get(at, "") for at in range(len(rows[0]))]
    return [*title, *(row_text(names, row) for row in rows[1:])]


def _labelled(lines: Sequence[str]) -> list[str]:
    r"""The rows of a table whose first column has no name, each cell below or above the name of its column; none if it is none.

    >>> _labelled(["            220      220 HD", "Colour      green    none", "pH          10.8     13.2"])
    ['Colour; 220: green; 220 HD: none.', 'pH; 220: 10.8; 220 HD: 13.2.']
    """
    title, names, rows = _apart(lines)
    if not rows or len(names) < _FEWEST_COLUMNS - 1:
        return []
    if not all(len(row) == len(names) + 1 and row[0].end <= names[0].start for row in rows):
        return []
    if not all(_is_below(name, cell) for row in rows for name, cell in zip(names, row[1:], strict=True)):
        return []
    return [*title, *_told(["", *(name.text for name in names)], rows)]


def _dated(lines: Sequence[str]) -> list[str]:
    """The rows of a table each of whose cells begins below the name of its column, one of them always with a number; none if
    it is none, or the name of that column has a number, too.

    >>> _dated(["Week from  First   Second", "2 May      Ada     Ida", "9 May      Ida     Otto"])
    ['Week from: 2 May; First: Ada; Second: Ida.', 'Week from: 9 May; First: Ida; Second: Otto.']
    """
    title, names, rows = _apart(lines)
    if not rows or len(names) < _FEWEST_COLUMNS or any(len(row) != len(names) for row in rows):
        return []
    columns = [*zip(names, *rows, strict=True)]
    is_aligned = all(abs(name.start - cell.start) <= _NEARLY for name, *cells in columns for cell in cells)
    has_numbers = any(
        not _HAS_DIGIT.search(name.text) and all(_HAS_DIGIT.search(cell.text) for cell in cells) for name, *cells in columns
    )
    if not is_aligned or not has_numbers or any(_IS_OF_CODE.match(name.text) for name in names):
        return []
    return [*title, *_told([name.text for name in names], rows)]


def _apart(lines: Sequence[str]) -> tuple[list[str], list[Words], list[list[Words]]]:
    """A title of one line at most, the names of columns, and the rows of what may be a table; no rows if it is none."""
    title = [line.strip() for line in takewhile(lambda line: len(words_of_line(line)) == 1, lines)]
    names, *rows = [words_of_line(line) for line in lines[len(title) :]] or [[]]
    return title, names, rows if len(title) <= 1 and len(rows) >= _FEWEST_ROWS else []


def _told(names: Sequence[str], rows: Iterable[Sequence[Words]]) -> list[str]:
    return [row_text(names, [cell.text for cell in row]) for row in rows]


def _led(block: Sequence[str]) -> list[str]:
    """The lines of a block, those by themselves in which dots lead from words to more than a number; nothing without two such.

    >>> _led(["Fees", "Member ..... £138", "Family ..... £224"]), _led(["1 Care ..... 3", "2 Use ..... 7"])
    (['Fees', 'Member: £138.', 'Family: £224.'], [])
    """
    led = [_LED.fullmatch(line) for line in block]
    said = [one for one in led if one is not None]
    if len(said) < _FEWEST_ROWS or all(one["value"].isdigit() for one in said):
        return []
    told: list[str] = []
    for is_led, lines in groupby(zip(led, block, strict=True), key=lambda pair: pair[0] is not None):
        pairs = [*lines]
        if is_led:
            told += [row_text([one["label"].strip()], [one["value"]]) for one, _ in pairs if one is not None]
        else:
            told.append("\n".join(line for _, line in pairs))
    return told


def _is_below(name: Words, cell: Words) -> bool:
    """Whether a cell begins or ends where the name of its column does, or nearly so."""
    return abs(name.start - cell.start) <= _NEARLY or abs(name.end - cell.end) <= _NEARLY


def _cells(line: str) -> list[str]:
    said = line.strip()
    if said.count("|") > 1:
        return [cell.strip() for cell in said.strip("|").split("|")]
    return _GAP.split(said)
