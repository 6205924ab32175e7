"""`hopweave index --processes`: documents are read in several processes, and the index is that of one."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from support.commands import ran
from support.documents import docx, paragraph

from hopweave.core.child_process import BlockingChild
from hopweave.core.errors import DataError
from hopweave.ingest.formats import CorpusFile, Limits
from hopweave.ingest.intake import Intake
from hopweave.ingest.process_reading import ProcessReading
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.ingest.reasons import reason_of

PAGE = (
    "<html><head><title>Light {n}</title></head><body><h1>Light {n}</h1><p>It was lit in {year}.</p>"
    "<h2>Keepers</h2>{rest}</body></html>"
)


def folder(of=Path("papers")):
    of.mkdir()
    for n in range(6):
        rest = "".join(f"<p>Keeper {k} of light {n} kept the lamp for {k} years.</p>" for k in range(40))
        (of / f"{n}.html").write_text(PAGE.format(n=n, year=1870 + n, rest=rest))
    (of / "notes.docx").write_bytes(docx(paragraph("An old oak stands there.")))
    (of / "torn.docx").write_bytes(docx(paragraph("Torn."))[:40])
    (of / "empty.md").write_text("")
    (of / "again.txt").write_text("An old oak stands there.")
    (of / "rows.csv").write_text("title,text\nOak,The oak of Orlau is old.\n")
    (of / "latin.txt").write_bytes("Ein Stra\xdfenname".encode("latin-1"))
    return of


def file_in(path):
    return CorpusFile(path, path.name, path.name, at=path)


def said_of(output):
    """What the command said, without the time it took and the place of the index."""
    lines = [line for line in output.splitlines() if " s" not in line or "skipped" in line]
    return sorted(line.replace("one-index", "INDEX").replace("more-index", "INDEX") for line in lines)


@pytest.mark.slow
def test_the_index_of_several_processes_is_that_of_one_and_so_is_what_is_said(monkeypatch):
    folder()
    one = ran("index", "papers", "--to", "one-index", exit_code=0, COLUMNS="200").output
    with monkeypatch.context() as patch:
        patch.setattr("hopweave.ingest.read.read_whole", None)  # nothing is read in this process
        more = ran("index", "papers", "--to", "more-index", "--processes", "2", exit_code=0, COLUMNS="200").output
    assert one.rpartition("fingerprint ")[2] == more.rpartition("fingerprint ")[2]
    assert said_of(one) == said_of(more)
    assert "torn.docx" in more
    assert "latin.txt" in more


@pytest.mark.slow
def test_a_sync_reads_elsewhere_what_has_changed_and_nothing_else(monkeypatch):
    papers = folder()
    ran("index", "papers", "--to", "index", "--processes", "2", exit_code=0)
    (papers / "3.html").write_text(PAGE.format(n=3, year=1999, rest=""))
    begun = []
    begin = ProcessReading.begin
    monkeypatch.setattr(
        ProcessReading, "begin", lambda self, file, *more: (begun.append(file.path.name), begin(self, file, *more))
    )
    said = ran("index", "papers", "--to", "index", "--sync", "--processes", "2", exit_code=0, COLUMNS="200").output
    assert "1 replaced" in said
    assert set(begun) <= {"3.html", "torn.docx", "empty.md", "latin.txt"}
    assert "3.html" in begun


def test_a_file_that_changes_after_a_process_has_read_it_is_read_again_here(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("The lamp was lit in 1871.")
    with closing(ProcessReading(1)) as elsewhere:
        elsewhere.begin(file_in(path), Limits(), 200)
        elsewhere._begun[path].result()
        path.write_text("The lamp was lit in 1872.")
        os.utime(path, ns=(1, 1))
        assert elsewhere.read(file_in(path)) is None
        elsewhere.begin(file_in(path), Limits(), 200)
        assert elsewhere.read(file_in(path)).pieces[0].text == "The lamp was lit in 1872."


def test_why_a_file_cannot_be_read_is_said_as_if_it_had_been_read_here(tmp_path):
    path = tmp_path / "torn.docx"
    path.write_bytes(docx(paragraph("Torn."))[:40])
    with pytest.raises(DataError) as here:
        list(read_corpus([path]))
    with closing(ProcessReading(1)) as elsewhere, pytest.raises(DataError) as there:
        list(read_corpus([path], elsewhere=elsewhere))
    assert (str(here.value), reason_of(here.value)) == (str(there.value), reason_of(there.value))


@pytest.mark.slow
def test_files_whose_process_is_killed_are_read_here_and_nothing_is_lost(tmp_path):
    papers = folder(tmp_path / "papers")
    whole = {passage.id: passage for passage in read_corpus([papers], options=CorpusOptions(lenient=True))}
    with closing(ProcessReading(2)) as elsewhere:
        found = {}
        for number, passage in enumerate(read_corpus([papers], options=CorpusOptions(lenient=True), elsewhere=elsewhere)):
            found[passage.id] = passage
            if number % 2 == 0:
                for child in list(elsewhere._children):
                    child._process.kill()
    assert found == whole


def test_members_of_an_archive_and_rows_of_tables_are_read_here(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("title,text\nOak,The oak of Orlau is old.\n")
    with closing(ProcessReading(1)) as elsewhere:
        elsewhere.begin(file_in(path), Limits(), 200)
        assert elsewhere.read(file_in(path)) is None
        assert not elsewhere._children


def test_an_interrupted_command_ends_its_processes_and_says_to_run_it_again(monkeypatch):
    folder()
    ran("index", "papers", "--to", "index", exit_code=0)
    before = Path("index/manifest.json").read_bytes()
    ended, children = [], []
    end = BlockingChild.end
    monkeypatch.setattr(BlockingChild, "end", lambda self: (ended.append(self), end(self)))
    started = ProcessReading._started
    monkeypatch.setattr(ProcessReading, "_started", lambda self: children.append(started(self)) or children[-1])

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("hopweave.ingest.read.Reading._hand_out", interrupted)
    result = ran("index", "papers", "--to", "index", "--processes", "2", exit_code=130)
    assert result.stderr.splitlines()[-1] == "hopweave: interrupted; run the same command again"
    assert Path("index/manifest.json").read_bytes() == before
    assert children
    assert set(children) <= set(ended)


@pytest.mark.slow
def test_the_processes_end_with_the_one_that_started_them(tmp_path):
    folder(tmp_path / "papers")
    code = f"""
