"""What is filled in the form of a PDF, typed onto it, and noted on it is read with its page."""

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import read, refused
from support.documents import pdf, with_boxes

from hopweave.ingest.pdf_fields import Box, Piece, with_values

pytest.importorskip("pypdf")

FORM = "Mooring at Carrow\nOwner:\nLength:\nFuel"
"""Its lines are drawn at 720, 706, 692 and 678 points."""


def field(text, rect=(150, 704, 300, 718), **more):
    return {"/Subtype": "/Widget", "/FT": "/Tx", "/T": "owner", "/V": text, "/Rect": [*rect], **more}


def paragraphs(tmp_path, *boxes, form=FORM):
    path = tmp_path / "form.pdf"
    path.write_bytes(with_boxes(pdf(form), *boxes))
    return "\n\n".join(passage.text for passage in read(path)).split("\n\n")


def test_what_is_filled_in_stands_behind_the_words_to_its_left_and_is_a_paragraph_of_its_own(tmp_path):
    found = paragraphs(tmp_path, field("Ada Finch"), field("9.40 m", (150, 690, 300, 704)))
    assert found == ["Mooring at Carrow", "Owner: Ada Finch", "Length: 9.40 m", "Fuel"]


def test_what_is_filled_in_below_its_words_stands_behind_them(tmp_path):
    assert paragraphs(tmp_path, field("1 May", (72, 680, 200, 700)), form="Owner:\nWanted from")[-1] == "Wanted from 1 May"


def test_a_field_that_is_described_has_its_description_below_the_page(tmp_path):
    found = paragraphs(tmp_path, field("Ada Finch", **{"/TU": "3. Enter the name of the owner."}))
    assert found[-1] == "3. Enter the name of the owner: Ada Finch"
    assert "Owner:" in found[0]


def test_a_field_with_no_words_near_it_has_its_name(tmp_path):
    assert (
        paragraphs(tmp_path, field("Orlau", (400, 100, 500, 120), **{"/T": "form1[0].HomePort_Name[0]"}))[-1]
        == "Home Port Name: Orlau"
    )


@pytest.mark.parametrize(
    ("box", "shown"),
    [
        ({"/FT": "/Btn", "/AS": "/Yes"}, "[x] Fuel"),
        ({"/FT": "/Ch", "/V": "d", "/Opt": [["d", "Diesel"], ["p", "Petrol"]], "/Rect": [150, 676, 200, 690]}, "Fuel Diesel"),
        ({"/FT": "/Ch", "/V": ["d", "Gas"], "/Opt": [["d", "Diesel"]], "/Rect": [150, 676, 200, 690]}, "Fuel Diesel, Gas"),
        ({"/FT": "/Sig", "/V": {"/Name": "Ada Finch"}, "/Rect": [150, 676, 200, 690]}, "Fuel signed by Ada Finch"),
        ({"/Subtype": "/FreeText", "/Contents": "diesel", "/Rect": [150, 676, 200, 690]}, "Fuel diesel"),
    ],
)
def test_fields_of_every_kind_are_read(tmp_path, box, shown):
    given_box = {"/Subtype": "/Widget", "/T": "fuel", "/Rect": [55, 676, 69, 690], **box}
    assert paragraphs(tmp_path, given_box)[-1] == shown


def test_boxes_that_are_not_ticked_are_shown_beside_others_only(tmp_path):
    empty = {"/Subtype": "/Widget", "/FT": "/Btn", "/AS": "/Off", "/Rect": [55, 676, 69, 690]}
    assert "[ ]" not in "".join(paragraphs(tmp_path, empty))
    assert paragraphs(tmp_path, empty, field("Ada Finch"))[-1] == "[ ] Fuel"


@pytest.mark.parametrize(
    "box",
    [
        field("secret", **{"/Ff": 1 << 13}),
        field("unseen", **{"/F": 2}),
        field("/Off"),
        field("cut off", ()),
        field({"/Name": "no text"}),
        {"/Subtype": "/Widget", "/FT": "/Btn", "/Ff": 1 << 16, "/AS": "/On", "/Rect": [55, 676, 69, 690]},
        {"/Subtype": "/Link", "/Contents": "a link", "/Rect": [55, 676, 69, 690]},
    ],
)
def test_what_is_hidden_secret_damaged_or_no_value_leaves_the_page_as_it_is(tmp_path, box):
    assert paragraphs(tmp_path, box) == paragraphs(tmp_path)


def test_a_value_of_a_field_in_parts_is_that_of_the_whole_field(tmp_path):
    part = {"/Subtype": "/Widget", "/Rect": [150, 704, 300, 718], "/Parent": {"/FT": "/Tx", "/T": "owner", "/V": "Ada Finch"}}
    assert "Owner: Ada Finch" in paragraphs(tmp_path, part)


def test_notes_of_readers_stand_below_the_page_with_who_wrote_them(tmp_path):
    notes = [
        {"/Subtype": "/Highlight", "/Contents": "Ask for\nthe papers.", "/T": "Ida Renn", "/Rect": [0, 0, 9, 9]},
        {"/Subtype": "/Text", "/Contents": "Twice?", "/Rect": [0, 0, 9, 9]},
        {"/Subtype": "/Highlight", "/Contents": "Mooring at\nCarrow", "/T": "Ida Renn", "/Rect": [0, 0, 9, 9]},
        {"/Subtype": "/Popup", "/Contents": "Ask for the papers.", "/Rect": [0, 0, 9, 9]},
    ]
    assert paragraphs(tmp_path, *notes)[1:] == ["Note by Ida Renn: Ask for the papers.", "Note: Twice?"]


def test_a_form_that_only_some_programs_show_is_refused_with_a_remedy(tmp_path):
    import pypdf
    from pypdf import generic

    def saved(words):
        writer = pypdf.PdfWriter(clone_from=BytesIO(pdf(words)))
        form = generic.DictionaryObject({generic.NameObject("/XFA"): generic.ArrayObject()})
        writer.root_object[generic.NameObject("/AcroForm")] = form
        writer.write(tmp_path / "form.pdf")
        return tmp_path / "form.pdf"

    assert "print it to a new PDF" in refused(saved("Please wait... If this message is not replaced, update."), match="XFA")
    assert [passage.text for passage in read(saved("Owner: Ada Finch"))] == ["Owner: Ada Finch"]


@given(
    st.lists(st.tuples(st.text("abc :\n", max_size=8), st.integers(0, 600), st.integers(0, 800)), max_size=8),
    st.lists(st.tuples(st.booleans(), st.integers(0, 600), st.integers(0, 800)), max_size=6),
)
def test_every_value_and_every_word_of_a_page_are_there_wherever_they_stand(told, placed):
    text, pieces = "", []
    for words, x, y in told:
        begin = len(text) + len(words) - len(words.lstrip())
        pieces += [Piece(begin, begin + len(words.strip()), x, y)] if words.strip() else []
        text += words
    boxes = [Box(f"V{n}", "name", is_told, x, y, x + 50, y + 12) for n, (is_told, x, y) in enumerate(placed)]
    made = with_values(text, pieces, boxes)
    for box in boxes:
        assert made.count(box.text) == 1
        made = made.replace(box.text, "").replace("name: ", "")
    assert "".join(made.split()) == "".join(text.split())
