"""The tables of a page of a PDF, told by the places of its words and by rules: the names of columns, and rows of cells.

A table is either in a grid of rules, or its columns are set apart by blanks on every line. What names its columns is told by
rules, by bold type, or by numbers below. Without names, or in doubt, it is no table.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from hopweave.ingest.pdf_columns import columns_of, columns_under, cut, nearest, widest_gap
from hopweave.ingest.pdf_heads import Name, names_above
from hopweave.ingest.pdf_layout import Grid, Rule, Segment, TextLine, Word, grids_of, lines_of, straight, told_apart
from hopweave.ingest.table_heads import is_period, is_value

_FEWEST_COLUMNS = 3
"""Of a table without a rule below the names."""
_FEWEST_ROWS = 2
_MOST_HEAD_ROWS = 6
_LONGEST_NAME = 100
_LONGEST_FIGURE = 25
"""Characters of a cell with a number and its unit."""
_LONGEST_CELL = 300
_PARAGRAPH_GAP = 1.6
"""Between two rows, as a share of the height of a line, at most."""
_TIGHT = 1.35
"""From the top of a line to that of the next within a paragraph, as a share of its height, at most."""
_SAME_PITCH = 1.08
"""Lines of a cell are at most this much further apart than the closest ones of the table."""
_FULL_LINE = 0.6
"""Share of the width of a page that a line of text has, at least."""
_MARGIN = 0.1
_LARGER = 1.15
"""The height of a line that is a heading, relative to most lines."""
_LEAST_GAP, _MORE = 0.5, 1.5
"""Between two tables: as a share of the height of a line, and times the gap between most rows, together."""
_OVERLAP = 0.3
_MOST_LINES_OF_A_CELL = 12
_MOST_GROUPS = 2
"""Lines between the names of columns and the first row with a number."""
_MOST_ABOVE = 4
"""Lines above a table that have wide gaps, too, such as a running header."""
_LEAST_SHARE = 0.5
_FEWEST_LINES = 4
"""Of running text beside a table."""
_WIDE = 0.7
"""Share of the width of a table that a rule between rows has."""
_EDGE = 3.0
"""Points."""
_LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|·{4,}")
_LABEL = re.compile(r":\s+\S")
"""In a cell of a form: `Name: Ada`."""
_HAS_DIGIT = re.compile(r"\d")
_HAS_LETTER = re.compile(r"[^\W\d_]")


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


@dataclass(slots=True)
class _Row:
    """A row: the words of its cells by the number of the column, and how many columns a cell covers."""

    top: float
    bottom: float
    cells: dict[int, list[int]] = field(default_factory=dict)
    widths: dict[int, int] = field(default_factory=dict)

    def put(self, column: int, words: Iterable[int], width: int = 1) -> None:
        self.cells.setdefault(column, []).extend(words)
        if width > 1:
            self.widths[column] = width

    def take(self, other: _Row) -> None:
        for column, words in other.cells.items():
            self.put(column, words, other.widths.get(column, 1))
        self.top, self.bottom = min(self.top, other.top), max(self.bottom, other.bottom)


def tables_on(words: Sequence[Word], rules: Iterable[Rule], before: Found | None = None) -> list[Found]:
    """The tables of a page, from the top.

    Args:
        words: of the page, in the order of its text.
        rules: of the page.
        before: a table at the end of the page before, which the first one of this page may go on with.
    """
    along, down = straight(rules)
    words = told_apart(words)
    page = _Page(words, along, {word.text.casefold() for word in words})
    found: list[Found] = []
    free = {number for number, word in enumerate(words) if word.right > word.left}
    for grid in grids_of(along, down):
        inside = [number for number in sorted(free) if grid.area_at(words[number]) is not None]
        free.difference_update(inside)
        table = page.of_grid(grid, inside, before)
        if table is not None:
            found.append(table)
    for run in _runs(lines_of(words, free), words):
        found += [*page.of_run(run, before)] or page.beside_text(run)
    return sorted(found, key=lambda one: (one.top, one.columns))


def _runs(lines: Sequence[TextLine], words: Sequence[Word]) -> Iterator[list[TextLine]]:
    """Lines that may be a table: from the first to the last with a wide gap, without running text between them."""
    usual = median([line.height for line in lines] or [0.0])
    left = min((line.left for line in lines), default=0.0)
    width = max((line.right for line in lines), default=0.0) - left
    run: list[TextLine] = []
    gaps: list[float] = []
    for line in lines:
        is_alone = len(line.segments) == 1
        is_full = line.right - line.left > _FULL_LINE * width and line.left < left + _MARGIN * width
        is_text = is_alone and (is_full or line.height > _LARGER * usual)
        gap = line.top - run[-1].bottom if run else 0.0
        is_apart = run and (
            gap > _PARAGRAPH_GAP * line.height or (len(gaps) > 1 and gap > _LEAST_GAP * line.height + _MORE * median(gaps))
        )
        if is_text or is_apart or (run and _begins_another(run, line, words)):
            yield from _trimmed(run, words)
            run, gaps = [], []
        elif run and gap > 0:
            gaps.append(gap)
        if not is_text:
            run.append(line)
    yield from _trimmed(run, words)


def _begins_another(run: Sequence[TextLine], line: TextLine, words: Sequence[Word]) -> bool:
    """Whether a line in bold type, without numbers, comes after rows in other type: it names the columns of another table."""
    told = (" ".join(words[one].text for one in segment.words) for segment in line.segments)
    if len(line.segments) < 2 or not _is_bold(line, words) or any(map(is_value, told)):
        return False
    return any(len(one.segments) > 1 and not _is_bold(one, words) for one in run[-2:])


def _is_bold(line: TextLine, words: Sequence[Word]) -> bool:
    return all(words[one].is_bold for one in line.numbers)


def _trimmed(run: Sequence[TextLine], words: Sequence[Word]) -> Iterator[list[TextLine]]:
    """A run from its first line with a wide gap, or a bold line close before that, whose names may nearly touch."""
    told = [number for number, line in enumerate(run) if len(line.segments) > 1]
    if len(told) < _FEWEST_ROWS:
        return
    first = told[0]
    before = [number for number in range(max(first - _MOST_GROUPS - 1, 0), first) if _is_bold(run[number], words)]
    if before and not _is_bold(run[first], words):
        first = before[-1]
    while first and run[first - 1].bottom > run[first].top:
        first -= 1
    yield list(run[first : told[-1] + 1 + _MOST_LINES_OF_A_CELL])


@dataclass(frozen=True, slots=True)
class _Page:
    """The words of a page, its rules along it, and the words that are written on it, in small letters."""

    words: Sequence[Word]
    along: Sequence[Rule]
    known: Set[str]

    def text(self, numbers: Iterable[int]) -> str:
        """The text of a cell; a word that is divided at the end of a line keeps its hyphen."""
        said: list[str] = []
        last: Word | None = None
        for number in sorted(numbers):
            word = self.words[number]
            is_below = last is not None and word.top > last.top + _EDGE
            said[-1:] = self._divided(said[-1], word.text) if is_below and said else [*said[-1:], word.text]
            last = word
        return " ".join(said)

    def _divided(self, before: str, after: str) -> list[str]:
        """The last word of a line and the first of the next, as one if it was divided, without a hyphen of its own."""
        if not (before.endswith("-") and len(before) > 2 and before[-2].isalpha() and after[0].islower()):
            return [before, after]
        parts, whole = {before[:-1].casefold(), after.casefold()}, before[:-1] + after
        return [before + after] if parts <= self.known and whole.casefold() not in self.known else [whole]

    def of_grid(self, grid: Grid, inside: Sequence[int], before: Found | None) -> Found | None:
        """A grid as a table; `None` if it is none."""
        in_area: dict[tuple[int, int], list[int]] = {}
        for number in inside:
            area = grid.area_at(self.words[number])
            if area is not None:
                in_area.setdefault((area.row, area.column), []).append(number)
        rows: list[_Row] = []
        for at, (top, bottom) in enumerate(pairwise(grid.rows)):
            row = _Row(top, bottom)
            for area in dict.fromkeys(grid.areas[at, column] for column in range(len(grid.columns) - 1)):
                if numbers := in_area.get((area.row, area.column)):
                    row.put(area.column, numbers, area.num_columns)
            if row.cells:
                is_alone = all(grid.areas[at, column].num_rows == 1 for column in row.cells)
                rows += self._split(row, grid) if is_alone else [row]
        columns = tuple(pairwise(grid.columns))
        return self._table(rows, columns, inside, before, is_grid=True)

    def _split(self, row: _Row, grid: Grid) -> list[_Row]:
        """The rows of a row without rules between them: lines that all have a number in the same column."""
        numbers = [number for words in row.cells.values() for number in words]
        column_of = {number: column for column, words in row.cells.items() for number in words}
        lines = []
        for line in lines_of(self.words, numbers):
            lines.append(_Row(line.top, line.bottom))
            for number in (one for segment in line.segments for one in segment.words):
                lines[-1].put(column_of[number], [number], row.widths.get(column_of[number], 1))
        merged = list(_in_rows(self, lines, [])) if self._has_rows(lines) else [row]
        return merged if len(merged) > 1 else [row]

    def _has_rows(self, lines: Sequence[_Row]) -> bool:
        counted: dict[int, int] = {}
        for line in lines:
            for column, numbers in line.cells.items():
                if column and is_value(self.text(numbers)):
                    counted[column] = counted.get(column, 0) + 1
        return any(count > 1 for count in counted.values())

    def of_run(self, run: Sequence[TextLine], before: Found | None) -> Iterator[Found]:
        """The tables in some lines."""
        columns = columns_of(run, self.words)
        if len(columns) < 2:
            return
        pieces: list[list[_Row]] = [[]]
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
                for part in _runs(side, self.words):
                    yield from self.of_run(part, None)

    def _is_text(self, lines: Sequence[TextLine]) -> bool:
        """Whether most of some lines are as long as they can be, and many go on with a word in small letters."""
        width = max(line.right for line in lines) - min(line.left for line in lines)
        num_full = sum(line.right - line.left >= _WIDE * width for line in lines)
        num_going_on = sum(self.words[next(line.numbers)].text[0].islower() for line in lines)
        return len(lines) >= _FEWEST_LINES and num_full >= _LEAST_SHARE * len(lines) and num_going_on >= _OVERLAP * len(lines)

    def _placed(self, line: TextLine, columns: Sequence[tuple[float, float]]) -> _Row | None:
        """A line as a row; `None` if it runs across columns like text."""
        row = _Row(line.top, line.bottom)
        if len(line.segments) > len(columns) and not _is_within(line, columns):
            return None
        for segment in line.segments:
            for piece in cut(segment, columns, self.words):
                first, width = columns_under(piece, columns)
                if width == 0:
                    first = nearest(piece, first, columns, row.cells)
                if width > 1 and (len(line.segments) == 1 or len(self.text(piece.words)) > _LONGEST_NAME):
                    return None
                row.put(first, piece.words, width)
        return row

    def _of_rows(self, lines: list[_Row], columns: Sequence[tuple[float, float]], before: Found | None) -> Found | None:
        for _ in range(_MOST_ABOVE):
            while lines and len(lines[0].cells) < 2 and not (len(lines) > 1 and lines[0].bottom > lines[1].top):
                lines = lines[1:]
            rows = list(_in_rows(self, lines, self._between(lines, columns)))
            while rows and (len(rows[-1].cells) < 2 or rows[-1].widths):
                rows.pop()
            inside = sorted(number for row in rows for words in row.cells.values() for number in words)
            table = self._table(rows, columns, inside, before, is_grid=False) if rows else None
            if table is not None or not rows:
                return table
            lines = lines[1:]
        return None

    def _between(self, rows: Sequence[_Row], columns: Sequence[tuple[float, float]]) -> list[int]:
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
        rows: list[_Row],
        columns: Sequence[tuple[float, float]],
        inside: Sequence[int],
        before: Found | None,
        *,
        is_grid: bool,
    ) -> Found | None:
        texts = [{column: self.text(numbers) for column, numbers in sorted(row.cells.items())} for row in rows]
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
        if any(width > 1 and len(row.cells) > 1 for row in rows[num_head:] for width in row.widths.values()):
            return None
        return Found(tuple(inside), names, tuple(body), tuple(columns), rows[0].top, rows[-1].bottom)

    def _is_body(
        self, rows: Sequence[_Row], texts: Sequence[Mapping[int, str]], *, is_grid: bool, num_columns: int, is_ruled: bool
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

    def _names(self, row: _Row, cells: Mapping[int, str]) -> list[Name]:
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
        self, rows: Sequence[_Row], texts: Sequence[Mapping[int, str]], columns: Sequence[tuple[float, float]], *, is_grid: bool
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


def _is_within(line: TextLine, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a line with more cells than there are columns has them in one column, as where the words of a cell are far apart."""
    beside = _MARGIN * (columns[-1][1] - columns[0][0])
    if line.left < columns[0][0] - _EDGE or line.right > columns[-1][1] + beside:
        return False
    counted = Counter(columns_under(segment, columns) for segment in line.segments)
    return all(width == 1 for _, width in counted) and sum(count > 1 for count in counted.values()) == 1


