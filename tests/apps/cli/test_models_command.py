"""`hopweave models`: what it prints, and where."""

import pytest
from typer.testing import CliRunner

from hopweave.apps.cli.models import app
from hopweave.core.errors import DataError, SettingsError
from hopweave.models import weights as models
from hopweave.models.weights import DEFAULT_MODEL, KNOWN_MODELS


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOPWEAVE_MODELS", str(tmp_path / "models"))
    (tmp_path / "models").mkdir()
    return tmp_path / "models"


def run(*arguments):
    return CliRunner().invoke(app, arguments, catch_exceptions=True)


def test_the_list_names_every_known_model_and_every_file_that_is_there(folder):
    (folder / "mine.gguf").write_bytes(b"GGUF")
    (folder / KNOWN_MODELS[DEFAULT_MODEL].file_name).write_bytes(b"GGUF")
    lines = {line.split()[0]: line for line in run("list").stdout.splitlines()}
    assert lines.keys() == {"name", "mine", *KNOWN_MODELS}
    assert " yes " in lines[DEFAULT_MODEL]
    assert " no " in lines["smollm2-135m-instruct"]
    assert str(folder / "mine.gguf") in lines["mine"]


def test_fetch_prints_the_path_on_stdout_and_what_it_does_on_stderr(folder, monkeypatch):
    def fetch(name, *, from_path, on_progress, on_note):
        on_note("downloading 1 MB from [somewhere]")
        on_progress(500_000, 1_000_000)
        on_progress(1_000_000, 1_000_000)
        return folder / f"{name}.gguf"

    monkeypatch.setattr(models, "fetch", fetch)
    result = run("fetch")
    assert result.stdout == f"{folder / DEFAULT_MODEL}.gguf\n"
    assert "downloading 1 MB from [somewhere]" in result.stderr
    assert "1.0/1.0 MB" in result.stderr


def test_fetch_takes_a_file(folder, tmp_path):
    (tmp_path / "mine.gguf").write_bytes(b"GGUF of mine")
    result = run("fetch", "mine", "--from", str(tmp_path / "mine.gguf"))
    assert result.exit_code == 0
    assert (folder / "mine.gguf").is_file()


def test_remove_says_how_much_it_freed(folder):
    (folder / "mine.gguf").write_bytes(b"GGUF" + bytes(3_000_000))
    assert run("remove", "mine").stdout == "3 MB freed\n"
    assert not (folder / "mine.gguf").exists()


def test_mistakes_are_left_to_the_caller_to_print(folder, tmp_path):
    assert isinstance(run("remove", "none").exception, SettingsError)
    (tmp_path / "page.gguf").write_bytes(b"<html>")
    assert isinstance(run("fetch", "mine", "--from", str(tmp_path / "page.gguf")).exception, DataError)
