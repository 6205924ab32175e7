"""The tables of a page of a PDF, told by the places of its words and by rules: the names of columns, and rows of cells.

A table is either in a grid of rules, or its columns are set apart by blanks on every line. What names its columns is told by
rules, by bold type, or by numbers below. Without names, or in doubt, it is no table.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.pdf_cells import Cells, Row, rows_of
from hopweave.ingest.pdf_columns import columns_of, columns_under, cut, nearest, widest_gap
from hopweave.ingest.pdf_heads import Name, names_above
from hopweave.ingest.pdf_layout import Grid, Rule, TextLine, Word, grids_of, lines_of, straight, told_apart
from hopweave.ingest.pdf_runs import runs_of
from hopweave.ingest.table_heads import is_period, is_value

_FEWEST_COLUMNS = 3
"""Of a table without a rule between the names and the rows."""
_FEWEST_ROWS = 2
"""Below the names, outside grids."""
_MOST_GRIDS = 20
"""Of a page."""
_MOST_HEAD_ROWS = 6
_MOST_ABOVE = 4
"""Lines above a table that have wide gaps, too, such as a running header."""
_LONGEST_NAME = 100
_LONGEST_FIGURE = 25
"""Characters of a cell with a number and its unit."""
_LONGEST_CELL = 300
_LEAST_SHARE = 0.5
"""Of the cells of a column that have figures, of those of a grid that are not empty, and of lines of text that are full."""
_LEAST_GOING_ON = 0.3
"""Share of lines of text that begin with a small letter."""
_FEWEST_LINES = 4
"""Of running text beside a table."""
_WIDE = 0.7
"""Share of the width of a table that a rule between rows has, and of the width of text that a full line has."""
_EDGE = 3.0
"""Points by which a line may begin before a table."""
_BESIDE = 0.1
"""Share of the width of a table by which a line may end after it."""
_LEADER = lazy_pattern(r"(?:\.\s?){4,}|…{2,}|·{4,}")
"""What leads to the number of a page in a table of contents."""
_LABEL = lazy_pattern(r":\s+\S")
"""In a cell of a form: `Name: Ada`."""
_HAS_DIGIT = lazy_pattern(r"\d")
_HAS_LETTER = lazy_pattern(r"[^\W\d_]")


class Found(NamedTuple):
    """A table.

    Attributes:
        words: the numbers of the words of the page that are in it, in order.
        names: of its columns; empty if the page has none, and it goes on with the last table of the page before.
        rows: below the names: cells by the number of their column.
        columns: the left and right of each.
        top: of it.
        bottom: of it.
    """

    words: tuple[int, ...]
    names: tuple[str, ...]
    rows: tuple[Mapping[int, str], ...]
    columns: tuple[tuple[float, float], ...]
    top: float
    bottom: float


def tables_on(words: Sequence[Word], rules: Iterable[Rule], before: Found | None = None) -> list[Found]:
    """The tables of a page, from the top.

    Args:
        words: of the page, in the order of its text.
        rules: of the page.
        before: a table at the end of the page before, which the first one of this page may go on with.
    """
    along, down = straight(rules)
    words = told_apart(words)
    page = _Page(words, Cells(words, {word.text.casefold() for word in words}), along)
    found: list[Found] = []
    free = {number for number, word in enumerate(words) if word.right > word.left}
    for grid in grids_of(along, down)[:_MOST_GRIDS]:
        inside = [number for number in sorted(free) if grid.area_at(words[number]) is not None]
        free.difference_update(inside)
        table = page.of_grid(grid, inside, before)
        if table is not None:
            found.append(table)
    for run in runs_of(lines_of(words, free), words):
        found += [*page.of_run(run, before)] or page.beside_text(run)
    return sorted(found, key=lambda one: (one.top, one.columns))


def _is_within(line: TextLine, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a line has more cells than there are columns because the words of one of them are far apart."""
    beside = _BESIDE * (columns[-1][1] - columns[0][0])
    if line.left < columns[0][0] - _EDGE or line.right > columns[-1][1] + beside:
        return False
    counted = Counter(columns_under(segment, columns) for segment in line.segments)
    return all(width == 1 for _, width in counted) and sum(count > 1 for count in counted.values()) == 1