def _in_rows(page: _Page, lines: Sequence[_Row], ruled: Sequence[int]) -> Iterator[_Row]:
    """Lines as rows: those of a cell with several lines are one."""
    if not lines:
        return
    height = median(line.bottom - line.top for line in lines)
    leading = _leading(page, lines, height)
    breaks = set(ruled)
    is_ruled = len(breaks) >= max(_FEWEST_ROWS, _OVERLAP * len(lines))
    row: _Row | None = None
    last_of: dict[int, float] = {}
    for number, line in enumerate(lines):
        below = [line.top - last_of[column] for column in line.cells if column in last_of]
        is_near = not below or min(below) <= _TIGHT * height
        if row is None or number in breaks or not is_near:
            goes_on = False
        elif not below:
            goes_on = line.top < row.bottom - _OVERLAP * height or is_ruled
        elif is_ruled:
            goes_on = not _both_have_values(page, row, line)
        elif leading:
            goes_on = min(below) <= leading
        else:
            goes_on = _is_rest(page, row, line)
        if row is None or not goes_on:
            if row is not None:
                yield row
            row, last_of = _Row(line.top, line.bottom, dict(line.cells), dict(line.widths)), {}
        else:
            row.take(line)
        last_of.update(dict.fromkeys(line.cells, line.top))
    if row is not None:
        yield row


