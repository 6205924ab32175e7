"""Archives: HotpotQA's Wikipedia streams into an index as it is downloaded, and a stranger's archive can do no harm."""

import bz2
import csv
import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
import textwrap
import tracemalloc
from pathlib import Path

import pytest
from support.corpora import read, refused
from support.documents import zipped

from hopweave.ingest.intake import Intake
from hopweave.ingest.read import read_corpus
from hopweave.ingest.reasons import Reason
from hopweave.ingest.tally import Tally
from hopweave.retrieval.engines.bm25 import BM25


def page(number, *sentences):
    """A row as in the archive of HotpotQA's authors."""
    return {
        "id": str(number),
        "url": f"https://en.wikipedia.org/wiki?curid={number}",
        "title": f"Page {number}",
        "text": list(sentences) or [f"Page {number} is about a lighthouse.", f" It was built in {1800 + number}."],
        "charoffset": [[[0, 4]], [[0, 3]]],
        "text_with_links": ['<a href="Lighthouse">x</a>'],
    }


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def archive(path, members, mode="w:bz2", **more):
    """An archive of names and contents, or of headers without content."""
    with tarfile.open(path, mode, **more) as tar:
        for name, content in members:
            header = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                header.size = len(content)
                tar.addfile(header, io.BytesIO(content))
            else:
                for field, value in content.items():
                    setattr(header, field, value)
                tar.addfile(header)
    return path


@pytest.fixture
def wiki(tmp_path):
    members = [("enwiki", {"type": tarfile.DIRTYPE}), ("enwiki/AA", {"type": tarfile.DIRTYPE})]
    for number in range(6):
        rows = lines(*(page(10 * number + row) for row in range(10)))
        members.append((f"enwiki/A{'AB'[number > 3]}/wiki_{number:02d}.bz2", bz2.compress(rows)))
    return archive(tmp_path / "enwiki-abstracts.tar.bz2", members)


# -- the papers' corpora -----------------------------------------------------------------------------------------------------


def test_hotpotqa_s_wikipedia_is_read_from_its_archive_with_its_ids(wiki):
    tally, told = Tally(), []
    passages = list(read_corpus([wiki], tally=tally, on_bytes=told.append))
    assert [one.id for one in passages] == [str(number) for number in range(60)]
    assert passages[7].title == "Page 7"
    assert passages[7].text == "Page 7 is about a lighthouse. It was built in 1807."
    assert passages[57].source == f"{wiki.as_posix()}/enwiki/AB/wiki_05.bz2"
    assert (tally.num_files, tally.num_passages, tally.unread) == (6, 60, [])
    assert sum(told) == wiki.stat().st_size
    assert [one.id for one in read(wiki, id_field="title")][:2] == ["Page 0", "Page 1"]


def test_its_files_are_read_as_well_once_somebody_has_unpacked_them(tmp_path):
    (tmp_path / "AA").mkdir()
    (tmp_path / "AA" / "wiki_00.bz2").write_bytes(bz2.compress(lines(page(3))))
    (tmp_path / "AA" / "wiki_01").write_bytes(lines(page(4, "One.", "", " Two. ")))
    assert [(one.id, one.text[-5:]) for one in read(tmp_path)] == [("3", "1803."), ("4", " Two.")]


def test_the_passages_of_dpr_are_read_from_their_compressed_table(tmp_path):
    path = tmp_path / "psgs_w100.tsv.gz"
    rows = [("1", 'Aaron is a prophet, "Ahărōn" in Hebrew,\tand more', "Aaron"), ("2", "He speaks.", 'The "Speaker"')]
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t").writerows([("id", "text", "title"), *rows])
    assert [(one.id, one.text, one.title) for one in read(path)] == rows


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tgz", "a.TBZ2", "a.tar.bz2", "a.tar.xz", "a.txz"])
def test_an_archive_holds_files_of_any_text_format(tmp_path, name):
    last = name.lower().rpartition(".")[2]
    mode = {"tar": "w", "gz": "w:gz", "tgz": "w:gz", "xz": "w:xz", "txz": "w:xz"}.get(last, "w:bz2")
    members = [("./notes/a.md", b"# Title\n\nWords."), ("b.csv", b"id,text\n7,seven\n"), ("c.txt.bz2", bz2.compress(b"zipped"))]
    found = read(archive(tmp_path / name, [*members, ("d.jsonl.gz", gzip.compress(b'{"text": "row"}'))], mode))
    assert [one.id for one in found[:3]] == [f"{name}/notes/a.md", "7", f"{name}/c.txt.bz2"]
    assert [one.text for one in found[1:]] == ["seven", "zipped", "row"]


