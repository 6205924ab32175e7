"""Going on with a run from another folder, with the same data and the same index under other paths."""

import shutil
from pathlib import Path

import pytest
from support.questions import RULES, put_questions
from typer.testing import CliRunner

from hopweave.apps.cli import app
from hopweave.core.catalog import load
from hopweave.core.types import Passage

PASSAGES = [Passage(f"town-{number}", f"The river Nith runs through town {number}.") for number in range(4)]


@pytest.fixture(autouse=True)
def scene(own_folders, tmp_path, monkeypatch):
    """A project with an index, four questions and a model by rule."""
    place = tmp_path / "project"
    place.mkdir()
    monkeypatch.chdir(place)
    put_questions(4)
    (tmp_path / "rules.toml").write_text(RULES)
    load("retrievers", "bm25").build(Path("wiki"), PASSAGES)
    return place


def evaluate(*, corpus="wiki", path="questions.jsonl", out="run", more=()):
    rules = next(place / "rules.toml" for place in Path.cwd().parents if (place / "rules.toml").exists())
    words = ["evaluate", "--out", out, "--dataset", "jsonl", "--path", path, "--methods", "direct,direct_retrieval"]
    words += ["--llm", "scripted", "--set", f"llms.scripted.rules_file={rules}", "--corpus", corpus, *more]
    return CliRunner().invoke(app, list(map(str, words)))


def test_the_same_index_and_data_by_other_paths_are_not_another_plan(scene, monkeypatch):
    assert evaluate(more=["--max-questions", "3"]).exit_code == 1
    assert "8 of 8 questions" in (done := evaluate(corpus=str(scene / "wiki"), more=["--max-questions", "9"])).output, (
        done.output
    )
    (scene / "sub").mkdir()
    monkeypatch.chdir(scene / "sub")
    done = evaluate(corpus="../wiki", path="../questions.jsonl", out="../run")
    assert (done.exit_code, "8 of 8 questions" in done.output) == (0, True), done.output


def test_a_run_goes_on_where_its_index_was_moved_to_and_verifies_there(scene, tmp_path, monkeypatch):
    assert evaluate(more=["--max-questions", "3"]).exit_code == 1
    shutil.move("wiki", tmp_path / "archive")
    shutil.move("questions.jsonl", tmp_path / "asked.jsonl")
    done = evaluate(corpus=str(tmp_path / "archive"), path=str(tmp_path / "asked.jsonl"))
    assert done.exit_code == 0, done.output
    monkeypatch.chdir("/")
    verified = CliRunner().invoke(app, ["verify", str(scene / "run")])
    assert verified.output.startswith("verified, no differences: "), verified.output


def test_another_index_or_other_data_by_another_path_are_still_refused(scene):
    assert evaluate(more=["--max-questions", "3"]).exit_code == 1
    load("retrievers", "bm25").build(Path("other"), PASSAGES[:3])
    done = evaluate(corpus="other")
    assert (done.exit_code, "started with something else: index wiki" in done.output) == (1, True), done.output
    Path("fewer.jsonl").write_text(Path("questions.jsonl").read_text().replace("the Nith", "the Esk"))
    done = evaluate(path="fewer.jsonl")
    assert (done.exit_code, "data of jsonl: fewer.jsonl changed" in done.output) == (1, True), done.output


@pytest.mark.slow
def test_a_finished_run_verifies_from_anywhere_and_misses_its_store(scene, monkeypatch):
    assert evaluate().exit_code == 0
    for words in (["score", "run"], ["report", "run"]):
        assert CliRunner().invoke(app, words).exit_code == 0
    monkeypatch.chdir("/")
    verified = CliRunner().invoke(app, ["verify", str(scene / "run")])
    assert verified.output.startswith("verified, no differences: "), verified.output
    assert "8 replies" in verified.output
    (scene / "run" / "store.sqlite").unlink()
    verified = CliRunner().invoke(app, ["verify", str(scene / "run")])
    assert verified.output.startswith("differs: store.sqlite: it is missing")
    assert len(verified.output.splitlines()) == 2


def test_a_store_that_the_settings_name_is_held_to_the_records_too(scene, monkeypatch):
    assert evaluate(more=["--set", "store.path=../mine.sqlite"]).exit_code == 0
    monkeypatch.chdir("/")
    verified = CliRunner().invoke(app, ["verify", str(scene / "run")])
    assert "8 replies" in verified.output
    (scene.parent / "mine.sqlite").unlink()
    verified = CliRunner().invoke(app, ["verify", str(scene / "run")])
    assert verified.output.startswith("could not be checked: the replies: the store ../mine.sqlite is not here")
    assert verified.exit_code == 0
