"""Pages of PDFs as images: where the words of a passage stand on them, and PDFs that are damaged or made to harm."""

import io
import sys
from pathlib import Path

import pytest
from support.corpora import one_line_of
from support.documents import pdf, with_boxes
from support.tiers import first_of

from hopweave.apps.server import drawn_page
from hopweave.apps.server.drawn_page import Box, DrawnPage, draw_page, find_on_page
from hopweave.core.types import Span
from hopweave.ingest import pages

pytest.importorskip("pypdfium2", reason="needs: pip install 'hopweave[documents]'")
Image = pytest.importorskip("PIL.Image", reason="needs: pip install 'hopweave[documents]'")

LINES = ("The light of Carrow Head was lit in 1871.", "Its keeper was an engineer.", "It stands in the north.")
BROKEN = ("The light of Carrow Head\nwas lit in 1871.", "Its keeper was an engi-\nneer.", "It stands\nin the north.")


def drawn(folder: Path, content: bytes, number: int = 1) -> DrawnPage:
    (folder / "a.pdf").write_bytes(content)
    with (folder / "a.pdf").open("rb") as raw:
        return draw_page(raw, number, "a.pdf")


def words(text: str, passage: str) -> Span:
    start = passage.index(text)
    return Span(start, start + len(text))


def typed(text: str) -> DrawnPage:
    """A page on which each character is a hundredth of the width and of the height, and lines are two hundredths apart."""
    boxes, across, down = [], 0, 0
    for character in text:
        boxes.append(Box(across / 100, down / 100, (across + 1) / 100, (down + 1) / 100))
        across, down = (0, down + 2) if character == "\n" else (across + 1, down)
    return DrawnPage(1, 100, 100, text, tuple(boxes), b"")


def marked(passage: str, sought: str, page: str) -> list[str]:
    """What is in each box of some words of a passage, on a page of typed letters."""
    [boxes] = find_on_page(passage, [words(sought, passage)], typed(page))
    lines = page.split("\n")
    return [lines[round(box.top * 50)][round(box.left * 100) : round(box.right * 100)] for box in boxes]


@pytest.mark.parametrize(
    ("sentences", "layout"),
    [
        (BROKEN, ""),
        pytest.param(BROKEN, " /CropBox [50 600 400 750]", marks=pytest.mark.slow),
        pytest.param(BROKEN, " /Rotate 180", marks=pytest.mark.slow),
        pytest.param(BROKEN, " /Rotate 270", marks=pytest.mark.slow),
        (LINES, " /Rotate 90"),
    ],
)
def test_the_boxes_of_words_hold_all_their_ink_and_no_other(tmp_path, sentences, layout):
    text = "\n".join(sentences)
    page = drawn(tmp_path, pdf(text, layout=f"/MediaBox [0 0 612 792]{layout}"))
    image = Image.open(io.BytesIO(page.image)).convert("L")
    assert image.size == (page.width, page.height)
    for sentence, boxes in zip(sentences, find_on_page(text, [words(one, text) for one in sentences], page), strict=True):
        assert len(boxes) == len(sentence.split("\n"))
        for box in boxes:
            place = (
                int(box.left * page.width) - 1,
                int(box.top * page.height) - 1,
                int(box.right * page.width) + 2,
                int(box.bottom * page.height) + 2,
            )
            assert min(image.crop(place).tobytes()) < 100
            image.paste(255, place)
    assert min(image.tobytes()) > 250


def test_the_page_that_is_asked_for_is_drawn(tmp_path):
    content = pdf("One.", "Two.", "Three.")
    assert [drawn(tmp_path, content, number).text for number in (1, 2, 3)] == ["One.", "Two.", "Three."]
    assert drawn(tmp_path, content, 3).num_pages == 3


@pytest.mark.parametrize(
    ("passage", "sought", "page", "found"),
    [
        ("Born in Ulm. Died there.", "Born in Ulm.", "Born in Ulm. Died there.", ["Born in Ulm."]),
        ("an engi-\nneer of note", "an engi-\nneer", "an engi\x02neer of note", ["an engi\x02neer"]),
        ("the ﬁrst  café", "ﬁrst  café", "the first\ncafe\u0301", ["first", "cafe"]),
        ("a “small” town—here", "“small” town—here", 'a "small" town-\nhere', ['small" town-', "here"]),
        ("東京都は大きい。", "大きい。", "東京都は大きい。", ["大きい。"]),
    ],
    ids=["plain", "hyphen", "ligature and accent", "punctuation", "Japanese"],
)
def test_words_are_found_whatever_the_blanks_hyphens_ligatures_and_accents(passage, sought, page, found):
    assert marked(passage, sought, page) == found


def test_of_several_places_the_one_is_marked_that_has_the_same_words_around_it():
    page = "Ulm is old.\nBerlin is large.\nBonn is old.\nUlm is old and small."
    assert marked("Bonn is old.", "is old", page) == ["is old"]
    [[box]] = find_on_page("Berlin is large.\nBonn is old.", [Span(22, 28)], typed(page))
    assert round(box.top * 50) == 2


def test_words_whose_place_cannot_be_told_are_not_marked():
    assert marked("Quite another text with old in it", "old", "An old house.\nAn old town.") == []
    assert marked("Born in Ulm in 1879, it is said.", "Ulm", "The culmination of it.") == []
    assert marked("Ulm", "Ulm", "In Ulm.") == ["Ulm"]
    assert marked("It is not there.", "not there", "Something else.") == []
    assert marked("A → B", "→", "A → B") == []
    assert marked("x", "x", "") == []


