"""The plots of a report: means with their intervals, quality against cost, and curves over sizes of models.

They can be read in black and white: they use filled and hollow marks, lines and ticks, shapes, and names next to what they
name. Comparable axes begin at zero and are the same in every panel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hopweave.evaluation.scoring.results import Frontier, Interval, Point
from hopweave.show.plain import ELLIPSIS, one_line
from hopweave.show.svg import ACCENT, INK, PAPER, SIZE, SOFT, can_draw, drawing, svg_of
from hopweave.show.table import NO_DATA

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 720.0
_ROW = 24.0
_MAX_PANELS_A_LINE = 3
_MAX_NAME = 26
_MARKS = "os^Dv<>p"
_DASHES = ((1, 0), (6, 2), (2, 1.5), (6, 2, 1.5, 2), (12, 4), (2, 5), (6, 2, 1.5, 2, 1.5, 2), (12, 2, 2, 2))
"""Lengths of strokes and gaps."""
_FAR = 12.0
"""The distance in pixels between a dot and its name from which a line joins them."""
FRONTIER_WIDTH, FRONTIER_HEIGHT = 450.0, 310.0
_CURVES_WIDTH, _CURVES_HEIGHT = 310.0, 270.0


Box = tuple[float, float, float, float]
"""Left, low, right and high edge, in pixels from the lower left."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A mean in a panel.

    Attributes:
        value: `None` is drawn as the words "no data".
        words: the value as it is printed next to the panel.
        interval: drawn as a line.
        bounds: drawn as two upright ticks.
        is_filled: hollow marks a difference that may be chance.
    """

    value: float | None
    words: str = NO_DATA
    interval: Interval | None = None
    bounds: Interval | None = None
    is_filled: bool = True

    def extent(self) -> list[float]:
        """All values that the axis must include."""
        ends = [end for part in (self.interval, self.bounds) if part for end in (part.low, part.high)]
        return [] if self.value is None else [self.value, *ends]


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel with a dot for each row."""

    title: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of one method, joined by a line where they were measured.

    Attributes:
        name: for the legend; curves of one name look alike in all panels.
        points: size and value each, both finite, the size above 0.
        is_published: drawn without a line, since the points of a paper are of other models than those between them.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    is_published: bool = False


@dataclass(frozen=True, slots=True)
class CurvePanel:
    """The curves of a dataset."""

    title: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """Panels side by side on the same axes; `across` labels the horizontal axis, and `up` the vertical one."""

    panels: tuple[CurvePanel, ...]
    across: str
    up: str


