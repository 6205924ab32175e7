"""PPT: presentations of PowerPoint 97 to 2003, made here record by record."""

import struct
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compound_files import compound_file
from support.readers import read_ppt

from hopweave.core.errors import DataError
from hopweave.ingest import compound_file as compound_files
from hopweave.ingest.formats import Limits
from hopweave.ingest.reasons import Reason, reason_of

DOCUMENT, SLIDE, NOTES, LIST, OF_SLIDE, SLIDE_SAYS, EDIT, PLACES = 0x3E8, 0x3EE, 0x3F0, 0xFF0, 0x3F3, 0x3EF, 0xFF5, 0x1772
DRAWING, GROUP, SHAPE, DATA, BOX = 0x40C, 0xF003, 0xF004, 0xF011, 0xF00D
TITLE, BODY, NOTE, OTHER, CENTRED = 0, 1, 2, 4, 6


def record(kind: int, said: bytes = b"", instance: int = 0) -> bytes:
    return struct.pack("<HHL", instance << 4, kind, len(said)) + said


def holder(kind: int, *within: bytes, instance: int = 0) -> bytes:
    """A record that holds others."""
    said = b"".join(within)
    return struct.pack("<HHL", instance << 4 | 0xF, kind, len(said)) + said


def text(said: str, kind: int = OTHER, more: bytes = b"") -> bytes:
    """A text, in one byte for each character if that is possible."""
    try:
        written = record(0xFA8, said.encode("latin-1"))
    except UnicodeEncodeError:
        written = record(0xFA0, said.encode("utf-16-le"))
    return record(0xF9F, struct.pack("<L", kind)) + written + more


def shape(*within: bytes, place: int = 0, data: bytes = b"", at: Sequence[int] = ()) -> bytes:
    """A shape with the records of its text.

    Args:
        within: the records.
        place: the kind of its place.
        data: further records of it.
        at: its edges within its group.
    """
    position = record(0xF00F, struct.pack("<4l", *at)) if at else b""
    placed = record(0xBC3, struct.pack("<lBBH", 0, place, 0, 0)) if place else b""
    return holder(SHAPE, position, holder(DATA, placed, data), holder(BOX, *within))


def slide(*shapes: bytes, notes: int = 0) -> bytes:
    drawing = holder(DRAWING, holder(0xF002, holder(GROUP, *shapes)))
    return holder(SLIDE, record(SLIDE_SAYS, bytes(16) + struct.pack("<LL", notes, 0)), drawing)


def noted(*shapes: bytes) -> bytes:
    return holder(NOTES, holder(DRAWING, holder(GROUP, *shapes)))


def stream(
    *slides: bytes, notes: Sequence[bytes] = (), texts: Sequence[bytes] = (), order: Sequence[int] = ()
) -> tuple[bytes, int]:
    """The records of a presentation, and the place of the last change.

    Args:
        slides: each a record.
        notes: the same; those of number 1, 2 and so on.
        texts: of each slide, in the list of slides.
        order: in which slides are shown, from 0.
    """
    shown = order or range(len(slides))

    def listed(at: int, identity: int) -> bytes:
        return record(OF_SLIDE, struct.pack("<LLLLL", at, 0, 0, identity, 0))

    document = holder(
        DOCUMENT,
        holder(LIST, *(listed(2 + at, 256 + at) + (texts[at] if at < len(texts) else b"") for at in shown)),
        holder(LIST, *(listed(2 + len(slides) + at, 1 + at) for at in range(len(notes))), instance=2),
    )
    written, places = b"", []
    for one in (document, *slides, *notes):
        places.append(len(written))
        written += one
    listed_at = len(written)
    written += record(PLACES, struct.pack(f"<{1 + len(places)}L", 1 | len(places) << 20, *places))
    edit = len(written)
    return written + record(EDIT, struct.pack("<LLLLLL4x", 0, 0, 0, listed_at, 1, 0)), edit


