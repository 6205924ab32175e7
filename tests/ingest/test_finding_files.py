"""Which files are taken of a folder, and the ids that keep them apart."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.core.errors import SettingsError
from hopweave.ingest.find import Roots, find_files
from hopweave.ingest.read import CorpusOptions, read_corpus


def put(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"The text of {name}.")
    return folder


def ids(*paths: Path, **options) -> list[str]:
    return [p.id for p in read_corpus(paths, options=CorpusOptions(**options))]


def test_two_folders_that_hold_the_same_names_have_ids_of_their_own(tmp_path):
    first, second = put(tmp_path / "x", "notes/a.md", "b.txt"), put(tmp_path / "y", "notes/a.md", "b.txt")
    assert ids(first, second) == ["b.txt", "notes/a.md", "y//b.txt", "y//notes/a.md"]
    assert [p.source for p in read_corpus([first, second])] == ids(first, second)


def test_folders_of_the_same_name_are_told_apart_by_numbers(tmp_path):
    folders = [put(tmp_path / above / "docs", "a.md") for above in ("1", "2", "3")]
    assert ids(*folders) == ["a.md", "docs//a.md", "docs-2//a.md"]


def test_a_file_that_is_given_itself_has_the_id_that_it_has_in_its_folder(tmp_path):
    roots = Roots()
    folder = put(tmp_path / "x", "notes/a.md")
    [whole] = find_files([folder], roots=roots)
    [alone] = find_files([folder / "notes" / "a.md"], roots=roots)
    assert whole.document_id == alone.document_id == "notes/a.md"


def test_a_file_belongs_to_the_innermost_root(tmp_path):
    roots = Roots()
    folder = put(tmp_path / "x", "notes/a.md", "b.md")
    assert [file.document_id for file in find_files([folder / "notes"], roots=roots)] == ["a.md"]
    assert [file.document_id for file in find_files([folder], roots=roots)] == ["x//b.md", "a.md"]


def test_a_folder_is_one_root_however_its_path_is_written(tmp_path, monkeypatch):
    folder = put(tmp_path / "x", "a.md")
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(folder)
    roots = Roots()
    for path in (folder, tmp_path / "link", Path(), Path("../x"), Path("a.md")):
        assert [file.document_id for file in find_files([path], roots=roots)] == ["a.md"]


names = st.lists(st.sampled_from(["a", "b", "a-2", "a//b", "b.md"]), min_size=1, max_size=3).map("/".join)


@given(st.lists(names, min_size=1, max_size=5, unique=True), st.lists(names, min_size=1, max_size=4, unique=True))
def test_no_two_files_have_the_same_id_in_whatever_folders_they_lie(folders, files):
    roots = Roots()
    for folder in folders:
        roots.include(Path("/nowhere", folder))
    paths = {Path("/nowhere", folder, file) for folder in folders for file in files}
    assert len({roots.document_id(path) for path in paths}) == len(paths)


NAMES = ("a.md", "a.txt", "drafts/b.md", "notes/drafts/c.md", "notes/d.md")


@pytest.mark.parametrize(
    ("options", "taken"),
    [
        ({"include": ("*.txt",)}, ["a.txt"]),
        ({"include": ("notes/",)}, ["notes/d.md", "notes/drafts/c.md"]),
        ({"include": ("*.txt", "/drafts/*.md")}, ["a.txt", "drafts/b.md"]),
        ({"exclude": ("drafts/",)}, ["a.md", "a.txt", "notes/d.md"]),
        ({"exclude": ("/drafts/", "*.txt")}, ["a.md", "notes/d.md", "notes/drafts/c.md"]),
        ({"include": ("*.md",), "exclude": ("**/drafts/**",)}, ["a.md", "notes/d.md"]),
        ({"exclude": ("*.md", "!a.md")}, ["a.md", "a.txt"]),
    ],
)
def test_patterns_choose_among_the_files_of_a_folder(tmp_path, options, taken):
    assert ids(put(tmp_path, *NAMES), **options) == taken


def test_what_marks_a_document_that_is_open_is_hidden(tmp_path):
    assert ids(put(tmp_path, "plan.md", "~$plan.md", ".~lock.plan.md#")) == ["plan.md"]


def test_a_file_that_is_given_itself_is_read_whatever_the_patterns_say(tmp_path):
    assert ids(put(tmp_path, *NAMES) / "a.md", exclude=("*.md",)) == ["a.md"]


def test_gitignore_files_are_honoured_on_request_the_innermost_first(tmp_path):
    put(tmp_path, *NAMES)
    (tmp_path / ".gitignore").write_text("drafts/\n*.txt\n\n# said\n[\n")
    (tmp_path / "notes" / ".gitignore").write_text("!drafts/\n/d.md\n")
    assert ids(tmp_path, gitignore=True) == ["a.md", "notes/drafts/c.md"]
    assert len(ids(tmp_path)) == 5


def test_a_gitignore_that_is_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(put(tmp_path, "a.md") / ".gitignore")
    assert ids(tmp_path, gitignore=True) == ["a.md"]


@pytest.mark.parametrize("option", ["include", "exclude"])
def test_what_is_no_pattern_is_refused(tmp_path, option):
    with pytest.raises(SettingsError, match=r"'!' is not a file pattern; give one such as"):
        ids(put(tmp_path, "a.md"), **{option: ("!",)})
