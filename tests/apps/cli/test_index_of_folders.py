"""An index that is kept in line with folders: what is read, left out, replaced and removed, and the ids of documents."""

import io
import json
import os
import shutil
import sqlite3
import tarfile
from pathlib import Path

import pytest
from apps.cli.test_index import all_ids, run
from support.documents import docx, paragraph, pdf

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.files import sha256_of
from hopweave.ingest import intake, pages, read
from hopweave.ingest.intake import Intake
from hopweave.ingest.lookup import MAX_DOCUMENT_ID_BYTES, content_id
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.weave import Weave
from hopweave.retrieval.index import bm25_index as _bm25_index
from hopweave.retrieval.index.bm25_intake import copies_of
from hopweave.retrieval.index.index_folder import read_manifest


def put(folder: Path, **files: str) -> Path:
    """Files by their names, `__` for a slash and `_` for the dot before the suffix."""
    for name, text in files.items():
        path = folder / ".".join(name.replace("__", "/").rsplit("_", 1))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def sync(to: Path, *folders: Path, **options) -> Intake:
    """Brings an index in line with folders; returns what was done."""
    intake = Intake(folders, sync=True, options=CorpusOptions(lenient=True, **options))
    BM25.take_in(to, intake, update=to.exists())
    return intake


def synced(folder: Path, **files: str) -> Path:
    """A folder `x` of files, and the index that was made of it next to it."""
    sync(folder / "index", put(folder / "x", **files))
    return folder / "x"


def done(intake: Intake) -> tuple[int, int, int, int, int]:
    files = intake.synced
    return files.added, files.replaced, files.removed, files.moved, files.unchanged


def fingerprint(folder: Path) -> str:
    return BM25.check(folder).fingerprint


def texts(folder: Path) -> dict[str, str]:
    return {p.id: p.text for p in BM25(folder).all_passages()}


@pytest.fixture
def mixed(tmp_path) -> Path:
    """40 files of all kinds, 8 of which cannot be read."""
    folder = tmp_path / "mixed"
    for number in range(20):
        put(folder, **{f"notes__n{number}_txt": f"Note {number} is about town number {number}."})
    for number in range(4):
        put(folder, **{f"m{number}_md": f"# Page {number}\n\nIt tells of lake {number}."})
    put(folder, page_html="<title>Ulm</title><p>The minster is tall.</p>", guide_rst="Guide\n=====\n\nGo there.")
    put(
        folder,
        rows_jsonl='{"id": "r1", "text": "One."}\n{"id": "r2", "text": "Two."}',
        list_json='[{"text": "Three."}]',
    )
    put(folder, cities_csv="city,river\nUlm,Danube\n")
    (folder / "report.pdf").write_bytes(pdf("The first page.", "The second page."))
    (folder / "letter.docx").write_bytes(docx(paragraph("Dear reader.")))
    put(folder, broken_json='[{"text": "x"}, {"text"', half_jsonl='{"id": "h1", "text": "Kept."}\n{', empty_md="")
    (folder / "torn.txt").write_bytes("Tübingen".encode() + b"\xff")
    (folder / "damaged.pdf").write_bytes(b"%PDF-1.4 and no more")
    (folder / "damaged.docx").write_bytes(b"PK")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / "photo.jpeg").write_bytes(b"\xff\xd8")
    (folder / "scan.pdf").write_bytes(pdf(""))
    assert sum(path.is_file() for path in folder.rglob("*")) == 40
    return folder


