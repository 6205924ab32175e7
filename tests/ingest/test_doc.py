"""DOC: documents of Word 97 to 2003, as a program wrote one, and made here byte by byte."""

import struct
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compound_files import compound_file
from support.readers import read_doc

from hopweave.core.errors import DataError
from hopweave.ingest import compound_file as compound_files
from hopweave.ingest.formats import Limits
from hopweave.ingest.reasons import Reason, Unreadable, reason_of

LEGACY = Path(__file__).parent / "legacy"

STYLES, FOOTNOTE_MARKS, FOOTNOTES, OF_CHARACTERS, OF_PARAGRAPHS, PIECES = 1, 2, 3, 12, 13, 33
SHAPES, ENDNOTE_MARKS, ENDNOTES, BOXES, LISTS, LIST_USES = 40, 46, 47, 56, 73, 74
AFTER_LISTS = 90  # which no document has: it only stands there
TEXT_AT = 1024


def change(number: int, operand: bytes | int = 1) -> bytes:
    """A property; an operand that is a number has one byte."""
    return struct.pack("<H", number) + (bytes([operand]) if isinstance(operand, int) else operand)


IN_TABLE, ROW_END, IS_HEADER = change(0x2416), change(0x2417), change(0x3404)
BOLD, HIDDEN, DELETED, RAISED = change(0x0835), change(0x083C), change(0x0800), change(0x2A48)


def outline(level: int) -> bytes:
    return change(0x2640, level)


def cells(*edges: int, flags: Sequence[int] = ()) -> bytes:
    """The cells of a row, which ends here."""
    described = b"".join(struct.pack("<H18x", one) for one in flags)
    said = bytes([len(edges) - 1]) + struct.pack(f"<{len(edges)}h", *edges) + described
    return IN_TABLE + ROW_END + change(0xD608, struct.pack("<H", len(said) + 1) + said)


