"""Files that cannot be read are left out and listed, where that is asked for."""

import os
from pathlib import Path

import pytest
from ingest.test_corpus_errors import BAD

from hopweave.core.errors import DataError
from hopweave.core.types import Passage
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.ingest.tally import Tally


def read(folder: Path, tally: Tally | None = None, **options) -> list[Passage]:
    return list(read_corpus([folder], options=CorpusOptions(lenient=True, **options), tally=tally))


@pytest.mark.parametrize("case", BAD)
def test_what_is_an_error_alone_is_listed_with_the_same_words_beside_good_files(tmp_path, case):
    name, content, _ = BAD[case]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as strict:
        list(read_corpus([tmp_path]))
    (tmp_path / "0.txt").write_text("good")
    (tmp_path / "z.txt").write_text("good as well")
    tally = Tally()
    found = [p.id for p in read(tmp_path, tally)]
    assert {"0.txt", "z.txt"} <= set(found)
    [unread] = tally.unread
    assert (unread.source, unread.reason, unread.num_passages) == (name, str(strict.value), len(found) - 2)


def test_of_a_bad_file_of_records_those_before_the_bad_place_are_kept_and_that_is_said(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "x"}\n{"id": 2, "text": "y"}\nno\n{"id": 4, "text": "z"}\n')
    tally = Tally()
    assert [p.id for p in read(tmp_path, tally)] == ["1", "2"]
    assert str(tally.unread[0]).startswith("a.jsonl, line 3 is not JSON: ")
    assert str(tally.unread[0]).endswith("; correct the row or remove it (2 passages of it kept)")
    assert (tally.num_files, tally.num_passages) == (1, 2)


def test_a_bad_document_contributes_nothing(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"One sentence. " * 100 + b"\x00\xff")
    (tmp_path / "b.txt").write_text("good")
    tally = Tally()
    assert [p.id for p in read(tmp_path, tally, max_words=5)] == ["b.txt"]
    assert (tally.num_files, tally.unread[0].num_passages) == (1, 0)


def test_where_nothing_can_be_read_it_is_an_error_that_names_the_first_and_counts_the_others(tmp_path):
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).touch()
    message = r"found nothing to index in .*: a\.txt is empty; remove it or leave it out \(and 2 more that cannot be read\)$"
    with pytest.raises(DataError, match=message):
        read(tmp_path)


def test_a_path_that_does_not_exist_is_an_error_all_the_same(tmp_path):
    with pytest.raises(DataError, match="there is no file or folder"):
        read(tmp_path / "nowhere")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything, so nothing is refused")
def test_a_folder_that_may_not_be_listed_is_listed_as_unread(tmp_path):
    (tmp_path / "a.txt").write_text("good")
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed").chmod(0)
    tally = Tally()
    try:
        assert [p.id for p in read(tmp_path, tally)] == ["a.txt"]
    finally:
        (tmp_path / "closed").chmod(0o700)
    assert "no permission to read" in tally.unread[0].reason


def test_a_link_to_nothing_is_listed(tmp_path):
    (tmp_path / "a.txt").write_text("good")
    (tmp_path / "b.txt").symlink_to(tmp_path / "gone")
    tally = Tally()
    assert [p.id for p in read(tmp_path, tally)] == ["a.txt"]
    assert "b.txt does not exist, or is a dangling link" in tally.unread[0].reason
