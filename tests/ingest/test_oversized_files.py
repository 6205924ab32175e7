"""Files that are nested too deeply, too wide, or too slow: one line says which limit, and the other files are read."""

import json

import pytest
from support.documents import docx, paragraph
from support.oversized import LONG, NESTED, TEXT, WIDE, StepClock, as_bytes, inflated_pdf
from support.readers import read_document
from support.tiers import first_of

from hopweave.core.errors import DataError
from hopweave.ingest import deadline
from hopweave.ingest.html_page import MAX_DEPTH
from hopweave.ingest.office_tables import MAX_COLUMNS
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.ingest.tally import Tally


def read(folder, tally=None, **options):
    options = {"max_words": 0, **options}
    return list(read_corpus([folder], options=CorpusOptions(**options), tally=tally))


def left_out(folder, name, content, **options) -> str:
    """The one line about a file in a folder of which the other file is read."""
    (folder / "good.txt").write_text("good")
    (folder / name).write_bytes(as_bytes(content))
    tally = Tally()
    assert [p.id for p in read(folder, tally, lenient=True, **options)] == ["good.txt"]
    [unread] = tally.unread
    assert (unread.source, unread.num_passages) == (name, 0)
    assert unread.reason.startswith(name)
    assert "\n" not in unread.reason
    return unread.reason


# -- depth and width ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", first_of(list(NESTED), 3))
def test_a_file_is_read_up_to_a_depth_and_beyond_it_is_one_line_that_names_the_limit(tmp_path, name):
    deepest, make = NESTED[name]
    (tmp_path / name).write_bytes(as_bytes(make(deepest)))
    assert TEXT in read(tmp_path)[-1].text or name == "lists.md"
    said = left_out(tmp_path, name, make(deepest + 2))
    assert "is nested too deeply" in said
    assert f"more than {1_000 if name == 'a.docx' else deepest:,} " in said
    assert said.endswith(("; close its tags, or leave it out", "; save it again, or leave it out")) or "; flatten" in said


def test_the_chapter_of_a_book_that_is_nested_too_deeply_is_named(tmp_path):
    assert "a.epub, OEBPS/c 2.xhtml is nested too deeply" in left_out(tmp_path, "a.epub", NESTED["a.epub"][1](MAX_DEPTH + 1))


@pytest.mark.slow
@pytest.mark.parametrize("page", ["<p>a", "<li>a", "<tr><td>a", "<dt>a<dd>b", "<option>a", "<br>", "<div>a</div>", "<b>a</b>"])
def test_a_long_page_whose_end_tags_are_left_out_as_html_allows_is_not_nested(page):
    assert read_document(page * (MAX_DEPTH + 10) + TEXT, ".html").parts[0].text.endswith(TEXT)


def test_lists_below_the_tenth_level_are_read(tmp_path):
    (tmp_path / "a.md").write_text("".join("  " * level + f"- level {level}\n" for level in range(30)))
    [passage] = read(tmp_path)
    assert passage.text.split("\n\n") == [f"level {level}" for level in range(30)]


@pytest.mark.parametrize("name", WIDE)
def test_a_file_is_read_with_as_many_columns_as_a_sheet_has_and_no_more(tmp_path, name):
    what, make = WIDE[name]
    (tmp_path / name).write_text(make(MAX_COLUMNS))
    assert [p.id for p in read(tmp_path)] == ["w"]
    said = left_out(tmp_path, name, make(MAX_COLUMNS + 1))
    assert f"line 1 has 16,385 {what}, more than 16,384; leave out " in said.replace("record 1", "line 1")
    assert said.endswith(("or split the table", "or split the record"))


def test_rows_before_one_that_is_too_wide_are_kept(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "1", "text": "x"}\n' + WIDE["a.jsonl"][1](MAX_COLUMNS + 1) + "\n")
    tally = Tally()
    assert [p.id for p in read(tmp_path, tally, lenient=True)] == ["1"]
    assert str(tally.unread[0]).startswith("a.jsonl, line 2 has 16,385 fields, more than 16,384; ")
    assert str(tally.unread[0]).endswith("(1 passage of it kept)")


def test_commas_within_a_quoted_text_are_no_columns(tmp_path):
    (tmp_path / "a.csv").write_text('id,text\n1,"' + "a," * (2 * MAX_COLUMNS) + '"\n')
    assert [p.id for p in read(tmp_path)] == ["1"]


# -- time --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch):
    """Of the deadlines: a second goes by each time one is checked."""
    clock = StepClock()
    monkeypatch.setattr(deadline, "monotonic", clock)
    return clock


NUM = 500
PAGE = "".join(f"<p>{number}. The lamp is lit at dusk.</p>\n" for number in range(20_000))
DOCUMENTS = [name for name in LONG if name.endswith((".txt", ".md", ".html", ".rst", ".docx", ".epub", ".pdf"))]
RECORDS = [name for name in LONG if name not in DOCUMENTS]


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("seconds", [20, 35])
def test_a_document_that_takes_too_long_is_stopped_and_nothing_of_it_is_handed_out(tmp_path, clock, name, seconds):
    said = left_out(tmp_path, name, LONG[name](NUM), max_words=5, max_seconds=seconds)
    assert said == f"{name} took longer than {seconds} seconds to read; leave it out, or raise max_seconds (--max-seconds)"
    # Two files were begun; of the one, reading went on for as many steps as it may and one more, however long it is.
    assert clock.num_looks < 2 * seconds + 20


