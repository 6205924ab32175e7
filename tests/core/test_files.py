"""Names and links from outside never lead out of their folder; files are written whole; locks hold between processes."""

import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile import STRANGE_NAMES

from hopweave.core.errors import DataError
from hopweave.core.files import LockTaken, digest_of, file_name, is_file_name, lock, sha256_of, write_whole
from hopweave.core.types import Passage
from hopweave.evaluation.reports.report import Report, write_report
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, Plan, RunFolder
from hopweave.evaluation.runs.writing import alone
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.index import index_folder as _index_folder
from hopweave.run.settings import read_settings


def plan(dataset="jsonl", method="direct"):
    return Plan({dataset: DatasetPlan("jsonl", {"path": "q.jsonl"})}, {method: MethodPlan("direct")}, {"llm": "scripted"})


@pytest.fixture
def run(tmp_path):
    return RunFolder.create(tmp_path / "deep" / "er" / "run", plan())


@pytest.mark.parametrize("name", STRANGE_NAMES)
def test_a_name_that_leads_elsewhere_is_none(name):
    assert not is_file_name(name)
    with pytest.raises(DataError, match="is not a valid file name"):
        file_name(name, "the plan")


@pytest.mark.parametrize("name", ["jsonl", "paper-2a", "v1.2", "own questions", "\u00fcber-alles", "a+b=c,d@e", "x" * 200])
def test_usual_labels_are_names(name):
    assert file_name(name, "the plan") == name


@given(st.text(max_size=300))
def test_whatever_passes_stays_in_its_folder_and_can_be_written(name):
    if is_file_name(name):
        assert Path("folder", name).parent == Path("folder")
        assert len(os.fsencode(f"{name}.jsonl")) <= 255


@pytest.mark.parametrize("label", STRANGE_NAMES)
@pytest.mark.parametrize("kind", ["datasets", "methods"])
def test_a_plan_whose_label_leads_out_of_the_run_is_refused(run, kind, label):
    data = json.loads(plan().to_json())
    data[kind] = {label: next(iter(data[kind].values()))}
    (run.path / "plan.json").write_text(json.dumps(data))
    with pytest.raises(DataError, match=r"plan\.json names .* which is not a valid file name"):
        RunFolder.open(run.path)


def test_no_label_becomes_a_path_elsewhere_however_the_run_was_opened(run):
    for made in (RunFolder(run.path, plan("../../evil", "direct")), RunFolder(run.path, plan("jsonl", "../../../evilm"))):
        with pytest.raises(DataError, match="is not a valid file name"):
            made.records_path(*made.plan.datasets, *made.plan.methods)
    with pytest.raises(DataError, match="is not a valid file name"):
        run.examples_path("../../evil")


@pytest.mark.parametrize("name", ["records", "examples", ".lock", "store.sqlite", "report/report.md", ".scores.jsonl.new"])
def test_a_run_whose_files_are_links_out_of_it_is_refused_and_nothing_is_written_there(run, tmp_path, name):
    elsewhere = tmp_path / "mine.txt"
    elsewhere.write_text("mine")
    place = run.path / name
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(elsewhere)
    with pytest.raises(DataError, match="is a link that leads out of"):
        RunFolder.open(run.path)
    assert elsewhere.read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "begin", "said"),
    [
        (".lock", lambda folder: alone(folder).__enter__(), "cannot write to"),
        (".plan.json.new", lambda folder: RunFolder.create(folder, plan()), "is a link that leads out of"),
    ],
)
def test_a_run_is_not_begun_over_a_link_that_lies_in_wait(tmp_path, name, begin, said):
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / name).symlink_to(tmp_path / "mine.txt")
    with pytest.raises(DataError, match=said):
        begin(tmp_path / "new")
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_pipes_in_the_place_of_a_plan_or_a_manifest_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "plan.json")
    os.mkfifo(tmp_path / "manifest.json")
    with pytest.raises(DataError, match="there is no run"):
        RunFolder.open(tmp_path)
    with pytest.raises(DataError, match="there is no index"):
        _index_folder.read_manifest(tmp_path)


def test_a_pipe_in_a_run_is_refused_instead_of_being_waited_for(run):
    os.mkfifo(run.path / "scores.json")
    with pytest.raises(DataError, match="neither a file nor a folder"):
        RunFolder.open(run.path)


def test_links_within_a_run_and_a_link_to_the_whole_run_are_fine(run, tmp_path):
    (run.path / "latest").symlink_to("plan.json")
    (tmp_path / "link").symlink_to(run.path)
    assert RunFolder.open(tmp_path / "link").plan == run.plan


def test_a_report_is_written_into_its_folder_alone(tmp_path):
    (tmp_path / "numbers.json").write_text("mine")
    with pytest.raises(DataError, match="is not a valid file name"):
        write_report(Report("run", {"../evil.md": "x"}, {}), tmp_path / "report")
    assert not (tmp_path / "evil.md").exists()


def test_what_an_older_report_says_it_wrote_is_not_taken_away_elsewhere(tmp_path):
    folder = tmp_path / "report"
    folder.mkdir()
    (tmp_path / "mine.txt").write_text("mine")
    listed = {"../mine.txt": "", "..": "", "old.csv": ""}
    (folder / "old.csv").write_text("old")
    (folder / "numbers.json").write_text(json.dumps({"schema": "hopweave.report/1", "files": listed}))
    write_report(Report("run", {"report.md": "new"}, {}), folder)
    assert (tmp_path / "mine.txt").exists()
    assert sorted(path.name for path in folder.iterdir()) == ["numbers.json", "report.md"]


