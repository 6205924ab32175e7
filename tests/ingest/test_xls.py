"""XLS: workbooks of Excel 5 to 2003, as a program wrote one, and made here record by record."""

import struct
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compound_files import compound_file
from support.readers import read_xls

from hopweave.core.errors import DataError
from hopweave.ingest import compound_file as compound_files
from hopweave.ingest import xls as reader
from hopweave.ingest.formats import Limits
from hopweave.ingest.reasons import Reason, reason_of

LEGACY = Path(__file__).parent / "legacy"
END = struct.pack("<HH", 0x0A, 0)


def record(kind: int, said: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(said)) + said


def begin(of_kind: int, version: int = 0x600) -> bytes:
    return record(0x809, struct.pack("<HHHHLL", version, of_kind, 4307, 1997, 0, 0))


def text(said: str, length: str = "<H") -> bytes:
    is_wide = not said.isascii()
    written = said.encode("utf-16-le" if is_wide else "latin-1")
    return struct.pack(length, len(written) >> is_wide) + bytes([is_wide]) + written


def number(row: int, column: int, value: float, style: int = 0) -> bytes:
    return record(0x203, struct.pack("<HHHd", row, column, style, value))


def label(row: int, column: int, said: str) -> bytes:
    return record(0x204, struct.pack("<HHH", row, column, 0) + text(said))


def shared(row: int, column: int, at: int) -> bytes:
    return record(0xFD, struct.pack("<HHHL", row, column, 0, at))


def format_of(key: int, code: str) -> bytes:
    return record(0x41E, struct.pack("<H", key) + text(code))


def style(key: int) -> bytes:
    return record(0xE0, struct.pack("<HHH14x", 0, key, 0))


def merged(*ranges: tuple[int, int, int, int]) -> bytes:
    return record(0xE5, struct.pack("<H", len(ranges)) + b"".join(struct.pack("<4H", *one) for one in ranges))


def row(at: int, *cells: str | float) -> bytes:
    return b"".join(
        label(at, column, cell) if isinstance(cell, str) else number(at, column, cell) for column, cell in enumerate(cells)
    )


def stream(
    *sheets: bytes, more: bytes = b"", names: Sequence[str] = (), kinds: Sequence[int] = (), version: int = 0x600
) -> bytes:
    """The records of a workbook.

    Args:
        sheets: the records of each.
        more: further records of the workbook.
        names: of the sheets.
        kinds: of the sheets.
        version: of the format.
    """
    shown = [*names, *(f"Sheet{at}" for at in range(len(names) + 1, len(sheets) + 1))]
    of_kinds = [*kinds, *[0] * (len(sheets) - len(kinds))]
    bodies = [begin(0x10, version) + sheet + END for sheet in sheets]

    def listed(at: int) -> bytes:
        places = [at + sum(map(len, bodies[:number])) for number in range(len(bodies))]
        return b"".join(
            record(0x85, struct.pack("<LBB", place, 0, kind) + (text(name, "<B") if version == 0x600 else name.encode()))
            for place, kind, name in zip(places, of_kinds, shown, strict=True)
        )

    head = begin(5, version) + more
    return head + listed(len(head) + len(listed(0)) + len(END)) + END + b"".join(bodies)


def workbook(
    *sheets: bytes, more: bytes = b"", names: Sequence[str] = (), kinds: Sequence[int] = (), **streams: bytes
) -> bytes:
    return compound_file({"Workbook": stream(*sheets, more=more, names=names, kinds=kinds), **streams})


def told(content: bytes, **more: Limits) -> list[str]:
    return [line for part in read_xls(content, **more).parts for line in part.text.split("\n\n")]


def refused(content: bytes, **more: Limits) -> str:
    with pytest.raises(DataError) as caught:
        read_xls(content, "old.xls", **more)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_workbook_as_a_program_writes_it_shows_what_its_sheets_show():
    document = read_xls((LEGACY / "lights.xls").read_bytes())
    assert [(part.place, part.text.split("\n\n")) for part in document.parts] == [
        (
            "sheet=Lights",
            [
                "light: North; lit on: 1971-05-03; cost: 1,234.50 €; share: 25.6%; active: TRUE; height: 21.",
                "light: Восток, 東 🚢; lit on: 29 Feb 2004 18:30; cost: -12.50 €; share: 150.0%; active: FALSE; height: 42.",
            ],
        ),
        (
            "sheet=Oil",
            [
                "Oil in litres",
                "light: North; 2023: 12; 2024: 13.",
                "light: North; 2023: 14; 2024: 15.",
                "light: South; 2023: 7; 2024: #DIV/0!",
            ],
        ),
        ("sheet=Hidden", ["A note to the crew."]),
    ]
    assert [[heading.text for heading in part.headings] for part in document.parts] == [
        ["Lights"],
        ["Oil", "Oil in litres"],
        ["Hidden"],
    ]