@pytest.mark.slow
def test_a_folder_of_forty_mixed_files_is_indexed_by_one_command_and_kept_in_line_by_another(mixed, tmp_path):
    to = tmp_path / "index"
    said = run(mixed, "--to", to)
    assert (
        "read 33 of 40 files: .csv (1), .docx (1), .html (1), .json (2), .jsonl (2), .md (4)," in said
    )  # with the one whose first record can be read, and the other with a good first record
    assert "    a picture (2): .jpeg, .png; have its text recognised" in said
    assert "read in part: 2" in said
    assert "skipped: 7" in said
    for line in (
        "broken.json, line 1 (record 2) is not JSON",
        "half.jsonl, line 2 is not JSON",
        "empty.md is empty; remove it or leave it out",
        "torn.txt is not UTF-8: byte 0xff at offset 9; convert the file to UTF-8, for example with iconv",
        "damaged.pdf is damaged, or not a PDF",
        "damaged.docx is damaged",
        "scan.pdf holds no text, as scans do; have it recognised (pip install 'hopweave[ocr]'), or leave it out",
    ):
        assert f"\n    {line}" in said
    [[best]] = BM25(to).search(["town number 7"], 1)
    assert best.passage.id == "notes/n7.txt"

    (mixed / "notes" / "n1.txt").write_text("Changed: it is about a bridge.")
    (mixed / "notes" / "n2.txt").rename(mixed / "notes" / "renamed.txt")
    (mixed / "notes" / "n3.txt").unlink()
    (mixed / "torn.txt").write_text("Tübingen", encoding="utf-8")
    said = run(mixed, "--to", to, "--sync")
    assert "files: 1 added, 1 replaced, 1 removed, 1 moved, 30 unchanged" in said
    assert "read 3 of 39 files, 30 unchanged" in said
    assert "skipped: 6" in said
    found = texts(to)
    assert found["notes/n1.txt"] == "Changed: it is about a bridge."
    assert found["notes/renamed.txt"] == "Note 2 is about town number 2."
    assert found["torn.txt"] == "Tübingen"
    assert not {"notes/n2.txt", "notes/n3.txt"} & found.keys()

    run(mixed, "--to", tmp_path / "new")
    assert fingerprint(to) == fingerprint(tmp_path / "new")
    assert run("--to", to, "--list").splitlines() != []
    assert sorted(run("--to", to, "--list").splitlines()) == sorted(run("--to", tmp_path / "new", "--list").splitlines())


def test_with_strict_the_first_bad_file_stops_it_and_the_index_stays(mixed, tmp_path):
    with pytest.raises(DataError, match=r"broken\.json, line 1 \(record 2\) is not JSON"):
        run(mixed, "--to", tmp_path / "index", "--strict")
    assert not (tmp_path / "index").exists()


def test_files_that_did_not_change_are_not_read_again(tmp_path, monkeypatch):
    folder = synced(tmp_path, a_txt="One.", b_jsonl='{"id": "b", "text": "Two."}')
    opened = []
    monkeypatch.setattr(intake, "hash_of", lambda file: opened.append(file.source))
    for reader in ("read_whole", "read_rows"):
        monkeypatch.setattr(read, reader, lambda file, *_: opened.append(file.source))
    before = sorted(path.name for path in (tmp_path / "index").iterdir())
    assert done(sync(tmp_path / "index", folder)) == (0, 0, 0, 0, 2)
    assert opened == []
    assert sorted(path.name for path in (tmp_path / "index").iterdir()) == before  # no new state was written


def test_a_file_that_was_only_touched_is_told_by_its_hash_and_not_hashed_twice_and_a_change_of_the_same_size_is_seen(
    tmp_path, monkeypatch
):
    folder = synced(tmp_path, a_txt="One.")
    os.utime(folder / "a.txt", ns=(1, 1))
    assert done(sync(tmp_path / "index", folder)) == (0, 0, 0, 0, 1)
    with monkeypatch.context() as patch:
        patch.setattr(intake, "hash_of", None)
        assert done(sync(tmp_path / "index", folder)) == (0, 0, 0, 0, 1)
    (folder / "a.txt").write_text("Two.")
    os.utime(folder / "a.txt", ns=(2, 2))
    assert done(sync(tmp_path / "index", folder)) == (0, 1, 0, 0, 0)
    assert texts(tmp_path / "index") == {"a.txt": "Two."}


