"""The draws of the bootstrap, remembered: many tests score and verify the same few records again and again.

They are a pure function of values, number and seed; `tests/evaluation/scoring/test_statistics.py` holds them to a draw by hand.
To score a run of four questions takes 10,000 of them for each of some 60 columns; all else takes a fifth of that.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

from hopweave.evaluation.scoring import statistics

MAX_REMEMBERED = 12

Lists = list[list[Any]]


def draw_once() -> None:
    """Has draws and their means remembered, for all that imports them from here on."""
    statistics.resampled_means = _remembered(statistics.resampled_means, iter)
    statistics.bootstrap_means = _remembered(statistics.bootstrap_means, list)


def _remembered(draw: Callable[..., Iterable[Any]], given: Callable[[Iterable[Any]], Any]) -> Callable[..., Any]:
    known: OrderedDict[Any, Lists] = OrderedDict()

    @wraps(draw)
    def drawn(columns: Sequence[statistics.Values], **how: int) -> Any:
        key = tuple(map(tuple, columns)), tuple(sorted(how.items()))
        if key not in known:
            known[key] = list(draw(columns, **how))
        known.move_to_end(key)
        while len(known) > MAX_REMEMBERED:
            known.popitem(last=False)
        return given(map(list, known[key]))

    return drawn
