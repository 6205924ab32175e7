"""Files and streams that are not what they should be: one line each, which says what to do, and never a traceback."""

import shutil
from pathlib import Path

import pytest
from support.commands import assert_one_line, made_run, ran
from support.tiers import in_turn

from hopweave.core.errors import SettingsError
from hopweave.run.nested_settings import assignments
from hopweave.run.settings import read_settings

BRACKETS = b"[" * 200_000
NOT_UTF8 = b'{"question": {"id": "caf\xe9"}}\n'
BROKEN = {
    "an empty list": b"[]",
    "a list of nothing": b"[null]",
    "a text": b'"x"',
    "an empty object": b"{}",
    "a schema alone": b'{"schema": "hopweave.run/1"}',
    "brackets": BRACKETS,
    "braces": b'{"a":' * 200_000,
    "a long number": b'{"schema": ' + b"1" * 5_000 + b"}",
    "other letters": NOT_UTF8,
    "nothing": b"",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run of two methods over two questions, scored."""
    folder = tmp_path_factory.mktemp("made")
    made_run(folder, "score")
    return folder


@pytest.fixture(autouse=True)
def scene(made, tmp_path, monkeypatch):
    """A copy of the run as the working directory, and nothing of this machine's."""
    shutil.copytree(made, tmp_path / "scene")
    monkeypatch.chdir(tmp_path / "scene")


def failed_in_one_line(*arguments, stdin=None, said=""):
    assert_one_line(ran(*arguments, stdin=stdin), said)


FLAGS = {"evaluate": ["--out", "run"], "annotate": ["run", "--out", "sheet.csv"]}


@pytest.mark.parametrize(
    ("command", "content"),
    in_turn(["evaluate", "score", "compare", "report", "annotate", "analyse", "verify", "trust"], list(BROKEN)),
)
def test_a_broken_plan_of_a_run_is_one_line(command, content):
    Path("run/plan.json").write_bytes(BROKEN[content])
    failed_in_one_line(command, *FLAGS.get(command, ["run"]), said="plan.json")


@pytest.mark.parametrize(
    "content", [BRACKETS, b'{"question":{"id":' + BRACKETS, NOT_UTF8, b"[]"], ids=["[", "id [", "\\xe9", "[]"]
)
@pytest.mark.parametrize("command", [["score", "run"], ["annotate", "run", "--out", "sheet.csv"], ["evaluate", "--out", "run"]])
def test_a_broken_record_of_a_run_is_one_line_with_its_number(command, content):
    place = Path("run/records/jsonl/direct.jsonl")
    place.write_bytes(place.read_bytes() + content + b"\n")
    failed_in_one_line(*command, said="direct.jsonl, line 3")


@pytest.mark.parametrize("content", [BRACKETS, NOT_UTF8, b"[]"], ids=["[", "\\xe9", "[]"])
def test_broken_examples_of_a_run_are_one_line_with_its_number(content):
    Path("run/examples/jsonl.jsonl").write_bytes(content + b"\n")
    failed_in_one_line("score", "run", said="jsonl.jsonl, line 1")


@pytest.mark.parametrize("content", [BRACKETS, NOT_UTF8, b"[]"], ids=["[", "\\xe9", "[]"])
@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("scores.json", ["report", "run"]),
        ("scores.jsonl", ["report", "run"]),
        ("compare.json", ["compare", "run"]),
        ("manifest.json", ["evaluate", "--out", "run"]),
    ],
)
def test_other_broken_files_of_a_run_are_one_line(name, command, content):
    Path("run", name).write_bytes(content + b"\n")
    failed_in_one_line(*command, said=name)


@pytest.mark.parametrize("content", [BRACKETS, NOT_UTF8, b"[]"], ids=["[", "\\xe9", "[]"])
def test_a_broken_record_is_one_line_to_show_from_a_file_and_from_standard_input(content):
    Path("records.jsonl").write_bytes(content + b"\n")
    failed_in_one_line("show", "records.jsonl", said="records.jsonl")
    failed_in_one_line("show", "records.jsonl", "--question", "q1")
    failed_in_one_line("show", "-", stdin=content + b"\n", said="standard input")


def test_a_question_from_standard_input_that_is_not_utf8_is_one_line():
    failed_in_one_line("ask", "-", stdin=b"Which caf\xe9?", said="standard input is not UTF-8 text")


@pytest.mark.parametrize("content", [b"a = " + BRACKETS, b"a = " + b"1" * 5_000, b"a = '\xe9'", b"a = " + b"{b=" * 50_000])
@pytest.mark.parametrize("by", ["hopweave.toml", "--config", "plan"])
def test_a_broken_settings_file_or_plan_is_one_line(content, by):
    Path("hopweave.toml" if by == "hopweave.toml" else "other.toml").write_bytes(content)
    command = ["evaluate", "other.toml", "--out", "new"] if by == "plan" else ["ask", "Where?"]
    failed_in_one_line(*command, *(["--config", "other.toml"] if by == "--config" else []), said=".toml")


def test_a_flag_of_brackets_is_the_text_itself():
    assert assignments([f"corpus={'[' * 200_000}"]) == {"corpus": "[" * 200_000}


def test_a_variable_of_brackets_is_one_line(monkeypatch):
    monkeypatch.setenv("HOPWEAVE_BUDGET", "[" * 50_000)
    with pytest.raises(SettingsError):
        read_settings()
