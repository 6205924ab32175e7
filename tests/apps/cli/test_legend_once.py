"""The legend of a drawing: in a terminal each word is explained once to a user, in a pipe not at all, and all if asked for."""

from types import SimpleNamespace

import pytest
from support.sample_records import searchain, thinking

from hopweave.apps.cli import _legend
from hopweave.apps.cli._legend import legend_for_user
from hopweave.show.legend import legend_of
from hopweave.show.outline import make_outline


@pytest.fixture
def terminal(monkeypatch):
    """Standard output is a terminal; pytest puts its own stream back between the set-up and the test."""
    monkeypatch.setattr(_legend, "sys", SimpleNamespace(stdout=SimpleNamespace(isatty=lambda: True)))


def words(record, *, is_wanted=False):
    return [entry.word for entry in legend_for_user(record, calls=False, is_wanted=is_wanted)]


def every(record):
    return [entry.word for entry in legend_of(record, make_outline(record, calls=False))]


@pytest.mark.usefixtures("terminal")
def test_in_a_terminal_each_word_is_explained_once():
    first, other = every(searchain()), every(thinking())
    assert words(searchain()) == [*first, "--legend"]
    assert words(searchain()) == []
    assert words(thinking()) == [*(word for word in other if word not in first), "--legend"]
    assert words(thinking()) == []


@pytest.mark.usefixtures("terminal")
def test_all_words_are_explained_again_if_asked_for():
    words(searchain())
    assert words(searchain(), is_wanted=True) == every(searchain())


def test_a_pipe_gets_a_legend_only_if_asked_for():
    assert words(searchain()) == []
    assert words(searchain(), is_wanted=True) == every(searchain())


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("content", ["", "{", "[1, null]", '{"a": 1}'])
def test_a_file_that_cannot_be_read_costs_only_that_words_are_explained_again(content, tmp_path):
    place = tmp_path / "cache" / "hopweave" / "explained.json"
    place.parent.mkdir(parents=True)
    place.write_text(content)
    assert words(searchain())
    assert words(searchain()) == []


@pytest.mark.usefixtures("terminal")
def test_a_cache_that_cannot_be_written_does_not_fail_a_question(tmp_path):
    (tmp_path / "cache").write_text("")
    assert words(searchain()) == words(searchain()) == [*every(searchain()), "--legend"]
