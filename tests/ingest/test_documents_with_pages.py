"""PDF, DOCX and EPUB: their text, the places that citations name, and files that are damaged or made to harm."""

import struct
import sys
import zipfile
from pathlib import Path

import pytest
from support.corpora import read, refused
from support.documents import docx, epub, paragraph, pdf, zipped

from hopweave.core.types import Passage
from hopweave.ingest import pages
from hopweave.ingest.read import read_corpus
from hopweave.ingest.tally import Tally

INSTALL_OCR = "have it recognised (pip install 'hopweave[ocr]')"


@pytest.fixture(autouse=True)
def without_ocr(monkeypatch):
    monkeypatch.setattr(pages, "CAN_RECOGNISE", False)


def error(folder: Path, name: str, content: bytes, **options) -> str:
    """The one line about a file that cannot be read."""
    (folder / name).write_bytes(content)
    return refused(folder, match=name, **options)


def test_passages_of_a_pdf_name_their_page_and_the_span_in_its_text(tmp_path):
    (tmp_path / "report.pdf").write_bytes(pdf("Ulm is a city.", "It has a minster.\nIt is tall.", title="On Ulm"))
    assert read(tmp_path) == [
        Passage("report.pdf#1", "Ulm is a city.", "On Ulm", "report.pdf#page=1", 0, 14),
        Passage("report.pdf#2", "It has a minster.\nIt is tall.", "On Ulm", "report.pdf#page=2", 0, 29),
    ]


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("untitled", "a"),
        ("Untitled Document", "a"),
        ("Microsoft Word - On Ulm.docx", "On Ulm.docx"),
        ("Unknown Pleasures", "Unknown Pleasures"),
    ],
)
def test_a_title_that_a_program_gave_a_pdf_for_want_of_one_is_none(tmp_path, given, title):
    (tmp_path / "a.pdf").write_bytes(pdf("Ulm is a city.", title=given))
    assert [one.title for one in read(tmp_path)] == [title]


def test_a_long_page_is_cut_and_numbers_go_on_over_the_pages(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf("One two three. Four five six.", "Seven eight nine."))
    found = read(tmp_path, max_words=3)
    assert [(p.id, p.source, p.text) for p in found] == [
        ("a.pdf#1", "a.pdf#page=1", "One two three."),
        ("a.pdf#2", "a.pdf#page=1", "Four five six."),
        ("a.pdf#3", "a.pdf#page=2", "Seven eight nine."),
    ]
    assert [(p.start, p.end) for p in found] == [(0, 14), (15, 29), (0, 17)]
    assert {p.title for p in found} == {"a"}


def test_pages_without_text_are_listed_and_the_others_read(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf("Text.", "", "", "More."))
    tally = Tally()
    assert [p.source for p in read(tmp_path, tally=tally)] == ["a.pdf#page=1", "a.pdf#page=4"]
    [unread] = tally.unread
    assert (unread.source, unread.num_passages) == ("a.pdf", 2)
    assert "2 of its pages hold no text that can be read (2, 3); have it recognised (pip install 'hopweave[ocr]')" in str(
        unread
    )
    assert str(unread).endswith("(2 passages of it kept)")


def test_a_scan_without_any_text_is_a_bad_file(tmp_path):
    assert "holds no text, as scans do; have it recognised (pip install 'hopweave[ocr]')" in error(
        tmp_path, "a.pdf", pdf("", "")
    )


def test_an_encrypted_pdf_is_a_bad_file(tmp_path):
    import pypdf

    (tmp_path / "plain.pdf").write_bytes(pdf("Secret."))
    writer = pypdf.PdfWriter(clone_from=tmp_path / "plain.pdf")
    writer.encrypt("password", algorithm="RC4-128")
    (tmp_path / "plain.pdf").unlink()
    with (tmp_path / "a.pdf").open("wb") as file:
        writer.write(file)
    assert "is encrypted; save it without a password" in error(tmp_path, "a.pdf", (tmp_path / "a.pdf").read_bytes())


@pytest.mark.parametrize("content", [b"", b"%PDF", b"text", pdf("x" * 50)[:150], bytes(5000)])
def test_a_damaged_pdf_is_a_bad_file(tmp_path, content):
    assert "is damaged" in error(tmp_path, "a.pdf", content)


def test_a_pdf_whose_pages_never_end_is_a_bad_file(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf("x", endless=True))
    (tmp_path / "b.txt").write_text("good")
    tally = Tally()
    assert [p.text for p in read(tmp_path, tally=tally, lenient=True, max_seconds=20)] == ["good"]
    assert [one.source for one in tally.unread] == ["a.pdf"]


