"""XLSX (Office Open XML, ISO/IEC 29500): the sheets of a workbook, with numbers and dates as they are shown.

It is read as the other zip files of XML are, under their limits. Libraries hand over numbers and their formats, but not what a
sheet shows, so they would save little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.comments import Comment, comments_on
from hopweave.ingest.document import Blocks, Document, Part
from hopweave.ingest.number_format import BUILT_IN, GENERAL, shown
from hopweave.ingest.office_tables import MAX_COLUMNS, ROW, Line, SheetCells, sheet_lines
from hopweave.ingest.ooxml import main_part, relations, short, title_of
from hopweave.ingest.ooxml_drawings import drawn_texts
from hopweave.ingest.zipped import Archive

_CELL = lazy_pattern(r"([A-Z]{1,3})([0-9]{1,7})")
_RANGE = lazy_pattern(rf"{_CELL.pattern}:{_CELL.pattern}")
_UNNAMED = lazy_pattern(r"(?:Sheet|Tabelle|Feuil|Hoja|Foglio|Planilha)\d+")
_TRUTH = {"0": "FALSE", "1": "TRUE"}


def read_xlsx(archive: Archive) -> Document:
    """A part for each sheet, with its name as the place; a row of a table is a paragraph, see `tables`.

    Formulas have the values that were computed when the file was saved.

    Raises:
        DataError: if it is damaged, or beyond the limits.
    """
    main = main_part(archive, "xl/workbook.xml")
    book = _Workbook()
    archive.parse(main, book.start)
    known = relations(archive, main)
    parts = {relation.kind: relation.target for relation in known.values()}
    strings, styles = _Strings(), _Styles()
    if (name := parts.get("sharedStrings", "")) in archive:
        archive.parse(name, strings.start, strings.end, strings.add)
    if (name := parts.get("styles", "")) in archive:
        archive.parse(name, styles.start)
    found = []
    for title, identity in book.sheets:
        if identity in known and known[identity].kind == "worksheet":
            sheet = _Sheet(archive.count, strings.found, styles.codes(), is_1904=book.is_1904)
            archive.parse(known[identity].target, sheet.start, sheet.end, sheet.add)
            own = relations(archive, known[identity].target).values()
            boxes = (text for one in own for text in drawn_texts(archive, one))
            comments = (_on_cell(one, sheet.cells) for one in comments_on(archive, own, known.values()))
            lines = chain(sheet_lines(sheet.cells.rows()), map(Line, chain(boxes, comments)))
            found.append(part_of_sheet(title, lines, archive.count))
    return Document(title_of(archive), tuple(found))


def _on_cell(comment: Comment, cells: SheetCells) -> str:
    """A comment on a cell, with what names the row and the value: `Note by Ida on B2 (oil, 12): ordered twice.`"""
    place = _CELL.fullmatch(comment.place)
    values = [cells.first(int(place[2])), cells.value(int(place[2]), _column(place[1]))] if place else []
    about = ", ".join(dict.fromkeys(filter(None, values)))
    return comment.shown(f"{comment.place} ({about})" if about else comment.place)


def part_of_sheet(name: str, lines: Iterator[Line], count: Callable[[int], None]) -> Part:
    """A sheet as a part of a document; its name is above its text, unless a program gave it, and so are titles in it.

    Args:
        name: of the sheet.
        lines: its text.
        count: notes how long each of them is.
    """
    blocks = Blocks()
    if not _UNNAMED.fullmatch(name):
        blocks.add_heading(name, 1, is_shown=False)
    for text, level in lines:
        count(len(text))
        if level == ROW:
            blocks.add(text)
        else:
            blocks.add_heading(text, level)
    return blocks.part(f"sheet={name}")


class _Workbook:
    """Which sheets there are.

    Attributes:
        sheets: the name of each, and the id of the relation to it.
        is_1904: whether dates count from 1904.
    """

    def __init__(self) -> None:
        self.sheets: list[tuple[str, str]] = []
        self.is_1904 = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        element = short(name)
        if element == "s:workbookPr":
            self.is_1904 = attributes.get("date1904") in {"1", "true"}
        elif element == "s:sheet":
            identity = next((value for key, value in attributes.items() if key.endswith("relationships id")), "")
            self.sheets.append((" ".join(attributes.get("name", "").split()), identity))


class _Strings:
    """The texts that cells share, by their numbers; readings of Japanese words are left out."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._pieces: list[str] = []
        self._is_text = self._is_reading = False

    def start(self, name: str, _: Mapping[str, str]) -> None:
        element = short(name)
        self._is_text = element == "s:t"
        self._is_reading |= element == "s:rPh"

    def end(self, name: str) -> None:
        element = short(name)
        self._is_text = False
        self._is_reading &= element != "s:rPh"
        if element == "s:si":
            self.found.append("".join(self._pieces))
            self._pieces.clear()

    def add(self, text: str) -> None:
        if self._is_text and not self._is_reading:
            self._pieces.append(text)


