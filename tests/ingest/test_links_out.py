"""A link in an indexed folder is followed only to what is in the given paths, unless all are to be followed."""

import os
import socket
from pathlib import Path

import pytest

from hopweave.core.files import LeadsOut, open_confined
from hopweave.core.visibility import Visible
from hopweave.ingest import find
from hopweave.ingest.intake import Intake
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.ingest.reasons import Reason
from hopweave.ingest.tally import Tally
from hopweave.retrieval.engines.bm25 import BM25

ENVIRONMENT = Path("/proc/self/environ")
MINUTES = (
    "The merger of both companies is near, and the board will vote on it before the end of the month. "
    "Whoever is against it may say so until Friday."
)
SHARED = (
    "The canteen opens at noon for all who work here, and closes when the soup is gone. "
    "That is at about two on most days, and at one on Fridays."
)
on_linux = pytest.mark.skipif(not ENVIRONMENT.exists(), reason="this system has no /proc")


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def share(tmp_path) -> Path:
    """A folder of the board, and one of the team with links to that of the board."""
    put(tmp_path / "board" / "minutes.txt", MINUTES)
    put(tmp_path / "team" / "plan.txt", "The plan of the team.")
    (tmp_path / "team" / "m.txt").symlink_to("../board/minutes.txt")
    (tmp_path / "team" / "b").symlink_to("../board")
    return tmp_path


def read(*paths: Path, **options) -> tuple[dict[str, str], Tally]:
    tally = Tally()
    found = read_corpus(paths, options=CorpusOptions(lenient=True, **options), tally=tally)
    texts = {passage.id: passage.text for passage in found}
    assert tally.num_found == tally.num_files + tally.num_unchanged + tally.num_skipped
    return texts, tally


def test_a_link_out_of_the_given_paths_is_skipped_and_named_with_what_would_read_it(share):
    texts, tally = read(share / "team")
    assert texts == {"plan.txt": "The plan of the team."}
    assert tally.skipped == {Reason.LEADS_OUT: {"b/": 1, "m.txt": 1}}
    assert list(tally.skipped_lines()) == [
        "a link out of the given paths (2): b/, m.txt; to read what links lead to, add --follow-links, or give its own path"
    ]


def test_links_are_followed_anywhere_if_that_is_asked_for(share):
    texts, tally = read(share / "team", follow_links=True)
    assert MINUTES in texts.values()
    assert not tally.skipped


@pytest.mark.parametrize("given", [["."], ["board", "team"], ["team", "board/minutes.txt"]])
def test_a_link_to_what_is_in_the_given_paths_is_followed_and_its_text_is_there_once(share, given):
    texts, tally = read(*(share / name for name in given))
    assert sorted(texts.values()) == [MINUTES, "The plan of the team."]
    assert sum(tally.skipped.get(Reason.LEADS_OUT, {}).values()) == (given[-1] == "board/minutes.txt")


def test_a_path_that_is_given_may_be_a_link(share):
    assert read(share / "team" / "m.txt")[0] == {"m.txt": MINUTES}
    assert read(share / "team" / "b")[0] == {"minutes.txt": MINUTES}


def test_a_folder_whose_name_begins_with_that_of_a_given_one_is_another(share):
    put(share / "team-two" / "x.txt", "Of others.")
    (share / "team" / "x.txt").symlink_to("../team-two/x.txt")
    assert list(read(share / "team")[0]) == ["plan.txt"]


def test_a_link_out_that_a_pattern_leaves_out_counts_as_left_out(share):
    _, tally = read(share / "team", exclude=("b", "m.txt"))
    assert tally.skipped == {Reason.EXCLUDED: {"b/": 1, "m.txt": 1}}


def test_a_broken_link_is_named_as_one(share):
    (share / "team" / "gone.txt").symlink_to("../board/gone.txt")
    _, tally = read(share / "team")
    assert [one.reason for one in tally.unread] == ["gone.txt does not exist, or is a dangling link; check the path"]