def test_other_options_of_reading_have_all_read_again(tmp_path):
    folder = synced(tmp_path, a_txt="One two three. Four five six.")
    assert done(sync(tmp_path / "index", folder, max_words=3)) == (0, 1, 0, 0, 0)
    assert all_ids(tmp_path / "index") == ["a.txt#1", "a.txt#2"]


def test_records_that_are_gone_from_a_file_are_gone_from_the_index(tmp_path):
    folder = synced(tmp_path, a_jsonl='{"id": "1", "text": "x"}\n{"id": "2", "text": "y"}', b_txt="z")
    put(folder, a_jsonl='{"id": "2", "text": "new"}\n{"id": "3", "text": "w"}')
    sync(tmp_path / "index", folder)
    assert texts(tmp_path / "index") == {"b.txt": "z", "2": "new", "3": "w"}


def test_an_index_that_was_built_or_added_to_is_synced_without_reading_again(tmp_path):
    first, second = put(tmp_path / "x", a_txt="One."), put(tmp_path / "y", b_txt="Two.")
    run(first, "--to", tmp_path / "index")
    run(second, "--to", tmp_path / "index", "--add")
    assert "0 added, 0 replaced, 0 removed, 0 moved, 2 unchanged" in run(first, second, "--to", tmp_path / "index", "--sync")


def test_sync_leaves_alone_what_comes_from_elsewhere(tmp_path):
    first, second = put(tmp_path / "x", a_txt="One.", b_txt="Two."), put(tmp_path / "y", a_txt="Three.")
    sync(tmp_path / "index", first)
    sync(tmp_path / "index", second)
    (first / "a.txt").unlink()
    assert done(sync(tmp_path / "index", first)) == (0, 0, 1, 0, 1)
    assert texts(tmp_path / "index") == {"b.txt": "Two.", "y//a.txt": "Three."}


def test_two_folders_never_overwrite_each_other_and_what_is_listed_is_deleted(tmp_path):
    folders = [put(tmp_path / name, notes__a_md=f"The {name} one.") for name in ("x", "y", "z")]
    run(folders[0], "--to", tmp_path / "index")
    run(folders[1], "--to", tmp_path / "index", "--add")
    run(folders[2], "--to", tmp_path / "index", "--sync")
    run(folders[1] / "notes" / "a.md", "--to", tmp_path / "index", "--add")
    listed = [line.split("\t")[0] for line in run("--to", tmp_path / "index", "--list").splitlines()]
    assert sorted(listed) == ["notes/a.md", "y//notes/a.md", "z//notes/a.md"]
    assert texts(tmp_path / "index")["y//notes/a.md"] == "The y one."
    for document_id in listed[:2]:
        run("--to", tmp_path / "index", "--delete", document_id)
    assert all_ids(tmp_path / "index") == listed[2:]


def test_what_was_deleted_by_id_comes_back_with_the_next_sync_while_its_file_is_there(tmp_path):
    folder = synced(tmp_path, a_txt="One.", b_txt="Two.")
    run("--to", tmp_path / "index", "--delete", "a.txt")
    assert all_ids(tmp_path / "index") == ["b.txt"]
    assert done(sync(tmp_path / "index", folder)) == (0, 1, 0, 0, 1)
    assert sorted(all_ids(tmp_path / "index")) == ["a.txt", "b.txt"]


def test_a_record_never_takes_the_place_of_one_from_another_file(tmp_path):
    first = put(tmp_path / "x", a_jsonl='{"id": "1", "text": "mine"}')
    second = put(tmp_path / "y", b_jsonl='{"id": "2", "text": "fine"}\n{"id": "1", "text": "theirs"}')
    sync(tmp_path / "index", first)
    intake = sync(tmp_path / "index", second)
    assert texts(tmp_path / "index") == {"1": "mine", "2": "fine"}
    [unread] = intake.tally.unread
    assert str(unread) == (
        "the id '1' in y//b.jsonl is already that of a passage from a.jsonl; make the ids unique (1 passage of it kept)"
    )
    with pytest.raises(DataError, match="make the ids unique"):
        run(second, "--to", tmp_path / "index", "--sync", "--strict")


