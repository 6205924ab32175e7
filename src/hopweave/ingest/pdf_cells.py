"""The cells of a table in a PDF: which lines are one row, and their text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from statistics import median

from hopweave.ingest.pdf_layout import SAME_ROW, Word
from hopweave.ingest.table_heads import is_value

_TIGHT = 1.35
"""From the top of a line to that of the next within a paragraph, as a share of its height, at most."""
_SAME_PITCH = 1.08
"""Lines of a cell are at most this much further apart than the closest ones of the table."""
_FEWEST_RULES, _SHARE_RULED = 2, 0.3
"""Of the lines of a table whose rows have rules between them."""
_LEAST_PITCH = 0.5
"""From a line to the next, as a share of its height."""
_BELOW = 3.0
"""Points by which a word is lower than the one before, if it is on another line."""
_LONGEST_VALUE = 6
"""Words of a number with its sign."""


@dataclass(slots=True)
class Row:
    """A row.

    Attributes:
        top: of it, in points.
        bottom: of it.
        cells: the numbers of their words by that of the column.
        widths: how many columns a cell covers, if it is more than one.
    """

    top: float
    bottom: float
    cells: dict[int, list[int]] = field(default_factory=dict)
    widths: dict[int, int] = field(default_factory=dict)

    def put(self, column: int, words: Iterable[int], width: int = 1) -> None:
        """Puts words into a cell."""
        self.cells.setdefault(column, []).extend(words)
        if width > 1:
            self.widths[column] = width

    def take(self, other: Row) -> None:
        """Puts the words of another row into the cells of this one."""
        for column, words in other.cells.items():
            self.put(column, words, other.widths.get(column, 1))
        self.top, self.bottom = min(self.top, other.top), max(self.bottom, other.bottom)


@dataclass(frozen=True, slots=True)
class Cells:
    """What the words of cells say.

    Attributes:
        words: of the page.
        known: the words that are written on it, in small letters.
    """

    words: Sequence[Word]
    known: Set[str]

    def text(self, numbers: Iterable[int]) -> str:
        """The text of a cell; words that are divided at the end of a line are whole."""
        said: list[str] = []
        last: Word | None = None
        for number in sorted(numbers):
            word = self.words[number]
            is_below = last is not None and word.top > last.top + _BELOW
            said[-1:] = self._divided(said[-1], word.text) if is_below and said else [*said[-1:], word.text]
            last = word
        return " ".join(said)

    def _divided(self, before: str, after: str) -> list[str]:
        """The last word of a line and the first of the next, as one if it was divided, without a hyphen of its own."""
        if not (before.endswith("-") and len(before) > 2 and before[-2].isalpha() and after[0].islower()):
            return [before, after]
        parts, whole = {before[:-1].casefold(), after.casefold()}, before[:-1] + after
        return [before + after] if parts <= self.known and whole.casefold() not in self.known else [whole]

    def is_value(self, numbers: Sequence[int]) -> bool:
        """Whether the words of a cell are a number and nothing else."""
        return len(numbers) <= _LONGEST_VALUE and is_value(self.text(numbers))


def rows_of(cells: Cells, lines: Sequence[Row], ruled: Sequence[int]) -> Iterator[Row]:
    """Lines as rows: those of a cell with several lines are one.

    Args:
        cells: what they say.
        lines: from the top.
        ruled: the numbers of those that a rule is above.
    """
    if not lines:
        return
    height = median(line.bottom - line.top for line in lines)
    leading = _leading(cells, lines, height)
    breaks = set(ruled)
    is_ruled = len(breaks) >= max(_FEWEST_RULES, _SHARE_RULED * len(lines))
    row: Row | None = None
    last_of: dict[int, float] = {}
    for number, line in enumerate(lines):
        below = [line.top - last_of[column] for column in line.cells if column in last_of]
        is_near = not below or min(below) <= _TIGHT * height
        if row is None or number in breaks or not is_near:
            goes_on = False
        elif not below:
            goes_on = line.top < row.bottom - SAME_ROW * height or is_ruled
        elif is_ruled:
            goes_on = not _both_have_values(cells, row, line)
        elif leading:
            goes_on = min(below) <= leading
        else:
            goes_on = _is_rest(cells, row, line)
        if row is None or not goes_on:
            if row is not None:
                yield row
            row, last_of = Row(line.top, line.bottom, dict(line.cells), dict(line.widths)), {}
        else:
            row.take(line)
        last_of.update(dict.fromkeys(line.cells, line.top))
    if row is not None:
        yield row


def _leading(cells: Cells, lines: Sequence[Row], height: float) -> float:
    """From a line of a cell to the next of it, at most; 0 if rows are not further apart than that."""
    last_of: dict[int, Row] = {}
    pitches: list[float] = []
    of_values: list[float] = []
    for line in lines:
        for column in line.cells:
            if (above := last_of.get(column)) is not None:
                pitches.append(line.top - above.top)
                if column and all(cells.is_value(one.cells[column]) for one in (above, line)):
                    of_values.append(pitches[-1])
            last_of[column] = line
    least = min((pitch for pitch in pitches if pitch > height * _LEAST_PITCH), default=0.0) * _SAME_PITCH
    is_plain = bool(of_values) and min(of_values) > least and max(pitches) > least
    return least if is_plain else 0.0


def _both_have_values(cells: Cells, row: Row, line: Row) -> bool:
    return any(
        column and column in row.cells and cells.is_value(numbers) and cells.is_value(row.cells[column])
        for column, numbers in line.cells.items()
    )


def _is_rest(cells: Cells, row: Row, line: Row) -> bool:
    """Whether a line that is as far below a row as any other is the rest of it.

    It is if it has words below words and nothing in the first column, or there a word in small letters.
    """
    texts = {column: cells.text(numbers) for column, numbers in line.cells.items()}
    if 0 not in texts:
        return set(texts) <= set(row.cells) and not any(map(is_value, texts.values())) and 0 in row.cells
    return texts[0][:1].islower() and (len(texts) == 1 or set(row.cells) == {0})