@dataclass(frozen=True, slots=True)
class _Page:
    """The words of a page, what they say, and the rules along it."""

    words: Sequence[Word]
    cells: Cells
    along: Sequence[Rule]

    def of_grid(self, grid: Grid, inside: Sequence[int], before: Found | None) -> Found | None:
        """A grid as a table; `None` if it is none."""
        in_area: dict[tuple[int, int], list[int]] = {}
        for number in inside:
            area = grid.area_at(self.words[number])
            if area is not None:
                in_area.setdefault((area.row, area.column), []).append(number)
        rows: list[Row] = []
        for at, (top, bottom) in enumerate(pairwise(grid.rows)):
            row = Row(top, bottom)
            for area in dict.fromkeys(grid.areas[at, column] for column in range(len(grid.columns) - 1)):
                if numbers := in_area.get((area.row, area.column)):
                    row.put(area.column, numbers, area.num_columns)
            if row.cells:
                is_alone = all(grid.areas[at, column].num_rows == 1 for column in row.cells)
                rows += self._split(row, grid) if is_alone else [row]
        columns = tuple(pairwise(grid.columns))
        return self._table(rows, columns, inside, before, is_grid=True)

    def _split(self, row: Row, grid: Grid) -> list[Row]:
        """The rows of a row without rules between them: lines that all have a number in the same column."""
        numbers = [number for words in row.cells.values() for number in words]
        column_of = {number: column for column, words in row.cells.items() for number in words}
        lines = []
        for line in lines_of(self.words, numbers):
            lines.append(Row(line.top, line.bottom))
            for number in (one for segment in line.segments for one in segment.words):
                lines[-1].put(column_of[number], [number], row.widths.get(column_of[number], 1))
        merged = list(rows_of(self.cells, lines, [])) if self._has_rows(lines) else [row]
        return merged if len(merged) > 1 else [row]

    def _has_rows(self, lines: Sequence[Row]) -> bool:
        counted: dict[int, int] = {}
        for line in lines:
            for column, numbers in line.cells.items():
                if column and self.cells.is_value(numbers):
                    counted[column] = counted.get(column, 0) + 1
        return any(count > 1 for count in counted.values())

    def of_run(self, run: Sequence[TextLine], before: Found | None) -> Iterator[Found]:
        """The tables in some lines."""
        columns = columns_of(run, self.words)
        if len(columns) < 2:
            return
        pieces: list[list[Row]] = [[]]
        for line in run:
            row = self._placed(line, columns)
            if row is None:
                pieces.append([])
            else:
                pieces[-1].append(row)
        for rows in pieces:
            table = self._of_rows(rows, columns, before)
            if table is not None:
                yield table

    def beside_text(self, run: Sequence[TextLine]) -> Iterator[Found]:
        """The tables in some lines that have running text on one side, as where a page has two columns."""
        gap = widest_gap(run)
        if gap is None:
            return
        sides: tuple[list[int], list[int]] = ([], [])
        for line in run:
            for number in line.numbers:
                sides[self.words[number].left >= gap].append(number)
        lines = [lines_of(self.words, side) for side in sides]
        if any(self._is_text(side) for side in lines):
            for side in lines:
                for part in runs_of(side, self.words):
                    yield from self.of_run(part, None)

    def _is_text(self, lines: Sequence[TextLine]) -> bool:
        """Whether most of some lines are as long as they can be, and many go on with a word in small letters."""
        width = max(line.right for line in lines) - min(line.left for line in lines)
        num_full = sum(line.right - line.left >= _WIDE * width for line in lines)
        num_going_on = sum(self.words[next(line.numbers)].text[0].islower() for line in lines)
        return (
            len(lines) >= _FEWEST_LINES
            and num_full >= _LEAST_SHARE * len(lines)
            and num_going_on >= _LEAST_GOING_ON * len(lines)
        )

    def _placed(self, line: TextLine, columns: Sequence[tuple[float, float]]) -> Row | None:
        """A line as a row; `None` if it runs across columns like text."""
        row = Row(line.top, line.bottom)
        if len(line.segments) > len(columns) and not _is_within(line, columns):
            return None
        for segment in line.segments:
            for piece in cut(segment, columns, self.words):
                first, width = columns_under(piece, columns)
                if width == 0:
                    first = nearest(piece, first, columns, row.cells)
                if width > 1 and (len(line.segments) == 1 or len(self.cells.text(piece.words)) > _LONGEST_NAME):
                    return None
                row.put(first, piece.words, width)
        return row

    def _of_rows(self, lines: list[Row], columns: Sequence[tuple[float, float]], before: Found | None) -> Found | None:
        for _ in range(_MOST_ABOVE):
            while lines and len(lines[0].cells) < 2 and not (len(lines) > 1 and lines[0].bottom > lines[1].top):
                lines = lines[1:]
            rows = list(rows_of(self.cells, lines, self._between(lines, columns)))
            while rows and (len(rows[-1].cells) < 2 or rows[-1].widths):
                rows.pop()
            inside = sorted(number for row in rows for words in row.cells.values() for number in words)
            table = self._table(rows, columns, inside, before, is_grid=False) if rows else None
            if table is not None or not rows:
                return table
            lines = lines[1:]
        return None

    def _between(self, rows: Sequence[Row], columns: Sequence[tuple[float, float]]) -> list[int]:
        """The numbers of the rows that a rule is above."""
        if not rows:
            return []
        left, right = columns[0][0], columns[-1][1]
        middles = [(row.top + row.bottom) / 2 for row in rows]
        wide = sorted(
            rule.top for rule in self.along if min(rule.right, right) - max(rule.left, left) >= _WIDE * (right - left)
        )
        return [
            number
            for number, (above, below) in enumerate(pairwise(middles), start=1)
            if bisect_left(wide, above) < bisect_right(wide, below)
        ]

    def _table(
        self,
        rows: list[Row],
        columns: Sequence[tuple[float, float]],
        inside: Sequence[int],
        before: Found | None,
        *,
        is_grid: bool,
    ) -> Found | None:
        if len(rows) < 2:
            return None
        texts = [{column: self.cells.text(numbers) for column, numbers in sorted(row.cells.items())} for row in rows]
        if any(_LEADER.search(text) for row in texts for text in row.values()):
            return None
        num_head = self._num_head(rows, texts, columns, is_grid=is_grid)
        names = names_above(
            [self._names(row, cells) for row, cells in zip(rows[:num_head], texts[:num_head], strict=True)],
            columns,
            is_grid=is_grid,
        )
        body = texts[num_head:]
        if num_head and not _are_names(names):
            return None
        if not num_head:
            if before is None or not _are_alike(before.columns, columns):
                return None
            names = ()
        if not self._is_body(
            rows[num_head:], body, is_grid=is_grid, num_columns=len(columns), is_ruled=bool(self._between(rows, columns))
        ):
            return None
        if not is_grid and any(width > 1 and len(row.cells) > 1 for row in rows[num_head:] for width in row.widths.values()):
            return None
        return Found(tuple(inside), names, tuple(body), tuple(columns), rows[0].top, rows[-1].bottom)

    def _is_body(
        self, rows: Sequence[Row], texts: Sequence[Mapping[int, str]], *, is_grid: bool, num_columns: int, is_ruled: bool
    ) -> bool:
        if len(rows) < (1 if is_grid else _FEWEST_ROWS):
            return False
        if any(len(text) > _LONGEST_CELL for row in texts for text in row.values()) and not is_grid:
            return False
        if is_grid:
            return sum(map(len, texts)) >= _LEAST_SHARE * len(texts) * num_columns
        numbers = [number for row in rows for words in row.cells.values() for number in words]
        if sum(self.words[number].is_fixed for number in numbers) > _LEAST_SHARE * len(numbers):
            return False
        least = 1.0 if num_columns < _FEWEST_COLUMNS else _LEAST_SHARE
        if num_columns < _FEWEST_COLUMNS and not is_ruled:
            return False
        return any(_are_figures([row[column] for row in texts if column in row], least) for column in range(1, num_columns))

    def _names(self, row: Row, cells: Mapping[int, str]) -> list[Name]:
        return [
            Name(
                text,
                column,
                row.widths.get(column, 1),
                min(self.words[number].left for number in row.cells[column]),
                max(self.words[number].right for number in row.cells[column]),
                row.top,
                self.words[row.cells[column][0]].bottom - self.words[row.cells[column][0]].top,
            )
            for column, text in cells.items()
        ]

    def _num_head(
        self, rows: Sequence[Row], texts: Sequence[Mapping[int, str]], columns: Sequence[tuple[float, float]], *, is_grid: bool
    ) -> int:
        """How many rows at the beginning name the columns; 0 if that is not plain."""
        most = min(_MOST_HEAD_ROWS, len(rows) - 1)
        bold = [all(self.words[number].is_bold for words in row.cells.values() for number in words) for row in rows]
        num_bold = next((number for number, is_bold in enumerate(bold) if not is_bold), len(rows))
        ruled = self._between(rows, columns)
        by_value = _first_value(texts)
        num_head = 0
        if 0 < num_bold <= most:
            num_head = num_bold
        elif ruled and len(ruled) < (len(rows) - 1) * _LEAST_SHARE and ruled[0] <= most:
            num_head = ruled[0]
        elif by_value <= most:
            num_head = by_value
        elif is_grid:
            num_head = 2 if rows[0].widths else 1
        while num_head > 1 and set(rows[num_head - 1].cells) == {0} and len(rows[num_head - 2].cells) > 1:
            num_head -= 1
        if any(is_value(text) for row in texts[:num_head] for text in row.values()):
            return 0
        return num_head if num_head <= most else 0