def test_a_pdf_that_takes_too_long_is_ended_and_a_bad_file(tmp_path, monkeypatch):
    sleeper = tmp_path / "sleep.py"
    sleeper.write_text("import time; time.sleep(600)")
    monkeypatch.setattr(pages, "_WORKER", sleeper)
    (tmp_path / "in").mkdir()
    said = error(tmp_path / "in", "a.pdf", pdf("x"), max_seconds=1)
    assert "took longer than 1 seconds to read; leave it out, or raise max_seconds (--max-seconds)" in said


def test_a_pdf_of_which_only_the_places_of_words_kill_the_reader_is_read_without_them(tmp_path, monkeypatch):
    worker = tmp_path / "worker.py"
    worker.write_text(
        "import os, sys\n"
        'print(\'{"page": 1, "text": "The light of Orlau."}\', flush=True)\n'
        "if sys.argv[1:] != ['text']: os.abort()\n"
        "print('{\"end\": true}')\n"
    )
    monkeypatch.setattr(pages, "_WORKER", worker)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.pdf").write_bytes(pdf("x"))
    assert [passage.text for passage in read(tmp_path / "in")] == ["The light of Orlau."]


def test_a_pdf_reader_that_dies_or_says_too_much_is_a_bad_file(tmp_path, monkeypatch):
    worker = tmp_path / "worker.py"
    monkeypatch.setattr(pages, "_WORKER", worker)
    (tmp_path / "in").mkdir()
    worker.write_text("import os; os.abort()")
    assert "the process that read it ended early" in error(tmp_path / "in", "a.pdf", pdf("x"))
    worker.write_text("while True: print('{\"page\": 1, \"text\": \"' + 'x' * 100000 + '\"}')")
    assert "the text of a.pdf is longer than 1 MiB" in error(tmp_path / "in", "a.pdf", pdf("x"), max_row_mib=1)


def test_without_the_library_a_pdf_is_not_read_and_the_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    assert "a.pdf needs the library pypdf to be read; install it with: pip install 'hopweave[documents]'" in error(
        tmp_path, "a.pdf", pdf("x")
    )