def test_an_id_that_occurs_twice_is_listed_with_the_file_that_has_it_second(tmp_path):
    put(tmp_path / "x", a_jsonl='{"id": "1", "text": "x"}', b_jsonl='{"id": "2", "text": "y"}\n{"id": "1", "text": "z"}')
    said = run(tmp_path / "x", "--to", tmp_path / "index")
    assert "the id '1' occurs twice, as passage 1 (a.jsonl) and passage 3 (b.jsonl); make the ids unique" in said
    assert texts(tmp_path / "index") == {"1": "x", "2": "y"}


def test_a_record_without_an_id_that_two_files_hold_is_a_passage_of_each(tmp_path):
    folder = synced(tmp_path, a_jsonl='{"text": "same"}\n{"text": "a"}', b_jsonl='{"text": "same"}\n{"text": "b"}')
    before = texts(tmp_path / "index")
    same, a, b = (content_id("", text) for text in ("same", "a", "b"))
    assert before == {same: "same", a: "a", f"{same}~2": "same", b: "b"}
    put(folder, c_jsonl='{"text": "same"}\n{"text": "same"}')
    assert sync(tmp_path / "index", folder).tally.num_duplicates == 1
    assert texts(tmp_path / "index") == {**before, f"{same}~3": "same"}
    put(folder, b_jsonl='{"text": "new"}\n{"text": "same"}')
    sync(tmp_path / "index", folder)
    assert texts(tmp_path / "index") == {
        same: "same",
        a: "a",
        f"{same}~2": "same",
        content_id("", "new"): "new",
        f"{same}~3": "same",
    }
    (folder / "a.jsonl").unlink()
    (folder / "b.jsonl").unlink()
    sync(tmp_path / "index", folder)
    assert list(texts(tmp_path / "index").values()) == ["same"]


def test_a_record_without_an_id_that_is_added_never_takes_the_place_of_one_from_another_file(tmp_path):
    folder = put(tmp_path / "x", a_jsonl='{"text": "same"}', b_jsonl='{"text": "same"}')
    run(folder, "--to", tmp_path / "index")
    for _ in range(2):
        run(folder / "b.jsonl", "--to", tmp_path / "index", "--add", "--access", "board")
        found = {(Path(one.source).name, one.access) for one in BM25(tmp_path / "index").all_passages()}
        assert found == {("a.jsonl", ()), ("b.jsonl", ("board",))}


def test_a_row_that_moves_from_one_file_to_another_is_not_lost(tmp_path):
    folder = synced(
        tmp_path, done_csv="task,who\npaint the tower,Ida\n", open_csv="task,who\nmend the boat,Nils\nclean it,Mara\n"
    )
    before = texts(tmp_path / "index")
    put(folder, done_csv="task,who\npaint the tower,Ida\nmend the boat,Nils\n", open_csv="task,who\nclean it,Mara\n")
    assert done(sync(tmp_path / "index", folder)) == (0, 2, 0, 0, 0)
    assert texts(tmp_path / "index") == before
    put(folder, done_csv="task,who\npaint the tower,Ida\n", open_csv="task,who\nmend the boat,Nils\nclean it,Mara\n")
    sync(tmp_path / "index", folder)
    assert texts(tmp_path / "index") == before


def test_records_that_two_files_swap_are_not_lost(tmp_path):
    first, second = '{"id": "x", "text": "One."}\n{"id": "y", "text": "Two."}', '{"id": "z", "text": "Three."}'
    folder = synced(tmp_path, a_jsonl=first, b_jsonl=second)
    put(folder, a_jsonl=second, b_jsonl=first)
    intake = sync(tmp_path / "index", folder)
    assert texts(tmp_path / "index") == {"x": "One.", "y": "Two.", "z": "Three."}
    assert not intake.tally.unread
    assert done(sync(tmp_path / "index", folder)) == (0, 0, 0, 0, 2)


