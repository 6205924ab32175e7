"""`hopweave watch`: what changes on disk is in the index and told, until Ctrl-C."""

import queue
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("watchfiles", reason="needs: pip install 'hopweave[watch]'")

from run.test_staleness import ENGINEER, LAMP, Says, answered, keep, keep_all, sync, write
from support.commands import INTERRUPTIBLE, ran

from hopweave.apps.cli.watch import _is_of_index
from hopweave.retrieval.engines.bm25 import BM25

SOON = 60.0


class Watching:
    """The command in a process of its own, whose lines are read as they come."""

    def __init__(self, *arguments):
        command = [*INTERRUPTIBLE, "watch", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def until(self, beginning):
        """The lines up to the first that begins like this."""
        lines = []
        while not lines or not lines[-1].startswith(beginning):
            line = self._lines.get(timeout=SOON)
            assert line is not None, lines
            lines.append(line)
        return lines

    def interrupted(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(SOON)


@pytest.fixture
def watching():
    open_ones = []

    def of(*arguments):
        open_ones.append(Watching(*arguments))
        return open_ones[-1]

    yield of
    for one in open_ones:
        with suppress(ProcessLookupError):
            one.process.kill()
        one.process.wait()
        one.process.stdout.close()


@pytest.fixture(autouse=True)
def scene():
    write(engineer=ENGINEER, lamp=LAMP)


@pytest.mark.slow
def test_an_edit_is_indexed_and_the_answers_that_cited_it_are_told_until_ctrl_c(watching):
    sync()
    keep_all()
    BM25.update(Path("index"), delete=["lamp.txt"])
    one = watching("docs", "--to", "index", "--answers", "answers.jsonl")
    assert "files: 0 added, 1 replaced, 0 removed, 0 moved, 1 unchanged" in "\n".join(one.until("0 stale of 4 answers"))
    write(lamp=LAMP.replace("1874", "1875"))
    said = one.until("1 stale of 4 answers")
    assert "answers.jsonl, line 4: When was Carrow Head Light first lit?" in said
    assert "      now: It was first lit in 1875." in said
    Path("docs/engineer.txt").unlink()
    one.until("4 stale of 4 answers")
    assert one.interrupted() == 0
    assert [one.id for one in BM25(Path("index")).all_passages()] == ["lamp.txt"]


@pytest.mark.slow
def test_an_index_within_the_folder_does_not_set_it_off_again(watching):
    one = watching(".", "--to", "index", "--exclude", "index/", "--exclude", "config/", "--exclude", "cache/")
    one.until("  fingerprint")
    write(more="A third document.")
    assert "files: 1 added" in "\n".join(one.until("  fingerprint"))
    write(more="A third document, edited.")
    assert "files: 0 added, 1 replaced" in "\n".join(one.until("  fingerprint"))  # and nothing in between
    assert one.interrupted() == 0


@pytest.mark.slow
def test_what_goes_wrong_later_is_told_and_the_next_change_is_waited_for(watching):
    Path("docs/engineer.txt").unlink()
    one = watching("docs", "--to", "index")
    one.until("  fingerprint")
    Path("docs/lamp.txt").unlink()
    assert "found nothing to index" in one.until("hopweave: ")[-1]
    write(lamp=LAMP.replace("1874", "1875"))
    assert "files: 0 added, 1 replaced" in "\n".join(one.until("  fingerprint"))
    assert one.interrupted() == 0


@pytest.mark.slow
def test_a_disk_that_drops_is_told_the_index_stays_and_the_watch_goes_on_when_it_is_back(watching):
    one = watching("docs", "--to", "index")
    one.until("  fingerprint")
    Path("docs").rename("away")
    assert "there is no file or folder docs; check the path and the disk" in one.until("hopweave: ")[-1]
    Path("docs").mkdir()  # the mount point without its mount
    assert "found nothing to index in docs" in one.until("hopweave: ")[-1]
    assert {passage.id for passage in BM25(Path("index")).all_passages()} == {"engineer.txt", "lamp.txt"}
    Path("docs").rmdir()
    Path("away").rename("docs")
    write(lamp=LAMP.replace("1874", "1875"))
    assert "files: 0 added, 1 replaced, 0 removed, 0 moved, 1 unchanged" in "\n".join(one.until("  fingerprint"))
    assert one.interrupted() == 0


@pytest.mark.slow
def test_answers_over_another_index_are_passed_over(watching):
    sync()
    keep(answered("When was Carrow Head Light first lit?", Says("1874"), corpus="starter"))
    keep_all()
    one = watching("docs", "--to", str(Path("index").resolve()), "--answers", "answers.jsonl")
    one.until("0 stale of 4 answers")
    assert one.interrupted() == 0


def test_a_folder_that_is_not_there_is_an_error_at_once():
    result = ran("watch", "gone", "--to", "index")
    assert (result.exit_code, result.stderr) == (1, "hopweave: there is nothing at gone; give a folder to watch\n")


def test_the_files_of_the_index_are_told_from_those_beside_it():
    own = {"index/manifest.json", "index", ".index.lock", ".index.encoding/x"}
    others = {"index-notes/a.txt", "a.txt", ".indexes/a", "docs/index/a.txt", "../a.txt", "."}
    assert {name for name in own | others if _is_of_index(Path(name), Path("index"))} == own