def test_bzip2_is_decompressed_for_every_format(tmp_path):
    (tmp_path / "a.jsonl.bz2").write_bytes(
        bz2.compress(b'{"id": 1, "text": "one"}\n') + bz2.compress(b'{"id": 2, "text": "two"}')
    )
    (tmp_path / "b.txt.bz2").write_bytes(bz2.compress("Ünder".encode()))
    assert [one.text for one in read(tmp_path)] == ["one", "two", "Ünder"]
    (tmp_path / "b.txt.bz2").write_bytes(bz2.compress(b"word " * 9999)[:-20])
    refused(tmp_path / "b.txt.bz2", match=r"b\.txt\.bz2 is not a complete bzip2 file")
    (tmp_path / "b.txt.bz2").write_bytes(b"plain")
    refused(tmp_path / "b.txt.bz2", match=r"b\.txt\.bz2 is not a complete bzip2 file \(Invalid data stream\)")


def test_an_index_follows_an_archive_that_changes(tmp_path, wiki):
    index = tmp_path / "index"
    for update, expected in ((False, (1, 0)), (True, (0, 0))):
        intake = Intake([wiki], sync=True)
        assert BM25.take_in(index, intake, update=update).num_passages == 60
        assert (intake.synced.added, intake.synced.replaced) == expected
    archive(wiki, [("wiki_00.bz2", bz2.compress(lines(page(1), page(99))))])
    intake = Intake([wiki], sync=True)
    assert BM25.take_in(index, intake, update=True).num_passages == 2
    assert intake.synced.replaced == 1


# -- strangers ---------------------------------------------------------------------------------------------------------------


def test_what_is_no_regular_file_is_left_out_with_its_kind_and_nothing_is_written(tmp_path):
    (tmp_path / "secret.txt").write_text("a secret")
    kinds = {"link.txt": tarfile.SYMTYPE, "hard.txt": tarfile.LNKTYPE, "pipe.txt": tarfile.FIFOTYPE, "dev.txt": tarfile.CHRTYPE}
    members = [(name, {"type": kind, "linkname": str(tmp_path / "secret.txt")}) for name, kind in kinds.items()]
    members += [("inner.tar.gz", b"?"), ("picture.png", b"\x89PNG\r\n\x1a\n"), ("good.txt", b"good words")]
    path = archive(tmp_path / "a.tar.bz2", members)
    before, tally = set(tmp_path.rglob("*")), Tally()
    assert [one.text for one in read(path, tally=tally)] == ["good words"]
    assert {Path(name).name for name in tally.skipped[Reason.SPECIAL]} == {
        "link.txt (symbolic link)", "hard.txt (hard link)", "pipe.txt (FIFO)", "dev.txt (device)",
        "inner.tar.gz (.tar to be unpacked first)",
    }  # fmt: skip
    assert tally.skipped[Reason.PICTURE] == {".png": 1}
    assert (tally.num_found, tally.num_files, tally.num_skipped) == (7, 1, 6)
    assert set(tmp_path.rglob("*")) == before


def test_the_name_of_a_member_is_never_a_path(tmp_path):
    outside = tmp_path / "outside.txt"
    names = ["../outside.txt", "/etc/passwd.txt", str(outside), "..", "a/../../b.txt", "n\x1b[31m\n.txt", "\udcff.txt"]
    (tmp_path / "in").mkdir()
    path = archive(tmp_path / "in" / "a.tar", [(name, b"words") for name in names], "w")
    found = read(path, lenient=True)
    assert {one.text for one in found} == {"words"}
    assert not outside.exists()
    assert all(".." not in one.id.split("/") for one in found)
    assert all(one.id.startswith("a.tar/") and "\udcff" not in one.id for one in found)


def test_what_is_decompressed_is_held_to_the_limit_of_a_file(tmp_path):
    bomb = bz2.compress(bytes(8 << 20))
    inside = archive(tmp_path / "inside.tar.bz2", [(f"{n}.txt.bz2", bomb) for n in range(9)])
    outside = archive(tmp_path / "outside.tar.gz", [("a.png", bytes(16 << 20))], "w:gz")
    for path in (inside, outside):
        assert path.stat().st_size < 1 << 16
        refused(path, max_file_mib=4, match=r"is longer than 4 MiB; .*raise max_file_mib \(--max-file-mib\)$")
    tally = Tally()
    refused(inside, tally=tally, max_file_mib=4, lenient=True, match="found nothing")
    assert [Path(one.source).name for one in tally.unread] == ["0.txt.bz2", "inside.tar.bz2"]


def test_a_header_of_gigabytes_is_refused(tmp_path):
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 7 << 30
    (tmp_path / "a.tar").write_bytes(header.tobuf() + bytes(10_240))
    refused(tmp_path / "a.tar", match=r"not a complete tar archive \(a header of 7,516,192,768 bytes\)")