def test_numbers_are_shown_in_their_formats():
    more = format_of(164, "0.0%") + format_of(165, '0 "kg"') + b"".join(map(style, (0, 164, 165, 14, 4, 50, 300)))
    values = [0.256, 12, 38_000, 1_234.5, 7, 8]
    cells = b"".join(number(0, column, value, column + 1) for column, value in enumerate(values))
    assert told(workbook(label(1, 0, "x") + cells + number(9, 0, 5, 99), more=more)) == [
        "25.6% 12 kg 2004-01-14 1,234.50 7 8",
        "x",
        "5",
    ]


@pytest.mark.parametrize(("is_1904", "day"), [(0, "1974-05-03"), (1, "1978-05-04")])
def test_dates_count_from_1900_or_from_1904(is_1904, day):
    more = record(0x22, struct.pack("<H", is_1904)) + style(14)
    assert told(workbook(number(0, 0, 27_152), more=more)) == [day]


def test_cells_of_all_kinds_have_what_they_show():
    formula = struct.pack("<HHH", 0, 3, 0)
    cells = [
        record(0x205, struct.pack("<HHHBB", 0, 0, 0, 1, 0)),
        record(0x205, struct.pack("<HHHBB", 0, 1, 0, 7, 1)),
        record(0x27E, struct.pack("<HHHL", 0, 2, 0, 123 << 2 | 2)),
        record(0x06, formula + b"\0\0\0\0\0\0\xff\xff" + bytes(8)),
        record(0x4BC, bytes(10)),
        record(0x207, text("said")),
        record(0xBD, struct.pack("<HHHLHLH", 0, 4, 0, 5 << 2 | 2, 0, 600 << 2 | 3, 5)),
        record(0x06, struct.pack("<HHHd", 0, 6, 0, 2.5) + bytes(8)),
        record(0x201, struct.pack("<HHH", 0, 7, 0)),
        shared(0, 8, 1),
    ]
    sst = record(0xFC, struct.pack("<LL", 2, 2) + text("no") + text("東"))
    assert told(workbook(b"".join(cells), more=style(0) + sst)) == ["TRUE #DIV/0! 123 said 5 6 2.5 東"]


def test_shared_texts_go_on_in_further_records_and_readings_are_left_out():
    rich = struct.pack("<HBHl", 2, 0x0D, 1, 4) + "東京".encode("utf-16-le") + bytes(4) + b"read"
    cut = struct.pack("<HB", 6, 0) + b"Lon"
    more = style(0) + record(0xFC, struct.pack("<LL", 2, 2) + rich + cut) + record(0x3C, b"\1" + "don".encode("utf-16-le"))
    assert told(workbook(shared(0, 0, 0) + shared(0, 1, 1), more=more)) == ["東京 London"]


def test_merged_cells_are_names_of_several_columns_and_are_repeated_below():
    cells = row(0, "town", "2023", "2023") + row(1, "North", 12.0, 13.0) + number(2, 1, 14) + number(2, 2, 15)
    assert told(workbook(cells.replace(b"2023", b"in23", 1) + merged((1, 2, 0, 0), (0, 0, 5, 9)), more=style(0))) == [
        "town: North; in23: 12; 2023: 13.",
        "town: North; in23: 14; 2023: 15.",
    ]


def test_charts_and_macros_are_no_sheets_and_names_of_sheets_are_headings():
    content = workbook(row(0, "Chart"), row(0, "Macro"), row(0, "Text."), names=["A", "B", "Oil  1"], kinds=[2, 1, 0])
    [part] = read_xls(content).parts
    assert (part.place, part.text, [heading.text for heading in part.headings]) == ("sheet=Oil 1", "Text.", ["Oil 1"])


def test_a_chart_within_a_sheet_is_left_out():
    chart = begin(0x20) + label(0, 0, "Axis") + END
    assert told(workbook(row(0, "Before") + chart + row(1, "After."), row(0, "Next."))) == ["Before", "After.", "Next."]