def test_a_value_of_a_table_is_marked_if_the_page_has_it_once():
    row = "Year: 2023; Staff: 1,410; Share: 4."
    page = "Year Staff Share\n2022 1,300 3\n2023 1,410 4\n2024 21,410 5\n2025 1,300 4"
    assert marked(row, "1,410", page) == ["1,410"]
    assert marked(row, "2023", page) == ["2023"]
    assert marked(row, "4", page) == []  # one digit is anywhere
    assert marked("Year: 2022; Staff: 1,300; Share: 3.", "1,300", page) == []  # of two it cannot be told


def test_words_of_which_a_few_letters_were_read_otherwise_are_found_by_their_ends():
    passage = "The first lighthouse of the county was lit in the summer of 1871 by its keeper."
    page = "Before. The \x00rst lighthouse of the c@unty was lit in\nthe summer of 1871 by its keeper. After."
    assert marked(passage, passage[10:], page) == ["lighthouse of the c@unty was lit in", "the summer of 1871 by its keeper."]
    assert marked(passage, passage[10:], page.replace("1871 by its keeper", "1999")) == []


def test_of_words_that_go_on_on_the_next_page_the_beginning_is_marked():
    passage = "Ada Finch came. She was the engineer of the light that stands in the north."
    page = "Ada Finch came. She was\nthe engineer of the light\npage 7"
    assert marked(passage, "She was the engineer of the light that stands in the north.", page) == [
        "She was",
        "the engineer of the light",
    ]
    assert marked(passage, "She was the engineer of the light that stands in the north.", "She was there.\nHe too.") == []


def test_columns_side_by_side_have_boxes_of_their_own():
    page = typed("left" + " " * 20 + "right")
    [boxes] = find_on_page("left right", [Span(0, 10)], page)
    assert [(round(box.left * 100), round(box.right * 100)) for box in boxes] == [(0, 29)]
    apart = DrawnPage(1, 1, 1, "ab", (Box(0, 0, 0.1, 0.1), Box(0.5, 0, 0.6, 0.1)), b"")
    assert find_on_page("ab", [Span(0, 2)], apart) == [apart.boxes]


@pytest.mark.parametrize(
    "layout",
    first_of(
        [
            "0 0 900000000 900000000",
            "0 0 1 14400",
            "0 0 0.001 0.001",
            "0 0 0 0",
            "612 792 0 0",
            "0 0 1e999 1e999",
            "(a) (b) (c) (d)",
        ],
        2,
    ),
)
def test_an_image_keeps_to_its_bounds_whatever_size_the_page_says_it_has(tmp_path, layout):
    page = drawn(tmp_path, pdf("Text.", layout=f"/MediaBox [{layout}]"))
    assert 1 <= page.width <= 1240
    assert 1 <= page.height <= 3001
    assert page.width * page.height < 4_100_000


@pytest.mark.slow
def test_of_a_page_with_too_many_characters_the_rest_is_not_looked_for(tmp_path):
    page = drawn(tmp_path, pdf("\n".join(["word " * 20] * 800)))
    assert len(page.text) == len(page.boxes) == 50_000


def test_a_page_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(drawn_page, "MAX_SECONDS", 1.0)
    one_line_of(
        lambda: drawn(tmp_path, pdf("x", drawing=b" 0 0 m 600 700 l 30 w S" * 500_000)),
        r"page 1 of a\.pdf took longer than 1 seconds to draw",
    )


def test_a_process_that_dies_says_too_little_or_never_ends_is_an_error(tmp_path, monkeypatch):
    worker = tmp_path / "worker.py"
    monkeypatch.setattr(pages, "_WORKER", worker)
    monkeypatch.setattr(drawn_page, "_MAX_IMAGE_BYTES", 1 << 20)
    for program in (
        "import os; os.abort()",
        "print('{')",
        "print('{\"num_bytes\": 9}')",
        "while True: print('{\"num_bytes\": 9}' + 'x' * 100000)",
        "while True: print('x' * 100000, end='')",
    ):
        worker.write_text(program)
        one_line_of(lambda: drawn(tmp_path, pdf("x")), r"page 1 of a\.pdf cannot be drawn; open the file itself")


@pytest.mark.parametrize("content", [b"", b"%PDF", b"text", pdf("x" * 50)[:150], bytes(5000)])
def test_a_damaged_pdf_is_an_error(tmp_path, content):
    one_line_of(lambda: drawn(tmp_path, content), r"a\.pdf is damaged, or not a PDF")


def test_an_encrypted_pdf_and_a_page_that_there_is_not_are_errors(tmp_path):
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf("Secret.")))
    writer.encrypt("password", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    one_line_of(lambda: drawn(tmp_path, out.getvalue()), r"a\.pdf is encrypted; save it without a password")
    one_line_of(lambda: drawn(tmp_path, pdf("One."), 2), r"a\.pdf has no page 2")


def test_without_the_libraries_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    one_line_of(lambda: drawn(tmp_path, pdf("x")), r"install them with: pip install 'hopweave\[documents\]'")


def test_what_is_filled_in_a_form_is_drawn_and_marked_with_the_words_beside_it(tmp_path):
    look = b"BT /F1 12 Tf 2 4 Td (Ada Finch) Tj ET"
    field = {"/Subtype": "/Widget", "/FT": "/Tx", "/T": "owner", "/V": "Ada Finch", "/Rect": [220, 702, 420, 722]}
    form = with_boxes(
        pdf("Mooring at Carrow\nOwner of the boat:\nLength of the boat:"), {**field, "/F": 4, "/AP": {"/N": look}}
    )
    page = drawn(tmp_path, form)
    passage = "Owner of the boat: Ada Finch"
    [boxes] = find_on_page(passage, [words(passage, passage)], page)
    label, value = boxes
    assert label.left < label.right < value.left < value.right
    assert label.top == value.top