def user(edit: int, token: int = 0xE391C05F) -> bytes:
    return struct.pack("<HHLLLL", 0, 0xFF6, 20, 20, token, edit)


def presentation(*slides: bytes, user_says: bytes | None = None, more: dict[str, bytes] | None = None, **lists) -> bytes:
    written, edit = stream(*slides, **lists)
    says = user(edit) if user_says is None else user_says
    return compound_file({"PowerPoint Document": written, "Current User": says, **(more or {})})


def told(content: bytes, **more: Limits) -> list[str]:
    return [part.text.replace("\n\n", "|") for part in read_ppt(content, **more).parts]


def refused(content: bytes, **more: Limits) -> str:
    with pytest.raises(DataError) as caught:
        read_ppt(content, "old.ppt", **more)
    assert "\n" not in str(caught.value)
    return str(caught.value)


LAMP = slide(shape(text("It is lit.\rBy Finch\vand Renn", BODY)), shape(text("The  lamp", TITLE)))


def test_slides_are_places_under_their_titles():
    document = read_ppt(presentation(LAMP, slide(shape(text("Ωδή 🚢")))))
    assert document.title == "The lamp"
    assert [(part.place, part.text) for part in document.parts] == [
        ("slide=1", "The lamp\n\nIt is lit.\n\nBy Finch\nand Renn"),
        ("slide=2", "Ωδή 🚢"),
    ]
    assert [[(one.level, one.text) for one in part.headings] for part in document.parts] == [[(1, "The lamp")], []]


def test_slides_are_shown_in_the_order_of_their_list_and_others_are_not():
    slides = [slide(shape(text(name, CENTRED))) for name in ("One", "Two", "Gone", "Three")]
    assert told(presentation(*slides, order=[3, 0, 1])) == ["Three", "One", "Two"]


def test_notes_stand_at_the_end_of_their_slide():
    notes = [noted(shape(text("Say hello."))), noted(shape(text("Title", TITLE)), shape(text("Wave.", NOTE)))]
    slides = [slide(shape(text("One")), notes=2), slide(shape(text("Two")), notes=1), slide(shape(text("Three")), notes=9)]
    assert told(presentation(*slides, notes=notes)) == ["One|Title|Wave.", "Two|Say hello.", "Three"]


def test_what_is_the_same_on_every_slide_is_left_out():
    later = record(0x420, b"\x09")
    shapes = [
        shape(text("Text."), place=0x0E),
        *(shape(text("Said"), place=place) for place in (0x05, 0x07, 0x08, 0x09, 0x0A)),
        shape(text("Footer"), data=later),
        shape(text("🚢 on page *.", more=record(0xFD8, struct.pack("<L", 11)))),
    ]
    assert told(presentation(slide(*shapes))) == ["Text.|🚢 on page ."]


def test_a_shape_may_name_a_text_in_the_list_of_slides():
    listed = text("The lamp", TITLE) + record(0xF9F, struct.pack("<L", BODY)) + text("It is lit.", BODY) + text("Unplaced")
    named = [shape(record(0xF9E, struct.pack("<l", number))) for number in (2, 0, 7, -1)]
    [part] = read_ppt(presentation(slide(*named), texts=[listed])).parts
    assert (part.text, part.headings[0].text) == ("The lamp\n\nIt is lit.\n\nUnplaced", "The lamp")


def table(*cells: tuple[str, Sequence[int]]) -> bytes:
    says = holder(SHAPE, record(0xF122, struct.pack("<HLHL", 0x39F, 1, 0x3A0, 0), instance=2))
    return holder(GROUP, says, *(shape(text(said), at=at) for said, at in cells))


def cell(said: str, row: int, column: int, rows: int = 1, columns: int = 1) -> tuple[str, tuple[int, int, int, int]]:
    return said, (column * 50, row * 20, (column + columns) * 50, (row + rows) * 20)


