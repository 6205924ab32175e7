import errno
import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.core.errors import DataError
from hopweave.core.types import Passage
from hopweave.retrieval.index import index_folder as _index_folder
from hopweave.retrieval.index.index_folder import Fingerprint, open_index, read_manifest, verify
from hopweave.retrieval.index.index_writing import replace_index

passages = st.builds(Passage, id=st.text(max_size=5), text=st.text(max_size=20), title=st.text(max_size=5))


def build(folder: Path, content: bytes = b"hello", *, update: bool = False) -> None:
    with replace_index(folder, engine="toy", update=update) as staging:
        if update:
            staging.clone_previous(rewritten={"head"})
        (staging.data / "head").write_bytes(content)
        if not update:
            (staging.data / "body").write_bytes(b"the body")
        staging.publish(engine="toy", analyzer="none", num_passages=1, fingerprint=Fingerprint("7"), state={"n": 1})


@pytest.fixture
def index(tmp_path) -> Path:
    """An index that was built once."""
    build(tmp_path / "index")
    return tmp_path / "index"


def content(folder: Path) -> bytes:
    return open_index(folder, "toy", lambda data, _: (data / "head").read_bytes())[1]


def change(folder: Path, **values) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def test_the_manifest_tells_what_the_index_holds(index):
    manifest = read_manifest(index, "toy")
    assert (manifest.format_version, manifest.engine, manifest.analyzer, manifest.num_passages) == (1, "toy", "none", 1)
    assert (manifest.data, manifest.num_bytes, manifest.state) == ("data-1", 13, {"n": 1})
    assert manifest.fingerprint == "0" * 31 + "7"
    assert manifest.created_at == manifest.updated_at
    assert manifest.created_at.endswith("+00:00")
    assert manifest.files["head"].sha256.startswith("2cf24dba5fb0a30e")


def test_a_new_state_takes_the_place_of_the_old_one(index):
    build(index, b"second")
    assert content(index) == b"second"
    assert sorted(path.name for path in index.iterdir()) == [".hopweave-index.lock", "data-2", "manifest.json"]


def test_an_update_keeps_what_it_does_not_write_as_the_same_file(index):
    created_at = read_manifest(index).created_at
    body = (index / "data-1" / "body").stat()
    build(index, b"second", update=True)
    assert content(index) == b"second"
    assert (index / "data-2" / "body").stat().st_ino == body.st_ino
    assert read_manifest(index).created_at == created_at
    verify(index, read_manifest(index), full=True)


def test_an_update_copies_where_there_are_no_hard_links(index, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    build(index, b"second", update=True)
    verify(index, read_manifest(index), full=True)


def break_off(folder: Path, failure: BaseException, *, update: bool = False) -> None:
    with replace_index(folder, engine="toy", update=update) as staging:
        (staging.data / "head").write_bytes(b"half")
        staging.scratch.write_bytes(b"x")
        raise failure


@pytest.mark.parametrize("failure", [RuntimeError("no"), KeyboardInterrupt()])
@pytest.mark.parametrize("update", [True, False])
def test_a_write_that_fails_leaves_the_old_state_and_no_rest(index, failure, update):
    with pytest.raises(type(failure)):
        break_off(index, failure, update=update)
    assert content(index) == b"hello"
    assert sorted(path.name for path in index.iterdir()) == [".hopweave-index.lock", "data-1", "manifest.json"]


def test_a_first_write_that_fails_leaves_no_folder(tmp_path):
    with pytest.raises(RuntimeError):
        break_off(tmp_path / "index", RuntimeError())
    assert not (tmp_path / "index").exists()


def test_what_a_crash_left_is_taken_away_by_the_next_write(index):
    (index / "data-2").mkdir()
    (index / "data-2" / "head").write_bytes(b"half")
    (index / "data-2.scratch").write_bytes(b"x")
    (index / ".manifest.json.new").write_bytes(b"{")
    assert content(index) == b"hello"
    build(index, b"second")
    assert sorted(path.name for path in index.iterdir()) == [".hopweave-index.lock", "data-2", "manifest.json"]


def test_files_that_are_not_ours_are_never_taken_away(index):
    for name in ("notes.txt", "data-1.txt", "database-3", "my-data-1"):
        (index / name).write_text("mine")
    build(index, b"second")
    assert {"notes.txt", "data-1.txt", "database-3", "my-data-1"} < {path.name for path in index.iterdir()}


def test_a_folder_that_is_something_else_is_refused_and_untouched(tmp_path):
    (tmp_path / "data-1").mkdir()
    (tmp_path / "manifest.json").write_text('{"name": "a web app"}')
    with pytest.raises(DataError, match=r"is not empty and not an index; give another folder"):
        build(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data-1", "manifest.json"]


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path):
    (tmp_path / "index").write_text("x")
    with pytest.raises(DataError, match=r"cannot write index .*give another folder"):
        build(tmp_path / "index")
    with pytest.raises(DataError, match="there is no index in"):
        read_manifest(tmp_path / "index")


def test_an_empty_folder_may_become_an_index(tmp_path):
    build(tmp_path)
    assert content(tmp_path) == b"hello"


def test_of_two_writers_the_second_is_told_to_wait(tmp_path):
    def write_twice() -> None:
        with replace_index(tmp_path / "index", engine="toy", update=False):
            build(tmp_path / "index")

    with pytest.raises(DataError, match=r"another process is writing index .*; try again when it has finished$"):
        write_twice()
    build(tmp_path / "index")


@pytest.mark.parametrize("name", ["head", "body"])
@pytest.mark.parametrize(
    ("damage", "how"),
    [
        (
            lambda path: path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:]),
            "does not match its checksum",
        ),
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), r"has \d bytes instead of \d"),
        (Path.unlink, "is missing"),
    ],
)
def test_a_damaged_file_is_named_with_what_to_do(index, name, damage, how):
    damage(index / "data-1" / name)
    with pytest.raises(DataError, match=rf"index .* is damaged: file data-1/{name} {how}; rebuild it with: hopweave index"):
        content(index)


