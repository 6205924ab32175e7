"""Commands as the tests give them, in this process, and a small run that was made by them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import chdir
from pathlib import Path

from click.testing import Result
from support.questions import RULES, put_questions
from typer.testing import CliRunner

from hopweave.apps.cli import app


def ran(*arguments: object, stdin: str | bytes | None = None) -> Result:
    """A command that ended, well or not, without an error that nobody raised on purpose."""
    result = CliRunner().invoke(app, [*map(str, arguments)], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def ended_in_one_line(*arguments: object, stdin: str | bytes | None = None) -> int:
    """The exit status of a command: 0 or 1, with at most one line that says what is wrong."""
    result = ran(*arguments, stdin=stdin)
    assert result.exit_code in (0, 1), result.output
    errors = [line for line in result.stderr.splitlines() if line.startswith("hopweave: ")]
    assert len(errors) <= 1, result.stderr
    assert "Traceback" not in result.output
    return result.exit_code


def made_run(folder: Path, *then: str) -> None:
    """A run of two methods over two questions in `folder/run`, and each of the commands after it."""
    with chdir(folder):
        Path("rules.toml").write_text(RULES)
        put_questions(2, "q.jsonl")
        flags = ["--dataset", "jsonl", "--path", "q.jsonl", "--methods", "direct,cot", "--llm", "scripted"]
        _all_well([("evaluate", "--out", "run", *flags, "--set", "llms.scripted.rules_file=rules.toml")])
        _all_well((command, "run") for command in then)


def _all_well(commands: Iterable[tuple[str, ...]]) -> None:
    for command in commands:
        result = ran(*command)
        assert result.exit_code == 0, result.output
