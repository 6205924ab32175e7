"""The rules for files that a user gives: only regular ones, a limit on what is held in memory; and folders of any depth."""

import ast
import io
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support import commands
from support.given_files import LINES, READERS, WHOLE, no_waiting, refusal_of
from support.sample_records import graph

import hopweave
from hopweave.core import files
from hopweave.core.files import FOLDER, lines_within, read_lines, read_whole, walk
from hopweave.evaluation.integrity.manifest import hash_source
from hopweave.ingest.find import find_files
from hopweave.run.staleness import Checked, kept_records

pytestmark = pytest.mark.usefixtures("own_folders")
PACKAGE = Path(hopweave.__file__).parent


@pytest.fixture
def short(monkeypatch):
    """A limit that tests reach soon."""
    monkeypatch.setattr(files, "MAX_HELD_BYTES", 1000)


# -- files -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["fifo", "device"])
@pytest.mark.parametrize("reads", READERS.values(), ids=READERS)
def test_a_fifo_or_a_device_is_refused_and_neither_waited_for_nor_read_without_an_end(reads, make, tmp_path):
    make(tmp_path / "given")
    error = refusal_of(reads, tmp_path / "given")
    assert error is not None
    assert "\n" not in str(error)
    assert "not a regular file" in str(error) or "is not a file" in str(error)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("reads", [*LINES.values(), *WHOLE.values()], ids=[*LINES, *WHOLE])
def test_what_is_longer_than_is_held_in_memory_is_refused(reads, tmp_path):
    (tmp_path / "given").write_text("x" * 1001)
    assert "longer than" in str(refusal_of(reads, tmp_path / "given"))


@pytest.mark.usefixtures("short")
def test_the_limit_is_reached_by_one_byte_more(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 1000)
    assert len(read_whole(tmp_path / "a")) == 1000
    (tmp_path / "a").write_bytes(b"x" * 999 + b"\ny")
    assert list(read_lines(tmp_path / "a")) == [b"x" * 999 + b"\n", b"y"]
    (tmp_path / "a").write_bytes(b"y\n" + b"x" * 1001)
    with pytest.raises(OSError, match="line 2 is longer than"):
        list(read_lines(tmp_path / "a"))


@pytest.mark.usefixtures("short")
def test_a_line_that_is_too_long_is_passed_over_without_being_held(monkeypatch):
    class Counting(io.BytesIO):
        longest = 0

        def readline(self, size=-1):
            line = super().readline(size)
            self.longest = max(self.longest, len(line))
            return line

    monkeypatch.setattr(files, "_CHUNK_BYTES", 100)
    file = Counting(b"a\n" + b"x" * 100_000 + b"\nb\n")
    assert list(lines_within(file)) == [b"a\n", None, b"b\n"]
    assert file.longest == 1001


# -- the commands ----------------------------------------------------------------------------------------------------------


def ran(*arguments, stdin=None):
    with no_waiting():
        return commands.ran(*arguments, stdin=stdin)


@pytest.mark.parametrize("command", [["show"], ["show", "--list"], ["again"], ["stale"]], ids=" ".join)
def test_records_in_a_fifo_are_an_error_of_one_line(command):
    os.mkfifo("given")
    said = "hopweave: cannot read given: it is a FIFO, not a regular file; give a file of records"
    commands.assert_one_line(ran(*command, "given"), said)


def test_stale_says_of_a_device_that_it_is_none_and_of_an_empty_file_that_there_is_no_record():
    result = ran("stale", "/dev/null")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "cannot read /dev/null: it is a device, not a regular file" in result.stderr
    Path("empty.jsonl").touch()
    result = ran("stale", "empty.jsonl")
    assert result.exit_code == 1
    assert (
        "not checked: there is no record in empty.jsonl; give a file that hopweave ask --out FILE has written" in result.stderr
    )


@pytest.mark.usefixtures("short")
def test_a_line_that_no_record_is_is_named_and_the_others_are_checked(monkeypatch):
    Path("a.jsonl").write_text(f"{'x' * 2000}\n{{}}\n")
    result = ran("stale", "a.jsonl")
    assert "not checked: a.jsonl, line 1: it is longer than" in result.stderr
    assert "not checked: a.jsonl, line 2: " in result.stderr


