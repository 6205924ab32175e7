"""XLS ([MS-XLS]): the sheets of a workbook of Excel 5 to 2003, with numbers and dates as they are shown.

The library that reads them takes the numbers in a file at their word. It is handed only the records that say what cells show,
and only after they have been looked through for those that would keep it busy without end.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hopweave.core.errors import DataError
from hopweave.ingest.compound_file import SUMMARY, TextCount, damaged, encrypted, streams_of, summary_title
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Document
from hopweave.ingest.formats import Limits
from hopweave.ingest.number_format import BUILT_IN, GENERAL, shown
from hopweave.ingest.office_tables import MAX_COLUMNS, SheetCells, sheet_lines
from hopweave.ingest.reasons import Reason, Unreadable
from hopweave.ingest.xlsx import part_of_sheet

_BOF, _EOF, _BOUNDSHEET, _SST, _CONTINUE, _FILEPASS = 0x809, 0x0A, 0x85, 0xFC, 0x3C, 0x2F
_EARLIER_BOFS = (b"\x09\x00", b"\x09\x02", b"\x09\x04")
_CELLS = frozenset({0x03, 0x04, 0x05, 0x06, 0xBD, 0xD6, 0xFD, 0x203, 0x204, 0x205, 0x206, 0x207, 0x27E, 0x406})
_FORMULAS = frozenset({0x21, 0x36, 0x37, 0x221, 0x236, 0x4BC})
"""Formulas of several cells, which the library expects between one that has a text and the text."""
_CODEPAGE, _DATEMODE, _FORMAT, _XF, _MERGEDCELLS = 0x42, 0x22, 0x41E, 0xE0, 0xE5
_KEPT = _CELLS | _FORMULAS | {_BOF, _EOF, _BOUNDSHEET, _SST, _CONTINUE, _CODEPAGE, _DATEMODE, _FORMAT, _XF, _MERGEDCELLS}
_UNKNOWN = 0xFFFF
_WORKSHEET = 0
_TRUTH, _ERROR = 4, 5
"""Kinds of cells, as the library numbers them; numbers have none while they are read, and all others have text."""
_RICH, _SPOKEN, _WIDE = 8, 4, 1


def read_xls(content: bytes, source: str, check: Check, limits: Limits | None = None) -> Document:
    """A part for each sheet, with its name as the place; a row of a table is a paragraph, see `tables`.

    Formulas have the values that were computed when the file was saved. Text in drawings and comments on cells are left out.

    Args:
        content: the file.
        source: its name in messages.
        check: called for each record and each cell.
        limits: of which that on a document counts for the text.

    Raises:
        DataError: if it is damaged, encrypted, of another format than its name says, or beyond the limits.
    """
    if find_spec("xlrd") is None:
        message = f"{source} needs the library xlrd to be read; install it with: pip install 'hopweave[documents]'"
        raise Unreadable(message, Reason.NEEDS_LIBRARY)
    if content.startswith(_EARLIER_BOFS):
        raise DataError(f"{source} was saved by Excel 4 or earlier; save it as XLSX, or leave it out")
    streams: dict[str, bytes] = {"Workbook": content}
    if not content.startswith(struct.pack("<H", _BOF)):  # which some programs write without a file around it
        streams = streams_of(content, source, ("Workbook", "Book"), (SUMMARY,), check=check)
    stream, sheets = _harmless(streams.get("Workbook") or streams.get("Book", b""), source, check)
    if not stream:  # for which the library would open a file
        raise damaged(source, "its workbook is empty")
    text = TextCount(source, limits or Limits(), check)
    try:
        with Path(os.devnull).open("w", encoding="utf-8") as log:
            book = import_module("xlrd").open_workbook(
                file_contents=stream, logfile=log, formatting_info=True, on_demand=True, ragged_rows=True
            )
            book.mem = stream  # which the library lets go of if it is a single sheet, as the programs that write no file save
            parts = []
            for number, (name, place) in enumerate(zip(book.sheet_names(), sheets, strict=True)):
                lines = sheet_lines(_cells(book, number, place, text).rows())
                parts.append(part_of_sheet(" ".join(name.split()), lines, text.count))
    except DataError:
        raise
    except Exception as error:  # noqa: BLE001 - the library raises whatever damaged numbers lead to, assertions included
        said = str(error) if type(error).__name__ == "XLRDError" else "its records do not fit together"
        raise damaged(source, " ".join(said.split())[:200]) from None
    return Document(summary_title(streams.get(SUMMARY, b"")), tuple(parts))


def _cells(book: Any, number: int, place: int, text: TextCount) -> SheetCells:
    """The cells of a sheet with what they show.

    They are taken as they are read: the library itself keeps each row with an empty cell for every column before its last one,
    which is far more than a file of such rows.

    Args:
        book: the workbook.
        number: of the sheet, from 0.
        place: of its first record.
        text: counts what they show.
    """
    cells = SheetCells()
    codes = [_code(book, style.format_key) for style in book.xf_list]
    is_1904 = bool(book.datemode)

    def put(row: int, column: int, kind: int | None, value: Any, style: int) -> None:
        code = codes[style] if 0 <= style < len(codes) else GENERAL
        said = _shown(kind, value, code, is_1904=is_1904).strip()
        text.count(len(said))
        if said:
            cells.add(row, min(column, MAX_COLUMNS - 1), said)

    sheet = import_module("xlrd").sheet.Sheet(book, place, "", number)
    sheet.put_cell = put
    sheet.read(book)
    for first, end, column, end_column in sheet.merged_cells:
        cells.merge(first, end - 1, column, end_column - column)
    return cells


def _code(book: Any, number: int) -> str:
    """The format of numbers with a number; the usual ones are the same in every language."""
    own = book.format_map.get(number)
    return BUILT_IN.get(number) or getattr(own, "format_str", None) or GENERAL


def _shown(kind: int | None, value: Any, code: str, *, is_1904: bool) -> str:
    if kind is None:
        return shown(repr(value), code, is_1904=is_1904)
    if kind == _TRUTH:
        return "TRUE" if value else "FALSE"
    if kind == _ERROR:
        return str(import_module("xlrd").error_text_from_code.get(value, ""))
    return str(value)


def _harmless(stream: bytes, source: str, check: Check) -> tuple[bytes, list[int]]:
    """The same records, of which those that say nothing of what cells show are made unknown; and where each sheet begins.

    Names of cells are formulas that the library evaluates, and may make others longer and longer.

    Raises:
        DataError: for a workbook that is encrypted, or in which reading would not end.
    """
    kept = bytearray(stream)
    begins: dict[int, int] = {}  # of the globals and of each sheet: of the first record, and of the next one
    listed: list[int] = []
    depth = 0
    for at, kind, end in _records(stream, check):
        if kind == _FILEPASS:
            raise encrypted(source)
        if kind == _BOF:
            begins.update({} if depth else {at: end})
            depth += 1
        elif kind == _EOF:
            depth = max(0, depth - 1)
        elif kind == _BOUNDSHEET and at + 10 <= min(end, len(stream)):
            begin, _, of_kind = struct.unpack_from("<LBB", stream, at + 4)
            listed += [begin] if of_kind == _WORKSHEET else []
        elif kind == _SST and _goes_back(list(_pieces(stream, at, check))):
            raise damaged(source, "a text before the one that it follows")
        if kind not in _KEPT:
            struct.pack_into("<H", kept, at, _UNKNOWN)
    if len(set(listed)) < len(listed) or not begins.keys() >= set(listed):
        raise damaged(source, "its sheets are not where it says")
    return bytes(kept), [begins[at] for at in listed] or list(begins.values())[:1]


def _records(stream: bytes, check: Check, at: int = 0) -> Iterator[tuple[int, int, int]]:
    """The place of each record, its kind, and where it ends."""
    while at + 4 <= len(stream):
        check()
        kind, length = struct.unpack_from("<HH", stream, at)
        end = at + 4 + length
        yield at, kind, end
        at = end


def _pieces(stream: bytes, at: int, check: Check) -> Iterator[bytes]:
    """The contents of a record and of those that continue it."""
    for number, (begin, kind, end) in enumerate(_records(stream, check, at)):
        if number and kind != _CONTINUE:
            return
        yield stream[begin + 4 : end]


def _goes_back(pieces: Sequence[bytes]) -> bool:
    """Whether the table of texts has one that says that it ends before it begins, which can be read again and again."""
    piece, at, number = pieces[0], 8, 0
    try:
        (count,) = struct.unpack_from("<l", piece, 4)
        for _ in range(count):
            num_left, flags = struct.unpack_from("<HB", piece, at)
            at += 3
            num_runs = num_spoken = 0
            if flags & _RICH:
                (num_runs,) = struct.unpack_from("<H", piece, at)
                at += 2
            if flags & _SPOKEN:
                (num_spoken,) = struct.unpack_from("<l", piece, at)
                at += 4
            if num_spoken < 0:
                return True
            while num_left > (num_here := (len(piece) - at) >> (flags & _WIDE)):
                num_left -= num_here
                number += 1
                piece, at = pieces[number], 1
                flags = piece[0]
            at += (num_left << (flags & _WIDE)) + 4 * num_runs + num_spoken
            while at >= len(piece):
                at -= len(piece)
                number += 1
                piece = pieces[number]
    except (struct.error, IndexError):
        return False  # it ends early; the library says so
    return False
