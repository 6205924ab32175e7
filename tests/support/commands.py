"""Commands as the tests give them, in this process or in another, and a small run that was made by them."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

from click.testing import Result
from support.questions import RULES, put_questions
from typer.testing import CliRunner

from hopweave.apps.cli import app

MAIN = "from hopweave.apps.cli import main; main()"
COMMAND = (sys.executable, "-c", MAIN)
INTERRUPTIBLE = (sys.executable, "-c", f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {MAIN}")
"""A process that a shell started in the background ignores Ctrl-C; this one does not."""


def ran(*arguments: object, stdin: str | bytes | None = None, exit_code: int | None = None, **environment: str) -> Result:
    """A command that ended, with that exit status where one is given, and without an error that nobody raised on purpose."""
    result = CliRunner().invoke(app, [*map(str, arguments)], input=stdin, env=environment)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert exit_code in (None, result.exit_code), result.output
    assert "Traceback" not in result.output
    return result


def ran_alone(*arguments: object, **more: object) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own; `more` is for `subprocess.run`."""
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **more)


def assert_one_line(result: Result, said: str = "") -> None:
    """A command failed and said why in one line, which holds `said`, a text or a pattern."""
    assert result.exit_code == 1, result.output
    assert result.stderr.startswith("hopweave: ")
    assert result.stderr.count("\n") == 1
    assert re.search(said, result.stderr) or said in result.stderr, result.stderr


def ended_in_one_line(*arguments: object, stdin: str | bytes | None = None) -> int:
    """The exit status of a command: 0 or 1, with at most one line that says what is wrong."""
    result = ran(*arguments, stdin=stdin)
    assert result.exit_code in (0, 1), result.output
    errors = [line for line in result.stderr.splitlines() if line.startswith("hopweave: ")]
    assert len(errors) <= 1, result.stderr
    return result.exit_code


def made_run(folder: Path, *then: str) -> None:
    """A run of two methods over two questions in `folder/run`, and each of the commands after it."""
    with chdir(folder):
        Path("rules.toml").write_text(RULES)
        put_questions(2, "q.jsonl")
        flags = ["--dataset", "jsonl", "--path", "q.jsonl", "--methods", "direct,cot", "--llm", "scripted"]
        ran("evaluate", "--out", "run", *flags, "--set", "llms.scripted.rules_file=rules.toml", exit_code=0)
        for command in then:
            ran(command, "run", exit_code=0)
