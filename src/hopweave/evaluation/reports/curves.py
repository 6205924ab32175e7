"""A plot of curves over sizes of models, as the papers draw them: a panel a dataset, published points beside measured ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.evaluation.reports.svg import SIZE, Scale, dot, line, path, scale_over, svg, text, tick_text, width_of
from hopweave.render.markup import Markup

_WIDTH, _HEIGHT = 300.0, 260.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 34.0, 12.0, 44.0, 40.0
_GAP = 20.0
_TICKS = 5
_LEGEND_LINE = 16.0


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


def curve_plot(title: str, panels: Sequence[CurvePanel], across: str, up: str) -> str:
    """Panels side by side on the same axes, with a legend below; empty if there is no point.

    Args:
        title: for those who cannot see it.
        panels: each with its curves.
        across: what the level axis says, and `up` the upright one.
        up: see `across`.
    """
    points = [point for panel in panels for curve in panel.curves for point in curve.points]
    if not points:
        return ""
    level = scale_over([size for size, _ in points], _LEFT, _WIDTH - _RIGHT, _TICKS, may_be_log=True)
    upright = scale_over([value for _, value in points], _HEIGHT - _BOTTOM, _TOP, _TICKS)
    names = list(dict.fromkeys(curve.name for panel in panels for curve in panel.curves))
    drawn = [text(0, 12, up, "soft")]
    for number, panel in enumerate(panels):
        drawn += _panel(panel, names, number * (_WIDTH + _GAP), level, upright)
    width = len(panels) * (_WIDTH + _GAP) - _GAP
    drawn.append(text(width - _RIGHT, _HEIGHT - 4, across + (", log scale" if level.is_log else ""), "soft", "end"))
    published = {curve.name for panel in panels for curve in panel.curves if curve.is_published}
    for number, name in enumerate(names):
        y = _HEIGHT + 14 + number * _LEGEND_LINE
        drawn += [*_mark(_LEFT, y, number, is_filled=name not in published), text(_LEFT + 12, y + SIZE * 0.36, name)]
    longest = max(width_of(name) for name in names) + _LEFT + 12
    return svg(max(width, longest), _HEIGHT + 10 + len(names) * _LEGEND_LINE, title, drawn)


def _panel(panel: CurvePanel, names: Sequence[str], left: float, level: Scale, upright: Scale) -> list[Markup]:
    bottom, right = _HEIGHT - _BOTTOM, left + _WIDTH - _RIGHT
    drawn = [text(left + _LEFT, _TOP - 12, panel.title, bold=True)]
    for tick in upright.ticks(_TICKS):
        drawn.append(line(left + _LEFT, upright(tick), right, upright(tick)))
        drawn.append(text(left + _LEFT - 6, upright(tick) + SIZE * 0.36, tick_text(tick), "soft", "end"))
    for tick in level.ticks(_TICKS):
        drawn.append(line(left + level(tick), bottom, left + level(tick), bottom + 4, "soft"))
        drawn.append(text(left + level(tick), bottom + 17, tick_text(tick), "soft", "middle"))
    for curve in panel.curves:
        places = [(left + level(size), upright(value)) for size, value in sorted(curve.points)]
        if len(places) > 1 and not curve.is_published:
            drawn.append(path(places))
        for x, y in places:
            drawn += _mark(x, y, names.index(curve.name), is_filled=not curve.is_published)
    return drawn


def _mark(x: float, y: float, number: int, *, is_filled: bool) -> list[Markup]:
    """A dot of the curve of that number: each has a size of its own, so that they can be told apart without colour."""
    return [dot(x, y, 2.6 + 1.1 * (number % 4), is_filled=is_filled)]
