"""`hopweave` and `hopweave --help`: the commands are the files of the folder."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from support.commands import ran

import hopweave.apps.cli
from hopweave.core.catalog import summary_of
from hopweave.ingest.formats import IMAGE_SUFFIXES
from hopweave.ingest.read import CorpusOptions

FILES = [path for path in sorted(Path(hopweave.apps.cli.__file__).parent.glob("*.py")) if not path.name.startswith("_")]
COMMANDS = [path.stem for path in FILES]


def run(*arguments, width=200):
    return ran(*arguments, COLUMNS=str(width), TERMINAL_WIDTH=str(width))


def test_the_help_lists_every_file_of_the_folder_with_its_first_line():
    said = run("--help").stdout
    listed = said.split("Commands:\n")[1].splitlines()
    assert [line.split()[0] for line in listed] == COMMANDS
    for path, line in zip(FILES, listed, strict=True):
        assert summary_of(path)[:40] in line


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command):
    result = run(command, "--help")
    assert result.exit_code == 0
    first, _, rest = result.stdout.partition("\n")
    assert first.split()[:3] == ["Usage:", "root", command]  # the process knows its name, the runner does not
    assert "\nOptions:\n" in rest


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_command_has_a_first_line_that_fits_the_list(path):
    assert 10 < len(summary_of(path)) <= 50


def fits_80_columns(*arguments):
    lines = run(*arguments, "--help", width=80).stdout.splitlines()
    return lines and all(len(line) <= 80 and not line.endswith("...") for line in lines[1:])


def test_the_list_of_commands_fits_80_columns():
    assert fits_80_columns()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_fits_80_columns(command):
    assert fits_80_columns(command)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("again", "Without a change, list the steps that can be changed, with their numbers."),
        ("index", "0: never; default: 200."),
        ("watch", "0: never; default: 200."),
        ("show", "as its suffix says: .html, .mmd, .json or .txt."),
        ("doctor", "the exit status is 1 if the current settings cannot work."),
    ],
)
def test_what_a_command_does_by_default_is_in_its_help(command, said):
    assert said in " ".join(run(command, "--help").stdout.split())


def test_the_default_that_the_help_of_index_names_is_the_one_that_there_is():
    assert CorpusOptions().max_words == 200


def test_the_help_of_index_names_pictures_whether_or_not_they_can_be_read():
    said = run("index", "--help").stdout
    assert [suffix for suffix in IMAGE_SUFFIXES if suffix not in said] == []


def test_a_value_that_is_no_number_is_told_which_number_is_meant():
    assert (
        "Invalid value for '--max-llm-calls': must be a whole number, not 'five'"
        in run("ask", "x", "--max-llm-calls", "five").stderr
    )
    assert "Invalid value for '--max-seconds': must be a number, not 'long'" in run("ask", "x", "--max-seconds", "long").stderr


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("compare run --metric f1 --metric cover_em", "--metric is now --metrics, which takes several, separated by commas"),
        ("index --to index --check", "--check is now --verify"),
        ("report run --to=elsewhere", "--to is now --out"),
        ("serve --corpus index", "a corpus is given without a flag: hopweave serve NAME=INDEX"),
        ("mcp --corpus=index", "a corpus is given without a flag: hopweave mcp NAME=INDEX"),
    ],
)
def test_an_option_that_has_another_name_now_or_is_none_here_is_told_what_to_write(given, said):
    result = run(*given.split())
    assert result.exit_code == 2
    assert f"Error: {said}\n" in result.stderr


def test_an_unknown_option_is_told_the_nearest():
    assert "No such option: --out (Possible options: --to)" in run("index", "docs", "--out", "index").stderr
    assert "--methods" in run("evaluate", "--method", "direct", "--out", "run").stderr


def test_an_option_whose_value_is_the_same_thing_in_several_commands_shows_it_by_the_same_word():
    """Where it differs, the value does: `--out` is a file, a folder or a run."""
    words = {
        "--config": "FILE",
        "--corpus": "INDEX",
        "--llm": "NAME",
        "--method": "NAME",
        "--methods": "NAME,...",
        "--to": "INDEX",
    }
    words |= {"--metrics": "NAME,...", "--profile": "NAME", "--reader": "NAME", "--retriever": "NAME", "--with": "RUN"}
    shown = [line.split()[:2] for command in COMMANDS for line in run(command, "--help").stdout.splitlines() if "--" in line]
    assert [one for one in shown if one[0] in words and one[1] != words[one[0]]] == []


def test_no_command_shows_the_help():
    assert "Commands:" in run().output


def test_the_version_is_that_of_the_package():
    assert run("--version").stdout == f"hopweave {version('hopweave')}\n"


@pytest.mark.parametrize("name", ["aks", "_live", "__init__", "../ask", ""])
def test_a_command_that_is_none_is_a_usage_error(name):
    result = run(name)
    assert result.exit_code == 2
    assert "No such command" in result.stderr


def test_a_near_miss_is_answered_with_the_nearest():
    assert "No such command 'aks'. Did you mean 'ask'?" in run("aks").stderr


def test_the_installed_command_is_this_one():
    command = Path(sys.executable).with_name("hopweave")
    if not command.exists():
        pytest.skip("the package is not installed as a command")
    done = subprocess.run([command, "--help"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(f"\n  {name} " in done.stdout for name in COMMANDS)


def test_python_runs_it_as_a_module_too():
    done = subprocess.run([sys.executable, "-m", "hopweave", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"hopweave {version('hopweave')}\n"
