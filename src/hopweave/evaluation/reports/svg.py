"""The few shapes that plots are made of, as SVG whose bytes are the same wherever it is drawn.

Colours stand as attributes, so that a file is right by itself in a paper; a page may set others through the classes, since a
style sheet counts before an attribute. The width of a text is estimated, since nobody can be asked how wide its letters are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hopweave.render.markup import Markup, tag
from hopweave.render.plain import ELLIPSIS, one_line

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
INK, SOFT, RULE, ACCENT, PAPER = "#1d1d1b", "#5f5d57", "#d9d6ce", "#1f5f8b", "#ffffff"
SIZE = 11.5
"""Of a text, in pixels."""

_WIDTHS = {**dict.fromkeys("ijl.,:;'|!", 0.3), **dict.fromkeys("ft()[]/ -I", 0.4), **dict.fromkeys("mwMW@%", 0.95)}


def svg(width: float, height: float, title: str, inside: Sequence[Markup]) -> str:
    """A drawing of that size in pixels, with a title for those who cannot see it."""
    return (
        tag(
            "svg",
            tag("title", title),
            *inside,
            xmlns="http://www.w3.org/2000/svg",
            class_="plot",
            role="img",
            width=at(width),
            height=at(height),
            viewBox=f"0 0 {at(width)} {at(height)}",
            font_family=FONT,
            font_size=at(SIZE),
        )
        + "\n"
    )


def at(value: float) -> str:
    """A coordinate, to a hundredth of a pixel."""
    return f"{round(value, 2) + 0.0:g}" if abs(value) < 1000 else f"{value:.0f}"


def line(x1: float, y1: float, x2: float, y2: float, role: str = "rule", width: float = 1.0, dashes: str = "") -> Markup:
    """A straight line; its role (`rule`, `mark`, `soft`, `accent`) gives the colour."""
    colour = {"rule": RULE, "mark": INK, "soft": SOFT, "accent": ACCENT}[role]
    ends = {"x1": at(x1), "y1": at(y1), "x2": at(x2), "y2": at(y2)}
    return tag("line", class_=f"l-{role}", stroke=colour, stroke_width=at(width), stroke_dasharray=dashes, **ends)


def path(points: Sequence[tuple[float, float]], width: float = 1.5) -> Markup:
    """A line through points, in the accent colour."""
    steps = " ".join(f"{'L' if number else 'M'}{at(x)} {at(y)}" for number, (x, y) in enumerate(points))
    return tag("path", class_="l-accent", d=steps, fill="none", stroke=ACCENT, stroke_width=at(width))


def dot(x: float, y: float, radius: float = 3.6, *, is_filled: bool = True) -> Markup:
    """A dot, filled or hollow."""
    fill = INK if is_filled else PAPER
    place = {"cx": at(x), "cy": at(y), "r": at(radius)}
    return tag("circle", class_="d-full" if is_filled else "d-hollow", fill=fill, stroke=INK, stroke_width="1.4", **place)


def text(
    x: float, y: float, words: str, role: str = "ink", anchor: str = "start", full: str = "", *, bold: bool = False
) -> Markup:
    """Words on one line; `full` is what they are short for, shown on hovering."""
    more = [tag("title", full)] if full and full != words else []
    colour = INK if role == "ink" else SOFT
    weight = "600" if bold else ""
    place = {"x": at(x), "y": at(y), "text_anchor": "" if anchor == "start" else anchor}
    return tag("text", words, *more, class_=f"t-{role}", fill=colour, font_weight=weight, **place)


def haloed(x: float, y: float, words: str, anchor: str, full: str) -> list[Markup]:
    """Words on one line that part what they stand on: drawn once broad in the colour of the paper, then as they are.

    Twice, since not every program that reads SVG knows how to draw a stroke behind its letters.
    """
    place = {"x": at(x), "y": at(y), "text_anchor": "" if anchor == "start" else anchor}
    behind = tag("text", words, class_="halo", fill=PAPER, stroke=PAPER, stroke_width="3.5", aria_hidden="true", **place)
    return [behind, text(x, y, words, anchor=anchor, full=full)]


def width_of(words: str, size: float = SIZE) -> float:
    """About how many pixels a text takes; rather too many than too few."""
    return sum(1.0 if ord(sign) > 0x2E7F else _WIDTHS.get(sign, 0.72 if sign.isupper() else 0.61) for sign in words) * size


def wrapped(words: str, max_width: float, max_lines: int) -> list[str]:
    """A name on as many lines as it needs, broken where a reader would; its middle is left out if there are too many."""
    lines = list(_lines(one_line(words), max_width))
    if len(lines) <= max_lines:
        return lines
    kept = len(one_line(words))
    while len(lines) > max_lines:
        kept -= 1
        lines = list(_lines(shortened(words, kept), max_width))
    return lines


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


def _lines(words: str, max_width: float) -> Iterator[str]:
    begin = 0
    while begin < len(words):
        end = begin + 1
        while end < len(words) and width_of(words[begin : end + 1]) <= max_width:
            end += 1
        if end < len(words):
            breaks = [spot for spot in range(begin + 1, end + 1) if words[spot - 1] in " _-/+,." or words[spot] == " "]
            end = max((spot for spot in breaks if spot - begin > (end - begin) // 3), default=end)
        yield words[begin:end].strip()
        begin = end


@dataclass(frozen=True, slots=True)
class Scale:
    """Takes values from `low` to `high` to pixels from `begin` to `end`, by their logarithm if `is_log`."""

    low: float
    high: float
    begin: float
    end: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        """The pixel of a value."""
        low, high, here = (math.log10(v) for v in (self.low, self.high, value)) if self.is_log else (self.low, self.high, value)
        return self.begin + (here - low) / (high - low) * (self.end - self.begin)

    def ticks(self, max_ticks: int) -> list[float]:
        """Round values on the scale, both ends among them where `scale_over` made it."""
        if self.is_log:
            return _log_ticks(self.low, self.high, max_ticks)
        step = _step(self.high - self.low, max_ticks)
        first = math.ceil(self.low / step - 1e-9)
        return [round(number * step, 12) for number in range(first, math.floor(self.high / step + 1e-9) + 1)]


def scale_over(values: Sequence[float], begin: float, end: float, max_ticks: int, *, may_be_log: bool = False) -> Scale:
    """A scale over values that begins at zero, or below if a value does.

    Args:
        values: all that are drawn; finite.
        begin: first pixel.
        end: last pixel.
        max_ticks: how many round values there is room for.
        may_be_log: where all values are above zero and the greatest is over 20 times the least, tenfold steps are even.
    """
    low, high = min(values, default=0.0), max(values, default=1.0)
    if may_be_log and low > 0 and high / low > 20:
        return Scale(_round_below(low), _round_above(high), begin, end, is_log=True)
    low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        high = 1.0
    step = _step(high - low, max_ticks)
    return Scale(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, begin, end)


def _step(span: float, max_ticks: int) -> float:
    """The least round step that cuts the span into fewer pieces than there may be ticks."""
    rough = span / max(max_ticks - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * digit for digit in (1, 2, 2.5, 5, 10) if power * digit >= rough * (1 - 1e-9))


def _round_below(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return power * max(digit for digit in (1, 2, 5) if power * digit <= value * (1 + 1e-9))


def _round_above(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return power * min(digit for digit in (1, 2, 5, 10) if power * digit >= value * (1 - 1e-9))


def _log_ticks(low: float, high: float, max_ticks: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        ticks = [digit * 10.0**power for power in powers for digit in digits]
        ticks = [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
        if len(ticks) <= max_ticks:
            break
    return ticks


def tick_text(value: float) -> str:
    """A round value as it stands at an axis."""
    return f"{round(value, 10) + 0.0:,.10g}".replace("-", "\u2212")
