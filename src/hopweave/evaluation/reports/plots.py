"""The plots of a report: means with their intervals, side by side, and quality against cost.

They can be read in black and white: what counts is said by filled and hollow, by lines and ticks, and by names, which
stand at what they name. Axes of what can be compared begin at zero and are the same in every panel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hopweave.evaluation.reports.svg import (
    SIZE,
    Scale,
    distinct_names,
    dot,
    haloed,
    line,
    path,
    scale_over,
    svg,
    text,
    tick_text,
    width_of,
    wrapped,
)
from hopweave.evaluation.scoring.tables import Frontier, Interval, Point
from hopweave.render.markup import Markup

NO_DATA = "no data"

WIDTH = 720.0
_LINE = 14.0
_VALUE_WIDTH = 50.0
_GAP = 26.0
_MAX_PANELS_A_LINE = 3


@dataclass(frozen=True, slots=True)
class Dot:
    """A mean in a panel.

    Attributes:
        value: `None` is drawn as the words "no data".
        words: the value as it is printed beside the panel.
        interval: drawn as a line.
        bounds: drawn as two upright ticks.
        is_filled: hollow says less: a difference that may be chance.
    """

    value: float | None
    words: str = NO_DATA
    interval: Interval | None = None
    bounds: Interval | None = None
    is_filled: bool = True

    def extent(self) -> list[float]:
        """All values that the axis has to reach."""
        ends = [end for part in (self.interval, self.bounds) if part for end in (part.low, part.high)]
        return [] if self.value is None else [self.value, *ends]


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel with a dot for each row."""

    title: str
    dots: tuple[Dot, ...]


def dot_plot(title: str, rows: Sequence[str], panels: Sequence[Panel], axis: str, *, has_zero_line: bool = False) -> str:
    """Rows of dots with their intervals, in panels that share rows and axis.

    Args:
        title: for those who cannot see it.
        rows: names at the left.
        panels: each with a dot for each row.
        axis: what the axis says.
        has_zero_line: draws where there is no difference.
    """
    gutter = min(max((width_of(row) for row in rows), default=0.0), 172.0) + 14
    names = [wrapped(row, gutter - 14, 3) for row in rows]
    heights = [max(22.0, len(name) * _LINE + 8) for name in names]
    a_line = min(len(panels), _MAX_PANELS_A_LINE)
    room = (WIDTH - gutter - (a_line - 1) * _GAP) / a_line - _VALUE_WIDTH
    values = [value for panel in panels for one in panel.dots for value in one.extent()]
    room = min(room, 330.0)
    scale = scale_over(values, 0.0, room, _num_ticks(room))
    drawn: list[Markup] = []
    top = 0.0
    for first in range(0, len(panels), a_line):
        heads = [wrapped(panel.title, room + _VALUE_WIDTH - 6, 2) for panel in panels[first : first + a_line]]
        head = max(map(len, heads)) * _LINE + 6
        drawn += _row_names(rows, names, heights, top + head)
        for column, panel in enumerate(panels[first : first + a_line]):
            left = gutter + column * (scale.end + _VALUE_WIDTH + _GAP)
            drawn += _head(left, top, heads[column])
            drawn += _panel(panel, heights, left, top + head, scale, has_zero_line=has_zero_line)
        top += head + sum(heights) + 26
    width = gutter + a_line * (scale.end + _VALUE_WIDTH) + (a_line - 1) * _GAP
    drawn.append(text(gutter, top + 8, axis, "soft"))
    return svg(max(width, gutter + width_of(axis)), top + 14, title, drawn)


