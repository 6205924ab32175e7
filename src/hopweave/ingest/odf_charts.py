"""Charts of OpenDocument (ISO/IEC 26300): each is a document within the document, which has its figures as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hopweave.ingest.charts import MAX_ROWS, chart_rows
from hopweave.ingest.zipped import Archive

_MOST_COLUMNS = 256
_ACROSS, _UNIT = "x", "y"
"""The dimensions of the axes of categories and of values."""
_SIGNS = frozenset({"s", "tab", "line-break"})
"""What stands for white space."""


def chart_texts(archive: Archive, reference: str) -> Iterator[str]:
    """The title of a chart and its rows, each a paragraph; none if what is referred to is no chart.

    Args:
        archive: the file.
        reference: to the chart, such as `./Object 1`.

    Raises:
        DataError: as `Archive.parse`.
    """
    part = f"{reference.removeprefix('./').strip('/')}/content.xml"
    if part in archive:
        chart = _Chart()
        archive.parse(part, chart.start, chart.end, chart.add)
        yield from archive.counted(chart.texts())


class _Chart:
    """A chart that is being read."""

    def __init__(self) -> None:
        self._path: list[str] = []
        self._axis = ""
        self._titles: dict[str, str] = {}
        self._rows: list[list[str]] = []
        self._repeats = 1
        self._is_chart = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        element = name.rpartition(" ")[2]
        self._path.append(element)
        given = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        if element == "axis":
            self._axis = given.get("dimension", "")
        elif element == "table-row" and len(self._rows) <= MAX_ROWS:
            self._rows.append([])
        elif element == "table-cell" and self._rows:
            written = given.get("number-columns-repeated", "1")
            self._repeats = int(written) if written.isdecimal() and len(written) < 4 else 1
            self._rows[-1].append("")
        elif element in _SIGNS:
            self.add(" ")
        self._is_chart |= element == "chart"

    def end(self, name: str) -> None:
        element = name.rpartition(" ")[2]
        if element == "p":
            self.add(" ")
        del self._path[-1]
        if element == "axis":
            self._axis = ""
        elif element == "table-cell" and self._rows:
            self._rows[-1] += self._rows[-1][-1:] * (self._repeats - 1)
            del self._rows[-1][_MOST_COLUMNS:]

    def add(self, text: str) -> None:
        if "p" not in self._path:
            return
        if "table-cell" in self._path and self._rows:
            self._rows[-1][-1] += text
        elif "title" in self._path:
            self._titles[self._axis] = self._titles.get(self._axis, "") + text

    def texts(self) -> Iterator[str]:
        """The title and the rows."""
        titles = {axis: " ".join(title.split()) for axis, title in self._titles.items()}
        if not self._is_chart:
            return
        if titles.get(""):
            yield titles[""]
        names, *rows = [[" ".join(cell.split()) for cell in row] for row in self._rows] or [[]]
        columns = [[row[at] if at < len(row) else "" for row in rows] for at in range(len(names))]
        if columns:
            series = list(zip(names[1:], columns[1:], strict=True))
            yield from chart_rows(titles.get(_ACROSS, ""), columns[0], titles.get(_UNIT, ""), series)