def test_records_that_logs_pass_on_are_not_lost(tmp_path):
    folder = synced(tmp_path, log_jsonl='{"id": "3", "text": "x"}', log1_jsonl='{"id": "2", "text": "y"}')
    (folder / "log1.jsonl").rename(folder / "log2.jsonl")
    (folder / "log.jsonl").rename(folder / "log1.jsonl")
    put(folder, log_jsonl='{"id": "4", "text": "z"}')
    assert not sync(tmp_path / "index", folder).tally.unread
    assert texts(tmp_path / "index") == {"2": "y", "3": "x", "4": "z"}


@pytest.mark.parametrize("is_record_first", [True, False])
def test_a_document_in_pieces_and_a_record_never_share_an_id(tmp_path, is_record_first):
    records, name = ("a.jsonl", "z.txt") if is_record_first else ("z.jsonl", "a.txt")
    long = "The lamp is lit at dusk by the keeper. " * 9
    folder = put(tmp_path / "x")
    folder.mkdir()
    record, document = (folder / records, json.dumps({"id": name, "text": "A summary."})), (folder / name, long)
    first, second = (record, document) if is_record_first else (document, record)
    for path, content in (first, second):
        path.write_text(content)
    sync(tmp_path / "built", folder, max_words=20)
    second[0].unlink()
    sync(tmp_path / "index", folder, max_words=20)
    before = texts(tmp_path / "index")

    second[0].write_text(second[1])
    [unread] = sync(tmp_path / "index", folder, max_words=20).tally.unread
    said = f"the id '{name}' in {second[0].name} is already that of a passage from {first[0].name}; make the ids unique"
    assert str(unread) == said
    assert texts(tmp_path / "index") == texts(tmp_path / "built") == before
    with pytest.raises(DataError, match="make the ids unique"):
        list(read_corpus([folder], options=CorpusOptions(max_words=20)))


def test_a_record_with_an_id_that_is_too_long_is_named_and_all_before_it_and_other_files_are_read(tmp_path):
    longest = "x" * MAX_DOCUMENT_ID_BYTES
    rows = [{"id": longest, "text": "One two. " * 20}, {"id": f"{longest}y", "text": "Two."}]
    put(tmp_path / "x", a_jsonl="\n".join(map(json.dumps, rows)), b_txt="Three.")
    [unread] = sync(tmp_path / "index", tmp_path / "x", max_words=10).tally.unread
    assert unread.reason == "a.jsonl, line 2: its id has 9,981 bytes, more than 9,980; give it a shorter one"
    found = all_ids(tmp_path / "index")
    assert {key.partition("#")[0] for key in found} == {longest, "b.txt"}