def test_a_workbook_of_excel_95_is_read():
    cell = record(0x204, struct.pack("<HHHH", 0, 0, 0, 5) + b"Gr\xf6\xdfe")
    sheet = stream(cell, more=record(0x42, struct.pack("<H", 1252)), names=["\x03Oil"], version=0x500)
    [part] = read_xls(compound_file({"Book": sheet})).parts
    assert (part.place, part.text) == ("sheet=Oil", "Größe")


def test_records_without_a_file_around_them_are_read():
    cell = record(0x204, struct.pack("<HHHH", 0, 0, 0, 4) + b"Lamp")
    assert told(record(0x809, struct.pack("<4H", 0, 0x10, 0, 0)) + cell + number(1, 0, 5) + END) == ["Lamp", "5"]


def test_the_title_is_that_of_the_properties():
    section = struct.pack("<LL2LLL", 0, 1, 2, 16, 30, 5) + b"Oil\0\0"
    properties = bytes(44) + struct.pack("<L", 48) + section
    assert read_xls(workbook(row(0, "x"), **{compound_files.SUMMARY: properties})).title == "Oil"


def test_names_of_cells_are_not_evaluated():
    name = struct.pack("<HBBHHH4x", 0, 0, 1, 9, 0, 0) + b"\0a" + b"\x23\1\0\0\0\x23\1\0\0\0\x08"
    assert told(workbook(row(0, "Text."), more=record(0x18, name) * 3)) == ["Text."]


def endless(spoken: int) -> bytes:
    """A table of texts, of which one has a reading of some length."""
    return style(0) + record(0xFC, struct.pack("<LL", 0x7FFFFFFF, 0x7FFFFFFF) + struct.pack("<HBl", 0, 4, spoken))


LONG = row(0, *("n" * 90 + str(at) for at in range(20)))
SHARED = style(0) + record(0xFC, struct.pack("<LL", 1, 1) + text("x" * 8_000))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (workbook(row(0, "x"), more=record(0x2F, bytes(6))), "is encrypted; save it without a password, or leave it out"),
        (compound_file({"EncryptedPackage": b"x"}), "is encrypted; save it without a password, or leave it out"),
        (b"\x09\x04\x06\x00" + bytes(6), "old.xls was saved by Excel 4 or earlier; save it as XLSX, or leave it out"),
        (b"<table><tr><td>1</table>", "old.xls is a web page by its content; rename it to NAME.html, or leave it out"),
        (b"\n<html xmlns:x='urn:schemas-microsoft-com:office:excel'>", "is a web page by its content"),
        (b"city;metres\nUlm;161\n", "old.xls is a table in plain text by its content; rename it to NAME.csv, or leave it out"),
        ("a\tb\n".encode("utf-16"), "is a table in plain text by its content"),
        (
            b"MIME-Version: 1.0\nContent-Type: multipart/related",
            "is a web page in a message by its content; rename it to NAME.eml",
        ),
        (b"PK\x03\x04" + bytes(70_000) + b"xl/workbook.xml", "is an XLSX file by its content; rename it to NAME.xlsx"),
        (b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "is an ODS file by its content"),
        (compound_file({"WordDocument": b"x"}), "is a document of Word by its content; rename it to NAME.doc"),
        (compound_file({"Workbook": b""}), "is damaged (its workbook is empty); save it again, or leave it out"),
        (compound_file({"Workbook": stream(row(0, "x"))[:-2]}), "is damaged (its records do not fit together)"),
        (compound_file({"Workbook": stream(row(0, "x"))[:60]}), "is damaged ("),
        (workbook(shared(0, 0, 5), more=style(0)), "is damaged (its records do not fit together)"),
        (workbook(record(0x06, bytes(12) + b"\xff\xff" + bytes(8))), "is damaged (Expected SHRFMLA"),
        (workbook(row(0, "x"), more=endless(-7)), "is damaged (a text before the one that it follows)"),
        (workbook(row(0, "x"), more=endless(0)), "is damaged (its records do not fit together)"),
        (compound_file({"Workbook": stream(row(0, "x")) + bytes(2)})[:900], "is damaged ("),
    ],
)
def test_what_cannot_be_read_says_why_and_what_to_do(content, message):
    assert message in refused(content)


def test_a_sheet_that_is_listed_twice_is_damage():
    once = stream(row(0, "x"), row(0, "y"))
    at = [found for found in range(len(once)) if once.startswith(b"\x85\0", found)]
    twice = once[: at[1] + 4] + once[at[0] + 4 : at[0] + 8] + once[at[1] + 8 :]
    assert "its sheets are not where it says" in refused(compound_file({"Workbook": twice}))


