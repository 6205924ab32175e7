"""Files are read when they are text, whatever their names; code is read when it is asked for; anything may be compressed."""

import bz2
import gzip
import io
import lzma
import os
import tempfile
import zipfile
import zlib
from pathlib import Path

import pytest
from support.corpora import read, refused, written

from hopweave.ingest.find import find_files
from hopweave.ingest.formats import FORMATS, READ, SOURCE_CODE_SUFFIXES
from hopweave.ingest.intake import Intake
from hopweave.ingest.reasons import Reason, Unreadable
from hopweave.ingest.recognise import HEAD_BYTES, format_of
from hopweave.ingest.tally import Tally
from hopweave.retrieval.engines.bm25 import BM25

LICENCE = "Permission is hereby granted, free of charge, to any person who obtains a copy of this lamp.\n"
CONFIG = "[lamp]\n# when the lamp is lit\nlit_at = dusk\noil_store = /var/oil\n"

TEXTS = {
    "LICENSE": LICENCE, "README": "The lamp of Kerrow Light.", "lamp.conf": CONFIG, "METADATA": "Name: lamp\nVersion: 2.1\n",
    "Makefile": "all: lamp\n\tcc -o lamp lamp.o\n", "setup.cfg": CONFIG, "pyproject.toml": '[project]\nname = "lamp"\n',
    "lamp.yaml": "lamp:\n  oil: 3\n", "app.log": "2026-01-02 10:11:12 INFO the lamp is lit\n",
    "notes.ja": "東京は日本の首都。" * 9,
    "changelog.Debian": "lamp (2.1) unstable; urgency=low\n\n  * New oil.\n", "wide.txt.bak": "Grüße vom Leuchtturm\n",
}  # fmt: skip

NOT_TEXTS = {
    "an image": b"\x89PNG\r\n\x1a\n" + bytes(99), "a program": b"\x7fELF" + bytes(range(256)), "nothing": b"",
    "blanks": b" \n",
    "bytes of no encoding": bytes(range(128, 256)) * 9, "a key": b"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n",
    "base64": (b"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2\n") * 50,
    "markup": b'<?xml version="1.0"?>\n<lamp>lit</lamp>', "data": b'{"lamp": [1, 2]}', "numbers": b"1.5 2.5 3.5\n" * 99,
    "PostScript": b"%!PS-Adobe-3.0\n/lamp { lit } def\n",
}  # fmt: skip


def test_text_is_read_whatever_its_name_and_titled_by_all_of_it(tmp_path):
    for name, content in TEXTS.items():
        written(tmp_path, name, content)
    tally = Tally()
    found = {passage.id: passage for passage in read(tmp_path, tally=tally)}
    assert set(found) == set(TEXTS)
    assert [found[name].title for name in ("LICENSE", "lamp.conf", "app.log")] == ["LICENSE", "lamp.conf", "app"]
    assert found["LICENSE"].text == LICENCE.strip()
    assert not tally.skipped


@pytest.mark.parametrize("content", NOT_TEXTS.values(), ids=NOT_TEXTS)
def test_what_is_not_written_for_people_is_not_read(content):
    assert format_of(content) == ""


@pytest.mark.parametrize(
    ("name", "content", "suffix"),
    [
        ("lamp", rb"{\rtf1\ansi The lamp}", ".rtf"),
        ("lamp.doc", rb"{\rtf1\ansi The lamp}", ".rtf"),
        ("lamp.xls", b"<html><table><tr><td>lamp</td></tr></table></html>", ".html"),
        ("lamp.xls", b"lamp\tlit\nKerrow Light\t1843\n", ".txt"),
        ("lamp.doc", b"PK\x03\x04", ".docx"),
        ("lamp.ppt", b"PK\x03\x04", ".pptx"),
        ("lamp.ppt", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ".ppt"),
        ("lamp.doc", b"\0\1\2", ".doc"),
        ("lamp.dotx", b"PK\x03\x04", ".docx"),
        ("lamp.xlsm.gz", b"", ".xlsx"),
    ],
)
def test_files_of_old_office_programs_are_what_their_content_says(tmp_path, name, content, suffix):
    written(tmp_path, name, content)
    [file] = find_files([tmp_path])
    assert file.suffix == suffix
    assert file.stem == "lamp"