def test_a_member_of_an_archive_whose_name_is_too_long_is_named_and_the_others_are_read(tmp_path):
    (tmp_path / "x").mkdir()
    with tarfile.open(tmp_path / "x" / "a.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        for name in (f"{'x' * 12_000}.txt", "b.txt"):
            header = tarfile.TarInfo(name)
            header.size = 4
            archive.addfile(header, io.BytesIO(b"One."))
    [unread] = sync(tmp_path / "index", tmp_path / "x").tally.unread
    assert unread.reason.startswith("a.tar/xxxxxxxx")
    assert unread.reason.endswith("xxx... has a path of 12,010 bytes, more than 9,980; give it a shorter one")
    assert all_ids(tmp_path / "index") == ["a.tar/b.txt"]


def test_a_file_that_became_bad_is_taken_out_and_comes_back_when_it_is_good(tmp_path):
    folder = synced(tmp_path, a_txt="One.", b_txt="Two.")
    (folder / "a.txt").write_bytes(b"\x00\xff")
    second = sync(tmp_path / "index", folder)
    assert (done(second), len(second.tally.unread)) == ((0, 0, 1, 0, 1), 1)
    assert all_ids(tmp_path / "index") == ["b.txt"]
    assert len(sync(tmp_path / "index", folder).tally.unread) == 1
    (folder / "a.txt").write_text("One.")
    assert done(sync(tmp_path / "index", folder)) == (1, 0, 0, 0, 1)


def test_pages_that_could_not_be_read_are_listed_again_without_reading_again(tmp_path, monkeypatch):
    folder = put(tmp_path / "x")
    folder.mkdir()
    (folder / "a.pdf").write_bytes(pdf("Text.", ""))
    before = sync(tmp_path / "index", folder).tally.unread
    monkeypatch.setattr(pages, "read_pages", None)
    after = sync(tmp_path / "index", folder).tally.unread
    assert [one.reason for one in after] == [one.reason for one in before]
    assert "(2); have it recognised" in after[0].reason


def test_a_folder_that_holds_nothing_any_more_leaves_the_index_as_it_is(tmp_path):
    folder = synced(tmp_path, a_txt="One.")
    (folder / "a.txt").unlink()
    with pytest.raises(DataError, match="found nothing to index in"):
        sync(tmp_path / "index", folder)
    (folder / "b.txt").touch()
    with pytest.raises(DataError, match=r"found nothing to index in .*: b\.txt is empty"):
        sync(tmp_path / "index", folder)
    assert all_ids(tmp_path / "index") == ["a.txt"]


def test_a_folder_that_is_gone_is_taken_out_by_the_command_that_the_error_names(tmp_path):
    x, y = put(tmp_path / "x", a_txt="One."), put(tmp_path / "y", b_txt="Two.")
    run(x, y, "--to", tmp_path / "index")
    shutil.rmtree(y)
    with pytest.raises(DataError, match=r"there is no file or folder .*/y; check the path and the disk, or add --gone-ok"):
        run(x, y, "--to", tmp_path / "index", "--sync")
    assert "files: 0 added, 0 replaced, 1 removed" in run(x, y, "--to", tmp_path / "index", "--sync", "--gone-ok")
    assert all_ids(tmp_path / "index") == ["a.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything, so nothing is refused")
def test_files_of_a_folder_that_may_not_be_listed_stay_in_the_index(tmp_path):
    folder = synced(tmp_path, a_txt="One.", closed__b_txt="Two.")
    (folder / "closed").chmod(0)
    try:
        intake = sync(tmp_path / "index", folder)
    finally:
        (folder / "closed").chmod(0o700)
    assert sorted(all_ids(tmp_path / "index")) == ["a.txt", "closed/b.txt"]
    assert "no permission" in intake.tally.unread[0].reason


def test_patterns_that_leave_a_file_out_take_it_out(tmp_path):
    folder = put(tmp_path / "x", a_md="One.", b_md="Two.", c_txt="Three.")
    (folder / ".gitignore").write_text("c.txt\n")
    assert "3 passages" in run(folder, "--to", tmp_path / "index", "--sync")
    run(folder, "--to", tmp_path / "index", "--sync", "--exclude", "b.md", "--gitignore")
    assert all_ids(tmp_path / "index") == ["a.md"]
    run(folder, "--to", tmp_path / "index", "--include", "*.txt")
    assert all_ids(tmp_path / "index") == ["c.txt"]


def test_a_link_that_leads_out_of_the_folder_is_read_only_with_follow_links_and_taken_out_again_without(tmp_path):
    folder, to = put(tmp_path / "x", a_txt="One."), tmp_path / "index"
    (folder / "b.txt").symlink_to(put(tmp_path / "elsewhere", b_txt="Two.") / "b.txt")
    left_out = "a link out of the given paths (1): b.txt; to read what links lead to, add --follow-links, or give its own path"
    assert left_out in run(folder, "--to", to)
    assert all_ids(to) == ["a.txt"]
    said = run(folder, "--to", to, "--sync", "--follow-links")
    assert "files: 1 added, 0 replaced, 0 removed, 0 moved, 1 unchanged" in said
    assert "skipped" not in said
    assert sorted(all_ids(to)) == ["a.txt", "b.txt"]
    said = run(folder, "--to", to, "--sync")
    assert "files: 0 added, 0 replaced, 1 removed, 0 moved, 1 unchanged" in said
    assert left_out in said
    assert all_ids(to) == ["a.txt"]


def test_a_sync_that_breaks_off_keeps_the_passages_and_the_states_of_the_files_as_they_were(tmp_path, monkeypatch):
    folder = synced(tmp_path, a_txt="One.", b_txt="Two.")
    before = fingerprint(tmp_path / "index")
    put(folder, a_txt="New.", c_txt="Three.")
    (folder / "b.txt").unlink()

    def refuse(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_bm25_index.Writing, "publish", refuse)
        with pytest.raises(KeyboardInterrupt):
            sync(tmp_path / "index", folder)
    assert fingerprint(tmp_path / "index") == before
    assert done(sync(tmp_path / "index", folder)) == (1, 1, 1, 0, 0)


def test_an_index_of_an_earlier_version_is_used_and_synced(tmp_path):
    folder = put(tmp_path / "x", a_txt="One.", b_txt="Two.")
    BM25.build(tmp_path / "index", passages_alone(folder))
    (folder / "a.txt").write_text("New.")
    assert done(sync(tmp_path / "index", folder)) == (2, 0, 0, 0, 0)
    assert texts(tmp_path / "index") == {"a.txt": "New.", "b.txt": "Two."}
    (folder / "a.txt").unlink()
    assert done(sync(tmp_path / "index", folder)) == (0, 0, 1, 0, 1)


def passages_alone(folder: Path):
    """Passages as an index has them that knows nothing of their files."""
    return read_corpus([folder])


def test_a_list_of_files_that_is_damaged_is_one_line(tmp_path):
    folder = synced(tmp_path, a_txt="One.")
    path = tmp_path / "index" / "data-1" / "files.sqlite"
    path.write_bytes(b"x" * path.stat().st_size)
    with pytest.raises(DataError, match=r"is damaged: .*files.*rebuild it"):
        run("--to", tmp_path / "index", "--stats")
    with pytest.raises(DataError, match=r"is damaged: file data-1/files\.sqlite does not match its checksum"):
        run(folder, "--to", tmp_path / "index", "--sync")


def test_a_list_of_files_that_a_writer_removes_while_it_is_opened_is_that_of_the_new_state(tmp_path, monkeypatch):
    folder = synced(tmp_path, a_txt="One.", b_txt=f"{'Two and three. ' * 20}", c_txt=f"{'Two and three. ' * 20}")
    to = tmp_path / "index"
    opened, real = BM25(to), sqlite3.connect

    def publish() -> None:
        put(folder, a_txt=f"{read_manifest(to).data}.")
        sync(to, folder)

    def connect(*arguments, **options):
        if str(arguments[0]).startswith(f"{to.as_uri()}/data") and "uri" in options:
            monkeypatch.setattr(sqlite3, "connect", real)
            publish()  # after it was found that the list is there
        return real(*arguments, **options)

    def removed_meanwhile() -> None:
        monkeypatch.setattr(sqlite3, "connect", connect)

    removed_meanwhile()
    assert BM25.stats(to)["files"] == 3
    removed_meanwhile()
    assert copies_of(to, iter(["b.txt"])) == {"b.txt": ("c.txt",)}
    removed_meanwhile()
    current = BM25(to)
    assert current.origin_of("b.txt") is None  # its state is gone
    assert opened.origin_of("b.txt") is None
    assert [also_in for _, _, _, also_in in opened.documents()] == [[], []]


def test_an_index_moves_as_a_whole_with_its_list_of_files(tmp_path):
    folder = synced(tmp_path, a_txt="One.")
    shutil.move(tmp_path / "index", tmp_path / "elsewhere")
    assert done(sync(tmp_path / "elsewhere", folder)) == (0, 0, 0, 0, 1)
    assert len(Weave(tmp_path / "elsewhere").search(["one"], 5)[0]) == 1


def test_the_list_has_each_document_once_with_its_passages_and_title(tmp_path):
    folder = put(
        tmp_path / "x", a_md="# The title\n\n" + "Words and words. " * 30, b_txt="One.", c_jsonl='{"id": "r", "text": "x"}'
    )
    (folder / "d.pdf").write_bytes(pdf("One.", "Two."))
    run(folder, "--to", tmp_path / "index", "--max-words", "30")
    assert run("--to", tmp_path / "index", "--list").splitlines() == [
        "a.md\t4\tThe title",
        "b.txt\t1\tb",
        "r\t1\t",
        "d.pdf\t2\td",
    ]


def test_the_stats_follow_what_is_added_and_taken_out(tmp_path):
    folder = put(tmp_path / "x", a_md="# The title\n\nOne two.", b_jsonl='{"id": "r", "text": "Three four five."}')
    put(folder, c_txt="Six seven. " * 30)
    run(folder, "--to", tmp_path / "index", "--max-words", "20")
    counted = ("passages", "words", "documents", "titled", "files")
    stats = BM25.stats(tmp_path / "index")
    assert [stats[name] for name in counted] == [5, 67, 3, 4, 3]
    assert (stats["links"], stats["bytes"]) == ("yes", BM25.check(tmp_path / "index").num_bytes)
    (folder / "c.txt").unlink()
    run(folder, "--to", tmp_path / "index", "--max-words", "20", "--sync")
    stats = BM25.stats(tmp_path / "index")
    assert [stats[name] for name in counted] == [2, 7, 2, 1, 2]
    said = run("--to", tmp_path / "index", "--stats")
    assert "documents    2\n" in said
    assert f"updated      {stats['updated']}\n" in said


def test_an_index_without_counts_says_so(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(_bm25_index, "COUNTS", ())
        patch.setattr(_bm25_index.Writing, "_count", lambda *_: None)
        BM25.build(tmp_path / "index", passages_alone(put(tmp_path / "x", a_txt="One.")))
    BM25.update(tmp_path / "index", upsert=passages_alone(put(tmp_path / "y", b_txt="Two.")))
    said = run("--to", tmp_path / "index", "--stats")
    assert "words        not counted: built by an earlier version" in said
    assert "passages     2" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x", "--sync", "--add"], "--sync adds as well; give it without --add"),
        (["x", "--sync", "--delete", "1"], "--sync would bring back what --delete removes"),
        (["--sync"], "--sync needs something to go by"),
        (["x", "--gone-ok"], "--gone-ok is about what --sync removes; add --sync"),
        (["x", "--list"], "--list changes nothing; use it alone"),
        (["--stats", "--verify"], "--verify changes nothing; use it alone"),
        (["x", "--exclude", "!"], "'!' is not a file pattern"),
        (["x", "--max-seconds", "0"], "max_seconds = 0 is below 1; give a number of seconds"),
    ],
)
def test_flags_that_cannot_go_together_are_refused(tmp_path, arguments, message):
    with pytest.raises(SettingsError, match=message):
        run(*arguments, "--to", tmp_path / "index")


def test_the_list_of_files_holds_what_it_is_for(tmp_path):
    folder = synced(tmp_path, a_txt="One.")
    with sqlite3.connect(tmp_path / "index" / "data-1" / "files.sqlite") as table:
        [(path, size, mtime, sha256)] = table.execute("SELECT path, size, mtime_ns, sha256 FROM files").fetchall()
        assert table.execute("SELECT first, end FROM spans").fetchall() == [(0, 1)]
    assert (os.fsdecode(path), size) == ((folder / "a.txt").resolve().as_posix(), 4)
    assert mtime == (folder / "a.txt").stat().st_mtime_ns
    assert sha256 == sha256_of(folder / "a.txt")
    assert json.loads((tmp_path / "index" / "manifest.json").read_text())["files"]["files.sqlite"]["num_bytes"] > 0
