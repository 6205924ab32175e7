"""The columns that the words of some lines stand in, told by the blanks between them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from hopweave.ingest.pdf_layout import SAME_ROW, Segment, TextLine, Word, text_of
from hopweave.ingest.table_heads import is_value

_FEWEST_CUT, _SHARE_CUT, _LEAST_CUT = 3, 0.7, 1.5
"""Of the lines of a column that are cut at a gap, and the width of that in points."""
_MOST_COLUMNS = 50
_CUT = 0.22
"""Between words of two columns, as a share of their height, at least, if only the gap tells them apart."""
_APART = 1.0
"""Points between two columns, at least."""


def columns_of(run: Sequence[TextLine], words: Sequence[Word]) -> list[tuple[float, float]]:
    """The left and right of each column.

    They are what blanks separate on all lines with numbers and on the line of names above them. Where that fails, they are
    those of the lines that have as many cells as the names, or else most; what else touches them is in them, and what is
    between two taken ones is one more.
    """
    wide = [line for line in _bands(run) if len(line.segments) > 1]
    with_value = [line for line in wide if _has_value(line, words)]
    if not wide or max(len(line.segments) for line in wide) > _MOST_COLUMNS:
        return []
    first = with_value[0] if with_value else wide[-1]
    above = next((line for line in reversed(wide) if line.top < first.top), None)
    told = [*([above] if above is not None else ()), *(with_value or wide)]
    if projected := _projected(told) or _projected(with_value):
        return list(_split_columns(projected, run, words))
    counted = Counter(len(line.segments) for line in with_value or wide)
    num = max(counted)
    if above is not None and counted[len(above.segments)] > counted[num]:
        num = len(above.segments)
    full = [line for line in told if len(line.segments) == num]
    columns = [
        (min(one.left for one in alike), max(one.right for one in alike))
        for alike in zip(*(line.segments for line in full), strict=True)
    ]
    if any(after[0] <= before[1] for before, after in pairwise(columns)):
        columns = [(one.left, one.right) for one in full[-1].segments]
    for line in sorted(told, key=lambda line: -len(line.segments)):
        for segment in line.segments if len(line.segments) <= num + 1 else ():
            for piece in cut(segment, columns, words):
                first_column, width = columns_under(piece, columns)
                if width == 1:
                    left, right = columns[first_column]
                    columns[first_column] = min(left, piece.left), max(right, piece.right)
                elif width == 0 and not _free_beside(first_column, columns, line):
                    columns.insert(first_column, (piece.left, piece.right))
    return list(_split_columns(columns, run, words))


def _bands(run: Sequence[TextLine]) -> list[TextLine]:
    """Lines, those that are partly beside each other as one, such as the lines of a cell and a number halfway down."""
    bands: list[TextLine] = []
    for line in run:
        if not bands or line.top >= bands[-1].bottom - SAME_ROW * line.height:
            bands.append(TextLine(line.top, line.bottom, [Segment([*one.words], one.left, one.right) for one in line.segments]))
            continue
        joined: list[Segment] = []
        for one in sorted((*bands[-1].segments, *line.segments), key=lambda one: one.left):
            if joined and one.left <= joined[-1].right:
                joined[-1] = Segment([*joined[-1].words, *one.words], joined[-1].left, max(joined[-1].right, one.right))
            else:
                joined.append(one)
        bands[-1] = TextLine(bands[-1].top, line.bottom, joined)
    return bands


def _projected(lines: Sequence[TextLine]) -> list[tuple[float, float]]:
    """What no blank separates on all lines, if each line has at most one cell in each, and some line one in every one."""
    columns: list[tuple[float, float]] = []
    for left, right in sorted((one.left, one.right) for line in lines for one in line.segments):
        if columns and left < columns[-1][1] + _APART:
            columns[-1] = columns[-1][0], max(columns[-1][1], right)
        else:
            columns.append((left, right))
    is_full = len(columns) <= _MOST_COLUMNS and len(columns) == max((len(line.segments) for line in lines), default=0) > 1
    return columns if is_full and all(_fit(line, columns) for line in lines) else []


def _fit(line: TextLine, slots: Sequence[tuple[float, float]]) -> bool:
    """Whether each cell of a line is in a column of its own."""
    taken = [
        at
        for one in line.segments
        for at, slot in enumerate(slots)
        if slot[0] - _APART <= one.left and one.right <= slot[1] + _APART
    ]
    return len(taken) == len(line.segments) == len(set(taken))


def widest_gap(lines: Sequence[TextLine]) -> float | None:
    """Where the widest blank down all of some lines ends; `None` if there is none."""
    gaps = [*_gaps(sorted((one.left, one.right) for line in lines for one in line.segments))]
    return max(gaps, key=lambda gap: gap[1] - gap[0])[1] if gaps else None


def columns_under(segment: Segment, columns: Sequence[tuple[float, float]]) -> tuple[int, int]:
    """The first column that a segment touches, and how many; if none, where one for it would stand, and 0."""
    first = _first_ending_after(segment.left, columns)
    last = first
    while last < len(columns) and columns[last][0] <= segment.right:
        last += 1
    return first, last - first


def _first_ending_after(place: float, columns: Sequence[tuple[float, float]]) -> int:
    return next((at for at, column in enumerate(columns) if column[1] >= place), len(columns))


def nearest(segment: Segment, first: int, columns: Sequence[tuple[float, float]], taken: Collection[int]) -> int:
    """The column of a segment between two columns: the free one, or the one nearer to it."""
    sides = [at for at in (first - 1, first) if 0 <= at < len(columns)]
    free = [at for at in sides if at not in taken] or sides
    return min(free, key=lambda at: max(columns[at][0] - segment.right, segment.left - columns[at][1]))


def cut(segment: Segment, columns: Sequence[tuple[float, float]], words: Sequence[Word]) -> list[Segment]:
    """A segment in pieces that stand in one column each, if it can be cut so; else as it is.

    Words that the file writes together stay together; if that is not known, only gaps tell.
    """
    if columns_under(segment, columns)[1] < 2:
        return [segment]
    together: list[list[int]] = []
    for number in segment.words:
        if words[number].is_first is not False or not together:
            together.append([])
        together[-1].append(number)
    found = _in_columns(together, columns, words)
    is_told = all(words[number].is_first is not None for number in segment.words)
    return found if found is not None and (is_told or _are_apart(found, words)) else [segment]


def _are_apart(pieces: Sequence[Segment], words: Sequence[Word]) -> bool:
    """Whether gaps between some pieces are wider than a blank, and than all gaps within them."""
    within = [words[after].left - words[one].right for piece in pieces for one, after in pairwise(piece.words)]
    least = max([_CUT * (words[pieces[0].words[0]].bottom - words[pieces[0].words[0]].top), *within])
    return all(after.left - before.right >= least for before, after in pairwise(pieces))


def _in_columns(
    pieces: Sequence[Sequence[int]], columns: Sequence[tuple[float, float]], words: Sequence[Word]
) -> list[Segment] | None:
    """Words by their column; `None` if some touch several. Those that touch none are with what they are closest to."""
    boxes = [Segment(list(numbers), words[numbers[0]].left, words[numbers[-1]].right) for numbers in pieces]
    joined: list[tuple[int | None, Segment]] = []
    for number, box in enumerate(boxes):
        at, touched = columns_under(box, columns)
        if touched > 1:
            return None
        before = box.left - boxes[number - 1].right if number else math.inf
        after = boxes[number + 1].left - box.right if number + 1 < len(boxes) else math.inf
        last = joined[-1] if joined else None
        is_same = last is not None and (last[0] == at if touched and last[0] is not None else touched > 0 or before <= after)
        if last is not None and is_same:
            last[1].words += box.words
            last[1].right = box.right
            joined[-1] = (at if touched else last[0], last[1])
        else:
            joined.append((at if touched else None, box))
    return [segment for _, segment in joined]


def _has_value(line: TextLine, words: Sequence[Word]) -> bool:
    return any(is_value(text_of(segment, words)) for segment in line.segments)


def _free_beside(first: int, columns: Sequence[tuple[float, float]], line: TextLine) -> bool:
    """Whether a line has nothing in a column next to a place between two columns, in which what stands there may belong."""
    return any(
        all(one.left > columns[at][1] or one.right < columns[at][0] for one in line.segments)
        for at in (first - 1, first)
        if 0 <= at < len(columns)
    )


def _split_columns(
    columns: Sequence[tuple[float, float]], run: Sequence[TextLine], words: Sequence[Word]
) -> Iterator[tuple[float, float]]:
    """Columns, those cut in two that have a gap on all lines, the first of them included, as where cells nearly touch."""
    for column in columns:
        told = [_pieces_in(line, column, words) for line in run if len(line.segments) > 1]
        told = [pieces for pieces in told if pieces]
        start = column[0]
        for gap in _gaps(sorted(piece for pieces in told for piece in pieces)):
            both = [pieces[0][0] < gap[0] and pieces[-1][1] > gap[1] for pieces in told]
            if both[0] and sum(both) >= max(_FEWEST_CUT, _SHARE_CUT * len(both)):
                yield start, gap[0]
                start = gap[1]
        yield start, column[1]


def _pieces_in(line: TextLine, column: tuple[float, float], words: Sequence[Word]) -> list[tuple[float, float]]:
    """The left and right of what a line has in a column, words that are written together as one."""
    pieces: list[tuple[float, float]] = []
    for number in line.numbers:
        word = words[number]
        if word.left > column[1] or word.right < column[0]:
            continue
        if pieces and word.is_first is False:
            pieces[-1] = pieces[-1][0], word.right
        else:
            pieces.append((word.left, word.right))
    return pieces


def _gaps(pieces: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """What some pieces, in order, leave free between them."""
    end: float | None = None
    for left, right in pieces:
        if end is not None and left - end >= _LEAST_CUT:
            yield end, left
        end = right if end is None else max(end, right)