@dataclass(frozen=True, slots=True)
class RiskCurve:
    """The risk-coverage curve of a method.

    Attributes:
        name: for the legend; curves of one name look alike in all panels.
        points: coverage and risk, in the order of coverage.
        ticks: coverage and risk of the answers with a tick; `None` without any.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    ticks: tuple[float, float] | None = None


def draw_dots(title: str, rows: Sequence[str], panels: Sequence[Panel], axis: str, *, has_zero_line: bool = False) -> str:
    """Rows of dots with their intervals, in panels that share rows and axis, as SVG.

    Args:
        title: a description for those who cannot see the drawing.
        rows: names at the left.
        panels: each with a dot for each row.
        axis: the label of the axis.
        has_zero_line: whether to draw a line at zero difference.

    Returns:
        The drawing; empty if matplotlib is not installed.
    """
    if not can_draw():
        return ""
    a_line = min(len(panels), _MAX_PANELS_A_LINE)
    num_lines = math.ceil(len(panels) / a_line)
    names = distinct_names(rows, _MAX_NAME)
    values = [value for panel in panels for one in panel.dots for value in one.extent()]
    with drawing(WIDTH if a_line > 1 else 560.0, num_lines * (len(rows) * _ROW + 48) + 22) as figure:
        every = figure.subplots(num_lines, a_line, sharex=True, sharey=True, squeeze=False).flat
        for axes in every[len(panels) :]:
            axes.set_visible(False)
        titles = distinct_names([panel.title for panel in panels], 72 // a_line)
        for axes, panel, name in zip(every, panels, titles, strict=False):
            _draw_panel(axes, panel, name, names, has_zero_line=has_zero_line)
        _set_limits(every[0], "x", values, num_ticks=10 // a_line + 2)
        _name_level_axis(figure, axis)
        return svg_of(figure, title)


def _draw_panel(axes: Axes, panel: Panel, title: str, names: Sequence[str], *, has_zero_line: bool) -> None:
    axes.set_title(title, loc="left", fontsize=SIZE, fontweight="bold", color=INK)
    axes.set_yticks(range(len(names)), names, color=INK)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(labelbottom=True, bottom=False)
    axes.spines["bottom"].set_visible(False)
    axes.grid(axis="x")
    if has_zero_line:
        axes.axvline(0, color=SOFT, linewidth=1.0, linestyle=(0, (3, 3)))
    for y, one in enumerate(panel.dots):
        if one.value is not None:
            if one.interval:
                axes.plot([one.interval.low, one.interval.high], [y, y], color=INK, linewidth=2.4)
            for end in (one.bounds.low, one.bounds.high) if one.bounds else ():
                axes.plot([end, end], [y - 0.24, y + 0.24], color=INK, linewidth=1.0)
            _dot(axes, one.value, y, is_filled=one.is_filled)
        shade = SOFT if one.value is None else INK
        axes.text(1.03, y, one_line(one.words), color=shade, va="center_baseline", transform=axes.get_yaxis_transform())


def _dot(axes: Axes, x: float, y: float, *, is_filled: bool) -> None:
    axes.plot([x], [y], "o", markersize=7.2, markerfacecolor=INK if is_filled else PAPER, markeredgecolor=INK, zorder=4)


def _set_limits(axes: Axes, side: Literal["x", "y"], values: Sequence[float], *, num_ticks: int) -> None:
    """Round values on the axis, zero among them, the first and the last at its ends."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    low, high = min([0.0, *values]), max([0.0, *values])
    ticks = MaxNLocator(num_ticks - 1, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high if high > low else 1.0)
    getattr(axes, f"set_{side}ticks")(ticks)
    getattr(axes, f"set_{side}lim")(ticks[0], ticks[-1])
    getattr(axes, f"{side}axis").set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))


def _name_level_axis(figure: Figure, words: str) -> None:
    figure.supxlabel(one_line(words), fontsize=SIZE, color=SOFT)


