"""Lines of a page of a PDF that may be a table: those between two lines of running text, headings, or wide blanks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.pdf_layout import TextLine, Word, text_of
from hopweave.ingest.table_heads import is_period, is_value

_FEWEST_LINES = 2
"""With a wide gap."""
_PARAGRAPH_GAP = 1.6
"""Between two rows, as a share of the height of a line, at most."""
_LEAST_GAP, _MORE = 0.5, 1.5
"""Between two tables: as a share of the height of a line, and times the gap between most rows, together."""
_MOST_GAPS = 20
"""Gaps between rows that another one is compared with."""
_FULL_LINE = 0.6
"""Share of the width of a page that a line of text has, at least."""
_MARGIN = 0.1
"""Share of the width of a page by which a line of text may be indented."""
_LARGER = 1.15
"""The height of a line that is a heading, relative to most lines."""
_AT_LEFT = 3.0
"""Points by which a line may begin after the others."""
_WORD = lazy_pattern(r"[^\W\d_]")
_MOST_LINES_OF_A_CELL = 12
_MOST_GROUPS = 2
"""Lines between the names of columns and the first row with a number."""


def runs_of(lines: Sequence[TextLine], words: Sequence[Word]) -> Iterator[list[TextLine]]:
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
            gap > _PARAGRAPH_GAP * line.height
            or (len(gaps) > 1 and gap > _LEAST_GAP * line.height + _MORE * median(gaps[-_MOST_GAPS:]))
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
    """Whether a line names the columns of another table: all of it is words, and it is in bold type after rows in other type,
    or below a line that stands alone at the left, such as a caption, below numbers.
    """
    told = [text_of(segment, words) for segment in line.segments]
    if len(told) < 2 or not all(_WORD.search(one) or is_period(one) for one in told) or any(map(is_value, told)):
        return False
    if _is_bold(line, words):
        return any(len(one.segments) > 1 and not _is_bold(one, words) for one in run[-2:])
    above = run[-1]
    is_alone = len(above.segments) == 1 and above.left <= min(line.left, run[0].left) + _AT_LEFT and above.bottom <= line.top
    return is_alone and any(is_value(words[one.segments[-1].words[0]].text) for one in run[-3:-1])


def _is_bold(line: TextLine, words: Sequence[Word]) -> bool:
    return all(words[one].is_bold for one in line.numbers)


def _trimmed(run: Sequence[TextLine], words: Sequence[Word]) -> Iterator[list[TextLine]]:
    """A run from its first line with a wide gap, or a bold line close before that, whose names may nearly touch."""
    told = [number for number, line in enumerate(run) if len(line.segments) > 1]
    if len(told) < _FEWEST_LINES:
        return
    first = told[0]
    before = [number for number in range(max(first - _MOST_GROUPS - 1, 0), first) if _is_bold(run[number], words)]
    if before and not _is_bold(run[first], words):
        first = before[-1]
    while first and run[first - 1].bottom > run[first].top:
        first -= 1
    yield list(run[first : told[-1] + 1 + _MOST_LINES_OF_A_CELL])