@pytest.mark.parametrize("name", DOCUMENTS)
def test_it_is_held_to_300_seconds_where_nothing_is_said(tmp_path, clock, name):
    (tmp_path / name).write_bytes(as_bytes(LONG[name](5_000 if name.endswith(".txt") else 2 * NUM)))
    with pytest.raises(DataError, match=rf"^{name} took longer than 300 seconds to read"):
        read(tmp_path, max_words=5)
    assert read(tmp_path, max_words=5, max_seconds=1_000_000)


@pytest.mark.parametrize("name", RECORDS)
def test_records_are_read_without_a_limit_unless_one_is_given_and_then_up_to_there(tmp_path, clock, name):
    (tmp_path / name).write_bytes(as_bytes(LONG[name](NUM)))
    assert len(read(tmp_path)) == NUM
    tally = Tally()
    found = read(tmp_path, tally, lenient=True, max_seconds=35)
    assert [p.id for p in found] == [str(number) for number in range(len(found))]
    assert 10 < len(found) < 40
    said = f"{name} took longer than 35 seconds to read; leave it out, or raise max_seconds (--max-seconds)"
    assert str(tally.unread[0]) == f"{said} ({len(found)} passages of it kept)"
    with pytest.raises(DataError, match="took longer than 35 seconds"):
        read(tmp_path, max_seconds=35)


@pytest.mark.parametrize(
    "values", [{"text": PAGE}, {"Fare": PAGE}, {"user": "ida", "text": PAGE}], ids=["text", "field", "message"]
)
def test_html_within_a_record_is_read_until_the_time_is_up(tmp_path, clock, values):
    (tmp_path / "a.jsonl").write_text(json.dumps(values))
    assert "The lamp is lit at dusk." in read(tmp_path)[0].text
    clock.num_looks = 0
    with pytest.raises(DataError, match="took longer than 35 seconds"):
        read(tmp_path, max_seconds=35)
    assert clock.num_looks < 50


def test_what_is_done_with_the_passages_is_not_counted(tmp_path, clock):
    (tmp_path / "a.txt").write_text(f"{TEXT} " * 10)
    passages = read_corpus([tmp_path], options=CorpusOptions(max_words=6, max_seconds=40))
    for _ in passages:
        clock.num_looks += 1_000
    assert clock.num_looks > 10_000


def test_each_file_has_its_own_time_and_so_has_each_member_of_an_archive(tmp_path, clock):
    import tarfile

    for number in range(5):
        (tmp_path / f"{number}.txt").write_text(f"{TEXT} " * 10)
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for number in range(5):
            archive.add(tmp_path / f"{number}.txt", f"{number}.txt")
    assert len(read(tmp_path, max_words=10, max_seconds=40)) == 100


def test_a_file_of_blank_lines_and_no_record_is_stopped_too(tmp_path, clock):
    for name in ("a.jsonl", "a.csv", "a.json"):
        (tmp_path / name).write_text("\n" * (40 << 17))
        with pytest.raises(DataError, match=rf"{name} took longer than 20 seconds"):
            read(tmp_path / name, max_seconds=20)


# -- PDFs that inflate -------------------------------------------------------------------------------------------------

TOO_LARGE = "is too large to be read: page 1 draws more than the limits allow (75 MB once decompressed); print it to a new PDF"


@pytest.mark.parametrize("how", first_of([{"parts": 200}, {}, {"layers": 2}, {"in_form": True}], 2))
def test_a_pdf_whose_page_inflates_is_too_large_and_no_scan(tmp_path, how):
    num_mb = 1 if "parts" in how else 80
    assert left_out(tmp_path, "a.pdf", inflated_pdf(num_mb, **how)) == f"a.pdf {TOO_LARGE}, or leave it out"


@pytest.mark.slow
def test_the_other_pages_of_such_a_pdf_are_read(tmp_path):
    (tmp_path / "a.pdf").write_bytes(inflated_pdf(80, "Second.", "Third."))
    tally = Tally()
    assert [p.source for p in read(tmp_path, tally)] == ["a.pdf#page=2", "a.pdf#page=3"]
    said = "a.pdf: 1 of its pages is too large to be read (1); print the file to a new PDF (2 passages of it kept)"
    assert [str(one) for one in tally.unread] == [said]


def test_a_pdf_of_which_the_pages_are_damaged_is_no_scan(tmp_path):
    content = inflated_pdf(1).replace(b"[/FlateDecode ]", b"[/NoSuchThing ]")
    assert left_out(tmp_path, "a.pdf", content) == "a.pdf is damaged: page 1 cannot be read; save it again, or leave it out"


def test_xml_of_any_length_is_read_if_it_is_not_nested(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx(*[paragraph(TEXT)] * 5_000))
    assert read(tmp_path)[0].text.count(TEXT) == 5_000