def _num_ticks(width: float) -> int:
    """How many round values there is room for."""
    return max(int(width // 34), 3)


def _row_names(rows: Sequence[str], names: Sequence[Sequence[str]], heights: Sequence[float], top: float) -> list[Markup]:
    drawn = []
    for full, lines, height in zip(rows, names, heights, strict=True):
        first = top + height / 2 - (len(lines) - 1) * _LINE / 2 + SIZE * 0.36
        drawn += [text(0, first + number * _LINE, words, full=full) for number, words in enumerate(lines)]
        top += height
    return drawn


def _head(left: float, top: float, lines: Sequence[str]) -> list[Markup]:
    return [text(left, top + 11 + number * _LINE, words, bold=True) for number, words in enumerate(lines)]


def _panel(
    panel: Panel, heights: Sequence[float], left: float, top: float, scale: Scale, *, has_zero_line: bool
) -> list[Markup]:
    bottom = top + sum(heights)
    drawn = []
    for tick in scale.ticks(_num_ticks(scale.end)):
        x = left + scale(tick)
        drawn.append(line(x, top, x, bottom))
        drawn.append(text(x, bottom + 14, tick_text(tick), "soft", "middle"))
    if has_zero_line:
        drawn.append(line(left + scale(0), top, left + scale(0), bottom, "soft", dashes="3 3"))
    for one, height in zip(panel.dots, heights, strict=True):
        y = top + height / 2
        if one.value is None:
            drawn.append(text(left + scale.end + 8, y + SIZE * 0.36, one.words, "soft"))
        else:
            if one.interval:
                drawn.append(line(left + scale(one.interval.low), y, left + scale(one.interval.high), y, "mark", 2.6))
            ends = (one.bounds.low, one.bounds.high) if one.bounds else ()
            drawn += [line(left + scale(end), y - 6, left + scale(end), y + 6, "mark") for end in ends]
            drawn.append(dot(left + scale(one.value), y, is_filled=one.is_filled))
            drawn.append(text(left + scale.end + 8, y + SIZE * 0.36, one.words))
        top += height
    return drawn


FRONTIER_WIDTH, FRONTIER_HEIGHT = 450.0, 310.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, 24.0, 30.0, 42.0

Box = tuple[float, float, float, float]


def frontier_plot(title: str, frontier: Frontier, quality: str, cost: str, *, is_higher_better: bool = True) -> str:
    """Quality against cost: a filled dot for a method that no other beats in both, and a line along these.

    Args:
        title: for those who cannot see it.
        frontier: at least one point.
        quality: what the upright axis says.
        cost: what the level axis says.
        is_higher_better: of the quality.
    """
    points = sorted(frontier.points, key=lambda point: (point.cost, -point.quality, point.method))
    right, bottom = FRONTIER_WIDTH - _RIGHT, FRONTIER_HEIGHT - _BOTTOM
    across = scale_over([point.cost for point in points], _LEFT, right, 6, may_be_log=True)
    heights = [value for point in points for value in _extent(point)]
    up = scale_over(heights, bottom, _TOP, 6)
    drawn = []
    for tick in up.ticks(6):
        drawn.append(line(_LEFT, up(tick), right, up(tick)))
        drawn.append(text(_LEFT - 6, up(tick) + SIZE * 0.36, tick_text(tick), "soft", "end"))
    drawn.append(line(_LEFT, bottom, right, bottom, "soft"))
    for tick in across.ticks(6):
        drawn.append(line(across(tick), bottom, across(tick), bottom + 4, "soft"))
        drawn.append(text(across(tick), bottom + 17, tick_text(tick), "soft", "middle"))
    drawn.append(text(0, 12, quality, "soft"))
    drawn.append(text(right, FRONTIER_HEIGHT - 6, cost + (", log scale" if across.is_log else ""), "soft", "end"))
    stairs = _stairs([(across(p.cost), up(p.quality)) for p in points if p.is_best])
    places = [(across(point.cost), up(point.quality)) for point in points]
    for point, (x, _) in zip(points, places, strict=True):
        if point.interval:
            drawn.append(line(x, up(point.interval.low), x, up(point.interval.high), "soft", 1.2))
    if len(stairs) > 1:
        drawn.append(path(stairs))
    drawn += [dot(x, y, is_filled=point.is_best) for point, (x, y) in zip(points, places, strict=True)]
    whiskers = [
        (x - 1, up(p.interval.high), x + 1, up(p.interval.low)) for p, (x, _) in zip(points, places, strict=True) if p.interval
    ]
    labels = distinct_names([point.method for point in points], 26)
    for point, label, spot in zip(points, labels, place_labels(labels, places, whiskers, stairs), strict=True):
        drawn += spot.drawn(label, point.method)
    return svg(FRONTIER_WIDTH, FRONTIER_HEIGHT, title, drawn)


def _extent(point: Point) -> list[float]:
    return [point.quality, *((point.interval.low, point.interval.high) if point.interval else ())]


def _stairs(best: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """From one of the best methods to the next: for a cost between two, the cheaper one is what is available."""
    corners = list(best[:1])
    for (_, y), (x, new_y) in pairwise(best):
        corners += [(x, y), (x, new_y)]
    return corners


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a label stands: at its point, or away from it at the end of a thin line."""

    x: float
    y: float
    anchor: str
    box: Box
    point: tuple[float, float]
    has_leader: bool

    def drawn(self, label: str, full: str) -> list[Markup]:
        """The label with its line."""
        leader = []
        if self.has_leader:
            x0, y0, x1, y1 = self.box
            near = (min(max(self.point[0], x0), x1), min(max(self.point[1], y0), y1))
            leader.append(line(*self.point, *near, "soft", 0.7))
        return [*leader, *haloed(self.x, self.y, label, self.anchor, full)]


def place_labels(
    labels: Sequence[str],
    points: Sequence[tuple[float, float]],
    whiskers: Sequence[Box] = (),
    stairs: Sequence[tuple[float, float]] = (),
) -> list[Spot]:
    """Puts each label where it hides least: other labels and dots least of all, then intervals, then the line."""
    dots = [(x - 5, y - 5, x + 5, y + 5) for x, y in points]
    edges = [_spanned(a, b) for a, b in pairwise(stairs)]
    placed: list[Spot] = []
    for label, point in zip(labels, points, strict=True):
        taken = [spot.box for spot in placed]

        def hidden(numbered: tuple[int, Spot], taken: Sequence[Box] = taken) -> float:
            rank, spot = numbered
            hard = sum(_overlap(spot.box, box) for box in (*taken, *dots))
            soft = sum(_overlap(spot.box, box) > 0 for box in whiskers) * 3 + sum(_overlap(spot.box, box) > 0 for box in edges)
            return 1000 * _outside(spot.box) + 100 * hard + 4 * soft + rank

        placed.append(min(enumerate(_spots(label, point)), key=hidden)[1])
    return placed


def _spots(label: str, point: tuple[float, float]) -> list[Spot]:
    """Where a label may stand, best first."""
    width, spots = width_of(label), []
    for away in (0, 14, 28, 44, 62, 82):
        for dx, dy in ((1, 0), (-1, 0), (1, -1), (1, 1), (-1, -1), (-1, 1), (0, -1), (0, 1)):
            reach = (8 if dy == 0 else 6) + away
            x = point[0] + dx * reach
            y = point[1] + dy * (10 + away) + SIZE * 0.36
            left = x - (0 if dx > 0 else width if dx < 0 else width / 2)
            box = (left - 1, y - SIZE * 0.8, left + width + 1, y + SIZE * 0.25)
            spots.append(Spot(x, y, {1: "start", -1: "end", 0: "middle"}[dx], box, point, away > 0))
    return spots


def _spanned(a: tuple[float, float], b: tuple[float, float]) -> Box:
    return min(a[0], b[0]) - 1, min(a[1], b[1]) - 1, max(a[0], b[0]) + 1, max(a[1], b[1]) + 1


def _overlap(a: Box, b: Box) -> float:
    across, down = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return across * down if across > 0 and down > 0 else 0.0


def _outside(box: Box) -> float:
    """How far a box stands out of the plot."""
    over = (_LEFT - box[0], _TOP - 8 - box[1], box[2] - (FRONTIER_WIDTH - 2), box[3] - (FRONTIER_HEIGHT - _BOTTOM - 2))
    return sum(max(part, 0.0) for part in over)
