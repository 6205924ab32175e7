"""Files and folders that vanish between two readings, or while they are read: the index loses nothing that may come back."""

import errno
import os
import shutil
from pathlib import Path

import pytest
from support.tiers import first_of

from hopweave.core.errors import DataError
from hopweave.ingest import file_bytes, intake
from hopweave.ingest.intake import Intake
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.retrieval.engines.bm25 import BM25


def sync(to: Path, *folders: Path, gone_ok: bool = False, lenient: bool = True) -> Intake:
    """Brings an index in line with folders; returns what was done."""
    options = CorpusOptions(lenient=lenient, follow_links=True)
    one = Intake(folders, sync=True, options=options, gone_ok=gone_ok)
    BM25.take_in(to, one, update=to.exists())
    return one


def put(folder: Path, *names: str, text: str = "The first text of") -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{text} {name}.")
    return folder


def numbered(num: int, below: str = "") -> list[str]:
    return [f"{below}n{number:02}.txt" for number in range(num)]


def texts(to: Path) -> dict[str, str]:
    return {passage.id: passage.text for passage in BM25(to).all_passages()}


def refused(to: Path, *folders: Path, match: str) -> None:
    """Asserts that the folders cannot be brought in, and that the index stays as it was."""
    before = texts(to)
    with pytest.raises(DataError, match=match):
        sync(to, *folders)
    assert texts(to) == before


