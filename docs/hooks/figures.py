"""Draws what each method does with the same three-hop question, from the records of the tests that count its calls.

    PYTHONPATH=src:tests python docs/hooks/figures.py

writes `docs/methods.md` and `docs/images/methods/*.svg`. A test checks that they match what the methods do.
"""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from support.bench import Bench
from support.three_hops import HOPS, QUESTION

from hopweave.core.catalog import entries
from hopweave.record import ModelCall, Read, Record, Search
from hopweave.show.markup import Markup, tag

DOCS = Path(__file__).parents[1]
_PER_ROW, _WIDTH, _HEIGHT, _GAP, _EDGE = 5, 128, 44, 24, 20
_STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #22262a; text-anchor: middle; }
  .small { font-size: 11px; fill: #50585f; }
  .card { fill: #fbfaf6; stroke: #c9c6bc; }
  .model { fill: #e3ecf7; stroke: #45719f; }
  .search { fill: #e5f2e7; stroke: #3d8150; }
  .end { fill: #f5ecd9; stroke: #97712a; }
  path { fill: none; stroke: #4b5359; stroke-width: 1.5; }
"""

Box = tuple[str, str, str]
"""Its colour class, its name, and a line of description."""


def made() -> dict[str, str]:
    """Every generated file, by its path below docs."""
    names = [name for name, one in entries("methods").items() if ":" not in one.target]
    with TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        records = {name: asyncio.run(_record(name)) for name in names}
    files = {f"images/methods/{name}.svg": _drawing(name, _boxes(record)) for name, record in records.items()}
    return files | {"methods.md": _page(records)}


async def _record(name: str) -> Record:
    case = importlib.import_module(f"support.hops.{name}").CASE
    record: Record = await Bench(case.says, case.found, case.read, prefill=case.prefill).ask(QUESTION, name, **case.options)
    return record


def _boxes(record: Record) -> list[Box]:
    """What was done, in order; the same again is one box."""
    steps = [step for step in record.own_steps if isinstance(step, ModelCall | Search | Read)]
    done = [_box(step) for step in sorted(steps, key=lambda step: step.timing.started_seconds)]
    boxes = [(kind, name, f"{how} × {num}" if num > 1 else how) for (kind, name, how), num in _counted(done)]
    return [("end", "question", ""), *boxes, ("end", "answer", record.answer.short if record.answer else "")]


def _counted(boxes: list[Box]) -> Iterator[tuple[Box, int]]:
    for box, same in groupby(boxes):
        yield box, len(list(same))


def _box(step: Any) -> Box:
    if isinstance(step, ModelCall):
        first, _, rest = step.purpose.replace("_", " ").partition(" with ")
        return "model", first, f"with {rest}" if rest else "the model"
    if isinstance(step, Search):
        return "search", "search", f"{len(step.queries)} queries" if len(step.queries) > 1 else "1 query"
    return "search", "read", "the reader"


def _drawing(name: str, boxes: list[Box]) -> str:
    rows = -(-len(boxes) // _PER_ROW)
    width = 2 * _EDGE + _PER_ROW * _WIDTH + (_PER_ROW - 1) * _GAP
    height = 2 * _EDGE + rows * _HEIGHT + (rows - 1) * _GAP
    size = {"width": width - 2, "height": height - 2}
    parts = [_tag("title", f"{name}: {', '.join(box[1] for box in boxes)}"), _tag("style", _STYLE)]
    parts.append(_tag("rect", class_="card", x=1, y=1, rx=10, **size))
    for number, box in enumerate(boxes):
        parts += _drawn(box, *_place(number), is_last=number == len(boxes) - 1, is_at_end=number % _PER_ROW == _PER_ROW - 1)
    inside = "\n".join(str(part) for part in parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">\n{inside}\n</svg>\n'


def _place(number: int) -> tuple[int, int]:
    row, column = divmod(number, _PER_ROW)
    return _EDGE + column * (_WIDTH + _GAP), _EDGE + row * (_HEIGHT + _GAP)


def _drawn(box: Box, x: int, y: int, *, is_last: bool, is_at_end: bool) -> Iterator[Any]:
    kind, name, about = box
    middle = x + _WIDTH // 2
    yield _tag("rect", class_=kind, x=x, y=y, width=_WIDTH, height=_HEIGHT, rx=6)
    yield _tag("text", name, x=middle, y=y + (19 if about else 27))
    if about:
        yield _tag("text", about, class_="small", x=middle, y=y + 35)
    if not is_last and not is_at_end:
        end = x + _WIDTH + _GAP - 2
        yield _tag("path", d=f"M{x + _WIDTH} {y + _HEIGHT // 2} H{end} m-5 -4 l5 4 l-5 4")
    elif not is_last:
        below, first = y + _HEIGHT + _GAP // 2, _EDGE + _WIDTH // 2
        yield _tag("path", d=f"M{middle} {y + _HEIGHT} V{below} H{first} V{y + _HEIGHT + _GAP - 2} m-4 -5 l4 5 l4 -5")


def _page(records: dict[str, Record]) -> str:
    hops = "\n".join(f"{number}. {query} {answer[0].upper()}{answer[1:]}." for number, (query, answer) in enumerate(HOPS, 1))
    sections = [
        "# Every method on one question",
        f"What each method does with a three-hop question:\n*{QUESTION}*\nThe hops are:",
        hops,
        "The figures are drawn from records of real runs, with a scripted model that answers as each method expects.\n"
        "Some methods take fewer samples here than by default.\n"
        "Parallel steps are drawn in sequence, and work done once for all questions is omitted.\n"
        "Blue is the language model, green is retrieval and the reader.",
    ]
    for name, record in records.items():
        totals = record.totals()
        cost = f"{_many(totals.completions, 'model reply', 'model replies')}, {_many(totals.queries, 'query', 'queries')}"
        sections.append(f"## {name}")
        sections.append(f"{entries('methods')[name].summary}.\nHere: {cost}. Options: `hopweave list methods {name}`.")
        sections.append(f"![What {name} does, in order.](images/methods/{name}.svg)")
    return "\n\n".join(sections) + "\n"


def _tag(name: str, *inside: str, **attributes: object) -> Markup:
    return tag(name, *inside, **{key: str(value) for key, value in attributes.items()})


def _many(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def main() -> None:
    """Writes the files."""
    for path, text in made().items():
        (DOCS / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
