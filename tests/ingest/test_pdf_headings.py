"""A PDF without bookmarks has the headings that its type shows."""

import pytest
from support.corpora import read, written
from support.documents import pdf_file, with_outline

from hopweave.ingest.document import Heading, Part, is_one_of_several
from hopweave.ingest.pdf_headings import Line, headings_by_size, title_in_large_type, title_of
from hopweave.ingest.running_lines import Bookmark

BODY = [Line(10.0, False, f"The lamp is lit at dusk on each of the {number} days that a week has.") for number in range(8)]


def page(*headings):
    """A page with text after each heading."""
    return [line for heading in headings for line in (heading, *BODY)]


def found(*pages):
    return [(one.level, one.title, one.page) for one in headings_by_size(pages)]


def test_larger_lines_are_headings_whose_levels_are_those_of_their_sizes():
    first = page(Line(20.0, True, "Kerrow Light"), Line(14.0, True, "1 The lamp"), Line(12.0, False, "Wicks"))
    assert found(first, page(Line(14.1, True, "2 Oil"))) == [
        (1, "Kerrow Light", 1),
        (2, "1 The lamp", 1),
        (3, "Wicks", 1),
        (2, "2 Oil", 2),
    ]


def test_lines_of_one_heading_belong_together_and_numbered_ones_do_not():
    two = Line(14.0, True, "How the lamp of the light is"), Line(14.0, True, "lit at dusk")
    assert found([*two, *BODY]) == [(1, "How the lamp of the light is\nlit at dusk", 1)]
    assert found([Line(14.0, True, "1 Lamp"), Line(14.0, True, "1.1 Wicks"), *BODY]) == [(1, "1 Lamp", 1), (1, "1.1 Wicks", 1)]


def test_a_numbered_line_of_the_same_size_is_a_heading_if_it_is_bold():
    bold, plain = Line(10.0, True, "2.1 Wicks"), Line(10.0, False, "2.1 Wicks")
    assert found([*BODY, bold, *BODY]) == [(1, "2.1 Wicks", 1)]
    assert found([*BODY, plain, *BODY]) == []


@pytest.mark.parametrize(
    "line",
    [
        Line(14.0, True, "The lamp is lit at dusk, and goes out at dawn."),
        Line(14.0, True, "12 %"),
        Line(14.0, True, "Lamp . . . . . . . . 7"),
        Line(10.0, True, "2.1 Wicks 7"),
        Line(10.4, False, "Nearly the same size"),
        Line(14.0, False, "word " * 30),
    ],
)
def test_sentences_numbers_and_lines_of_a_table_of_contents_are_no_headings(line):
    assert found([*BODY, line, *BODY]) == []


def test_what_stands_on_many_pages_is_no_heading():
    assert found(*(page(Line(14.0, True, f"Orla manual, page {number}")) for number in range(4))) == []


def test_where_much_is_large_size_says_nothing():
    assert found([line for number in range(6) for line in (Line(14.0, True, f"Lamp {chr(65 + number)}"), BODY[0])]) == []
    assert found() == found([]) == []


def test_the_title_is_the_largest_line_of_the_first_page():
    cover = page(Line(12.0, False, "Orla Ltd"), Line(20.0, True, "Kerrow Light"))
    assert title_of(headings_by_size([cover, page(Line(25.0, True, "Contents"))])) == "Kerrow Light"
    assert title_of(headings_by_size([BODY, page(Line(20.0, True, "Kerrow Light"))])) == title_of([]) == ""


def in_type(*lines):
    """A PDF of a page with lines in type of the sizes given, without a title."""
    drawn = " ".join(f"/F1 {size} Tf 0 -24 Td ({line}) Tj" for size, line in lines)
    content = f"BT 72 760 Td {drawn} ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream",
        b"<< >>",
    ]
    return pdf_file(objects)


def test_passages_of_a_pdf_without_bookmarks_have_its_title_and_the_sections_that_its_type_shows(tmp_path):
    lines = [(20, "Kerrow Light"), *text("The lamp"), (14, "Oil sto-"), (14, "re of the light"), *text("The oil")]
    passages = read(written(tmp_path, "a.pdf", in_type(*lines)), max_words=60)
    assert {passage.title for passage in passages} == {"Kerrow Light"}
    assert {passage.sections for passage in passages if "The oil" in passage.text} == {("Oil store of the light",)}


def test_a_pdf_with_bookmarks_has_its_title_in_large_type_and_the_sections_of_its_bookmarks(tmp_path):
    content = in_type((20, "Kerrow Light"), *text("The lamp"), (14, "Boats"), (10, "Oil"), *text("The oil"))
    passages = read(written(tmp_path, "a.pdf", with_outline(content, (1, "The lamp", 1), (1, "Oil", 1))), max_words=60)
    assert {passage.title for passage in passages} == {"Kerrow Light"}
    assert {passage.sections for passage in passages if "The oil" in passage.text} == {("Oil",)}


def text(what):
    return [(10, f"{what} is looked after on each of the {number} days that a week has.") for number in range(5)]


def test_without_a_title_of_its_own_a_pdf_has_that_in_the_largest_type_of_its_first_page():
    cover = [
        Line(11.0, False, "Edition 7"),
        Line(20.7, True, "Keeping of"),
        Line(20.5, True, "Lights*"),
        Line(14.0, True, "Ada Finch"),
    ]
    outline = [Bookmark(1, "The Lamp", 3), Bookmark(1, "Oil", 5)]
    assert title_in_large_type([cover, BODY], outline) == "Keeping of Lights"
    assert title_in_large_type([[Line(14.0, True, "The lamp"), *BODY]], outline) == ""  # a heading of it
    assert title_in_large_type([[Line(14.0, True, "Contents"), *BODY]], outline) == ""
    assert title_in_large_type([[Line(11.0, True, "Nearly the same size"), *BODY]], outline) == ""
    assert title_in_large_type([[Line(20.0, True, "1871"), *BODY]], outline) == title_in_large_type([], outline) == ""


def test_a_title_with_a_number_that_goes_on_from_page_to_page_is_not_one_of_several():
    pages = [Part("Oil.", (Heading(0, 1, "Lamps 3.5"),)), Part("Wicks.", (Heading(0, 1, "Lamps 3.5"),))]
    assert not is_one_of_several("Lamps 3.5", pages)
    assert is_one_of_several("Lamps 3.5", [*pages, Part("Gas.", (Heading(4, 1, "Lamps 3.4"),))])