@pytest.mark.parametrize(
    "content",
    [
        workbook(b"".join(shared(at, 0, 0) for at in range(200)), more=SHARED),
        workbook(LONG + b"".join(row(at, *[1.0] * 20) for at in range(1, 700)), more=style(0)),
    ],
)
def test_text_that_swells_is_beyond_the_limit(content):
    assert "the text of old.xls is longer than 1 MiB" in refused(content, limits=Limits(max_row_mib=1))


@pytest.mark.parametrize("module", [reader, compound_files])
def test_a_missing_library_is_named(monkeypatch, module):
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    with pytest.raises(
        DataError, match=r"needs the library \w+ to be read; install it with: pip install 'hopweave\[doc"
    ) as caught:
        read_xls(workbook(row(0, "x")))
    assert reason_of(caught.value) is Reason.NEEDS_LIBRARY


def test_sizes_of_a_sheet_that_are_given_again_and_again_take_no_memory():
    far = record(0x200, bytes(14)) + number(65_535, 0, 1)
    assert told(workbook(far * 500, more=style(0))) == ["1"]


def test_cells_far_to_the_right_take_no_memory_for_those_before_them():
    content = workbook(b"".join(number(at, 255, 1) for at in range(5_000)) + number(5_000, 65_535, 2), more=style(0))
    tracemalloc.start()
    try:
        assert told(content)[-2:] == ["1", "2"]
        assert tracemalloc.get_traced_memory()[1] < 50 * len(content)
    finally:
        tracemalloc.stop()


def test_what_the_library_reports_is_not_printed(capfd):
    read_xls(workbook(row(0, "x") + merged((5, 2, 0, 0)), more=record(0x42, struct.pack("<H", 1252))))
    assert capfd.readouterr() == ("", "")


MANY = {
    "cells": lambda n: workbook(b"".join(number(at >> 3, at & 7, at) for at in range(n)), more=style(0)),
    "texts": lambda n: workbook(
        shared(0, 0, 0), more=style(0) + record(0xFC, struct.pack("<LL", n, n) + text("") * n)[:65_000]
    ),
    "merged cells": lambda n: workbook(row(0, "a") + merged(*[(0, 65_535, 0, 255)] * (n // 4)), more=style(0)),
    "sheets": lambda n: workbook(*[row(0, "a")] * (n // 20)),
    "charts in charts": lambda n: workbook(begin(0x20) * n + END),
    "continued records": lambda n: workbook(row(0, "a"), more=record(0x3C) * n),
    "formats": lambda n: workbook(row(0, "a"), more=(format_of(164, "0") + style(164)) * (n // 4)),
    "records that say nothing": lambda n: compound_file({"Workbook": stream(row(0, "a")) + bytes(4 * n)}),
}


@pytest.mark.parametrize("which", MANY)
def test_time_grows_with_the_length_and_not_faster(which):
    contents = {amount: MANY[which](amount) for amount in (2_000, 16_000)}

    def seconds(amount: int) -> float:
        began = time.process_time()
        try:
            read_xls(contents[amount])
        except DataError as error:
            assert "is damaged" in str(error)  # noqa: PT017 - few are
        return time.process_time() - began

    # A bound that time that grows with the square, 64 times as much, would break by far.
    assert any(seconds(16_000) < 32 * max(seconds(2_000), 0.004) for _ in range(3))


def test_each_record_is_checked():
    def late() -> None:
        raise DataError("too late")

    with pytest.raises(DataError, match="too late"):
        read_xls(workbook(row(0, "x")), "old.xls", late)


KINDS = [
    0x06,
    0x0A,
    0x18,
    0x22,
    0x3C,
    0x42,
    0x85,
    0xBD,
    0xD6,
    0xE0,
    0xE5,
    0xFC,
    0xFD,
    0x203,
    0x204,
    0x205,
    0x207,
    0x27E,
    0x41E,
    0x809,
]


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.binary(max_size=30)), max_size=20), st.booleans())
def test_whatever_its_records_are_a_workbook_is_read_or_refused(records, are_global):
    written = b"".join(record(kind, said) for kind, said in records)
    content = workbook(row(0, "x"), more=written) if are_global else workbook(row(0, "x") + written)
    try:
        read_xls(content, "old.xls")
    except DataError as error:
        assert str(error).startswith("old.xls ")  # noqa: PT017 - some are read