@pytest.fixture
def to(tmp_path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def thirty(tmp_path, to) -> Path:
    """A folder of thirty files that are in the index."""
    folder = put(tmp_path / "x", *numbered(30))
    sync(to, folder)
    return folder


@pytest.fixture
def when_hashed(monkeypatch):
    """Does something when the nth file is hashed, which is after all were listed and before that one is read."""

    def set_up(nth: int, do) -> None:
        hashed = []
        real = intake.hash_of

        def hash_of(file):
            hashed.append(file)
            if len(hashed) == nth:
                do(file)
            return real(file)

        monkeypatch.setattr(intake, "hash_of", hash_of)

    return set_up


# -- while files are read --------------------------------------------------------------------------------------------------


def test_a_file_that_vanishes_after_it_was_listed_is_kept_and_named(tmp_path, to, when_hashed):
    folder = put(tmp_path / "x", "a.txt", "b.txt", "c.txt")
    sync(to, folder)
    put(folder, "a.txt", "b.txt", "c.txt", text="Another text, a longer one, of")
    when_hashed(2, lambda _: (folder / "b.txt").unlink())
    done = sync(to, folder)
    assert texts(to)["b.txt"] == "The first text of b.txt."
    assert texts(to)["c.txt"] == "Another text, a longer one, of c.txt."
    assert (done.synced.replaced, done.synced.removed, done.synced.unchanged) == (2, 0, 1)
    what = "b.txt vanished while the files were read; the index keeps what it has of it: run the same command again"
    what += " (1 passage of it kept)"
    assert list(map(str, done.tally.unread)) == [what]
    assert sync(to, folder).synced.removed == 1  # it is gone for good


def test_a_file_that_vanishes_between_its_hash_and_its_reading_is_kept(tmp_path, to, monkeypatch):
    folder = put(tmp_path / "x", "a.txt", "b.txt")
    sync(to, folder)
    put(folder, "a.txt", text="Another text, a longer one, of")
    real = intake.hash_of

    def hash_of(file):
        found = real(file)
        file.path.unlink()
        return found

    monkeypatch.setattr(intake, "hash_of", hash_of)
    assert "the index keeps what it has of it" in str(sync(to, folder).tally.unread[0])
    assert texts(to)["a.txt"] == "The first text of a.txt."


@pytest.mark.slow
def test_a_disk_that_stops_answering_amid_a_file_leaves_the_index_as_it_was(tmp_path, to, monkeypatch):
    folder = put(tmp_path / "x", "a.txt")
    rows = [f'{{"id": "r{number}", "text": "{"word " * 2000}"}}' for number in range(100)]
    (folder / "b.jsonl").write_text("\n".join(rows))
    sync(to, folder)
    (folder / "b.jsonl").write_text("\n".join(reversed(rows)))
    real = file_bytes._Watched.readinto
    reads = []

    def readinto(self, buffer):
        reads.append(1)
        if len(reads) > 3:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(self, buffer)

    monkeypatch.setattr(file_bytes._Watched, "readinto", readinto)
    refused(to, folder, match=r"cannot read b\.jsonl: Input/output error.*nothing was changed: run the same command again")


def test_a_new_file_that_vanishes_is_named(tmp_path, to, when_hashed):
    folder = put(tmp_path / "x", "a.txt")
    sync(to, folder)
    put(folder, "b.txt")
    when_hashed(1, lambda file: file.path.unlink())
    assert "b.txt vanished while the files were read; nothing of it is in the index" in str(sync(to, folder).tally.unread[0])


@pytest.mark.parametrize("becomes", first_of(["nothing", "an empty folder", "another folder"]))
def test_a_folder_that_disappears_amid_a_sync_is_an_error_and_the_index_stays(tmp_path, thirty, to, when_hashed, becomes):
    put(thirty, *numbered(30), text="Another text, a longer one, of")

    def disappear(_):
        thirty.rename(tmp_path / "away")
        if becomes != "nothing":
            thirty.mkdir()
        if becomes == "another folder":
            put(thirty, *numbered(30), text="What somebody else says in a long text of")

    when_hashed(12, disappear)
    refused(to, thirty, match=r"the folder .*/x vanished while it was read, so nothing was changed; check the disk")


def test_many_files_that_vanish_amid_a_sync_are_an_error_and_the_index_stays(thirty, to, when_hashed):
    put(thirty, *numbered(30), text="Another text, a longer one, of")
    when_hashed(12, lambda _: [path.unlink() for path in thirty.iterdir()])
    refused(to, thirty, match=r"19 of 30 files vanished while they were read, n11[.]txt first, so nothing was changed")


def test_a_folder_that_disappears_while_an_index_is_built_leaves_the_one_that_is_there(tmp_path, thirty, to, when_hashed):
    before = texts(to)
    when_hashed(12, lambda _: thirty.rename(tmp_path / "away"))
    with pytest.raises(DataError, match=r"vanished while it was read, so nothing was changed"):
        BM25.take_in(to, Intake([thirty], options=CorpusOptions(lenient=True)), update=False)
    assert texts(to) == before


def test_a_corpus_that_disappears_while_it_is_read_is_not_taken_for_a_small_one(tmp_path):
    folder = put(tmp_path / "x", *numbered(30))
    passages = read_corpus([folder], options=CorpusOptions(lenient=True))
    next(passages)
    folder.rename(tmp_path / "away")
    with pytest.raises(DataError, match=r"vanished while it was read"):
        list(passages)


# -- between two readings --------------------------------------------------------------------------------------------------


def test_one_of_two_folders_that_drops_to_empty_is_an_error_and_the_index_stays(tmp_path, to):
    x, y = put(tmp_path / "x", "a.txt"), put(tmp_path / "y", "b.txt", "c.txt")
    sync(to, x, y)
    shutil.rmtree(y)
    y.mkdir()
    refused(to, x, y, match=r"y is empty, and the index has 2 files from there; check the disk; .*--gone-ok")
    assert sync(to, x, y, gone_ok=True).synced.removed == 2
    assert list(texts(to)) == ["a.txt"]


def test_a_folder_below_that_drops_to_empty_is_an_error_and_the_index_stays(tmp_path, to):
    folder = put(tmp_path / "x", *numbered(100), *numbered(11, "disk/deep/"))
    sync(to, folder)
    shutil.rmtree(folder / "disk" / "deep")
    refused(to, folder, match=r"x/disk is empty, and the index has 11 files from there; check the disk")
    (folder / "disk").rmdir()  # nothing is left that a disk could be mounted on
    assert sync(to, folder).synced.removed == 11


def test_a_linked_folder_whose_target_is_gone_is_an_error_and_the_index_stays(tmp_path, to):
    folder = put(tmp_path / "x", *numbered(100))
    (folder / "disk").symlink_to(put(tmp_path / "mount", *numbered(11)))
    sync(to, folder)
    shutil.rmtree(tmp_path / "mount")
    refused(to, folder, match=r"x/disk is empty, and the index has 11 files from there")


def test_most_files_of_a_folder_are_taken_out_only_when_asked_to(thirty, to):
    for name in numbered(16):
        (thirty / name).unlink()
    refused(to, thirty, match=r"16 of 30 files that the index has from .*/x are gone; check the disk; .*--sync --gone-ok")
    assert sync(to, thirty, gone_ok=True).synced.removed == 16


def test_half_of_a_folder_and_a_few_files_of_a_small_one_are_taken_out_as_ever(tmp_path, to):
    x, y = put(tmp_path / "x", *numbered(30)), put(tmp_path / "y", *numbered(11))
    sync(to, x, y)
    for path in [*(x / name for name in numbered(15)), *(y / name for name in numbered(10))]:
        path.unlink()
    assert sync(to, x, y).synced.removed == 25


def test_files_that_only_moved_or_that_a_pattern_leaves_out_now_are_not_taken_for_vanished(tmp_path, to):
    folder = put(tmp_path / "x", *numbered(30, "old/"))
    sync(to, folder)
    (folder / "new").mkdir()
    for name in numbered(30):
        (folder / "old" / name).rename(folder / "new" / name)
    assert sync(to, folder).synced.moved == 30
    put(folder, "more.md")
    options = CorpusOptions(lenient=True, exclude=("new/",))
    BM25.take_in(to, Intake([folder], sync=True, options=options), update=True)
    assert list(texts(to)) == ["more.md"]


def test_a_folder_that_is_gone_is_taken_out_when_asked_to_and_so_is_the_last_one(tmp_path, to):
    x, y = put(tmp_path / "x", "a.txt"), put(tmp_path / "y", "b.txt")
    sync(to, x, y)
    shutil.rmtree(y)
    refused(to, y, match=r"there is no file or folder .*/y; check the path and the disk, or add --gone-ok")
    assert sync(to, y, gone_ok=True).synced.removed == 1
    assert list(texts(to)) == ["a.txt"]
    (x / "a.txt").unlink()
    assert sync(to, x, gone_ok=True).synced.removed == 1
    assert texts(to) == {}


def test_a_mistyped_folder_is_an_error_whatever_may_be_gone(tmp_path, to):
    sync(to, put(tmp_path / "x", "a.txt"))
    with pytest.raises(DataError, match=r"found nothing to index"):
        sync(to, tmp_path / "xx", gone_ok=True)


def test_links_that_lead_nowhere_are_taken_out_if_few_and_an_error_if_most(tmp_path, to):
    mount = put(tmp_path / "mount", *numbered(30))
    folder = put(tmp_path / "x", "a.txt")
    for name in numbered(30):
        (folder / name).symlink_to(mount / name)
    sync(to, folder)
    (mount / "n00.txt").unlink()
    assert sync(to, folder).synced.removed == 1
    shutil.rmtree(mount)
    refused(to, folder, match=r"29 of 30 files that the index has from .* are gone")