@pytest.mark.parametrize("name", TEXTS)
def test_only_the_beginning_of_a_file_is_looked_at_wherever_it_is_cut(name):
    content = (TEXTS[name] * HEAD_BYTES).encode()
    for num_bytes in range(HEAD_BYTES - 4, HEAD_BYTES):
        assert format_of(content[:num_bytes]) == ".txt"


def test_a_manual_page_may_have_control_characters_around_arguments():
    page = b'.\\" The lamp\n.ie !\\n(.g\\w\x07lit\x07 .nr x 1\n.TH LAMP 1\n.SH NAME\nlamp \\- gives light\n'
    assert format_of(page) == ".man"
    assert format_of(page + b"\0") == ""


def test_source_code_is_read_only_if_it_is_asked_for(tmp_path):
    code = written(tmp_path, "lamp.py", "def light():\n    return 'lit'\n")
    written(tmp_path, "run", "#!/bin/sh\necho the lamp is lit\n")
    written(tmp_path, "a.md", "The lamp.")
    tally = Tally()
    assert [one.id for one in read(tmp_path, tally=tally)] == ["a.md"]
    assert tally.skipped == {Reason.SOURCE_CODE: {".py": 1, "no suffix": 1}}
    assert [one.id for one in read(tmp_path, include=("*.md", "*.py"))] == ["a.md", "lamp.py"]
    assert [one.id for one in read(tmp_path, include=("run",))] == ["run"]
    assert [one.id for one in read(code)] == ["lamp.py"]
    (tmp_path / "a.md").unlink()
    refused(tmp_path, match=r"source code \(2\): \.py, no suffix; .*--include '\*\.py'")
    assert {".py", ".c", ".js"} <= SOURCE_CODE_SUFFIXES


def test_hidden_files_are_not_read_even_if_they_are_text(tmp_path):
    for name in (".env", ".git/config", "visible"):
        written(tmp_path, name, CONFIG)
    assert [one.id for one in read(tmp_path)] == ["visible"]


def test_formats_are_recognised_by_content_where_the_name_says_nothing(tmp_path):
    written(tmp_path, "index.html.en", "<!DOCTYPE html>\n<title>Lamp</title><p>It is lit.")
    written(tmp_path, "page.gz", gzip.compress(b"<html><title>Oil</title><p>It is kept dry."))
    assert [(one.title, one.text) for one in read(tmp_path)] == [("Lamp", "It is lit."), ("Oil", "It is kept dry.")]
    assert format_of(b"%PDF-1.7\n\x00") == ".pdf"