import sys, time
from pathlib import Path
from hopweave.ingest.formats import CorpusFile, Limits
from hopweave.ingest.process_reading import ProcessReading
elsewhere = ProcessReading(1)
path = Path({str(tmp_path)!r}) / "papers" / "0.html"
elsewhere.begin(CorpusFile(path, "0.html", "0", at=path), Limits(), 200)
assert elsewhere.read(CorpusFile(path, "0.html", "0", at=path)).title == "Light 0"
print(*(child._process.pid for child in elsewhere._children), flush=True)
time.sleep(60)
"""
    places = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=places) as process:
        pid = int(process.stdout.readline())
        os.kill(pid, 0)
        process.send_signal(signal.SIGKILL)
        process.wait()
    for _ in range(200):
        if not is_running(pid):
            return
        time.sleep(0.05)
    pytest.fail("the process that reads goes on")


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z" if Path("/proc").exists() else os.kill(pid, 0) is None
    except OSError:
        return False


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("papers", "--processes", "2", "--cluster", "tcp://nobody.example.org:1"), "leave out --processes"),
        (("--processes", "2", "--delete", "x"), "give files or folders"),
        (("papers", "--processes", "0"), "greater than or equal to 1"),
    ],
)
def test_processes_that_would_read_nothing_are_refused(arguments, said):
    assert said in " ".join(ran("index", *arguments, "--to", "index", COLUMNS="200").stderr.split())


@pytest.mark.parametrize(("num_bytes", "num_cores", "num_ahead"), [(10, 4, 0), (16_000_000, 4, 16), (16_000_000, 64, 32)])
def test_without_a_number_processes_read_only_where_there_is_much(monkeypatch, num_bytes, num_cores, num_ahead):
    import typer

    from hopweave.apps.cli.index import _elsewhere

    monkeypatch.setattr(Intake, "num_bytes", lambda self: num_bytes)
    monkeypatch.setattr("hopweave.core.cores.num_usable_cores", lambda: num_cores)
    with typer.Context(typer.core.TyperCommand("index")) as context:
        found = _elsewhere(context, None, None, Intake([]))
        assert (found.num_ahead if found is not None else 0) == num_ahead
