"""Tables of plain text: the same bytes on every terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

_GAP = "  "
_MAX_WIDTH = 118
_MAX_NAME = 36


def lines_of(head: Sequence[str], rows: Sequence[Sequence[str]], *, num_fixed: int = 1) -> Iterator[str]:
    """The lines of a table; one that is too wide goes on below, with its first columns again.

    Args:
        head: of the columns.
        rows: as long as the head.
        num_fixed: how many columns stand again in each part; they are flush left, the others flush right.
    """
    widths = [max(len(row[place]) for row in (head, *rows)) for place in range(len(head))]
    fixed = sum(width + len(_GAP) for width in widths[:num_fixed])
    parts: list[list[int]] = [[]]
    room = _MAX_WIDTH - fixed
    for place in range(num_fixed, len(head)):
        needed = widths[place] + len(_GAP)
        if parts[-1] and needed > room:
            parts.append([])
            room = _MAX_WIDTH - fixed
        parts[-1].append(place)
        room -= needed
    for number, part in enumerate(parts):
        if number:
            yield ""
        for row in (head, *rows):
            left = [row[place].ljust(widths[place]) for place in range(num_fixed)]
            yield _GAP.join([*left, *(row[place].rjust(widths[place]) for place in part)]).rstrip()


def without_empty(head: Sequence[str], rows: Sequence[Sequence[str]], optional: Collection[str]) -> list[list[str]]:
    """Head and rows without those of the optional columns that say nothing in any row: no value, or 0."""
    kept = [
        place for place, name in enumerate(head) if name not in optional or any(row[place] not in ("", "0") for row in rows)
    ]
    return [[row[place] for place in kept] for row in (head, *rows)]


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Names as they stand in a table: a long one without its middle, unless another would read the same."""
    cut = {name: name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME - 14]}...{name[-11:]}" for name in names}
    return {name: short if list(cut.values()).count(short) == 1 else name for name, short in cut.items()}


def number(value: float | None) -> str:
    """A number to four significant digits or three decimals, whichever says more; `no data` if there is none."""
    if value is None:
        return "no data"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:,.1f}"


def probability(value: float | None) -> str:
    """A p."""
    if value is None:
        return "-"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