class _Styles:
    """The formats of cells, by the numbers of their styles."""

    def __init__(self) -> None:
        self._own: dict[str, str] = {}
        self._used: list[str] = []
        self._is_cells = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        element = short(name)
        if element == "s:numFmt":
            self._own[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif element in {"s:cellXfs", "s:cellStyleXfs"}:
            self._is_cells = element == "s:cellXfs"
        elif element == "s:xf" and self._is_cells:
            self._used.append(attributes.get("numFmtId", ""))

    def codes(self) -> list[str]:
        built_in = {str(number): code for number, code in BUILT_IN.items()}
        return [self._own.get(number) or built_in.get(number, GENERAL) for number in self._used]


class _Sheet:
    """A sheet that is being read.

    Attributes:
        cells: those with text.
    """

    def __init__(self, count: Callable[[int], None], strings: list[str], codes: list[str], *, is_1904: bool) -> None:
        self._count = count
        self._strings = strings
        self._codes = codes
        self._is_1904 = is_1904
        self.cells = SheetCells()
        self._row = 0
        self._column = -1
        self._cell: Mapping[str, str] = {}
        self._pieces: list[str] = []
        self._is_text = self._is_reading = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        element = short(name)
        if element == "s:row":
            given = attributes.get("r", "")
            self._row = int(given) if given.isdecimal() and len(given) < 8 else self._row + 1
            self._column = -1
        elif element == "s:c":
            self._cell = attributes
            place = _CELL.fullmatch(attributes.get("r", ""))
            self._column = min(_column(place[1]) if place else self._column + 1, MAX_COLUMNS - 1)
        elif element == "s:mergeCell":
            self._merge(attributes.get("ref", ""))
        self._is_reading |= element == "s:rPh"
        self._is_text = element in {"s:v", "s:t"}

    def end(self, name: str) -> None:
        element = short(name)
        self._is_text = False
        self._is_reading &= element != "s:rPh"
        if element == "s:c":
            if text := self._shown("".join(self._pieces)).strip():
                self._count(len(text))
                self.cells.add(self._row, self._column, text)
            self._pieces.clear()

    def add(self, text: str) -> None:
        if self._is_text and not self._is_reading:
            self._pieces.append(text)

    def _shown(self, value: str) -> str:
        match self._cell.get("t", "n"):
            case "s":
                at = int(value) if value.isdecimal() and len(value) < 10 else len(self._strings)
                return self._strings[at] if at < len(self._strings) else ""
            case "b":
                return _TRUTH.get(value, value)
            case "n":
                style = self._cell.get("s", "0")
                at = int(style) if style.isdecimal() and len(style) < 10 else len(self._codes)
                return shown(value, self._codes[at] if at < len(self._codes) else GENERAL, is_1904=self._is_1904)
            case _:
                return value

    def _merge(self, place: str) -> None:
        """Merges cells; the elements that say so come after all rows."""
        if found := _RANGE.fullmatch(place):
            column = _column(found[1])
            self.cells.merge(int(found[2]), int(found[4]), column, _column(found[3]) - column + 1)


def _column(letters: str) -> int:
    """The number of a column, from 0: A, B, ..., Z, AA, AB and so on."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