def test_a_group_of_shapes_that_is_a_table_has_rows():
    names = [cell("light", 0, 0), cell("2023", 0, 1), cell("2024", 0, 2)]
    rest = [cell("North", 1, 0, rows=2), cell("12", 1, 1), cell("13", 1, 2), cell("14", 2, 1), cell("15", 2, 2)]
    wide = [cell("wide", 3, 0, columns=2), cell("2", 3, 2)]
    shapes = [shape(text("Above.")), table(*names, *rest, *wide), shape(text("Below."))]
    assert told(presentation(slide(*shapes))) == [
        "Above.|light: North; 2023: 12; 2024: 13.|light: North; 2023: 14; 2024: 15.|light: wide; 2024: 2.|Below."
    ]


def test_shapes_at_one_place_of_a_table_and_in_other_groups_keep_their_texts():
    group = holder(GROUP, shape(text("In a group"), at=(0, 0, 1, 1)), holder(GROUP, shape(text("deeper"))))
    both = table(cell("one", 0, 0), cell("two", 0, 0), cell("three", 0, 1))
    assert told(presentation(slide(group, both, table(), table(("alone", (0, 0, 0, 0)))))) == [
        "In a group|deeper|one two three|alone"
    ]


def test_letters_that_are_drawn_are_text():
    drawn = "Big sale\0".encode("utf-16-le")
    properties = struct.pack("<HLHLHL", 0x8000 | 0x105, 4, 0x8000 | 0xC0, len(drawn), 0x80, 7) + b"name" + drawn
    assert told(presentation(slide(holder(SHAPE, record(0xF00B, properties, instance=3))))) == ["Big sale"]


def runs(levels: Sequence[tuple[int, int]], characters: Sequence[tuple[int, int, int]]) -> bytes:
    """What is said of runs: the length and level of paragraphs, and the length, group and height of characters."""
    of_paragraphs = b"".join(struct.pack("<LHLHH2xL", count, level, 0x10_1800, 0, 100, 0)[:-4] for count, level in levels)
    of_characters = b"".join(
        struct.pack("<LLHHh", count, 0xA_0400, group << 10, 20, height) for count, group, height in characters
    )
    return record(0xFA1, of_paragraphs + of_characters)


def numberings(*schemes: tuple[int, int] | None) -> bytes:
    said = b"".join(
        struct.pack("<LLL", 0, 0, 0) if one is None else struct.pack("<LhHHLL", 0x300_0000, 1, *one, 0, 0) for one in schemes
    )
    return holder(0x1388, holder(0x138A, record(0xFBA, b"x"), record(0x138B, record(0xFAC, said))))


def test_paragraphs_keep_their_numbers_and_superscripts_are_raised():
    said = "Fill\rLight\roil\rWait\r106 dots"
    styles = runs([(11, 0), (4, 1), (14, 0)], [(5, 0, 0), (6, 1, 0), (4, 2, 0), (5, 3, 0), (2, 4, 0), (1, 4, 30), (6, 4, 0)])
    numbered = numberings((3, 4), (3, 4), (9, 1), (3, 4), None)
    assert told(presentation(slide(shape(text(said, BODY, styles), data=numbered)))) == [
        "4. Fill|5. Light|a. oil|6. Wait|10⁶ dots"
    ]


def test_more_than_sixteen_numberings_are_counted_on():
    said = "\r".join("a" * 20)
    styles = runs([(40, 0)], [(2, number % 16, 0) for number in range(20)])
    numbered = numberings(*[None] * 17, (7, 1), (7, 1), None)
    assert told(presentation(slide(shape(text(said, BODY, styles), data=numbered)))) == [
        "|".join([*"a" * 17, "I. a", "II. a", "a"])
    ]


@pytest.mark.parametrize("cut", [3, 12, 40, 90])
def test_text_whose_styles_are_damaged_is_read(cut):
    styles = runs([(5, 0)], [(5, 0, 30)] * 3)
    damaged = styles[: 8 + cut].ljust(len(styles), b"\xff")
    assert told(presentation(slide(shape(text("Text", BODY, damaged), data=record(0x138B, b"\xff" * 9))))) == ["Text"]


