"""Draws the rooms of the package and the imports between them, and the way of a question through them.

    PYTHONPATH=tests python docs/hooks/rooms.py [PACKAGE]

writes `docs/images/rooms.svg` and `docs/images/way.svg`, and prints rooms, layers, circles and lines of code by room. With the
folder of another version of the package it only prints. A test checks that the pictures match the code.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from architecture.rooms import PACKAGE, circles, floors, lines_of, links

IMAGES = Path(__file__).parents[1] / "images"
_WIDTH, _BOX, _HEIGHT, _GAP, _EDGE = 760, 172, 46, 40, 16
_TALL, _STEP = 66, 18
SMALL = ' class="small"'
_TIP = (
    '<marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
    '<path class="tip" d="M1 1 7 4 1 7"/></marker>'
)
_STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #22262a; text-anchor: middle; }
  .small { font-size: 11px; fill: #50585f; }
  .card { fill: #fbfaf6; stroke: #c9c6bc; }
  .room { fill: #e3ecf7; stroke: #45719f; }
  .stop { fill: #f5ecd9; stroke: #97712a; }
  path { fill: none; stroke: #6b747b; stroke-width: 1.2; marker-end: url(#tip); }
  .tip { marker-end: none; }
"""
WAY = (
    ("question", "core/types.py", "Question"),
    ("workbench", "run/workbench.py", "calls, searches, reads"),
    ("method", "answering/methods/", "plans, asks, answers"),
    ("claims", "citations/support.py", "judged by one rule"),
    ("record", "record/record.py", "all of it, on one line"),
)
"""What happens to a question, in order: the stop, where it lies, and what it does."""


def pictures() -> dict[str, str]:
    """Every drawing, by its file name."""
    return {"rooms.svg": _rooms(), "way.svg": _way()}


def direct(graph: dict[str, frozenset[str]]) -> list[tuple[str, str]]:
    """The imports that no chain of other imports implies."""

    def reached(start: str) -> set[str]:
        below = graph[start]
        return set(below).union(*map(reached, below))

    return [(room, to) for room, below in graph.items() for to in sorted(below) if all(to not in reached(one) for one in below)]


def _rooms() -> str:
    graph = links(PACKAGE)
    rows = floors(graph)[::-1]
    place = {}
    for number, row in enumerate(rows):
        between = (_WIDTH - len(row) * _BOX) / (len(row) + 1)
        for column, room in enumerate(row):
            place[room] = (between + (_BOX + between) * column, _EDGE + (_HEIGHT + _GAP) * number)
    arrows = [_arrow(place[room], place[to]) for room, to in direct(graph)]
    boxes = [_box(*place[room], _BOX, "room", [room, about(room)]) for room in sorted(graph)]
    height = _EDGE * 2 + len(rows) * (_HEIGHT + _GAP) - _GAP
    return _sheet([*arrows, *boxes], height, "The rooms of hopweave; an arrow leads from a room to one that it imports")


def about(room: str) -> str:
    """What a room is for, in the first words of its docstring."""
    docstring = (PACKAGE / room / "__init__.py").read_text(encoding="utf-8").strip('"')
    return re.split(r"[:;,.]", docstring, maxsplit=1)[0]


def _way() -> str:
    width = (_WIDTH - _EDGE * 2 - (len(WAY) - 1) * _STEP) / len(WAY)
    places = [_EDGE + number * (width + _STEP) for number in range(len(WAY))]
    middle = _EDGE + _TALL / 2
    arrows = [f'<path d="M{left - _STEP:.0f} {middle}H{left - 2:.0f}"/>' for left in places[1:]]
    boxes = [_box(left, _EDGE, width, "stop", stop, _TALL) for left, stop in zip(places, WAY, strict=True)]
    return _sheet([*arrows, *boxes], _TALL + _EDGE * 2, "The way of a question: question, workbench, method, claims, record")


def _box(left: float, top: float, width: float, kind: str, said: Sequence[str], height: float = _HEIGHT) -> str:
    rows = [
        f'<text x="{left + width / 2:.0f}" y="{top + 20 + 17 * row:.0f}"{SMALL if row else ""}>{text}</text>'
        for row, text in enumerate(said)
    ]
    box = f'<rect class="{kind}" x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{height}" rx="6"/>'
    return "\n".join([box, *rows])


def _arrow(above: tuple[float, float], below: tuple[float, float]) -> str:
    start, end = above[0] + _BOX / 2, below[0] + _BOX / 2
    return f'<path d="M{start:.0f} {above[1] + _HEIGHT:.0f}L{end:.0f} {below[1] - 2:.0f}"/>'


def _sheet(drawn: Sequence[str], height: float, title: str) -> str:
    card = f'<rect class="card" x="1" y="1" width="{_WIDTH - 2}" height="{height - 2}" rx="10"/>'
    inside = "\n".join([f"<title>{title}</title>", f"<style>{_STYLE}</style>", _TIP, card, *drawn])
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">\n{inside}\n</svg>\n'


def printed(package: Path) -> str:
    """Rooms by layer with their lines, and the circles between them."""
    graph = links(package)
    lines = lines_of(package)
    rows = [
        f"{number:>2}  " + ", ".join(f"{room} ({lines[room]:,})" for room in row)
        for number, row in enumerate(floors(graph), start=1)
    ]
    found = circles(graph)
    return "\n".join([
        f"{len(graph)} rooms on {len(rows)} layers, {len(found)} circles, {sum(lines.values()):,} lines of Python",
        *rows,
        *(f"circle: {' and '.join(sorted(circle))}" for circle in found),
    ])  # fmt: skip


if __name__ == "__main__":
    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE
    if chosen == PACKAGE:
        for name, text in pictures().items():
            (IMAGES / name).write_text(text, encoding="utf-8")
    print(printed(chosen))  # noqa: T201