@pytest.mark.parametrize(
    "change",
    [
        {"data": "../../elsewhere"},
        {"data": "/etc"},
        {"files": {"../../mine.txt": {"num_bytes": 4, "sha256": "0" * 64}}},
        {"files": []},
        {"files": {"a": 3}},
        {"more": 1},
    ],
)
def test_an_index_whose_manifest_names_files_elsewhere_is_refused(tmp_path, change):
    folder = tmp_path / "index"
    BM25.build(folder, [Passage("p", "A lighthouse.", "Light")])
    values = json.loads((folder / "manifest.json").read_text())
    values.pop("checksum")
    values |= change
    (folder / "manifest.json").write_text(json.dumps(values | {"checksum": _index_folder._checksum(values)}))
    with pytest.raises(DataError, match="manifest"):
        BM25(folder).search(["light"], 1)


def test_a_profile_is_a_name_or_a_file_and_nothing_between(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Exception, match="there is no profile"):
        read_settings({"profile": "../profiles/default"})


# Writing as a whole


def killed_in(code, path):
    """A process that ran the code and was killed where the code says `kill()`."""
    before = "import os, signal, sys\nfrom pathlib import Path\nfrom hopweave.core import files\npath = Path(sys.argv[1])\n"
    before += "def kill(*_): os.kill(os.getpid(), signal.SIGKILL)\n"
    done = subprocess.run([sys.executable, "-c", before + code, path], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("moment", ["os.fdopen", "os.fsync", "Path.replace"])
def test_a_kill_in_the_middle_of_a_write_leaves_the_old_file_and_does_not_hinder_the_next_write(tmp_path, moment):
    path = tmp_path / "a.json"
    write_whole(path, "old")
    killed_in(f"{moment} = kill\nfiles.write_whole(path, 'new', is_durable=True)", path)
    assert path.read_text() == "old"
    write_whole(path, "new")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a.json", "new")]


def refusing(number, words):
    """A system call that fails."""

    def refuse(*_):
        raise OSError(number, words)

    return refuse


def test_a_write_that_fails_leaves_the_old_file_and_no_draft(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    write_whole(path, "old")
    monkeypatch.setattr(os, "fsync", refusing(errno.ENOSPC, "No space left on device"))
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, "new", is_durable=True)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a.json", "old")]


def test_a_durable_write_syncs_the_file_before_it_is_put_into_place_and_the_folder_after(tmp_path, monkeypatch):
    path, seen = tmp_path / "a.json", []
    fsync = os.fsync

    def noted(descriptor):
        seen.append((Path(f"/proc/self/fd/{descriptor}").readlink().name, path.exists()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    write_whole(path, "new", is_durable=True)
    assert seen == [(".a.json.new", False), (tmp_path.name, True)]


def test_a_link_in_the_place_of_the_draft_is_not_followed(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / ".a.json.new").symlink_to(tmp_path / "mine.txt")
    write_whole(tmp_path / "a.json", "new")
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert not (tmp_path / "a.json").is_symlink()


def test_a_private_file_is_for_its_user_alone_and_line_ends_stay_as_they_are(tmp_path):
    write_whole(tmp_path / "a.json", "one\r\ntwo\n", is_private=True)
    assert (tmp_path / "a.json").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "a.json").read_bytes() == b"one\r\ntwo\n"


def test_the_checksum_of_a_file_is_that_of_its_bytes_and_can_be_gone_on_from(tmp_path):
    content, progress = bytes(range(256)) * 10_000, []
    (tmp_path / "a").write_bytes(content)
    assert sha256_of(tmp_path / "a") == hashlib.sha256(content).hexdigest()
    digest = digest_of(tmp_path / "a", lambda done, total: progress.append((done, total)))
    digest.update(b"more")
    assert digest.hexdigest() == hashlib.sha256(content + b"more").hexdigest()
    assert progress[-1] == (len(content), len(content))


# Locks


def holding(path):
    """A process that holds a lock until it is killed."""
    code = "import sys, time\nfrom pathlib import Path\nfrom hopweave.core.files import lock\n"
    code += "with lock(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    return process


def test_a_lock_is_free_again_once_its_process_was_killed(tmp_path):
    with holding(tmp_path / "a.lock") as process:
        with pytest.raises(LockTaken) as taken:
            lock(tmp_path / "a.lock")
        assert taken.value.holder == process.pid
        process.kill()
        process.wait()
        with lock(tmp_path / "a.lock"):
            assert (tmp_path / "a.lock").read_text().split() == [str(os.getpid())]


def test_a_process_that_waits_for_a_lock_gets_it_when_it_is_given_back(tmp_path):
    with holding(tmp_path / "a.lock") as process:
        given_back = []

        def give_back():
            given_back.append(True)
            process.kill()

        threading.Timer(0.3, give_back).start()
        with lock(tmp_path / "a.lock", wait=True):
            assert given_back


def test_a_lock_is_given_back_at_the_end_of_its_block_and_its_file_stays(tmp_path):
    for _ in range(2):
        with lock(tmp_path / "a.lock"), pytest.raises(LockTaken):
            lock(tmp_path / "a.lock")
    assert [path.name for path in tmp_path.iterdir()] == ["a.lock"]


def test_a_file_system_without_locks_is_told_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr("fcntl.flock", refusing(errno.ENOSYS, "Function not implemented"))
    with pytest.raises(DataError, match=r"^cannot write index .*: the file system has no locks .*another folder with --to$"):
        BM25.build(tmp_path / "index", [Passage("p", "A lighthouse.", "Light")])
    without_locks = pytest.raises(DataError, match=r"cannot write to .*: the file system has no locks; use another folder$")
    with without_locks, alone(tmp_path):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere, so nothing is refused")
def test_a_folder_that_may_not_be_written_is_told_in_one_line(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(DataError, match=r"^cannot write to .*: Permission denied; use another folder$"), alone(tmp_path):
            pass
    finally:
        tmp_path.chmod(0o700)
