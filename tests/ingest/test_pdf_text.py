"""The text of a PDF: lines, words and sentences that are divided, and sections by bookmarks."""

import pytest
from support.corpora import read, written
from support.documents import pdf, pdf_file, with_outline
from support.readers import parts_of_pages

from hopweave.ingest.document import Heading
from hopweave.ingest.pdf_letters import as_written
from hopweave.ingest.running_lines import Bookmark


def text_of(*pages):
    return [part.text for part in parts_of_pages(pages)]


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("Its keeper was an engi-\nneer.", "Its keeper was an engineer."),
        ("It was self-\ncontained. The self was contained.", "It was self-contained. The self was contained."),
        ("A well-\nknown one, and well-known.", "A well-known one, and well-known."),
        ("Sounds of Anglo-\nSaxon.", "Sounds of Anglo-Saxon."),
        ("The engi-\nneer and the engi-\nneer.", "The engineer and the engineer."),
        ("In ORLAU-\nHARBOUR, see OrlauHarbour.", "In ORLAUHARBOUR, see OrlauHarbour."),
        ("the engi\xad\nneer", "the engineer"),
        ("pages 10-\n12 of it", "pages 10-12 of it"),
        (f"{'valid ' * 10}from 1900–\n2025", f"{'valid ' * 10}from 1900–2025"),
        ("a -\nb", "a - b"),
    ],
)
def test_words_divided_at_the_end_of_a_line_are_whole(text, joined):
    assert text_of(text) == [joined]


def test_lines_of_a_paragraph_are_joined_and_others_stay():
    line = "This line is as long as the lines of the page are"
    text = f"{line}\nand goes on here.\n  \n - one\n - Two\n\n\n{line}\nFinch was there."
    assert text_of(text) == [f"{line} and goes on here.\n\n- one\n- Two\n\n{line} Finch was there."]


def test_headings_stand_where_their_words_are_and_go_on_over_pages():
    pages = ["Lamp\nText of it.", "More of it.\n2.1 Oil\nstore\nText of oil.", "Still oil.", "Boats\nText."]
    bookmarks = [Bookmark(1, "1 Lamp", 1), Bookmark(2, "Oil store", 2), Bookmark(1, "Vessels", 4)]
    first, second, third, last = parts_of_pages(pages, bookmarks)
    assert first.headings == (Heading(0, 1, "Lamp"),)
    assert second.text == "More of it.\n\n2.1 Oil store\n\nText of oil."
    assert second.headings == (Heading(0, 1, "Lamp"), Heading(13, 2, "2.1 Oil store"))
    assert third.headings == (Heading(0, 1, "Lamp"), Heading(0, 2, "2.1 Oil store"))
    assert (last.text, last.headings[-1]) == ("Boats\nText.", Heading(0, 1, "Vessels"))
    assert last.place == "page=4"


@pytest.mark.parametrize(
    ("title", "page", "heading"),
    [
        ("2 Oil", "8\n2 Oil\nText.", "2 Oil"),  # below the number of the page
        ("Oil", "2 Oil\nText.", "2 Oil"),
        ("2 Oil", "Chapter 2\nOil\nText.", "Chapter 2 Oil"),
        ("Oil store", "Oil store\nText.", "Oil store"),
    ],
)
def test_a_heading_has_its_own_number_and_no_other(title, page, heading):
    [part] = parts_of_pages([page], [Bookmark(1, title, 1)])
    assert [part.text[one.start :].partition("\n\n")[0] for one in part.headings] == [heading]


@pytest.mark.parametrize(("program", "name"), [("pdfTeX", "Mudrák"), ("iText", "Mudr´ak")])
def test_letters_of_a_pdf_are_read_as_they_were_set(tmp_path, program, name):
    content = pdf("The \\256eld of Mudr\\302ak.", title=f"Lamps) /Producer ({program}")
    [passage] = read(written(tmp_path, "a.pdf", content))
    assert (passage.title, passage.text) == ("Lamps", f"The field of {name}.")


def test_ligatures_and_accents_of_tex_are_read_as_letters():
    assert as_written("\ufb01eld, \uf731\uf739\uf733\uf737, Erd˝os, Mudr´ak, Franc¸ois, Garc´ıa, c© 1999", is_tex=True) == (
        "field, 1937, Erdős, Mudrák, François, García, © 1999"
    )
    assert as_written("it´s Erd˝os, \ufb00") == "it´s Erd˝os, ff"
    assert as_written("don´t ´ and xy´", is_tex=True) == "don´t ´ and xy´"


def test_a_word_of_a_sentence_is_no_heading():
    [part] = parts_of_pages(["The oil\nis kept.\nOil of it."], [Bookmark(1, "Oil", 1)])
    assert part.headings == (Heading(0, 1, "Oil"),)


def test_many_bookmarks_of_a_long_page_take_no_time():
    [part] = parts_of_pages(["word word\n" * 200_000], [Bookmark(1, f"Number {number}", 1) for number in range(10_000)])
    assert len(part.headings) == 10_000


def test_passages_of_a_pdf_have_the_sections_of_its_outline(tmp_path):
    content = with_outline(
        pdf("Lamp\nIt is lit.", "It is high.", "", "Boats\nTwo."), (1, "Lamp", 1), (2, "Wick", 3), (1, "Boats", 4)
    )
    written(tmp_path, "a.pdf", content)
    found = read(tmp_path)
    assert [(p.source, p.sections) for p in found] == [
        ("a.pdf#page=1", ("Lamp",)),
        ("a.pdf#page=2", ("Lamp",)),
        ("a.pdf#page=4", ("Boats",)),
    ]


def test_words_stay_apart_where_the_space_of_a_font_is_another_glyph(tmp_path):
    drawn = b"BT /F1 12 Tf 72 720 Td [(It)-274(is)-300(lit)-20(tle)] TJ ET"
    widths = " ".join(["1000"] * 91).encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Lamp /FirstChar 32 /LastChar 122 /Widths [" + widths + b"] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
        f"<< /Length {len(drawn)} >>\nstream\n".encode() + drawn + b"\nendstream",
        b"<< >>",
    ]
    [found] = read(written(tmp_path, "a.pdf", pdf_file(objects)))
    assert found.text == "It is little"


def test_an_outline_that_is_a_circle_or_damaged_does_not_hurt(tmp_path):
    plain = pdf("Lamp\nIt is lit.")
    entries = (1, "Lamp", 1), (1, "Boats", 1)
    damaged = with_outline(plain, *entries).replace(b"/Fit", b"/Fxx").replace(b"/First", b"/Fxxxt")
    for content in (with_outline(plain, *entries, is_circle=True), damaged):
        assert [p.text.split() for p in read(written(tmp_path, "a.pdf", content))] == [["Lamp", "It", "is", "lit."]]
