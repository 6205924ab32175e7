"""The files that passages come from: known by the index alone, and opened only if they are the very ones that were read."""

import os
from pathlib import Path

import pytest
from support.documents import pdf
from support.tiers import first_of

from hopweave.core.errors import DataError
from hopweave.core.types import Passage
from hopweave.ingest.intake import Intake
from hopweave.ingest.origin import Origin
from hopweave.retrieval.engines.bm25 import BM25


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "in"
    (made / "deep").mkdir(parents=True)
    (made / "deep" / "a.pdf").write_bytes(pdf("One.", "Two."))
    (made / "b.txt").write_text("Three.")
    return made


def index_of(folder: Path) -> Path:
    BM25.take_in(folder.parent / "index", Intake([folder]), update=False)
    return folder.parent / "index"


def origin_of(index: Path, passage_id: str) -> Origin | None:
    engine = BM25(index)
    try:
        return engine.origin_of(passage_id)
    finally:
        engine.close()


def why_not(origin: Origin) -> str:
    with pytest.raises(DataError) as caught, origin.opened():
        pass
    said = str(caught.value)
    assert str(origin.root) not in said
    assert "; " in said
    return said


def test_a_passage_leads_to_the_file_that_it_was_read_from(folder):
    index = index_of(folder)
    for passage_id in ("deep/a.pdf#1", "deep/a.pdf#2"):
        origin = origin_of(index, passage_id)
        assert (origin.path, origin.root) == (folder / "deep" / "a.pdf", folder)
        with origin.opened() as raw:
            assert raw.read() == (folder / "deep" / "a.pdf").read_bytes()
    assert origin_of(index, "b.txt").path == folder / "b.txt"


def test_a_passage_that_is_not_there_or_not_shown_leads_nowhere(folder):
    with pytest.raises(DataError, match="has no passage"):
        origin_of(index_of(folder), "deep/a.pdf#9")


@pytest.mark.slow
def test_a_passage_that_is_from_no_file_leads_nowhere(tmp_path, folder):
    BM25.build(tmp_path / "built", [Passage("a", "Text.", source="deep/a.pdf#page=1")])
    assert origin_of(tmp_path / "built", "a") is None
    index = index_of(folder)
    BM25.update(index, upsert=[Passage("new", "Text.", source="deep/a.pdf#page=1")])
    assert origin_of(index, "new") is None
    assert origin_of(index, "deep/a.pdf#2") is not None


@pytest.mark.slow
def test_a_file_of_which_passages_were_deleted_is_trusted_no_longer(folder):
    index = index_of(folder)
    BM25.update(index, delete=["deep/a.pdf#1"])
    assert origin_of(index, "deep/a.pdf#2") is None


def test_a_file_that_changed_is_not_opened_even_with_its_size_and_time(folder):
    index, file = index_of(folder), folder / "deep" / "a.pdf"
    before = file.stat()
    file.write_bytes(pdf("Own.", "Two."))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size
    assert "the file has changed since it was indexed" in why_not(origin_of(index, "deep/a.pdf#1"))
    BM25.take_in(index, Intake([folder], sync=True), update=True)
    with origin_of(index, "b.txt").opened() as raw:
        assert raw.read() == b"Three."


def test_a_file_that_is_gone_or_something_else_now_is_not_opened(folder):
    index, file = index_of(folder), folder / "deep" / "a.pdf"
    origin = origin_of(index, "deep/a.pdf#1")
    file.unlink()
    assert "cannot be read where it was indexed" in why_not(origin)
    assert origin.seen == ()
    os.mkfifo(file)  # opening it would wait for somebody to write to it
    assert "has changed since it was indexed" in why_not(origin)
    file.unlink()
    file.mkdir()
    why_not(origin)


@pytest.mark.parametrize("linked", first_of(["file", "folder"]))
def test_a_link_out_of_the_folder_that_was_indexed_is_not_followed(folder, linked):
    index = index_of(folder)
    outside = folder.parent / "outside"
    inside = folder / "deep" if linked == "folder" else folder / "deep" / "a.pdf"
    inside.rename(outside)
    inside.symlink_to(outside)
    assert "a link that leads out of the indexed folder" in why_not(origin_of(index, "deep/a.pdf#1"))


@pytest.mark.slow
def test_a_link_within_the_folder_is_followed(folder):
    index = index_of(folder)
    (folder / "deep").rename(folder / "moved")
    (folder / "deep").symlink_to(folder / "moved")
    with origin_of(index, "deep/a.pdf#1").opened() as raw:
        assert raw.read(4) == b"%PDF"