def test_every_byte_of_the_manifest_is_guarded(index):
    path = index / "manifest.json"
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        try:
            assert read_manifest(index) == manifest_of(whole, path)  # white space or the like
        except DataError:
            continue
    path.write_bytes(whole)
    assert content(index) == b"hello"


def manifest_of(whole: bytes, path: Path):
    path.write_bytes(whole)
    return read_manifest(path.parent)


def test_above_the_limit_only_sizes_are_checked_unless_asked(index, monkeypatch):
    monkeypatch.setattr(_index_folder, "FULL_CHECK_MAX_BYTES", 5)
    (index / "data-1" / "head").write_bytes(b"jello")
    assert content(index) == b"jello"
    with pytest.raises(DataError, match="does not match its checksum"):
        open_index(index, "toy", lambda *_: None, full=True)
    (index / "data-1" / "head").write_bytes(b"jell")
    with pytest.raises(DataError, match="has 4 bytes instead of 5"):
        content(index)


def test_a_newer_format_is_refused_by_name(index):
    change(index, format_version=3, hopweave_version="9.1")
    with pytest.raises(
        DataError, match=r"has format version 3 and this hopweave .* reads up to 2; it was written by hopweave 9\.1"
    ):
        content(index)


def test_another_engine_is_refused_by_name(index):
    with pytest.raises(DataError, match="was built by toy, not bm25; choose that retriever or build another index"):
        read_manifest(index, "bm25")


def test_no_index_says_how_to_build_one(tmp_path):
    with pytest.raises(DataError, match=r"there is no index in .*; make one with: hopweave index PATH\.\.\. --to "):
        content(tmp_path)
    with pytest.raises(DataError, match="there is no index in"):
        build(tmp_path / "index", update=True)
    assert not (tmp_path / "index").exists()


def test_a_damaged_index_can_be_built_anew(index):
    (index / "manifest.json").write_bytes(b"\xff")
    with pytest.raises(DataError, match=r"is damaged: file manifest\.json cannot be read"):
        content(index)
    build(index, b"second")
    assert content(index) == b"second"


def test_a_reader_that_is_overtaken_by_a_writer_opens_the_new_state(index):
    seen = []

    def load(data: Path, _) -> bytes:
        seen.append(data.name)
        if len(seen) == 1:
            build(index, b"second")
            raise DataError("gone")
        return (data / "head").read_bytes()

    assert open_index(index, "toy", load)[1] == b"second"
    assert seen == ["data-1", "data-2"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_one_clear_line(index, number):
    with pytest.raises(DataError, match=r"the disk is full \(\d+ MiB free\) while writing index .*stays as it was; free some"):
        break_off(index, OSError(number, os.strerror(number)))
    assert content(index) == b"hello"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere, so nothing is refused")
def test_a_folder_that_may_not_be_written_is_named(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(DataError, match=r"cannot write index .*check its permissions"):
            build(tmp_path / "index")
    finally:
        tmp_path.chmod(0o700)


def test_a_folder_copied_without_its_hidden_files_is_still_an_index(index, tmp_path):
    shutil.copytree(index, tmp_path / "copy", ignore=shutil.ignore_patterns(".*"))
    assert content(tmp_path / "copy") == b"hello"
    build(tmp_path / "copy", b"second")
    assert content(tmp_path / "copy") == b"second"


def fingerprint_of(found) -> str:
    fingerprint = Fingerprint()
    for passage in found:
        fingerprint.add(passage)
    return str(fingerprint)


@given(st.lists(passages, max_size=6), st.randoms())
def test_the_fingerprint_does_not_depend_on_the_order(found, random):
    first = fingerprint_of(found)
    random.shuffle(found)
    assert fingerprint_of(found) == first
    assert len(first) == 32


@given(st.lists(passages, max_size=4), passages)
def test_taking_out_undoes_taking_in(found, other):
    fingerprint = Fingerprint(fingerprint_of([*found, other]))
    assert str(fingerprint) != fingerprint_of(found)
    fingerprint.remove(other)
    assert str(fingerprint) == fingerprint_of(found)


@given(passages, passages)
def test_passages_that_differ_in_id_title_or_text_have_other_fingerprints(one, other):
    is_same = (one.id, one.title, one.text) == (other.id, other.title, other.text)
    assert (fingerprint_of([one]) == fingerprint_of([other])) == is_same
