"""Charts, diagrams and boxes of Office Open XML: the figures behind a chart as rows of a table, and the texts of boxes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hopweave.ingest.charts import chart_rows
from hopweave.ingest.number_format import GENERAL, shown
from hopweave.ingest.ooxml import Relation, short
from hopweave.ingest.zipped import Archive

_CHART, _DIAGRAM, _DRAWING = "chart", "diagramData", "drawing"
_BOXES: Mapping[str, str] = {_DIAGRAM: "pt", _DRAWING: "sp"}
"""The elements that are boxes with text, by how a part with them is referred to."""
_SIGNS = frozenset({"a:p", "a:br"})
"""What ends a word: a paragraph and a line of it."""
_FALLBACK = "mc:Fallback"
"""What older programs show instead, such as a note that they cannot show it."""
_AXES = frozenset({"catAx", "dateAx", "valAx", "serAx"})
_OF_CATEGORIES, _OF_VALUES = ("catAx", "dateAx"), "valAx"
_MAX_COLUMNS = 255


def drawn_texts(archive: Archive, drawing: Relation) -> Iterator[str]:
    """The texts of a chart, a diagram, or the boxes on a sheet, each a paragraph; none if a part is none of these.

    Args:
        archive: the file.
        drawing: how a slide, a sheet or a document refers to it.

    Raises:
        DataError: as `Archive.parse`.
    """
    if drawing.target not in archive:
        return
    if drawing.kind == _CHART:
        chart = _Chart()
        archive.parse(drawing.target, chart.start, chart.end, chart.add)
        yield from archive.counted(chart.texts())
    elif box := _BOXES.get(drawing.kind):
        boxes = _Boxes(box)
        archive.parse(drawing.target, boxes.start, boxes.end, boxes.add)
        yield from boxes.texts


@dataclass(slots=True)
class _Values:
    """What a series has for each point: the names of its categories, or numbers.

    Attributes:
        points: by their numbers; of a category in several levels, the words of each.
        code: the format of numbers.
    """

    points: dict[int, list[str]] = field(default_factory=dict)
    code: str = GENERAL

    def shown(self, at: int) -> str:
        """What stands at a point, as the chart shows it; empty if nothing does."""
        return " ".join(shown(one.strip(), self.code) for one in reversed(self.points.get(at, [])))


class _Chart:
    """A chart that is being read: its title, the titles of its axes, and its series."""

    def __init__(self) -> None:
        self._path: list[str] = []
        self._at = 0
        self._titles: dict[str, list[str]] = {}
        self._series: list[dict[str, _Values]] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        element = name.rpartition(" ")[2]
        self._path.append(element)
        if element == "ser":
            self._series.append({})
        elif element == "pt":
            given = attributes.get("idx", "")
            self._at = int(given) if given.isdecimal() and len(given) < 7 else 0
        elif element == "v" and self._is_in_series:
            self._part.points.setdefault(self._at, []).append("")
        elif element == "formatCode" and self._is_in_series:
            self._part.code = ""

    def end(self, name: str) -> None:
        del self._path[-1]
        if short(name) in _SIGNS and "title" in self._path:
            self._add_to_title(" ")

    def add(self, text: str) -> None:
        within = self._path[-1]
        if self._is_in_series:
            if within == "v":
                self._part.points[self._at][-1] += text
            elif within == "formatCode":
                self._part.code += text
        elif within == "t" and "title" in self._path:
            self._add_to_title(text)

    def _add_to_title(self, text: str) -> None:
        axis = next((one for one in self._path if one in _AXES), "")
        self._titles.setdefault(axis, []).append(text)

    @property
    def _is_in_series(self) -> bool:
        return "ser" in self._path[:-1]

    @property
    def _part(self) -> _Values:
        """The part of the series that is being read, such as its name or its values."""
        return self._series[-1].setdefault(self._path[self._path.index("ser") + 1], _Values())

    def texts(self) -> Iterator[str]:
        """The title, and a row for each category; for each point of series that have no categories."""
        if title := self._title(""):
            yield title
        across = next(filter(None, map(self._title, _OF_CATEGORIES)), "")
        unit = self._title(_OF_VALUES)
        series = self._series[:_MAX_COLUMNS]
        if any("xVal" in one or "yVal" in one for one in series):
            for one in series:
                at = sorted(one.get("yVal", _Values()).points)
                yield from chart_rows(across or "x", _shown(one, "xVal", at), unit, [(_name(one), _shown(one, "yVal", at))])
            return
        at = sorted(set().union(*(one.get(part, _Values()).points for one in series for part in ("cat", "val"))))
        categories = next((_shown(one, "cat", at) for one in series if "cat" in one), [""] * len(at))
        yield from chart_rows(across, categories, unit, [(_name(one), _shown(one, "val", at)) for one in series])

    def _title(self, of: str) -> str:
        return " ".join("".join(self._titles.get(of, [])).split())


def _name(series: Mapping[str, _Values]) -> str:
    return series.get("tx", _Values()).shown(0)


def _shown(series: Mapping[str, _Values], part: str, points: Sequence[int]) -> list[str]:
    values = series.get(part, _Values())
    return [values.shown(at) for at in points]


class _Boxes:
    """The boxes of a diagram, or on a sheet, that are being read.

    Args:
        box: the name of their elements.

    Attributes:
        texts: of those that have one, in order.
    """

    def __init__(self, box: str) -> None:
        self.texts: list[str] = []
        self._box = box
        self._pieces: list[str] = []
        self._is_text = False
        self._num_fallback = 0

    def start(self, name: str, _: Mapping[str, str]) -> None:
        self._is_text = short(name) == "a:t"
        self._num_fallback += short(name) == _FALLBACK

    def end(self, name: str) -> None:
        self._is_text = False
        self._num_fallback -= short(name) == _FALLBACK
        if name.rpartition(" ")[2] == self._box and (text := " ".join("".join(self._pieces).split())):
            self.texts.append(text)
            self._pieces.clear()
        elif short(name) in _SIGNS:
            self._pieces.append(" ")

    def add(self, text: str) -> None:
        if self._is_text and not self._num_fallback:
            self._pieces.append(text)
