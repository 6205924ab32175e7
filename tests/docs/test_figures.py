"""The figures of the methods show what the methods do."""

from __future__ import annotations

import importlib.util

import pytest
from support.pages import ROOT

DOCS = ROOT / "docs"


def hook(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / "hooks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        return hook("figures").made()


@pytest.mark.slow
def test_the_pictures_of_the_rooms_are_as_the_code_is():
    stale = [name for name, text in hook("rooms").pictures().items() if (DOCS / "images" / name).read_text("utf-8") != text]
    assert stale == [], "draw them again: make map"


def test_each_figure_is_as_the_method_is(made):
    stale = [path for path, text in made.items() if not (DOCS / path).is_file() or (DOCS / path).read_text("utf-8") != text]
    assert stale == [], "draw them again: PYTHONPATH=src:tests python docs/hooks/figures.py"


def test_there_is_no_figure_of_a_method_that_is_gone(made):
    there = {f"images/methods/{path.name}" for path in (DOCS / "images" / "methods").iterdir()}
    assert there == {path for path in made if path.endswith(".svg")}


def test_a_figure_begins_with_the_question_and_ends_with_the_answer(made):
    for path, text in made.items():
        if path.endswith(".svg"):
            assert ": question, " in text
            assert ", answer</title>" in text
            assert ">the Teel</text>" in text