def test_show_holds_only_the_record_that_it_shows_and_stops_at_a_line_that_is_none(monkeypatch):
    line = graph().to_json() + "\n"
    monkeypatch.setattr(files, "MAX_HELD_BYTES", len(line) + 100)
    Path("a.jsonl").write_text(line * 50)
    whole = ran("show", "a.jsonl", "--line", "50")
    assert whole.exit_code == 0  # though the file is much longer than the limit
    Path("a.jsonl").write_text(line + "x" * (len(line) + 200) + "\n" + line)
    assert ran("show", "a.jsonl", "--line", "1").stdout == whole.stdout
    assert "cannot read a.jsonl: line 2 is longer than" in ran("show", "a.jsonl").stderr
    assert "cannot read standard input: line 1 is longer than" in ran("show", "-", stdin="x" * (len(line) + 200)).stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run of two methods over two questions, scored."""
    folder = tmp_path_factory.mktemp("made")
    commands.made_run(folder, "score")
    return folder / "run"


@pytest.mark.parametrize("command", ["score", "verify", "compare", "annotate --out x.csv", "judge"])
def test_a_run_with_a_line_that_no_record_is_is_an_error_of_one_line(made, command, monkeypatch):
    shutil.copytree(made, "run")
    written = [path.read_bytes() for path in Path("run").rglob("*.json")]
    written += [line for path in Path("run").rglob("*.jsonl") for line in path.read_bytes().splitlines(keepends=True)]
    limit = max(map(len, written)) + 1000
    with next(Path("run").glob("records/*/*.jsonl")).open("ab") as file:
        file.write(b"x" * (limit + 100) + b"\n")
    monkeypatch.setattr(files, "MAX_HELD_BYTES", limit)
    name, *options = command.split()
    result = ran(name, "run", *options)
    commands.assert_one_line(result, "is longer than")


# -- folders ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def deep(tmp_path):
    """A folder deeper than Python calls may be, with a file of records at its end."""
    top = folder = tmp_path / "deep"
    folder.mkdir()
    for _ in range(1200):
        folder /= "d"
        folder.mkdir()
    (folder / "a.jsonl").write_text("{}\n")
    yield top
    subprocess.run(["rm", "-r", top], check=True)  # rmtree is recursive


@pytest.mark.slow
def test_a_folder_of_any_depth_is_walked_by_every_command(deep):
    [file] = [one.path for one in walk(deep) if one.kind != FOLDER]
    checked = Checked()
    assert list(kept_records([deep], checked)) == []
    assert [one.partition(", line 1: ")[0] for one in checked.unchecked] == [str(file)]
    assert [one.path for one in find_files([deep])] == [file]
    assert len(hash_source(deep).files) == 1
    files.refuse_links_out(deep)


def test_stale_names_a_folder_that_cannot_be_listed_and_goes_on(tmp_path, monkeypatch):
    for name in ("a", "b", "c"):
        (tmp_path / "records" / name).mkdir(parents=True)
        (tmp_path / "records" / name / "x.jsonl").write_text("{}\n")
    listed = os.scandir

    def scandir(folder):
        if Path(folder).name == "b":
            raise PermissionError(13, "Permission denied", str(folder))
        return listed(folder)

    monkeypatch.setattr(files.os, "scandir", scandir)
    checked = Checked()
    list(kept_records([Path("records")], checked))
    assert checked.unchecked[0] == "cannot list records/b: Permission denied; check the folder"
    assert [one.partition(",")[0] for one in checked.unchecked[1:]] == ["records/a/x.jsonl", "records/c/x.jsonl"]


def test_a_folder_that_vanishes_while_its_parent_is_walked_is_told_and_the_walk_goes_on(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / "x" / name / "below").mkdir(parents=True)
    told, met = [], []
    for found in walk(tmp_path / "x", on_unlisted=lambda folder, error: told.append((folder.name, type(error)))):
        met.append(found.path.relative_to(tmp_path / "x").as_posix())
        if met == ["a"]:
            (tmp_path / "x/b/below").rmdir()
            (tmp_path / "x/b").rmdir()
    assert met == ["a", "a/below", "b", "c", "c/below"]
    assert told == [("b", FileNotFoundError)]
    with pytest.raises(FileNotFoundError):
        list(walk(tmp_path / "none"))


def test_links_are_followed_only_where_asked_and_never_in_a_circle(tmp_path):
    (tmp_path / "x" / "a").mkdir(parents=True)
    (tmp_path / "x" / "a" / "up").symlink_to(tmp_path / "x")
    (tmp_path / "x" / "self").symlink_to("self")
    (tmp_path / "x" / "gone").symlink_to("nowhere")
    (tmp_path / "y").mkdir()
    (tmp_path / "y" / "f").touch()
    (tmp_path / "x" / "y").symlink_to(tmp_path / "y")

    def met(**options):
        return [one.path.relative_to(tmp_path / "x").as_posix() for one in walk(tmp_path / "x", **options)]

    assert met() == ["a", "a/up", "gone", "self", "y"]
    assert met(into_links=True) == ["a", "a/up", "gone", "self", "y", "y/f"]


def test_a_link_that_leads_to_itself_is_no_link_out(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "self").symlink_to("self")
    files.refuse_links_out(tmp_path / "x")


# -- one way ---------------------------------------------------------------------------------------------------------------

# What is no user's file, or is opened by more than its name: files of this package and of the system, pieces that hopweave has
# written itself, and records of a run whose last line is repaired.
MAY_READ = {
    *("core/catalog.py", "answering/demonstrations/__init__.py", "evaluation/papers/_published.py", "apps/server/explorer.py"),
    *("evaluation/reports/report_html.py", "evaluation/reports/run_summary.py"),
    *("show/record_html.py", "citations/rules/relations.py", "text/languages.py", "models/weights/memory.py"),
    *("models/weights/prompt_states.py", "core/cores.py"),
    *("retrieval/index/vector_source.py", "retrieval/index/vector_index.py", "evaluation/runs/folder.py"),
    *("evaluation/integrity/checksums.py", "ingest/origin.py", "core/files.py"),
}


def calls(path):
    """What a file calls, as `name` or `of.name`, each with its first argument where that is a text."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            first = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else ""
            yield ast.unparse(node.func), str(first)


def test_every_file_is_read_and_every_folder_walked_in_one_place():
    readers, walkers = set(), set()
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        for called, first in calls(path):
            last = called.rpartition(".")[2]
            if last in ("read_bytes", "read_text") or (last == "open" and first.startswith("r")):
                readers.add(name)
            if last == "rglob" or called in ("os.walk", "os.fwalk") or (last == "glob" and "**" in first):
                walkers.add(name)
    assert readers <= MAY_READ
    assert walkers == set()