def test_modules_of_the_current_folder_are_not_run_by_the_process_that_reads(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit(1)")
    (tmp_path / "a.pdf").write_bytes(pdf("Text."))
    monkeypatch.chdir(tmp_path)
    assert [p.text for p in read_corpus([Path("a.pdf")])] == ["Text."]


TABLE = (
    "<w:tbl><w:tr><w:tc>" + paragraph("city") + "</w:tc><w:tc>" + paragraph("metres") + "</w:tc></w:tr>"
    "<w:tr><w:tc>" + paragraph("Ulm") + "</w:tc><w:tc>" + paragraph("161") + "</w:tc></w:tr></w:tbl>"
)
CHANGED = (
    '<w:p><w:pPr><w:tabs><w:tab w:pos="1"/></w:tabs></w:pPr><w:ins><w:r><w:t>new</w:t></w:r></w:ins>'
    "<w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom>"
    "<w:r><w:tab/><w:t>a</w:t><w:br/><w:t>b</w:t><w:instrText>PAGE</w:instrText></w:r></w:p>"
)


def note(number, text, kind="footnote"):
    return f'<w:{kind} w:id="{number}">{paragraph(text)}</w:{kind}>'


def mark(number, kind="footnote"):
    return f'<w:r><w:{kind}Reference w:id="{number}"/></w:r>'


def test_notes_of_a_docx_follow_what_refers_to_them(tmp_path):
    cell = f"<w:tc><w:p>{mark(2)}<w:r><w:t>161</w:t></w:r></w:p></w:tc>"
    body = (
        f'<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Spire</w:t></w:r>{mark(1)}</w:p>',
        f"<w:p><w:r><w:t>Tall.</w:t></w:r>{mark(1, 'endnote')}<w:del>{mark(4)}</w:del></w:p>",
        TABLE.replace("<w:tc>" + paragraph("161") + "</w:tc>", cell),
        paragraph("The end."),
    )
    footnotes = note(-1, "") + note(1, "Of stone.") + note(2, "In 1890.") + note(3, "Left over.") + note(4, "Deleted.")
    (tmp_path / "a.docx").write_bytes(docx(*body, footnotes=footnotes, endnotes=note(1, "Of all.", "endnote")))
    [passage] = read(tmp_path)
    assert passage.text == (
        "Spire\n\nOf stone.\n\nTall.\n\nOf all.\n\ncity: Ulm; metres: 161.\n\nIn 1890.\n\nThe end.\n\nLeft over."
    )


def test_a_docx_becomes_the_text_that_a_reader_sees(tmp_path):
    content = docx(paragraph("The minster", "Title"), paragraph("Tall & old."), TABLE, CHANGED, footnotes=note(2, "A note."))
    (tmp_path / "a.docx").write_bytes(content)
    text = "The minster\n\nTall & old.\n\ncity: Ulm; metres: 161.\n\nnew a\nb\n\nA note."
    assert read(tmp_path) == [Passage("a.docx", text, "The minster", "a.docx")]


def test_the_title_of_a_docx_is_that_of_its_properties_its_first_heading_or_its_name(tmp_path):
    core = '<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Of the properties</dc:title><dc:x>no</dc:x></c>'
    heading = docx(paragraph("A heading", "Heading1"), paragraph("Text."))
    (tmp_path / "1.docx").write_bytes(heading)
    with zipfile.ZipFile(tmp_path / "1.docx", "a") as archive:
        archive.writestr("docProps/core.xml", core)
    (tmp_path / "2.docx").write_bytes(heading)
    (tmp_path / "3.docx").write_bytes(docx(paragraph("Text.")))
    assert [p.title for p in read(tmp_path)] == ["Of the properties", "A heading", "3"]


def test_the_chapters_of_an_epub_are_places(tmp_path):
    (tmp_path / "a.epub").write_bytes(epub("A book", "<h1>One</h1><p>First.</p>", "<p> </p>", "<p>Last.</p>"))
    assert [(p.id, p.title, p.source, p.text) for p in read(tmp_path)] == [
        ("a.epub#1", "A book", "a.epub#OEBPS/c 1.xhtml", "One\n\nFirst."),
        ("a.epub#2", "A book", "a.epub#OEBPS/c 3.xhtml", "Last."),
    ]


LAUGHS = '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE w [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
GOOD = docx(paragraph("Text."))


def with_end(content: bytes, offset: int, layout: str, value: int) -> bytes:
    """A zip file with another number in its last record."""
    end = bytearray(content)
    struct.pack_into(layout, end, content.rindex(b"PK\x05\x06") + offset, value)
    return bytes(end)


BAD = {
    "no zip": ("a.docx", b"PK\x03\x04 and then nothing", "is damaged"),
    "empty": ("a.docx", b"", "is damaged"),
    "cut off": ("a.docx", GOOD[:-30], "is damaged"),
    "of an older format": ("a.docx", b"\xd0\xcf\x11\xe0" + bytes(600), "is of an older format"),
    "without a text": ("a.docx", docx(paragraph(" ")), "holds no text"),
    "another zip": ("a.docx", zipped({"a.txt": "x"}), "is damaged"),
    "no XML": ("a.docx", zipped({"word/document.xml": "<w:document><w:p>"}), "is not XML"),
    "entities": ("a.docx", docx(paragraph("x"), declared=LAUGHS), "declares entities of XML"),
    "entities outside": ("a.docx", docx(paragraph("x"), declared=OUTSIDE), "declares entities of XML"),
    "a bomb": ("a.docx", docx(paragraph("x" * (3 << 20))), "is longer than 1 MiB"),
    "a long list": ("a.docx", with_end(GOOD, 12, "<L", 1 << 30), "a list of parts that is too long"),
    "no contents": ("a.epub", zipped({"META-INF/container.xml": "<container/>"}), "names no contents"),
    "an epub that is no zip": ("a.epub", b"x", "is damaged"),
    "a chapter that is missing": ("a.epub", epub("A", "<p>x</p>").replace(b"c 1.xhtml", b"c 9.xhtml"), "is damaged"),
    "an epub under copy protection": (
        "a.epub",
        epub("A", b"\xff\xfe\x00"),
        "is encrypted, or OEBPS/c 1.xhtml in it is not UTF-8",
    ),
    "an epub without text": ("a.epub", epub("A", "<p></p>"), "holds no text"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_docx_or_epub_that_is_damaged_or_means_harm_is_a_bad_file(tmp_path, case):
    name, content, message = BAD[case]
    assert message in error(tmp_path, name, content, max_row_mib=1)


def test_a_file_as_a_whole_is_held_to_its_limit(tmp_path):
    assert "a.pdf is longer than 1 MiB" in error(tmp_path, "a.pdf", pdf("x") + b"\n" * (2 << 20), max_file_mib=1)