def test_only_what_the_last_change_names_is_shown():
    first, edit = stream(slide(shape(text("Old"))), slide(shape(text("Kept"))))
    new = slide(shape(text("New")))
    places = record(PLACES, struct.pack("<LL", 2 | 1 << 20, len(first)))
    change = record(EDIT, struct.pack("<LLLLLL4x", 0, 0, edit, len(first) + len(new), 1, 0))
    last = len(first) + len(new) + len(places)
    whole = first + new + places + change
    for says in (user(last), user(99_999_999), user(4), b""):
        content = compound_file({"PowerPoint Document": whole, "Current User": says})
        assert told(content) == ["New", "Kept"]
    assert told(compound_file({"PowerPoint Document": whole, "Current User": user(edit)})) == ["Old", "Kept"]


def test_a_slide_that_is_missing_keeps_its_number():
    broken = presentation(slide(shape(text("One"))), record(0x999), slide(shape(text("Three"))))
    assert [(part.place, part.text) for part in read_ppt(broken).parts if part.text] == [
        ("slide=1", "One"),
        ("slide=3", "Three"),
    ]


def test_the_title_is_that_of_the_properties_if_the_first_slide_has_none():
    properties = bytes(44) + struct.pack("<L", 48) + struct.pack("<LL2LLL", 0, 1, 2, 16, 30, 5) + b"Oil\0\0"
    content = presentation(slide(shape(text("x"))), more={compound_files.SUMMARY: properties})
    assert read_ppt(content).title == "Oil"


LARGE = slide(shape(text("x" * 40_000)))


def of_one_slide(times: int, said: bytes) -> bytes:
    """A presentation that shows one slide again and again."""
    written, edit = stream(said, order=[0] * times)
    return compound_file({"PowerPoint Document": written, "Current User": user(edit)})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (presentation(LAMP, user_says=user(0, 0xF3D1C4DF)), "is encrypted; save it without a password, or leave it out"),
        (presentation(LAMP, more={"EncryptedSummary": b"x"}), "is encrypted; save it without a password, or leave it out"),
        (compound_file({"PowerPoint Document": b""}), "is damaged (it has no list of its slides); save it again, or leave it"),
        (compound_file({"PowerPoint Document": record(EDIT, bytes(28))}), "is damaged (it has no list of its slides)"),
        (compound_file({"PowerPoint Document": record(EDIT, b"x")}), "is damaged (it ends early)"),
        (compound_file({"Book": b""}), "old.ppt is a workbook of Excel by its content; rename it to NAME.xls"),
        (compound_file({"__properties_version1.0": b""}), "is a message of Outlook by its content; rename it to NAME.msg"),
        (b"%PDF-1.7", "old.ppt is a PDF file by its content; rename it to NAME.pdf"),
        (b"PK\x03\x04 ppt/", "is a PPTX file by its content"),
        (of_one_slide(40, LARGE), "the text of old.ppt is longer than 1 MiB"),
        (of_one_slide(2_000, slide(*[record(1)] * 2_000)), "is damaged (its slides hold each other)"),
    ],
)
def test_what_cannot_be_read_says_why_and_what_to_do(content, message):
    assert message in refused(content, limits=Limits(max_row_mib=1))


def test_a_file_under_a_password_is_told_apart_and_a_missing_library_is_named(monkeypatch):
    with pytest.raises(DataError) as caught:
        read_ppt(presentation(LAMP, user_says=user(0, 0xF3D1C4DF)))
    assert reason_of(caught.value) is Reason.ENCRYPTED
    monkeypatch.setattr(compound_files, "find_spec", lambda _: None)
    assert "needs the library olefile" in refused(presentation(LAMP))


def nested(kind: int, depth: int) -> bytes:
    """Records that hold each other."""
    return b"".join(struct.pack("<HHL", 0xF, kind, 8 * at) for at in range(depth - 1, -1, -1))


