"""Indexing, asking and evaluating on a Python that has no `fcntl`, as that of Windows has none."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT = "import sys; sys.modules['fcntl'] = None\n"
COMMANDS = f"""{WITHOUT}import json
from typer.testing import CliRunner
from hopweave.apps.cli import app
for words in json.loads(sys.argv[1]):
    done = CliRunner().invoke(app, words)
    print(done.output)
    assert done.exit_code == 0, done.output
"""
COMMAND = f"{WITHOUT}from hopweave.apps.cli import main; main()"
TAKEN = f"{WITHOUT}import os; from pathlib import Path; from hopweave.core.files import lock; held = lock(Path('run/.lock'))\n"
RULES = '[[rules]]\nmatch = "(?s)."\nsay = "So the answer is: the Nith."\n'


@pytest.fixture(autouse=True)
def scene():
    Path("passages.jsonl").write_text('{"id": "dumfries", "title": "Dumfries", "text": "Dumfries lies on the Nith."}\n')
    Path("q.jsonl").write_text(json.dumps({"id": "q", "question": "On which river is Dumfries?", "answer": "the Nith"}) + "\n")
    Path("rules.toml").write_text(RULES)


def hopweave(*arguments, code=COMMAND):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    return done.stdout


@pytest.mark.slow
def test_commands_run_where_fcntl_cannot_be_imported():
    scripted = ("--corpus", "index", "--llm", "scripted", "--set", "llms.scripted.rules_file=rules.toml")
    words = [
        ("index", "passages.jsonl", "--to", "index"),
        ("ask", "On which river is Dumfries?", *scripted, "--method", "ircot"),
        ("evaluate", "--out", "run", "--dataset", "jsonl", "--path", "q.jsonl", "--methods", "direct,ircot", *scripted),
    ]
    said = hopweave(json.dumps(words), code=COMMANDS)
    assert "built index: 1 passage," in said
    assert "the Nith" in said
    assert len(Path("run/records/jsonl/ircot.jsonl").read_text().splitlines()) == 1


@pytest.mark.slow
def test_the_command_runs_where_fcntl_cannot_be_imported():
    assert "built index: 1 passage," in hopweave("index", "passages.jsonl", "--to", "index")
    assert "1 passage," in hopweave("index", "passages.jsonl", "--to", "index", "--add")
    scripted = ("--corpus", "index", "--llm", "scripted", "--set", "llms.scripted.rules_file=rules.toml", "--method", "ircot")
    assert "the Nith" in hopweave("ask", "On which river is Dumfries?", *scripted)
    evaluated = ("--dataset", "jsonl", "--path", "q.jsonl", "--methods", "direct,ircot", *scripted[:-2])
    hopweave("evaluate", "--out", "run", *evaluated)
    hopweave("evaluate", "--out", "run", *evaluated)
    assert len(Path("run/records/jsonl/ircot.jsonl").read_text().splitlines()) == 1


def test_a_killed_process_leaves_no_lock_behind_there_either():
    Path("run").mkdir()
    hopweave(code=f"{TAKEN}os._exit(0)")
    hopweave(code=TAKEN)


@pytest.mark.slow
def test_of_two_processes_one_is_refused_there_too():
    Path("run").mkdir()
    second = (
        "import subprocess; said = subprocess.run([sys.executable, '-c', sys.argv[1]], capture_output=True, text=True).stderr"
    )
    said = hopweave(TAKEN, code=f"{TAKEN}{second}\nprint(os.getpid(), said)")
    assert f"LockTaken: held by process {said.split()[0]}" in said