@pytest.mark.parametrize("name", ["LICENSE", "a.txt"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_byte_order_mark_says_the_encoding(tmp_path, name, encoding):
    path = written(tmp_path, name, ("Grüße vom Leuchtturm 東京\n" * 9_999).encode(encoding))
    found = read(path, max_words=0)
    assert found[0].text.split("\n")[0] == "Grüße vom Leuchtturm 東京"
    assert found[0].text.count("Leuchtturm") == 9_999


def test_a_file_that_is_not_in_the_encoding_that_it_says_is_one_line(tmp_path):
    written(tmp_path, "a.txt", b"\xff\xfe" + "lamp".encode("utf-16-le") + b"\x00\xd8\x00\xd8")
    refused(tmp_path, match=r"a\.txt is not UTF-16, as it says at its beginning; convert the file to UTF-8")


@pytest.mark.parametrize(
    ("said", "encoding"),
    [("Grüße vom Leuchtturm, wie jedes Jahr", "cp1252"), ("灯台からの挨拶です。水車は廃止されました。", "cp932")],
)
def test_text_in_an_older_encoding_is_recognised_without_a_suffix(tmp_path, said, encoding):
    written(tmp_path, "LIESMICH", said.encode(encoding))
    assert [passage.text for passage in read(tmp_path)] == [said]


def test_a_file_of_an_unknown_name_that_cannot_be_read_is_told(tmp_path):
    (tmp_path / "LICENSE").symlink_to("gone")
    refused(tmp_path, match=r"LICENSE does not exist, or is a dangling link; check the path")


def test_an_index_follows_files_of_any_name(tmp_path):
    folder, index = tmp_path / "in", tmp_path / "index"
    written(folder, "LICENSE", LICENCE)
    written(folder, "page.en", "<html><title>Oil</title><p>It is kept dry.")
    for update, expected in ((False, (2, 0, 0)), (True, (0, 0, 0))):
        intake = Intake([folder], sync=True)
        assert BM25.take_in(index, intake, update=update).num_passages == 2
        assert (intake.synced.added, intake.synced.replaced, intake.synced.removed) == expected
    written(folder, "page.en", "<html><title>Oil</title><p>It is kept cold.")
    written(folder, "LICENSE", b"\x7fELF\x00")
    intake = Intake([folder], sync=True, gone_ok=True)
    assert BM25.take_in(index, intake, update=True).num_passages == 1
    assert (intake.synced.replaced, intake.synced.removed) == (1, 1)


# -- compression -------------------------------------------------------------------------------------------------------------


def zstd(content):
    return pytest.importorskip("zstandard").ZstdCompressor(write_checksum=True).compress(content)


COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd}


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "LICENSE"])
def test_every_format_may_be_compressed_in_one_stream_or_several(tmp_path, name, suffix):
    content = b'{"id": "1", "text": "one lamp"}\n' if name == "a.jsonl" else LICENCE.encode() * 9_999
    once = read(written(tmp_path, name, content + content[:0]), max_words=0)
    half = len(content) // 2
    compressed = COMPRESS[suffix](content[:half]) + COMPRESS[suffix](content[half:])
    assert [one.text for one in read(written(tmp_path, name + suffix, compressed), max_words=0)] == [one.text for one in once]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_compressed_file_that_is_damaged_or_cut_off_is_one_line(tmp_path, suffix):
    whole = COMPRESS[suffix](os.urandom(9_999).hex().encode() + b" lamp")
    for content in (whole[:-9], whole[:200], b"no such format at all", whole[:3_000] + bytes(500) + whole[3_500:]):
        path = written(tmp_path, f"a.txt{suffix}", content)
        refused(path, match=rf"a\.txt{suffix} is not (a complete \w+ file \(.*\); fetch or compress it again|UTF-8.*)$")


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_compressed_bomb_meets_the_limits(tmp_path, suffix):
    path = written(tmp_path, f"a.jsonl{suffix}", COMPRESS[suffix](b"x" * (24 << 20)))
    refused(path, max_row_mib=2, match="is longer than 2 MiB")
    path = written(tmp_path, f"a.pdf{suffix}", COMPRESS[suffix](bytes(8 << 20)))
    refused(path, max_file_mib=4, match="is longer than 4 MiB")


def test_xz_takes_no_more_memory_than_an_honest_file_needs(tmp_path):
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}]
    header = bytearray(lzma.compress(b"lamp", filters=filters, check=lzma.CHECK_NONE))
    at = header.index(b"\x21\x01") + 2
    header[at] = 38  # 2 GiB; the checksum of the block's head is made to fit
    size = (header[12] + 1) * 4
    header[12 + size - 4 : 12 + size] = zlib.crc32(header[12 : 12 + size - 4]).to_bytes(4, "little")
    refused(written(tmp_path, "a.txt.xz", bytes(header)), match="not a complete xz file .*[Mm]emory")


def test_without_its_library_a_zstd_file_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("hopweave.ingest.file_bytes.find_spec", lambda _: None)
    path = written(tmp_path, "a.txt.zst", b"x")
    with pytest.raises(
        Unreadable, match=r"needs the library zstandard to be read; install it with: pip install 'hop"
    ) as caught:
        read(path)
    assert caught.value.kind is Reason.NEEDS_LIBRARY


def docx(text):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as packed:
        space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
        packed.writestr(
            "word/document.xml", f"<w:document {space}><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"
        )
    return held.getvalue()


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_book_may_be_compressed_and_leaves_nothing_behind(tmp_path, monkeypatch, suffix):
    temporary = tmp_path / "temporary"  # its own, since other tests write to that of the system at the same time
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    path = written(tmp_path, f"a.docx{suffix}", COMPRESS[suffix](docx("The lamp is lit.")))
    [passage] = read(path)
    assert (passage.text, passage.title, passage.source) == ("The lamp is lit.", "a", str(path))
    assert list(temporary.iterdir()) == []
    refused(written(tmp_path, f"b.docx{suffix}", COMPRESS[suffix](b"PK no")), match=rf"b\.docx{suffix} is damaged")
    assert list(temporary.iterdir()) == []


# -- zip ---------------------------------------------------------------------------------------------------------------------


