"""What `hopweave index` says at its end: what was read, and what was skipped with what would read it."""

import os
import re
import sqlite3
import tarfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from apps.cli.test_index import run
from apps.cli.test_index_of_folders import sync
from support.documents import pdf

from hopweave.ingest.file_states import FileStates, copies_in
from hopweave.ingest.intake import Intake
from hopweave.ingest.read import CorpusOptions
from hopweave.ingest.reasons import Reason
from hopweave.ingest.tally import Tally
from hopweave.retrieval.engines.bm25 import BM25

READ = {"a.txt": b"Words.", "b.md": b"# Title\n\nWords.", "c.jsonl": b'{"id": "c", "text": "x"}', "d.pdf": pdf("A page.")}
IN_PART = {"half.jsonl": b'{"id": "h", "text": "Kept."}\n{'}
SKIPPED = {
    Reason.PICTURE: {"photo.jpeg": b"\xff\xd8"},
    Reason.UNKNOWN_FORMAT: {"sound.ogg": b"OggS\0"},
    Reason.HIDDEN: {".draft.md": b"Words.", ".git/config": b"x", ".git/objects/1": b"x"},
    Reason.IGNORED: {"built/page.html": b"<p>Words.", "built/other.html": b"<p>Words."},
    Reason.EXCLUDED: {"drafts/a.txt": b"Words."},
    Reason.SPECIAL: {},
    Reason.TOO_LARGE: {"large.txt": b"word " * 300_000},
    Reason.ENCRYPTED: {"secret.docx": b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le") * 20},
    Reason.NO_TEXT_FIELD: {"notes.json": b'[{"customer": "Ulm", "notes": ["late"]}]'},
    Reason.DAMAGED: {"damaged.pdf": b"%PDF-1.4 and no more", "damaged.docx": b"PK"},
    Reason.NOT_UTF8: {"torn.txt": "Tübingen".encode() + b"\xff"},
    Reason.EMPTY: {"empty.txt": b"", "frame.html": b"<script>x()</script>"},
    Reason.SCAN: {"scan.pdf": pdf("")},
    Reason.TAKEN_ID: {"taken.jsonl": b'{"id": "c", "text": "y"}'},
}
OPTIONS = ("--gitignore", "--exclude", "drafts/", "--max-row-mib", "1")


def put(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture(scope="module")
def one_of_each(tmp_path_factory) -> Path:
    """A folder with files that are read, read in part, and skipped for each reason that needs no missing library."""
    folder = tmp_path_factory.mktemp("one") / "of-each"
    put(folder, READ | IN_PART | {".gitignore": b"built/\n"})
    for files in SKIPPED.values():
        put(folder, files)
    os.mkfifo(folder / "pipe.txt")
    with tarfile.open(folder / "packed.tar", "w") as tar:
        tar.add(folder / "a.txt", "inner.txt")
        tar.add(folder / "photo.jpeg", "inner.jpeg")
    return folder


@pytest.fixture(scope="module")
def synced(one_of_each, tmp_path_factory) -> list[Tally]:
    """What was read from it by a first sync, and by a second."""
    options = CorpusOptions(lenient=True, gitignore=True, exclude=("drafts/",), max_row_mib=1)
    to = tmp_path_factory.mktemp("synced") / "index"
    return [_synced(to, one_of_each, options) for _ in range(2)]


def _synced(to: Path, folder: Path, options: CorpusOptions) -> Tally:
    intake = Intake([folder], sync=True, options=options)
    BM25.take_in(to, intake, update=to.exists())
    return intake.tally


def found_in(folder: Path) -> int:
    """How many files there are, hidden and excluded folders as one, and an archive as what is in it."""
    top = sum(not path.is_dir() or path.name in {".git", "built", "drafts"} for path in folder.iterdir())
    return top - len(list(folder.glob("*.tar"))) + 2


def test_what_is_found_is_what_is_read_and_what_is_skipped(one_of_each, synced):
    for tally in synced:
        assert tally.num_found == tally.num_files + tally.num_unchanged + tally.num_skipped
    built = synced[0]
    assert built.num_found == found_in(one_of_each)
    assert built.read == {".txt": 2, ".md": 1, ".jsonl": 2, ".pdf": 1}
    assert built.num_unchanged == 0


def test_what_is_skipped_has_its_reason_the_next_time_too(synced):
    for tally in synced:
        unread = {one.source: one.kind for one in tally.unread if not one.num_passages}
        expected = {name: reason for reason, files in SKIPPED.items() for name in files if reason not in tally.skipped}
        assert unread == expected
        assert tally.skipped.keys() == {
            Reason.PICTURE,
            Reason.UNKNOWN_FORMAT,
            Reason.HIDDEN,
            Reason.IGNORED,
            Reason.EXCLUDED,
            Reason.SPECIAL,
        }


def test_the_summary_has_a_line_for_each_reason_with_what_would_read_such_files(one_of_each, tmp_path):
    said = run(one_of_each, "--to", tmp_path / "index", "--sync", *OPTIONS)
    formats = ".jsonl (2), .md (1), .pdf (1), .txt (2); rows or records in them: 2"
    assert f"  read 6 of {found_in(one_of_each)} files: {formats}\n" in said
    assert "  read in part: 1\n    half.jsonl, line 2 is not JSON" in said
    assert f"  skipped: {found_in(one_of_each) - 6}\n" in said
    for line in (
        "a picture (2): .jpeg (2); have its text recognised: pip install 'hopweave[ocr]'",
        "unknown format (1): .ogg; convert those that hold text, for example to PDF or HTML",
        "hidden (3): .draft.md, .git/, .gitignore; to read them, give their own paths",
        "named by a .gitignore file (1): built/; to read them, leave out --gitignore",
        "left out by --include or --exclude (1): drafts/; to read them, change the patterns",
        "not a regular file (1): pipe.txt (FIFO); give regular files, unpacked, or leave these out",
        "large.txt is longer than 1 MiB; split it, or raise max_row_mib (--max-row-mib)",
        "damaged, or not what the name says (2): damaged.docx, damaged.pdf; correct them or save them again",
        "no text (2): empty.txt, frame.html; leave them out",
        "torn.txt is not UTF-8: byte 0xff at offset 9; convert the file to UTF-8, for example with iconv",
    ):
        assert f"\n    {line}\n" in said
    assert "  --verbose names them all\n" in said


def test_the_summary_of_thousands_of_files_is_as_short(tmp_path):
    folder = put(tmp_path / "x", {"a.txt": b"Words."})
    put(folder, {f"{number}.txt": b"" for number in range(500)} | {f"{number}.s{number}": b"\0" for number in range(500)})
    said = run(folder, "--to", tmp_path / "index")
    assert "    no text (500): 0.txt, 1.txt, 10.txt and 497 more; leave them out\n" in said
    assert re.search(r"\n    unknown format \(500\): \.s0, \.s1, \.s10 and 497 more; convert those", said)
    assert len(said.splitlines()) < 10


def test_with_verbose_every_file_is_named(one_of_each, tmp_path):
    said = run(one_of_each, "--to", tmp_path / "index", "--sync", "--verbose", *OPTIONS)
    lines = said.splitlines()
    skipped = lines[lines.index(f"  skipped: {found_in(one_of_each) - 6}") + 1 : -1]
    assert len(skipped) == found_in(one_of_each) - 6
    assert "    photo.jpeg: a picture" in skipped
    assert "    packed.tar/inner.jpeg: a picture" in skipped
    assert "    .git/: hidden" in skipped
    assert "    empty.txt is empty; remove it or leave it out" in skipped


def test_of_files_that_need_a_library_each_library_has_a_line():
    tally = Tally()
    for name, extra in (
        ("a.pdf", "documents"),
        ("b.pdf", "documents"),
        ("c.eml", "mail"),
        *((f"{n}.txt", "") for n in range(9)),
    ):
        from hopweave.ingest.tally import Unread

        kind = Reason.NEEDS_LIBRARY if extra else Reason.EMPTY
        tally.unread.append(Unread(name, f"{name} needs a library; pip install 'hopweave[{extra}]'", kind=kind))
    assert list(tally.skipped_lines())[:2] == [
        "needs a library (2): a.pdf, b.pdf; pip install 'hopweave[documents]'",
        "c.eml needs a library; pip install 'hopweave[mail]'",
    ]


def test_a_file_that_is_given_twice_is_found_once(tmp_path):
    folder = put(tmp_path / "x", {"a.txt": b"Words.", "b.txt": b"More."})
    tally = sync(tmp_path / "index", folder, folder / "a.txt").tally
    assert (tally.num_found, tally.num_files, tally.num_skipped) == (2, 2, 0)


def test_the_list_of_files_of_an_earlier_version_is_read(tmp_path):
    to, folder = tmp_path / "index", put(tmp_path / "x", {"a.txt": b"Words.", "b.txt": b"\x00\xff"})
    sync(to, folder)
    path = next(to.glob("data*/files.sqlite"))
    with closing(sqlite3.connect(path)) as table:
        table.executescript("DROP TABLE copies; ALTER TABLE files DROP COLUMN kind")
    assert copies_in(path) == copies_in(path, ["a.txt"]) == {}
    with closing(FileStates(path)) as states:
        assert [states.of(folder / name).kind for name in ("a.txt", "b.txt")] == [Reason.DAMAGED, Reason.DAMAGED]
        states.note(folder / "b.txt", replace(states.of(folder / "b.txt"), kind=Reason.NOT_UTF8))
        assert states.of(folder / "b.txt").kind is Reason.NOT_UTF8


def test_rows_and_records_are_counted_apart_from_files(tmp_path):
    files = {"towns.csv": b"town,river\nUlm,Danube\nBonn,Rhine\n", "r.jsonl": b'{"text": "a"}\n{"text": "a"}\n{"text": ""}\n'}
    put(tmp_path / "docs", {**files, "a.md": b"Words."})
    said = run(tmp_path / "docs", "--to", tmp_path / "index")
    assert "  read 3 files: .csv (1), .jsonl (1), .md (1); rows or records in them: 3\n" in said
    put(tmp_path / "other", {"a.md": b"Words."})
    assert "rows or records" not in run(tmp_path / "other", "--to", tmp_path / "another")