@on_linux
@pytest.mark.parametrize("follow_links", [False, True])
def test_what_only_the_kernel_shows_as_a_file_is_never_read_through_a_link(share, follow_links):
    (share / "team" / "e.txt").symlink_to(ENVIRONMENT)
    (share / "team" / "p").symlink_to("/proc/self")
    (share / "team" / "again.txt").symlink_to("e.txt")
    texts, tally = read(share / "team", follow_links=follow_links)
    assert tally.skipped[Reason.SPECIAL] == {"again.txt": 1, "e.txt": 1, "p/": 1}
    assert "plan.txt" in texts
    _, tally = read(share / "team" / "e.txt", share / "team" / "plan.txt", follow_links=follow_links)
    assert [one.kind for one in tally.unread] == [Reason.LEADS_OUT]


@pytest.mark.parametrize("follow_links", [False, True])
def test_devices_and_sockets_are_never_read_through_a_link(share, follow_links, monkeypatch):
    monkeypatch.chdir(share / "board")
    (share / "team" / "zero.txt").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        (share / "team" / "s.txt").symlink_to("../board/socket")
        _, tally = read(share / "team", follow_links=follow_links)
    in_b = {"b/socket (socket)": 1} if follow_links else {}
    assert tally.skipped[Reason.SPECIAL] == {**in_b, "s.txt (socket)": 1, "zero.txt (device)": 1}


def test_a_link_that_replaces_a_file_after_it_was_listed_is_not_followed(share):
    [file] = [one for one in find.find_files([share / "team"]) if one.document_id == "plan.txt"]
    file.path.unlink()
    file.path.symlink_to("../board/minutes.txt")
    with pytest.raises(LeadsOut):
        open_confined(file.path, file.confined_to)


def test_a_link_that_replaces_a_folder_between_the_check_and_the_opening_is_not_followed(share, monkeypatch):
    inner = put(share / "team" / "in" / "minutes.txt", "Of the team.")
    real_path = os.path.realpath

    def replaced_after(path, **more):
        real = real_path(path, **more)
        if Path(path) == inner:
            inner.unlink()
            inner.parent.rmdir()
            inner.parent.symlink_to("../board")
        return real

    monkeypatch.setattr(os.path, "realpath", replaced_after)
    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        open_confined(inner, share / "team")


def test_labels_of_a_folder_hold_when_another_one_has_links_to_it(share):
    index = share / "index"
    for name in ("board", "team"):
        intake = Intake([share / name], options=CorpusOptions(lenient=True, access=(name,)))
        BM25.take_in(index, intake, update=name == "team")
    [hits] = BM25(index, visible=Visible(access=("team",))).search(["merger plan"], 5)
    assert [hit.passage.text for hit in hits] == ["The plan of the team."]


def test_syncing_without_following_links_takes_out_what_is_behind_them(share):
    index = share / "index"
    for follow_links, num_in in ((True, 2), (False, 1), (True, 2)):
        options = CorpusOptions(lenient=True, follow_links=follow_links)
        BM25.take_in(index, Intake([share / "team"], sync=True, options=options), update=index.exists())
        assert len(list(BM25(index).all_passages())) == num_in


def test_a_file_that_became_a_link_is_not_read_again_for_its_copies(share):
    """The index keeps what it has of it, rather than take in with its labels what it leads to now."""
    put(share / "team" / "copy.txt", SHARED)
    first = put(share / "first" / "a.txt", SHARED)
    index = share / "index"
    for folder in ("first", "team"):
        options = CorpusOptions(lenient=True)
        BM25.take_in(index, Intake([share / folder], options=options), update=index.exists())
    (share / "team" / "copy.txt").unlink()
    (share / "team" / "copy.txt").symlink_to("../board/minutes.txt")
    first.write_text("Said once.")
    BM25.take_in(index, Intake([share / "first"], sync=True, options=CorpusOptions(lenient=True)), update=True)
    assert MINUTES not in {passage.text for passage in BM25(index).all_passages()}
