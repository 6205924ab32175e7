import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hopweave.apps.cli.index import app
from hopweave.core.errors import DataError, HopweaveError, SettingsError
from hopweave.retrieval.engines.bm25 import BM25

RECORDS = [{"id": "1", "title": "Ulm", "text": "A city."}, {"title": "x", "text": "y"}, {"title": "x", "text": "y"}]


def run(*arguments: str | Path) -> str:
    """Standard output of the command; what it raises goes through."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False).stdout


@pytest.fixture
def corpus(tmp_path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, RECORDS)))
    (folder / "b.txt").write_text("Kepler moved to Ulm. " * 30)
    (folder / "c.mp3").write_bytes(b"PK\x00")
    return folder


def all_ids(folder: Path) -> list[str]:
    return [passage.id for passage in BM25(folder).all_passages()]


def test_an_index_is_built_and_the_summary_tells_what_was_read_and_left_out(corpus, tmp_path):
    said = run(corpus, "--to", tmp_path / "index")
    assert all_ids(tmp_path / "index")[0] == "1"
    assert all_ids(tmp_path / "index")[2:] == ["b.txt"]
    assert f"built {tmp_path / 'index'}: 3 passages, 0.0 MiB, " in said
    assert "read 2 of 3 files: .jsonl (1), .txt (1); rows or records in them: 2\n" in said
    assert "records left out: 1 repeated without an id, 0 without text" in said
    assert "skipped: 1\n    unknown format (1): .mp3; convert" in said
    assert f"fingerprint {BM25.check(tmp_path / 'index').fingerprint}" in said


def test_the_length_of_passages_and_the_names_of_fields_are_options(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"key": "k", "head": "H", "para": "One two three. Four five six."}')
    run(tmp_path / "a.jsonl", "--to", tmp_path / "index", "--max-words", 3, "--id-field", "key", "--title-field", "head",
        "--text-field", "para")  # fmt: skip
    found = list(BM25(tmp_path / "index").all_passages())
    assert [(p.id, p.title, p.text) for p in found] == [("k#1", "H", "One two three."), ("k#2", "H", "Four five six.")]


def test_building_again_replaces_and_adding_adds(corpus, tmp_path):
    run(corpus, "--to", tmp_path / "index")
    (tmp_path / "new.jsonl").write_text('{"id": "1", "text": "replaced"}\n{"id": "2", "text": "new"}')
    said = run(tmp_path / "new.jsonl", "--to", tmp_path / "index", "--add")
    assert "updated" in said
    assert "added 2, deleted or replaced 1" in said
    assert len(all_ids(tmp_path / "index")) == 4
    run(tmp_path / "new.jsonl", "--to", tmp_path / "index")
    assert all_ids(tmp_path / "index") == ["1", "2"]


def test_documents_and_passages_are_deleted_by_id(corpus, tmp_path):
    run(corpus, "--to", tmp_path / "index", "--max-words", 50)
    assert "added 0, deleted or replaced 4" in run("--to", tmp_path / "index", "--delete", "b.txt", "--delete", "1")
    assert len(all_ids(tmp_path / "index")) == 1
    with pytest.raises(DataError, match="no passage or document '1' to delete"):
        run("--to", tmp_path / "index", "--delete", "1")
    run("--to", tmp_path / "index", "--delete", "1", "--missing-ok")


def test_adding_and_deleting_go_together(corpus, tmp_path):
    run(corpus, "--to", tmp_path / "index")
    (tmp_path / "new.jsonl").write_text('{"id": "2", "text": "new"}')
    run(tmp_path / "new.jsonl", "--to", tmp_path / "index", "--add", "--delete", "b.txt")
    assert all_ids(tmp_path / "index")[::2] == ["1", "2"]


def test_a_check_verifies_and_names_what_is_damaged(corpus, tmp_path):
    run(corpus, "--to", tmp_path / "index")
    assert "verified" in run("--to", tmp_path / "index", "--verify")
    path = next((tmp_path / "index" / "data-1").glob("*.store"))
    path.write_bytes(path.read_bytes()[::-1])
    with pytest.raises(DataError, match=rf"is damaged: file data-1/{path.name}"):
        run("--to", tmp_path / "index", "--verify")


def test_a_folder_that_is_something_else_is_refused(corpus):
    with pytest.raises(DataError, match="is not empty and not an index"):
        run(corpus, "--to", corpus)
    assert len(list(corpus.iterdir())) == 3


def test_a_mistyped_path_leaves_no_folder_behind(tmp_path):
    with pytest.raises(DataError, match="there is no file or folder"):
        run(tmp_path / "corpsu", "--to", tmp_path / "index")
    assert not (tmp_path / "index").exists()


def test_a_corpus_with_an_error_leaves_the_index_as_it_was(corpus, tmp_path):
    run(corpus, "--to", tmp_path / "index")
    before = all_ids(tmp_path / "index")
    (corpus / "z.jsonl").write_text('{"text": 1}')
    for flags in ([], ["--add"]):
        with pytest.raises(DataError, match=r"z\.jsonl, line 1: its text is of type int"):
            run(corpus, "--to", tmp_path / "index", "--strict", *flags)
    assert all_ids(tmp_path / "index") == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "there is nothing to do; give files or folders"),
        (["--add"], "--add needs something to add"),
        (["x", "--verify"], "--verify changes nothing; use it alone"),
        (["--verify", "--delete", "1"], "--verify changes nothing; use it alone"),
        (["x", "--delete", "1"], "would rebuild the index it deletes from; add --add"),
        (["x", "--max-words", "-1"], "max_words = -1 is below 0"),
    ],
)
def test_flags_that_contradict_each_other_are_refused(tmp_path, arguments, message):
    with pytest.raises(SettingsError, match=message):
        run(*arguments, "--to", tmp_path / "index")


def test_what_the_user_can_mend_is_of_the_family_of_errors():
    assert issubclass(DataError, HopweaveError)
    assert issubclass(SettingsError, HopweaveError)


def test_help_names_every_flag():
    said = run("--help")
    flags = "--to --add --delete --missing-ok --verify --max-words --id-field --title-field --text-field"
    assert [flag for flag in flags.split() if flag not in said] == []