@pytest.mark.parametrize("cut", ["in a header", "in a member", "not compressed whole"])
def test_an_archive_that_is_cut_off_keeps_what_came_before_and_says_so(tmp_path, cut):
    members = [("a.txt", b"first"), ("b.txt", b"second " * 200), ("c.txt", b"third")]
    path = tmp_path / "a.tar"
    content = archive(path, members, "w").read_bytes()
    if cut == "not compressed whole":
        path = tmp_path / "a.tar.bz2"
        archive(path, [("a.txt", b"first"), *((f"{n}.txt", os.urandom(1 << 20).hex().encode()) for n in range(2))])
        path.write_bytes(path.read_bytes()[:-2000])
    else:
        path.write_bytes(content[: {"in a header": 1024 + 100, "in a member": 2000}[cut]])
    refused(path, match="is not a complete")
    tally = Tally()
    assert read(path, tally=tally, lenient=True)[0].text == "first"
    assert tally.unread[-1].reason.startswith(f"{path.as_posix()} is not a complete")


def test_what_is_no_archive_is_told(tmp_path):
    for content in (b"", b"plain text that is long enough " * 99):
        (tmp_path / "a.tar").write_bytes(content)
        refused(tmp_path / "a.tar", match=r"a\.tar is not a complete tar archive \(.*fetch it again, or leave it out$")


def test_a_bad_member_is_left_out_and_those_behind_it_are_read(tmp_path):
    members = [
        ("a.jsonl", b'{"text": "one"}\n{"text": }\n' + b'{"text": "x"}\n' * 99_999),
        ("b.txt", b"\xff\xfe"),
        ("c.txt.bz2", b"no"),
        ("d.txt", b"last"),
    ]
    path = archive(tmp_path / "a.tar.bz2", members)
    tally = Tally()
    assert [one.text for one in read(path, tally=tally, lenient=True)] == ["one", "last"]
    assert [Path(one.source).name for one in tally.unread] == ["a.jsonl", "b.txt", "c.txt.bz2"]
    refused(path, match=r"a\.jsonl, line 2 is not JSON")


# -- memory and threads ------------------------------------------------------------------------------------------------------

MEASURED = """
    import bz2, io, json, resource, sys, tarfile, threading
    from pathlib import Path
    from hopweave.ingest.read import read_corpus

    path = Path(sys.argv[1])
    text = ["A sentence of some words about a harbour."] * 40
    rows = "".join(json.dumps({"id": str(n), "title": "T", "text": text}) + "\\n" for n in range(500))
    content = bz2.compress(rows.encode(), 1)
    with tarfile.open(path, "w:bz2", compresslevel=1) as tar:
        for member in range(int(sys.argv[2])):
            header = tarfile.TarInfo(f"AA/wiki_{member:02d}.bz2")
            header.size = len(content)
            tar.addfile(header, io.BytesIO(content))
    num = sum(1 for _ in read_corpus([path]))
    assert num == 2 * 500 * int(sys.argv[2]), num  # each is cut in two
    assert threading.active_count() == 1
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_archive(tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(MEASURED)]
    peaks = [
        int(subprocess.check_output([*command, tmp_path / f"{num}.tar.bz2", str(num)], env=_environment())) for num in (4, 40)
    ]
    assert peaks[1] < peaks[0] + 24  # MiB, of 34 that come out of the larger one


@pytest.mark.slow
def test_less_than_half_of_an_archive_is_held_at_a_time(tmp_path):
    text = "harbour" * 360  # few words, since each takes long while memory is traced
    content = bz2.compress(lines(*({"id": str(number), "text": text} for number in range(100))), 1)
    # Large beside what is decompressed ahead, of which there is more where other work leaves the reader waiting.
    path = archive(tmp_path / "a.tar.bz2", [(f"AA/wiki_{number:02d}.bz2", content) for number in range(80)])
    passages = read_corpus([path])
    next(passages)  # what is imported and opened once is no part of an archive
    tracemalloc.start()
    num, held = sum(1 for _ in passages) + 1, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert num == 80 * 100
    assert held < num * len(text) // 2


def _environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_a_member_with_an_old_office_name_is_what_its_content_says(tmp_path):
    (tmp_path / "a.zip").write_bytes(zipped({"lamp.doc": rb"{\rtf1\ansi The lamp.}", "lamp.xls": "<html><p>Lit.</p></html>"}))
    assert {passage.id: passage.text for passage in read_corpus([tmp_path / "a.zip"])} == {
        "a.zip/lamp.doc": "The lamp.",
        "a.zip/lamp.xls": "Lit.",
    }
