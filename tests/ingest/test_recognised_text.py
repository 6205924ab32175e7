"""Pictures and scans: what becomes of the text that is recognised, and of pages that have none."""

import pytest
from support.corpora import one_line_of, read, written
from support.documents import pdf

from hopweave.ingest import formats, pages
from hopweave.ingest.formats import CorpusFile, Limits
from hopweave.ingest.reasons import Reason
from hopweave.ingest.tally import Tally


@pytest.fixture
def recognises(tmp_path, monkeypatch):
    """Has another program recognise text, which is given as Python."""

    def set_program(*lines):
        program = tmp_path / "recognise.py"
        program.write_text("import json, sys, time\n" + "\n".join(lines))
        monkeypatch.setattr(pages, "_OCR_WORKER", program)
        monkeypatch.setattr(pages, "CAN_RECOGNISE", True)

    return set_program


def page(number, text):
    return f"print(json.dumps({{'page': {number}, 'text': {text!r}}}), flush=True)"


END = "print(json.dumps({'end': True}), flush=True)"


def picture(folder, limits=None):
    path = written(folder, "a.png", "picture")
    return pages.read_pages(CorpusFile(path, "a.png", "a.png"), limits or Limits(max_seconds=60))


def test_scanned_pages_stand_between_the_others(tmp_path, recognises):
    recognises("assert sys.argv[1:] == ['2', '3']", page(2, "Of the engi-\nneer."), page(3, ""), END)
    written(tmp_path / "in", "a.pdf", pdf("First.", "", "", "Last."))
    tally = Tally()
    found = read(tmp_path / "in", tally=tally)
    assert [(p.source, p.text) for p in found] == [
        ("a.pdf#page=1", "First."),
        ("a.pdf#page=2", "Of the engineer."),
        ("a.pdf#page=4", "Last."),
    ]
    assert "1 of its pages is a picture without text (3)" in str(tally.unread[0])


def test_pages_that_were_not_recognised_in_time_are_listed_and_the_others_kept(tmp_path, recognises):
    recognises(page(1, "Text."), "time.sleep(600)")
    written(tmp_path / "in", "a.pdf", pdf("", ""))
    tally = Tally()
    assert [p.text for p in read(tmp_path / "in", tally=tally, max_seconds=6)] == ["Text."]
    assert "raise max_seconds (--max-seconds)" in str(tally.unread[0])
    assert "(2)" in str(tally.unread[0])


def test_a_picture_is_one_document_and_one_of_several_pages_has_places(tmp_path, recognises):
    recognises(page(1, "One."), END)
    [part] = picture(tmp_path).parts
    assert (part.text, part.place) == ("One.", "")
    recognises(page(1, "One."), page(2, ""), page(3, "Three."), END)
    assert [(part.text, part.place) for part in picture(tmp_path).parts] == [("One.", "image=1"), ("Three.", "image=3")]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ((page(1, " "), END), "holds no text that can be recognised"),
        (("print(json.dumps({'error': 'is damaged; save it again'}))",), "a.png is damaged"),
        (("raise SystemExit",), "is damaged: the process that read it ended early"),
        (("time.sleep(600)",), "took longer than 1 seconds"),
    ],
)
def test_a_picture_without_text_is_a_bad_file(tmp_path, recognises, lines, message):
    recognises(*lines)
    assert message in one_line_of(lambda: picture(tmp_path, Limits(max_seconds=1)), "a.png")


@pytest.mark.skipif(formats.CAN_RECOGNISE, reason="the extra ocr is installed")
def test_without_the_libraries_pictures_are_skipped_with_what_would_read_them(tmp_path):
    written(tmp_path, "a.png", "picture")
    written(tmp_path, "b.txt", "text")
    tally = Tally()
    assert [p.text for p in read(tmp_path, tally=tally)] == ["text"]
    assert tally.skipped == {Reason.PICTURE: {".png": 1}}


@pytest.mark.skipif(not formats.CAN_RECOGNISE, reason="needs: pip install 'hopweave[ocr]'")
def test_text_of_a_drawn_page_is_recognised(tmp_path):
    from PIL import Image, ImageDraw, ImageFont

    drawn = Image.new("RGB", (1240, 300), "white")
    ImageDraw.Draw(drawn).text((80, 80), "The light was lit in 1871.", fill="black", font=ImageFont.load_default(size=40))
    drawn.save(tmp_path / "a.pdf", "PDF", resolution=150)
    drawn.save(tmp_path / "b.png")
    assert [p.text for p in read(tmp_path)] == ["The light was lit in 1871."] * 2
