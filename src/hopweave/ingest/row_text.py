"""The row of a table as text that says by itself what each cell is of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from hopweave.text.sentences import sentence_spans_of_long

_LONGEST_ROW_SENTENCE = 500
"""Characters of a row of a table that is a single sentence."""
_LONGEST_SHORT_CELL = 120
"""Characters of a cell, with the name of its column, in a row that is several sentences."""


def row_text(names: Sequence[str], cells: Sequence[str]) -> str:
    """A row of a table as text that can be read without the table, such as `city: Ulm; river: Danube.`

    A row of at most 500 characters is one sentence, so that a quote of it has all its cells; the sentences of a cell are joined
    for that. A longer row of short cells is several such sentences, each of which begins with its first cell, which says what
    the row is about. In a row with a long cell, each cell is a sentence or more.

    Args:
        names: of the columns; a cell of a column without a name stands alone.
        cells: in the order of the names; empty ones are left out.
    """
    named = ((_as_words(name), cell.strip()) for name, cell in zip_longest(names, cells, fillvalue=""))
    shown = [f"{name}: {cell}" if name else cell for name, cell in named if cell]
    if sum(map(len, shown)) <= _LONGEST_ROW_SENTENCE:
        return _ended("; ".join(map(_as_one_sentence, shown)))
    if max(map(len, shown)) > _LONGEST_SHORT_CELL:
        return " ".join(map(_ended, shown))
    return " ".join(_ended("; ".join(map(_as_one_sentence, (shown[0], *some)))) for some in _in_turn(shown[1:]))


def _in_turn(cells: Sequence[str]) -> Iterator[list[str]]:
    """Some cells in groups, each short enough for a sentence with one more cell."""
    group: list[str] = []
    length = 0
    for cell in cells:
        length += len(cell)
        if length > _LONGEST_ROW_SENTENCE - _LONGEST_SHORT_CELL:
            yield group
            group, length = [], len(cell)
        group.append(cell)
    yield group


def _as_one_sentence(text: str, between: str = "; ") -> str:
    *others, last = (text[span.start : span.end] for span in sentence_spans_of_long(text))
    return between.join([*(sentence.rstrip(".") for sentence in others), last])


def _as_words(name: str) -> str:
    """The name of a column without what would end a sentence in it, such as the dot of `Perf. (mean)`."""
    shown = " ".join(name.split())
    return _as_one_sentence(shown, " ") if ". " in shown else shown


def _ended(text: str) -> str:
    return text if text[-1:] in ".!?" else f"{text}."