def _are_names(names: Sequence[str]) -> bool:
    told = [name for name in names if name]
    return (
        all(names[1:])
        and len(set(told)) == len(told)
        and not any(_LABEL.search(name) for name in told)
        and all(len(name) <= _LONGEST_NAME and (_HAS_LETTER.search(name) or is_period(name)) for name in told)
    )


def _are_alike(some: Sequence[tuple[float, float]], others: Sequence[tuple[float, float]]) -> bool:
    return len(some) == len(others) and all(
        min(one[1], other[1]) > max(one[0], other[0]) for one, other in zip(some, others, strict=True)
    )


def _first_value(texts: Sequence[Mapping[int, str]]) -> int:
    """The first row with a number in a column of numbers; their number if there is none."""
    counted: dict[int, list[bool]] = {}
    for row in texts:
        for column, text in row.items():
            if column:
                counted.setdefault(column, []).append(is_value(text))
    columns = {column for column, told in counted.items() if sum(told) >= max(_FEWEST_ROWS, _LEAST_SHARE * (len(told) - 1))}
    for number, row in enumerate(texts):
        if any(column in columns and is_value(text) for column, text in row.items()):
            return number
    return len(texts)


def _are_figures(cells: Sequence[str], least: float) -> bool:
    figures = [cell for cell in cells if len(cell) <= _LONGEST_FIGURE and _HAS_DIGIT.search(cell)]
    return len(figures) > 1 and len(figures) >= least * len(cells)