def runs(ends: Sequence[int], lists: Sequence[bytes], first_page: int, *, of_paragraphs: bool) -> tuple[bytes, bytes]:
    """Pages of what is said of runs, each ending at a place of the main stream, and the table of these pages."""
    pages, starts, numbers = b"", [TEXT_AT], []
    for begin in range(0, len(ends), 4):
        some = lists[begin : begin + 4]
        page = bytearray(512)
        struct.pack_into(f"<{len(some) + 1}L", page, 0, starts[-1], *ends[begin : begin + 4])
        page[511] = len(some)
        at = 510
        for number, listed in enumerate(some):
            if of_paragraphs:  # their length is counted in words
                listed += bytes(len(listed) % 2)  # noqa: PLW2901
                written = bytes([0, len(listed) // 2]) + listed
            else:
                written = bytes([len(listed)]) + listed
            at = (at - len(written)) & ~1
            page[at : at + len(written)] = written
            page[4 * (len(some) + 1) + number * (13 if of_paragraphs else 1)] = at // 2
        numbers.append(first_page + len(pages) // 512)
        pages += page
        starts.append(ends[begin : begin + 4][-1])
    return pages, struct.pack(f"<{len(starts) + len(numbers)}L", *starts, *numbers)


def word(
    *said: tuple[str, bytes] | tuple[str, bytes, int] | str,
    characters: Mapping[str, bytes] | None = None,
    lengths: Sequence[int] = (),
    parts: Mapping[int, bytes] | None = None,
    magic: int = 0xA5EC,
    version: int = 0xC1,
    flags: int = 0x0200,
    wide: bool = True,
    pieces: bytes | None = None,
    **streams: bytes,
) -> bytes:
    """A document.

    Args:
        said: paragraphs with their ends, each with its properties and its style, if it has any.
        characters: the properties of some words, before which no character has two units.
        lengths: of the body, the footnotes, headers, macros, comments, endnotes and text boxes; all is body if none are given.
        parts: of the table stream, by their numbers.
        magic: what it begins with.
        version: of the program.
        flags: of the document.
        wide: whether characters have two bytes.
        pieces: the piece table, if there are several pieces.
        streams: further ones.
    """
    filled = [one if isinstance(one, tuple) else (one, b"") for one in said]
    text = "".join(one[0] for one in filled)
    width = 2 if wide else 1
    written = text.encode("utf-16-le", "surrogatepass") if wide else text.encode("cp1252")
    ends, at = [], 0
    for one in filled:
        at += len(one[0].encode("utf-16-le", "surrogatepass")) // 2
        ends.append(TEXT_AT + at * width)
    first_page = -(-(TEXT_AT + len(written)) // 512)
    styled = [struct.pack("<H", one[2] if len(one) > 2 else 0) + one[1] for one in filled]
    paragraph_pages, of_paragraphs = runs(ends, styled, first_page, of_paragraphs=True)
    cuts: dict[int, bytes] = {0: b""}
    for piece, properties in (characters or {}).items():
        begin = text.index(piece)
        cuts.update({begin: properties, begin + len(piece): b""})
    begins = [*sorted(cuts), at]
    character_pages, of_characters = runs(
        [TEXT_AT + begin * width for begin in begins[1:]],
        [cuts[begin] for begin in begins[:-1]],
        first_page + len(paragraph_pages) // 512,
        of_paragraphs=False,
    )
    place = TEXT_AT if wide else 2 * TEXT_AT | 1 << 30
    one_piece = struct.pack("<LLHLH", 0, at, 0, place, 0)
    table = {
        OF_PARAGRAPHS: of_paragraphs,
        OF_CHARACTERS: of_characters,
        PIECES: b"\2" + struct.pack("<L", len(one_piece)) + one_piece if pieces is None else pieces,
        **(parts or {}),
    }
    head = bytearray(TEXT_AT)
    struct.pack_into("<HH6xH", head, 0, magic, version, flags)
    struct.pack_into(f"<{max(1, len(lengths))}L", head, 0x4C, *(lengths or [at]))
    content = b""
    for number, part in table.items():
        struct.pack_into("<LL", head, 0x9A + 8 * number, len(content), len(part))
        content += part
    main = bytes(head) + written
    main = main.ljust(first_page * 512, b"\0") + paragraph_pages + character_pages
    return compound_file({"WordDocument": main, "1Table": content, **streams})


def told(content: bytes, **more: Limits) -> list[str]:
    """The paragraphs of a document."""
    [part] = read_doc(content, **more).parts
    return part.text.split("\n\n")


def headings(content: bytes) -> list[tuple[int, str]]:
    [part] = read_doc(content).parts
    return [(heading.level, heading.text) for heading in part.headings]


def refused(content: bytes, **more: Limits) -> str:
    with pytest.raises(DataError) as caught:
        read_doc(content, "old.doc", **more)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_document_as_a_program_writes_it_becomes_what_a_reader_sees():
    document = read_doc((LEGACY / "tides.doc").read_bytes())
    [part] = document.parts
    assert document.title == "The book of tides"
    assert [(heading.level, heading.text) for heading in part.headings] == [(1, "1 Begin"), (2, "1.1 Moon")]
    assert part.text.split("\n\n") == [
        "The book of tides",
        "1 Begin",
        "Tides rise and fall. Θάλασσα, прилив, 潮 and 🚢: 10⁶ drops.",
        "Twice a day, as a rule.",
        "See the almanac.",
        "Beside a box.",
        "Words in a box.",
        "More in the box.",
        "1.1 Moon",
        "Commented words stay.",
        "port: Orlau; high: 4.1; low: 0.6.",
        "port: Orlau; high: 4.3; low: 0.7.",
        "port: both; low: 0.9.",
        "In metres.",
        "Not hidden.",
        "1. Wait.",
        "2. Walk out.",
        "a) In boots.",
        "3. Come back.",
        "A tab,\na line, softhyphen, non-breaking. A link.",
        "Gone back?",
    ]


@pytest.mark.parametrize("wide", [True, False])
def test_characters_have_one_byte_or_two(wide):
    assert told(word("“Größe” – 5 €\r", "Next\r", wide=wide)) == ["“Größe” – 5 €", "Next"]


def test_pieces_of_the_text_stand_anywhere_in_the_file():
    body = b"One \0\0ends.\r" + "Ωδή ".encode("utf-16-le") + bytes(100)
    places = [(2 * TEXT_AT | 1 << 30, 4), (TEXT_AT + 12, 4), (2 * (TEXT_AT + 6) | 1 << 30, 6)]
    ends = [0, 4, 8, 14]
    listed = struct.pack("<4L", *ends) + b"".join(struct.pack("<HLH", 0, place, 0) for place, _ in places)
    content = word(body.decode("latin-1"), wide=False, pieces=b"\2" + struct.pack("<L", len(listed)) + listed, lengths=[14])
    assert told(content) == ["One Ωδή ends."]


def test_a_piece_may_say_what_its_text_is():
    listed = struct.pack("<3L", 0, 7, 14) + struct.pack("<HLH", 0, TEXT_AT, 0x5C << 1 | 1 << 8)
    listed += struct.pack("<HLH", 0, TEXT_AT + 14, 1)
    long = outline(0)
    pieces = b"\1" + struct.pack("<H", len(long)) + long + b"\2" + struct.pack("<L", len(listed)) + listed
    content = word("Secret\r", "Lights\r", pieces=pieces, lengths=[14])
    assert (told(content), headings(content)) == (["Lights"], [(1, "Lights")])


def test_characters_for_programs_become_what_a_reader_sees():
    said = "A\ttab\vline\x1ebreak, soft\x1fhyphen\x01\x08\x05.\r"
    assert told(word(said)) == ["A tab\nline-break, softhyphen."]
    assert told(word("Page\x0cNext\r")) == ["Page", "Next"]
    assert told(word("No end")) == ["No end"]


def test_of_a_field_its_result_remains():
    assert told(word('See \x13 HYPERLINK "https://example.org" \x14the almanac\x15 now.\r')) == ["See the almanac now."]
    assert told(word("In \x13 IF \x13 PAGE \x141\x15 = 1 \x14one \x13 X \x14two\x15\x15.\r")) == ["In one two."]
    assert told(word('Entry\x13 XE "tide" \x15 here.\r')) == ["Entry here."]


def test_a_field_that_does_not_end_hides_nothing():
    assert told(word("And \x15 kept \x14.\r", "Some \x13 words\r", "more.\r")) == ["And kept .", "Some words", "more."]


def test_hidden_and_deleted_text_is_left_out():
    content = word("See hidden and deleted words.\r", characters={"hidden ": HIDDEN, "deleted ": DELETED})
    assert told(content) == ["See and words."]


@pytest.mark.parametrize(("value", "text"), [(0, "See gone."), (1, "See ."), (0x80, "See gone."), (0x81, "See .")])
def test_properties_are_on_or_off_or_as_in_the_style_or_not(value, text):
    for number in (0x083C, 0x0800):
        assert told(word("See gone.\r", characters={"gone": change(number, value)})) == [text]


def test_a_style_of_characters_may_hide_them():
    hidden = (
        struct.pack("<5H", 0xFFE, 2 | 0xFFF << 4, 1, 0, 0) + struct.pack("<H", 1) + b"h\0\0\0" + struct.pack("<H", 3) + HIDDEN
    )
    parts = sheet(style(0, "Standard"), struct.pack("<H", len(hidden)) + hidden + bytes(len(hidden) % 2))
    of_style, shown = change(0x4A30, b"\1\0"), change(0x083C, 0)
    characters = {"gone": of_style, "kept": of_style + shown, "back": of_style + change(0x083C, 0x81)}
    assert told(word("See gone, kept, back.\r", characters=characters, parts=parts)) == ["See , kept, back."]


def test_a_large_letter_begins_the_next_paragraph():
    assert told(word(("T\r", change(0x442C, b"\x19\0")), "ides rise.\r", ("E\r", change(0x442C, b"\x01\0")))) == [
        "Tides rise.",
        "E",
    ]


def test_a_mark_that_is_hidden_still_ends_its_paragraph():
    assert told(word("One\rTwo\r", characters={"One\r": HIDDEN})) == ["Two"]


def test_superscripts_are_raised():
    assert told(word("About 106 drops\r", characters={"6": RAISED})) == ["About 10⁶ drops"]


def test_characters_of_other_fonts_are_shown_if_they_are_characters():
    symbol = change(0x6A09, struct.pack("<HH", 3, 0x2192))
    picture = change(0x6A09, struct.pack("<HH", 3, 0xF0B7))
    assert told(word("Go ( east ) now\r", characters={"(": symbol, ")": picture})) == ["Go → east now"]


def style(kind: int, name: str, base: int = 0xFFF, paragraph: bytes = b"", characters: bytes = b"") -> bytes:
    papx = b"\0\0" + paragraph
    written = struct.pack("<5H", kind, 1 | base << 4, 2, 0, 0)
    written += struct.pack("<H", len(name)) + name.encode("utf-16-le") + b"\0\0"
    written += struct.pack("<H", len(papx)) + papx + bytes(len(papx) % 2) + struct.pack("<H", len(characters)) + characters
    return struct.pack("<H", len(written)) + written + bytes(len(written) % 2)


def sheet(*styles: bytes) -> dict[int, bytes]:
    return {STYLES: struct.pack("<HHH2x", 6, len(styles), 10) + b"".join(styles)}


NORMAL, HEADING_1, HEADING_2, OWN, PLAIN, TITLE, CONTENTS, STRONG, CIRCLE = range(9)
SHEET = sheet(
    style(0, "Standard"),
    style(1, "Überschrift 1"),
    style(2, "heading 2", base=HEADING_1),
    style(0xFFE, "Kapitel", base=HEADING_2),
    style(0xFFE, "Text", base=HEADING_1, paragraph=outline(9)),
    style(62, "Titel"),
    style(19, "Verzeichnis 1"),
    style(0xFFE, "Stark", characters=BOLD),
    style(0xFFE, "Kreis", base=8),
)


@pytest.mark.parametrize(
    ("number", "properties", "found"),
    [
        (HEADING_1, b"", [(1, "Lights")]),
        (HEADING_2, b"", [(2, "Lights")]),
        (OWN, b"", [(2, "Lights")]),
        (OWN, outline(4), [(5, "Lights")]),
        (NORMAL, outline(2), [(3, "Lights")]),
        (HEADING_1, outline(9), []),
        (PLAIN, b"", []),
        (CIRCLE, b"", []),
        (99, b"", []),
    ],
)
def test_headings_are_told_by_built_in_styles_and_by_levels(number, properties, found):
    assert headings(word(("Lights\r", properties, number), "They burn.\r", parts=SHEET)) == found


def test_the_title_has_a_style_of_its_own_and_a_table_of_contents_is_left_out():
    content = word(("Lights 2\r", b"", CONTENTS), ("Lights\r", b"", HEADING_1), ("The coast\r", b"", TITLE), parts=SHEET)
    assert (read_doc(content).title, told(content)) == ("The coast", ["Lights", "The coast"])


def summary(title: bytes, kind: int = 30, page: int = 1252) -> bytes:
    """Properties with a title."""
    section = struct.pack("<LL4L", 0, 2, 1, 24, 2, 32) + struct.pack("<LHxx", 2, page) + struct.pack("<LL", kind, len(title))
    return bytes(44) + struct.pack("<L", 48) + section + title


@pytest.mark.parametrize(
    ("properties", "title"),
    [
        (summary("Größe\0".encode("cp1252")), "Größe"),
        (summary("灯台\0".encode("cp932"), page=932), "灯台"),
        (summary("Маяк\0".encode(), page=65001), "Маяк"),
        (summary(b"Lamp\0", page=9_999), "Lamp"),
        (summary(b" \0"), "Main"),
        (summary(b"x", kind=3), "Main"),
        (b"", "Main"),
        (summary(b"Cut")[:60], "Main"),
    ],
)
def test_the_title_is_that_of_the_properties_or_the_first_main_heading(properties, title):
    content = word("Text.\r", ("Main\r", outline(0)), **{compound_files.SUMMARY: properties})
    assert read_doc(content).title == title


def table(*rows: tuple[Sequence[str], bytes]) -> list[tuple[str, bytes]]:
    """Rows of cells, each with the properties of its end."""
    return [one for texts, end in rows for one in [*((f"{text}\x07", IN_TABLE) for text in texts), ("\x07", end)]]


END = IN_TABLE + ROW_END
THREE = cells(0, 1_000, 2_000, 3_000)


def test_each_row_of_a_table_has_the_names_of_its_columns():
    rows = table((["city", "metres"], END), (["Ulm", "161"], END), (["Köln", "157"], END))
    assert told(word("Before.\r", *rows, "After.\r")) == [
        "Before.",
        "city: Ulm; metres: 161.",
        "city: Köln; metres: 157.",
        "After.",
    ]


def test_a_marked_row_names_the_columns_and_two_columns_of_words_do_not():
    marked = table((["city", "river"], END + IS_HEADER), (["Ulm", "Danube"], END))
    assert told(word(*marked, "x\r")) == ["city: Ulm; river: Danube.", "x"]
    assert told(word(*table((["Name", "Finch"], END), (["Born", "Orlau"], END)))) == ["Name Finch", "Born Orlau"]


def test_the_edges_of_cells_say_which_columns_they_cover():
    wide = cells(-10, 2_010, 3_000)
    rows = table((["a", "b", "c"], THREE + IS_HEADER), (["wide", "last"], wide), (["1", "2", "3"], THREE))
    assert told(word(*rows, "x\r")) == ["a: wide; c: last.", "a: 1; b: 2; c: 3.", "x"]


@pytest.mark.parametrize("flags", [(1, 2, 0), (2, 1, 0), (3, 1)])
def test_cells_that_are_merged_with_the_one_before_are_part_of_it(flags):
    merged = cells(0, 1_000, 2_000, 3_000, flags=flags)
    rows = table((["a", "b", "c"], THREE + IS_HEADER), (["wide", "", "last"], merged))
    assert told(word(*rows, "x\r")) == ["a: wide; c: last.", "x"]


def test_a_cell_goes_on_with_the_one_above_it():
    first, second = (cells(0, 1_000, 2_000, flags=(flag, 0)) for flag in (0x60, 0x20))
    rows = table((["keeper", "light"], cells(0, 1_000, 2_000)), (["Finch", "7"], first), (["", "9"], second))
    assert told(word(*rows, "x\r")) == ["keeper: Finch; light: 7.", "keeper: Finch; light: 9.", "x"]


def test_paragraphs_and_tables_within_a_cell_are_its_text():
    inner = [("before\r", IN_TABLE), ("in\r", IN_TABLE + change(0x244B)), ("\r", IN_TABLE + change(0x244C))]
    rows = [("outer\x07", IN_TABLE), *inner, ("after\x07", IN_TABLE), ("\x07", END)]
    assert told(word(*rows, "x\r")) == ["outer before in after", "x"]


def test_the_depth_of_a_table_also_says_that_a_paragraph_is_in_it():
    deep = change(0x6649, struct.pack("<l", 1))
    assert told(word(("a\x07", deep), ("b\x07", deep), ("\x07", deep + ROW_END), "x\r")) == ["a b", "x"]


def test_the_cells_of_a_long_row_stand_in_a_stream_of_their_own():
    long = cells(*range(0, 3_000, 1_000))
    data = b"..." + struct.pack("<H", len(long)) + long
    end = END + change(0x6646, struct.pack("<L", 3))
    rows = table((["a", "b"], THREE + IS_HEADER), (["1", "2"], end))
    assert told(word(*rows, "x\r", Data=data)) == ["a: 1; b: 2.", "x"]


def test_a_table_without_an_end_keeps_its_text():
    assert told(word(("a\x07", IN_TABLE), ("b\r", IN_TABLE))) == ["a b"]
    assert told(word("a\x07b\x07\x07", "x\r")) == ["a", "b", "x"]


def test_names_repeated_in_too_many_rows_are_beyond_the_limit():
    names = [f"{number} " + "n" * 150 for number in range(20)]
    rows = table((names, END + IS_HEADER), *[("abcdefghijklmnopqrst", END)] * 600)
    assert "the text of old.doc is longer than 1 MiB" in refused(word(*rows), limits=Limits(max_row_mib=1))


def marks(*at: int) -> bytes:
    return struct.pack(f"<{len(at) + 1}L", *at, 99) + bytes(2 * len(at))


def numbers(*given: int) -> bytes:
    return struct.pack(f"<{len(given)}L", *given)


def test_notes_stand_after_the_paragraph_that_refers_to_them():
    content = word(
        ("Tides\r", outline(0)),
        *("Rise\x02 and fall\x02.\r", "More\x02.\r", "\x02 One.\r", "\x02 Two.\r", "\r", "\x02 End.\r", "\r"),
        lengths=[30, 15, 0, 0, 0, 9],
        parts={
            FOOTNOTE_MARKS: marks(10, 26),
            FOOTNOTES: numbers(0, 7, 14, 15),
            ENDNOTE_MARKS: marks(20),
            ENDNOTES: numbers(0, 8, 9),
        },
    )
    assert told(content) == ["Tides", "Rise and fall.", "One.", "End.", "More.", "Two."]


def test_a_note_in_a_table_stands_below_it():
    rows = table((["city", "metres\x02"], END), (["Ulm", "161"], END))
    content = word(
        *rows, "x\r", "\x02 At low tide.\r", lengths=[25, 15], parts={FOOTNOTE_MARKS: marks(11), FOOTNOTES: numbers(0, 14, 15)}
    )
    assert told(content) == ["city: Ulm; metres: 161.", "At low tide.", "x"]


def test_notes_without_a_mark_stand_at_the_end():
    for parts in ({}, {FOOTNOTES: numbers(0, 5, 2, 99)}, {FOOTNOTE_MARKS: marks(400), FOOTNOTES: numbers(0, 5, 10)}):
        assert told(word("Text.\r", "One.\r", "Two.\r", lengths=[6, 10], parts=parts)) == ["Text.", "One.", "Two."]


def test_headers_and_comments_are_left_out():
    content = word("Text.\r", "Head.\r", "Macro\r", "Said.\r", "Box.\r", lengths=[6, 0, 6, 6, 6, 0, 5])
    assert told(content) == ["Text.", "Box."]


def test_a_text_box_stands_after_the_paragraph_that_its_shape_belongs_to():
    shape = struct.pack("<LL", 3, 99) + struct.pack("<L22x", 1025)
    boxes = numbers(0, 5, 13, 14) + b"".join(struct.pack("<14xL4x", owner) for owner in (7, 1025, 0))
    content = word(
        *("One\x08\r", "Two.\r", "Lost\r", "In box.\r", "\r"),
        lengths=[10, 0, 0, 0, 0, 0, 14],
        parts={SHAPES: shape, BOXES: boxes},
    )
    assert told(content) == ["One", "In box.", "Two.", "Lost"]


def level(first: int, form: int, text: str) -> bytes:
    return struct.pack("<lB19xBBxx", first, form, 2, 1) + b"\0" * 3 + struct.pack("<H", len(text)) + text.encode("utf-16-le")


def lists(*uses: tuple[int, bytes]) -> dict[int, bytes]:
    """A list with steps and letters, and one with bullets; and what names them."""
    steps = level(1, 0, "\0.") + level(1, 4, "\0.\1)") + level(3, 2, "\2") * 7
    listed = struct.pack("<H", 2) + struct.pack("<l22xBx", 7, 0) + struct.pack("<l22xBx", 8, 1)
    used = struct.pack("<L", len(uses)) + b"".join(struct.pack("<l8xB3x", of, len(more) // 8) for of, more in uses)
    used += b"".join(b"\xff" * 4 + more for _, more in uses)
    return {LISTS: listed, AFTER_LISTS: steps + level(1, 23, "\uf0b7"), LIST_USES: used}


def item(use: int, at: int = 0) -> bytes:
    return change(0x460B, struct.pack("<H", use)) + change(0x260A, at)


def test_items_keep_their_numbers():
    content = word(
        ("Fill\r", item(1)), ("oil\r", item(1, 1)), ("wick\r", item(1, 1)), ("\r", item(1)), ("Light\r", item(1)),
        ("deep\r", item(1, 2)), ("dot\r", item(2)), ("none\r", item(0)), ("unknown\r", item(9)),
        parts=lists((7, b""), (8, b"")),
    )  # fmt: skip
    assert told(content) == ["1. Fill", "1.a) oil", "1.b) wick", "3. Light", "iii deep", "dot", "none", "unknown"]


def test_a_list_begins_anew_where_it_says_so():
    content = word(
        ("Fill\r", item(1)),
        ("Again\r", item(2)),
        parts=lists((7, b""), (7, struct.pack("<lL", 5, 0x10))),
    )
    assert told(content) == ["1. Fill", "5. Again"]


def test_headings_and_cells_keep_the_numbers_of_their_style():
    styles = sheet(style(0, "Standard"), style(1, "heading 1", paragraph=item(1)))
    content = word(
        ("Oil\r", b"", 1), ("Cell\x07", IN_TABLE, 1), ("\x07", END), ("Own\r", item(0), 1), parts={**styles, **lists((7, b""))}
    )
    assert (told(content), headings(content)) == (["1. Oil", "2. Cell", "Own"], [(1, "1. Oil"), (1, "Own")])


def test_bold_lines_are_headings_if_there_are_no_others():
    said = ["Oil\r", "It burns.\r", "Wick\r", "It glows.\r"]
    content = word(*said, characters={"Oil": BOLD, "Wick": BOLD})
    assert headings(content) == [(1, "Oil"), (1, "Wick")]
    styled = [(said[0], b"", STRONG), said[1], (said[2], b"", STRONG), said[3]]
    assert headings(word(*styled, parts=SHEET)) == [(1, "Oil"), (1, "Wick")]
    for value in (0, 0x81):
        assert headings(word(*styled, parts=SHEET, characters={"Wick": change(0x0835, value)})) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (word("x\r", flags=0x0300), "old.doc is encrypted; save it without a password, or leave it out"),
        (compound_file({"EncryptedPackage": b"x"}), "old.doc is encrypted; save it without a password, or leave it out"),
        (word("x\r", magic=0xA5DC, version=0x68), "was saved by Word 95 or earlier; save it as DOCX, or leave it out"),
        (word("x\r", version=0x68), "was saved by Word 95 or earlier"),
        (word("x\r", magic=0x1234), "is damaged (it does not begin as documents of Word do); save it again, or leave it out"),
        (word("x\r", pieces=b""), "is damaged (it ends early)"),
        (word("x\r", pieces=b"\2" + struct.pack("<5LH", 20, 0, 9_999, 0, 0, 0)), "its pieces are longer than the file"),
        (word("x\r", pieces=b"\2" + struct.pack("<4LLH", 20, 9, 0, 0, 0, 0)), "its pieces are longer than the file"),
        (word("x\r", pieces=b"\2" + struct.pack("<3LHLH", 16, 0, 2, 0, 8_000, 0)), "its text ends early"),
        (compound_file({"WordDocument": b"\xec\xa5"}), "is damaged (it ends early)"),
        (compound_file({"Workbook": b"x"}), "old.doc is a workbook of Excel by its content; rename it to NAME.xls, or leave"),
        (compound_file({"other": b"x"}), "is damaged (it has no stream WordDocument)"),
        (b"{\\rtf1 Hello}", "old.doc is an RTF file by its content; rename it to NAME.rtf, or leave it out"),
        (b"\xef\xbb\xbf<!-- x --> <HTML><p>", "is a web page by its content; rename it to NAME.html"),
        ("<html>".encode("utf-16"), "is a web page by its content"),
        (b"PK\3\4 word/document.xml", "is a DOCX file by its content; rename it to NAME.docx"),
        (b"PK\3\4", "is a ZIP file by its content"),
        (b"Only text.", "is plain text by its content; rename it to NAME.txt"),
        (b"\0\1\2", "is damaged (it is not of the format that its name says)"),
        (b"", "is damaged (it is not of the format that its name says)"),
        (word("x\r")[:700], "is damaged ("),
    ],
)
def test_what_cannot_be_read_says_why_and_what_to_do(content, message):
    assert message in refused(content)


def test_a_file_under_a_password_is_told_apart():
    with pytest.raises(Unreadable) as caught:
        read_doc(word("x\r", flags=0x0100))
    assert reason_of(caught.value) is Reason.ENCRYPTED


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setattr(compound_files, "find_spec", lambda _: None)
    assert refused(word("x\r")) == (
        "old.doc needs the library olefile to be read; install it with: pip install 'hopweave[documents]'"
    )


def test_sectors_that_go_in_a_circle_are_damage():
    content = bytearray(compound_file({"WordDocument": bytes(5_000)}))
    for at in range(512, 1024, 4):  # each sector follows itself
        struct.pack_into("<L", content, at, (at - 512) // 4)
    entry = content.index("WordDocument".encode("utf-16-le"))
    struct.pack_into("<L", content, entry + 120, 0xFFFFFFF0)  # its length
    assert "it names more than there is" in refused(bytes(content))


def test_more_streams_than_any_document_has_are_damage():
    assert "far too many streams" in refused(compound_file({f"s{number}": b"" for number in range(20_000)}))


CHAINS = {
    "characters": lambda n: word("ab" * n),
    "paragraphs": lambda n: word("\r" * n),
    "cells": lambda n: word(("\x07" * n, IN_TABLE)),
    "fields": lambda n: word("\x13" * n),
    "fields in fields": lambda n: word("\x13" * n + "\x15" * n),
    "results": lambda n: word("\x13a\x14b\x15" * n),
    "runs": lambda n: word(*["ab\r"] * (n // 2)),
    "rows": lambda n: word(*table(*[("ab", THREE)] * (n // 4))),
    "notes": lambda n: word(
        "a" * n, "b" * n, lengths=[n, n], parts={FOOTNOTE_MARKS: marks(*range(n)), FOOTNOTES: numbers(*[0, n] * (n // 2))}
    ),
    "styles in a circle": lambda n: word(*[("a\r", b"", CIRCLE)] * (n // 2), parts=SHEET),
    "a list of changes": lambda n: word("a\r", Data=struct.pack("<H", 60_000) + END * n),
    "changes of a piece": lambda n: word(
        "ab\r" * n,
        lengths=[3 * n],
        pieces=b"\1"
        + struct.pack("<H", 3 * n)
        + change(0x0836) * n
        + b"\2"
        + struct.pack("<LLLHLH", 16, 0, 3 * n, 0, TEXT_AT, 1),
    ),
    "pieces": lambda n: word("a", pieces=b"\1\0\0" * n),
}


@pytest.mark.parametrize("which", CHAINS)
def test_time_grows_with_the_length_and_not_faster(which):
    contents = {number: CHAINS[which](number) for number in (2_000, 16_000)}

    def seconds(number: int) -> float:
        began = time.process_time()
        with suppress(DataError):
            read_doc(contents[number])
        return time.process_time() - began

    # A bound that time that grows with the square, 64 times as much, would break by far.
    assert any(seconds(16_000) < 32 * max(seconds(2_000), 0.002) for _ in range(3))


def test_each_run_is_checked():
    def late() -> None:
        raise DataError("too late")

    with pytest.raises(DataError, match="too late"):
        read_doc(word("x\r"), "old.doc", late)


@given(st.data())
def test_whatever_is_damaged_is_read_or_refused(data):
    content = bytearray(word(*table((["a", "b"], THREE)), "See \x13 X \x14it\x15.\r", parts={**SHEET, **lists((7, b""))}))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(content) - 4))
        content[at : at + 4] = data.draw(st.binary(min_size=4, max_size=4))
    try:
        read_doc(bytes(content[: data.draw(st.integers(400, len(content)))]), "old.doc")
    except DataError as error:
        assert str(error).startswith("old.doc ")  # noqa: PT017 - most are read


@given(st.lists(st.sampled_from([*"ab \r\x07\x0c\x13\x14\x15\x01\x02\x08\v\0\x1e\ud83d\udea2", "word"]), max_size=60))
def test_any_characters_are_read(pieces):
    text = "".join(pieces)
    [part] = read_doc(word((text or "x", IN_TABLE if "b" in pieces else b""))).parts
    assert "\0" not in part.text
    part.text.encode()