def _leading(page: _Page, lines: Sequence[_Row], height: float) -> float:
    """From a line of a cell to the next of it, at most; 0 if rows are not further apart than that."""
    last_of: dict[int, _Row] = {}
    pitches: list[float] = []
    of_values: list[float] = []
    for line in lines:
        for column in line.cells:
            if (above := last_of.get(column)) is not None:
                pitches.append(line.top - above.top)
                if column and all(is_value(page.text(one.cells[column])) for one in (above, line)):
                    of_values.append(pitches[-1])
            last_of[column] = line
    least = min((pitch for pitch in pitches if pitch > height * _LEAST_SHARE), default=0.0) * _SAME_PITCH
    is_plain = bool(of_values) and min(of_values) > least and max(pitches) > least
    return least if is_plain else 0.0


def _both_have_values(page: _Page, row: _Row, line: _Row) -> bool:
    return any(
        column and column in row.cells and is_value(page.text(numbers)) and is_value(page.text(row.cells[column]))
        for column, numbers in line.cells.items()
    )


def _is_rest(page: _Page, row: _Row, line: _Row) -> bool:
    """Whether a line that is as far below a row as any other is the rest of it: words below words, or a word in small letters."""
    texts = {column: page.text(numbers) for column, numbers in line.cells.items()}
    if 0 not in texts:
        return set(texts) <= set(row.cells) and not any(map(is_value, texts.values())) and 0 in row.cells
    return texts[0][:1].islower() and (len(texts) == 1 or set(row.cells) == {0})


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