def _set_level_limits(axes: Axes, values: Sequence[float], *, num_ticks: int) -> bool:
    """The same; if all are above zero and the greatest is over 20 times the least, the axis is logarithmic.

    Returns:
        Whether it is logarithmic.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    if not (min(values) > 0 and max(values) / min(values) > 20):
        _set_limits(axes, "x", values, num_ticks=num_ticks)
        return False
    powers = range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)
    steps = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
    low = max(step for step in steps if step <= min(values) * (1 + 1e-9))
    high = min(step for step in [*steps, 10.0 ** (powers[-1] + 1)] if step >= max(values) * (1 - 1e-9))
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        ticks = [tick for power in powers for digit in digits if low <= (tick := digit * 10.0**power) <= high]
        if len(ticks) <= num_ticks:
            break
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))
    return True


def draw_frontier(title: str, frontier: Frontier, quality: str, cost: str) -> str:
    """Quality against cost, as SVG: a filled dot for a method that no other beats in both, joined by a line.

    Args:
        title: a description for those who cannot see the drawing.
        frontier: at least one point.
        quality: the label of the vertical axis.
        cost: the label of the horizontal axis.

    Returns:
        The drawing; empty if matplotlib is not installed.
    """
    if not can_draw():
        return ""
    points = sorted(frontier.points, key=lambda point: (point.cost, -point.quality, point.method))
    with drawing(FRONTIER_WIDTH, FRONTIER_HEIGHT) as figure:
        axes = figure.subplots()
        is_log = _set_level_limits(axes, [point.cost for point in points], num_ticks=6)
        _set_limits(axes, "y", [value for point in points for value in _extent(point)], num_ticks=6)
        axes.grid(axis="y")
        axes.set_title(one_line(quality), loc="left", fontsize=SIZE, color=SOFT)
        axes.set_xlabel(one_line(cost) + (", log scale" if is_log else ""), loc="right")
        for point in points:
            if point.interval:
                axes.plot([point.cost] * 2, [point.interval.low, point.interval.high], color=SOFT, linewidth=1.2)
        best = [point for point in points if point.is_best]
        if len(best) > 1:
            # For a cost between two of the best, only the cheaper one is available.
            line = [point.cost for point in best], [point.quality for point in best]
            axes.plot(*line, color=ACCENT, linewidth=1.5, drawstyle="steps-post")
        for point in points:
            _dot(axes, point.cost, point.quality, is_filled=point.is_best)
        _name_points(axes, points)
        return svg_of(figure, title)


def _extent(point: Point) -> list[float]:
    return [point.quality, *((point.interval.low, point.interval.high) if point.interval else ())]


def _name_points(axes: Axes, points: Sequence[Point]) -> None:
    """Puts each name where it hides least of the dots and the other names; one that is far has a thin line to its dot."""
    from matplotlib.lines import Line2D

    figure: Any = axes.figure
    figure.draw_without_rendering()  # so that places are known in pixels
    figure.set_layout_engine("none")
    places: list[tuple[float, float]] = [tuple(axes.transData.transform((point.cost, point.quality))) for point in points]
    taken: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in places]
    for name, (x, y) in zip(distinct_names([point.method for point in points], _MAX_NAME), places, strict=True):
        back = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.6}
        label = figure.text(0, 0, name, color=INK, va="bottom", transform=None, bbox=back, zorder=5)
        size = label.get_window_extent()
        spots = _spots((x, y), size.width, size.height)
        box = min(spots, key=lambda spot: sum(_overlap(spot, one) for one in taken) + _outside(spot))
        label.set_position(box[:2])
        taken.append(box)
        near = min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3])
        if math.dist((x, y), near) > _FAR:
            figure.add_artist(Line2D([x, near[0]], [y, near[1]], transform=None, color=SOFT, linewidth=0.7, zorder=3))


def _spots(point: tuple[float, float], width: float, height: float) -> list[Box]:
    """Possible positions of a label, best first."""
    spots = []
    for away in (0, 14, 28, 44, 62, 82):
        for dx, dy in ((1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1)):
            left = point[0] + dx * ((8 if dy == 0 else 6) + away) - (0 if dx > 0 else width if dx < 0 else width / 2)
            low = point[1] + dy * (8 + away) - (0 if dy > 0 else height if dy < 0 else height / 2)
            spots.append((left, low, left + width, low + height))
    return spots


def _overlap(one: Box, other: Box) -> float:
    across, up = min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1])
    return across * up if across > 0 and up > 0 else 0.0


def _outside(box: Box) -> float:
    """How far a box extends beyond the drawing, weighted above anything that it could hide inside."""
    over = (-box[0], -box[1], box[2] - FRONTIER_WIDTH, box[3] - FRONTIER_HEIGHT)
    return 1000 * sum(max(part, 0.0) for part in over)


def draw_curves(title: str, plot: CurvePlot) -> str:
    """Panels side by side on the same axes, with a legend below, as SVG; empty if there is no point.

    Raises:
        MissingExtra: if matplotlib is not installed.
    """
    points = [point for panel in plot.panels for curve in panel.curves for point in curve.points]
    if not points:
        return ""
    names = list(dict.fromkeys(curve.name for panel in plot.panels for curve in panel.curves))
    height = _CURVES_HEIGHT + 18 * len(names)
    with drawing(len(plot.panels) * _CURVES_WIDTH, height) as figure:
        every = figure.subplots(1, len(plot.panels), sharex=True, sharey=True, squeeze=False).flat
        is_log = _set_level_limits(every[0], [size for size, _ in points], num_ticks=5)
        _set_limits(every[0], "y", [value for _, value in points], num_ticks=6)
        marks: dict[str, Any] = {}
        for axes, panel in zip(every, plot.panels, strict=True):
            axes.set_title(shortened(panel.title, 40), loc="left", fontsize=SIZE, fontweight="bold", color=INK)
            axes.grid(axis="y")
            for curve in panel.curves:
                (marks[curve.name],) = axes.plot(
                    *zip(*sorted(curve.points), strict=True),
                    marker=_MARKS[names.index(curve.name) % len(_MARKS)],
                    linestyle="none" if curve.is_published else "-",
                    color=ACCENT,
                    markersize=7,
                    markerfacecolor=PAPER if curve.is_published else INK,
                    markeredgecolor=INK,
                )
        every[0].set_ylabel(one_line(plot.up))
        _name_level_axis(figure, plot.across + (", log scale" if is_log else ""))
        legend = figure.legend([marks[name] for name in names], [one_line(name) for name in names], loc="outside lower left")
        for line in legend.get_lines():
            line.set_linestyle("none")
        return svg_of(figure, title)


def draw_risk_coverage(panels: Sequence[tuple[str, Sequence[RiskCurve]]]) -> str:
    """Risk against coverage of each method in panels on the same axes, with a legend below, as SVG.

    Args:
        panels: the title of each, and its curves.

    Returns:
        The drawing; empty if matplotlib is not installed.
    """
    if not can_draw():
        return ""
    from matplotlib.lines import Line2D

    names = list(dict.fromkeys(curve.name for _, curves in panels for curve in curves))
    looks = {name: _look_of(place) for place, name in enumerate(names)}
    a_line = min(len(panels), _MAX_PANELS_A_LINE)
    num_lines = math.ceil(len(panels) / a_line)
    width = a_line * _CURVES_WIDTH if a_line > 1 else FRONTIER_WIDTH
    with drawing(width, num_lines * _CURVES_HEIGHT + 18 * len(names)) as figure:
        every = figure.subplots(num_lines, a_line, sharex=True, sharey=True, squeeze=False).flat
        for axes in every[len(panels) :]:
            axes.set_visible(False)
        risks = [risk for _, curves in panels for curve in curves for _, risk in (*curve.points, curve.ticks or (0.0, 0.0))]
        _set_limits(every[0], "x", [1.0], num_ticks=6)
        _set_limits(every[0], "y", risks, num_ticks=6)
        for axes, (name, curves) in zip(every, panels, strict=False):
            axes.set_title(shortened(name, 40), loc="left", fontsize=SIZE, fontweight="bold", color=INK)
            axes.grid(axis="y")
            axes.tick_params(labelbottom=True)
            axes.set_xlabel("coverage: share of the questions", loc="right")
            for curve in curves:
                look, num = looks[curve.name], len(curve.points)
                # Hollow marks along the line, at places of its own, so that lines are told apart where they cross.
                at = range(num * (names.index(curve.name) % 4 + 1) // 20, num, max(1, num // 5))
                axes.plot(
                    *zip(*curve.points, strict=True), **look | {"markerfacecolor": PAPER, "markersize": 4}, markevery=list(at)
                )
                if curve.ticks is not None:
                    axes.plot(*curve.ticks, **look | {"linestyle": "none"}, zorder=4)
        every[0].set_ylabel("risk: share of wrong answers")
        handles = [Line2D([], [], **looks[name]) for name in names]
        figure.legend(handles, [one_line(name) for name in names], loc="outside lower left", handlelength=4)
        return svg_of(figure, "Risk against coverage of each method")


def _look_of(place: int) -> dict[str, Any]:
    """The marks and the line of a method, by its place; they part ways after eight."""
    return {
        "marker": _MARKS[place % len(_MARKS)],
        "linestyle": (0, _DASHES[(place + place // len(_MARKS)) % len(_DASHES)]),
        "color": ACCENT,
        "linewidth": 1.5,
        "markersize": 7,
        "markerfacecolor": INK,
        "markeredgecolor": INK,
    }


def shortened(words: str, max_characters: int) -> str:
    """A name with its middle left out: names of variants differ at both ends."""
    words = one_line(words)
    if len(words) <= max_characters:
        return words
    end = (max_characters - 1) // 2
    return f"{words[: max_characters - 1 - end]}{ELLIPSIS}{words[len(words) - end :]}" if end else words[:max_characters]


def distinct_names(names: Sequence[str], max_characters: int) -> list[str]:
    """Names cut so that no two that differ look the same."""
    cut = [shortened(name, max_characters) for name in names]
    while len(set(cut)) < len({one_line(name) for name in names}):
        max_characters += 4
        cut = [shortened(name, max_characters) for name in names]
    return cut


def tick_text(value: float) -> str:
    """A round value as printed at an axis."""
    return f"{round(value, 10) + 0.0:,.10g}".replace("-", "\u2212")