def zipped(path, members, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as packed:
        for name, content in members:
            packed.writestr(name, content)
    return path


def test_a_zip_file_is_an_archive(tmp_path):
    members = [
        ("notes/", b""), ("notes/a.md", b"# Lamp\n\nIt is lit."), ("LICENSE", LICENCE),
        ("b.docx", docx("Oil is dry.")), ("c.txt.gz", gzip.compress(b"zipped")),
        ("d.jsonl", b'{"id": "7", "text": "seven"}\n'), ("x.png", b"\x89\x00"), ("y.py", b"x = 1"), ("in.zip", b"PK"),
        ("z.txt", b"last"),
    ]  # fmt: skip
    tally = Tally()
    found = read(zipped(tmp_path / "a.zip", members), tally=tally)
    assert [one.id for one in found] == [f"a.zip/{name}" for name in ("notes/a.md", "LICENSE", "b.docx", "c.txt.gz")] + [
        "7",
        "a.zip/z.txt",
    ]
    [special] = tally.skipped.pop(Reason.SPECIAL)
    assert special.endswith("in.zip (.zip to be unpacked first)")
    assert (tally.num_files, tally.skipped) == (6, {Reason.PICTURE: {".png": 1}, Reason.SOURCE_CODE: {".py": 1}})
    assert [one.text for one in read(written(tmp_path, "b.zip.gz", gzip.compress((tmp_path / "a.zip").read_bytes())))] == [
        one.text for one in found
    ]


def test_the_name_of_a_member_of_a_zip_file_is_never_a_path(tmp_path):
    (tmp_path / "in").mkdir()
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    path = tmp_path / "in" / "a.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name in ("../out.txt", "/etc/out.txt", "a/../../b.txt"):
            packed.writestr(name, "words")
        packed.writestr(link, "/etc/passwd")
    before, tally = set(tmp_path.rglob("*")), Tally()
    found = read(path, tally=tally)
    assert [one.text for one in found] == ["words"] * 3
    assert all(one.id.startswith("a.zip/") and ".." not in one.id.split("/") for one in found)
    assert [name.rpartition("/")[2] for name in tally.skipped[Reason.SPECIAL]] == ["link.txt (symbolic link)"]
    assert set(tmp_path.rglob("*")) == before


def test_a_bad_member_of_a_zip_file_is_left_out_and_the_others_are_read(tmp_path):
    path = zipped(tmp_path / "a.zip", [("a.txt", b"first"), ("b.txt", b"second " * 99), ("c.txt", b"third")])
    content = bytearray(path.read_bytes())
    at = content.index(b"b.txt") + 5
    content[at : at + 8] = b"\xff" * 8
    encrypted = content.rindex(b"PK\x01\x02", 0, content.rindex(b"c.txt")) + 8
    content[encrypted] |= 1
    path.write_bytes(content)
    tally = Tally()
    assert [one.text for one in read(path, tally=tally, lenient=True)] == ["first"]
    assert [one.reason.split("a.zip/")[1][:15] for one in tally.unread] == ["b.txt is damage", "c.txt is encryp"]


@pytest.mark.parametrize("content", [b"", b"plain text " * 99, "cut off"])
def test_what_is_no_zip_file_is_told(tmp_path, content):
    path = zipped(tmp_path / "a.zip", [("a.txt", b"first" * 99)])
    path.write_bytes(path.read_bytes()[:-30] if content == "cut off" else content)
    refused(path, match=r"a\.zip is not a complete zip archive \(.*\); fetch it again, or leave it out$")


def test_what_comes_out_of_a_zip_file_is_held_to_the_limit_of_a_file(tmp_path):
    path = zipped(tmp_path / "a.zip", [(f"{number}.png", bytes(8 << 20)) for number in range(3)])
    read_all = [(f"{number}.jsonl", b'{"text": "%s"}\n' % (b"x" * 1000) * 3_000) for number in range(3)]
    refused(zipped(path, read_all), max_file_mib=4, match=r"is longer than 4 MiB; .*raise max_file_mib \(--max-file-mib\)$")


def test_every_list_of_formats_is_the_one_of_the_code(tmp_path):
    said = refused(tmp_path, match="give files of these formats")
    assert READ in said
    assert FORMATS in READ
    table = Path("docs/documents.md").read_text()
    assert [suffix for suffix in FORMATS.split() if f"`{suffix}`" not in table] == []