def chained(number: int) -> bytes:
    """Changes of which each names the one before, and all the same places."""
    places = record(PLACES, struct.pack(f"<{number + 1}L", *[0] * (number + 1)))
    edits = (
        record(EDIT, struct.pack("<LLLLLL4x", 0, 0, len(places) + 36 * (at - 1) if at else 0, 0, 1, 0)) for at in range(number)
    )
    written = places + b"".join(edits)
    return compound_file({"PowerPoint Document": written, "Current User": user(len(written) - 36)})


MANY = {
    "groups in groups": lambda n: presentation(slide(nested(GROUP, n))),
    "shapes in shapes": lambda n: presentation(slide(nested(SHAPE, n))),
    "slides in slides": lambda n: presentation(slide(nested(SLIDE, n))),
    "texts in texts": lambda n: presentation(slide(holder(SHAPE, text("a"), nested(0xFA0, n)))),
    "texts in texts of a list": lambda n: presentation(slide(), texts=[text("a") + nested(0xFA0, n)]),
    "tags in tags": lambda n: presentation(slide(nested(0x138B, n))),
    "texts": lambda n: presentation(slide(shape(text("a") * (n // 4)))),
    "paragraphs": lambda n: presentation(slide(shape(text("\r" * n)))),
    "lines": lambda n: presentation(slide(shape(text("a\v" * n)))),
    "numbers of slides": lambda n: presentation(slide(shape(text("*" * n) + record(0xFD8, bytes(4)) * (n // 4)))),
    "runs": lambda n: presentation(slide(shape(text("a" * n, OTHER, runs([(1, 0)] * n, [(1, 0, 9)] * n))))),
    "cells": lambda n: presentation(slide(table(*(cell("a", at, 0, rows=n) for at in range(n // 16))))),
    "slides": lambda n: presentation(*[slide()] * (n // 16)),
    "changes": lambda n: chained(n // 4),
}


@pytest.mark.parametrize("which", MANY)
def test_time_grows_with_the_length_and_not_faster(which):
    contents = {amount: MANY[which](amount) for amount in (2_000, 16_000)}

    def seconds(amount: int) -> float:
        began = time.process_time()
        try:
            read_ppt(contents[amount])
        except DataError as error:
            assert "is damaged" in str(error)  # noqa: PT017 - few are
        return time.process_time() - began

    # A bound that time that grows with the square, 64 times as much, would break by far.
    assert any(seconds(16_000) < 32 * max(seconds(2_000), 0.002) for _ in range(3))


def test_each_record_is_checked():
    def late() -> None:
        raise DataError("too late")

    with pytest.raises(DataError, match="too late"):
        read_ppt(presentation(LAMP), "old.ppt", late)


KINDS = (
    0xF9E,
    0xF9F,
    0xFA0,
    0xFA1,
    0xFA8,
    0xFAC,
    0xFD8,
    0xBC3,
    0x420,
    0x138B,
    0x3EF,
    0x3F3,
    0xF003,
    0xF004,
    0xF00B,
    0xF00F,
    0xF122,
)
LEAVES = st.builds(record, st.sampled_from(KINDS), st.binary(max_size=24), st.integers(0, 3))
RECORDS = st.recursive(
    LEAVES,
    lambda some: st.builds(
        lambda kind, within: holder(kind, *within), st.sampled_from((GROUP, SHAPE, BOX, LIST)), st.lists(some, max_size=5)
    ),
    max_leaves=20,
)


@given(st.lists(RECORDS, max_size=4), st.lists(LEAVES, max_size=3))
def test_whatever_its_records_are_a_presentation_is_read_or_refused(shapes, listed):
    content = presentation(slide(*shapes), texts=[b"".join(listed)])
    try:
        read_ppt(content, "old.ppt")
    except DataError as error:
        assert str(error).startswith("old.ppt ")  # noqa: PT017 - some are read
